import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from sluicegate.v1 import budget_pb2 as _budget_pb2
from sluicegate.v1 import dispatch_pb2 as _dispatch_pb2
from sluicegate.v1 import explain_pb2 as _explain_pb2
from sluicegate.v1 import job_pb2 as _job_pb2
from sluicegate.v1 import job_filter_pb2 as _job_filter_pb2
from sluicegate.v1 import settle_pb2 as _settle_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EnqueueRequest(_message.Message):
    __slots__ = ("job", "request_id")
    JOB_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.JobSpec
    request_id: str
    def __init__(self, job: _Optional[_Union[_job_pb2.JobSpec, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class EnqueueResponse(_message.Message):
    __slots__ = ("job", "existing")
    JOB_FIELD_NUMBER: _ClassVar[int]
    EXISTING_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    existing: bool
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ..., existing: bool = ...) -> None: ...

class BatchEnqueueRequest(_message.Message):
    __slots__ = ("jobs", "request_id")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.JobSpec]
    request_id: str
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.JobSpec, _Mapping]]] = ..., request_id: _Optional[str] = ...) -> None: ...

class BatchEnqueueResponse(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[EnqueuedJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[EnqueuedJob, _Mapping]]] = ...) -> None: ...

class EnqueuedJob(_message.Message):
    __slots__ = ("id", "existing")
    ID_FIELD_NUMBER: _ClassVar[int]
    EXISTING_FIELD_NUMBER: _ClassVar[int]
    id: str
    existing: bool
    def __init__(self, id: _Optional[str] = ..., existing: bool = ...) -> None: ...

class LeaseJobsRequest(_message.Message):
    __slots__ = ("worker_id", "queues", "max_jobs", "max_bytes", "lease_duration", "wait", "request_id")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    queues: _containers.RepeatedScalarFieldContainer[str]
    max_jobs: int
    max_bytes: int
    lease_duration: _duration_pb2.Duration
    wait: _duration_pb2.Duration
    request_id: str
    def __init__(self, worker_id: _Optional[str] = ..., queues: _Optional[_Iterable[str]] = ..., max_jobs: _Optional[int] = ..., max_bytes: _Optional[int] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class LeaseJobsResponse(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.LeasedJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.LeasedJob, _Mapping]]] = ...) -> None: ...

class SettleJobsRequest(_message.Message):
    __slots__ = ("outcomes",)
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    outcomes: _containers.RepeatedCompositeFieldContainer[_settle_pb2.SettleOutcome]
    def __init__(self, outcomes: _Optional[_Iterable[_Union[_settle_pb2.SettleOutcome, _Mapping]]] = ...) -> None: ...

class SettleJobsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_settle_pb2.SettleResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_settle_pb2.SettleResult, _Mapping]]] = ...) -> None: ...

class ExtendLeasesRequest(_message.Message):
    __slots__ = ("lease_ids",)
    LEASE_IDS_FIELD_NUMBER: _ClassVar[int]
    lease_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, lease_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtendLeasesResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_settle_pb2.ExtendResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_settle_pb2.ExtendResult, _Mapping]]] = ...) -> None: ...

class GetJobRequest(_message.Message):
    __slots__ = ("job_id", "view")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    view: _job_pb2.JobView
    def __init__(self, job_id: _Optional[str] = ..., view: _Optional[_Union[_job_pb2.JobView, str]] = ...) -> None: ...

class GetJobResponse(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ...) -> None: ...

class ListJobsRequest(_message.Message):
    __slots__ = ("filter", "view", "page_size", "page_token")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    view: _job_pb2.JobView
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ..., view: _Optional[_Union[_job_pb2.JobView, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListJobsResponse(_message.Message):
    __slots__ = ("jobs", "next_page_token")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_job_pb2.Job]
    next_page_token: str
    def __init__(self, jobs: _Optional[_Iterable[_Union[_job_pb2.Job, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CountJobsRequest(_message.Message):
    __slots__ = ("filter",)
    FILTER_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ...) -> None: ...

class CountJobsResponse(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class CancelJobsRequest(_message.Message):
    __slots__ = ("filter", "force", "validate_only")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    force: bool
    validate_only: bool
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ..., force: bool = ..., validate_only: bool = ...) -> None: ...

class CancelJobsResponse(_message.Message):
    __slots__ = ("changed", "blocked", "blocked_count")
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_COUNT_FIELD_NUMBER: _ClassVar[int]
    changed: int
    blocked: _containers.RepeatedScalarFieldContainer[str]
    blocked_count: int
    def __init__(self, changed: _Optional[int] = ..., blocked: _Optional[_Iterable[str]] = ..., blocked_count: _Optional[int] = ...) -> None: ...

class RetryJobsRequest(_message.Message):
    __slots__ = ("filter", "validate_only")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    validate_only: bool
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ..., validate_only: bool = ...) -> None: ...

class RetryJobsResponse(_message.Message):
    __slots__ = ("changed", "blocked", "blocked_count")
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_COUNT_FIELD_NUMBER: _ClassVar[int]
    changed: int
    blocked: _containers.RepeatedScalarFieldContainer[str]
    blocked_count: int
    def __init__(self, changed: _Optional[int] = ..., blocked: _Optional[_Iterable[str]] = ..., blocked_count: _Optional[int] = ...) -> None: ...

class DeleteJobsRequest(_message.Message):
    __slots__ = ("filter", "validate_only")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    validate_only: bool
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ..., validate_only: bool = ...) -> None: ...

class DeleteJobsResponse(_message.Message):
    __slots__ = ("changed", "blocked", "blocked_count")
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_COUNT_FIELD_NUMBER: _ClassVar[int]
    changed: int
    blocked: _containers.RepeatedScalarFieldContainer[str]
    blocked_count: int
    def __init__(self, changed: _Optional[int] = ..., blocked: _Optional[_Iterable[str]] = ..., blocked_count: _Optional[int] = ...) -> None: ...

class UpdateJobsRequest(_message.Message):
    __slots__ = ("filter", "job", "update_mask", "validate_only")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    job: _job_pb2.JobSpec
    update_mask: _field_mask_pb2.FieldMask
    validate_only: bool
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ..., job: _Optional[_Union[_job_pb2.JobSpec, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., validate_only: bool = ...) -> None: ...

class UpdateJobsResponse(_message.Message):
    __slots__ = ("changed", "blocked", "blocked_count")
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_COUNT_FIELD_NUMBER: _ClassVar[int]
    changed: int
    blocked: _containers.RepeatedScalarFieldContainer[str]
    blocked_count: int
    def __init__(self, changed: _Optional[int] = ..., blocked: _Optional[_Iterable[str]] = ..., blocked_count: _Optional[int] = ...) -> None: ...

class BindingOperation(_message.Message):
    __slots__ = ("bind", "rebind", "set_cost", "unbind", "unbind_all", "replace_all")
    BIND_FIELD_NUMBER: _ClassVar[int]
    REBIND_FIELD_NUMBER: _ClassVar[int]
    SET_COST_FIELD_NUMBER: _ClassVar[int]
    UNBIND_FIELD_NUMBER: _ClassVar[int]
    UNBIND_ALL_FIELD_NUMBER: _ClassVar[int]
    REPLACE_ALL_FIELD_NUMBER: _ClassVar[int]
    bind: _budget_pb2.Binding
    rebind: _budget_pb2.Binding
    set_cost: SetBindingCost
    unbind: Unbind
    unbind_all: UnbindAll
    replace_all: ReplaceBindings
    def __init__(self, bind: _Optional[_Union[_budget_pb2.Binding, _Mapping]] = ..., rebind: _Optional[_Union[_budget_pb2.Binding, _Mapping]] = ..., set_cost: _Optional[_Union[SetBindingCost, _Mapping]] = ..., unbind: _Optional[_Union[Unbind, _Mapping]] = ..., unbind_all: _Optional[_Union[UnbindAll, _Mapping]] = ..., replace_all: _Optional[_Union[ReplaceBindings, _Mapping]] = ...) -> None: ...

class SetBindingCost(_message.Message):
    __slots__ = ("budget", "cost")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    budget: str
    cost: int
    def __init__(self, budget: _Optional[str] = ..., cost: _Optional[int] = ...) -> None: ...

class Unbind(_message.Message):
    __slots__ = ("budget",)
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    budget: str
    def __init__(self, budget: _Optional[str] = ...) -> None: ...

class UnbindAll(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReplaceBindings(_message.Message):
    __slots__ = ("bindings",)
    BINDINGS_FIELD_NUMBER: _ClassVar[int]
    bindings: _containers.RepeatedCompositeFieldContainer[_budget_pb2.Binding]
    def __init__(self, bindings: _Optional[_Iterable[_Union[_budget_pb2.Binding, _Mapping]]] = ...) -> None: ...

class ModifyBindingsRequest(_message.Message):
    __slots__ = ("job_id", "operation")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    operation: BindingOperation
    def __init__(self, job_id: _Optional[str] = ..., operation: _Optional[_Union[BindingOperation, _Mapping]] = ...) -> None: ...

class ModifyBindingsResponse(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ...) -> None: ...

class BulkModifyBindingsRequest(_message.Message):
    __slots__ = ("filter", "operation", "validate_only")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    filter: _job_filter_pb2.JobFilter
    operation: BindingOperation
    validate_only: bool
    def __init__(self, filter: _Optional[_Union[_job_filter_pb2.JobFilter, _Mapping]] = ..., operation: _Optional[_Union[BindingOperation, _Mapping]] = ..., validate_only: bool = ...) -> None: ...

class BulkModifyBindingsResponse(_message.Message):
    __slots__ = ("changed", "blocked", "blocked_count")
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_COUNT_FIELD_NUMBER: _ClassVar[int]
    changed: int
    blocked: _containers.RepeatedScalarFieldContainer[str]
    blocked_count: int
    def __init__(self, changed: _Optional[int] = ..., blocked: _Optional[_Iterable[str]] = ..., blocked_count: _Optional[int] = ...) -> None: ...

class ExplainJobRequest(_message.Message):
    __slots__ = ("job_id",)
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    def __init__(self, job_id: _Optional[str] = ...) -> None: ...

class ExplainJobResponse(_message.Message):
    __slots__ = ("explanation",)
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    explanation: _explain_pb2.JobExplanation
    def __init__(self, explanation: _Optional[_Union[_explain_pb2.JobExplanation, _Mapping]] = ...) -> None: ...
