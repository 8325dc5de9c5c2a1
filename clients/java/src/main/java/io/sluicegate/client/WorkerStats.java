package io.sluicegate.client;

import java.util.concurrent.atomic.AtomicLong;

/** A live view of a worker's counters, cheap to read. Nothing is decided by them. */
public final class WorkerStats {
    /** How an attempt ended, for the counters. */
    enum Ending {
        SUCCEEDED,
        FAILED,
        RELEASED,
        LOST
    }

    private final AtomicLong succeeded = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong connects = new AtomicLong();
    private volatile int inHand;
    private volatile boolean connected;

    WorkerStats() {}

    /** Leases in hand now: waiting, with a handler, or with a settlement that isn't confirmed. */
    public int inHand() {
        return inHand;
    }

    /** Attempts that succeeded, by their handlers. */
    public long succeeded() {
        return succeeded.get();
    }

    /** Attempts that failed or were discarded, by their handlers. */
    public long failed() {
        return failed.get();
    }

    /** Attempts that were given back: by their handlers, or since the worker drains. */
    public long released() {
        return released.get();
    }

    /** Attempts whose lease was lost before they had ended. */
    public long lost() {
        return lost.get();
    }

    /** Attempts that have ended, however they did. */
    public long processed() {
        return succeeded() + failed() + released() + lost();
    }

    /** How often the worker has come back to a server after its first connection. */
    public long reconnects() {
        return Math.max(0, connects.get() - 1);
    }

    /** Whether the worker is connected now. */
    public boolean isConnected() {
        return connected;
    }

    void ended(Ending ending) {
        AtomicLong counter = switch (ending) {
            case SUCCEEDED -> succeeded;
            case FAILED -> failed;
            case RELEASED -> released;
            case LOST -> lost;
        };
        counter.incrementAndGet();
    }

    void inHand(int leases) {
        inHand = leases;
    }

    void connected() {
        connects.incrementAndGet();
        connected = true;
    }

    void disconnected() {
        connected = false;
    }
}
