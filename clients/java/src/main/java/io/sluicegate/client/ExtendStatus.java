package io.sluicegate.client;

/** Whether a lease was extended (semantics 5.4). */
public enum ExtendStatus {
    /** It was. */
    EXTENDED,
    /** It was settled before. */
    ALREADY_SETTLED,
    /** It ended otherwise: the handler should stop. */
    LOST,
    /** It isn't live, and what became of it is no longer known. */
    GONE,
    /** Something that this client doesn't know. */
    UNKNOWN;

    static ExtendStatus fromWire(io.sluicegate.v1.ExtendStatus wire) {
        return switch (wire) {
            case EXTEND_STATUS_EXTENDED -> EXTENDED;
            case EXTEND_STATUS_ALREADY_SETTLED -> ALREADY_SETTLED;
            case EXTEND_STATUS_LOST -> LOST;
            case EXTEND_STATUS_GONE -> GONE;
            case EXTEND_STATUS_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
        };
    }
}
