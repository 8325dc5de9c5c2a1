package io.sluicegate.client.error;

/** There is no such budget, whether it was asked for or named by a binding (semantics 3.3). */
public final class BudgetNotFoundException extends SluicegateException {
    private static final long serialVersionUID = 1L;

    BudgetNotFoundException(Facts facts) {
        super(facts);
    }

    /** The budget's key. */
    public String budget() {
        return fact("budget");
    }
}
