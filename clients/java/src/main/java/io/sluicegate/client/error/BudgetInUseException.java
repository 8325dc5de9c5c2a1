package io.sluicegate.client.error;

/** Unfinished jobs are bound to the budget (semantics 7.5). */
public final class BudgetInUseException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    BudgetInUseException(Facts facts) {
        super(facts);
    }

    /** The budget's key. */
    public String budget() {
        return fact("budget");
    }

    /** How many jobs. */
    public long total() {
        return amount("total");
    }
}
