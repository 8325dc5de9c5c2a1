package io.sluicegate.client;

import static io.sluicegate.client.InFlight.NEVER;

import io.sluicegate.client.HandlerPool.Finished;
import io.sluicegate.client.InFlight.Stop;
import io.sluicegate.client.WorkerStats.Ending;
import io.sluicegate.v1.ClientInfo;
import io.sluicegate.v1.ExtendResult;
import io.sluicegate.v1.HeldLeases;
import io.sluicegate.v1.LeasesRevoked;
import io.sluicegate.v1.SettleResult;
import io.sluicegate.v1.Window;
import io.sluicegate.v1.WorkerHello;
import io.sluicegate.v1.WorkerQueue;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A worker between its streams: what it holds, its handlers, and whether it works, drains or stops. Outlives every stream, and goes
 * on without one. Sends nothing.
 *
 * <p>All of it happens on the thread of {@link Worker#run()}: handlers and streams {@link #post} what is to be done there, and
 * {@link #await} does it. No handler can delay it.
 */
final class WorkerEngine {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private enum Phase {
        /** It takes jobs. */
        WORKING,
        /** It takes none, and waits for its handlers. */
        DRAINING,
        /** It has told its handlers to stop. */
        STOPPING,
        /** It waits for nothing any more. */
        OVER
    }

    private final WorkerSettings settings;
    private final WorkerStats stats;
    private final InFlight inFlight;
    private final HandlerPool handlers;
    /** As many as there are handlers, and a few of the stream, which reads on only once its last frame was taken in. */
    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final long beginNanos = System.nanoTime();
    private volatile boolean shutdown;
    private boolean interrupted;
    private Phase phase = Phase.WORKING;
    private long phaseEnd = NEVER;

    WorkerEngine(WorkerSettings settings, WorkerStats stats) {
        this.settings = settings;
        this.stats = stats;
        inFlight = new InFlight(settings.leaseTotalMax(), new SplittableRandom());
        handlers = new HandlerPool(
                settings.byType(),
                settings.forAll(),
                settings.window(),
                settings.threads(),
                finished -> post(() -> finished(finished)));
    }

    /** Nanoseconds since this engine began. */
    long now() {
        return System.nanoTime() - beginNanos;
    }

    InFlight inFlight() {
        return inFlight;
    }

    WorkerStats stats() {
        return stats;
    }

    /** Has this done on the worker's thread. For any thread. */
    void post(Runnable event) {
        events.add(event);
    }

    /** Asks for a drain. For any thread. */
    void shutdown() {
        shutdown = true;
        post(() -> {});
    }

    /** Waits until something was posted, or this instant has come, and does what was posted. */
    void await(long until) {
        try {
            long wait = Math.max(0, Math.min(until, phaseEnd) - now());
            Runnable event = events.poll(wait, TimeUnit.NANOSECONDS);
            while (event != null) {
                event.run();
                event = events.poll();
            }
        } catch (InterruptedException asked) {
            interrupted = true;
            shutdown = true;
        }
        long now = now();
        if (shutdown && phase == Phase.WORKING) {
            drain(now);
        } else if (now >= phaseEnd) {
            nextPhase(now);
        }
        stats.inHand(inFlight.size());
    }

    /** Waits between two streams, while handlers go on. True if the worker is done before. */
    boolean pause(Duration wait) {
        long end = now() + InFlight.nanos(wait);
        while (!isDone()) {
            if (now() >= end) {
                return false;
            }
            await(end);
        }
        if (!inFlight.isEmpty()) {
            LOG.log(Level.WARNING, "the worker ends without a server; its {0} leases will expire", inFlight.size());
        }
        return true;
    }

    private void finished(Finished finished) {
        handlers.ended(finished.leaseId());
        boolean isHeld = inFlight.settle(finished.leaseId(), finished.settlement(), now());
        stats.ended(isHeld ? finished.ending() : Ending.LOST);
        handlers.startWaiting(inFlight::start);
    }

    /** Takes nothing more, and gives back what has no handler. */
    private void drain(long now) {
        phase = Phase.DRAINING;
        phaseEnd = now + InFlight.nanos(settings.drainGrace());
        handlers.clearWaiting();
        int released = inFlight.releaseWaiting(now);
        for (int count = 0; count < released; count++) {
            stats.ended(Ending.RELEASED);
        }
        LOG.log(Level.INFO, "the worker drains: {0} handlers at work, {1} jobs given back", handlers.busy(), released);
    }

    private void nextPhase(long now) {
        if (phase == Phase.DRAINING) {
            LOG.log(Level.WARNING, "the worker stops its {0} handlers", handlers.busy());
            phase = Phase.STOPPING;
            phaseEnd = now + InFlight.nanos(settings.stopGrace());
            handlers.stopAll(CancelReason.WORKER_STOPPING);
        } else {
            phase = Phase.OVER;
            phaseEnd = NEVER;
        }
    }

    /** Whether the worker is on its way out and has nothing left to wait for. */
    boolean isDone() {
        return switch (phase) {
            case WORKING -> false;
            case DRAINING, STOPPING -> handlers.busy() == 0 && inFlight.isEmpty();
            case OVER -> true;
        };
    }

    /** Jobs that the server may let this worker hold: handlers whose leases are lost take places away. */
    int window() {
        int lost = Math.max(0, handlers.busy() - inFlight.started());
        return phase == Phase.WORKING ? Math.max(0, settings.window() - lost) : 0;
    }

    /** The window as it is now. */
    Window windowFrame() {
        return Window.newBuilder().setMaxJobs(window()).setMaxBytes(settings.windowBytes()).build();
    }

    /** What opens a stream: who this worker is, and what it still holds (semantics 5.2). */
    WorkerHello hello() {
        WorkerHello.Builder hello = WorkerHello.newBuilder()
                .setWorkerId(settings.workerId())
                .setWindow(windowFrame())
                .setHeldLeases(HeldLeases.newBuilder().addAllLeaseIds(inFlight.leaseIds()))
                .setConfirmsReceipt(true)
                .setPingInterval(Wire.duration(settings.pingInterval()))
                .setMaxMessageBytes(settings.maxMessageBytes())
                .setClient(ClientInfo.newBuilder().setName("sluicegate-client-java").setVersion(version()));
        settings.queues().forEach(name -> hello.addQueues(WorkerQueue.newBuilder().setName(name)));
        if (settings.leaseDuration() != null) {
            hello.setLeaseDuration(Wire.duration(settings.leaseDuration()));
        }
        return hello.build();
    }

    /** As the jar's manifest says; empty where this isn't in one. */
    private static String version() {
        return Optional.ofNullable(WorkerEngine.class.getPackage().getImplementationVersion()).orElse("");
    }

    /** Takes in pushed jobs. */
    void pushed(List<io.sluicegate.v1.LeasedJob> jobs, long now) {
        for (io.sluicegate.v1.LeasedJob wire : jobs) {
            LeasedJob job = LeasedJob.fromWire(wire);
            String leaseId = job.lease().id();
            if (!inFlight.pushed(job, now)) {
                continue;
            }
            if (phase != Phase.WORKING || job.lease().cancelRequested()) {
                inFlight.release(leaseId, now);
                stats.ended(Ending.RELEASED);
            } else {
                handlers.enqueue(job);
            }
        }
        handlers.startWaiting(inFlight::start);
    }

    /** Takes in what a stream began with. */
    void welcomed(Collection<String> lostLeaseIds, long now) {
        stop(inFlight.welcomed(lostLeaseIds, now));
    }

    /** Takes in what became of settlements. */
    void settled(List<SettleResult> results, long now) {
        for (SettleResult result : results) {
            String leaseId = result.getLeaseId();
            String message = result.getError().getMessage();
            switch (inFlight.confirmed(result, now)) {
                case SETTLED, UNKNOWN -> {}
                case TOO_LATE -> LOG.log(Level.WARNING, "lease {0} had ended before its settlement", leaseId);
                case RETRIED -> LOG.log(
                        Level.ERROR, "settlement of {0} refused ({1}); sent again without what is optional", leaseId, message);
                case ABANDONED -> LOG.log(
                        Level.ERROR, "settlement of {0} refused ({1}); the lease will expire", leaseId, message);
            }
        }
    }

    /** Takes in what became of extensions. */
    void extended(List<ExtendResult> results, long now) {
        stop(results.stream().map(result -> inFlight.extended(result, now)).flatMap(Optional::stream).toList());
    }

    /** Takes in that leases were taken away, or are to be ended. */
    void revoked(LeasesRevoked revoked, long now) {
        stop(revoked.getLeaseIdsList().stream()
                .map(id -> inFlight.revoked(id, revoked.getReason(), now))
                .flatMap(Optional::stream)
                .toList());
    }

    private void stop(List<Stop> stops) {
        for (Stop stop : stops) {
            if (!handlers.stop(stop.leaseId(), stop.reason())) {
                stats.ended(stop.reason() == CancelReason.LEASE_LOST ? Ending.LOST : Ending.RELEASED);
            }
        }
    }

    /** Ends all handlers: they are told that their leases are lost, and left behind if they don't listen. */
    void abandon() {
        handlers.clearWaiting();
        handlers.stopAll(CancelReason.LEASE_LOST);
        phase = Phase.OVER;
        phaseEnd = NEVER;
        long end = now() + InFlight.nanos(settings.stopGrace());
        while (handlers.busy() > 0 && now() < end) {
            await(end);
        }
    }

    /** The worker's thread works no more. */
    void close() {
        handlers.shutdown();
        stats.inHand(0);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
