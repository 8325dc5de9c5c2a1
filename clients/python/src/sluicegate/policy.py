"""The terms of a budget: how many tokens, how they come back, and how long a job may be passed over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Final, Literal

from google.protobuf.field_mask_pb2 import FieldMask

from . import _wire
from .errors import ClientError
from .v1 import budget_pb2 as pb


@dataclass(frozen=True)
class WhileInFlight:
    """Tokens come back when the lease ends, however it ends: limits how much is in flight at once (semantics 2.1)."""


@dataclass(frozen=True)
class TimeBased:
    """Tokens drip in continuously, the allocation of them per duration: limits the rate (semantics 2.2)."""

    #: The time in which the allocation drips. 1 ms to 366 d.
    duration: timedelta
    #: The most tokens the pool may hold. 1 to 10^12; None: the allocation.
    burst: int | None = None


#: How a budget's tokens come back: one of these, and nothing else.
Strategy = WhileInFlight | TimeBased


class _Never(Enum):
    NEVER = "never"


#: Sets nothing aside on the budget.
NEVER: Final = _Never.NEVER

#: When a job that was passed over on a budget is protected, so that its cost is set aside (semantics 4.4): this long after
#: it was first passed over (0 to 366 d; 0 means as soon as it parks: strict rank order), or never.
ReserveAfter = timedelta | Literal[_Never.NEVER]


@dataclass(frozen=True)
class Policy:
    """The terms of a budget."""

    #: The tokens in the pool (while in flight), or granted per duration (time-based). 1 to 10^12.
    allocation: int
    #: How they come back.
    strategy: Strategy
    #: When a job that was passed over is protected; None: the server's default, 30 s unless it was told otherwise.
    reserve_after: ReserveAfter | None = None

    def to_wire(self) -> pb.BudgetPolicy:
        """The policy as the contract's message, for programs that use the generated code."""
        wire = pb.BudgetPolicy(allocation=_wire.uint("policy.allocation", self.allocation))
        _put_strategy(wire, self.strategy)
        _put_reserve_after(wire, self.reserve_after)
        return wire


class _Keep(Enum):
    KEEP = "keep"


_KEEP: Final = _Keep.KEEP
_Kept = Literal[_Keep.KEEP]


@dataclass(frozen=True)
class StrategyPatch:
    """Changes inside a time-based strategy. What isn't given stays."""

    #: Makes a while-in-flight budget a time-based one.
    duration: timedelta | _Kept = _KEEP
    #: None clears it: the allocation is the capacity again.
    burst: int | _Kept | None = _KEEP


@dataclass(frozen=True)
class PolicyPatch:
    """Changes of a policy. What isn't given stays (semantics 7.1)."""

    #: In tokens.
    allocation: int | _Kept = _KEEP
    #: A strategy replaces the one there is, whole; a :class:`StrategyPatch` changes parts of it.
    strategy: Strategy | StrategyPatch | _Kept = _KEEP
    #: None goes back to the server's default.
    reserve_after: ReserveAfter | _Kept | None = _KEEP

    def to_wire(self) -> tuple[pb.BudgetPolicy, FieldMask]:
        """The values, and the paths that say which of them count."""
        wire, paths = pb.BudgetPolicy(), list[str]()
        if self.allocation is not _KEEP:
            wire.allocation = _wire.uint("allocation", self.allocation)
            paths.append("allocation")
        if isinstance(self.strategy, StrategyPatch):
            wire.time_based.SetInParent()
            if self.strategy.duration is not _KEEP:
                wire.time_based.duration.CopyFrom(_wire.duration("strategy.duration", self.strategy.duration))
                paths.append("time_based.duration")
            if self.strategy.burst is not _KEEP:
                if self.strategy.burst is not None:
                    wire.time_based.burst = _wire.uint("strategy.burst", self.strategy.burst)
                paths.append("time_based.burst")
        elif self.strategy is not _KEEP:
            _put_strategy(wire, self.strategy)
            paths.append("while_in_flight" if isinstance(self.strategy, WhileInFlight) else "time_based")
        if self.reserve_after is not _KEEP:
            _put_reserve_after(wire, self.reserve_after)
            paths.append("reserve_after")
        if not paths:
            raise ClientError("the patch changes nothing: give an allocation, a strategy or a reserve_after")
        return wire, FieldMask(paths=paths)


def policy_from_wire(wire: pb.BudgetPolicy) -> Policy:
    """The policy of an answer."""
    strategy: Strategy = WhileInFlight()
    if wire.WhichOneof("strategy") == "time_based":
        drip = wire.time_based
        strategy = TimeBased(_wire.span(drip.duration), drip.burst if drip.HasField("burst") else None)
    reserve = wire.WhichOneof("reserve_after")
    if reserve == "after":
        return Policy(wire.allocation, strategy, _wire.span(wire.after))
    return Policy(wire.allocation, strategy, NEVER if reserve == "never" else None)


def _put_strategy(wire: pb.BudgetPolicy, strategy: Strategy) -> None:
    if isinstance(strategy, WhileInFlight):
        wire.while_in_flight.SetInParent()
    elif isinstance(strategy, TimeBased):
        wire.time_based.duration.CopyFrom(_wire.duration("strategy.duration", strategy.duration))
        if strategy.burst is not None:
            wire.time_based.burst = _wire.uint("strategy.burst", strategy.burst)
    else:
        message = f"`strategy` is {strategy!r}: give WhileInFlight() or TimeBased(...)"
        raise ClientError(message, "strategy")


def _put_reserve_after(wire: pb.BudgetPolicy, reserve_after: ReserveAfter | None) -> None:
    if reserve_after is NEVER:
        wire.never.SetInParent()
    elif reserve_after is not None:
        wire.after.CopyFrom(_wire.duration("reserve_after", reserve_after))
