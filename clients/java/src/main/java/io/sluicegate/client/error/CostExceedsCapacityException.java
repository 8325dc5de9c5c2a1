package io.sluicegate.client.error;

import java.util.List;

/** A cost is above the capacity of its budget (semantics 3.2, 7.4). */
public final class CostExceedsCapacityException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    CostExceedsCapacityException(Facts facts) {
        super(facts);
    }

    /** The budget's key. */
    public String budget() {
        return fact("budget");
    }

    /** The largest cost above the capacity, in tokens. */
    public long cost() {
        return amount("cost");
    }

    /** The capacity that is, or would be, in force, in tokens. */
    public long capacity() {
        return amount("capacity");
    }

    /** Of a change of a policy: up to 10 of the jobs that stand against it. */
    public List<String> jobIds() {
        return list("job_ids");
    }

    /** Of a change of a policy: how many jobs there are; else 0. */
    public long total() {
        return amount("total");
    }
}
