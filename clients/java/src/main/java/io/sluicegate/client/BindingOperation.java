package io.sluicegate.client;

import io.sluicegate.v1.ReplaceBindings;
import io.sluicegate.v1.SetBindingCost;
import io.sluicegate.v1.Unbind;
import io.sluicegate.v1.UnbindAll;
import java.util.Collection;

/** Changes of bindings as the contract has them, the same for one job and for many (semantics 8.1). */
final class BindingOperation {
    private BindingOperation() {}

    static io.sluicegate.v1.BindingOperation bind(Binding binding) {
        return builder().setBind(binding.toWire()).build();
    }

    static io.sluicegate.v1.BindingOperation rebind(Binding binding) {
        return builder().setRebind(binding.toWire()).build();
    }

    static io.sluicegate.v1.BindingOperation setCost(String budget, long cost) {
        var change = SetBindingCost.newBuilder().setBudget(budget).setCost(Wire.amount("cost", cost));
        return builder().setSetCost(change).build();
    }

    static io.sluicegate.v1.BindingOperation unbind(String budget) {
        return builder().setUnbind(Unbind.newBuilder().setBudget(budget)).build();
    }

    static io.sluicegate.v1.BindingOperation unbindAll() {
        return builder().setUnbindAll(UnbindAll.getDefaultInstance()).build();
    }

    static io.sluicegate.v1.BindingOperation replaceAll(Collection<Binding> bindings) {
        ReplaceBindings.Builder all = ReplaceBindings.newBuilder();
        bindings.forEach(binding -> all.addBindings(binding.toWire()));
        return builder().setReplaceAll(all).build();
    }

    private static io.sluicegate.v1.BindingOperation.Builder builder() {
        return io.sluicegate.v1.BindingOperation.newBuilder();
    }
}
