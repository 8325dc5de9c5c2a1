package io.sluicegate.client;

/** What a cancellation does about jobs in flight. */
public enum CancelMode {
    /** Asks their workers: leases and holds stay until they settle or expire (semantics 6.1). */
    ASK,
    /**
     * Ends their leases as well, and frees their holds at once, though their handlers may still run: the promise of a
     * while-in-flight budget doesn't cover them (semantics 6.1, 13).
     */
    FORCE
}
