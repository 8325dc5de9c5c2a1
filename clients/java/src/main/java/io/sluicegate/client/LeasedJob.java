package io.sluicegate.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A dispatched job, as a worker gets it.
 *
 * @param lease the hold on this attempt.
 * @param id the job's id.
 * @param queue its queue.
 * @param type its type; may be empty.
 * @param payload its input; empty where it has none.
 * @param priority its priority; 0 is the most urgent.
 * @param bindings what this dispatch has debited.
 * @param attempts attempts used up before this one.
 * @param maxAttempts failed attempts after which the job is dead.
 * @param timeout the longest that this attempt may take, over all extensions.
 * @param metadata free pairs that travel with the job, such as {@code traceparent}.
 * @param createTime when it was enqueued.
 * @param readyTime when it became ready.
 */
public record LeasedJob(
        Lease lease,
        String id,
        String queue,
        String type,
        Optional<Payload> payload,
        int priority,
        List<Binding> bindings,
        int attempts,
        int maxAttempts,
        Optional<Duration> timeout,
        Map<String, String> metadata,
        Instant createTime,
        Instant readyTime) {
    static LeasedJob fromWire(io.sluicegate.v1.LeasedJob wire) {
        io.sluicegate.v1.Job job = wire.getJob();
        io.sluicegate.v1.JobSpec spec = job.getSpec();
        return new LeasedJob(
                Lease.fromWire(wire.getLease()),
                job.getId(),
                spec.getQueue(),
                spec.getType(),
                Payload.fromWire(spec),
                spec.getPriority(),
                Wire.list(spec.getBindingsList(), Binding::fromWire),
                job.getAttempts(),
                spec.getMaxAttempts(),
                spec.hasTimeout() ? Optional.of(Wire.duration(spec.getTimeout())) : Optional.empty(),
                Map.copyOf(spec.getMetadataMap()),
                Wire.time(job.getCreateTime()),
                Wire.time(job.getReadyTime()));
    }

    /** Names the ids alone: payloads aren't to be logged. */
    @Override
    public String toString() {
        return "LeasedJob[id=" + id + ", lease=" + lease.id() + "]";
    }
}
