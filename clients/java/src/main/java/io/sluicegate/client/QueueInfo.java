package io.sluicegate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A queue and its depth.
 *
 * @param name its name.
 * @param paused whether it dispatches nothing.
 * @param scheduled jobs that wait for their time.
 * @param ready jobs that wait for a worker or a budget.
 * @param inFlight jobs with a live lease.
 * @param completed retained jobs that succeeded.
 * @param dead retained jobs that failed for good.
 * @param cancelled retained jobs that were cancelled.
 * @param oldestReadyAge how long the ready job with the earliest ready time has been ready.
 * @param workers connected workers that serve it.
 */
public record QueueInfo(
        String name,
        boolean paused,
        long scheduled,
        long ready,
        long inFlight,
        long completed,
        long dead,
        long cancelled,
        Optional<Duration> oldestReadyAge,
        int workers) {
    static QueueInfo fromWire(io.sluicegate.v1.Queue wire) {
        return new QueueInfo(
                wire.getName(),
                wire.getPaused(),
                wire.getScheduled(),
                wire.getReady(),
                wire.getInFlight(),
                wire.getCompleted(),
                wire.getDead(),
                wire.getCancelled(),
                wire.hasOldestReadyAge() ? Optional.of(Wire.duration(wire.getOldestReadyAge())) : Optional.empty(),
                wire.getWorkers());
    }
}
