package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluicegate.client.HandlerPool.Finished;
import io.sluicegate.client.WorkerStats.Ending;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HandlerPoolTest {
    private final BlockingQueue<Finished> finished = new LinkedBlockingQueue<>();
    private HandlerPool pool;

    private void pool(int places, Map<String, JobHandler> byType, JobHandler forAll) {
        pool = new HandlerPool(byType, forAll, places, Thread::new, finished::add);
    }

    private void enqueue(String leaseId, String type) {
        pool.enqueue(LeasedJob.fromWire(io.sluicegate.v1.LeasedJob.newBuilder()
                .setLease(io.sluicegate.v1.Lease.newBuilder().setId(leaseId))
                .setJob(io.sluicegate.v1.Job.newBuilder().setSpec(io.sluicegate.v1.JobSpec.newBuilder().setType(type)))
                .build()));
        pool.startWaiting(id -> !id.equals("denied"));
    }

    private Finished next() throws InterruptedException {
        Finished next = finished.take();
        pool.ended(next.leaseId());
        return next;
    }

    @AfterEach
    void shutdown() {
        pool.shutdown();
    }

    @Test
    void eachTypeHasItsHandlerAndTheOthersShareOne() throws InterruptedException {
        pool(1, Map.of("a", job -> JobResult.success("own")), job -> JobResult.success("shared " + job.type()));
        enqueue("1", "a");
        assertEquals(JobResult.success("own"), next().settlement().result());
        enqueue("2", "b");
        assertEquals(JobResult.success("shared b"), next().settlement().result());
        pool.shutdown();

        pool(1, Map.of("a", job -> JobResult.success()), null);
        enqueue("3", "b");
        Finished none = next();
        assertEquals(Ending.FAILED, none.ending());
        assertTrue(none.settlement().result().toString().contains("`b`"));
    }

    @Test
    void noMoreHandlersThanPlacesWorkAtOnce() throws InterruptedException {
        Semaphore gate = new Semaphore(0);
        AtomicInteger atWork = new AtomicInteger();
        pool(2, Map.of(), job -> {
            int now = atWork.incrementAndGet();
            gate.acquire();
            atWork.decrementAndGet();
            return now <= 2 ? JobResult.success() : JobResult.discard("too many");
        });
        for (String leaseId : new String[] {"a", "b", "c", "denied", "d"}) {
            enqueue(leaseId, "");
        }
        assertEquals(2, pool.busy());
        for (int turn = 0; turn < 4; turn++) {
            gate.release();
            assertEquals(Ending.SUCCEEDED, next().ending());
            pool.startWaiting(id -> !id.equals("denied"));
            assertTrue(pool.busy() <= 2);
        }
        assertEquals(0, pool.busy());
    }

    @Test
    void whatIsThrownIsAFailureInItsOwnWordsOrTheResultThatItHolds() throws InterruptedException {
        pool(1, Map.of(), job -> {
            switch (job.type()) {
                case "chain" -> throw new IOException("cannot send", new IllegalStateException("no route"));
                case "wordless" -> throw new NullPointerException();
                case "stack" -> throw new StackOverflowError();
                case "result" -> throw new JobResultException(JobResult.discard("no such user"));
                default -> {
                    return null;
                }
            }
        });
        Map<String, JobResult> expected = Map.of(
                "chain", JobResult.failure("cannot send: no route"),
                "wordless", JobResult.failure("NullPointerException"),
                "stack", JobResult.failure("StackOverflowError"),
                "result", JobResult.discard("no such user"),
                "null", JobResult.success());
        for (var each : expected.entrySet()) {
            enqueue("l", each.getKey());
            assertEquals(each.getValue(), next().settlement().result());
        }
    }

    @Test
    void aStoppedHandlerIsInterruptedLearnsWhyAndItsReportsComeAlong() throws InterruptedException {
        Semaphore begun = new Semaphore(0);
        pool(2, Map.of(), job -> {
            job.reportUsage("api", 9);
            job.reportUsage("api", 2);
            begun.release();
            try {
                new Semaphore(0).acquire();
            } catch (InterruptedException asked) {
                return JobResult.failure(job.cancelReason().orElseThrow().name());
            }
            return JobResult.success();
        });
        enqueue("a", "");
        enqueue("b", "");
        begun.acquire(2);
        assertFalse(pool.stop("nobody", CancelReason.LEASE_LOST));
        assertTrue(pool.stop("a", CancelReason.CANCEL_REQUESTED));
        assertTrue(pool.stop("a", CancelReason.LEASE_LOST));
        Finished asked = next();
        assertEquals("a", asked.leaseId());
        assertEquals(JobResult.failure("CANCEL_REQUESTED"), asked.settlement().result());
        assertEquals(Map.of("api", 2L), asked.settlement().usage());

        pool.stopAll(CancelReason.WORKER_STOPPING);
        assertEquals(JobResult.release(), next().settlement().result());
    }

    @Test
    void anInterruptionMeantForOneJobNeverMeetsTheNext() throws InterruptedException {
        pool(1, Map.of(), job -> JobResult.success(Boolean.toString(Thread.currentThread().isInterrupted())));
        for (int turn = 0; turn < 200; turn++) {
            enqueue("stopped" + turn, "");
            pool.stop("stopped" + turn, CancelReason.LEASE_LOST);
            next();
            enqueue("next" + turn, "");
            assertEquals(JobResult.success("false"), next().settlement().result());
        }
    }
}
