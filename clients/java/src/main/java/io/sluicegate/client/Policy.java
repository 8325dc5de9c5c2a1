package io.sluicegate.client;

import io.sluicegate.v1.BudgetPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The terms of a budget.
 *
 * @param allocation tokens in the pool (while in flight), or granted per duration (time based). 1..=10^12.
 * @param strategy how tokens come back.
 * @param reserveAfter when a job that was passed over is protected.
 */
public record Policy(long allocation, Strategy strategy, ReserveAfter reserveAfter) {
    /** Refuses a negative allocation with {@link IllegalArgumentException}. */
    public Policy {
        Wire.amount("allocation", allocation);
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(reserveAfter, "reserveAfter");
    }

    /** These terms, with the server's default for protection. */
    public Policy(long allocation, Strategy strategy) {
        this(allocation, strategy, ReserveAfter.serverDefault());
    }

    /** At most this many tokens in flight at once. 1..=10^12. */
    public static Policy whileInFlight(long allocation) {
        return new Policy(allocation, Strategy.whileInFlight());
    }

    /** This many tokens per duration, and as many at a stroke. 1..=10^12; 1 ms..=366 d. */
    public static Policy timeBased(long allocation, Duration duration) {
        return new Policy(allocation, Strategy.timeBased(duration));
    }

    /** This many tokens per duration, at most {@code burst} at a stroke. 1..=10^12; 1 ms..=366 d. */
    public static Policy timeBased(long allocation, Duration duration, long burst) {
        return new Policy(allocation, Strategy.timeBased(duration).withBurst(burst));
    }

    /** The same terms with another protection. */
    public Policy withReserveAfter(ReserveAfter reserveAfter) {
        return new Policy(allocation, strategy, reserveAfter);
    }

    /** As a request carries it: the bytes of the contract's {@code BudgetPolicy}. */
    public byte[] encoded() {
        return toWire().toByteArray();
    }

    BudgetPolicy toWire() {
        BudgetPolicy.Builder wire = BudgetPolicy.newBuilder().setAllocation(allocation);
        writeStrategy(wire, strategy);
        writeReserveAfter(wire, reserveAfter);
        return wire.build();
    }

    static void writeStrategy(BudgetPolicy.Builder wire, Strategy strategy) {
        if (strategy instanceof TimeBased drip) {
            var builder = io.sluicegate.v1.TimeBased.newBuilder().setDuration(Wire.duration(drip.duration()));
            drip.burst().ifPresent(builder::setBurst);
            wire.setTimeBased(builder);
        } else {
            wire.setWhileInFlight(io.sluicegate.v1.WhileInFlight.getDefaultInstance());
        }
    }

    static void writeReserveAfter(BudgetPolicy.Builder wire, ReserveAfter reserveAfter) {
        if (reserveAfter instanceof ReserveAfter.After after) {
            wire.setAfter(Wire.duration(after.delay()));
        } else if (reserveAfter instanceof ReserveAfter.Never) {
            wire.setNever(io.sluicegate.v1.Never.getDefaultInstance());
        }
    }

    static Policy fromWire(BudgetPolicy wire) {
        Strategy strategy = switch (wire.getStrategyCase()) {
            case WHILE_IN_FLIGHT -> Strategy.whileInFlight();
            case TIME_BASED -> {
                var drip = wire.getTimeBased();
                var burst = drip.hasBurst() ? OptionalLong.of(drip.getBurst()) : OptionalLong.empty();
                yield new TimeBased(Wire.duration(drip.getDuration()), burst);
            }
            case STRATEGY_NOT_SET -> throw new IllegalStateException("the server has a strategy that this client doesn't know");
        };
        ReserveAfter reserveAfter = switch (wire.getReserveAfterCase()) {
            case AFTER -> ReserveAfter.after(Wire.duration(wire.getAfter()));
            case NEVER -> ReserveAfter.never();
            case RESERVEAFTER_NOT_SET -> ReserveAfter.serverDefault();
        };
        return new Policy(wire.getAllocation(), strategy, reserveAfter);
    }
}
