package io.sluicegate.client;

import io.sluicegate.client.error.SluicegateException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes jobs from some queues and runs their handlers, at most a window of them at once.
 *
 * <p>Leases are extended while handlers run, outcomes are sent in batches and kept until the server has confirmed them, and a
 * connection that is lost comes back, for ever, with all that is in hand. Each worker works once.
 *
 * <pre>{@code
 * try (Worker worker = Worker.builder(client)
 *         .queue("emails")
 *         .window(8)
 *         .handler("welcome", job -> {
 *             System.out.println("welcome, " + job.text());
 *             return JobResult.success();
 *         })
 *         .build()) {
 *     worker.run();
 * }
 * }</pre>
 */
public final class Worker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private final SluicegateClient client;
    private final WorkerSettings settings;
    private final WorkerStats stats = new WorkerStats();
    private final WorkerEngine engine;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Worker(SluicegateClient client, WorkerSettings settings) {
        this.client = client;
        this.settings = settings;
        engine = new WorkerEngine(settings, stats);
    }

    /** Starts putting a worker together. */
    public static Builder builder(SluicegateClient client) {
        return new Builder(client);
    }

    /** The worker's id. */
    public String workerId() {
        return settings.workerId();
    }

    /** Its counters, which go on counting while it works. */
    public WorkerStats stats() {
        return stats;
    }

    /**
     * Works on the calling thread until {@link #shutdown()} or an interruption of the thread; then drains: takes nothing more, gives
     * back what wasn't started, waits for handlers up to the drain grace, interrupts the rest, and leaves. Handlers that don't
     * end within the stop grace either are left behind, on daemon threads; their jobs go back.
     *
     * @throws SluicegateException only where coming back is of no use:
     *     {@link io.sluicegate.client.error.SessionSupersededException}, and
     *     {@link io.sluicegate.client.error.InvalidFieldException} for settings that the server refuses. Handlers are
     *     interrupted then.
     * @throws IllegalStateException if it has worked before.
     */
    public void run() {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("a worker works once: build another one");
        }
        try {
            work();
        } finally {
            stats.disconnected();
            engine.close();
            ended.countDown();
        }
    }

    /** Works on a thread of its own. What it returns completes when {@link #run()} would return or throw. */
    public CompletableFuture<Void> start() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Runnable work = () -> {
            try {
                run();
                end.complete(null);
            } catch (RuntimeException | Error error) {
                end.completeExceptionally(error);
            }
        };
        new Thread(work, "sluicegate-" + workerId()).start();
        return end;
    }

    /** Begins to drain, and returns at once. */
    public void shutdown() {
        engine.shutdown();
    }

    /**
     * Drains, and returns when the worker has ended, which takes the drain grace and the stop grace at most, and a few seconds for
     * the server. Not to be called by a handler.
     */
    @Override
    public void close() {
        shutdown();
        if (!begun.get()) {
            return;
        }
        try {
            ended.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        ReconnectDelays delays = new ReconnectDelays(new SplittableRandom());
        while (true) {
            WorkerSession.End end = new WorkerSession(client.calls().stream(), engine, delays).run();
            stats.disconnected();
            Duration wait;
            if (end instanceof WorkerSession.End.Left) {
                return;
            } else if (end instanceof WorkerSession.End.Fatal fatal) {
                engine.abandon();
                throw fatal.error();
            } else if (end instanceof WorkerSession.End.Draining draining) {
                wait = draining.reconnectAfter().plus(delays.next());
                LOG.log(Level.INFO, "the server goes; the worker comes back in {0}", wait);
            } else {
                SluicegateException error = ((WorkerSession.End.Broken) end).error();
                client.calls().connectAnew();
                Duration asked = error.retryAfter().orElse(Duration.ZERO);
                Duration drawn = delays.next();
                wait = drawn.compareTo(asked) < 0 ? asked : drawn;
                LOG.log(Level.WARNING, "no connection to the server ({0}); the worker tries again in {1}", error, wait);
            }
            if (engine.pause(wait)) {
                return;
            }
        }
    }

    /** Puts a {@link Worker} together. */
    public static final class Builder {
        private final SluicegateClient client;
        private final List<String> queues = new ArrayList<>();
        private final Map<String, JobHandler> byType = new HashMap<>();
        private String workerId = "worker-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        private JobHandler forAll;
        private int window = 16;
        private long windowBytes;
        private Duration leaseDuration;
        private Duration leaseTotalMax;
        private Duration pingInterval = Duration.ofSeconds(15);
        private int maxMessageBytes = 32 << 20;
        private Duration drainGrace = Duration.ofSeconds(30);
        private Duration stopGrace = Duration.ofSeconds(5);
        private ThreadFactory threads;

        private Builder(SluicegateClient client) {
            this.client = Objects.requireNonNull(client, "client");
        }

        /** Serves this queue, besides those named before. 1..=64 queues. */
        public Builder queue(String name) {
            queues.add(name);
            return this;
        }

        /** Sets the most jobs in hand, and so the most handlers, and their threads, at once. 1..=100,000; 16 by default. */
        public Builder window(int jobs) {
            window = jobs;
            return this;
        }

        /** Sets the most bytes of payloads and metadata in hand. 1..=1 GiB; 64 MiB by default. */
        public Builder windowBytes(long bytes) {
            windowBytes = Wire.amount("windowBytes", bytes);
            return this;
        }

        /**
         * Sets the worker's id: 1..=128 bytes of {@code [A-Za-z0-9._:/@-]}, unique among the workers; random by default. A worker that
         * starts with the id of one that is gone ends the leases of that one at once; with the id of one that is there it takes that
         * one's place, which ends with {@link io.sluicegate.client.error.SessionSupersededException}.
         */
        public Builder workerId(String id) {
            workerId = Objects.requireNonNull(id, "workerId");
            return this;
        }

        /**
         * Sets what a lease, and each extension, is worth: how long a job of a worker that died stays away. 1 s..=24 h;
         * 30 s by default.
         */
        public Builder leaseDuration(Duration duration) {
            leaseDuration = Objects.requireNonNull(duration, "leaseDuration");
            return this;
        }

        /**
         * Sets how long after its receipt a job's lease is extended at most, so that a handler that hangs loses its
         * job. For ever by default.
         */
        public Builder leaseTotalMax(Duration total) {
            leaseTotalMax = Objects.requireNonNull(total, "leaseTotalMax");
            return this;
        }

        /**
         * Sets how often a silent side says that it is there; after three times this without a sign the worker connects
         * anew. 1 s..=10 min; 15 s by default.
         */
        public Builder pingInterval(Duration interval) {
            pingInterval = Objects.requireNonNull(interval, "pingInterval");
            return this;
        }

        /** Sets the largest frame that the worker takes; jobs that don't fit aren't offered to it. 64 KiB..=64 MiB; 32 MiB by default. */
        public Builder maxMessageBytes(int bytes) {
            maxMessageBytes = Wire.amount("maxMessageBytes", bytes);
            return this;
        }

        /** Sets how long a drain waits for handlers before it interrupts them. 30 s by default. */
        public Builder drainGrace(Duration grace) {
            drainGrace = Objects.requireNonNull(grace, "drainGrace");
            return this;
        }

        /** Sets how long handlers that were interrupted then have before they are left behind. 5 s by default. */
        public Builder stopGrace(Duration grace) {
            stopGrace = Objects.requireNonNull(grace, "stopGrace");
            return this;
        }

        /** Sets the handler of the jobs of one type. */
        public Builder handler(String type, JobHandler handler) {
            byType.put(type, Objects.requireNonNull(handler, "handler"));
            return this;
        }

        /** Sets the handler of all jobs whose type has none of its own. Without one such jobs fail. */
        public Builder handlerForAll(JobHandler handler) {
            forAll = Objects.requireNonNull(handler, "handler");
            return this;
        }

        /** Sets what makes the threads of handlers; daemon threads named after the worker by default. */
        public Builder threads(ThreadFactory factory) {
            threads = Objects.requireNonNull(factory, "threads");
            return this;
        }

        /** The worker. {@link IllegalStateException} without a queue, a handler or a place in the window. */
        public Worker build() {
            if (queues.isEmpty()) {
                throw new IllegalStateException("a worker needs a queue to serve");
            }
            if (byType.isEmpty() && forAll == null) {
                throw new IllegalStateException("a worker needs a handler");
            }
            if (window < 1) {
                throw new IllegalStateException("a worker's window is at least 1");
            }
            WorkerSettings settings = new WorkerSettings(
                    workerId,
                    List.copyOf(queues),
                    window,
                    windowBytes,
                    leaseDuration,
                    leaseTotalMax,
                    pingInterval,
                    maxMessageBytes,
                    drainGrace,
                    stopGrace,
                    Map.copyOf(byType),
                    forAll,
                    threads == null ? daemons(workerId) : threads);
            return new Worker(client, settings);
        }

        private static ThreadFactory daemons(String workerId) {
            AtomicLong count = new AtomicLong();
            return work -> {
                Thread thread = new Thread(work, "sluicegate-" + workerId + "-handler-" + count.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            };
        }
    }
}
