package io.sluicegate.conformance;

import static io.sluicegate.conformance.Json.text;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.sluicegate.client.Apply;
import io.sluicegate.client.Budget;
import io.sluicegate.client.CancelMode;
import io.sluicegate.client.Enqueued;
import io.sluicegate.client.Explanation;
import io.sluicegate.client.Job;
import io.sluicegate.client.JobSelection;
import io.sluicegate.client.JobSpec;
import io.sluicegate.client.LeaseOptions;
import io.sluicegate.client.QueueInfo;
import io.sluicegate.client.Settlement;
import io.sluicegate.client.SluicegateClient;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** Each command as the call that it names. */
final class Commands {
    private final SluicegateClient client;
    private final Workers workers;

    /**
     * Commands to this client.
     *
     * @param events told what workers and handlers do.
     */
    Commands(SluicegateClient client, Consumer<JsonObject> events) {
        this.client = client;
        workers = new Workers(client, events);
    }

    /** The answer to a command; null where it says nothing. */
    JsonElement run(JsonObject in) throws InterruptedException {
        String name = text(in, "do");
        return switch (name) {
            case "defineBudget", "getBudget", "listBudgets", "updateBudget", "deleteBudget", "blockBudget",
                    "unblockBudget", "adjustBudget", "encodePolicy" -> budgets(name, in);
            case "enqueue", "enqueueMany", "encodeJob", "getJob", "listJobs", "countJobs", "explain" -> jobs(name, in);
            case "bind", "rebind", "setCost", "unbind", "unbindAll", "replaceBindings" -> Json.job(bindings(name, in));
            case "bulkBind", "bulkRebind", "bulkSetCost", "bulkUnbind", "bulkUnbindAll", "bulkReplace", "cancelJobs",
                    "retryJobs", "deleteJobs", "updateJobs" -> selections(name, in);
            case "listQueues" -> Json.array(client.listQueues(), Commands::queue);
            case "pauseQueue" -> queue(client.pauseQueue(text(in, "queue")));
            case "resumeQueue" -> queue(client.resumeQueue(text(in, "queue")));
            case "leaseJobs", "settleJobs", "extendLeases" -> leases(name, in);
            default -> workers.run(name, in);
        };
    }

    private JsonElement budgets(String name, JsonObject in) {
        if (name.equals("listBudgets")) {
            int pageSize = Json.maybeText(in, "pageSize").map(Integer::parseInt).orElse(0);
            return Json.array(client.listBudgets(pageSize), Json::budget);
        }
        if (name.equals("encodePolicy")) {
            return base64(Json.policy(in.getAsJsonObject("policy")).encoded());
        }
        String key = text(in, "key");
        Optional<String> etag = Json.maybeText(in, "etag");
        Budget budget = switch (name) {
            case "defineBudget" -> Json.flag(in, "replace")
                    ? client.defineOrReplaceBudget(key, Json.policy(in.getAsJsonObject("policy")))
                    : client.defineBudget(key, Json.policy(in.getAsJsonObject("policy")));
            case "getBudget" -> client.getBudget(key);
            case "updateBudget" ->
                client.updateBudget(key, Json.policyPatch(in.getAsJsonObject("patch")), etag.orElse(""));
            case "blockBudget" -> in.has("durationMs")
                    ? client.blockBudget(key, Json.millis(in.get("durationMs")))
                    : client.blockBudget(key);
            case "unblockBudget" -> client.unblockBudget(key);
            case "adjustBudget" -> client.adjustBudget(key, Long.parseLong(text(in, "level")));
            default -> {
                if (Json.flag(in, "allowMissing")) {
                    client.deleteBudgetIfExists(key, etag.orElse(""));
                } else {
                    client.deleteBudget(key, etag.orElse(""));
                }
                yield null;
            }
        };
        return budget == null ? null : Json.budget(budget);
    }

    private JsonElement jobs(String name, JsonObject in) {
        Optional<String> requestId = Json.maybeText(in, "requestId");
        return switch (name) {
            case "enqueue" -> {
                Enqueued enqueued = client.enqueue(Json.jobSpec(in.getAsJsonObject("job")), requestId.orElse(""));
                JsonObject out = new JsonObject();
                out.add("job", Json.job(enqueued.job()));
                out.addProperty("existing", enqueued.existing());
                yield out;
            }
            case "enqueueMany" -> {
                List<JobSpec> jobs = new ArrayList<>();
                in.getAsJsonArray("jobs").forEach(job -> jobs.add(Json.jobSpec(job.getAsJsonObject())));
                var enqueued = requestId.isPresent()
                        ? client.enqueueMany(jobs, requestId.get())
                        : client.enqueueMany(jobs);
                yield Json.array(enqueued, job -> {
                    JsonObject out = new JsonObject();
                    out.addProperty("id", job.id());
                    out.addProperty("existing", job.existing());
                    return out;
                });
            }
            case "encodeJob" -> base64(Json.jobSpec(in.getAsJsonObject("job")).encoded());
            case "getJob" -> Json.job(client.getJob(text(in, "jobId")));
            case "listJobs" -> {
                int pageSize = Json.maybeText(in, "pageSize").map(Integer::parseInt).orElse(0);
                yield Json.array(selection(in).list(pageSize), Json::job);
            }
            case "countJobs" -> {
                JsonObject out = new JsonObject();
                out.addProperty("count", Long.toString(selection(in).count()));
                yield out;
            }
            default -> {
                Explanation explanation = client.explainJob(text(in, "jobId"));
                JsonObject out = new JsonObject();
                out.addProperty("state", explanation.state().name());
                out.add("holdUps", Json.array(
                        explanation.holdUps(), holdUp -> new JsonPrimitive(holdUp.name().toLowerCase(Locale.ROOT))));
                yield out;
            }
        };
    }

    private Job bindings(String name, JsonObject in) {
        Job job = client.getJob(text(in, "jobId"));
        return switch (name) {
            case "bind" -> job.bindBudget(Json.binding(in.getAsJsonObject("budget")));
            case "rebind" -> job.rebindBudget(Json.binding(in.getAsJsonObject("budget")));
            case "setCost" -> job.setCost(text(in, "key"), Long.parseLong(text(in, "cost")));
            case "unbind" -> job.unbindBudget(text(in, "key"));
            case "unbindAll" -> job.unbindAll();
            default -> job.replaceBudgets(Json.bindings(in.get("budgets")));
        };
    }

    private JsonElement selections(String name, JsonObject in) {
        JobSelection jobs = selection(in);
        Apply apply = Json.flag(in, "validateOnly") ? Apply.VALIDATE_ONLY : Apply.COMMIT;
        return Json.changed(switch (name) {
            case "bulkBind" -> jobs.bindBudget(Json.binding(in.getAsJsonObject("budget")), apply);
            case "bulkRebind" -> jobs.rebindBudget(Json.binding(in.getAsJsonObject("budget")), apply);
            case "bulkSetCost" -> jobs.setCost(text(in, "key"), Long.parseLong(text(in, "cost")), apply);
            case "bulkUnbind" -> jobs.unbindBudget(text(in, "key"), apply);
            case "bulkUnbindAll" -> jobs.unbindAll(apply);
            case "bulkReplace" -> jobs.replaceBudgets(Json.bindings(in.get("budgets")), apply);
            case "cancelJobs" ->
                jobs.cancel(Json.flag(in, "stopInFlight") ? CancelMode.FORCE : CancelMode.ASK, apply);
            case "retryJobs" -> jobs.retry(apply);
            case "deleteJobs" -> jobs.delete(apply);
            default -> jobs.update(Json.jobPatch(in.getAsJsonObject("patch")), apply);
        });
    }

    private JobSelection selection(JsonObject in) {
        return in.has("filter") ? Json.select(client.jobs(), in.getAsJsonObject("filter")) : client.jobs();
    }

    private JsonElement leases(String name, JsonObject in) {
        return switch (name) {
            case "leaseJobs" -> {
                LeaseOptions options = LeaseOptions.of(text(in, "workerId"), Json.texts(in.get("queues")));
                if (in.has("maxJobs")) {
                    options = options.maxJobs(in.get("maxJobs").getAsInt());
                }
                if (in.has("waitMs")) {
                    options = options.waitFor(Json.millis(in.get("waitMs")));
                }
                if (in.has("leaseMs")) {
                    options = options.leaseDuration(Json.millis(in.get("leaseMs")));
                }
                if (in.has("requestId")) {
                    options = options.requestId(text(in, "requestId"));
                }
                yield Json.array(client.leaseJobs(options), Json::leased);
            }
            case "settleJobs" -> {
                List<Settlement> settlements = new ArrayList<>();
                in.getAsJsonArray("outcomes").forEach(entry -> settlements.add(settlement(entry.getAsJsonObject())));
                yield Json.array(client.settleJobs(settlements), result -> new JsonPrimitive(result.status().name()));
            }
            default -> Json.array(
                    client.extendLeases(Json.texts(in.get("leaseIds"))),
                    result -> new JsonPrimitive(result.status().name()));
        };
    }

    private static Settlement settlement(JsonObject in) {
        Settlement settlement = Settlement.of(text(in, "leaseId"), Json.outcome(in.getAsJsonObject("outcome")));
        if (in.has("usage")) {
            for (JsonElement entry : in.getAsJsonArray("usage")) {
                JsonObject used = entry.getAsJsonObject();
                settlement = settlement.usage(text(used, "key"), Long.parseLong(text(used, "cost")));
            }
        }
        return settlement;
    }

    private static JsonElement queue(QueueInfo queue) {
        JsonObject out = new JsonObject();
        out.addProperty("name", queue.name());
        out.addProperty("paused", queue.paused());
        out.addProperty("ready", Long.toString(queue.ready()));
        return out;
    }

    private static JsonElement base64(byte[] bytes) {
        return new JsonPrimitive(Base64.getEncoder().encodeToString(bytes));
    }
}
