package io.sluicegate.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/** A handler's job and its surroundings. Safe for many threads. */
public final class JobContext {
    private final LeasedJob job;
    private final AtomicReference<CancelReason> cancelReason = new AtomicReference<>();
    private final CompletableFuture<CancelReason> cancellation = new CompletableFuture<>();
    private final Map<String, Long> usage = new LinkedHashMap<>();
    private final Map<String, Duration> throttled = new LinkedHashMap<>();
    /** The thread that the handler is on; null before and after. */
    private Thread thread;

    JobContext(LeasedJob job) {
        this.job = job;
    }

    /** The job with its lease. */
    public LeasedJob job() {
        return job;
    }

    /** The job's id. */
    public String id() {
        return job.id();
    }

    /** The job's queue. */
    public String queue() {
        return job.queue();
    }

    /** The job's type; may be empty. */
    public String type() {
        return job.type();
    }

    /** Which attempt this is, from 1. */
    public int attempt() {
        return job.lease().attempt();
    }

    /** The job's input; empty where it has none. */
    public Optional<Payload> payload() {
        return job.payload();
    }

    /** The job's input as text; empty text where it has none. */
    public String text() {
        return job.payload().map(Payload::text).orElse("");
    }

    /** What this dispatch has debited. */
    public List<Binding> budgets() {
        return job.bindings();
    }

    /** Free pairs that travel with the job from its producer, such as {@code traceparent} and {@code tracestate}. */
    public Map<String, String> metadata() {
        return job.metadata();
    }

    /** Whether the handler should stop. */
    public boolean isCancelled() {
        return cancelReason.get() != null;
    }

    /** Why the handler should stop; empty as long as it shouldn't. The first reason stays. */
    public Optional<CancelReason> cancelReason() {
        return Optional.ofNullable(cancelReason.get());
    }

    /** Completes with the reason, on a thread of the common pool, when the handler should stop; never, if that doesn't happen. */
    public CompletionStage<CancelReason> cancellation() {
        return cancellation.minimalCompletionStage();
    }

    /**
     * Reports what this attempt has used of a budget in all, in tokens (0..=10^12), with whatever answer follows (semantics 9.1).
     * The last report for a budget counts. The job must be bound to it.
     */
    public void reportUsage(String budget, long used) {
        Objects.requireNonNull(budget, "budget");
        Wire.amount("usage of " + budget, used);
        synchronized (usage) {
            usage.put(budget, used);
        }
    }

    /**
     * Reports a limit of the far side, with whatever answer follows: the budget dispatches nothing for this long (0..=24 h; semantics
     * 9.3). The last report for a budget counts. The job must be bound to it.
     */
    public void reportThrottled(String budget, Duration retryAfter) {
        Objects.requireNonNull(budget, "budget");
        Objects.requireNonNull(retryAfter, "retryAfter");
        synchronized (usage) {
            throttled.put(budget, retryAfter);
        }
    }

    /** The settlement of this answer with what was reported. */
    Settlement settlement(JobResult result) {
        synchronized (usage) {
            return new Settlement(job.lease().id(), result, usage, throttled);
        }
    }

    /** Tells the handler to stop. */
    void cancel(CancelReason reason) {
        if (cancelReason.compareAndSet(null, reason)) {
            interrupt();
            // A caller's own code may hang on it, and must not keep the worker's thread.
            cancellation.completeAsync(() -> reason);
        }
    }

    private synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The handler begins on the calling thread; interrupts it at once if it is to stop already. */
    synchronized void entered() {
        thread = Thread.currentThread();
        if (isCancelled()) {
            thread.interrupt();
        }
    }

    /** The handler has ended: its thread is interrupted no more on its account, and not left interrupted. */
    synchronized void left() {
        thread = null;
        Thread.interrupted();
    }
}
