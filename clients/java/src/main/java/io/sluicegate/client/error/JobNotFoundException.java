package io.sluicegate.client.error;

/** There is no such job; it may have been removed. */
public final class JobNotFoundException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    JobNotFoundException(Facts facts) {
        super(facts);
    }

    /** The job's id. */
    public String jobId() {
        return fact("job_id");
    }
}
