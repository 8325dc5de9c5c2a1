"""A budget as the server shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from . import _wire
from .policy import Policy, policy_from_wire
from .v1 import budget_pb2 as pb


@dataclass(frozen=True)
class Budget:
    """A named pool of tokens, with its terms and what it was doing at the instant of the answer."""

    #: Its name, unique in the server.
    key: str
    #: Its terms as they were set: defaults are not filled in.
    policy: Policy
    #: When it was created; a replacement keeps it.
    create_time: datetime
    #: When its policy last changed.
    update_time: datetime
    #: Changes whenever the policy does, and only then. Opaque.
    etag: str
    #: The tokens that a dispatch could take, rounded down. Negative while a debt is paid off (semantics 9.2), or after a
    #: shrink below what is in flight (7.2).
    available: int
    #: The most tokens the pool can hold.
    capacity: int
    #: The sum of the costs of the jobs in flight that are bound to it.
    in_flight_cost: int
    #: How many these are.
    in_flight_jobs: int
    #: The ready jobs that it could not pay for when they were last tried.
    parked_jobs: int
    #: The unfinished jobs that are bound to it.
    bound_jobs: int
    #: When the drip alone will have added a token; None for a full pool and for one while in flight.
    next_token_time: datetime | None
    #: Whether it dispatches nothing now, by an operator or by a worker's report (semantics 9.3, 9.4).
    blocked: bool
    #: None where it isn't blocked, and where it is until unblocked.
    blocked_until: datetime | None


def budget_from_wire(wire: pb.Budget) -> Budget:
    """The budget of an answer."""
    status = wire.status
    return Budget(
        key=wire.key,
        policy=policy_from_wire(wire.policy),
        create_time=_wire.instant(wire.create_time),
        update_time=_wire.instant(wire.update_time),
        etag=wire.etag,
        available=status.available,
        capacity=status.capacity,
        in_flight_cost=status.in_flight_cost,
        in_flight_jobs=status.in_flight_jobs,
        parked_jobs=status.parked_jobs,
        bound_jobs=status.bound_jobs,
        next_token_time=_wire.instant(status.next_token_time) if status.HasField("next_token_time") else None,
        blocked=status.blocked,
        blocked_until=_wire.instant(status.blocked_until) if status.HasField("blocked_until") else None,
    )
