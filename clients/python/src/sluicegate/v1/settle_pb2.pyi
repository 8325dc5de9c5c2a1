import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from sluicegate.v1 import error_reason_pb2 as _error_reason_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SettleStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SETTLE_STATUS_UNSPECIFIED: _ClassVar[SettleStatus]
    SETTLE_STATUS_SETTLED: _ClassVar[SettleStatus]
    SETTLE_STATUS_ALREADY_SETTLED: _ClassVar[SettleStatus]
    SETTLE_STATUS_LOST: _ClassVar[SettleStatus]
    SETTLE_STATUS_GONE: _ClassVar[SettleStatus]
    SETTLE_STATUS_INVALID: _ClassVar[SettleStatus]

class ExtendStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXTEND_STATUS_UNSPECIFIED: _ClassVar[ExtendStatus]
    EXTEND_STATUS_EXTENDED: _ClassVar[ExtendStatus]
    EXTEND_STATUS_ALREADY_SETTLED: _ClassVar[ExtendStatus]
    EXTEND_STATUS_LOST: _ClassVar[ExtendStatus]
    EXTEND_STATUS_GONE: _ClassVar[ExtendStatus]
SETTLE_STATUS_UNSPECIFIED: SettleStatus
SETTLE_STATUS_SETTLED: SettleStatus
SETTLE_STATUS_ALREADY_SETTLED: SettleStatus
SETTLE_STATUS_LOST: SettleStatus
SETTLE_STATUS_GONE: SettleStatus
SETTLE_STATUS_INVALID: SettleStatus
EXTEND_STATUS_UNSPECIFIED: ExtendStatus
EXTEND_STATUS_EXTENDED: ExtendStatus
EXTEND_STATUS_ALREADY_SETTLED: ExtendStatus
EXTEND_STATUS_LOST: ExtendStatus
EXTEND_STATUS_GONE: ExtendStatus

class SettleOutcome(_message.Message):
    __slots__ = ("lease_id", "success", "failure", "release", "usage", "throttled")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    success: JobSuccess
    failure: JobFailure
    release: JobRelease
    usage: _containers.RepeatedCompositeFieldContainer[BudgetUsage]
    throttled: _containers.RepeatedCompositeFieldContainer[BudgetThrottle]
    def __init__(self, lease_id: _Optional[str] = ..., success: _Optional[_Union[JobSuccess, _Mapping]] = ..., failure: _Optional[_Union[JobFailure, _Mapping]] = ..., release: _Optional[_Union[JobRelease, _Mapping]] = ..., usage: _Optional[_Iterable[_Union[BudgetUsage, _Mapping]]] = ..., throttled: _Optional[_Iterable[_Union[BudgetThrottle, _Mapping]]] = ...) -> None: ...

class JobSuccess(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bytes
    def __init__(self, result: _Optional[bytes] = ...) -> None: ...

class JobFailure(_message.Message):
    __slots__ = ("error", "retry_after", "discard")
    ERROR_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    error: str
    retry_after: _duration_pb2.Duration
    discard: bool
    def __init__(self, error: _Optional[str] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., discard: bool = ...) -> None: ...

class JobRelease(_message.Message):
    __slots__ = ("delay",)
    DELAY_FIELD_NUMBER: _ClassVar[int]
    delay: _duration_pb2.Duration
    def __init__(self, delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class BudgetUsage(_message.Message):
    __slots__ = ("budget", "cost")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    budget: str
    cost: int
    def __init__(self, budget: _Optional[str] = ..., cost: _Optional[int] = ...) -> None: ...

class BudgetThrottle(_message.Message):
    __slots__ = ("budget", "retry_after")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    budget: str
    retry_after: _duration_pb2.Duration
    def __init__(self, budget: _Optional[str] = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SettleResult(_message.Message):
    __slots__ = ("lease_id", "status", "result_dropped", "error")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RESULT_DROPPED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    status: SettleStatus
    result_dropped: bool
    error: LeaseError
    def __init__(self, lease_id: _Optional[str] = ..., status: _Optional[_Union[SettleStatus, str]] = ..., result_dropped: bool = ..., error: _Optional[_Union[LeaseError, _Mapping]] = ...) -> None: ...

class LeaseError(_message.Message):
    __slots__ = ("reason", "field", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: _error_reason_pb2.ErrorReason
    field: str
    message: str
    def __init__(self, reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ..., field: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class ExtendResult(_message.Message):
    __slots__ = ("lease_id", "status", "expire_time", "cancel_requested")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    CANCEL_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    status: ExtendStatus
    expire_time: _timestamp_pb2.Timestamp
    cancel_requested: bool
    def __init__(self, lease_id: _Optional[str] = ..., status: _Optional[_Union[ExtendStatus, str]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., cancel_requested: bool = ...) -> None: ...
