package io.sluicegate.client.error;

/** A commit failed. <b>Whether the call took effect is unknown</b>: repeat it with the same request id (semantics 10.3). */
public final class StoreUnavailableException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    StoreUnavailableException(Facts facts) {
        super(facts);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
