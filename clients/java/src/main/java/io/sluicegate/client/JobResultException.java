package io.sluicegate.client;

import java.util.Objects;

/** Ends a handler with a result from deep inside it, such as {@code throw new JobResultException(JobResult.discard("no such user"))}. */
public final class JobResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient JobResult result;

    /** Ends the handler as if it had returned this. */
    public JobResultException(JobResult result) {
        super(Objects.requireNonNull(result, "result").toString());
        this.result = result;
    }

    /** What the handler answers. */
    public JobResult result() {
        return result;
    }
}
