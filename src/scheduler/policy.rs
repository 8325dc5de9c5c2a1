//! What a budget allows: its policy, and the merge patch that changes one.

use super::units::{Nanos, Tokens};

/// The terms of a budget: how many tokens, how they come back, and after how long the passed-over are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Tokens in the pool (`while_in_flight`), or granted per duration (`time_based`); 1..=10¹².
    pub allocation: Tokens,
    /// How tokens come back.
    pub strategy: Strategy,
    /// When a job that was passed over on this budget is protected (semantics 4.4).
    pub reserve_after: ReserveAfter,
}

/// How a pool gets its tokens back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// At the end of the lease (semantics 2.1).
    WhileInFlight,
    /// By a continuous drip (semantics 2.2).
    TimeBased {
        /// The time in which `allocation` tokens drip; 1 ms..=366 d.
        duration: Nanos,
        /// The most tokens the pool may hold; the allocation where unset; 1..=10¹².
        burst: Option<Tokens>,
    },
}

/// How long a job may be passed over on a budget before its cost is set aside (semantics 4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReserveAfter {
    /// As long as the server's `--reserve-after` says.
    #[default]
    Default,
    /// This long; zero means strict rank order.
    After(Nanos),
    /// For ever: nothing is set aside on this budget.
    Never,
}

impl Policy {
    /// A pool of `allocation` tokens held by jobs in flight.
    pub const fn while_in_flight(allocation: u64) -> Self {
        Self { allocation: Tokens(allocation), strategy: Strategy::WhileInFlight, reserve_after: ReserveAfter::Default }
    }

    /// A pool into which `allocation` tokens drip per `duration`.
    pub const fn time_based(allocation: u64, duration: Nanos, burst: Option<Tokens>) -> Self {
        Self {
            allocation: Tokens(allocation),
            strategy: Strategy::TimeBased { duration, burst },
            reserve_after: ReserveAfter::Default,
        }
    }

    /// The most tokens the pool can hold: the burst where set, else the allocation.
    pub fn capacity(&self) -> Tokens {
        match self.strategy {
            Strategy::TimeBased { burst: Some(burst), .. } => burst,
            _ => self.allocation,
        }
    }

    /// Whether tokens drip by the clock.
    pub fn is_time_based(&self) -> bool {
        matches!(self.strategy, Strategy::TimeBased { .. })
    }
}

/// A merge patch: only what is `Some` changes (semantics 7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyPatch {
    /// The new allocation.
    pub allocation: Option<Tokens>,
    /// The new strategy, or new fields inside a `time_based` one.
    pub strategy: Option<StrategyPatch>,
    /// The new protection delay.
    pub reserve_after: Option<ReserveAfter>,
}

/// A change of strategy, or inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyPatch {
    /// Becomes `while_in_flight`.
    WhileInFlight,
    /// Becomes `time_based` with exactly this duration and burst, whatever it was.
    TimeBased {
        /// As in [`Strategy::TimeBased`].
        duration: Nanos,
        /// As in [`Strategy::TimeBased`].
        burst: Option<Tokens>,
    },
    /// Changes fields of a `time_based` strategy; a `while_in_flight` one becomes `time_based` if a duration is named.
    Fields {
        /// The new duration.
        duration: Option<Nanos>,
        /// The new burst: `Some(None)` clears it, which sets the capacity back to the allocation.
        burst: Option<Option<Tokens>>,
    },
}
