package io.sluicegate.client;

import io.sluicegate.v1.ExtendResult;
import io.sluicegate.v1.ExtendStatus;
import io.sluicegate.v1.RevokeReason;
import io.sluicegate.v1.SettleOutcome;
import io.sluicegate.v1.SettleResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * What a worker holds: leases that wait for their handler, have one, or have a settlement that isn't confirmed. Pure: time and
 * randomness come from outside, and what is to be sent or stopped goes back as data. Knows no stream and no handler, and is used by
 * one thread. Instants are nanoseconds since some beginning; {@link #NEVER} is none.
 */
final class InFlight {
    /** An instant that doesn't come. */
    static final long NEVER = Long.MAX_VALUE;

    /** What counts as for ever: no sum with it overflows. */
    private static final Duration FOREVER = Duration.ofDays(18_250);

    /** How long settlements and receipts are gathered at most, before they are sent together. */
    static final long GATHER_NANOS = Duration.ofMillis(10).toNanos();

    /** How many of them are sent at once, however short they were gathered. */
    static final int GATHERED_MAX = 100;

    /** What an outcome may be at most, as encoded. */
    static final int OUTCOME_BYTES_MAX = 1 << 20;

    /** The shortest lease of the contract. A server that says less isn't asked for extensions without end. */
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);

    /** A handler to stop: one that has been started, or one that must not be any more. */
    record Stop(String leaseId, CancelReason reason) {}

    /** What the server made of a settlement. */
    enum Confirmation {
        /** It is settled, by this or an earlier settlement. */
        SETTLED,
        /** The lease had ended before. */
        TOO_LATE,
        /** It breaks a bound, and is sent again without what is optional. */
        RETRIED,
        /** It breaks a bound even so: the lease is left to expire. */
        ABANDONED,
        /** The lease isn't known here. */
        UNKNOWN
    }

    private enum Stage {
        /** Its handler hasn't been started. */
        WAITING,
        /** It has. */
        STARTED,
        /** Over here, and not confirmed by the server. */
        SETTLING
    }

    private static final class Held {
        final String leaseId;
        /** To be told that nothing was used of them, if the job is never started. */
        final List<String> budgets;
        /** What an extension is worth. */
        final long durationNanos;
        /** From when on it isn't extended any more. */
        final long extendUntil;
        /** When it is to be extended next. Changed only while it isn't in {@code extensions}. */
        long extendAt;
        Stage stage = Stage.WAITING;
        /** Where it is settling. */
        SettleOutcome outcome;
        /** Whether the server has refused that before, as invalid. */
        boolean refused;

        Held(String leaseId, List<String> budgets, long durationNanos, long extendUntil) {
            this.leaseId = leaseId;
            this.budgets = budgets;
            this.durationNanos = durationNanos;
            this.extendUntil = extendUntil;
        }
    }

    private final Map<String, Held> held = new HashMap<>();
    /** How many of them have a handler. */
    private int started;
    /** Those to be extended, the first to come first. */
    private final TreeSet<Held> extensions =
            new TreeSet<>(Comparator.<Held>comparingLong(it -> it.extendAt).thenComparing(it -> it.leaseId));
    /** Settlements to send, in the order in which they came up, and when the first of them did. */
    private final Deque<String> unsent = new ArrayDeque<>();
    private long unsentSince = NEVER;
    /** Settlements that were sent on this stream and aren't answered. */
    private int unanswered;
    /** Pushes of this stream that aren't confirmed, and when the first of them came. */
    private final Deque<String> unconfirmed = new ArrayDeque<>();
    private long unconfirmedSince = NEVER;
    /** How long after its receipt a lease is extended at most; null: for ever. */
    private final Duration totalMax;
    private final RandomGenerator random;

    /** Holds nothing. The generator decides the jitter of extensions. */
    InFlight(Duration totalMax, RandomGenerator random) {
        this.totalMax = totalMax;
        this.random = random;
    }

    /** A duration in nanoseconds, at most half a century, so that instants can be reckoned with it. */
    static long nanos(Duration duration) {
        return (duration.compareTo(FOREVER) < 0 ? duration : FOREVER).toNanos();
    }

    /** How many leases are held, whatever their stage. */
    int size() {
        return held.size();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** How many have a handler. */
    int started() {
        return started;
    }

    /** The ids of all, for a Hello (semantics 5.2). */
    List<String> leaseIds() {
        return held.keySet().stream().sorted().toList();
    }

    /** Takes in a pushed job, which waits. False if the lease is held already. */
    boolean pushed(LeasedJob job, long now) {
        String id = job.lease().id();
        if (held.containsKey(id)) {
            return false;
        }
        Duration lease = job.lease().duration();
        long duration = nanos(lease.compareTo(LEASE_MIN) < 0 ? LEASE_MIN : lease);
        List<String> budgets = job.bindings().stream().map(Binding::budget).toList();
        Held added = new Held(id, budgets, duration, totalMax == null ? NEVER : now + nanos(totalMax));
        held.put(id, added);
        scheduleExtension(added, now + thirdOf(duration));
        unconfirmedSince = Math.min(unconfirmedSince, now);
        unconfirmed.add(id);
        return true;
    }

    /** The job's handler is being started. False if the lease doesn't wait any more. */
    boolean start(String leaseId) {
        Held it = held.get(leaseId);
        if (it == null || it.stage != Stage.WAITING) {
            return false;
        }
        it.stage = Stage.STARTED;
        started++;
        return true;
    }

    /** The job's handler has ended. False, and the outcome is dropped, if the lease was lost meanwhile. */
    boolean settle(String leaseId, Settlement settlement, long now) {
        Held it = held.get(leaseId);
        if (it == null || it.stage == Stage.SETTLING) {
            return false;
        }
        if (it.stage == Stage.STARTED) {
            started--;
        }
        it.stage = Stage.SETTLING;
        it.outcome = settlement.toWire();
        // No frame could carry it, and it breaks the server's bounds anyway.
        if (it.outcome.getSerializedSize() > OUTCOME_BYTES_MAX) {
            it.outcome = Settlement.withoutOptions(it.outcome);
            it.refused = true;
        }
        extensions.remove(it);
        send(leaseId, now);
        return true;
    }

    /** Gives back a job that was never started: nothing of its budgets was used (semantics 6.2). False if it doesn't wait. */
    boolean release(String leaseId, long now) {
        Held it = held.get(leaseId);
        if (it == null || it.stage != Stage.WAITING) {
            return false;
        }
        Settlement unused = Settlement.of(leaseId, JobResult.release());
        for (String budget : it.budgets) {
            unused = unused.usage(budget, 0);
        }
        return settle(leaseId, unused, now);
    }

    /** Gives back all jobs that wait, and says how many. */
    int releaseWaiting(long now) {
        List<String> waiting = held.values().stream()
                .filter(it -> it.stage == Stage.WAITING)
                .map(it -> it.leaseId)
                .sorted()
                .toList();
        waiting.forEach(id -> release(id, now));
        return waiting.size();
    }

    /** When settlements are to be sent: at once as long as none is unanswered or many have come up; else they are gathered. */
    long settleDue() {
        if (unsentSince == NEVER || unanswered == 0 || unsent.size() >= GATHERED_MAX) {
            return unsentSince;
        }
        return unsentSince + GATHER_NANOS;
    }

    /** Takes settlements to send, up to a number and an encoded size, but one at least if there is one. */
    List<SettleOutcome> takeSettlements(int countMax, int bytesMax) {
        List<SettleOutcome> taken = new ArrayList<>();
        long bytes = 0;
        while (taken.size() < countMax && !unsent.isEmpty()) {
            Held it = held.get(unsent.peek());
            if (it != null && it.stage == Stage.SETTLING) {
                bytes += it.outcome.getSerializedSize();
                if (bytes > bytesMax && !taken.isEmpty()) {
                    break;
                }
                taken.add(it.outcome);
            }
            unsent.remove();
        }
        if (unsent.isEmpty()) {
            unsentSince = NEVER;
        }
        unanswered += taken.size();
        return taken;
    }

    /** What the server says of a settlement that was sent. */
    Confirmation confirmed(SettleResult result, long now) {
        unanswered = Math.max(0, unanswered - 1);
        Held it = held.get(result.getLeaseId());
        if (it == null || it.stage != Stage.SETTLING) {
            return Confirmation.UNKNOWN;
        }
        SettleStatus status = SettleStatus.fromWire(result.getStatus());
        if (status == SettleStatus.INVALID && !it.refused) {
            it.refused = true;
            it.outcome = Settlement.withoutOptions(it.outcome);
            send(it.leaseId, now);
            return Confirmation.RETRIED;
        }
        held.remove(it.leaseId);
        return switch (status) {
            case SETTLED, ALREADY_SETTLED -> Confirmation.SETTLED;
            case INVALID -> Confirmation.ABANDONED;
            case LOST, GONE, UNKNOWN -> Confirmation.TOO_LATE;
        };
    }

    /** When receipts are to be sent. */
    long receiptsDue() {
        if (unconfirmedSince == NEVER || unconfirmed.size() >= GATHERED_MAX) {
            return unconfirmedSince;
        }
        return unconfirmedSince + GATHER_NANOS;
    }

    /** Takes receipts to send. Leases that have been settled are confirmed by that. */
    List<String> takeReceipts(int countMax) {
        List<String> taken = new ArrayList<>();
        while (taken.size() < countMax && !unconfirmed.isEmpty()) {
            Held it = held.get(unconfirmed.remove());
            if (it != null && it.stage != Stage.SETTLING) {
                taken.add(it.leaseId);
            }
        }
        if (unconfirmed.isEmpty()) {
            unconfirmedSince = NEVER;
        }
        return taken;
    }

    /** When the next lease is to be extended. */
    long extendDue() {
        return extensions.isEmpty() ? NEVER : extensions.first().extendAt;
    }

    /** Takes leases to extend now: those whose time has come, and those for which it will come within a sixth of their duration. */
    List<String> takeExtensions(long now, int countMax) {
        List<String> taken = new ArrayList<>();
        while (taken.size() < countMax && !extensions.isEmpty()) {
            Held it = extensions.first();
            if (it.extendAt > now + it.durationNanos / 6) {
                break;
            }
            scheduleExtension(it, now + thirdOf(it.durationNanos));
            taken.add(it.leaseId);
        }
        return taken;
    }

    /** What the server says of an extension: perhaps a handler to stop. */
    Optional<Stop> extended(ExtendResult result, long now) {
        if (result.getStatus() != ExtendStatus.EXTEND_STATUS_EXTENDED) {
            return lost(result.getLeaseId());
        }
        return result.getCancelRequested() ? cancelRequested(result.getLeaseId(), now) : Optional.empty();
    }

    /** The server takes a lease away, or asks to end it: perhaps a handler to stop. */
    Optional<Stop> revoked(String leaseId, RevokeReason reason, long now) {
        return reason == RevokeReason.REVOKE_REASON_CANCEL_REQUESTED ? cancelRequested(leaseId, now) : lost(leaseId);
    }

    /**
     * A stream has begun. Everything not confirmed is sent on it, and what is held is extended at once, as nobody knows how much of
     * the leases is left. Returns the handlers to stop: those of leases that aren't live any more.
     */
    List<Stop> welcomed(Collection<String> lostLeaseIds, long now) {
        unanswered = 0;
        // A Hello that names a lease confirms it.
        unconfirmed.clear();
        unconfirmedSince = NEVER;
        List<Stop> stops = lostLeaseIds.stream().map(this::lost).flatMap(Optional::stream).toList();
        unsent.clear();
        unsentSince = NEVER;
        for (String id : leaseIds()) {
            Held it = held.get(id);
            if (it.stage == Stage.SETTLING) {
                send(id, now);
            } else {
                scheduleExtension(it, now);
            }
        }
        return stops;
    }

    private void send(String leaseId, long now) {
        unsent.add(leaseId);
        unsentSince = Math.min(unsentSince, now);
    }

    /** A lease has ended without this worker. One that is being settled stays until that is answered. */
    private Optional<Stop> lost(String leaseId) {
        Held it = held.get(leaseId);
        if (it == null || it.stage == Stage.SETTLING) {
            return Optional.empty();
        }
        if (it.stage == Stage.STARTED) {
            started--;
        }
        held.remove(leaseId);
        extensions.remove(it);
        return Optional.of(new Stop(leaseId, CancelReason.LEASE_LOST));
    }

    /** A job was cancelled: one that waits is given back, and a handler is asked to stop. */
    private Optional<Stop> cancelRequested(String leaseId, long now) {
        Held it = held.get(leaseId);
        if (it == null || it.stage == Stage.SETTLING) {
            return Optional.empty();
        }
        release(leaseId, now);
        return Optional.of(new Stop(leaseId, CancelReason.CANCEL_REQUESTED));
    }

    /** Moves a lease's next extension, or drops it once its total is used up. */
    private void scheduleExtension(Held it, long at) {
        extensions.remove(it);
        it.extendAt = at;
        if (at < it.extendUntil) {
            extensions.add(it);
        }
    }

    /** A third of a lease, less up to a fifth of that, so that workers which started as one don't extend as one. */
    private long thirdOf(long durationNanos) {
        long third = durationNanos / 3;
        return random.nextLong(third / 5 * 4, third + 1);
    }
}
