package io.sluicegate.client.error;

/** Too much is stored, open or waiting at once. Nothing was done. */
public final class OverloadedException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    OverloadedException(Facts facts) {
        super(facts);
    }

    /** Of what there is too much. */
    public String what() {
        return fact("what");
    }

    /** How much there may be. */
    public long limit() {
        return amount("limit");
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
