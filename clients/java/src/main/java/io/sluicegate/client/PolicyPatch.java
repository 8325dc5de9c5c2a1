package io.sluicegate.client;

import com.google.protobuf.FieldMask;
import io.sluicegate.v1.BudgetPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * What to change in a policy; what isn't named stays (semantics 7.1). Immutable: each method returns another patch.
 *
 * <pre>{@code
 * client.updateBudget("smtp", PolicyPatch.create().allocation(200).clearBurst());
 * }</pre>
 */
public final class PolicyPatch {
    private static final PolicyPatch EMPTY = new PolicyPatch(null, null, null, null, null);

    private final Long allocation;
    /** Puts this strategy in place of the present one; then {@code duration} and {@code burst} are within it. */
    private final Strategy strategy;
    private final Duration duration;
    /** Null: stays. Empty: is cleared. */
    private final OptionalLong burst;
    private final ReserveAfter reserveAfter;

    private PolicyPatch(Long allocation, Strategy strategy, Duration duration, OptionalLong burst, ReserveAfter reserveAfter) {
        this.allocation = allocation;
        this.strategy = strategy;
        this.duration = duration;
        this.burst = burst;
        this.reserveAfter = reserveAfter;
    }

    /** Changes nothing yet. */
    public static PolicyPatch create() {
        return EMPTY;
    }

    /** Whether it changes nothing. */
    public boolean isEmpty() {
        return allocation == null && strategy == null && duration == null && burst == null && reserveAfter == null;
    }

    /** Sets the allocation, in tokens. 1..=10^12. */
    public PolicyPatch allocation(long tokens) {
        return new PolicyPatch(Wire.amount("allocation", tokens), strategy, duration, burst, reserveAfter);
    }

    /** Replaces the strategy whole, and forgets what was said about its fields before. */
    public PolicyPatch strategy(Strategy whole) {
        return new PolicyPatch(allocation, Objects.requireNonNull(whole, "strategy"), null, null, reserveAfter);
    }

    /** Sets the time in which the allocation drips, 1 ms..=366 d. Makes a while-in-flight budget a time-based one. */
    public PolicyPatch duration(Duration time) {
        Objects.requireNonNull(time, "duration");
        if (strategy instanceof TimeBased drip) {
            return strategy(new TimeBased(time, drip.burst()));
        }
        return strategy == null
                ? new PolicyPatch(allocation, null, time, burst, reserveAfter)
                : strategy(new TimeBased(time));
    }

    /** Sets the most tokens that the pool may hold. 1..=10^12. */
    public PolicyPatch burst(long tokens) {
        return patchBurst(OptionalLong.of(Wire.amount("burst", tokens)));
    }

    /** Makes the allocation the capacity again. */
    public PolicyPatch clearBurst() {
        return patchBurst(OptionalLong.empty());
    }

    /** Sets when a job that was passed over is protected. */
    public PolicyPatch reserveAfter(ReserveAfter when) {
        return new PolicyPatch(allocation, strategy, duration, burst, Objects.requireNonNull(when, "reserveAfter"));
    }

    private PolicyPatch patchBurst(OptionalLong tokens) {
        if (strategy instanceof TimeBased drip) {
            return strategy(new TimeBased(drip.duration(), tokens));
        }
        return new PolicyPatch(allocation, null, duration, tokens, reserveAfter);
    }

    /** The new values. */
    BudgetPolicy policy() {
        BudgetPolicy.Builder wire = BudgetPolicy.newBuilder();
        if (allocation != null) {
            wire.setAllocation(allocation);
        }
        if (strategy != null) {
            Policy.writeStrategy(wire, strategy);
        } else if (duration != null || burst != null) {
            var drip = io.sluicegate.v1.TimeBased.newBuilder();
            if (duration != null) {
                drip.setDuration(Wire.duration(duration));
            }
            if (burst != null) {
                burst.ifPresent(drip::setBurst);
            }
            wire.setTimeBased(drip);
        }
        if (reserveAfter != null) {
            Policy.writeReserveAfter(wire, reserveAfter);
        }
        return wire.build();
    }

    /** Which of them count. */
    FieldMask mask() {
        List<String> paths = new ArrayList<>();
        if (allocation != null) {
            paths.add("allocation");
        }
        if (strategy != null) {
            paths.add(strategy instanceof TimeBased ? "time_based" : "while_in_flight");
        }
        if (duration != null) {
            paths.add("time_based.duration");
        }
        if (burst != null) {
            paths.add("time_based.burst");
        }
        if (reserveAfter != null) {
            paths.add("reserve_after");
        }
        return FieldMask.newBuilder().addAllPaths(paths).build();
    }
}
