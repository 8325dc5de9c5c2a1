//! Changes of a policy, field by field (semantics 7.1). Owns which mask paths a change names; can't express a burst of a
//! `while_in_flight` budget.

use std::time::Duration;

use crate::budget::{Policy, ReserveAfter, Strategy, TimeBased};
use crate::convert::duration_to_wire;
use crate::wire::{self, budget_policy};

/// What to change in a policy. What isn't named stays.
///
/// ```
/// # use sluicegate_client::PolicyPatch;
/// let patch = PolicyPatch::new().allocation(200).clear_burst();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyPatch {
    allocation: Option<u64>,
    strategy: StrategyPatch,
    reserve_after: Option<ReserveAfter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum StrategyPatch {
    /// Puts this strategy in place of the present one.
    Whole(Strategy),
    /// Changes single fields of a drip.
    Drip { duration: Option<Duration>, burst: BurstPatch },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BurstPatch {
    Keep,
    Clear,
    Set(u64),
}

impl Default for StrategyPatch {
    fn default() -> Self {
        StrategyPatch::Drip { duration: None, burst: BurstPatch::Keep }
    }
}

impl PolicyPatch {
    /// Changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Sets the allocation, in tokens.
    pub fn allocation(mut self, allocation: u64) -> Self {
        self.allocation = Some(allocation);
        self
    }

    /// Replaces the strategy whole, and forgets what was said about its fields before.
    pub fn strategy(mut self, strategy: impl Into<Strategy>) -> Self {
        self.strategy = StrategyPatch::Whole(strategy.into());
        self
    }

    /// Sets the time in which the allocation drips. Makes a `while_in_flight` budget `time_based`.
    pub fn duration(mut self, duration: Duration) -> Self {
        self.strategy = match self.strategy {
            StrategyPatch::Whole(Strategy::TimeBased(drip)) => {
                StrategyPatch::Whole(Strategy::TimeBased(TimeBased { duration, ..drip }))
            }
            StrategyPatch::Whole(Strategy::WhileInFlight) => {
                StrategyPatch::Whole(Strategy::TimeBased(TimeBased::per(duration)))
            }
            StrategyPatch::Drip { burst, .. } => StrategyPatch::Drip { duration: Some(duration), burst },
        };
        self
    }

    /// Sets the most tokens the pool may hold.
    pub fn burst(self, burst: u64) -> Self {
        self.patch_burst(BurstPatch::Set(burst))
    }

    /// Makes the allocation the capacity again.
    pub fn clear_burst(self) -> Self {
        self.patch_burst(BurstPatch::Clear)
    }

    /// Sets when a job that was passed over is protected.
    pub fn reserve_after(mut self, reserve_after: ReserveAfter) -> Self {
        self.reserve_after = Some(reserve_after);
        self
    }

    fn patch_burst(mut self, patch: BurstPatch) -> Self {
        self.strategy = match self.strategy {
            StrategyPatch::Whole(Strategy::TimeBased(drip)) => {
                let burst = match patch {
                    BurstPatch::Set(burst) => Some(burst),
                    BurstPatch::Keep | BurstPatch::Clear => None,
                };
                StrategyPatch::Whole(Strategy::TimeBased(TimeBased { burst, ..drip }))
            }
            StrategyPatch::Whole(Strategy::WhileInFlight) => StrategyPatch::Drip { duration: None, burst: patch },
            StrategyPatch::Drip { duration, .. } => StrategyPatch::Drip { duration, burst: patch },
        };
        self
    }

    /// The values, and the paths that say which of them count.
    pub(crate) fn to_wire(&self) -> (wire::BudgetPolicy, prost_types::FieldMask) {
        let mut policy = wire::BudgetPolicy::default();
        let mut paths = Vec::new();
        if let Some(allocation) = self.allocation {
            policy.allocation = allocation;
            paths.push("allocation");
        }
        match self.strategy {
            StrategyPatch::Whole(strategy) => {
                policy.strategy = Policy::new(0, strategy).to_wire().strategy;
                paths.push(match strategy {
                    Strategy::WhileInFlight => "while_in_flight",
                    Strategy::TimeBased(_) => "time_based",
                });
            }
            StrategyPatch::Drip { duration, burst } => {
                if duration.is_some() {
                    paths.push("time_based.duration");
                }
                if burst != BurstPatch::Keep {
                    paths.push("time_based.burst");
                }
                let drip = wire::TimeBased {
                    duration: duration.map(duration_to_wire),
                    burst: match burst {
                        BurstPatch::Set(burst) => Some(burst),
                        BurstPatch::Keep | BurstPatch::Clear => None,
                    },
                };
                policy.strategy = Some(budget_policy::Strategy::TimeBased(drip));
            }
        }
        if let Some(reserve_after) = self.reserve_after {
            policy.reserve_after = reserve_after.to_wire();
            paths.push("reserve_after");
        }
        let paths = paths.into_iter().map(str::to_owned).collect();
        (policy, prost_types::FieldMask { paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(patch: &PolicyPatch) -> Vec<String> {
        patch.to_wire().1.paths
    }

    fn drip(patch: &PolicyPatch) -> wire::TimeBased {
        match patch.to_wire().0.strategy {
            Some(budget_policy::Strategy::TimeBased(drip)) => drip,
            other => panic!("not time_based: {other:?}"),
        }
    }

    #[test]
    fn only_what_was_named_is_in_the_mask() {
        assert!(PolicyPatch::new().is_empty());
        assert_eq!(paths(&PolicyPatch::new().allocation(3)), ["allocation"]);
        assert_eq!(paths(&PolicyPatch::new().burst(3)), ["time_based.burst"]);
        assert_eq!(paths(&PolicyPatch::new().strategy(Strategy::WhileInFlight)), ["while_in_flight"]);
        let all = PolicyPatch::new()
            .allocation(3)
            .duration(Duration::from_secs(1))
            .burst(4)
            .reserve_after(ReserveAfter::ServerDefault);
        assert_eq!(paths(&all), ["allocation", "time_based.duration", "time_based.burst", "reserve_after"]);
        assert_eq!(all.to_wire().0.reserve_after, None);
    }

    #[test]
    fn a_cleared_burst_is_named_and_unset() {
        let patch = PolicyPatch::new().burst(4).clear_burst();
        assert_eq!(paths(&patch), ["time_based.burst"]);
        assert_eq!(drip(&patch).burst, None);
        assert!(!patch.is_empty());
    }

    #[test]
    fn fields_named_after_a_whole_strategy_change_that_strategy() {
        let second = Duration::from_secs(1);
        let patch = PolicyPatch::new().strategy(TimeBased::per(second * 9)).duration(second).burst(7);
        assert_eq!(paths(&patch), ["time_based"]);
        assert_eq!(drip(&patch).burst, Some(7));
        assert_eq!(drip(&patch).duration, Some(duration_to_wire(second)));

        let cleared = patch.clear_burst();
        assert_eq!((paths(&cleared), drip(&cleared).burst), (vec!["time_based".to_owned()], None));
    }

    #[test]
    fn no_order_of_calls_gives_a_while_in_flight_budget_a_drip() {
        let patch = PolicyPatch::new().strategy(Strategy::WhileInFlight).duration(Duration::from_secs(2));
        assert_eq!(paths(&patch), ["time_based"]);
        let patch = PolicyPatch::new().strategy(Strategy::WhileInFlight).burst(2);
        assert_eq!(paths(&patch), ["time_based.burst"]);
        let patch = PolicyPatch::new().burst(2).strategy(Strategy::WhileInFlight);
        assert_eq!(paths(&patch), ["while_in_flight"]);
    }
}
