import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from sluicegate.v1 import job_pb2 as _job_pb2
from sluicegate.v1 import settle_pb2 as _settle_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RevokeReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REVOKE_REASON_UNSPECIFIED: _ClassVar[RevokeReason]
    REVOKE_REASON_EXPIRED: _ClassVar[RevokeReason]
    REVOKE_REASON_TIMED_OUT: _ClassVar[RevokeReason]
    REVOKE_REASON_CANCEL_REQUESTED: _ClassVar[RevokeReason]
    REVOKE_REASON_FORCE_CANCELLED: _ClassVar[RevokeReason]
    REVOKE_REASON_ENDED_ELSEWHERE: _ClassVar[RevokeReason]
REVOKE_REASON_UNSPECIFIED: RevokeReason
REVOKE_REASON_EXPIRED: RevokeReason
REVOKE_REASON_TIMED_OUT: RevokeReason
REVOKE_REASON_CANCEL_REQUESTED: RevokeReason
REVOKE_REASON_FORCE_CANCELLED: RevokeReason
REVOKE_REASON_ENDED_ELSEWHERE: RevokeReason

class DispatchRequest(_message.Message):
    __slots__ = ("hello", "window", "received", "settle", "extend", "leaving", "ping")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    EXTEND_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    hello: WorkerHello
    window: Window
    received: LeasesReceived
    settle: SettleLeases
    extend: ExtendLeases
    leaving: WorkerLeaving
    ping: Ping
    def __init__(self, hello: _Optional[_Union[WorkerHello, _Mapping]] = ..., window: _Optional[_Union[Window, _Mapping]] = ..., received: _Optional[_Union[LeasesReceived, _Mapping]] = ..., settle: _Optional[_Union[SettleLeases, _Mapping]] = ..., extend: _Optional[_Union[ExtendLeases, _Mapping]] = ..., leaving: _Optional[_Union[WorkerLeaving, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ...) -> None: ...

class DispatchResponse(_message.Message):
    __slots__ = ("welcome", "jobs", "settled", "extended", "revoked", "draining", "ping")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    EXTENDED_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    jobs: JobsPushed
    settled: LeasesSettled
    extended: LeasesExtended
    revoked: LeasesRevoked
    draining: ServerDraining
    ping: Ping
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., jobs: _Optional[_Union[JobsPushed, _Mapping]] = ..., settled: _Optional[_Union[LeasesSettled, _Mapping]] = ..., extended: _Optional[_Union[LeasesExtended, _Mapping]] = ..., revoked: _Optional[_Union[LeasesRevoked, _Mapping]] = ..., draining: _Optional[_Union[ServerDraining, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ...) -> None: ...

class WorkerHello(_message.Message):
    __slots__ = ("worker_id", "queues", "window", "lease_duration", "held_leases", "confirms_receipt", "ping_interval", "max_message_bytes", "client")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    HELD_LEASES_FIELD_NUMBER: _ClassVar[int]
    CONFIRMS_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    PING_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    queues: _containers.RepeatedCompositeFieldContainer[WorkerQueue]
    window: Window
    lease_duration: _duration_pb2.Duration
    held_leases: HeldLeases
    confirms_receipt: bool
    ping_interval: _duration_pb2.Duration
    max_message_bytes: int
    client: ClientInfo
    def __init__(self, worker_id: _Optional[str] = ..., queues: _Optional[_Iterable[_Union[WorkerQueue, _Mapping]]] = ..., window: _Optional[_Union[Window, _Mapping]] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., held_leases: _Optional[_Union[HeldLeases, _Mapping]] = ..., confirms_receipt: bool = ..., ping_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_message_bytes: _Optional[int] = ..., client: _Optional[_Union[ClientInfo, _Mapping]] = ...) -> None: ...

class WorkerQueue(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class HeldLeases(_message.Message):
    __slots__ = ("lease_ids",)
    LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    lease_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, lease_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ClientInfo(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class Window(_message.Message):
    __slots__ = ("max_jobs", "max_bytes")
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    max_jobs: int
    max_bytes: int
    def __init__(self, max_jobs: _Optional[int] = ..., max_bytes: _Optional[int] = ...) -> None: ...

class LeasesReceived(_message.Message):
    __slots__ = ("lease_ids",)
    LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    lease_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, lease_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class SettleLeases(_message.Message):
    __slots__ = ("outcomes",)
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    outcomes: _containers.RepeatedCompositeFieldContainer[_settle_pb2.SettleOutcome]
    def __init__(self, outcomes: _Optional[_Iterable[_Union[_settle_pb2.SettleOutcome, _Mapping]]] = ...) -> None: ...

class ExtendLeases(_message.Message):
    __slots__ = ("lease_ids",)
    LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    lease_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, lease_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class WorkerLeaving(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Ping(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("session_id", "server_version", "limits", "features", "lease_duration", "ping_interval", "resumed_lease_ids", "lost_lease_ids")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    PING_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    RESUMED_LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    LOST_LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    server_version: str
    limits: ServerLimits
    features: _containers.RepeatedScalarFieldContainer[str]
    lease_duration: _duration_pb2.Duration
    ping_interval: _duration_pb2.Duration
    resumed_lease_ids: _containers.RepeatedScalarFieldContainer[str]
    lost_lease_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session_id: _Optional[str] = ..., server_version: _Optional[str] = ..., limits: _Optional[_Union[ServerLimits, _Mapping]] = ..., features: _Optional[_Iterable[str]] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., ping_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., resumed_lease_ids: _Optional[_Iterable[str]] = ..., lost_lease_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ServerLimits(_message.Message):
    __slots__ = ("max_payload_bytes", "max_request_bytes", "max_batch_jobs", "max_lease_batch")
    MAX_PAYLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_JOBS_FIELD_NUMBER: _ClassVar[int]
    MAX_LEASE_BATCH_FIELD_NUMBER: _ClassVar[int]
    max_payload_bytes: int
    max_request_bytes: int
    max_batch_jobs: int
    max_lease_batch: int
    def __init__(self, max_payload_bytes: _Optional[int] = ..., max_request_bytes: _Optional[int] = ..., max_batch_jobs: _Optional[int] = ..., max_lease_batch: _Optional[int] = ...) -> None: ...

class JobsPushed(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.LeasedJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.LeasedJob, _Mapping]]] = ...) -> None: ...

class LeasesSettled(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_settle_pb2.SettleResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_settle_pb2.SettleResult, _Mapping]]] = ...) -> None: ...

class LeasesExtended(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_settle_pb2.ExtendResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_settle_pb2.ExtendResult, _Mapping]]] = ...) -> None: ...

class LeasesRevoked(_message.Message):
    __slots__ = ("lease_ids", "reason")
    LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    lease_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: RevokeReason
    def __init__(self, lease_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[_Union[RevokeReason, str]] = ...) -> None: ...

class ServerDraining(_message.Message):
    __slots__ = ("grace", "reconnect_after")
    GRACE_FIELD_NUMBER: _ClassVar[int]
    RECONNECT_AFTER_FIELD_NUMBER: _ClassVar[int]
    grace: _duration_pb2.Duration
    reconnect_after: _duration_pb2.Duration
    def __init__(self, grace: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., reconnect_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
