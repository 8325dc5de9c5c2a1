package io.sluicegate.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/** What a job is to do, and how. Immutable. Bounds are checked by the server, which names the field. */
public final class JobSpec {
    private final io.sluicegate.v1.JobSpec wire;

    private JobSpec(io.sluicegate.v1.JobSpec wire) {
        this.wire = wire;
    }

    /**
     * Starts a job's description.
     *
     * @param queue 1..=128 bytes of {@code [A-Za-z0-9._:/@-]}. A queue exists as soon as a job names it.
     * @param type tells handlers apart: as the queue, or empty where one handler does all of a queue.
     */
    public static Builder builder(String queue, String type) {
        return new Builder(queue, type);
    }

    /** As a request carries it: the bytes of the contract's {@code JobSpec}. */
    public byte[] encoded() {
        return wire.toByteArray();
    }

    io.sluicegate.v1.JobSpec toWire() {
        return wire;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JobSpec spec && wire.equals(spec.wire);
    }

    @Override
    public int hashCode() {
        return wire.hashCode();
    }

    /** Names queue and type alone: payloads aren't to be logged. */
    @Override
    public String toString() {
        return "JobSpec[queue=" + wire.getQueue() + ", type=" + wire.getType() + "]";
    }

    /** Puts a {@link JobSpec} together. */
    public static final class Builder {
        private final io.sluicegate.v1.JobSpec.Builder wire;

        private Builder(String queue, String type) {
            wire = io.sluicegate.v1.JobSpec.newBuilder().setQueue(queue).setType(type);
        }

        /** Sets the handler's input. */
        public Builder payload(Payload payload) {
            if (payload instanceof Payload.Json json) {
                wire.setJson(json.text());
            } else if (payload instanceof Payload.Binary binary) {
                wire.setBinary(binary.wire());
            }
            return this;
        }

        /** Sets the handler's input: JSON text, which the server checks. */
        public Builder json(String text) {
            return payload(Payload.json(text));
        }

        /** Sets the priority: 0 is the most urgent, 65535 the least; 32768 by default. */
        public Builder priority(int priority) {
            wire.setPriority(Wire.amount("priority", priority));
            return this;
        }

        /** Not dispatched before. At most 366 d from now; the past means now. */
        public Builder runAt(Instant time) {
            wire.setRunTime(Wire.time(time));
            return this;
        }

        /** Not dispatched before this long from now, by the clock of this machine. At most 366 d. */
        public Builder runIn(Duration delay) {
            return runAt(Instant.now().plus(delay));
        }

        /** Debits one token of this budget at each dispatch. */
        public Builder bind(String budget) {
            return bind(Binding.to(budget));
        }

        /** Debits this many tokens of this budget at each dispatch. 1..=10^12. */
        public Builder bind(String budget, long cost) {
            return bind(Binding.to(budget, cost));
        }

        /** Adds a binding; at most 16, each of another budget. */
        public Builder bind(Binding binding) {
            wire.addBindings(binding.toWire());
            return this;
        }

        /** Sets after how many failed attempts the job is dead. 1..=1000; 25 by default (semantics 6.3). */
        public Builder maxAttempts(int attempts) {
            wire.setMaxAttempts(Wire.amount("maxAttempts", attempts));
            return this;
        }

        /** Sets the delay before a retry. */
        public Builder backoff(Backoff backoff) {
            wire.setBackoff(backoff.toWire());
            return this;
        }

        /** Sets how long the job is kept once it is over. */
        public Builder retention(Retention retention) {
            wire.setRetention(retention.toWire());
            return this;
        }

        /** Sets the longest that one attempt may take, over all extensions. 1 ms..=24 h; no limit by default (semantics 6.6). */
        public Builder timeout(Duration timeout) {
            wire.setTimeout(Wire.duration(timeout));
            return this;
        }

        /** As {@link #unique(String, UniqueScope)} until the job is over. */
        public Builder unique(String key) {
            return unique(key, UniqueScope.UNFINISHED);
        }

        /**
         * Makes the enqueue answer with the job that holds this key, if one does (semantics 3.4).
         *
         * @param key 1..=256 bytes of UTF-8 without NUL; one space for the whole server.
         * @param scope until when this job holds it.
         */
        public Builder unique(String key, UniqueScope scope) {
            wire.setUnique(io.sluicegate.v1.UniqueKey.newBuilder().setKey(key).setScope(scope.toWire()));
            return this;
        }

        /**
         * Adds a pair that travels with the job to its handler, such as {@code traceparent} and {@code tracestate}. At most 64;
         * keys 1..=128 bytes of {@code [A-Za-z0-9._:/@-]}; 4 KiB of keys and values together.
         */
        public Builder metadata(String key, String value) {
            wire.putMetadata(key, Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Adds pairs, as {@link #metadata(String, String)} does. */
        public Builder metadata(Map<String, String> pairs) {
            wire.putAllMetadata(pairs);
            return this;
        }

        /** The description. */
        public JobSpec build() {
            return new JobSpec(wire.build());
        }
    }
}
