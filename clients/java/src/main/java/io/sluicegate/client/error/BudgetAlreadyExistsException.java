package io.sluicegate.client.error;

/** The budget exists, and keeps its policy (semantics 7.1). */
public final class BudgetAlreadyExistsException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    BudgetAlreadyExistsException(Facts facts) {
        super(facts);
    }

    /** The budget's key. */
    public String budget() {
        return fact("budget");
    }
}
