package io.sluicegate.client.error;

/** The server is shutting down, and did nothing. */
public final class DrainingException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    DrainingException(Facts facts) {
        super(facts);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
