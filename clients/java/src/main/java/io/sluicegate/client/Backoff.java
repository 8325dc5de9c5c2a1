package io.sluicegate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The delay before a retry: exponential, with jitter and a cap (semantics 6.3). What is empty is the server's default.
 *
 * @param initial before the first retry. 0..=24 h; 1 s by default.
 * @param max the longest delay. 0..=24 h, at least {@code initial}; 1 h by default.
 * @param multiplierPercent growth from one retry to the next. 100..=1000; 200 by default.
 * @param jitterPercent the largest share taken off at random. 0..=100; 20 by default.
 */
public record Backoff(
        Optional<Duration> initial, Optional<Duration> max, OptionalInt multiplierPercent, OptionalInt jitterPercent) {
    /** Refuses negative percents with {@link IllegalArgumentException}. */
    public Backoff {
        multiplierPercent.ifPresent(percent -> Wire.amount("multiplierPercent", percent));
        jitterPercent.ifPresent(percent -> Wire.amount("jitterPercent", percent));
    }

    /** The server's defaults. */
    public static Backoff defaults() {
        return new Backoff(Optional.empty(), Optional.empty(), OptionalInt.empty(), OptionalInt.empty());
    }

    /** The same delay before every retry. 0..=24 h. */
    public static Backoff constant(Duration delay) {
        return new Backoff(Optional.of(delay), Optional.of(delay), OptionalInt.empty(), OptionalInt.of(0));
    }

    /** With another first delay. 0..=24 h. */
    public Backoff initial(Duration delay) {
        return new Backoff(Optional.of(delay), max, multiplierPercent, jitterPercent);
    }

    /** With another longest delay. 0..=24 h. */
    public Backoff max(Duration delay) {
        return new Backoff(initial, Optional.of(delay), multiplierPercent, jitterPercent);
    }

    /** With another growth, in percent. 100..=1000. */
    public Backoff multiplierPercent(int percent) {
        return new Backoff(initial, max, OptionalInt.of(percent), jitterPercent);
    }

    /** With another jitter, in percent. 0..=100. */
    public Backoff jitterPercent(int percent) {
        return new Backoff(initial, max, multiplierPercent, OptionalInt.of(percent));
    }

    io.sluicegate.v1.Backoff toWire() {
        var wire = io.sluicegate.v1.Backoff.newBuilder();
        initial.ifPresent(delay -> wire.setInitial(Wire.duration(delay)));
        max.ifPresent(delay -> wire.setMax(Wire.duration(delay)));
        multiplierPercent.ifPresent(wire::setMultiplierPercent);
        jitterPercent.ifPresent(wire::setJitterPercent);
        return wire.build();
    }
}
