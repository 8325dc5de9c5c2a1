package io.sluicegate.client;

import java.time.Instant;

/**
 * A failed attempt.
 *
 * @param attempt which attempt, from 1.
 * @param time when it ended.
 * @param message what the worker said, or the server: "lease expired", "timed out", "worker restarted". At most 4 KiB.
 */
public record AttemptError(int attempt, Instant time, String message) {
    static AttemptError fromWire(io.sluicegate.v1.AttemptError wire) {
        return new AttemptError(wire.getAttempt(), Wire.time(wire.getTime()), wire.getMessage());
    }
}
