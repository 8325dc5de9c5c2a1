package io.sluicegate.client;

import static io.sluicegate.client.InFlight.NEVER;

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.sluicegate.client.error.InvalidFieldException;
import io.sluicegate.client.error.SessionSupersededException;
import io.sluicegate.client.error.SluicegateException;
import io.sluicegate.v1.DispatchRequest;
import io.sluicegate.v1.DispatchResponse;
import io.sluicegate.v1.ExtendLeases;
import io.sluicegate.v1.JobServiceGrpc;
import io.sluicegate.v1.LeasesReceived;
import io.sluicegate.v1.Ping;
import io.sluicegate.v1.SettleLeases;
import io.sluicegate.v1.Welcome;
import io.sluicegate.v1.WorkerHello;
import io.sluicegate.v1.WorkerLeaving;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/**
 * One stream, from Hello to its end. Owns frames, pings and the watch for silence; what frames mean is the engine's. All of it happens
 * on the engine's thread.
 */
final class WorkerSession {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    /** How long connecting and the answer to a Hello may take. */
    private static final long OPEN_TIMEOUT_NANOS = Duration.ofSeconds(15).toNanos();

    /** How long a worker that leaves waits for the end of its stream. */
    private static final long LEAVE_TIMEOUT_NANOS = Duration.ofSeconds(5).toNanos();

    /** What a frame holds at most, in leases and in encoded bytes. */
    private static final int FRAME_LEASES_MAX = 256;

    private static final int FRAME_BYTES_MAX = 1 << 20;

    /** How many silent ping intervals a stream survives. */
    private static final int SILENT_INTERVALS = 3;

    /** How a stream ended. */
    sealed interface End {
        /** The worker has left, or has nothing left to do. */
        record Left() implements End {}

        /** It broke, or was never there. */
        record Broken(SluicegateException error) implements End {}

        /** The server shuts down, in its own good order. */
        record Draining(Duration reconnectAfter) implements End {}

        /** Coming back is of no use. */
        record Fatal(SluicegateException error) implements End {}
    }

    private final JobServiceGrpc.JobServiceStub service;
    private final WorkerEngine engine;
    private final ReconnectDelays delays;
    private ClientCallStreamObserver<DispatchRequest> requests;
    /** The window that the server knows. */
    private long announcedWindow;
    private boolean welcomed;
    private int frameLeasesMax = FRAME_LEASES_MAX;
    /** 0: no pings. */
    private long pingNanos;
    private long sentAt;
    private long heardAt;
    /** Set once the server has said that it goes. */
    private Duration reconnectAfter;
    /** Set once the worker has said that it goes. */
    private long leftAt = NEVER;
    /** Set once the stream has ended. */
    private End end;
    /** Whether anything that the stream still says is of no use. */
    private boolean isOver;

    WorkerSession(JobServiceGrpc.JobServiceStub service, WorkerEngine engine, ReconnectDelays delays) {
        // What comes is only posted on, which needs no thread and never waits.
        this.service = service.withExecutor(Runnable::run);
        this.engine = engine;
        this.delays = delays;
    }

    /** Opens the stream and works on it to its end. */
    End run() {
        WorkerHello hello = engine.hello();
        announcedWindow = hello.getWindow().getMaxJobs();
        service.dispatch(new Responses());
        requests.onNext(DispatchRequest.newBuilder().setHello(hello).build());
        long openUntil = engine.now() + OPEN_TIMEOUT_NANOS;
        while (end == null) {
            long now = engine.now();
            if (welcomed) {
                end = givenUp(now);
            } else if (engine.isDone()) {
                end = new End.Left();
            } else if (now >= openUntil) {
                end = new End.Broken(silent("the server didn't answer the worker's Hello in time"));
            }
            if (end == null) {
                boolean isBlocked = welcomed && !sendWhatIsDue(now);
                engine.await(welcomed ? wakeAt(now, isBlocked) : openUntil);
            }
        }
        isOver = true;
        requests.cancel("the worker has no more use for this stream", null);
        return end;
    }

    private static SluicegateException silent(String message) {
        return SluicegateException.from(Status.DEADLINE_EXCEEDED.withDescription(message).asRuntimeException());
    }

    /** Sends all frames that are due. False if there may be more, and no room for them. */
    private boolean sendWhatIsDue(long now) {
        while (sendDue(now) <= now) {
            if (!requests.isReady()) {
                return false;
            }
            Optional<DispatchRequest.Builder> frame = nextFrame(now);
            if (frame.isPresent()) {
                requests.onNext(frame.get().build());
                sentAt = now;
            }
        }
        return true;
    }

    /** Why this side ends the stream; null if it doesn't. */
    private End givenUp(long now) {
        if (leftAt != NEVER && now >= leftAt + LEAVE_TIMEOUT_NANOS) {
            LOG.log(Level.WARNING, "the server didn't answer the worker''s leaving in time");
            return new End.Left();
        }
        if (now >= silentAt()) {
            return new End.Broken(silent("the server has been silent for three ping intervals"));
        }
        boolean isFree = engine.inFlight().isEmpty() && !engine.isDone();
        return reconnectAfter != null && isFree ? new End.Draining(reconnectAfter) : null;
    }

    private End endedByServer(SluicegateException error) {
        if (leftAt != NEVER) {
            return new End.Left();
        }
        if (error instanceof SessionSupersededException || error instanceof InvalidFieldException) {
            return new End.Fatal(error);
        }
        return reconnectAfter != null ? new End.Draining(reconnectAfter) : new End.Broken(error);
    }

    private long silentAt() {
        return pingNanos == 0 ? NEVER : heardAt + SILENT_INTERVALS * pingNanos;
    }

    /** When there is something to send; never, if nothing is foreseen. */
    private long sendDue(long now) {
        if (leftAt != NEVER) {
            return NEVER;
        }
        if (engine.window() != announcedWindow || engine.isDone()) {
            return now;
        }
        InFlight inFlight = engine.inFlight();
        long due = Math.min(inFlight.settleDue(), Math.min(inFlight.extendDue(), inFlight.receiptsDue()));
        return Math.min(due, pingDue());
    }

    private long pingDue() {
        return pingNanos == 0 ? NEVER : sentAt + pingNanos;
    }

    /** When to look again if nothing happens before. What is due and blocked waits for room, not for time. */
    private long wakeAt(long now, boolean isBlocked) {
        long sendAt = isBlocked ? NEVER : sendDue(now);
        long leftOverAt = leftAt == NEVER ? NEVER : leftAt + LEAVE_TIMEOUT_NANOS;
        return Math.min(sendAt, Math.min(silentAt(), leftOverAt));
    }

    /** The most urgent frame that is due. The window comes first, so that a drain isn't answered with more jobs. */
    private Optional<DispatchRequest.Builder> nextFrame(long now) {
        DispatchRequest.Builder frame = DispatchRequest.newBuilder();
        InFlight inFlight = engine.inFlight();
        if (engine.window() != announcedWindow) {
            announcedWindow = engine.window();
            return Optional.of(frame.setWindow(engine.windowFrame()));
        }
        // A worker that leaves gathers nothing any more.
        boolean isDone = engine.isDone();
        if (isDone || inFlight.settleDue() <= now) {
            var outcomes = inFlight.takeSettlements(frameLeasesMax, FRAME_BYTES_MAX);
            if (!outcomes.isEmpty()) {
                return Optional.of(frame.setSettle(SettleLeases.newBuilder().addAllOutcomes(outcomes)));
            }
        }
        if (inFlight.extendDue() <= now) {
            var leaseIds = inFlight.takeExtensions(now, frameLeasesMax);
            if (!leaseIds.isEmpty()) {
                return Optional.of(frame.setExtend(ExtendLeases.newBuilder().addAllLeaseIds(leaseIds)));
            }
        }
        if (inFlight.receiptsDue() <= now) {
            var leaseIds = inFlight.takeReceipts(frameLeasesMax);
            if (!leaseIds.isEmpty()) {
                return Optional.of(frame.setReceived(LeasesReceived.newBuilder().addAllLeaseIds(leaseIds)));
            }
        }
        if (isDone) {
            leftAt = now;
            return Optional.of(frame.setLeaving(WorkerLeaving.getDefaultInstance()));
        }
        return pingDue() <= now ? Optional.of(frame.setPing(Ping.getDefaultInstance())) : Optional.empty();
    }

    private void received(DispatchResponse received) {
        long now = engine.now();
        heardAt = now;
        if (!welcomed) {
            if (received.hasWelcome()) {
                welcomed(received.getWelcome(), now);
            } else {
                Status status = Status.INTERNAL.withDescription("the server's first frame is no Welcome");
                end = new End.Broken(SluicegateException.from(status.asRuntimeException()));
            }
            return;
        }
        switch (received.getFrameCase()) {
            case JOBS -> engine.pushed(received.getJobs().getJobsList(), now);
            case SETTLED -> engine.settled(received.getSettled().getResultsList(), now);
            case EXTENDED -> engine.extended(received.getExtended().getResultsList(), now);
            case REVOKED -> engine.revoked(received.getRevoked(), now);
            case DRAINING -> {
                reconnectAfter = Wire.duration(received.getDraining().getReconnectAfter());
                LOG.log(Level.INFO, "the server drains");
            }
            // Pings are heard, a second Welcome says nothing new, and frames of a newer server are to be ignored.
            case PING, WELCOME, FRAME_NOT_SET -> {}
        }
    }

    private void welcomed(Welcome welcome, long now) {
        welcomed = true;
        delays.reset();
        engine.stats().connected();
        engine.welcomed(welcome.getLostLeaseIdsList(), now);
        int serverMax = welcome.getLimits().getMaxLeaseBatch();
        frameLeasesMax = serverMax > 0 ? Math.min(serverMax, FRAME_LEASES_MAX) : FRAME_LEASES_MAX;
        pingNanos = InFlight.nanos(Wire.duration(welcome.getPingInterval()));
        sentAt = now;
        LOG.log(
                Level.INFO,
                "connected to server {0}: {1} leases resumed, {2} lost",
                welcome.getServerVersion(),
                welcome.getResumedLeaseIdsCount(),
                welcome.getLostLeaseIdsCount());
    }

    /** Posts what the stream says to the engine's thread. Reads on only once the last frame was taken in. */
    private final class Responses implements ClientResponseObserver<DispatchRequest, DispatchResponse> {
        @Override
        public void beforeStart(ClientCallStreamObserver<DispatchRequest> stream) {
            requests = stream;
            stream.disableAutoRequestWithInitial(1);
            stream.setOnReadyHandler(() -> engine.post(() -> {}));
        }

        @Override
        public void onNext(DispatchResponse frame) {
            engine.post(() -> {
                if (!isOver) {
                    received(frame);
                    requests.request(1);
                }
            });
        }

        @Override
        public void onError(Throwable error) {
            ended(SluicegateException.from(error));
        }

        @Override
        public void onCompleted() {
            // A proxy that goes may look like a clean end.
            Status status = Status.UNAVAILABLE.withDescription("the server ended the stream");
            ended(SluicegateException.from(status.asRuntimeException()));
        }

        private void ended(SluicegateException error) {
            engine.post(() -> {
                if (end == null) {
                    end = endedByServer(error);
                }
            });
        }
    }
}
