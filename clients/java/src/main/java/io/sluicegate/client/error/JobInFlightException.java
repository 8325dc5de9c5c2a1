package io.sluicegate.client.error;

/** The job is in flight, where its bindings never change (semantics 3.5). */
public final class JobInFlightException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    JobInFlightException(Facts facts) {
        super(facts);
    }

    /** The job's id. */
    public String jobId() {
        return fact("job_id");
    }
}
