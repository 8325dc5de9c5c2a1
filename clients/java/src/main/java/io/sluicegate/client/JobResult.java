package io.sluicegate.client;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** How an attempt ended, and what is to become of its job. */
public sealed interface JobResult {
    /** The job is done. */
    static Success success() {
        return new Success(ByteString.EMPTY);
    }

    /** The job is done, and these bytes are kept with it as long as it is retained. At most 64 KiB; they are copied. */
    static Success success(byte[] result) {
        return new Success(ByteString.copyFrom(result));
    }

    /** The job is done, and this text, as UTF-8, is kept with it as long as it is retained. At most 64 KiB. */
    static Success success(String result) {
        return new Success(ByteString.copyFrom(result, StandardCharsets.UTF_8));
    }

    /** The attempt failed, and is used up; the job is retried after its backoff, or dead after its last. */
    static Failure failure(String message) {
        return new Failure(message, Optional.empty());
    }

    /** The same with a delay before the retry in place of the backoff. 0..=24 h. */
    static Failure failure(String message, Duration retryAfter) {
        return new Failure(message, Optional.of(retryAfter));
    }

    /** The job is dead at once, whatever attempts are left. */
    static Discard discard(String message) {
        return new Discard(message);
    }

    /** Nothing is wrong with the job: it goes back at its old rank, no attempt is used. */
    static Release release() {
        return new Release(Optional.empty());
    }

    /** The same, and it isn't dispatched again before this delay is over. 0..=24 h. */
    static Release release(Duration delay) {
        return new Release(Optional.of(delay));
    }

    /** A limit of the far side was met: the job goes back, and the budget dispatches nothing for a while (semantics 9.3). */
    static Throttled throttled(String budget, Duration retryAfter) {
        return new Throttled(budget, retryAfter);
    }

    /** The job is done. */
    final class Success implements JobResult {
        private final ByteString result;

        private Success(ByteString result) {
            this.result = result;
        }

        /** What is kept with the job: a copy. */
        public byte[] result() {
            return result.toByteArray();
        }

        ByteString wire() {
            return result;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Success success && result.equals(success.result);
        }

        @Override
        public int hashCode() {
            return result.hashCode();
        }

        @Override
        public String toString() {
            return "Success[" + result.size() + " bytes]";
        }
    }

    /**
     * The attempt failed.
     *
     * @param message what went wrong, for people. Cut beyond 4 KiB.
     * @param retryAfter the delay before the retry, in place of the backoff. 0..=24 h.
     */
    record Failure(String message, Optional<Duration> retryAfter) implements JobResult {
        /** Refuses null. */
        public Failure {
            Objects.requireNonNull(message, "message");
            Objects.requireNonNull(retryAfter, "retryAfter");
        }
    }

    /**
     * The job is dead at once.
     *
     * @param message what went wrong, for people. Cut beyond 4 KiB.
     */
    record Discard(String message) implements JobResult {
        /** Refuses null. */
        public Discard {
            Objects.requireNonNull(message, "message");
        }
    }

    /**
     * The job goes back.
     *
     * @param delay not dispatched again before this. 0..=24 h; empty: at once.
     */
    record Release(Optional<Duration> delay) implements JobResult {
        /** Refuses null. */
        public Release {
            Objects.requireNonNull(delay, "delay");
        }
    }

    /**
     * The job goes back, and a budget pauses.
     *
     * @param budget the budget's key; the job must be bound to it.
     * @param retryAfter from now. 0..=24 h.
     */
    record Throttled(String budget, Duration retryAfter) implements JobResult {
        /** Refuses null. */
        public Throttled {
            Objects.requireNonNull(budget, "budget");
            Objects.requireNonNull(retryAfter, "retryAfter");
        }
    }
}
