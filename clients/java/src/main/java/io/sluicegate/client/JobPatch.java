package io.sluicegate.client;

import com.google.protobuf.FieldMask;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/** What to change in jobs; what isn't named stays. A value that is reset goes back to its default. Immutable. */
public final class JobPatch {
    private static final JobPatch EMPTY = new JobPatch(io.sluicegate.v1.JobSpec.getDefaultInstance(), Set.of());

    private final io.sluicegate.v1.JobSpec values;
    private final Set<String> paths;

    private JobPatch(io.sluicegate.v1.JobSpec values, Set<String> paths) {
        this.values = values;
        this.paths = paths;
    }

    /** Changes nothing yet. */
    public static JobPatch create() {
        return EMPTY;
    }

    /** Whether it changes nothing. */
    public boolean isEmpty() {
        return paths.isEmpty();
    }

    /** Moves jobs to this queue. */
    public JobPatch queue(String queue) {
        return with("queue", values.toBuilder().setQueue(queue));
    }

    /** Sets the type. */
    public JobPatch type(String type) {
        return with("type", values.toBuilder().setType(type));
    }

    /** Sets the priority. 0..=65535. */
    public JobPatch priority(int priority) {
        return with("priority", values.toBuilder().setPriority(Wire.amount("priority", priority)));
    }

    /** Sets the run time; ends a backoff or delay. At most 366 d from now. */
    public JobPatch runAt(Instant time) {
        return with("run_time", values.toBuilder().setRunTime(Wire.time(time)));
    }

    /** Sets the run time to this long from now, by the clock of this machine. */
    public JobPatch runIn(Duration delay) {
        return runAt(Instant.now().plus(delay));
    }

    /** Sets the attempts. 1..=1000. Those that are used up stay. */
    public JobPatch maxAttempts(int attempts) {
        return with("max_attempts", values.toBuilder().setMaxAttempts(Wire.amount("maxAttempts", attempts)));
    }

    /** Sets the delay before a retry. */
    public JobPatch backoff(Backoff backoff) {
        return with("backoff", values.toBuilder().setBackoff(backoff.toWire()));
    }

    /** Sets how long jobs are kept once they are over. */
    public JobPatch retention(Retention retention) {
        return with("retention", values.toBuilder().setRetention(retention.toWire()));
    }

    /** Sets the longest that one attempt may take. 1 ms..=24 h. */
    public JobPatch timeout(Duration timeout) {
        return with("timeout", values.toBuilder().setTimeout(Wire.duration(timeout)));
    }

    /** Sets back what is named to its default; a run time to the enqueue. */
    public JobPatch reset(Field field) {
        Objects.requireNonNull(field, "field");
        var descriptor = io.sluicegate.v1.JobSpec.getDescriptor().findFieldByName(field.path);
        return with(field.path, values.toBuilder().clearField(descriptor));
    }

    io.sluicegate.v1.JobSpec values() {
        return values;
    }

    FieldMask mask() {
        return FieldMask.newBuilder().addAllPaths(paths).build();
    }

    private JobPatch with(String path, io.sluicegate.v1.JobSpec.Builder changed) {
        Set<String> named = new LinkedHashSet<>(paths);
        named.add(path);
        return new JobPatch(changed.build(), named);
    }

    /** What has a default to go back to. */
    public enum Field {
        /** To 32768. */
        PRIORITY("priority"),
        /** To the enqueue. */
        RUN_TIME("run_time"),
        /** To 25. */
        MAX_ATTEMPTS("max_attempts"),
        /** To the server's. */
        BACKOFF("backoff"),
        /** To the server's. */
        RETENTION("retention"),
        /** To no limit. */
        TIMEOUT("timeout");

        private final String path;

        Field(String path) {
            this.path = path;
        }
    }
}
