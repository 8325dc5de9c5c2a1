package io.sluicegate.client;

import java.time.Duration;
import java.util.Objects;

/** When a job that was passed over on a budget is protected, so that its cost is set aside (semantics 4.4). */
public sealed interface ReserveAfter {
    /** As the server was told to at its start; 30 s by its own default. */
    static ReserveAfter serverDefault() {
        return new ServerDefault();
    }

    /** This long after it was first passed over. 0..=366 d; 0 means strict rank order. */
    static ReserveAfter after(Duration delay) {
        return new After(delay);
    }

    /** Not on this budget: nothing of it is ever set aside. */
    static ReserveAfter never() {
        return new Never();
    }

    /** See {@link #serverDefault()}. */
    record ServerDefault() implements ReserveAfter {}

    /**
     * See {@link #after(Duration)}.
     *
     * @param delay from when it was first passed over. 0..=366 d.
     */
    record After(Duration delay) implements ReserveAfter {
        /** Refuses null. */
        public After {
            Objects.requireNonNull(delay, "delay");
        }
    }

    /** See {@link #never()}. */
    record Never() implements ReserveAfter {}
}
