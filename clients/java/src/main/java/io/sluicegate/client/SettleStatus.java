package io.sluicegate.client;

/** Whether a lease was settled (semantics 5.4). */
public enum SettleStatus {
    /** The lease has ended as the settlement says, and that is on disk. */
    SETTLED,
    /** It was settled before: a harmless repeat. */
    ALREADY_SETTLED,
    /** It ended otherwise. */
    LOST,
    /** It isn't live, and what became of it is no longer known. */
    GONE,
    /** The settlement breaks a bound; the lease is live still. */
    INVALID,
    /** Something that this client doesn't know. */
    UNKNOWN;

    static SettleStatus fromWire(io.sluicegate.v1.SettleStatus wire) {
        return switch (wire) {
            case SETTLE_STATUS_SETTLED -> SETTLED;
            case SETTLE_STATUS_ALREADY_SETTLED -> ALREADY_SETTLED;
            case SETTLE_STATUS_LOST -> LOST;
            case SETTLE_STATUS_GONE -> GONE;
            case SETTLE_STATUS_INVALID -> INVALID;
            case SETTLE_STATUS_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
        };
    }
}
