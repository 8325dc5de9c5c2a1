package io.sluicegate.client.error;

/** The job is over. */
public final class JobFinishedException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    JobFinishedException(Facts facts) {
        super(facts);
    }

    /** The job's id. */
    public String jobId() {
        return fact("job_id");
    }

    /** How it ended, in the server's word. */
    public String state() {
        return fact("state");
    }
}
