package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluicegate.v1.BudgetPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyPatchTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static List<String> paths(PolicyPatch patch) {
        return patch.mask().getPathsList();
    }

    @Test
    void onlyWhatWasNamedIsInTheMask() {
        assertTrue(PolicyPatch.create().isEmpty());
        assertEquals(List.of("allocation"), paths(PolicyPatch.create().allocation(3)));
        assertEquals(List.of("time_based.burst"), paths(PolicyPatch.create().burst(3)));
        assertEquals(List.of("while_in_flight"), paths(PolicyPatch.create().strategy(Strategy.whileInFlight())));
        PolicyPatch all =
                PolicyPatch.create().allocation(3).duration(SECOND).burst(4).reserveAfter(ReserveAfter.serverDefault());
        assertEquals(List.of("allocation", "time_based.duration", "time_based.burst", "reserve_after"), paths(all));
        assertEquals(BudgetPolicy.ReserveAfterCase.RESERVEAFTER_NOT_SET, all.policy().getReserveAfterCase());
    }

    @Test
    void aClearedBurstIsNamedAndUnset() {
        PolicyPatch patch = PolicyPatch.create().burst(4).clearBurst();
        assertEquals(List.of("time_based.burst"), paths(patch));
        assertFalse(patch.policy().getTimeBased().hasBurst());
        assertFalse(patch.isEmpty());
    }

    @Test
    void fieldsNamedAfterAWholeStrategyChangeThatStrategy() {
        PolicyPatch patch = PolicyPatch.create().strategy(Strategy.timeBased(SECOND.multipliedBy(9))).duration(SECOND).burst(7);
        assertEquals(List.of("time_based"), paths(patch));
        assertEquals(7, patch.policy().getTimeBased().getBurst());
        assertEquals(Wire.duration(SECOND), patch.policy().getTimeBased().getDuration());
        assertFalse(patch.clearBurst().policy().getTimeBased().hasBurst());
    }

    @Test
    void noOrderOfCallsGivesAWhileInFlightBudgetADrip() {
        PolicyPatch whole = PolicyPatch.create().strategy(Strategy.whileInFlight());
        assertEquals(List.of("time_based"), paths(whole.duration(SECOND)));
        assertEquals(List.of("time_based.burst"), paths(whole.burst(2)));
        assertEquals(List.of("while_in_flight"), paths(PolicyPatch.create().burst(2).strategy(Strategy.whileInFlight())));
    }

    @Test
    void aNegativeAmountIsRefusedByItsName() {
        var error = assertThrows(IllegalArgumentException.class, () -> PolicyPatch.create().burst(-1));
        assertTrue(error.getMessage().startsWith("burst is -1"), error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Policy.whileInFlight(-1));
        assertThrows(IllegalArgumentException.class, () -> Binding.to("b", -1));
        assertThrows(IllegalArgumentException.class, () -> Strategy.timeBased(SECOND).withBurst(-1));
        assertEquals(Long.MAX_VALUE, Policy.whileInFlight(Long.MAX_VALUE).toWire().getAllocation());
    }
}
