package io.sluicegate.client.error;

/** The job isn't bound to the budget (semantics 8.1). */
public final class NotBoundException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    NotBoundException(Facts facts) {
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
