package io.sluicegate.client;

import com.google.protobuf.FieldMask;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.sluicegate.client.error.UnavailableException;
import io.sluicegate.v1.AdjustBudgetRequest;
import io.sluicegate.v1.BatchEnqueueRequest;
import io.sluicegate.v1.BatchEnqueueResponse;
import io.sluicegate.v1.BlockBudgetRequest;
import io.sluicegate.v1.CreateBudgetRequest;
import io.sluicegate.v1.DeleteBudgetRequest;
import io.sluicegate.v1.EnqueueRequest;
import io.sluicegate.v1.EnqueueResponse;
import io.sluicegate.v1.ExplainJobRequest;
import io.sluicegate.v1.ExtendLeasesRequest;
import io.sluicegate.v1.GetBudgetRequest;
import io.sluicegate.v1.GetJobRequest;
import io.sluicegate.v1.JobView;
import io.sluicegate.v1.LeaseJobsRequest;
import io.sluicegate.v1.ListBudgetsRequest;
import io.sluicegate.v1.ListQueuesRequest;
import io.sluicegate.v1.PauseQueueRequest;
import io.sluicegate.v1.ReplaceBudgetRequest;
import io.sluicegate.v1.ResumeQueueRequest;
import io.sluicegate.v1.SettleJobsRequest;
import io.sluicegate.v1.UnblockBudgetRequest;
import io.sluicegate.v1.UpdateBudgetRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A connection to a server, and the calls on it. Safe for many threads; one is enough for a program. It connects at the first
 * call, and anew whenever a call needs it.
 *
 * <p>Calls block, and throw {@link io.sluicegate.client.error.SluicegateException}; an interruption of the calling thread ends
 * them. Those ending in {@code Async} don't block, and complete exceptionally with the same exceptions.
 *
 * <pre>{@code
 * try (SluicegateClient client = SluicegateClient.connect("127.0.0.1:7654")) {
 *     client.enqueue(JobSpec.builder("emails", "welcome").json("\"ada@example.com\"").build());
 * }
 * }</pre>
 */
public final class SluicegateClient implements AutoCloseable {
    /** The largest answer: the largest frame that a worker may ask for. */
    private static final int ANSWER_BYTES_MAX = 64 << 20;

    /** HTTP/2 flow control: what may be on its way on one stream, and on the connection. */
    private static final int FLOW_WINDOW_BYTES = 4 << 20;

    /** A connection that carries calls is asked for a sign of life this often … */
    private static final long KEEPALIVE_S = 20;

    /** … and given up when none comes within this. */
    private static final long KEEPALIVE_TIMEOUT_S = 10;

    /** How long {@link #close()} lets calls that are open end. */
    private static final long CLOSE_TIMEOUT_S = 5;

    /** How often a batch with a request id of the client's own is sent at most. */
    private static final int BATCH_TRIES = 3;

    /** The most that the first pause between these is; it doubles. */
    private static final long BATCH_PAUSE_MS = 100;

    private final ManagedChannel channel;
    private final Calls calls;

    private SluicegateClient(ManagedChannel channel, Duration callTimeout) {
        this.channel = channel;
        calls = new Calls(channel, callTimeout);
    }

    /** A client of the server at this address, {@code host:port}, without TLS. */
    public static SluicegateClient connect(String address) {
        return builder(address).build();
    }

    /** Starts putting a client together, of the server at this address, {@code host:port}. */
    public static Builder builder(String address) {
        return new Builder(address);
    }

    /** Puts a client together. */
    public static final class Builder {
        private final String address;
        private boolean tls;
        private Duration callTimeout;

        private Builder(String address) {
            this.address = Objects.requireNonNull(address, "address");
        }

        /** Sets whether the connection uses TLS, with the certificates that the Java runtime trusts. It doesn't by default. */
        public Builder tls(boolean tls) {
            this.tls = tls;
            return this;
        }

        /**
         * Sets how long a call may take before it fails as DEADLINE_EXCEEDED; by default as long as it does. Streams of workers
         * aren't bounded by this. It must be longer than the waits of {@link SluicegateClient#leaseJobs}.
         */
        public Builder callTimeout(Duration timeout) {
            callTimeout = Objects.requireNonNull(timeout, "timeout");
            return this;
        }

        /** The client, which hasn't connected yet. */
        public SluicegateClient build() {
            NettyChannelBuilder channel = NettyChannelBuilder.forTarget(address)
                    .maxInboundMessageSize(ANSWER_BYTES_MAX)
                    .initialFlowControlWindow(FLOW_WINDOW_BYTES)
                    .keepAliveTime(KEEPALIVE_S, TimeUnit.SECONDS)
                    .keepAliveTimeout(KEEPALIVE_TIMEOUT_S, TimeUnit.SECONDS);
            return new SluicegateClient((tls ? channel.useTransportSecurity() : channel.usePlaintext()).build(), callTimeout);
        }
    }

    Calls calls() {
        return calls;
    }

    /**
     * Creates a budget; a time-based one starts full. BudgetAlreadyExistsException changes nothing, so that every instance of a
     * program may define its budgets when it starts (semantics 7.1).
     */
    public Budget defineBudget(String key, Policy policy) {
        var request = CreateBudgetRequest.newBuilder().setKey(key).setPolicy(policy.toWire()).build();
        return Budget.fromWire(calls.call(calls.budgets()::createBudget, request).getBudget());
    }

    /** Creates a budget, or puts this policy in place of the one that it has. CostExceedsCapacityException (semantics 7.4). */
    public Budget defineOrReplaceBudget(String key, Policy policy) {
        return replace(ReplaceBudgetRequest.newBuilder().setAllowMissing(true), key, policy);
    }

    /** Overwrites the whole policy of a budget. BudgetNotFoundException, CostExceedsCapacityException. */
    public Budget replaceBudget(String key, Policy policy) {
        return replace(ReplaceBudgetRequest.newBuilder(), key, policy);
    }

    /** The same if the policy has this etag; else EtagMismatchException. */
    public Budget replaceBudget(String key, Policy policy, String etag) {
        return replace(ReplaceBudgetRequest.newBuilder().setEtag(etag), key, policy);
    }

    private Budget replace(ReplaceBudgetRequest.Builder request, String key, Policy policy) {
        request.setKey(key).setPolicy(policy.toWire());
        return Budget.fromWire(calls.call(calls.budgets()::replaceBudget, request.build()).getBudget());
    }

    /** Shows a budget. BudgetNotFoundException. */
    public Budget getBudget(String key) {
        var request = GetBudgetRequest.newBuilder().setKey(key).build();
        return Budget.fromWire(calls.call(calls.budgets()::getBudget, request).getBudget());
    }

    /** All budgets, in the order of their keys' bytes, fetched page by page as they are read. */
    public Listing<Budget> listBudgets() {
        return listBudgets(0);
    }

    /** The same by pages of this size. 0..=1000; 0 means 100. */
    public Listing<Budget> listBudgets(int pageSize) {
        Wire.amount("pageSize", pageSize);
        return new Listing<>(token -> {
            var request = ListBudgetsRequest.newBuilder().setPageSize(pageSize).setPageToken(token).build();
            var page = calls.call(calls.budgets()::listBudgets, request);
            return new Listing.Page<>(Wire.list(page.getBudgetsList(), Budget::fromWire), page.getNextPageToken());
        });
    }

    /** Changes what the patch names, and keeps the rest. BudgetNotFoundException, CostExceedsCapacityException. */
    public Budget updateBudget(String key, PolicyPatch patch) {
        return updateBudget(key, patch, "");
    }

    /** The same if the policy has this etag, unless it is empty; else EtagMismatchException. */
    public Budget updateBudget(String key, PolicyPatch patch, String etag) {
        FieldMask mask = patch.mask();
        if (patch.isEmpty()) {
            throw new IllegalArgumentException("the patch names nothing to change");
        }
        var request = UpdateBudgetRequest.newBuilder()
                .setKey(key)
                .setPolicy(patch.policy())
                .setUpdateMask(mask)
                .setEtag(etag)
                .build();
        return Budget.fromWire(calls.call(calls.budgets()::updateBudget, request).getBudget());
    }

    /** Deletes a budget. BudgetNotFoundException; BudgetInUseException while unfinished jobs are bound to it. */
    public void deleteBudget(String key) {
        delete(DeleteBudgetRequest.newBuilder().setKey(key));
    }

    /** The same if the policy has this etag; else EtagMismatchException. */
    public void deleteBudget(String key, String etag) {
        delete(DeleteBudgetRequest.newBuilder().setKey(key).setEtag(etag));
    }

    /** Deletes a budget if there is one. BudgetInUseException while unfinished jobs are bound to it. */
    public void deleteBudgetIfExists(String key) {
        delete(DeleteBudgetRequest.newBuilder().setKey(key).setAllowMissing(true));
    }

    /** The same if the policy has this etag; else EtagMismatchException. */
    public void deleteBudgetIfExists(String key, String etag) {
        delete(DeleteBudgetRequest.newBuilder().setKey(key).setAllowMissing(true).setEtag(etag));
    }

    private void delete(DeleteBudgetRequest.Builder request) {
        calls.call(calls.budgets()::deleteBudget, request.build());
    }

    /** Lets a budget dispatch nothing until it is unblocked (semantics 9.4). BudgetNotFoundException. */
    public Budget blockBudget(String key) {
        return block(BlockBudgetRequest.newBuilder().setKey(key));
    }

    /** Lets a budget dispatch nothing for this long, 1 ns..=366 d; of two blocks the later end holds. BudgetNotFoundException. */
    public Budget blockBudget(String key, Duration duration) {
        return block(BlockBudgetRequest.newBuilder().setKey(key).setDuration(Wire.duration(duration)));
    }

    private Budget block(BlockBudgetRequest.Builder request) {
        return Budget.fromWire(calls.call(calls.budgets()::blockBudget, request.build()).getBudget());
    }

    /** Ends a block, and whatever workers reported as throttled (semantics 9.4). BudgetNotFoundException. */
    public Budget unblockBudget(String key) {
        var request = UnblockBudgetRequest.newBuilder().setKey(key).build();
        return Budget.fromWire(calls.call(calls.budgets()::unblockBudget, request).getBudget());
    }

    /** Sets the level of a time-based pool, in tokens, 0..=capacity (semantics 9.5). BudgetNotFoundException. */
    public Budget adjustBudget(String key, long level) {
        var request = AdjustBudgetRequest.newBuilder().setKey(key).setLevel(Wire.amount("level", level)).build();
        return Budget.fromWire(calls.call(calls.budgets()::adjustBudget, request).getBudget());
    }

    /** Takes in a job. A repeat of the call is another job: see {@link #enqueue(JobSpec, String)}. */
    public Enqueued enqueue(JobSpec job) {
        return enqueue(job, "");
    }

    /**
     * Takes in a job, once for each request id: a repeat of the call, within 10 min, gets the first answer.
     *
     * @param requestId 1..=128 bytes of UTF-8, best a random UUID.
     */
    public Enqueued enqueue(JobSpec job, String requestId) {
        return enqueued(calls.call(calls.jobs()::enqueue, enqueueRequest(job, requestId)));
    }

    /** As {@link #enqueue(JobSpec)}, without blocking. */
    public CompletableFuture<Enqueued> enqueueAsync(JobSpec job) {
        return enqueueAsync(job, "");
    }

    /** As {@link #enqueue(JobSpec, String)}, without blocking. */
    public CompletableFuture<Enqueued> enqueueAsync(JobSpec job, String requestId) {
        return calls.callAsync(calls.jobsAsync()::enqueue, enqueueRequest(job, requestId), this::enqueued);
    }

    private static EnqueueRequest enqueueRequest(JobSpec job, String requestId) {
        return EnqueueRequest.newBuilder().setJob(job.toWire()).setRequestId(requestId).build();
    }

    private Enqueued enqueued(EnqueueResponse answer) {
        return new Enqueued(new Job(this, answer.getJob()), answer.getExisting());
    }

    /**
     * Takes in 1..=10,000 jobs in this order: all of them, or none. Makes a request id of its own, so that it can, and does, repeat
     * the call a few times when the connection breaks, and still takes them in once.
     */
    public List<EnqueuedId> enqueueMany(Collection<JobSpec> jobs) {
        String requestId = UUID.randomUUID().toString();
        for (int tries = 1; ; tries++) {
            try {
                return enqueueMany(jobs, requestId);
            } catch (UnavailableException error) {
                if (tries == BATCH_TRIES || !pause(BATCH_PAUSE_MS << (tries - 1))) {
                    throw error;
                }
            }
        }
    }

    /** Waits up to this long, drawn at random; false if the thread is interrupted. */
    private static boolean pause(long maxMs) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(maxMs + 1));
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Takes in jobs, once for each request id; see {@link #enqueue(JobSpec, String)}. Sent once. */
    public List<EnqueuedId> enqueueMany(Collection<JobSpec> jobs, String requestId) {
        return enqueuedIds(calls.call(calls.jobs()::batchEnqueue, batchRequest(jobs, requestId)));
    }

    /** As {@link #enqueueMany(Collection, String)}, without blocking. */
    public CompletableFuture<List<EnqueuedId>> enqueueManyAsync(Collection<JobSpec> jobs, String requestId) {
        return calls.callAsync(
                calls.jobsAsync()::batchEnqueue, batchRequest(jobs, requestId), SluicegateClient::enqueuedIds);
    }

    private static BatchEnqueueRequest batchRequest(Collection<JobSpec> jobs, String requestId) {
        BatchEnqueueRequest.Builder request = BatchEnqueueRequest.newBuilder().setRequestId(requestId);
        jobs.forEach(job -> request.addJobs(job.toWire()));
        return request.build();
    }

    private static List<EnqueuedId> enqueuedIds(BatchEnqueueResponse answer) {
        return Wire.list(answer.getJobsList(), job -> new EnqueuedId(job.getId(), job.getExisting()));
    }

    /** Shows a job in full. JobNotFoundException, also once it is removed. */
    public Job getJob(String id) {
        var request = GetJobRequest.newBuilder().setJobId(id).setView(JobView.JOB_VIEW_FULL).build();
        return new Job(this, calls.call(calls.jobs()::getJob, request).getJob());
    }

    /** Jobs to list, count or change: say which by its conditions. */
    public JobSelection jobs() {
        return new JobSelection(this);
    }

    /** All jobs in the order of their ids, without payloads; {@link #jobs()} for some of them. */
    public Listing<Job> listJobs() {
        return jobs().list();
    }

    /** How many jobs there are; {@link #jobs()} for some of them. */
    public long countJobs() {
        return jobs().count();
    }

    /** Says why a job isn't being dispatched (semantics 12). JobNotFoundException. */
    public Explanation explainJob(String id) {
        var request = ExplainJobRequest.newBuilder().setJobId(id).build();
        return Explanation.fromWire(calls.call(calls.jobs()::explainJob, request).getExplanation());
    }

    /** The queues that have stored jobs or are paused, in the order of their names' bytes. */
    public Listing<QueueInfo> listQueues() {
        return new Listing<>(token -> {
            var request = ListQueuesRequest.newBuilder().setPageToken(token).build();
            var page = calls.call(calls.queues()::listQueues, request);
            return new Listing.Page<>(Wire.list(page.getQueuesList(), QueueInfo::fromWire), page.getNextPageToken());
        });
    }

    /** Dispatches nothing from a queue until it is resumed (semantics 9.4). */
    public QueueInfo pauseQueue(String name) {
        var request = PauseQueueRequest.newBuilder().setName(name).build();
        return QueueInfo.fromWire(calls.call(calls.queues()::pauseQueue, request).getQueue());
    }

    /** Dispatches from a queue again. */
    public QueueInfo resumeQueue(String name) {
        var request = ResumeQueueRequest.newBuilder().setName(name).build();
        return QueueInfo.fromWire(calls.call(calls.queues()::resumeQueue, request).getQueue());
    }

    /** Leases jobs without a stream, waiting for the first if the options say so. Empty where nothing could be dispatched in time. */
    public List<LeasedJob> leaseJobs(LeaseOptions options) {
        LeaseJobsRequest request = options.toWire();
        return Wire.list(calls.call(calls.jobs()::leaseJobs, request).getJobsList(), LeasedJob::fromWire);
    }

    /** Ends 1..=1000 leases, each for itself: a result each, in this order (semantics 5.4). */
    public List<SettleResult> settleJobs(Collection<Settlement> settlements) {
        SettleJobsRequest.Builder request = SettleJobsRequest.newBuilder();
        settlements.forEach(settlement -> request.addOutcomes(settlement.toWire()));
        return Wire.list(calls.call(calls.jobs()::settleJobs, request.build()).getResultsList(), SettleResult::fromWire);
    }

    /** Prolongs 1..=1000 leases, each by its own duration from now: a result each, in this order (semantics 5.1). */
    public List<ExtendResult> extendLeases(Collection<String> leaseIds) {
        var request = ExtendLeasesRequest.newBuilder().addAllLeaseIds(leaseIds).build();
        return Wire.list(calls.call(calls.jobs()::extendLeases, request).getResultsList(), ExtendResult::fromWire);
    }

    /** Ends the connection; calls that are open get a few seconds to end. Workers are to be closed before. */
    @Override
    public void close() {
        channel.shutdown();
        try {
            if (!channel.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS)) {
                channel.shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            channel.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
