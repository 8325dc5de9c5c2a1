"""Errors, one class for each reason of the contract, and how they are read from a call that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import grpc
from google.protobuf.any_pb2 import Any as _Any
from google.rpc import error_details_pb2, status_pb2

_DOMAIN = "sluicegate"
_DETAILS_KEY = "grpc-status-details-bin"


class SluicegateError(Exception):
    """What every error of this package is."""


class ClientError(SluicegateError, ValueError):
    """A call that this package refuses itself; nothing was sent."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        #: What was wrong, where it is one argument.
        self.field = field


@dataclass(frozen=True)
class FieldViolation:
    """A field that the server refused."""

    #: Its path as the contract writes it, such as ``jobs[3].bindings[0].cost``.
    field: str
    #: What is wrong with it.
    description: str


class ServerError(SluicegateError):
    """A call that failed at the server or on the way there. Its subclasses tell why."""

    #: The contract's name of the reason that this class stands for; None where it stands for none.
    REASON: ClassVar[str | None] = None
    #: Whether the same call may succeed later.
    RETRYABLE: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode = grpc.StatusCode.UNKNOWN,
        reason: str | None = None,
        fields: tuple[FieldViolation, ...] = (),
        metadata: Mapping[str, str] | None = None,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(message)
        #: For people; programs decide by the class.
        self.message = message
        #: The gRPC status.
        self.code = code
        #: The server's reason as it came; None where it gave none.
        self.reason = reason
        #: The fields that were refused.
        self.fields = fields
        #: The facts of the reason, such as ``budget``, ``cost``, ``capacity``, ``job_id``.
        self.metadata: Mapping[str, str] = metadata or {}
        #: How long the server asks callers to wait before they try again; None where it doesn't say.
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later.

        After :class:`StoreUnavailableError` and :class:`UnavailableError` it may have taken effect already: repeat an
        enqueue only with its request id.
        """
        return self.RETRYABLE


class InvalidFieldError(ServerError):
    """A field is missing or outside its bounds; ``fields`` names each."""

    REASON = "INVALID_FIELD"


class ConflictError(ServerError):
    """The budget exists, and keeps its policy (semantics 7.1). Facts: budget."""

    REASON = "BUDGET_ALREADY_EXISTS"


class AlreadyBoundError(ServerError):
    """The job is bound to the budget (semantics 8.1). Facts: budget, job_id."""

    REASON = "ALREADY_BOUND"


class BudgetNotFoundError(ServerError):
    """There is no such budget, whether asked for or named by a binding (semantics 3.3). Facts: budget."""

    REASON = "BUDGET_NOT_FOUND"


class JobNotFoundError(ServerError):
    """There is no such job; it may have been removed. Facts: job_id."""

    REASON = "JOB_NOT_FOUND"


class NotBoundError(ServerError):
    """The job isn't bound to the budget (semantics 8.1). Facts: budget, job_id."""

    REASON = "NOT_BOUND"


class QueueNotFoundError(ServerError):
    """There is no such queue. Facts: queue."""

    REASON = "QUEUE_NOT_FOUND"


class CostExceedsCapacityError(ServerError):
    """A cost is above a budget's capacity (semantics 3.2, 7.4).

    Facts: budget, cost, capacity; of a policy change also job_ids (up to 10, separated by commas) and total.
    """

    REASON = "COST_EXCEEDS_CAPACITY"


class BudgetInUseError(ServerError):
    """Unfinished jobs are bound to the budget (semantics 7.5). Facts: budget, total."""

    REASON = "BUDGET_IN_USE"


class JobInFlightError(ServerError):
    """The job is in flight, where its bindings never change (semantics 3.5). Facts: job_id."""

    REASON = "JOB_IN_FLIGHT"


class JobFinishedError(ServerError):
    """The job is over. Facts: job_id, state."""

    REASON = "JOB_FINISHED"


class EtagMismatchError(ServerError):
    """The policy was changed since its etag was read. Facts: budget, etag (the one it has)."""

    REASON = "ETAG_MISMATCH"


class SessionSupersededError(ServerError):
    """A newer worker took over the id of this one, which must not come back. Facts: worker_id."""

    REASON = "SESSION_SUPERSEDED"


class BudgetLimitReachedError(ServerError):
    """The server has all the budgets it may have. Facts: limit."""

    REASON = "BUDGET_LIMIT_REACHED"


class OverloadedError(ServerError):
    """Too much is stored, open or waiting at once. Nothing was done. Facts: limit, what."""

    REASON = "OVERLOADED"
    RETRYABLE = True


class StoreUnavailableError(ServerError):
    """A commit failed. Whether the call took effect is unknown: repeat it with the same request id (semantics 10.3)."""

    REASON = "STORE_UNAVAILABLE"
    RETRYABLE = True


class DrainingError(ServerError):
    """The server is shutting down, and did nothing."""

    REASON = "DRAINING"
    RETRYABLE = True


class UnavailableError(ServerError):
    """The server couldn't be reached, or the connection broke. Whether the call took effect is unknown."""

    RETRYABLE = True


_BY_REASON: Mapping[str, type[ServerError]] = {
    known.REASON: known for known in ServerError.__subclasses__() if known.REASON is not None
}


def from_rpc(error: grpc.RpcError) -> ServerError:
    """Reads a call's failure. Details that an older or newer server leaves out are empty."""
    code = error.code() if isinstance(error, (grpc.Call, grpc.aio.AioRpcError)) else grpc.StatusCode.UNKNOWN
    message = (error.details() if isinstance(error, (grpc.Call, grpc.aio.AioRpcError)) else None) or ""
    reason: str | None = None
    metadata: dict[str, str] = {}
    fields: tuple[FieldViolation, ...] = ()
    retry_after: timedelta | None = None
    for detail in _details(error):
        info = error_details_pb2.ErrorInfo()
        bad = error_details_pb2.BadRequest()
        retry = error_details_pb2.RetryInfo()
        if detail.Unpack(info) and info.domain == _DOMAIN:
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(bad):
            fields = tuple(FieldViolation(found.field, found.description) for found in bad.field_violations)
        elif detail.Unpack(retry):
            retry_after = max(retry.retry_delay.ToTimedelta(), timedelta(0))
    if not fields and metadata.get("field"):
        fields = (FieldViolation(metadata["field"], message),)
    kind = _BY_REASON.get(reason or "", ServerError)
    if reason is None and code == grpc.StatusCode.UNAVAILABLE:
        kind = UnavailableError
    return kind(
        message or code.name,
        code=code,
        reason=reason,
        fields=fields,
        metadata=metadata,
        retry_after=retry_after,
    )


def of_reason(reason: str, message: str, field: str) -> ServerError:
    """The error of one lease of many."""
    fields = (FieldViolation(field, message),) if field else ()
    return _BY_REASON.get(reason, ServerError)(message, reason=reason, fields=fields)


def _details(error: grpc.RpcError) -> list[_Any]:
    if not isinstance(error, (grpc.Call, grpc.aio.AioRpcError)):
        return []
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            status = status_pb2.Status()
            try:
                status.ParseFromString(value)
            except ValueError:
                return []
            return list(status.details)
    return []
