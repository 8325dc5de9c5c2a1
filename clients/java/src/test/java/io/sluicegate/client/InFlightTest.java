package io.sluicegate.client;

import static io.sluicegate.client.InFlight.GATHERED_MAX;
import static io.sluicegate.client.InFlight.GATHER_NANOS;
import static io.sluicegate.client.InFlight.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluicegate.client.InFlight.Confirmation;
import io.sluicegate.client.InFlight.Stop;
import io.sluicegate.v1.ExtendResult;
import io.sluicegate.v1.ExtendStatus;
import io.sluicegate.v1.RevokeReason;
import io.sluicegate.v1.SettleOutcome;
import io.sluicegate.v1.SettleResult;
import io.sluicegate.v1.SettleStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class InFlightTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int MANY = 1000;

    private final InFlight inFlight = new InFlight(null, new SplittableRandom(7));

    private static LeasedJob job(String leaseId, String... budgets) {
        var spec = io.sluicegate.v1.JobSpec.newBuilder();
        for (String budget : budgets) {
            spec.addBindings(io.sluicegate.v1.Binding.newBuilder().setBudget(budget).setCost(3));
        }
        var lease = io.sluicegate.v1.Lease.newBuilder().setId(leaseId).setDuration(Wire.duration(Duration.ofSeconds(30)));
        return LeasedJob.fromWire(io.sluicegate.v1.LeasedJob.newBuilder()
                .setLease(lease)
                .setJob(io.sluicegate.v1.Job.newBuilder().setSpec(spec))
                .build());
    }

    private void started(String leaseId, long now) {
        assertTrue(inFlight.pushed(job(leaseId), now));
        assertTrue(inFlight.start(leaseId));
    }

    private static SettleResult result(String leaseId, SettleStatus status) {
        return SettleResult.newBuilder().setLeaseId(leaseId).setStatus(status).build();
    }

    private static Settlement success(String leaseId) {
        return Settlement.of(leaseId, JobResult.success("done"));
    }

    private List<SettleOutcome> take() {
        return inFlight.takeSettlements(MANY, 1 << 20);
    }

    @Test
    void aLeaseIsExtendedAfterAThirdOfItLessAFifthOfThat() {
        for (int turn = 0; turn < 100; turn++) {
            inFlight.pushed(job("l" + turn), 0);
        }
        long due = inFlight.extendDue();
        assertTrue(due >= 8 * SECOND && due <= 10 * SECOND, "due at " + due);
        assertEquals(List.of(), inFlight.takeExtensions(due - 5 * SECOND - 1, MANY));
        assertEquals(100, inFlight.takeExtensions(due, MANY).size());
        assertTrue(inFlight.extendDue() >= due + 8 * SECOND);
    }

    @Test
    void extensionsEndWithTheirTotal() {
        InFlight bounded = new InFlight(Duration.ofSeconds(15), new SplittableRandom(7));
        bounded.pushed(job("l"), 0);
        long due = bounded.extendDue();
        assertEquals(List.of("l"), bounded.takeExtensions(due, MANY));
        assertEquals(NEVER, bounded.extendDue());
    }

    @Test
    void settlementsGoAtOnceWhileNoneIsUnansweredAndAreGatheredAfter() {
        started("a", 0);
        started("b", 0);
        assertEquals(NEVER, inFlight.settleDue());
        assertTrue(inFlight.settle("a", success("a"), 5));
        assertEquals(5, inFlight.settleDue());
        assertEquals(1, take().size());
        assertTrue(inFlight.settle("b", success("b"), 6));
        assertEquals(6 + GATHER_NANOS, inFlight.settleDue());
        assertEquals(Confirmation.SETTLED, inFlight.confirmed(result("a", SettleStatus.SETTLE_STATUS_SETTLED), 7));
        assertEquals(6, inFlight.settleDue());
        assertEquals(1, inFlight.size());
    }

    @Test
    void manySettlementsAreNotGatheredLonger() {
        started("first", 0);
        inFlight.settle("first", success("first"), 0);
        take();
        for (int turn = 0; turn < GATHERED_MAX; turn++) {
            assertEquals(turn == 0 ? NEVER : 1 + GATHER_NANOS, inFlight.settleDue());
            started("l" + turn, 0);
            inFlight.settle("l" + turn, success("l" + turn), 1);
        }
        assertEquals(1, inFlight.settleDue());
        assertEquals(30, inFlight.takeSettlements(30, 1 << 20).size());
        assertEquals(1, inFlight.takeSettlements(MANY, 1).size());
        assertEquals(GATHERED_MAX - 31, take().size());
    }

    @Test
    void whatIsNotConfirmedIsSentAgainOnTheNextStreamAndWhatIsHeldIsExtendedAtOnce() {
        started("settled", 0);
        started("held", 0);
        started("lost", 0);
        inFlight.pushed(job("waits"), 0);
        inFlight.settle("settled", success("settled"), 1);
        take();
        assertEquals(List.of("held", "lost", "settled", "waits"), inFlight.leaseIds());

        List<Stop> stops = inFlight.welcomed(List.of("lost", "settled"), 50);
        assertEquals(List.of(new Stop("lost", CancelReason.LEASE_LOST)), stops);
        assertEquals(50, inFlight.settleDue());
        assertEquals(List.of("settled"), take().stream().map(SettleOutcome::getLeaseId).toList());
        assertEquals(List.of("held", "waits"), inFlight.takeExtensions(50, MANY).stream().sorted().toList());
        assertEquals(NEVER, inFlight.receiptsDue());
    }

    @Test
    void receiptsAreGatheredAndLeftOutForWhatIsSettled() {
        inFlight.pushed(job("a"), 3);
        started("b", 4);
        assertFalse(inFlight.pushed(job("a"), 5));
        inFlight.settle("b", success("b"), 6);
        assertEquals(3 + GATHER_NANOS, inFlight.receiptsDue());
        assertEquals(List.of("a"), inFlight.takeReceipts(MANY));
        assertEquals(NEVER, inFlight.receiptsDue());
    }

    @Test
    void whatWasNeverStartedGoesBackWithNothingUsed() {
        inFlight.pushed(job("waits", "x", "y"), 0);
        started("works", 0);
        assertEquals(1, inFlight.releaseWaiting(1));
        SettleOutcome outcome = take().get(0);
        assertTrue(outcome.hasRelease());
        assertEquals(2, outcome.getUsageCount());
        assertTrue(outcome.getUsageList().stream().allMatch(usage -> usage.getCost() == 0));
        assertFalse(inFlight.start("waits"));
    }

    @Test
    void aLostLeaseStopsItsHandlerAndDropsItsAnswer() {
        started("l", 0);
        Optional<Stop> stop = inFlight.revoked("l", RevokeReason.REVOKE_REASON_EXPIRED, 1);
        assertEquals(Optional.of(new Stop("l", CancelReason.LEASE_LOST)), stop);
        assertEquals(0, inFlight.started());
        assertFalse(inFlight.settle("l", success("l"), 2));
        assertTrue(inFlight.isEmpty());
        assertEquals(NEVER, inFlight.extendDue());
    }

    @Test
    void aCancelledJobGoesOnIfItWasStartedAndGoesBackIfNot() {
        started("works", 0);
        inFlight.pushed(job("waits"), 0);
        var asked = ExtendResult.newBuilder()
                .setLeaseId("works")
                .setStatus(ExtendStatus.EXTEND_STATUS_EXTENDED)
                .setCancelRequested(true)
                .build();
        assertEquals(Optional.of(new Stop("works", CancelReason.CANCEL_REQUESTED)), inFlight.extended(asked, 1));
        inFlight.revoked("waits", RevokeReason.REVOKE_REASON_CANCEL_REQUESTED, 1);
        assertEquals(List.of("waits"), take().stream().map(SettleOutcome::getLeaseId).toList());
        assertTrue(inFlight.settle("works", success("works"), 2));
    }

    @Test
    void whatTheServerFindsInvalidIsSentOnceMoreWithoutWhatIsOptional() {
        started("l", 0);
        inFlight.settle("l", success("l").usage("unbound", 2), 1);
        take();
        SettleResult invalid = result("l", SettleStatus.SETTLE_STATUS_INVALID);
        assertEquals(Confirmation.RETRIED, inFlight.confirmed(invalid, 2));
        assertEquals(Settlement.of("l", JobResult.success()).toWire(), take().get(0));
        assertEquals(Confirmation.ABANDONED, inFlight.confirmed(invalid, 3));
        assertTrue(inFlight.isEmpty());
    }

    @Test
    void anOutcomeThatNoFrameCarriesIsSentWithoutWhatIsOptional() {
        started("l", 0);
        inFlight.settle("l", Settlement.of("l", JobResult.success(new byte[InFlight.OUTCOME_BYTES_MAX])), 1);
        assertEquals(Settlement.of("l", JobResult.success()).toWire(), take().get(0));
    }
}
