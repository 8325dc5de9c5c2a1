package io.sluicegate.client.error;

/** The job is bound to the budget already (semantics 8.1). */
public final class AlreadyBoundException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    AlreadyBoundException(Facts facts) {
        super(facts);
    }

    /** The budget's key. */
    public String budget() {
        return fact("budget");
    }

    /** The job's id. */
    public String jobId() {
        return fact("job_id");
    }
}
