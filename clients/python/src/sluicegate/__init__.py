"""Client of Sluicegate, the job server that holds rate and concurrency limits itself.

:class:`Client` talks to a server, :class:`Worker` does jobs, :class:`SyncClient` is a producer without asyncio.
:mod:`sluicegate.errors` has an error for each reason, :mod:`sluicegate.v1` the contract's messages as they are generated.
"""

from .budget import Budget
from .client import BatchEnqueued, Client, Enqueued, Job
from .errors import ClientError, ConflictError, ServerError, SluicegateError, UnavailableError
from .explain import BudgetExplanation, Explanation, HoldUp, QueueExplanation
from .job import (
    AttemptError,
    Backoff,
    BinaryPayload,
    Binding,
    JobState,
    JobValue,
    JsonPayload,
    Lease,
    NewJob,
    Payload,
    Retention,
    Unique,
    UniqueScope,
)
from .lease import ExtendResult, ExtendStatus, LeasedJob, Settlement, SettleResult, SettleStatus
from .outcome import Discard, Failure, Outcome, Release, Success, Throttled
from .policy import NEVER, Policy, PolicyPatch, ReserveAfter, Strategy, StrategyPatch, TimeBased, WhileInFlight
from .queue import Queue
from .selection import Changed, JobPatch, JobSelection
from .sync import SyncClient
from .worker import CancelReason, Handler, JobContext, Worker, WorkerStats

__all__ = [
    "NEVER",
    "AttemptError",
    "Backoff",
    "BatchEnqueued",
    "BinaryPayload",
    "Binding",
    "Budget",
    "BudgetExplanation",
    "CancelReason",
    "Changed",
    "Client",
    "ClientError",
    "ConflictError",
    "Discard",
    "Enqueued",
    "Explanation",
    "ExtendResult",
    "ExtendStatus",
    "Failure",
    "Handler",
    "HoldUp",
    "Job",
    "JobContext",
    "JobPatch",
    "JobSelection",
    "JobState",
    "JobValue",
    "JsonPayload",
    "Lease",
    "LeasedJob",
    "NewJob",
    "Outcome",
    "Payload",
    "Policy",
    "PolicyPatch",
    "Queue",
    "QueueExplanation",
    "Release",
    "ReserveAfter",
    "Retention",
    "ServerError",
    "SettleResult",
    "SettleStatus",
    "Settlement",
    "SluicegateError",
    "Strategy",
    "StrategyPatch",
    "Success",
    "SyncClient",
    "Throttled",
    "TimeBased",
    "UnavailableError",
    "Unique",
    "UniqueScope",
    "WhileInFlight",
    "Worker",
    "WorkerStats",
]
