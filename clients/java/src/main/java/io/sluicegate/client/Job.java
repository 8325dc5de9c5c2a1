package io.sluicegate.client;

import io.sluicegate.v1.ModifyBindingsRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A stored job as an answer showed it: it never changes by itself. Methods that change the job ask the server, and return the job
 * as it is then.
 *
 * <p>Payload, metadata, errors and result are there where the call shows jobs in full, as {@link SluicegateClient#getJob} does.
 */
public final class Job {
    private final SluicegateClient client;
    private final io.sluicegate.v1.Job wire;

    Job(SluicegateClient client, io.sluicegate.v1.Job wire) {
        this.client = client;
        this.wire = wire;
    }

    /** Opaque. Ids sort, as bytes, in the order of enqueue. */
    public String id() {
        return wire.getId();
    }

    /** Its queue. */
    public String queue() {
        return wire.getSpec().getQueue();
    }

    /** Its type; may be empty. */
    public String type() {
        return wire.getSpec().getType();
    }

    /** Where it is in its life. */
    public JobState state() {
        return JobState.fromWire(wire.getState());
    }

    /** 0 is the most urgent, 65535 the least. */
    public int priority() {
        return wire.getSpec().getPriority();
    }

    /** Attempts used up; the one in flight doesn't count. */
    public int attempts() {
        return wire.getAttempts();
    }

    /** Failed attempts after which it is dead. */
    public int maxAttempts() {
        return wire.getSpec().getMaxAttempts();
    }

    /** What a dispatch debits. */
    public List<Binding> budgets() {
        return Wire.list(wire.getSpec().getBindingsList(), Binding::fromWire);
    }

    /** Its input. */
    public Optional<Payload> payload() {
        return Payload.fromWire(wire.getSpec());
    }

    /** Free pairs that travel with it. */
    public Map<String, String> metadata() {
        return Map.copyOf(wire.getSpec().getMetadataMap());
    }

    /** The last 10 failed attempts, oldest first. */
    public List<AttemptError> errors() {
        return Wire.list(wire.getErrorsList(), AttemptError::fromWire);
    }

    /** What its worker returned with success, a copy; empty where nothing was, or is kept. */
    public byte[] result() {
        return wire.getResult().toByteArray();
    }

    /** The longest that one attempt may take; empty where there is no limit. */
    public Optional<Duration> timeout() {
        var spec = wire.getSpec();
        return spec.hasTimeout() ? Optional.of(Wire.duration(spec.getTimeout())) : Optional.empty();
    }

    /** The live lease, of a job in flight. */
    public Optional<Lease> lease() {
        return wire.hasLease() ? Optional.of(Lease.fromWire(wire.getLease())) : Optional.empty();
    }

    /** When it was enqueued; empty where the answer held no more than the id. */
    public Optional<Instant> createTime() {
        return Wire.time(wire.hasCreateTime(), wire.getCreateTime());
    }

    /** When it became ready, or will. */
    public Optional<Instant> readyTime() {
        return Wire.time(wire.hasReadyTime(), wire.getReadyTime());
    }

    /** When it became terminal. */
    public Optional<Instant> finishTime() {
        return Wire.time(wire.hasFinishTime(), wire.getFinishTime());
    }

    /** When it will be removed, once it is terminal. */
    public Optional<Instant> removeTime() {
        return Wire.time(wire.hasRemoveTime(), wire.getRemoveTime());
    }

    /** Not dispatched before, since a release said so. */
    public Optional<Instant> delayedUntil() {
        return Wire.time(wire.hasDelayedUntil(), wire.getDelayedUntil());
    }

    /** Bytes of payload and metadata together, whether they are shown or not. */
    public long bodyBytes() {
        return wire.getBodyBytes();
    }

    /** As {@link #bindBudget(Binding)} with one token. */
    public Job bindBudget(String budget) {
        return bindBudget(Binding.to(budget));
    }

    /** Adds a binding. AlreadyBoundException if the job is bound to the budget (semantics 8.1). */
    public Job bindBudget(Binding binding) {
        return modify(BindingOperation.bind(binding));
    }

    /** Replaces the binding to this budget whole, or adds it. */
    public Job rebindBudget(Binding binding) {
        return modify(BindingOperation.rebind(binding));
    }

    /** Changes what a binding costs, in tokens. 1..=10^12. NotBoundException if the job isn't bound to the budget. */
    public Job setCost(String budget, long cost) {
        return modify(BindingOperation.setCost(budget, cost));
    }

    /** Takes a binding away. NotBoundException if the job isn't bound to the budget. */
    public Job unbindBudget(String budget) {
        return modify(BindingOperation.unbind(budget));
    }

    /** Takes all bindings away. */
    public Job unbindAll() {
        return modify(BindingOperation.unbindAll());
    }

    /** Puts these bindings, at most 16, in place of all that there are. */
    public Job replaceBudgets(Collection<Binding> bindings) {
        return modify(BindingOperation.replaceAll(bindings));
    }

    /** Cancels it, or asks its worker to end it (semantics 6.1). */
    public Changed cancel() {
        return selection().cancel();
    }

    /** Cancels it in this way. */
    public Changed cancel(CancelMode mode) {
        return selection().cancel(mode, Apply.COMMIT);
    }

    /** Makes it ready, if it is dead or cancelled or waits for its backoff (semantics 6.5). */
    public Changed retry() {
        return selection().retry();
    }

    /** Deletes it, unless it is in flight. */
    public Changed delete() {
        return selection().delete();
    }

    /** Says why it isn't being dispatched (semantics 12). */
    public Explanation explain() {
        return client.explainJob(id());
    }

    private JobSelection selection() {
        return client.jobs().byIds(List.of(id()));
    }

    private Job modify(io.sluicegate.v1.BindingOperation operation) {
        var request = ModifyBindingsRequest.newBuilder().setJobId(id()).setOperation(operation).build();
        return new Job(client, client.calls().call(client.calls().jobs()::modifyBindings, request).getJob());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Job job && wire.equals(job.wire);
    }

    @Override
    public int hashCode() {
        return wire.hashCode();
    }

    /** Names the id alone: payloads aren't to be logged. */
    @Override
    public String toString() {
        return "Job[id=" + id() + ", state=" + state() + "]";
    }
}
