package io.sluicegate.client.error;

/** The policy was changed since its etag was read. */
public final class EtagMismatchException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    EtagMismatchException(Facts facts) {
        super(facts);
    }

    /** The budget's key. */
    public String budget() {
        return fact("budget");
    }

    /** The etag that it has now. */
    public String etag() {
        return fact("etag");
    }
}
