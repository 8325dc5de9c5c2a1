package io.sluicegate.client;

/** What holds a job up (semantics 12). */
public enum HoldUp {
    /** It is scheduled: its time is still to come. */
    NOT_READY,
    /** Its queue is paused. */
    QUEUE_PAUSED,
    /** No connected worker serves its queue. */
    NO_WORKER,
    /** Those that do have no room for it. */
    NO_ROOM,
    /** It is too large for every one of those that do. */
    TOO_LARGE,
    /** A budget can't pay for it, or is blocked. */
    BUDGET,
    /** Something that this client doesn't know. */
    UNKNOWN;

    static HoldUp fromWire(io.sluicegate.v1.HoldUp wire) {
        return switch (wire) {
            case HOLD_UP_NOT_READY -> NOT_READY;
            case HOLD_UP_QUEUE_PAUSED -> QUEUE_PAUSED;
            case HOLD_UP_NO_WORKER -> NO_WORKER;
            case HOLD_UP_NO_ROOM -> NO_ROOM;
            case HOLD_UP_TOO_LARGE -> TOO_LARGE;
            case HOLD_UP_BUDGET -> BUDGET;
            case HOLD_UP_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
        };
    }
}
