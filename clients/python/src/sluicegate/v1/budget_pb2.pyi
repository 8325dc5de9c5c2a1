import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BudgetPolicy(_message.Message):
    __slots__ = ("allocation", "while_in_flight", "time_based", "after", "never")
    ALLOCATION_FIELD_NUMBER: _ClassVar[int]
    WHILE_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    TIME_BASED_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    NEVER_FIELD_NUMBER: _ClassVar[int]
    allocation: int
    while_in_flight: WhileInFlight
    time_based: TimeBased
    after: _duration_pb2.Duration
    never: Never
    def __init__(self, allocation: _Optional[int] = ..., while_in_flight: _Optional[_Union[WhileInFlight, _Mapping]] = ..., time_based: _Optional[_Union[TimeBased, _Mapping]] = ..., after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., never: _Optional[_Union[Never, _Mapping]] = ...) -> None: ...

class WhileInFlight(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TimeBased(_message.Message):
    __slots__ = ("duration", "burst")
    DURATION_FIELD_NUMBER: _ClassVar[int]
    BURST_FIELD_NUMBER: _ClassVar[int]
    duration: _duration_pb2.Duration
    burst: int
    def __init__(self, duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., burst: _Optional[int] = ...) -> None: ...

class Never(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Budget(_message.Message):
    __slots__ = ("key", "policy", "create_time", "update_time", "etag", "status")
    KEY_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    key: str
    policy: BudgetPolicy
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    etag: str
    status: BudgetStatus
    def __init__(self, key: _Optional[str] = ..., policy: _Optional[_Union[BudgetPolicy, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., etag: _Optional[str] = ..., status: _Optional[_Union[BudgetStatus, _Mapping]] = ...) -> None: ...

class BudgetStatus(_message.Message):
    __slots__ = ("available", "capacity", "in_flight_cost", "in_flight_jobs", "parked_jobs", "bound_jobs", "next_token_time", "blocked", "blocked_until")
    AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    IN_FLIGHT_COST_FIELD_NUMBER: _ClassVar[int]
    IN_FLIGHT_JOBS_FIELD_NUMBER: _ClassVar[int]
    PARKED_JOBS_FIELD_NUMBER: _ClassVar[int]
    BOUND_JOBS_FIELD_NUMBER: _ClassVar[int]
    NEXT_TOKEN_TIME_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    available: int
    capacity: int
    in_flight_cost: int
    in_flight_jobs: int
    parked_jobs: int
    bound_jobs: int
    next_token_time: _timestamp_pb2.Timestamp
    blocked: bool
    blocked_until: _timestamp_pb2.Timestamp
    def __init__(self, available: _Optional[int] = ..., capacity: _Optional[int] = ..., in_flight_cost: _Optional[int] = ..., in_flight_jobs: _Optional[int] = ..., parked_jobs: _Optional[int] = ..., bound_jobs: _Optional[int] = ..., next_token_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., blocked: bool = ..., blocked_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Binding(_message.Message):
    __slots__ = ("budget", "cost", "create_with")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    CREATE_WITH_FIELD_NUMBER: _ClassVar[int]
    budget: str
    cost: int
    create_with: BudgetPolicy
    def __init__(self, budget: _Optional[str] = ..., cost: _Optional[int] = ..., create_with: _Optional[_Union[BudgetPolicy, _Mapping]] = ...) -> None: ...
