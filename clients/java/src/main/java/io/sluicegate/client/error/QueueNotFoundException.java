package io.sluicegate.client.error;

/** There is no such queue. */
public final class QueueNotFoundException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    QueueNotFoundException(Facts facts) {
        super(facts);
    }

    /** The name that was asked for. */
    public String queue() {
        return fact("queue");
    }
}
