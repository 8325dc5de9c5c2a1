package io.sluicegate.client.error;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Why a call failed. The subclasses say what was wrong, each with its facts. */
public abstract class SluicegateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Read once; a status' details aren't serializable, and neither are they needed again. */
    private final Facts facts;

    SluicegateException(Facts facts) {
        super(facts.message(), facts.cause());
        this.facts = facts;
    }

    /** The name of the reason in the contract, such as {@code BUDGET_NOT_FOUND}; empty where the server gave none. */
    public Optional<String> reason() {
        return facts.reason();
    }

    /** Each field that was refused; empty unless it is an {@link InvalidFieldException}, and then perhaps several. */
    public List<FieldViolation> fieldViolations() {
        return facts.fieldViolations();
    }

    /**
     * Whether the same call may succeed later. After {@link StoreUnavailableException} and {@link UnavailableException} the call
     * may have taken effect already: repeat an enqueue only with a request id (semantics 10.3).
     */
    public boolean isRetryable() {
        return false;
    }

    /** How long the server asks callers to wait before they try again. */
    public Optional<Duration> retryAfter() {
        return facts.retryAfter();
    }

    final String fact(String key) {
        return facts.text(key);
    }

    final long amount(String key) {
        return facts.amount(key);
    }

    final List<String> list(String key) {
        return facts.list(key);
    }

    /** The exception for what a call by gRPC threw: what isn't a status counts as UNKNOWN. */
    public static SluicegateException from(Throwable thrown) {
        if (thrown instanceof SluicegateException already) {
            return already;
        }
        // What is below a status is the cause, not its wrapping, which can't be serialized.
        if (thrown instanceof StatusRuntimeException status) {
            return of(Facts.read(status.getStatus(), status.getTrailers(), status.getStatus().getCause()));
        }
        if (thrown instanceof StatusException status) {
            return of(Facts.read(status.getStatus(), status.getTrailers(), status.getStatus().getCause()));
        }
        return of(Facts.read(Status.fromThrowable(thrown), null, thrown));
    }

    private static SluicegateException of(Facts facts) {
        return switch (facts.reason().orElse("")) {
            case "INVALID_FIELD" -> new InvalidFieldException(facts);
            case "BUDGET_ALREADY_EXISTS" -> new BudgetAlreadyExistsException(facts);
            case "ALREADY_BOUND" -> new AlreadyBoundException(facts);
            case "BUDGET_NOT_FOUND" -> new BudgetNotFoundException(facts);
            case "JOB_NOT_FOUND" -> new JobNotFoundException(facts);
            case "NOT_BOUND" -> new NotBoundException(facts);
            case "QUEUE_NOT_FOUND" -> new QueueNotFoundException(facts);
            case "COST_EXCEEDS_CAPACITY" -> new CostExceedsCapacityException(facts);
            case "BUDGET_IN_USE" -> new BudgetInUseException(facts);
            case "JOB_IN_FLIGHT" -> new JobInFlightException(facts);
            case "JOB_FINISHED" -> new JobFinishedException(facts);
            case "ETAG_MISMATCH" -> new EtagMismatchException(facts);
            case "SESSION_SUPERSEDED" -> new SessionSupersededException(facts);
            case "BUDGET_LIMIT_REACHED" -> new BudgetLimitReachedException(facts);
            case "OVERLOADED" -> new OverloadedException(facts);
            case "STORE_UNAVAILABLE" -> new StoreUnavailableException(facts);
            case "DRAINING" -> new DrainingException(facts);
            default -> isOfTransport(facts) ? new UnavailableException(facts) : new ServerException(facts);
        };
    }

    /** Whether the connection failed. One that goes down just as a call begins is known to gRPC only as an error of Java's. */
    private static boolean isOfTransport(Facts facts) {
        return facts.code() == Status.Code.UNAVAILABLE
                || facts.code() == Status.Code.UNKNOWN && facts.cause() instanceof IOException;
    }
}
