package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluicegate.client.error.BudgetAlreadyExistsException;
import io.sluicegate.client.error.BudgetInUseException;
import io.sluicegate.client.error.BudgetNotFoundException;
import io.sluicegate.client.error.EtagMismatchException;
import io.sluicegate.client.error.InvalidFieldException;
import io.sluicegate.client.error.NotBoundException;
import io.sluicegate.client.error.UnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ClientTest {
    @TempDir
    private Path folder;

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

    private static JobSpec spec(String queue) {
        return JobSpec.builder(queue, "t").json("{}").build();
    }

    @Test
    void aBudgetIsDefinedOnceUpdatedAndDeleted() {
        Budget defined = client.defineBudget("b", Policy.timeBased(10, Duration.ofSeconds(1), 3));
        var exists = assertThrows(BudgetAlreadyExistsException.class, () -> client.defineBudget("b", Policy.whileInFlight(1)));
        assertEquals("b", exists.budget());
        assertEquals(3, client.getBudget("b").status().capacity());

        Budget cleared = client.updateBudget("b", PolicyPatch.create().clearBurst(), defined.etag());
        assertEquals(Policy.timeBased(10, Duration.ofSeconds(1)), cleared.policy());
        var stale = assertThrows(
                EtagMismatchException.class,
                () -> client.updateBudget("b", PolicyPatch.create().allocation(9), defined.etag()));
        assertEquals(cleared.etag(), stale.etag());
        assertEquals(Policy.whileInFlight(4), client.defineOrReplaceBudget("b", Policy.whileInFlight(4)).policy());
        assertTrue(client.blockBudget("b").status().blocked());
        assertFalse(client.unblockBudget("b").status().blocked());

        client.enqueue(JobSpec.builder("q", "t").bind("b").build());
        assertEquals(1, assertThrows(BudgetInUseException.class, () -> client.deleteBudget("b")).total());
        client.jobs().byQueue("q").delete();
        client.deleteBudget("b");
        client.deleteBudgetIfExists("b");
        assertThrows(BudgetNotFoundException.class, () -> client.deleteBudget("b"));
    }

    @Test
    void listsComePageByPage() {
        List<String> keys = new ArrayList<>();
        for (int count = 0; count < 7; count++) {
            keys.add("b" + count);
            client.defineBudget("b" + count, Policy.whileInFlight(1));
        }
        assertEquals(keys, client.listBudgets(3).stream().map(Budget::key).toList());
        assertEquals(keys.subList(0, 2), client.listBudgets(1).stream().map(Budget::key).limit(2).toList());

        List<String> ids = client.enqueueMany(List.of(spec("a"), spec("b"), spec("a"))).stream().map(EnqueuedId::id).toList();
        assertEquals(ids, client.listJobs().stream().map(Job::id).toList());
        assertEquals(List.of(ids.get(0), ids.get(2)), client.jobs().byQueue("a").list(1).stream().map(Job::id).toList());
        assertEquals(2, client.jobs().byQueue("a").count());
        assertEquals(List.of("a", "b"), client.listQueues().stream().map(QueueInfo::name).toList());
    }

    @Test
    void eachChangeOfBindingsAnswersWithTheJobAsItIsThen() {
        Policy policy = Policy.whileInFlight(5);
        Job job = client.enqueue(spec("q")).job();
        Job bound = job.bindBudget(Binding.to("x", 2).createWith(policy));
        assertEquals(List.of(), job.budgets());
        assertEquals(List.of(Binding.to("x", 2)), bound.budgets());
        assertEquals(OptionalLong.of(3), bound.setCost("x", 3).budgets().get(0).cost());
        assertEquals(List.of(), bound.unbindBudget("x").budgets());
        var missing = assertThrows(NotBoundException.class, () -> bound.unbindBudget("x"));
        assertEquals(job.id(), missing.jobId());

        Changed would = client.jobs().byQueue("q").bindBudget(Binding.to("x"), Apply.VALIDATE_ONLY);
        assertEquals(new Changed(1, List.of(), 0), would);
        assertEquals(List.of(), client.getJob(job.id()).budgets());
        assertEquals(1, client.jobs().byQueue("q").bindBudget(Binding.to("x")).changed());
        assertEquals(List.of(HoldUp.NO_WORKER), job.explain().holdUps());
        assertEquals(1, job.cancel().changed());
        assertEquals(JobState.CANCELLED, client.getJob(job.id()).state());
    }

    @Test
    void aRequestIdMakesARepeatHarmlessAndFieldsAreNamed() {
        Enqueued first = client.enqueue(spec("q"), "once");
        assertEquals(first.job().id(), client.enqueueAsync(spec("q"), "once").join().job().id());
        var refused = assertThrows(CompletionException.class, () -> client.enqueueAsync(spec("")).join());
        var field = assertInstanceOf(InvalidFieldException.class, refused.getCause());
        assertEquals("job.queue", field.fieldViolations().get(0).field());
    }

    @Test
    void aCallAfterTheServerCameBackSucceedsAtOnce() throws Exception {
        client.enqueue(spec("q"));
        for (int turn = 0; turn < 3; turn++) {
            server.kill();
            assertThrows(UnavailableException.class, () -> client.jobs().count());
            assertThrows(UnavailableException.class, () -> client.enqueueMany(List.of(spec("q"))));
            server.start();
            assertEquals(1, client.jobs().count());
        }
    }

    @Test
    void leasesWithoutAStreamAreSettledAndExtendedEachForItself() {
        client.enqueue(spec("q"));
        LeasedJob leased = client.leaseJobs(LeaseOptions.of("w", "q").waitFor(Duration.ofSeconds(5))).get(0);
        assertEquals("{}", leased.payload().orElseThrow().text());
        String lease = leased.lease().id();
        assertEquals(
                List.of(ExtendStatus.EXTENDED, ExtendStatus.GONE),
                client.extendLeases(List.of(lease, "none")).stream().map(ExtendResult::status).toList());
        Settlement success = Settlement.of(lease, JobResult.success());
        assertEquals(
                List.of(SettleStatus.SETTLED, SettleStatus.ALREADY_SETTLED),
                client.settleJobs(List.of(success, success)).stream().map(SettleResult::status).toList());
    }
}
