"""Leases without a worker: how they end, and what became of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

from . import _wire
from .errors import ServerError, of_reason
from .job import JobValue
from .outcome import Discard, Failure, Outcome, Release, Success, Throttled
from .v1 import error_reason_pb2
from .v1 import settle_pb2 as pb

#: What the server keeps of a failure's message, in bytes.
_ERROR_BYTES_MAX = 4096


@dataclass(frozen=True)
class LeasedJob(JobValue):
    """A job that was leased, whole, with its lease."""

    @property
    def lease_id(self) -> str:
        """The lease's id."""
        return self.lease.id if self.lease else ""

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1."""
        return self.lease.attempt if self.lease else 0


@dataclass(frozen=True)
class Settlement:
    """How one lease is to end."""

    #: :attr:`Lease.id`.
    lease_id: str
    #: How the attempt ended.
    outcome: Outcome
    #: The costs actually used, in tokens, by budget (semantics 9.1). 0 says that nothing was started.
    usage: Mapping[str, int] = field(default_factory=dict)
    #: For how long budgets are to dispatch nothing (semantics 9.3). Each 0 to 24 h.
    throttled: Mapping[str, timedelta] = field(default_factory=dict)

    def to_wire(self) -> pb.SettleOutcome:
        """The settlement as the contract's message."""
        wire = pb.SettleOutcome(lease_id=self.lease_id)
        throttled = dict(self.throttled)
        outcome = self.outcome
        if isinstance(outcome, Success):
            wire.success.result = outcome.result
        elif isinstance(outcome, Failure):
            wire.failure.error = error_text(outcome.message)
            if outcome.retry_after is not None:
                wire.failure.retry_after.CopyFrom(_wire.duration("retry_after", outcome.retry_after))
        elif isinstance(outcome, Discard):
            wire.failure.error = error_text(outcome.message)
            wire.failure.discard = True
        elif isinstance(outcome, Release):
            wire.release.SetInParent()
            if outcome.delay is not None:
                wire.release.delay.CopyFrom(_wire.duration("delay", outcome.delay))
        else:
            wire.release.SetInParent()
            throttled.setdefault(outcome.key, outcome.retry_after)
        for key, used in sorted(self.usage.items()):
            wire.usage.add(budget=_wire.valid_text(key), cost=_wire.uint("usage", used))
        for key, retry_after in sorted(throttled.items()):
            wire.throttled.add(budget=_wire.valid_text(key), retry_after=_wire.duration("retry_after", retry_after))
        return wire


def error_text(message: str) -> str:
    """UTF-8, cut at a character where the server would cut it too, so that no message bursts a frame."""
    data = _wire.valid_text(message).encode()
    return data[:_ERROR_BYTES_MAX].decode(errors="ignore")


class SettleStatus(Enum):
    """Whether a lease was settled (semantics 5.4)."""

    #: Of a newer server.
    UNKNOWN = 0
    #: It has ended as the outcome says, and that is on disk.
    SETTLED = 1
    #: A harmless repeat.
    ALREADY_SETTLED = 2
    #: The lease ended otherwise.
    LOST = 3
    #: It isn't live, and its end is no longer known.
    GONE = 4
    #: The outcome breaks a bound; nothing has changed.
    INVALID = 5

    @classmethod
    def _missing_(cls, value: object) -> SettleStatus:
        del value
        return cls.UNKNOWN


@dataclass(frozen=True)
class SettleResult:
    """What became of a :class:`Settlement`."""

    lease_id: str
    status: SettleStatus
    #: Whether a result wasn't kept, since the job's retention wouldn't keep it.
    result_dropped: bool
    #: With INVALID: what was wrong.
    error: ServerError | None


def settle_result_from_wire(wire: pb.SettleResult) -> SettleResult:
    """The result of an answer."""
    error: ServerError | None = None
    if wire.HasField("error"):
        name = error_reason_pb2.ErrorReason.Name(wire.error.reason).removeprefix("ERROR_REASON_")
        error = of_reason(name, wire.error.message, wire.error.field)
    return SettleResult(wire.lease_id, SettleStatus(wire.status), wire.result_dropped, error)


class ExtendStatus(Enum):
    """Whether a lease was extended (semantics 5.4)."""

    #: Of a newer server.
    UNKNOWN = 0
    #: It lives on.
    EXTENDED = 1
    #: It was settled before.
    ALREADY_SETTLED = 2
    #: It ended otherwise: the work on it should stop.
    LOST = 3
    #: It isn't live, and its end is no longer known.
    GONE = 4

    @classmethod
    def _missing_(cls, value: object) -> ExtendStatus:
        del value
        return cls.UNKNOWN


@dataclass(frozen=True)
class ExtendResult:
    """What became of one lease's extension."""

    lease_id: str
    status: ExtendStatus
    #: When the lease ends unless it is extended again; None where it wasn't extended.
    expire_time: datetime | None
    #: Whether the job was cancelled, so that the work should stop and be settled (semantics 6.1).
    cancel_requested: bool


def extend_result_from_wire(wire: pb.ExtendResult) -> ExtendResult:
    """The result of an answer."""
    expire_time = _wire.instant(wire.expire_time) if wire.HasField("expire_time") else None
    return ExtendResult(wire.lease_id, ExtendStatus(wire.status), expire_time, wire.cancel_requested)


__all__ = [
    "Discard",
    "ExtendResult",
    "ExtendStatus",
    "Failure",
    "LeasedJob",
    "Release",
    "SettleResult",
    "SettleStatus",
    "Settlement",
    "Success",
    "Throttled",
]
