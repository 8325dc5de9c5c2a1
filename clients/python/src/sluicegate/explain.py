"""Why a job isn't being dispatched (semantics 12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from . import _wire
from .job import JobState, Lease, lease_from_wire
from .v1 import explain_pb2 as pb


class HoldUp(Enum):
    """What a job waits for."""

    #: Of a newer server.
    UNKNOWN = 0
    #: It is scheduled.
    NOT_READY = 1
    #: Its queue is paused.
    QUEUE_PAUSED = 2
    #: No worker serves its queue.
    NO_WORKER = 3
    #: No worker of its queue has room.
    NO_ROOM = 4
    #: It is larger than what the workers of its queue take.
    TOO_LARGE = 5
    #: A budget can't pay for it.
    BUDGET = 6

    @classmethod
    def _missing_(cls, value: object) -> HoldUp:
        del value
        return cls.UNKNOWN


@dataclass(frozen=True)
class BudgetExplanation:
    """What one of its budgets says of a job."""

    #: The budget's key.
    key: str
    #: What the job would debit, in tokens.
    cost: int
    #: What a dispatch could take, in tokens; negative while in debt.
    available: int
    #: Whether it holds the job up.
    holds_up: bool
    #: Whether it dispatches nothing now.
    blocked: bool
    #: None where it isn't blocked, and where it is until unblocked.
    blocked_until: datetime | None
    #: Jobs in flight that hold its tokens: the first few.
    held_by_job_ids: tuple[str, ...]
    #: How many these are in all.
    held_by_total: int
    #: Jobs that it will pay for before this one.
    waiters_ahead: int
    #: Tokens set aside for a job that was passed over (semantics 4.4).
    set_aside: int
    #: That job; None where there is none.
    set_aside_for_job_id: str | None
    #: Whether the explained job is the one that is protected.
    protected: bool
    #: When the drip alone could pay at the earliest; None where that can't be said.
    not_before: datetime | None


@dataclass(frozen=True)
class QueueExplanation:
    """What its queue says of a job."""

    name: str
    paused: bool
    #: Workers that serve it now.
    workers: int
    #: Those of them with room for a job.
    workers_with_room: int
    #: Those that don't take jobs of this size.
    workers_too_small: int


@dataclass(frozen=True)
class Explanation:
    """Why a job isn't being dispatched, at the instant of the answer."""

    job_id: str
    state: JobState
    #: The server's time.
    explain_time: datetime
    #: When it became ready, or will.
    ready_time: datetime | None
    #: All that holds it up; empty where nothing does.
    hold_ups: tuple[HoldUp, ...]
    #: What each of its budgets says.
    budgets: tuple[BudgetExplanation, ...]
    #: When it could be dispatched at the earliest, as far as time alone says; None where that can't be said.
    not_before: datetime | None
    #: What its queue says.
    queue: QueueExplanation
    #: The live one; None unless the job is in flight.
    lease: Lease | None


def explanation_from_wire(wire: pb.JobExplanation) -> Explanation:
    """The explanation of an answer."""
    queue = wire.queue
    return Explanation(
        job_id=wire.job_id,
        state=JobState(wire.state),
        explain_time=_wire.instant(wire.explain_time),
        ready_time=_wire.instant(wire.ready_time) if wire.HasField("ready_time") else None,
        hold_ups=tuple(HoldUp(found) for found in wire.hold_ups),
        budgets=tuple(_budget(found) for found in wire.budgets),
        not_before=_wire.instant(wire.not_before) if wire.HasField("not_before") else None,
        queue=QueueExplanation(queue.name, queue.paused, queue.workers, queue.workers_with_room, queue.workers_too_small),
        lease=lease_from_wire(wire.lease) if wire.HasField("lease") else None,
    )


def _budget(wire: pb.BudgetExplanation) -> BudgetExplanation:
    return BudgetExplanation(
        key=wire.budget,
        cost=wire.cost,
        available=wire.available,
        holds_up=wire.holds_up,
        blocked=wire.blocked,
        blocked_until=_wire.instant(wire.blocked_until) if wire.HasField("blocked_until") else None,
        held_by_job_ids=tuple(wire.held_by_job_ids),
        held_by_total=wire.held_by_total,
        waiters_ahead=wire.waiters_ahead,
        set_aside=wire.set_aside,
        set_aside_for_job_id=wire.set_aside_for_job_id or None,
        protected=wire.protected,
        not_before=_wire.instant(wire.not_before) if wire.HasField("not_before") else None,
    )
