import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from sluicegate.v1 import budget_pb2 as _budget_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class UniqueScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNIQUE_SCOPE_UNSPECIFIED: _ClassVar[UniqueScope]
    UNIQUE_SCOPE_QUEUED: _ClassVar[UniqueScope]
    UNIQUE_SCOPE_UNFINISHED: _ClassVar[UniqueScope]
    UNIQUE_SCOPE_RETAINED: _ClassVar[UniqueScope]

class JobState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_STATE_UNSPECIFIED: _ClassVar[JobState]
    JOB_STATE_SCHEDULED: _ClassVar[JobState]
    JOB_STATE_READY: _ClassVar[JobState]
    JOB_STATE_IN_FLIGHT: _ClassVar[JobState]
    JOB_STATE_COMPLETED: _ClassVar[JobState]
    JOB_STATE_DEAD: _ClassVar[JobState]
    JOB_STATE_CANCELLED: _ClassVar[JobState]

class JobView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_VIEW_UNSPECIFIED: _ClassVar[JobView]
    JOB_VIEW_BASIC: _ClassVar[JobView]
    JOB_VIEW_FULL: _ClassVar[JobView]
UNIQUE_SCOPE_UNSPECIFIED: UniqueScope
UNIQUE_SCOPE_QUEUED: UniqueScope
UNIQUE_SCOPE_UNFINISHED: UniqueScope
UNIQUE_SCOPE_RETAINED: UniqueScope
JOB_STATE_UNSPECIFIED: JobState
JOB_STATE_SCHEDULED: JobState
JOB_STATE_READY: JobState
JOB_STATE_IN_FLIGHT: JobState
JOB_STATE_COMPLETED: JobState
JOB_STATE_DEAD: JobState
JOB_STATE_CANCELLED: JobState
JOB_VIEW_UNSPECIFIED: JobView
JOB_VIEW_BASIC: JobView
JOB_VIEW_FULL: JobView

class JobSpec(_message.Message):
    __slots__ = ("queue", "type", "json", "binary", "priority", "run_time", "bindings", "max_attempts", "backoff", "retention", "timeout", "unique", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    BINARY_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    RUN_TIME_FIELD_NUMBER: _ClassVar[int]
    BINDINGS_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    BACKOFF_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    UNIQUE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    queue: str
    type: str
    json: str
    binary: bytes
    priority: int
    run_time: _timestamp_pb2.Timestamp
    bindings: _containers.RepeatedCompositeFieldContainer[_budget_pb2.Binding]
    max_attempts: int
    backoff: Backoff
    retention: Retention
    timeout: _duration_pb2.Duration
    unique: UniqueKey
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, queue: _Optional[str] = ..., type: _Optional[str] = ..., json: _Optional[str] = ..., binary: _Optional[bytes] = ..., priority: _Optional[int] = ..., run_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., bindings: _Optional[_Iterable[_Union[_budget_pb2.Binding, _Mapping]]] = ..., max_attempts: _Optional[int] = ..., backoff: _Optional[_Union[Backoff, _Mapping]] = ..., retention: _Optional[_Union[Retention, _Mapping]] = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., unique: _Optional[_Union[UniqueKey, _Mapping]] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Backoff(_message.Message):
    __slots__ = ("initial", "max", "multiplier_percent", "jitter_percent")
    INITIAL_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    MULTIPLIER_PERCENT_FIELD_NUMBER: _ClassVar[int]
    JITTER_PERCENT_FIELD_NUMBER: _ClassVar[int]
    initial: _duration_pb2.Duration
    max: _duration_pb2.Duration
    multiplier_percent: int
    jitter_percent: int
    def __init__(self, initial: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., multiplier_percent: _Optional[int] = ..., jitter_percent: _Optional[int] = ...) -> None: ...

class Retention(_message.Message):
    __slots__ = ("completed", "dead", "cancelled")
    COMPLETED_FIELD_NUMBER: _ClassVar[int]
    DEAD_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    completed: _duration_pb2.Duration
    dead: _duration_pb2.Duration
    cancelled: _duration_pb2.Duration
    def __init__(self, completed: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., dead: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., cancelled: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class UniqueKey(_message.Message):
    __slots__ = ("key", "scope")
    KEY_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    key: str
    scope: UniqueScope
    def __init__(self, key: _Optional[str] = ..., scope: _Optional[_Union[UniqueScope, str]] = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ("id", "spec", "state", "attempts", "create_time", "ready_time", "finish_time", "remove_time", "lease", "errors", "result", "body_bytes", "delayed_until")
    ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    READY_TIME_FIELD_NUMBER: _ClassVar[int]
    FINISH_TIME_FIELD_NUMBER: _ClassVar[int]
    REMOVE_TIME_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    DELAYED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    id: str
    spec: JobSpec
    state: JobState
    attempts: int
    create_time: _timestamp_pb2.Timestamp
    ready_time: _timestamp_pb2.Timestamp
    finish_time: _timestamp_pb2.Timestamp
    remove_time: _timestamp_pb2.Timestamp
    lease: Lease
    errors: _containers.RepeatedCompositeFieldContainer[AttemptError]
    result: bytes
    body_bytes: int
    delayed_until: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., spec: _Optional[_Union[JobSpec, _Mapping]] = ..., state: _Optional[_Union[JobState, str]] = ..., attempts: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ready_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finish_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., remove_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., lease: _Optional[_Union[Lease, _Mapping]] = ..., errors: _Optional[_Iterable[_Union[AttemptError, _Mapping]]] = ..., result: _Optional[bytes] = ..., body_bytes: _Optional[int] = ..., delayed_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AttemptError(_message.Message):
    __slots__ = ("attempt", "time", "message")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    time: _timestamp_pb2.Timestamp
    message: str
    def __init__(self, attempt: _Optional[int] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., message: _Optional[str] = ...) -> None: ...

class Lease(_message.Message):
    __slots__ = ("id", "job_id", "worker_id", "attempt", "dispatch_time", "expire_time", "duration", "cancel_requested")
    ID_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    CANCEL_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    id: str
    job_id: str
    worker_id: str
    attempt: int
    dispatch_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    cancel_requested: bool
    def __init__(self, id: _Optional[str] = ..., job_id: _Optional[str] = ..., worker_id: _Optional[str] = ..., attempt: _Optional[int] = ..., dispatch_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., cancel_requested: bool = ...) -> None: ...

class LeasedJob(_message.Message):
    __slots__ = ("lease", "job")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    lease: Lease
    job: Job
    def __init__(self, lease: _Optional[_Union[Lease, _Mapping]] = ..., job: _Optional[_Union[Job, _Mapping]] = ...) -> None: ...
