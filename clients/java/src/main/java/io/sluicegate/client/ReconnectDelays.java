package io.sluicegate.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt to connect: drawn evenly from 0 to a bound that doubles, so that workers which lost one
 * server don't come back as one. Reads no clock.
 */
final class ReconnectDelays {
    /** The most that the first delay may be. */
    static final Duration INITIAL = Duration.ofMillis(100);

    /** The most that any delay may be. */
    static final Duration MAX = Duration.ofSeconds(10);

    private final RandomGenerator random;
    private long boundNanos = INITIAL.toNanos();

    ReconnectDelays(RandomGenerator random) {
        this.random = random;
    }

    /** The most that the next delay may be. */
    Duration bound() {
        return Duration.ofNanos(boundNanos);
    }

    /** The next delay. */
    Duration next() {
        long delay = random.nextLong(boundNanos + 1);
        boundNanos = Math.min(boundNanos * 2, MAX.toNanos());
        return Duration.ofNanos(delay);
    }

    /** Starts anew, after a connection that worked. */
    void reset() {
        boundNanos = INITIAL.toNanos();
    }
}
