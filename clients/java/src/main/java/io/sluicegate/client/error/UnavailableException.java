package io.sluicegate.client.error;

/** The server couldn't be reached, or the connection broke. Whether the call took effect is unknown. */
public final class UnavailableException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    UnavailableException(Facts facts) {
        super(facts);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
