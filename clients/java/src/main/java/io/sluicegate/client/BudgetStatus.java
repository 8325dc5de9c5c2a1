package io.sluicegate.client;

import java.time.Instant;
import java.util.Optional;

/**
 * What a budget is doing.
 *
 * @param available tokens that a dispatch could take, rounded down. Negative while a debt is paid off (semantics 9.2), or after
 *     a shrink below what is in flight (semantics 7.2).
 * @param capacity the most tokens that the pool can hold.
 * @param inFlightCost the sum of the costs of the jobs in flight that are bound to it, in tokens.
 * @param inFlightJobs jobs in flight that are bound to it.
 * @param parkedJobs ready jobs that it could not pay for when they were last tried.
 * @param boundJobs unfinished jobs that are bound to it.
 * @param nextTokenTime when the pool could pay one token more by its drip alone; empty for a full pool and for while in flight.
 * @param blocked whether it dispatches nothing now.
 * @param blockedUntil until when; empty where it isn't blocked, and where it is until unblocked.
 */
public record BudgetStatus(
        long available,
        long capacity,
        long inFlightCost,
        long inFlightJobs,
        long parkedJobs,
        long boundJobs,
        Optional<Instant> nextTokenTime,
        boolean blocked,
        Optional<Instant> blockedUntil) {
    static BudgetStatus fromWire(io.sluicegate.v1.BudgetStatus wire) {
        return new BudgetStatus(
                wire.getAvailable(),
                wire.getCapacity(),
                wire.getInFlightCost(),
                wire.getInFlightJobs(),
                wire.getParkedJobs(),
                wire.getBoundJobs(),
                Wire.time(wire.hasNextTokenTime(), wire.getNextTokenTime()),
                wire.getBlocked(),
                Wire.time(wire.hasBlockedUntil(), wire.getBlockedUntil()));
    }
}
