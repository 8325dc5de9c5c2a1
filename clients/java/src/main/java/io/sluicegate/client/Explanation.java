package io.sluicegate.client;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All that keeps a job from being dispatched at one instant (semantics 12).
 *
 * @param jobId the job.
 * @param state where it is in its life.
 * @param explainTime the instant that all of this is true at.
 * @param readyTime when it became ready, or will.
 * @param holdUps everything that holds it up; empty for a job that is in flight or finished, or about to be dispatched.
 * @param budgets one a binding, sorted by key, whether it holds the job up or not.
 * @param notBefore where the clock alone decides: the earliest instant at which its run time and blocks are over and every pool
 *     could pay for it after every waiter ahead of it. Smaller jobs may pass it until it is protected, and delay it.
 * @param queue what dispatches its queue.
 * @param lease the live lease, of a job in flight.
 */
public record Explanation(
        String jobId,
        JobState state,
        Instant explainTime,
        Instant readyTime,
        List<HoldUp> holdUps,
        List<OfBudget> budgets,
        Optional<Instant> notBefore,
        OfQueue queue,
        Optional<Lease> lease) {
    /**
     * What dispatches a queue.
     *
     * @param name the queue.
     * @param paused whether it is paused.
     * @param workers connected workers that serve it.
     * @param workersWithRoom those of them with room for this job now.
     * @param workersTooSmall those of them that could never be sent this job.
     */
    public record OfQueue(String name, boolean paused, int workers, int workersWithRoom, int workersTooSmall) {}

    /**
     * What one budget means to one job.
     *
     * @param budget the budget's key.
     * @param cost what the job needs, in tokens.
     * @param available tokens in the pool, before anything is set aside. May be negative.
     * @param holdsUp whether this budget holds the job up.
     * @param blocked whether it is blocked or throttled.
     * @param blockedUntil until when; empty also where it is blocked until unblocked.
     * @param heldByJobIds jobs in flight that hold tokens: the first 10 by dispatch.
     * @param heldByTotal how many jobs hold tokens.
     * @param waitersAhead parked jobs of lower rank number that wait for this budget.
     * @param setAside tokens set aside for other, protected jobs (semantics 4.4).
     * @param setAsideForJobId the job that they are set aside for; empty where nothing is.
     * @param isProtected whether this job is protected here.
     * @param notBefore the earliest instant at which this pool could pay for the job after every waiter ahead of it.
     */
    public record OfBudget(
            String budget,
            long cost,
            long available,
            boolean holdsUp,
            boolean blocked,
            Optional<Instant> blockedUntil,
            List<String> heldByJobIds,
            long heldByTotal,
            long waitersAhead,
            long setAside,
            String setAsideForJobId,
            boolean isProtected,
            Optional<Instant> notBefore) {
        static OfBudget fromWire(io.sluicegate.v1.BudgetExplanation wire) {
            return new OfBudget(
                    wire.getBudget(),
                    wire.getCost(),
                    wire.getAvailable(),
                    wire.getHoldsUp(),
                    wire.getBlocked(),
                    Wire.time(wire.hasBlockedUntil(), wire.getBlockedUntil()),
                    List.copyOf(wire.getHeldByJobIdsList()),
                    wire.getHeldByTotal(),
                    wire.getWaitersAhead(),
                    wire.getSetAside(),
                    wire.getSetAsideForJobId(),
                    wire.getProtected(),
                    Wire.time(wire.hasNotBefore(), wire.getNotBefore()));
        }
    }

    static Explanation fromWire(io.sluicegate.v1.JobExplanation wire) {
        var queue = wire.getQueue();
        return new Explanation(
                wire.getJobId(),
                JobState.fromWire(wire.getState()),
                Wire.time(wire.getExplainTime()),
                Wire.time(wire.getReadyTime()),
                Wire.list(wire.getHoldUpsList(), HoldUp::fromWire),
                Wire.list(wire.getBudgetsList(), OfBudget::fromWire),
                Wire.time(wire.hasNotBefore(), wire.getNotBefore()),
                new OfQueue(
                        queue.getName(),
                        queue.getPaused(),
                        queue.getWorkers(),
                        queue.getWorkersWithRoom(),
                        queue.getWorkersTooSmall()),
                wire.hasLease() ? Optional.of(Lease.fromWire(wire.getLease())) : Optional.empty());
    }
}
