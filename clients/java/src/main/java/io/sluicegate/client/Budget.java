package io.sluicegate.client;

import java.time.Instant;

/**
 * A budget with its terms and what it is doing.
 *
 * @param key its name, unique in the server.
 * @param policy its terms, as they were set: defaults are not filled in.
 * @param createTime when it was created; a replacement keeps it.
 * @param updateTime when its policy last changed.
 * @param etag changes whenever the policy does, and only then. Opaque.
 * @param status what it was doing at the instant of the answer.
 */
public record Budget(String key, Policy policy, Instant createTime, Instant updateTime, String etag, BudgetStatus status) {
    static Budget fromWire(io.sluicegate.v1.Budget wire) {
        return new Budget(
                wire.getKey(),
                Policy.fromWire(wire.getPolicy()),
                Wire.time(wire.getCreateTime()),
                Wire.time(wire.getUpdateTime()),
                wire.getEtag(),
                BudgetStatus.fromWire(wire.getStatus()));
    }
}
