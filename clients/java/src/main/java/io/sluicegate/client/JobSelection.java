package io.sluicegate.client;

import io.sluicegate.v1.BulkModifyBindingsRequest;
import io.sluicegate.v1.CancelJobsRequest;
import io.sluicegate.v1.CountJobsRequest;
import io.sluicegate.v1.DeleteJobsRequest;
import io.sluicegate.v1.JobFilter;
import io.sluicegate.v1.JobIds;
import io.sluicegate.v1.JobView;
import io.sluicegate.v1.ListJobsRequest;
import io.sluicegate.v1.RetryJobsRequest;
import io.sluicegate.v1.UpdateJobsRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jobs that meet all conditions that were said; of several values for one condition, any. Immutable: each condition returns
 * another selection. Nothing is selected before a call: each sees the jobs as they are then.
 *
 * <p>Without a condition it lists and counts all jobs, while calls that change jobs throw {@link IllegalStateException} unless
 * {@link #all()} was said.
 *
 * <pre>{@code
 * client.jobs().byQueue("emails").byBudgetsKey("stripe").bindBudget(Binding.to("smtp"));
 * }</pre>
 */
public final class JobSelection implements Iterable<Job> {
    private final SluicegateClient client;
    private final JobFilter filter;

    JobSelection(SluicegateClient client) {
        this(client, JobFilter.getDefaultInstance());
    }

    private JobSelection(SluicegateClient client, JobFilter filter) {
        this.client = client;
        this.filter = filter;
    }

    private JobSelection with(JobFilter.Builder changed) {
        return new JobSelection(client, changed.build());
    }

    /** Every job. With any other condition the server refuses it. */
    public JobSelection all() {
        return with(filter.toBuilder().setAll(true));
    }

    /** Those with these ids, at most 10,000; without an id none. Replaces ids that were said before. */
    public JobSelection byIds(Collection<String> ids) {
        return with(filter.toBuilder().setIds(JobIds.newBuilder().addAllIds(ids)));
    }

    /** Those in one of these queues, at most 100. */
    public JobSelection byQueue(String... queues) {
        return with(filter.toBuilder().addAllQueues(List.of(queues)));
    }

    /** Those of one of these types, at most 100; an empty one selects jobs without a type. */
    public JobSelection byType(String... types) {
        return with(filter.toBuilder().addAllTypes(List.of(types)));
    }

    /** Those in one of these states. */
    public JobSelection byState(JobState... states) {
        JobFilter.Builder changed = filter.toBuilder();
        for (JobState state : states) {
            changed.addStates(state.toWire());
        }
        return with(changed);
    }

    /** Those bound to one of these budgets, at most 100, which need not exist. */
    public JobSelection byBudgetsKey(String... budgets) {
        return with(filter.toBuilder().addAllBudgets(List.of(budgets)));
    }

    /** Those of a priority in this range, both ends included. 0..=65535. */
    public JobSelection byPriority(int min, int max) {
        return byPriorityMin(min).byPriorityMax(max);
    }

    /** Those of this priority or a larger number (less urgent). 0..=65535. */
    public JobSelection byPriorityMin(int min) {
        return with(filter.toBuilder().setPriorityMin(Wire.amount("priorityMin", min)));
    }

    /** Those of this priority or a smaller number (more urgent). 0..=65535. */
    public JobSelection byPriorityMax(int max) {
        return with(filter.toBuilder().setPriorityMax(Wire.amount("priorityMax", max)));
    }

    /** Those enqueued at or after this. */
    public JobSelection createdFrom(Instant time) {
        return with(filter.toBuilder().setCreatedFrom(Wire.time(time)));
    }

    /** Those enqueued before this. */
    public JobSelection createdUntil(Instant time) {
        return with(filter.toBuilder().setCreatedUntil(Wire.time(time)));
    }

    /** Those with a ready time at or after this. */
    public JobSelection runFrom(Instant time) {
        return with(filter.toBuilder().setRunFrom(Wire.time(time)));
    }

    /** Those with a ready time before this. */
    public JobSelection runUntil(Instant time) {
        return with(filter.toBuilder().setRunUntil(Wire.time(time)));
    }

    /** How many there are. */
    public long count() {
        var request = CountJobsRequest.newBuilder().setFilter(filter).build();
        return calls().call(calls().jobs()::countJobs, request).getCount();
    }

    /** The jobs in the order of their ids, without payloads, fetched page by page as they are read. */
    public Listing<Job> list() {
        return list(0);
    }

    /** The same by pages of this size. 0..=1000; 0 means 100. */
    public Listing<Job> list(int pageSize) {
        return list(pageSize, JobView.JOB_VIEW_BASIC);
    }

    /** The same with payloads, metadata, errors and results. */
    public Listing<Job> listInFull(int pageSize) {
        return list(pageSize, JobView.JOB_VIEW_FULL);
    }

    private Listing<Job> list(int pageSize, JobView view) {
        Wire.amount("pageSize", pageSize);
        return new Listing<>(token -> {
            var request = ListJobsRequest.newBuilder()
                    .setFilter(filter)
                    .setView(view)
                    .setPageSize(pageSize)
                    .setPageToken(token)
                    .build();
            var page = calls().call(calls().jobs()::listJobs, request);
            return new Listing.Page<>(Wire.list(page.getJobsList(), job -> new Job(client, job)), page.getNextPageToken());
        });
    }

    /** As {@link #list()}. */
    @Override
    public Iterator<Job> iterator() {
        return list().iterator();
    }

    /** As {@link #list()}. */
    public Stream<Job> stream() {
        return list().stream();
    }

    /** As {@link #bindBudget(Binding, Apply)}, and commits. */
    public Changed bindBudget(Binding binding) {
        return bindBudget(binding, Apply.COMMIT);
    }

    /** Adds a binding; jobs that are bound to the budget stay as they are (semantics 8.2). */
    public Changed bindBudget(Binding binding, Apply apply) {
        return modify(BindingOperation.bind(binding), apply);
    }

    /** As {@link #rebindBudget(Binding, Apply)}, and commits. */
    public Changed rebindBudget(Binding binding) {
        return rebindBudget(binding, Apply.COMMIT);
    }

    /** Replaces the binding to this budget whole, or adds it. */
    public Changed rebindBudget(Binding binding, Apply apply) {
        return modify(BindingOperation.rebind(binding), apply);
    }

    /** As {@link #setCost(String, long, Apply)}, and commits. */
    public Changed setCost(String budget, long cost) {
        return setCost(budget, cost, Apply.COMMIT);
    }

    /** Changes what the binding to this budget costs, in tokens, where there is one. 1..=10^12. */
    public Changed setCost(String budget, long cost, Apply apply) {
        return modify(BindingOperation.setCost(budget, cost), apply);
    }

    /** As {@link #unbindBudget(String, Apply)}, and commits. */
    public Changed unbindBudget(String budget) {
        return unbindBudget(budget, Apply.COMMIT);
    }

    /** Takes the binding to this budget away, where there is one. */
    public Changed unbindBudget(String budget, Apply apply) {
        return modify(BindingOperation.unbind(budget), apply);
    }

    /** As {@link #unbindAll(Apply)}, and commits. */
    public Changed unbindAll() {
        return unbindAll(Apply.COMMIT);
    }

    /** Takes all bindings away. */
    public Changed unbindAll(Apply apply) {
        return modify(BindingOperation.unbindAll(), apply);
    }

    /** As {@link #replaceBudgets(Collection, Apply)}, and commits. */
    public Changed replaceBudgets(Collection<Binding> bindings) {
        return replaceBudgets(bindings, Apply.COMMIT);
    }

    /** Puts these bindings, at most 16, in place of all that there are. */
    public Changed replaceBudgets(Collection<Binding> bindings, Apply apply) {
        return modify(BindingOperation.replaceAll(bindings), apply);
    }

    private Changed modify(io.sluicegate.v1.BindingOperation operation, Apply apply) {
        var request = BulkModifyBindingsRequest.newBuilder()
                .setFilter(chosen())
                .setOperation(operation)
                .setValidateOnly(apply == Apply.VALIDATE_ONLY)
                .build();
        var answer = calls().call(calls().jobs()::bulkModifyBindings, request);
        return new Changed(answer.getChanged(), List.copyOf(answer.getBlocked2List()), answer.getBlockedCount3());
    }

    /** As {@link #cancel(CancelMode, Apply)}: asks the workers of those in flight, and commits. */
    public Changed cancel() {
        return cancel(CancelMode.ASK, Apply.COMMIT);
    }

    /** Cancels scheduled and ready jobs at once, and does with those in flight as the mode says (semantics 6.1). */
    public Changed cancel(CancelMode mode, Apply apply) {
        var request = CancelJobsRequest.newBuilder()
                .setFilter(chosen())
                .setForce(mode == CancelMode.FORCE)
                .setValidateOnly(apply == Apply.VALIDATE_ONLY)
                .build();
        var answer = calls().call(calls().jobs()::cancelJobs, request);
        return new Changed(answer.getChanged(), List.copyOf(answer.getBlocked2List()), answer.getBlockedCount3());
    }

    /** As {@link #retry(Apply)}, and commits. */
    public Changed retry() {
        return retry(Apply.COMMIT);
    }

    /** Makes dead and cancelled jobs ready, and those that wait for their backoff (semantics 6.5). */
    public Changed retry(Apply apply) {
        var request = RetryJobsRequest.newBuilder()
                .setFilter(chosen())
                .setValidateOnly(apply == Apply.VALIDATE_ONLY)
                .build();
        var answer = calls().call(calls().jobs()::retryJobs, request);
        return new Changed(answer.getChanged(), List.copyOf(answer.getBlocked2List()), answer.getBlockedCount3());
    }

    /** As {@link #delete(Apply)}, and commits. */
    public Changed delete() {
        return delete(Apply.COMMIT);
    }

    /** Deletes jobs that aren't in flight, with their payloads and results. */
    public Changed delete(Apply apply) {
        var request = DeleteJobsRequest.newBuilder()
                .setFilter(chosen())
                .setValidateOnly(apply == Apply.VALIDATE_ONLY)
                .build();
        var answer = calls().call(calls().jobs()::deleteJobs, request);
        return new Changed(answer.getChanged(), List.copyOf(answer.getBlocked2List()), answer.getBlockedCount3());
    }

    /** As {@link #update(JobPatch, Apply)}, and commits. */
    public Changed update(JobPatch patch) {
        return update(patch, Apply.COMMIT);
    }

    /** Changes scheduled and ready jobs. An empty patch is refused with {@link IllegalArgumentException}. */
    public Changed update(JobPatch patch, Apply apply) {
        if (patch.isEmpty()) {
            throw new IllegalArgumentException("the patch names nothing to change");
        }
        var request = UpdateJobsRequest.newBuilder()
                .setFilter(chosen())
                .setJob(patch.values())
                .setUpdateMask(patch.mask())
                .setValidateOnly(apply == Apply.VALIDATE_ONLY)
                .build();
        var answer = calls().call(calls().jobs()::updateJobs, request);
        return new Changed(answer.getChanged(), List.copyOf(answer.getBlocked2List()), answer.getBlockedCount3());
    }

    /** The filter of a call that changes jobs. */
    private JobFilter chosen() {
        if (filter.equals(JobFilter.getDefaultInstance())) {
            throw new IllegalStateException("the selection has no condition: say all() to change every job");
        }
        return filter;
    }

    private Calls calls() {
        return client.calls();
    }
}
