import io.sluicegate.client.JobSpec;
import io.sluicegate.client.Policy;
import io.sluicegate.client.SluicegateClient;
import io.sluicegate.client.error.BudgetAlreadyExistsException;
import java.time.Duration;
import java.util.Optional;

/** Enqueues a mail that its budget lets through. */
public final class Producer {
    private Producer() {}

    public static void main(String[] args) {
        String address = Optional.ofNullable(System.getenv("SLUICEGATE_SERVER")).orElse("127.0.0.1:7654");
        try (SluicegateClient client = SluicegateClient.connect(address)) {
            // 100 a minute, at most 8 at a stroke. Every instance may define it when it starts.
            try {
                client.defineBudget("smtp", Policy.timeBased(100, Duration.ofMinutes(1), 8));
            } catch (BudgetAlreadyExistsException defined) {
                System.out.println("smtp is there already");
            }

            JobSpec job = JobSpec.builder("emails", "welcome").json("\"ada@example.com\"").bind("smtp", 1).build();
            System.out.println("enqueued " + client.enqueue(job).job().id());
        }
    }
}
