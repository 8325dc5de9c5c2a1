package io.sluicegate.client;

import java.time.Duration;

/** How the tokens of a budget come back. There are these two, and a duration belongs to one of them alone. */
public sealed interface Strategy permits WhileInFlight, TimeBased {
    /** When the lease ends: limits how much is in flight at once (semantics 2.1). */
    static WhileInFlight whileInFlight() {
        return new WhileInFlight();
    }

    /**
     * By a continuous drip of the allocation per duration: limits the rate (semantics 2.2).
     *
     * @param duration the time in which the allocation drips. 1 ms..=366 d.
     */
    static TimeBased timeBased(Duration duration) {
        return new TimeBased(duration);
    }
}
