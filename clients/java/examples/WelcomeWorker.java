import io.sluicegate.client.JobContext;
import io.sluicegate.client.JobResult;
import io.sluicegate.client.SluicegateClient;
import io.sluicegate.client.Worker;
import java.util.Optional;

/** Sends the mails, until it gets SIGTERM or SIGINT; then it drains. */
public final class WelcomeWorker {
    private WelcomeWorker() {}

    public static void main(String[] args) {
        String address = Optional.ofNullable(System.getenv("SLUICEGATE_SERVER")).orElse("127.0.0.1:7654");
        try (SluicegateClient client = SluicegateClient.connect(address)) {
            Worker worker = Worker.builder(client)
                    .queue("emails")
                    .window(8)
                    .handler("welcome", WelcomeWorker::welcome)
                    .build();
            Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
            worker.run();
        }
    }

    private static JobResult welcome(JobContext job) {
        System.out.println("welcome, " + job.text());
        return JobResult.success();
    }
}
