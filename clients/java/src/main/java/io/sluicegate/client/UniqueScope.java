package io.sluicegate.client;

/** The states in which a job holds its unique key. */
public enum UniqueScope {
    /** While it is scheduled or ready. */
    QUEUED,
    /** While it is scheduled, ready or in flight. */
    UNFINISHED,
    /** Until it is removed, finished or not. */
    RETAINED;

    io.sluicegate.v1.UniqueScope toWire() {
        return switch (this) {
            case QUEUED -> io.sluicegate.v1.UniqueScope.UNIQUE_SCOPE_QUEUED;
            case UNFINISHED -> io.sluicegate.v1.UniqueScope.UNIQUE_SCOPE_UNFINISHED;
            case RETAINED -> io.sluicegate.v1.UniqueScope.UNIQUE_SCOPE_RETAINED;
        };
    }
}
