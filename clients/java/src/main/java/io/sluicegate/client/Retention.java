package io.sluicegate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * How long a job is kept once it is over; then it is removed (semantics 6.4). Each 0..=366 d; what is empty is the server's
 * default.
 *
 * @param completed after success; 0 by default: removed at once, its result is dropped.
 * @param dead after its last failure; 7 d by default.
 * @param cancelled after it was cancelled; 1 d by default.
 */
public record Retention(Optional<Duration> completed, Optional<Duration> dead, Optional<Duration> cancelled) {
    /** The server's defaults. */
    public static Retention defaults() {
        return new Retention(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** With another time after success. 0..=366 d. */
    public Retention completed(Duration time) {
        return new Retention(Optional.of(time), dead, cancelled);
    }

    /** With another time after the last failure. 0..=366 d. */
    public Retention dead(Duration time) {
        return new Retention(completed, Optional.of(time), cancelled);
    }

    /** With another time after a cancellation. 0..=366 d. */
    public Retention cancelled(Duration time) {
        return new Retention(completed, dead, Optional.of(time));
    }

    io.sluicegate.v1.Retention toWire() {
        var wire = io.sluicegate.v1.Retention.newBuilder();
        completed.ifPresent(time -> wire.setCompleted(Wire.duration(time)));
        dead.ifPresent(time -> wire.setDead(Wire.duration(time)));
        cancelled.ifPresent(time -> wire.setCancelled(Wire.duration(time)));
        return wire.build();
    }
}
