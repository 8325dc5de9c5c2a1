package io.sluicegate.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.sluicegate.client.Backoff;
import io.sluicegate.client.Binding;
import io.sluicegate.client.Budget;
import io.sluicegate.client.Changed;
import io.sluicegate.client.Job;
import io.sluicegate.client.JobPatch;
import io.sluicegate.client.JobResult;
import io.sluicegate.client.JobSelection;
import io.sluicegate.client.JobSpec;
import io.sluicegate.client.JobState;
import io.sluicegate.client.LeasedJob;
import io.sluicegate.client.Payload;
import io.sluicegate.client.Policy;
import io.sluicegate.client.PolicyPatch;
import io.sluicegate.client.ReserveAfter;
import io.sluicegate.client.Retention;
import io.sluicegate.client.Strategy;
import io.sluicegate.client.TimeBased;
import io.sluicegate.client.UniqueScope;
import io.sluicegate.client.error.FieldViolation;
import io.sluicegate.client.error.SluicegateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The values of the harness' protocol, as those of the client. */
final class Json {
    private Json() {}

    /** Applies this to a member, if it was said. */
    static void with(JsonObject object, String name, Consumer<JsonElement> use) {
        JsonElement member = object.get(name);
        if (member != null && !member.isJsonNull()) {
            use.accept(member);
        }
    }

    static String text(JsonObject object, String name) {
        return object.get(name).getAsString();
    }

    static Optional<String> maybeText(JsonObject object, String name) {
        JsonElement member = object.get(name);
        return member == null || member.isJsonNull() ? Optional.empty() : Optional.of(member.getAsString());
    }

    static boolean flag(JsonObject object, String name) {
        return maybeText(object, name).map(Boolean::parseBoolean).orElse(false);
    }

    static Duration millis(JsonElement value) {
        return Duration.ofMillis(value.getAsLong());
    }

    static List<String> texts(JsonElement value) {
        List<String> texts = new ArrayList<>();
        value.getAsJsonArray().forEach(entry -> texts.add(entry.getAsString()));
        return texts;
    }

    static <T> JsonArray array(Iterable<T> entries, Function<T, JsonElement> convert) {
        JsonArray array = new JsonArray();
        entries.forEach(entry -> array.add(convert.apply(entry)));
        return array;
    }

    static Policy policy(JsonObject in) {
        Policy policy = new Policy(Long.parseLong(text(in, "allocation")), strategy(in.getAsJsonObject("strategy")));
        JsonElement reserveAfter = in.get("reserveAfter");
        return reserveAfter == null || reserveAfter.isJsonNull()
                ? policy
                : policy.withReserveAfter(reserveAfter(reserveAfter));
    }

    private static Strategy strategy(JsonObject in) {
        if (text(in, "type").equals("while_in_flight")) {
            return Strategy.whileInFlight();
        }
        TimeBased drip = Strategy.timeBased(millis(in.get("durationMs")));
        return maybeText(in, "burst").map(burst -> drip.withBurst(Long.parseLong(burst))).orElse(drip);
    }

    private static ReserveAfter reserveAfter(JsonElement in) {
        return in.isJsonPrimitive() ? ReserveAfter.never() : ReserveAfter.after(millis(in.getAsJsonObject().get("afterMs")));
    }

    static PolicyPatch policyPatch(JsonObject in) {
        PolicyPatch patch = PolicyPatch.create();
        if (in.has("allocation")) {
            patch = patch.allocation(Long.parseLong(text(in, "allocation")));
        }
        if (in.has("strategy")) {
            JsonObject strategy = in.getAsJsonObject("strategy");
            if (strategy.has("type")) {
                patch = patch.strategy(strategy(strategy));
            } else if (strategy.has("durationMs")) {
                patch = patch.duration(millis(strategy.get("durationMs")));
            }
            if (strategy.has("burst")) {
                JsonElement burst = strategy.get("burst");
                patch = burst.isJsonNull() ? patch.clearBurst() : patch.burst(Long.parseLong(burst.getAsString()));
            }
        }
        return in.has("reserveAfter") ? patch.reserveAfter(reserveAfter(in.get("reserveAfter"))) : patch;
    }

    static JsonObject budget(Budget budget) {
        JsonObject out = new JsonObject();
        out.addProperty("key", budget.key());
        out.add("policy", policy(budget.policy()));
        out.addProperty("etag", budget.etag());
        out.addProperty("available", Long.toString(budget.status().available()));
        out.addProperty("capacity", Long.toString(budget.status().capacity()));
        out.addProperty("inFlightCost", Long.toString(budget.status().inFlightCost()));
        out.addProperty("inFlightJobs", Long.toString(budget.status().inFlightJobs()));
        out.addProperty("parkedJobs", Long.toString(budget.status().parkedJobs()));
        out.addProperty("boundJobs", Long.toString(budget.status().boundJobs()));
        out.addProperty("blocked", budget.status().blocked());
        return out;
    }

    private static JsonObject policy(Policy policy) {
        JsonObject strategy = new JsonObject();
        if (policy.strategy() instanceof TimeBased drip) {
            strategy.addProperty("type", "time_based");
            strategy.addProperty("durationMs", drip.duration().toMillis());
            drip.burst().ifPresent(burst -> strategy.addProperty("burst", Long.toString(burst)));
        } else {
            strategy.addProperty("type", "while_in_flight");
        }
        JsonObject out = new JsonObject();
        out.addProperty("allocation", Long.toString(policy.allocation()));
        out.add("strategy", strategy);
        if (policy.reserveAfter() instanceof ReserveAfter.After after) {
            JsonObject reserveAfter = new JsonObject();
            reserveAfter.addProperty("afterMs", after.delay().toMillis());
            out.add("reserveAfter", reserveAfter);
        } else if (policy.reserveAfter() instanceof ReserveAfter.Never) {
            out.addProperty("reserveAfter", "never");
        }
        return out;
    }

    static Binding binding(JsonObject in) {
        String key = text(in, "key");
        Binding binding = maybeText(in, "cost").map(cost -> Binding.to(key, Long.parseLong(cost))).orElse(Binding.to(key));
        return in.has("createWith") ? binding.createWith(policy(in.getAsJsonObject("createWith"))) : binding;
    }

    static List<Binding> bindings(JsonElement in) {
        List<Binding> bindings = new ArrayList<>();
        in.getAsJsonArray().forEach(entry -> bindings.add(binding(entry.getAsJsonObject())));
        return bindings;
    }

    static JsonArray bindings(Collection<Binding> bindings) {
        return array(bindings, binding -> {
            JsonObject out = new JsonObject();
            out.addProperty("key", binding.budget());
            out.addProperty("cost", Long.toString(binding.cost().orElse(1)));
            return out;
        });
    }

    static JobSpec jobSpec(JsonObject in) {
        JobSpec.Builder job = JobSpec.builder(text(in, "queue"), maybeText(in, "type").orElse(""));
        with(in, "payload", payload -> job.payload(payload(payload.getAsJsonObject())));
        with(in, "priority", priority -> job.priority(priority.getAsInt()));
        with(in, "runInMs", delay -> job.runIn(millis(delay)));
        with(in, "maxAttempts", attempts -> job.maxAttempts(attempts.getAsInt()));
        with(in, "backoff", backoff -> job.backoff(backoff(backoff.getAsJsonObject())));
        with(in, "retention", retention -> job.retention(retention(retention.getAsJsonObject())));
        with(in, "timeoutMs", timeout -> job.timeout(millis(timeout)));
        with(in, "unique", unique -> {
            String key = text(unique.getAsJsonObject(), "key");
            maybeText(unique.getAsJsonObject(), "scope")
                    .map(UniqueScope::valueOf)
                    .ifPresentOrElse(scope -> job.unique(key, scope), () -> job.unique(key));
        });
        with(in, "metadata", pairs -> pairs.getAsJsonObject()
                .entrySet()
                .forEach(pair -> job.metadata(pair.getKey(), pair.getValue().getAsString())));
        with(in, "budgets", budgets -> bindings(budgets).forEach(job::bind));
        return job.build();
    }

    private static Payload payload(JsonObject in) {
        return in.has("json")
                ? Payload.json(text(in, "json"))
                : Payload.binary(Base64.getDecoder().decode(text(in, "base64")));
    }

    private static Backoff backoff(JsonObject in) {
        Backoff backoff = Backoff.defaults();
        if (in.has("initialMs")) {
            backoff = backoff.initial(millis(in.get("initialMs")));
        }
        if (in.has("maxMs")) {
            backoff = backoff.max(millis(in.get("maxMs")));
        }
        if (in.has("multiplier")) {
            backoff = backoff.multiplierPercent((int) Math.round(in.get("multiplier").getAsDouble() * 100));
        }
        if (in.has("jitter")) {
            backoff = backoff.jitterPercent((int) Math.round(in.get("jitter").getAsDouble() * 100));
        }
        return backoff;
    }

    private static Retention retention(JsonObject in) {
        Retention retention = Retention.defaults();
        if (in.has("completedMs")) {
            retention = retention.completed(millis(in.get("completedMs")));
        }
        if (in.has("deadMs")) {
            retention = retention.dead(millis(in.get("deadMs")));
        }
        return in.has("cancelledMs") ? retention.cancelled(millis(in.get("cancelledMs"))) : retention;
    }

    static JobPatch jobPatch(JsonObject in) {
        JobPatch patch = JobPatch.create();
        if (in.has("queue")) {
            patch = patch.queue(text(in, "queue"));
        }
        if (in.has("type")) {
            patch = patch.type(text(in, "type"));
        }
        if (in.has("priority")) {
            patch = patch.priority(in.get("priority").getAsInt());
        }
        if (in.has("runInMs")) {
            patch = patch.runIn(millis(in.get("runInMs")));
        }
        return in.has("maxAttempts") ? patch.maxAttempts(in.get("maxAttempts").getAsInt()) : patch;
    }

    static JobSelection select(JobSelection all, JsonObject in) {
        JobSelection jobs = flag(in, "all") ? all.all() : all;
        if (in.has("ids")) {
            jobs = jobs.byIds(texts(in.get("ids")));
        }
        if (in.has("queues")) {
            jobs = jobs.byQueue(texts(in.get("queues")).toArray(String[]::new));
        }
        if (in.has("types")) {
            jobs = jobs.byType(texts(in.get("types")).toArray(String[]::new));
        }
        if (in.has("states")) {
            jobs = jobs.byState(texts(in.get("states")).stream().map(JobState::valueOf).toArray(JobState[]::new));
        }
        if (in.has("budgets")) {
            jobs = jobs.byBudgetsKey(texts(in.get("budgets")).toArray(String[]::new));
        }
        if (in.has("priorityMin")) {
            jobs = jobs.byPriorityMin(in.get("priorityMin").getAsInt());
        }
        return in.has("priorityMax") ? jobs.byPriorityMax(in.get("priorityMax").getAsInt()) : jobs;
    }

    static JsonObject payload(Payload payload) {
        JsonObject out = new JsonObject();
        if (payload instanceof Payload.Json json) {
            out.addProperty("json", json.text());
        } else {
            out.addProperty("base64", Base64.getEncoder().encodeToString(payload.bytes()));
        }
        return out;
    }

    private static JsonObject metadata(Map<String, String> pairs) {
        JsonObject out = new JsonObject();
        pairs.forEach(out::addProperty);
        return out;
    }

    static JsonObject job(Job job) {
        JsonObject out = new JsonObject();
        out.addProperty("id", job.id());
        out.addProperty("queue", job.queue());
        out.addProperty("type", job.type());
        out.addProperty("state", job.state().name());
        out.addProperty("priority", job.priority());
        out.addProperty("attempts", job.attempts());
        out.addProperty("maxAttempts", job.maxAttempts());
        job.payload().ifPresent(payload -> out.add("payload", payload(payload)));
        out.add("budgets", bindings(job.budgets()));
        out.add("metadata", metadata(job.metadata()));
        out.add("errors", array(job.errors(), error -> {
            JsonObject entry = new JsonObject();
            entry.addProperty("attempt", error.attempt());
            entry.addProperty("error", error.message());
            return entry;
        }));
        if (job.result().length > 0) {
            out.addProperty("resultBase64", Base64.getEncoder().encodeToString(job.result()));
        }
        return out;
    }

    static JsonObject leased(LeasedJob job) {
        JsonObject inner = new JsonObject();
        inner.addProperty("id", job.id());
        inner.addProperty("queue", job.queue());
        inner.addProperty("type", job.type());
        inner.addProperty("state", JobState.IN_FLIGHT.name());
        inner.addProperty("priority", job.priority());
        inner.addProperty("attempts", job.attempts());
        inner.addProperty("maxAttempts", job.maxAttempts());
        job.payload().ifPresent(payload -> inner.add("payload", payload(payload)));
        inner.add("budgets", bindings(job.bindings()));
        inner.add("metadata", metadata(job.metadata()));
        inner.add("errors", new JsonArray());
        JsonObject out = new JsonObject();
        out.addProperty("leaseId", job.lease().id());
        out.add("job", inner);
        return out;
    }

    static JsonObject started(String worker, LeasedJob job) {
        JsonObject out = new JsonObject();
        out.addProperty("event", "started");
        out.addProperty("worker", worker);
        out.addProperty("jobId", job.id());
        out.addProperty("type", job.type());
        out.addProperty("attempt", job.lease().attempt());
        job.payload().ifPresent(payload -> out.add("payload", payload(payload)));
        out.add("metadata", metadata(job.metadata()));
        out.add("budgets", bindings(job.bindings()));
        return out;
    }

    static JsonObject changed(Changed changed) {
        JsonObject out = new JsonObject();
        out.addProperty("changed", Long.toString(changed.changed()));
        out.add("blocked", array(changed.blocked(), JsonPrimitive::new));
        out.addProperty("blockedCount", Long.toString(changed.blockedCount()));
        return out;
    }

    /** The result of an outcome; a "raise" throws. */
    static JobResult outcome(JsonObject in) {
        String kind = in.keySet().iterator().next();
        JsonObject facts = in.getAsJsonObject(kind);
        return switch (kind) {
            case "success" -> maybeText(facts, "resultBase64")
                    .map(result -> JobResult.success(Base64.getDecoder().decode(result)))
                    .orElse(JobResult.success());
            case "failure" -> facts.has("retryAfterMs") && !facts.get("retryAfterMs").isJsonNull()
                    ? JobResult.failure(text(facts, "message"), millis(facts.get("retryAfterMs")))
                    : JobResult.failure(text(facts, "message"));
            case "discard" -> JobResult.discard(text(facts, "message"));
            case "release" -> facts.has("delayMs") && !facts.get("delayMs").isJsonNull()
                    ? JobResult.release(millis(facts.get("delayMs")))
                    : JobResult.release();
            case "throttled" -> JobResult.throttled(text(facts, "budget"), millis(facts.get("retryAfterMs")));
            case "raise" -> throw new IllegalStateException(text(facts, "message"));
            default -> throw new UnsupportedOperationException("outcome " + kind);
        };
    }

    static JsonObject error(Throwable error) {
        JsonObject out = new JsonObject();
        out.add("reason", JsonNull.INSTANCE);
        out.addProperty("kind", kind(error));
        out.addProperty("retryable", false);
        out.add("retryAfterMs", JsonNull.INSTANCE);
        out.add("fields", new JsonArray());
        out.addProperty("message", String.valueOf(error.getMessage()));
        if (error instanceof SluicegateException refused) {
            refused.reason().ifPresent(reason -> out.addProperty("reason", reason));
            out.addProperty("retryable", refused.isRetryable());
            refused.retryAfter().ifPresent(wait -> out.addProperty("retryAfterMs", wait.toMillis()));
            out.add("fields", array(refused.fieldViolations(), Json::field));
        }
        return out;
    }

    private static JsonElement field(FieldViolation violation) {
        return new JsonPrimitive(violation.field());
    }

    private static String kind(Throwable error) {
        if (error instanceof UnsupportedOperationException) {
            return "Unsupported";
        }
        boolean isTheClients = error instanceof IllegalArgumentException || error instanceof IllegalStateException;
        return isTheClients ? "Client" : error.getClass().getSimpleName();
    }
}
