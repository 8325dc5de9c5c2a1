package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluicegate.client.error.InvalidFieldException;
import io.sluicegate.client.error.SessionSupersededException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WorkerTest {
    private static final Retention KEPT = Retention.defaults().completed(Duration.ofHours(1));

    @TempDir
    private Path folder;

    private final BlockingQueue<JobContext> begun = new LinkedBlockingQueue<>();
    private final Semaphore gate = new Semaphore(0);
    private TestServer server;
    private SluicegateClient client;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(folder);
        client = SluicegateClient.connect(server.address());
    }

    @AfterEach
    void stop() {
        if (server != null) {
            client.close();
            server.close();
        }
    }

    /** Tells that it has begun, and waits for the gate. */
    private JobResult gated(JobContext job) throws InterruptedException {
        begun.add(job);
        gate.acquire();
        return JobResult.success(job.text());
    }

    private Worker.Builder worker() {
        return Worker.builder(client).queue("q").window(1).handlerForAll(this::gated);
    }

    private String enqueue() {
        return client.enqueue(JobSpec.builder("q", "t").json("1").retention(KEPT).build()).job().id();
    }

    private static Throwable errorOf(CompletableFuture<Void> end) {
        return assertThrows(CompletionException.class, end::join).getCause();
    }

    @Test
    void whatAProducerSendsAlongReachesTheHandler() throws Exception {
        String traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        client.enqueue(JobSpec.builder("q", "t").metadata("traceparent", traceparent).retention(KEPT).build());
        try (Worker worker = worker().build()) {
            worker.start();
            JobContext job = begun.take();
            assertEquals(Map.of("traceparent", traceparent), job.metadata());
            assertEquals(1, job.attempt());
            gate.release();
        }
        assertEquals(1, client.jobs().byState(JobState.COMPLETED).count());
    }

    @Test
    void aDrainGivesBackWhatWasNotStartedAndWaitsForWhatWas() throws Exception {
        String first = enqueue();
        String second = enqueue();
        Worker worker = worker().window(2).build();
        CompletableFuture<Void> end = worker.start();
        begun.take();
        begun.take();
        String third = enqueue();
        worker.shutdown();
        gate.release(2);
        end.join();
        for (String id : new String[] {first, second}) {
            assertEquals(JobState.COMPLETED, client.getJob(id).state());
        }
        assertEquals(JobState.READY, client.getJob(third).state());
        assertEquals(2, worker.stats().succeeded());
        assertThrows(IllegalStateException.class, worker::run);
    }

    @Test
    void aHandlerThatOutlastsItsGraceIsInterruptedAndItsJobGoesBack() throws Exception {
        String id = enqueue();
        Worker worker = worker().drainGrace(Duration.ZERO).build();
        CompletableFuture<Void> end = worker.start();
        JobContext job = begun.take();
        worker.close();
        end.join();
        assertEquals(CancelReason.WORKER_STOPPING, job.cancelReason().orElseThrow());
        assertEquals(JobState.READY, client.getJob(id).state());
        assertEquals(0, client.getJob(id).attempts());
    }

    @Test
    void aCancellationInterruptsTheHandler() throws Exception {
        enqueue();
        try (Worker worker = worker().build()) {
            worker.start();
            JobContext job = begun.take();
            CompletableFuture<CancelReason> told = job.cancellation().toCompletableFuture();
            client.jobs().byIds(List.of(job.id())).cancel();
            assertEquals(CancelReason.CANCEL_REQUESTED, told.join());
        }
        assertEquals(1, client.jobs().byState(JobState.CANCELLED).count());
    }

    @Test
    void aWorkerOutlivesTheServersDeathAndSettlesWhatItHolds() throws Exception {
        String id = enqueue();
        try (Worker worker = worker().build()) {
            worker.start();
            begun.take();
            server.kill();
            gate.release();
            server.start();
            enqueue();
            JobContext next = begun.take();
            assertTrue(!next.id().equals(id));
            gate.release();
        }
        assertEquals(2, client.jobs().byState(JobState.COMPLETED).count());
        assertEquals(0, client.getJob(id).errors().size());
    }

    @Test
    void aNewerWorkerWithTheSameIdEndsTheOlder() throws Exception {
        enqueue();
        CompletableFuture<Void> older = worker().workerId("same").build().start();
        JobContext job = begun.take();
        Worker worker = worker().workerId("same").build();
        CompletableFuture<Void> newer = worker.start();
        assertInstanceOf(SessionSupersededException.class, errorOf(older));
        assertEquals(CancelReason.LEASE_LOST, job.cancelReason().orElseThrow());
        begun.take();
        gate.release();
        worker.close();
        newer.join();
    }

    @Test
    void settingsThatTheServerRefusesEndIt() {
        CompletableFuture<Void> end = worker().workerId("no spaces").build().start();
        var error = assertInstanceOf(InvalidFieldException.class, errorOf(end));
        assertTrue(error.fieldViolations().get(0).field().contains("worker_id"), error.getMessage());
    }

    @Test
    void aSlowHandlerDelaysNoExtension() throws Exception {
        String id = enqueue();
        try (Worker worker = worker().leaseDuration(Duration.ofSeconds(1)).build()) {
            worker.start();
            JobContext job = begun.take();
            // The server has extended it beyond what the grant was worth.
            while (!client.getJob(id).lease().orElseThrow().expireTime().isAfter(job.job().lease().expireTime().plusSeconds(1))) {
                Thread.onSpinWait();
            }
            gate.release();
        }
        assertEquals(JobState.COMPLETED, client.getJob(id).state());
    }

    @Test
    void whatWouldBeUselessIsNotBuilt() {
        assertThrows(IllegalStateException.class, () -> Worker.builder(client).handlerForAll(this::gated).build());
        assertThrows(IllegalStateException.class, () -> Worker.builder(client).queue("q").build());
        assertThrows(IllegalStateException.class, () -> worker().window(0).build());
        worker().build().close();
    }
}
