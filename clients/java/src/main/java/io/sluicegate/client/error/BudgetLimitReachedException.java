package io.sluicegate.client.error;

/** The server has all the budgets that it may have. */
public final class BudgetLimitReachedException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    BudgetLimitReachedException(Facts facts) {
        super(facts);
    }

    /** How many. */
    public long limit() {
        return amount("limit");
    }
}
