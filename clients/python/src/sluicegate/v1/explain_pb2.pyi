import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from sluicegate.v1 import job_pb2 as _job_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HoldUp(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOLD_UP_UNSPECIFIED: _ClassVar[HoldUp]
    HOLD_UP_NOT_READY: _ClassVar[HoldUp]
    HOLD_UP_QUEUE_PAUSED: _ClassVar[HoldUp]
    HOLD_UP_NO_WORKER: _ClassVar[HoldUp]
    HOLD_UP_NO_ROOM: _ClassVar[HoldUp]
    HOLD_UP_TOO_LARGE: _ClassVar[HoldUp]
    HOLD_UP_BUDGET: _ClassVar[HoldUp]
HOLD_UP_UNSPECIFIED: HoldUp
HOLD_UP_NOT_READY: HoldUp
HOLD_UP_QUEUE_PAUSED: HoldUp
HOLD_UP_NO_WORKER: HoldUp
HOLD_UP_NO_ROOM: HoldUp
HOLD_UP_TOO_LARGE: HoldUp
HOLD_UP_BUDGET: HoldUp

class JobExplanation(_message.Message):
    __slots__ = ("job_id", "state", "explain_time", "ready_time", "hold_ups", "budgets", "not_before", "queue", "lease")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_TIME_FIELD_NUMBER: _ClassVar[int]
    READY_TIME_FIELD_NUMBER: _ClassVar[int]
    HOLD_UPS_FIELD_NUMBER: _ClassVar[int]
    BUDGETS_FIELD_NUMBER: _ClassVar[int]
    NOT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    state: _job_pb2.JobState
    explain_time: _timestamp_pb2.Timestamp
    ready_time: _timestamp_pb2.Timestamp
    hold_ups: _containers.RepeatedScalarFieldContainer[HoldUp]
    budgets: _containers.RepeatedCompositeFieldContainer[BudgetExplanation]
    not_before: _timestamp_pb2.Timestamp
    queue: QueueExplanation
    lease: _job_pb2.Lease
    def __init__(self, job_id: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., explain_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ready_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., hold_ups: _Optional[_Iterable[_Union[HoldUp, str]]] = ..., budgets: _Optional[_Iterable[_Union[BudgetExplanation, _Mapping]]] = ..., not_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., queue: _Optional[_Union[QueueExplanation, _Mapping]] = ..., lease: _Optional[_Union[_job_pb2.Lease, _Mapping]] = ...) -> None: ...

class QueueExplanation(_message.Message):
    __slots__ = ("name", "paused", "workers", "workers_with_room", "workers_too_small")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_WITH_ROOM_FIELD_NUMBER: _ClassVar[int]
    WORKERS_TOO_SMALL_FIELD_NUMBER: _ClassVar[int]
    name: str
    paused: bool
    workers: int
    workers_with_room: int
    workers_too_small: int
    def __init__(self, name: _Optional[str] = ..., paused: bool = ..., workers: _Optional[int] = ..., workers_with_room: _Optional[int] = ..., workers_too_small: _Optional[int] = ...) -> None: ...

class BudgetExplanation(_message.Message):
    __slots__ = ("budget", "cost", "available", "holds_up", "blocked", "blocked_until", "held_by_job_ids", "held_by_total", "waiters_ahead", "set_aside", "set_aside_for_job_id", "protected", "not_before")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    HOLDS_UP_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    HELD_BY_JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    HELD_BY_TOTAL_FIELD_NUMBER: _ClassVar[int]
    WAITERS_AHEAD_FIELD_NUMBER: _ClassVar[int]
    SET_ASIDE_FIELD_NUMBER: _ClassVar[int]
    SET_ASIDE_FOR_JOB_ID_FIELD_NUMBER: _ClassVar[int]
    PROTECTED_FIELD_NUMBER: _ClassVar[int]
    NOT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    budget: str
    cost: int
    available: int
    holds_up: bool
    blocked: bool
    blocked_until: _timestamp_pb2.Timestamp
    held_by_job_ids: _containers.RepeatedScalarFieldContainer[str]
    held_by_total: int
    waiters_ahead: int
    set_aside: int
    set_aside_for_job_id: str
    protected: bool
    not_before: _timestamp_pb2.Timestamp
    def __init__(self, budget: _Optional[str] = ..., cost: _Optional[int] = ..., available: _Optional[int] = ..., holds_up: bool = ..., blocked: bool = ..., blocked_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., held_by_job_ids: _Optional[_Iterable[str]] = ..., held_by_total: _Optional[int] = ..., waiters_ahead: _Optional[int] = ..., set_aside: _Optional[int] = ..., set_aside_for_job_id: _Optional[str] = ..., protected: bool = ..., not_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
