package io.sluicegate.client;

/** The states of a job (semantics 6.1). */
public enum JobState {
    /** Waits for its run time, its backoff, or the delay of a release. */
    SCHEDULED,
    /** Waits for a worker and for its budgets. */
    READY,
    /** A lease on it is live. */
    IN_FLIGHT,
    /** Succeeded. Terminal. */
    COMPLETED,
    /** Out of attempts, or discarded by its worker. Terminal. */
    DEAD,
    /** Ended by a cancellation. Terminal. */
    CANCELLED,
    /** Something that this client doesn't know. */
    UNKNOWN;

    static JobState fromWire(io.sluicegate.v1.JobState wire) {
        return switch (wire) {
            case JOB_STATE_SCHEDULED -> SCHEDULED;
            case JOB_STATE_READY -> READY;
            case JOB_STATE_IN_FLIGHT -> IN_FLIGHT;
            case JOB_STATE_COMPLETED -> COMPLETED;
            case JOB_STATE_DEAD -> DEAD;
            case JOB_STATE_CANCELLED -> CANCELLED;
            case JOB_STATE_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
        };
    }

    io.sluicegate.v1.JobState toWire() {
        return switch (this) {
            case SCHEDULED -> io.sluicegate.v1.JobState.JOB_STATE_SCHEDULED;
            case READY -> io.sluicegate.v1.JobState.JOB_STATE_READY;
            case IN_FLIGHT -> io.sluicegate.v1.JobState.JOB_STATE_IN_FLIGHT;
            case COMPLETED -> io.sluicegate.v1.JobState.JOB_STATE_COMPLETED;
            case DEAD -> io.sluicegate.v1.JobState.JOB_STATE_DEAD;
            case CANCELLED -> io.sluicegate.v1.JobState.JOB_STATE_CANCELLED;
            case UNKNOWN -> io.sluicegate.v1.JobState.JOB_STATE_UNSPECIFIED;
        };
    }
}
