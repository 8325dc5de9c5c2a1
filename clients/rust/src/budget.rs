//! Budgets: their policies, changes of these, and what a budget is doing. Owns the mapping to the wire; sends nothing.

use std::time::{Duration, SystemTime};

use crate::convert::{duration_from_wire, duration_to_wire, time_from_wire};
use crate::wire::{self, budget_policy};

/// The terms of a budget: how many tokens, how they come back, and how long a job may be passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Tokens in the pool ([`Strategy::WhileInFlight`]), or granted per duration ([`Strategy::TimeBased`]). 1..=10^12.
    pub allocation: u64,
    /// How tokens come back.
    pub strategy: Strategy,
    /// When a job that was passed over on this budget is protected (semantics 4.4).
    pub reserve_after: ReserveAfter,
}

/// How tokens come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// When the lease ends: limits how much is in flight at once (semantics 2.1).
    WhileInFlight,
    /// By a continuous drip: limits the rate (semantics 2.2).
    TimeBased(TimeBased),
}

/// A drip of the allocation per duration, up to the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBased {
    /// The time in which the allocation drips. 1 ms..=366 d.
    pub duration: Duration,
    /// The most tokens the pool may hold: its capacity. 1..=10^12; the allocation where `None`.
    pub burst: Option<u64>,
}

/// When a job that was passed over on a budget is protected, so that its cost is set aside (semantics 4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReserveAfter {
    /// As the server's `--reserve-after` says.
    #[default]
    ServerDefault,
    /// This long after it was first passed over. 0..=366 d; zero: as soon as it parks.
    After(Duration),
    /// Not on this budget.
    Never,
}

impl Policy {
    /// A limit on how many tokens' worth of jobs are in flight at once.
    pub fn while_in_flight(allocation: u64) -> Self {
        Self::new(allocation, Strategy::WhileInFlight)
    }

    /// A rate: `allocation` tokens per duration, `Policy::time_based(100, Duration::from_secs(60))`, or with another capacity,
    /// `Policy::time_based(100, TimeBased::per(Duration::from_secs(60)).burst(8))`.
    pub fn time_based(allocation: u64, drip: impl Into<TimeBased>) -> Self {
        Self::new(allocation, Strategy::TimeBased(drip.into()))
    }

    /// A policy of any strategy.
    pub fn new(allocation: u64, strategy: impl Into<Strategy>) -> Self {
        Self { allocation, strategy: strategy.into(), reserve_after: ReserveAfter::ServerDefault }
    }

    /// Sets when a job that was passed over is protected.
    pub fn reserve_after(mut self, reserve_after: ReserveAfter) -> Self {
        self.reserve_after = reserve_after;
        self
    }

    /// The most tokens the pool can hold: the burst where set, else the allocation.
    pub fn capacity(&self) -> u64 {
        match self.strategy {
            Strategy::TimeBased(TimeBased { burst: Some(burst), .. }) => burst,
            Strategy::TimeBased(_) | Strategy::WhileInFlight => self.allocation,
        }
    }

    /// The bytes of the contract's `BudgetPolicy` that a call sends.
    pub fn encode_to_vec(&self) -> Vec<u8> {
        prost::Message::encode_to_vec(&self.to_wire())
    }

    pub(crate) fn to_wire(self) -> wire::BudgetPolicy {
        wire::BudgetPolicy {
            allocation: self.allocation,
            strategy: Some(match self.strategy {
                Strategy::WhileInFlight => budget_policy::Strategy::WhileInFlight(wire::WhileInFlight {}),
                Strategy::TimeBased(drip) => budget_policy::Strategy::TimeBased(wire::TimeBased {
                    duration: Some(duration_to_wire(drip.duration)),
                    burst: drip.burst,
                }),
            }),
            reserve_after: self.reserve_after.to_wire(),
        }
    }

    /// `None` for a strategy that this client doesn't know.
    pub(crate) fn from_wire(policy: wire::BudgetPolicy) -> Option<Self> {
        let strategy = match policy.strategy? {
            budget_policy::Strategy::WhileInFlight(_) => Strategy::WhileInFlight,
            budget_policy::Strategy::TimeBased(drip) => {
                Strategy::TimeBased(TimeBased { duration: duration_from_wire(drip.duration?), burst: drip.burst })
            }
        };
        let reserve_after = match policy.reserve_after {
            None => ReserveAfter::ServerDefault,
            Some(budget_policy::ReserveAfter::After(after)) => ReserveAfter::After(duration_from_wire(after)),
            Some(budget_policy::ReserveAfter::Never(_)) => ReserveAfter::Never,
        };
        Some(Self { allocation: policy.allocation, strategy, reserve_after })
    }
}

impl TimeBased {
    /// The allocation per this long, with a capacity of the allocation.
    pub fn per(duration: Duration) -> Self {
        Self { duration, burst: None }
    }

    /// Sets the most tokens the pool may hold.
    pub fn burst(mut self, burst: u64) -> Self {
        self.burst = Some(burst);
        self
    }
}

impl From<Duration> for TimeBased {
    fn from(duration: Duration) -> Self {
        Self::per(duration)
    }
}

impl From<TimeBased> for Strategy {
    fn from(drip: TimeBased) -> Self {
        Strategy::TimeBased(drip)
    }
}

impl ReserveAfter {
    pub(crate) fn to_wire(self) -> Option<budget_policy::ReserveAfter> {
        match self {
            ReserveAfter::ServerDefault => None,
            ReserveAfter::After(after) => Some(budget_policy::ReserveAfter::After(duration_to_wire(after))),
            ReserveAfter::Never => Some(budget_policy::ReserveAfter::Never(wire::Never {})),
        }
    }
}

/// A budget with its terms and what it is doing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// Its name, unique in the server.
    pub key: String,
    /// Its terms as they were set. `None` where the server knows a strategy that this client doesn't.
    pub policy: Option<Policy>,
    /// When it was created; kept by a replacement.
    pub create_time: Option<SystemTime>,
    /// When its policy last changed.
    pub update_time: Option<SystemTime>,
    /// Changes whenever the policy does, and only then. Opaque.
    pub etag: String,
    /// What it is doing, at the instant of the answer.
    pub status: BudgetStatus,
}

/// What a budget is doing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BudgetStatus {
    /// Tokens that a dispatch could take, rounded down. Negative during a debt or after a shrink.
    pub available: i64,
    /// The most tokens the pool can hold.
    pub capacity: u64,
    /// Sum of the costs of the jobs in flight that are bound to it.
    pub in_flight_cost: u64,
    /// Jobs in flight that are bound to it.
    pub in_flight_jobs: u64,
    /// Ready jobs that it couldn't pay for when they were last tried.
    pub parked_jobs: u64,
    /// Unfinished jobs that are bound to it.
    pub bound_jobs: u64,
    /// When its drip alone could pay for one token more than now.
    pub next_token_time: Option<SystemTime>,
    /// Whether it dispatches nothing now.
    pub blocked: bool,
    /// Until when it is blocked; `None` also where it is blocked until unblocked.
    pub blocked_until: Option<SystemTime>,
}

impl Budget {
    pub(crate) fn from_wire(budget: wire::Budget) -> Self {
        let status = budget.status.unwrap_or_default();
        Self {
            key: budget.key,
            policy: budget.policy.and_then(Policy::from_wire),
            create_time: time_from_wire(budget.create_time),
            update_time: time_from_wire(budget.update_time),
            etag: budget.etag,
            status: BudgetStatus {
                available: status.available,
                capacity: status.capacity,
                in_flight_cost: status.in_flight_cost,
                in_flight_jobs: status.in_flight_jobs,
                parked_jobs: status.parked_jobs,
                bound_jobs: status.bound_jobs,
                next_token_time: time_from_wire(status.next_token_time),
                blocked: status.blocked,
                blocked_until: time_from_wire(status.blocked_until),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_survive_the_round_trip() {
        let minute = Duration::from_secs(60);
        for policy in [
            Policy::while_in_flight(1),
            Policy::while_in_flight(5).reserve_after(ReserveAfter::Never),
            Policy::time_based(100, minute),
            Policy::time_based(100, TimeBased::per(minute).burst(8)).reserve_after(ReserveAfter::After(Duration::ZERO)),
        ] {
            assert_eq!(Policy::from_wire(policy.to_wire()), Some(policy));
        }
    }

    #[test]
    fn the_capacity_is_the_burst_or_the_allocation() {
        let second = Duration::from_secs(1);
        assert_eq!(Policy::while_in_flight(5).capacity(), 5);
        assert_eq!(Policy::time_based(5, second).capacity(), 5);
        assert_eq!(Policy::time_based(5, TimeBased::per(second).burst(2)).capacity(), 2);
    }

    #[test]
    fn a_strategy_of_a_newer_server_is_no_error() {
        let budget = Budget::from_wire(wire::Budget {
            key: "b".into(),
            policy: Some(wire::BudgetPolicy { allocation: 5, strategy: None, reserve_after: None }),
            ..Default::default()
        });
        assert_eq!(budget.policy, None);
        assert_eq!(budget.key, "b");
    }
}
