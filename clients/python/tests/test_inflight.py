from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone

from sluicegate import Binding, JobState, Lease, LeasedJob, Settlement, Success
from sluicegate.v1 import dispatch_pb2, settle_pb2
from sluicegate.worker.context import CancelReason
from sluicegate.worker.inflight import Confirmation, InFlight, without_options

LEASE_S = 30.0
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def leased(lease_id: str, duration_s: float = LEASE_S) -> LeasedJob:
    lease = Lease(lease_id, "w", 1, NOW, NOW, timedelta(seconds=duration_s), cancel_requested=False)
    return LeasedJob(
        id=f"job of {lease_id}",
        state=JobState.IN_FLIGHT,
        queue="q",
        type="t",
        payload=None,
        priority=0,
        budgets=(Binding("b", 7),),
        attempts=0,
        max_attempts=25,
        timeout=None,
        metadata={},
        create_time=NOW,
        ready_time=None,
        finish_time=None,
        remove_time=None,
        delayed_until=None,
        lease=lease,
        errors=(),
        result=b"",
    )


def holding(*lease_ids: str, total_max_s: float = math.inf) -> InFlight:
    # Without jitter.
    inflight = InFlight(total_max_s, lambda _, most: most)
    for lease_id in lease_ids:
        assert inflight.pushed(leased(lease_id), 0)
    return inflight


def success(lease_id: str) -> settle_pb2.SettleOutcome:
    return Settlement(lease_id, Success(b"done")).to_wire()


def result(lease_id: str, status: settle_pb2.SettleStatus) -> settle_pb2.SettleResult:
    return settle_pb2.SettleResult(lease_id=lease_id, status=status)


def test_a_lease_is_held_once_and_started_once() -> None:
    inflight = holding("a")
    assert not inflight.pushed(leased("a"), 1)
    assert inflight.start("a")
    assert not inflight.start("a")
    assert (len(inflight), inflight.started, inflight.lease_ids()) == (1, 1, ["a"])


def test_leases_are_extended_after_a_third_until_their_total_is_used_up() -> None:
    inflight = holding("a", total_max_s=25)
    assert inflight.extend_due == LEASE_S / 3
    assert inflight.take_extensions(LEASE_S / 3, 10) == ["a"]
    assert inflight.extend_due == 2 * LEASE_S / 3
    assert inflight.take_extensions(2 * LEASE_S / 3, 10) == ["a"]
    # The next would be at 30 s, and 25 s is all it may have.
    assert inflight.extend_due == math.inf
    assert inflight.take_extensions(100, 10) == []


def test_extensions_of_what_is_settled_leave_nothing_behind() -> None:
    inflight = holding()
    for turn in range(10_000):
        lease_id = str(turn)
        assert inflight.pushed(leased(lease_id), turn / 1000)
        assert inflight.settle(lease_id, success(lease_id), turn / 1000)
        inflight.take_settlements(10, 1 << 20)
        assert inflight.confirmed(result(lease_id, settle_pb2.SETTLE_STATUS_SETTLED), 0) is Confirmation.SETTLED
    assert len(inflight._extensions) < 100
    assert inflight.extend_due == math.inf


def test_settlements_are_gathered_while_one_is_unanswered() -> None:
    inflight = holding("a", "b")
    inflight.settle("a", success("a"), 1)
    assert inflight.settle_due == 1
    assert [outcome.lease_id for outcome in inflight.take_settlements(10, 1 << 20)] == ["a"]
    inflight.settle("b", success("b"), 2)
    assert inflight.settle_due == 2.01
    assert inflight.confirmed(result("a", settle_pb2.SETTLE_STATUS_SETTLED), 3) is Confirmation.SETTLED
    assert inflight.settle_due == 2


def test_what_isnt_confirmed_is_sent_again_on_the_next_stream() -> None:
    inflight = holding("a", "b")
    inflight.settle("a", success("a"), 1)
    assert len(inflight.take_settlements(10, 1 << 20)) == 1
    assert inflight.welcomed(["b"], 5) == [("b", CancelReason.LEASE_LOST)]
    assert inflight.settle_due == 5
    assert [outcome.lease_id for outcome in inflight.take_settlements(10, 1 << 20)] == ["a"]
    assert inflight.lease_ids() == ["a"]


def test_a_refused_settlement_is_sent_bare_once() -> None:
    inflight = holding("a")
    inflight.settle("a", success("a"), 1)
    inflight.take_settlements(10, 1 << 20)
    invalid = result("a", settle_pb2.SETTLE_STATUS_INVALID)
    assert inflight.confirmed(invalid, 2) is Confirmation.RETRIED
    (bare,) = inflight.take_settlements(10, 1 << 20)
    assert bare == without_options(success("a"))
    assert bare.success.result == b""
    assert inflight.confirmed(invalid, 3) is Confirmation.ABANDONED
    assert len(inflight) == 0


def test_a_job_that_waits_goes_back_with_nothing_used() -> None:
    inflight = holding("a", "b")
    inflight.start("b")
    assert inflight.release_waiting(1) == 1
    (outcome,) = inflight.take_settlements(10, 1 << 20)
    assert outcome.WhichOneof("outcome") == "release"
    assert [(used.budget, used.cost) for used in outcome.usage] == [("b", 0)]


def test_a_cancelled_job_that_waits_goes_back_and_a_handler_is_told() -> None:
    inflight = holding("a", "b")
    inflight.start("b")
    reason = dispatch_pb2.REVOKE_REASON_CANCEL_REQUESTED
    for lease_id in ("a", "b"):
        assert inflight.revoked(lease_id, reason, 1) == (lease_id, CancelReason.CANCEL_REQUESTED)
    assert inflight.revoked("b", dispatch_pb2.REVOKE_REASON_EXPIRED, 2) == ("b", CancelReason.LEASE_LOST)
    assert not inflight.settle("b", success("b"), 3)
    assert inflight.started == 0


def test_frames_of_settlements_keep_their_bound() -> None:
    lease_ids = [str(number) for number in range(10)]
    inflight = holding(*lease_ids)
    for lease_id in lease_ids:
        inflight.settle(lease_id, success(lease_id), 1)
    size = success("0").ByteSize()
    assert len(inflight.take_settlements(100, 3 * size)) == 3
    assert len(inflight.take_settlements(2, 1 << 20)) == 2
    assert len(inflight.take_settlements(100, 0)) == 1
