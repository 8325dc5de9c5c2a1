package io.sluicegate.client;

import io.sluicegate.client.WorkerStats.Ending;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Handlers at work: one thread a job, at most the window of them at once. Knows nothing of streams and leases' lives: it is told what
 * to start and what to stop, and says what has ended. Used by one thread, but for the handlers.
 */
final class HandlerPool {
    /** How long a thread without a job stays. */
    private static final long IDLE_S = 10;

    /**
     * A handler that has ended.
     *
     * @param settlement its answer with its reports.
     * @param ending how that counts.
     */
    record Finished(String leaseId, Settlement settlement, Ending ending) {}

    private final Map<String, JobHandler> byType;
    private final JobHandler forAll;
    private final int places;
    private final Consumer<Finished> finished;
    private final Deque<LeasedJob> waiting = new ArrayDeque<>();
    private final Map<String, JobContext> started = new HashMap<>();
    private final ThreadPoolExecutor threads;

    /**
     * No handler is at work.
     *
     * @param forAll the handler of types that have none of their own; null if such jobs fail.
     * @param finished told, on the handlers' threads, what has ended.
     */
    HandlerPool(
            Map<String, JobHandler> byType,
            JobHandler forAll,
            int places,
            ThreadFactory factory,
            Consumer<Finished> finished) {
        this.byType = Map.copyOf(byType);
        this.forAll = forAll;
        this.places = places;
        this.finished = finished;
        // A handler tells its end before its thread is free: the next job may need another one for a moment. So the bound is here.
        threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_S, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
    }

    /** Handlers that haven't ended, those of lost leases included. */
    int busy() {
        return started.size();
    }

    /** Puts a job in line. */
    void enqueue(LeasedJob job) {
        waiting.add(job);
    }

    /** Forgets the jobs in line. */
    void clearWaiting() {
        waiting.clear();
    }

    /** Starts jobs in line while there are places. {@code mayStart} is asked once for each, and those it denies are forgotten. */
    void startWaiting(Predicate<String> mayStart) {
        while (started.size() < places && !waiting.isEmpty()) {
            LeasedJob job = waiting.remove();
            if (mayStart.test(job.lease().id())) {
                JobContext context = new JobContext(job);
                started.put(job.lease().id(), context);
                threads.execute(() -> run(context));
            }
        }
    }

    /** Takes note that a handler has ended, which gives its place back. */
    void ended(String leaseId) {
        started.remove(leaseId);
    }

    /** Tells a handler to stop. False if the job has none. */
    boolean stop(String leaseId, CancelReason reason) {
        JobContext context = started.get(leaseId);
        if (context == null) {
            return false;
        }
        context.cancel(reason);
        return true;
    }

    /** Tells all handlers to stop. */
    void stopAll(CancelReason reason) {
        started.values().forEach(context -> context.cancel(reason));
    }

    /** Starts nothing any more. Handlers that don't listen keep their threads, which can't be ended from outside. */
    void shutdown() {
        threads.shutdownNow();
    }

    private void run(JobContext context) {
        JobResult result;
        context.entered();
        try {
            result = Optional.ofNullable(handler(context.type()).handle(context)).orElseGet(JobResult::success);
        } catch (JobResultException answer) {
            result = answer.result();
        } catch (Exception | LinkageError | AssertionError | StackOverflowError error) {
            result = JobResult.failure(describe(error));
        } catch (Throwable fatal) {
            // The job goes on to fail, and the thread's own handler of what isn't caught hears of it.
            finish(context, JobResult.failure(describe(fatal)));
            throw fatal;
        }
        finish(context, result);
    }

    private void finish(JobContext context, JobResult result) {
        context.left();
        boolean stops = context.cancelReason().filter(reason -> reason == CancelReason.WORKER_STOPPING).isPresent();
        // A failure of a handler that was told to stop since its worker stops says nothing about the job.
        JobResult counted = stops && result instanceof JobResult.Failure ? JobResult.release() : result;
        finished.accept(new Finished(context.job().lease().id(), context.settlement(counted), ending(counted)));
    }

    private JobHandler handler(String type) {
        JobHandler handler = byType.getOrDefault(type, forAll);
        return handler != null
                ? handler
                : context -> JobResult.failure("this worker has no handler for jobs of type `" + type + "`");
    }

    private static Ending ending(JobResult result) {
        if (result instanceof JobResult.Success) {
            return Ending.SUCCEEDED;
        }
        return result instanceof JobResult.Release || result instanceof JobResult.Throttled
                ? Ending.RELEASED
                : Ending.FAILED;
    }

    /** An error and what caused it, joined by colons. A cause whose words its effect repeats is named once. */
    static String describe(Throwable error) {
        StringBuilder text = new StringBuilder(words(error));
        Throwable cause = error.getCause();
        for (int depth = 0; cause != null && depth < 16; depth++) {
            String words = words(cause);
            if (text.indexOf(words) < 0) {
                text.append(": ").append(words);
            }
            cause = cause.getCause();
        }
        return text.toString();
    }

    private static String words(Throwable error) {
        String message = error.getMessage();
        return message == null || message.isEmpty() ? error.getClass().getSimpleName() : message;
    }
}
