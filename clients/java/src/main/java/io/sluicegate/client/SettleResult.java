package io.sluicegate.client;

import java.util.Optional;

/**
 * What became of a settlement.
 *
 * @param leaseId the lease.
 * @param status settled, or why nothing changed.
 * @param resultDropped whether a result was sent and not kept, since the job's retention wouldn't keep it.
 * @param error with {@link SettleStatus#INVALID}: what was wrong.
 */
public record SettleResult(String leaseId, SettleStatus status, boolean resultDropped, Optional<Invalid> error) {
    /**
     * Why a settlement was invalid.
     *
     * @param field the field of the outcome, such as {@code usage[0].cost}.
     * @param message for people.
     */
    public record Invalid(String field, String message) {}

    static SettleResult fromWire(io.sluicegate.v1.SettleResult wire) {
        Optional<Invalid> error = wire.hasError()
                ? Optional.of(new Invalid(wire.getError().getField(), wire.getError().getMessage()))
                : Optional.empty();
        return new SettleResult(
                wire.getLeaseId(), SettleStatus.fromWire(wire.getStatus()), wire.getResultDropped(), error);
    }
}
