package io.sluicegate.client.error;

/** Any other status: a reason that this client doesn't know, a deadline that is over, a proxy's words. */
public final class ServerException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    private final String code;

    ServerException(Facts facts) {
        super(facts);
        code = facts.code().name();
    }

    /** The status' code, such as {@code DEADLINE_EXCEEDED}. */
    public String code() {
        return code;
    }
}
