package io.sluicegate.client;

import java.time.Duration;
import java.time.Instant;

/**
 * A worker's exclusive, expiring hold on one attempt of one job (semantics 5.1).
 *
 * @param id opaque, and never used twice: the fencing token. Whoever knows it may settle and extend the lease.
 * @param workerId the worker that it was granted to; empty where that is the receiver.
 * @param attempt which attempt this is, from 1.
 * @param dispatchTime when the job was dispatched and its budgets debited.
 * @param expireTime when the lease ends unless it is extended, by the server's clock.
 * @param duration what the grant and each extension is worth, from then.
 * @param cancelRequested whether the job was cancelled meanwhile.
 */
public record Lease(
        String id,
        String workerId,
        int attempt,
        Instant dispatchTime,
        Instant expireTime,
        Duration duration,
        boolean cancelRequested) {
    static Lease fromWire(io.sluicegate.v1.Lease wire) {
        return new Lease(
                wire.getId(),
                wire.getWorkerId(),
                wire.getAttempt(),
                Wire.time(wire.getDispatchTime()),
                Wire.time(wire.getExpireTime()),
                Wire.duration(wire.getDuration()),
                wire.getCancelRequested());
    }
}
