package io.sluicegate.conformance;

import static io.sluicegate.conformance.Json.text;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.sluicegate.client.CancelReason;
import io.sluicegate.client.JobContext;
import io.sluicegate.client.JobHandler;
import io.sluicegate.client.JobResult;
import io.sluicegate.client.SluicegateClient;
import io.sluicegate.client.Worker;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The workers that the harness has started, and their handlers, which do as it says. */
final class Workers {
    private static final int HTTP_TIMEOUT_MS = 30_000;

    private final SluicegateClient client;
    private final Consumer<JsonObject> events;
    private final Map<String, Worker> workers = new ConcurrentHashMap<>();
    /** What ends handlers that wait, by worker and job, the oldest first. */
    private final Map<String, Deque<CompletableFuture<JsonObject>>> waiting = new ConcurrentHashMap<>();

    Workers(SluicegateClient client, Consumer<JsonObject> events) {
        this.client = client;
        this.events = events;
    }

    JsonElement run(String name, JsonObject in) throws InterruptedException {
        switch (name) {
            case "startWorker" -> start(in);
            case "stopWorker" -> workers.remove(text(in, "name")).close();
            case "finish" -> finish(in);
            case "resources" -> {
                return resources();
            }
            default -> throw new UnsupportedOperationException("command " + name);
        }
        return null;
    }

    private void start(JsonObject in) {
        String name = text(in, "name");
        Worker.Builder worker = Worker.builder(client);
        Json.texts(in.get("queues")).forEach(worker::queue);
        Json.with(in, "window", window -> worker.window(window.getAsInt()));
        Json.with(in, "workerId", id -> worker.workerId(id.getAsString()));
        Json.with(in, "leaseMs", lease -> worker.leaseDuration(Json.millis(lease)));
        Json.with(in, "pingMs", ping -> worker.pingInterval(Json.millis(ping)));
        Json.with(in, "drainGraceMs", grace -> worker.drainGrace(Json.millis(grace)));
        Json.with(in, "stopGraceMs", grace -> worker.stopGrace(Json.millis(grace)));
        JobHandler handler = handler(name, in);
        if (in.has("types")) {
            Json.texts(in.get("types")).forEach(type -> worker.handler(type, handler));
        } else {
            worker.handlerForAll(handler);
        }
        Worker built = worker.build();
        workers.put(name, built);
        built.start().whenComplete((done, error) -> {
            // Only ends by itself are told of: one that is stopped is forgotten before.
            if (workers.remove(name, built)) {
                JsonObject event = event("workerEnded", name);
                event.add("error", error == null ? JsonNull.INSTANCE : Json.error(error));
                events.accept(event);
            }
        });
    }

    private JobHandler handler(String worker, JsonObject in) {
        if (in.has("auto")) {
            JsonObject outcome = in.getAsJsonObject("auto");
            return context -> Json.outcome(outcome);
        }
        if (in.has("http")) {
            String url = text(in, "http");
            return context -> call(url, worker, context);
        }
        boolean ignoresCancel = Json.flag(in, "ignoreCancel");
        return context -> told(worker, ignoresCancel, context);
    }

    private static JobResult call(String url, String worker, JobContext context) throws IOException {
        String query = "?job=" + encoded(context.id()) + "&worker=" + encoded(worker);
        HttpURLConnection call = (HttpURLConnection) URI.create(url + query).toURL().openConnection();
        call.setConnectTimeout(HTTP_TIMEOUT_MS);
        call.setReadTimeout(HTTP_TIMEOUT_MS);
        try {
            int code = call.getResponseCode();
            return code == HttpURLConnection.HTTP_OK ? JobResult.success() : JobResult.failure("HTTP " + code);
        } finally {
            call.disconnect();
        }
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** Waits for what the harness says, or for the handler's cancellation. */
    private JobResult told(String worker, boolean ignoresCancel, JobContext context) throws InterruptedException {
        CompletableFuture<JsonObject> end = new CompletableFuture<>();
        String key = key(worker, context.id());
        waiting.compute(key, (job, queue) -> {
            Deque<CompletableFuture<JsonObject>> ends = queue == null ? new ArrayDeque<>() : queue;
            ends.add(end);
            return ends;
        });
        events.accept(Json.started(worker, context.job()));
        try {
            JsonObject told = await(worker, ignoresCancel, context, end);
            Json.with(told, "usage", usage -> usage.getAsJsonArray().forEach(entry -> {
                JsonObject used = entry.getAsJsonObject();
                context.reportUsage(text(used, "key"), Long.parseLong(text(used, "cost")));
            }));
            return Json.outcome(told.getAsJsonObject("outcome"));
        } finally {
            forget(key, end);
            JsonObject event = event("ended", worker);
            event.addProperty("jobId", context.id());
            events.accept(event);
        }
    }

    private JsonObject await(
            String worker, boolean ignoresCancel, JobContext context, CompletableFuture<JsonObject> end)
            throws InterruptedException {
        while (true) {
            try {
                return end.get();
            } catch (ExecutionException impossible) {
                throw new IllegalStateException(impossible);
            } catch (InterruptedException asked) {
                JsonObject event = event("cancelled", worker);
                event.addProperty("jobId", context.id());
                String reason = context.cancelReason().map(CancelReason::name).orElse("interrupted");
                event.addProperty("reason", reason.toLowerCase(Locale.ROOT));
                events.accept(event);
                if (!ignoresCancel) {
                    throw asked;
                }
            }
        }
    }

    private void finish(JsonObject in) {
        AtomicBoolean found = new AtomicBoolean();
        waiting.computeIfPresent(key(text(in, "worker"), text(in, "jobId")), (key, ends) -> {
            found.set(true);
            ends.remove().complete(in);
            return ends.isEmpty() ? null : ends;
        });
        if (!found.get()) {
            throw new IllegalArgumentException("no handler waits for job " + text(in, "jobId"));
        }
    }

    private void forget(String key, CompletableFuture<JsonObject> end) {
        waiting.computeIfPresent(key, (job, ends) -> {
            ends.remove(end);
            return ends.isEmpty() ? null : ends;
        });
    }

    private static String key(String worker, String jobId) {
        return worker + " " + jobId;
    }

    private static JsonObject event(String name, String worker) {
        JsonObject event = new JsonObject();
        event.addProperty("event", name);
        event.addProperty("worker", worker);
        return event;
    }

    private static JsonElement resources() {
        System.gc();
        JsonObject out = new JsonObject();
        out.addProperty("threads", ManagementFactory.getThreadMXBean().getThreadCount());
        out.add("tasks", JsonNull.INSTANCE);
        out.addProperty("memoryBytes", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        String[] files = new File("/proc/self/fd").list();
        out.addProperty("openFiles", files == null ? 0 : files.length);
        return out;
    }
}
