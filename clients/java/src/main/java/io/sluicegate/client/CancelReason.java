package io.sluicegate.client;

/** Why a handler should stop. */
public enum CancelReason {
    /** The lease has ended without it: another worker may have the job. Whatever the handler answers is dropped. */
    LEASE_LOST,
    /** The job was cancelled (semantics 6.1). Success still completes it; any other answer cancels it. */
    CANCEL_REQUESTED,
    /** The worker stops, and waits no longer. A failure now counts as a release. */
    WORKER_STOPPING
}
