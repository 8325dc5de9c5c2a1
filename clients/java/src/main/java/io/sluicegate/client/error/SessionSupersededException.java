package io.sluicegate.client.error;

/** A newer worker with the same id took over; the older must not come back. */
public final class SessionSupersededException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    SessionSupersededException(Facts facts) {
        super(facts);
    }

    /** The id of both workers. */
    public String workerId() {
        return fact("worker_id");
    }
}
