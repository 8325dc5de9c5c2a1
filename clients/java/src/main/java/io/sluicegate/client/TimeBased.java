package io.sluicegate.client;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Tokens drip in continuously, the allocation per duration, up to the capacity (semantics 2.2).
 *
 * @param duration the time in which the allocation drips. 1 ms..=366 d.
 * @param burst the most tokens that the pool may hold, 1..=10^12; the allocation where empty.
 */
public record TimeBased(Duration duration, OptionalLong burst) implements Strategy {
    /** Refuses a negative burst with {@link IllegalArgumentException}. */
    public TimeBased {
        Objects.requireNonNull(duration, "duration");
        burst.ifPresent(tokens -> Wire.amount("burst", tokens));
    }

    /** A drip whose pool holds the allocation. */
    public TimeBased(Duration duration) {
        this(duration, OptionalLong.empty());
    }

    /** The same drip into a pool of this many tokens. */
    public TimeBased withBurst(long tokens) {
        return new TimeBased(duration, OptionalLong.of(tokens));
    }
}
