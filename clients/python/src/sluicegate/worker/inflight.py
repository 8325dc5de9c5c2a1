"""What a worker holds: leases that wait for their handler, have one, or have a settlement that isn't confirmed.

Pure: time and randomness come from outside, and what is to be sent or stopped goes back as data. Knows no stream and no
handler. Instants are seconds of one monotonic clock.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto

from sluicegate.lease import LeasedJob, Settlement
from sluicegate.outcome import Release
from sluicegate.v1 import dispatch_pb2, settle_pb2

from .context import CancelReason

#: How long settlements and receipts are gathered at most, before they are sent together.
_GATHER_S = 0.01
#: How many of them are sent at once, however short they were gathered.
_GATHERED_MAX = 100
#: The shortest lease of the contract. A server that says less isn't asked for extensions without end.
_LEASE_MIN_S = 1.0

#: A handler to stop: one that has been started, or one that must not be any more.
Stop = tuple[str, CancelReason]


class _Stage(Enum):
    WAITING = auto()
    STARTED = auto()
    #: Over here, and not confirmed by the server.
    SETTLING = auto()


@dataclass
class _Held:
    stage: _Stage
    #: To be told that nothing was used of them, if the job is never started.
    budgets: tuple[str, ...]
    #: What an extension is worth.
    duration_s: float
    #: When it is to be extended next; infinity where it isn't any more.
    extend_at: float
    #: From when on it isn't extended any more.
    extend_until: float
    outcome: settle_pb2.SettleOutcome | None = None
    #: Whether the server has refused its settlement before, as invalid.
    refused: bool = False


class Confirmation(Enum):
    """What the server made of a settlement."""

    #: It is settled, by this or an earlier settlement.
    SETTLED = auto()
    #: The lease had ended before.
    TOO_LATE = auto()
    #: It breaks a bound, and is sent again without what is optional.
    RETRIED = auto()
    #: It breaks a bound even so: the lease is left to expire.
    ABANDONED = auto()
    #: The lease isn't known here.
    UNKNOWN = auto()


class InFlight:
    """All leases of a worker, and what is to be said about them."""

    def __init__(self, total_max_s: float, uniform: Callable[[float, float], float]) -> None:
        """Holds nothing. ``total_max_s`` after its receipt a lease isn't extended any more; ``uniform`` draws jitter."""
        self._total_max_s = total_max_s
        self._uniform = uniform
        self._held: dict[str, _Held] = {}
        self._started = 0
        # When which lease is to be extended; an entry that isn't the lease's own instant any more says nothing.
        self._extensions: list[tuple[float, str]] = []
        self._unsent: deque[str] = deque()
        self._unsent_since = math.inf
        self._unanswered = 0
        self._unconfirmed: deque[str] = deque()
        self._unconfirmed_since = math.inf

    def __len__(self) -> int:
        """How many leases are held, whatever their stage."""
        return len(self._held)

    @property
    def started(self) -> int:
        """How many have a handler."""
        return self._started

    def lease_ids(self) -> list[str]:
        """The ids of all, for a Hello (semantics 5.2)."""
        return list(self._held)

    def pushed(self, job: LeasedJob, now: float) -> bool:
        """Takes in a pushed job, which waits. False if the lease is held already."""
        lease = job.lease
        if lease is None or lease.id in self._held:
            return False
        duration_s = max(lease.duration.total_seconds(), _LEASE_MIN_S)
        budgets = tuple(binding.key for binding in job.budgets)
        held = _Held(_Stage.WAITING, budgets, duration_s, math.inf, now + self._total_max_s)
        self._held[lease.id] = held
        self._schedule(lease.id, held, now + self._third(duration_s))
        self._unconfirmed_since = min(self._unconfirmed_since, now)
        self._unconfirmed.append(lease.id)
        return True

    def start(self, lease_id: str) -> bool:
        """The job's handler is being started. False if the lease doesn't wait any more."""
        held = self._held.get(lease_id)
        if held is None or held.stage is not _Stage.WAITING:
            return False
        held.stage = _Stage.STARTED
        self._started += 1
        return True

    def settle(self, lease_id: str, outcome: settle_pb2.SettleOutcome, now: float) -> bool:
        """The job's handler has ended. False, and the outcome is dropped, if the lease was lost meanwhile."""
        held = self._held.get(lease_id)
        if held is None or held.stage is _Stage.SETTLING:
            return False
        if held.stage is _Stage.STARTED:
            self._started -= 1
        held.stage, held.outcome, held.extend_at = _Stage.SETTLING, outcome, math.inf
        self._unsent_since = min(self._unsent_since, now)
        self._unsent.append(lease_id)
        return True

    def release(self, lease_id: str, now: float) -> bool:
        """Gives back a job that was never started: nothing of its budgets was used (semantics 6.2)."""
        held = self._held.get(lease_id)
        if held is None or held.stage is not _Stage.WAITING:
            return False
        unused = Settlement(lease_id, Release(), usage=dict.fromkeys(held.budgets, 0))
        return self.settle(lease_id, unused.to_wire(), now)

    def release_waiting(self, now: float) -> int:
        """Gives back all jobs that wait, and says how many."""
        return sum(self.release(lease_id, now) for lease_id in list(self._held))

    @property
    def settle_due(self) -> float:
        """When settlements are to be sent: at once while none is unanswered or many have come up; else they are gathered."""
        at_once = self._unanswered == 0 or len(self._unsent) >= _GATHERED_MAX
        return self._unsent_since if at_once else self._unsent_since + _GATHER_S

    def take_settlements(self, count_max: int, bytes_max: int) -> list[settle_pb2.SettleOutcome]:
        """Takes settlements to send, up to a number and an encoded size, but one at least if there is one."""
        taken: list[settle_pb2.SettleOutcome] = []
        size = 0
        while self._unsent and len(taken) < count_max:
            held = self._held.get(self._unsent[0])
            if held is not None and held.outcome is not None:
                size += held.outcome.ByteSize()
                if size > bytes_max and taken:
                    break
                taken.append(held.outcome)
            self._unsent.popleft()
        if not self._unsent:
            self._unsent_since = math.inf
        self._unanswered += len(taken)
        return taken

    def confirmed(self, result: settle_pb2.SettleResult, now: float) -> Confirmation:
        """What the server says of a settlement that was sent."""
        self._unanswered = max(self._unanswered - 1, 0)
        held = self._held.get(result.lease_id)
        if held is None or held.outcome is None:
            return Confirmation.UNKNOWN
        if result.status == settle_pb2.SETTLE_STATUS_INVALID and not held.refused:
            held.outcome, held.refused = without_options(held.outcome), True
            self._unsent_since = min(self._unsent_since, now)
            self._unsent.append(result.lease_id)
            return Confirmation.RETRIED
        del self._held[result.lease_id]
        if result.status in (settle_pb2.SETTLE_STATUS_SETTLED, settle_pb2.SETTLE_STATUS_ALREADY_SETTLED):
            return Confirmation.SETTLED
        is_invalid = result.status == settle_pb2.SETTLE_STATUS_INVALID
        return Confirmation.ABANDONED if is_invalid else Confirmation.TOO_LATE

    @property
    def receipts_due(self) -> float:
        """When receipts are to be sent."""
        at_once = len(self._unconfirmed) >= _GATHERED_MAX
        return self._unconfirmed_since if at_once else self._unconfirmed_since + _GATHER_S

    def take_receipts(self, count_max: int) -> list[str]:
        """Takes receipts to send. Leases that have been settled are confirmed by that."""
        taken: list[str] = []
        while self._unconfirmed and len(taken) < count_max:
            lease_id = self._unconfirmed.popleft()
            held = self._held.get(lease_id)
            if held is not None and held.stage is not _Stage.SETTLING:
                taken.append(lease_id)
        if not self._unconfirmed:
            self._unconfirmed_since = math.inf
        return taken

    @property
    def extend_due(self) -> float:
        """When the next lease is to be extended."""
        self._drop_stale()
        return self._extensions[0][0] if self._extensions else math.inf

    def take_extensions(self, now: float, count_max: int) -> list[str]:
        """Takes leases to extend now: those whose time has come, or will within a sixth of their duration."""
        taken: list[str] = []
        while len(taken) < count_max:
            self._drop_stale()
            if not self._extensions:
                break
            at, lease_id = self._extensions[0]
            held = self._held[lease_id]
            if at > now + held.duration_s / 6:
                break
            self._schedule(lease_id, held, now + self._third(held.duration_s))
            taken.append(lease_id)
        return taken

    def extended(self, result: settle_pb2.ExtendResult, now: float) -> Stop | None:
        """What the server says of an extension: perhaps a handler to stop."""
        if result.status != settle_pb2.EXTEND_STATUS_EXTENDED:
            return self._lost(result.lease_id)
        return self._cancel_requested(result.lease_id, now) if result.cancel_requested else None

    def revoked(self, lease_id: str, reason: dispatch_pb2.RevokeReason, now: float) -> Stop | None:
        """The server takes a lease away, or asks to end it: perhaps a handler to stop."""
        if reason == dispatch_pb2.REVOKE_REASON_CANCEL_REQUESTED:
            return self._cancel_requested(lease_id, now)
        return self._lost(lease_id)

    def welcomed(self, lost_lease_ids: Iterable[str], now: float) -> list[Stop]:
        """A stream has begun.

        Everything not confirmed is sent on it, and what is held is extended at once, as nobody knows how much of the leases
        is left. Returns the handlers to stop: those of leases that aren't live any more.
        """
        self._unanswered = 0
        # A Hello that names a lease confirms it.
        self._unconfirmed.clear()
        self._unconfirmed_since = math.inf
        stops = [stop for stop in map(self._lost, lost_lease_ids) if stop is not None]
        for lease_id, held in self._held.items():
            if held.stage is not _Stage.SETTLING:
                self._schedule(lease_id, held, now)
        self._unsent = deque(key for key, held in self._held.items() if held.stage is _Stage.SETTLING)
        self._unsent_since = now if self._unsent else math.inf
        return stops

    def _lost(self, lease_id: str) -> Stop | None:
        """A lease has ended without this worker. One that is being settled stays until that is answered."""
        held = self._held.get(lease_id)
        if held is None or held.stage is _Stage.SETTLING:
            return None
        if held.stage is _Stage.STARTED:
            self._started -= 1
        del self._held[lease_id]
        return lease_id, CancelReason.LEASE_LOST

    def _cancel_requested(self, lease_id: str, now: float) -> Stop | None:
        """A job was cancelled: one that waits is given back, and a handler is asked to stop."""
        held = self._held.get(lease_id)
        if held is None or held.stage is _Stage.SETTLING:
            return None
        self.release(lease_id, now)
        return lease_id, CancelReason.CANCEL_REQUESTED

    def _schedule(self, lease_id: str, held: _Held, at: float) -> None:
        """Moves a lease's next extension, or drops it once its total is used up."""
        held.extend_at = at if at < held.extend_until else math.inf
        if held.extend_at < math.inf:
            heapq.heappush(self._extensions, (at, lease_id))
        if len(self._extensions) > 2 * len(self._held) + 64:
            live = self._held.items()
            self._extensions = [(found.extend_at, key) for key, found in live if found.extend_at < math.inf]
            heapq.heapify(self._extensions)

    def _drop_stale(self) -> None:
        while self._extensions:
            at, lease_id = self._extensions[0]
            held = self._held.get(lease_id)
            if held is not None and held.extend_at == at:
                return
            heapq.heappop(self._extensions)

    def _third(self, duration_s: float) -> float:
        """A third of a lease, less up to a fifth of that, so that workers which started as one don't extend as one."""
        third = duration_s / 3
        return self._uniform(third * 0.8, third)


def without_options(outcome: settle_pb2.SettleOutcome) -> settle_pb2.SettleOutcome:
    """What the job's life depends on, without what the server may have refused."""
    bare = settle_pb2.SettleOutcome(lease_id=outcome.lease_id)
    kind = outcome.WhichOneof("outcome")
    if kind == "success":
        bare.success.SetInParent()
    elif kind == "failure":
        bare.failure.error = outcome.failure.error
        bare.failure.discard = outcome.failure.discard
    else:
        bare.release.SetInParent()
    return bare
