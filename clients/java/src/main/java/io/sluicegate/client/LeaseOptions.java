package io.sluicegate.client;

import io.sluicegate.v1.LeaseJobsRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** What to lease without a stream. Immutable: each method returns other options. */
public final class LeaseOptions {
    /** The largest answer that this client takes. */
    private static final long ANSWER_BYTES_MAX = 32 << 20;

    private final LeaseJobsRequest wire;

    private LeaseOptions(LeaseJobsRequest wire) {
        this.wire = wire;
    }

    /**
     * One job, at once.
     *
     * @param workerId 1..=128 bytes of {@code [A-Za-z0-9._:/@-]}.
     * @param queues 1..=64 names, each another.
     */
    public static LeaseOptions of(String workerId, String... queues) {
        return of(workerId, List.of(queues));
    }

    /** As {@link #of(String, String...)}. */
    public static LeaseOptions of(String workerId, Collection<String> queues) {
        return new LeaseOptions(LeaseJobsRequest.newBuilder()
                .setWorkerId(workerId)
                .addAllQueues(queues)
                .setMaxBytes(ANSWER_BYTES_MAX)
                .build());
    }

    /** At most this many jobs. 0..=1000; 0 means 1. */
    public LeaseOptions maxJobs(int jobs) {
        return new LeaseOptions(wire.toBuilder().setMaxJobs(Wire.amount("maxJobs", jobs)).build());
    }

    /** What the leases, and each extension, are worth. 1 s..=24 h; 30 s by default. */
    public LeaseOptions leaseDuration(Duration duration) {
        return new LeaseOptions(wire.toBuilder().setLeaseDuration(Wire.duration(duration)).build());
    }

    /** How long to wait for the first job. 0..=30 s; 0 by default. */
    public LeaseOptions waitFor(Duration time) {
        return new LeaseOptions(wire.toBuilder().setWait(Wire.duration(time)).build());
    }

    /** Makes a repeat of the call return the leases of the first that are still live. 1..=128 bytes, best a random UUID. */
    public LeaseOptions requestId(String id) {
        return new LeaseOptions(wire.toBuilder().setRequestId(id).build());
    }

    LeaseJobsRequest toWire() {
        return wire;
    }
}
