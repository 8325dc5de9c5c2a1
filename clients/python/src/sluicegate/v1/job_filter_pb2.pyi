import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from sluicegate.v1 import job_pb2 as _job_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JobFilter(_message.Message):
    __slots__ = ("ids", "queues", "types", "states", "budgets", "priority_min", "priority_max", "created_from", "created_until", "run_from", "run_until", "all")
    IDS_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    BUDGETS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_MIN_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_MAX_FIELD_NUMBER: _ClassVar[int]
    CREATED_FROM_FIELD_NUMBER: _ClassVar[int]
    CREATED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    RUN_FROM_FIELD_NUMBER: _ClassVar[int]
    RUN_UNTIL_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    ids: JobIds
    queues: _containers.RepeatedScalarFieldContainer[str]
    types: _containers.RepeatedScalarFieldContainer[str]
    states: _containers.RepeatedScalarFieldContainer[_job_pb2.JobState]
    budgets: _containers.RepeatedScalarFieldContainer[str]
    priority_min: int
    priority_max: int
    created_from: _timestamp_pb2.Timestamp
    created_until: _timestamp_pb2.Timestamp
    run_from: _timestamp_pb2.Timestamp
    run_until: _timestamp_pb2.Timestamp
    all: bool
    def __init__(self, ids: _Optional[_Union[JobIds, _Mapping]] = ..., queues: _Optional[_Iterable[str]] = ..., types: _Optional[_Iterable[str]] = ..., states: _Optional[_Iterable[_Union[_job_pb2.JobState, str]]] = ..., budgets: _Optional[_Iterable[str]] = ..., priority_min: _Optional[int] = ..., priority_max: _Optional[int] = ..., created_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., run_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., run_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., all: bool = ...) -> None: ...

class JobIds(_message.Message):
    __slots__ = ("ids",)
    IDS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, ids: _Optional[_Iterable[str]] = ...) -> None: ...
