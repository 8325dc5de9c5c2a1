package io.sluicegate.client.error;

/** A field is missing or outside its bounds; {@link #fieldViolations()} names each. */
public final class InvalidFieldException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    InvalidFieldException(Facts facts) {
        super(facts);
    }
}
