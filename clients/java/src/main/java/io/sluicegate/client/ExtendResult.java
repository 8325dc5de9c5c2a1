package io.sluicegate.client;

import java.time.Instant;
import java.util.Optional;

/**
 * What became of one lease's extension.
 *
 * @param leaseId the lease.
 * @param status extended, or why nothing changed.
 * @param expireTime when it ends unless it is extended again.
 * @param cancelRequested whether the job was cancelled, so that its handler should stop and settle.
 */
public record ExtendResult(
        String leaseId, ExtendStatus status, Optional<Instant> expireTime, boolean cancelRequested) {
    static ExtendResult fromWire(io.sluicegate.v1.ExtendResult wire) {
        return new ExtendResult(
                wire.getLeaseId(),
                ExtendStatus.fromWire(wire.getStatus()),
                Wire.time(wire.hasExpireTime(), wire.getExpireTime()),
                wire.getCancelRequested());
    }
}
