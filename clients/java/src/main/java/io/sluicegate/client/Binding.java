package io.sluicegate.client;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What one dispatch of a job debits from one budget.
 *
 * @param budget the budget's key.
 * @param cost tokens, 1..=10^12; 1 where empty. More than the budget's capacity is refused (semantics 3.2).
 * @param createWith creates the budget with this policy if it doesn't exist, in the same commit as the job (semantics 3.4).
 *     Always empty in answers.
 */
public record Binding(String budget, OptionalLong cost, Optional<Policy> createWith) {
    /** Refuses a negative cost with {@link IllegalArgumentException}. */
    public Binding {
        Objects.requireNonNull(budget, "budget");
        cost.ifPresent(tokens -> Wire.amount("cost", tokens));
        Objects.requireNonNull(createWith, "createWith");
    }

    /** One token of this budget. */
    public static Binding to(String budget) {
        return new Binding(budget, OptionalLong.empty(), Optional.empty());
    }

    /** This many tokens of this budget. 1..=10^12. */
    public static Binding to(String budget, long cost) {
        return new Binding(budget, OptionalLong.of(cost), Optional.empty());
    }

    /** The same binding, which creates its budget with this policy if there is none. */
    public Binding createWith(Policy policy) {
        return new Binding(budget, cost, Optional.of(policy));
    }

    io.sluicegate.v1.Binding toWire() {
        var wire = io.sluicegate.v1.Binding.newBuilder().setBudget(budget);
        cost.ifPresent(wire::setCost);
        createWith.ifPresent(policy -> wire.setCreateWith(policy.toWire()));
        return wire.build();
    }

    static Binding fromWire(io.sluicegate.v1.Binding wire) {
        var cost = wire.hasCost() ? OptionalLong.of(wire.getCost()) : OptionalLong.empty();
        return new Binding(wire.getBudget(), cost, Optional.empty());
    }
}
