package io.sluicegate.client;

import io.sluicegate.v1.BudgetThrottle;
import io.sluicegate.v1.BudgetUsage;
import io.sluicegate.v1.JobFailure;
import io.sluicegate.v1.JobRelease;
import io.sluicegate.v1.JobSuccess;
import io.sluicegate.v1.SettleOutcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How one lease is to end. Immutable.
 *
 * @param leaseId the lease.
 * @param result how the attempt ended.
 * @param usage tokens actually used, 0..=10^12, by budget (semantics 9.1); 0 says that nothing was started.
 * @param throttled for how long, 0..=24 h, budgets are to dispatch nothing, by budget (semantics 9.3).
 */
public record Settlement(String leaseId, JobResult result, Map<String, Long> usage, Map<String, Duration> throttled) {
    /** The server cuts messages at 4 KiB, so at this many characters at most: what is longer need not travel. */
    private static final int MESSAGE_CHARS_MAX = 4096;

    /** Refuses a negative usage with {@link IllegalArgumentException}. */
    public Settlement {
        Objects.requireNonNull(leaseId, "leaseId");
        Objects.requireNonNull(result, "result");
        usage.forEach((budget, tokens) -> Wire.amount("usage of " + budget, tokens));
        usage = Map.copyOf(usage);
        throttled = Map.copyOf(throttled);
    }

    /** This end, with nothing reported. */
    public static Settlement of(String leaseId, JobResult result) {
        return new Settlement(leaseId, result, Map.of(), Map.of());
    }

    /** Reports what was used of a budget, in tokens. The last report for a budget counts; the job must be bound to it. */
    public Settlement usage(String budget, long tokens) {
        Map<String, Long> all = new LinkedHashMap<>(usage);
        all.put(budget, tokens);
        return new Settlement(leaseId, result, all, throttled);
    }

    /** Reports a limit of the far side: the budget dispatches nothing for this long. The last report for a budget counts. */
    public Settlement throttled(String budget, Duration retryAfter) {
        Map<String, Duration> all = new LinkedHashMap<>(throttled);
        all.put(budget, retryAfter);
        return new Settlement(leaseId, result, usage, all);
    }

    SettleOutcome toWire() {
        SettleOutcome.Builder wire = SettleOutcome.newBuilder().setLeaseId(leaseId);
        Map<String, Duration> throttles = new LinkedHashMap<>(throttled);
        if (result instanceof JobResult.Success success) {
            wire.setSuccess(JobSuccess.newBuilder().setResult(success.wire()));
        } else if (result instanceof JobResult.Failure failure) {
            JobFailure.Builder failed = JobFailure.newBuilder().setError(cut(failure.message()));
            failure.retryAfter().ifPresent(delay -> failed.setRetryAfter(Wire.duration(delay)));
            wire.setFailure(failed);
        } else if (result instanceof JobResult.Discard discard) {
            wire.setFailure(JobFailure.newBuilder().setError(cut(discard.message())).setDiscard(true));
        } else if (result instanceof JobResult.Release release) {
            JobRelease.Builder released = JobRelease.newBuilder();
            release.delay().ifPresent(delay -> released.setDelay(Wire.duration(delay)));
            wire.setRelease(released);
        } else if (result instanceof JobResult.Throttled limit) {
            wire.setRelease(JobRelease.getDefaultInstance());
            throttles.putIfAbsent(limit.budget(), limit.retryAfter());
        }
        usage.forEach((budget, tokens) ->
                wire.addUsage(BudgetUsage.newBuilder().setBudget(budget).setCost(tokens)));
        throttles.forEach((budget, delay) -> wire.addThrottled(
                BudgetThrottle.newBuilder().setBudget(budget).setRetryAfter(Wire.duration(delay))));
        return wire.build();
    }

    private static String cut(String message) {
        return message.length() <= MESSAGE_CHARS_MAX ? message : message.substring(0, MESSAGE_CHARS_MAX);
    }

    /** What the job's life depends on, without what the server may have refused. */
    static SettleOutcome withoutOptions(SettleOutcome refused) {
        SettleOutcome.Builder bare = SettleOutcome.newBuilder().setLeaseId(refused.getLeaseId());
        return switch (refused.getOutcomeCase()) {
            case SUCCESS -> bare.setSuccess(JobSuccess.getDefaultInstance()).build();
            case FAILURE -> bare.setFailure(refused.getFailure().toBuilder().clearRetryAfter()).build();
            case RELEASE, OUTCOME_NOT_SET -> bare.setRelease(JobRelease.getDefaultInstance()).build();
        };
    }
}
