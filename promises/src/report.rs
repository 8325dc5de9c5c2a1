//! What a log proves.

use crate::breach::Breach;
use crate::spend::{Interval, Mark};
use crate::tokens::Terms;

/// How many breaches are told in full.
const BREACHES_TOLD_MAX: usize = 20;

/// The judgement of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines that were read, unreadable ones included.
    pub lines: u64,
    /// Starts of a server.
    pub starts: u64,
    /// Lines that a kill has cut.
    pub torn: u64,
    /// Where lines may be missing.
    pub gaps: Vec<Gap>,
    /// Dispatches of jobs of whose bindings no line tells: they were enqueued before the log began, or in a gap. What
    /// they were debited counts; whether that was what they were bound to isn't judged.
    pub jobs_unknown: u64,
    /// Dispatches that debited other than the last line about the job says, where a later one may be missing.
    pub bindings_unknown: u64,
    /// Leases that were ended by force: their handlers may have been at work for longer (semantics 13).
    pub force_cancelled: u64,
    /// Leases that are live at the log's end.
    pub in_flight: u64,
    /// Every budget, by key; one that was created anew has an entry each time.
    pub budgets: Vec<BudgetReport>,
    /// What is refuted: the first of them in full.
    pub breaches: Vec<Breach>,
    /// How many there are.
    pub breaches_total: u64,
}

impl Report {
    /// Whether nothing is refuted.
    pub fn is_proved(&self) -> bool {
        self.breaches_total == 0
    }

    pub(crate) fn refute(&mut self, breach: Breach) {
        self.breaches_total += 1;
        if self.breaches.len() < BREACHES_TOLD_MAX {
            self.breaches.push(breach);
        }
    }
}

/// A start without a stop before it: the lines that were due last may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The line of the start.
    pub line: u64,
    /// The last instant before it that is told, in nanoseconds since 1970.
    pub from: i64,
    /// The instant of the start.
    pub to: i64,
    /// Leases whose end is not told.
    pub ended: u64,
    /// Leases whose dispatch is not told.
    pub dispatched: u64,
    /// Budgets that hold less, or more, than the lines before lead to.
    pub levels: u64,
    /// Budgets whose creation, change or end is not told.
    pub changed: u64,
}

impl Gap {
    /// Whether the start says just what the lines before lead to.
    pub fn is_closed(&self) -> bool {
        self.ended + self.dispatched + self.levels + self.changed == 0
    }
}

/// One budget from its creation, or the log's beginning, to its end, or the log's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetReport {
    /// Its key.
    pub budget: String,
    /// How many policies it had, those that bound nothing else not counted: within each of them every interval is judged.
    pub stretches: u64,
    /// Dispatches that debited it.
    pub dispatches: u64,
    /// The sum of their costs.
    pub cost: u128,
    /// What came back by refunds, in thousandths of a token, each rounded down.
    pub refunded_milli: i128,
    /// What was used beyond what was debited, in tokens.
    pub overrun: u128,
    /// Where it came nearest to what it may; `None` where it paid nothing.
    pub worst: Option<Worst>,
}

/// Where a budget came nearest to what it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worst {
    /// Of a `time_based` budget: the interval.
    Interval(Interval, Terms),
    /// Of a `while_in_flight` budget: the instant.
    Instant(Instant),
}

/// How much was in flight at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// The dispatch that began it.
    pub mark: Mark,
    /// The summed costs in flight.
    pub in_flight: i128,
    /// What may be.
    pub allocation: u64,
}

impl Worst {
    /// How much more it may have paid, in thousandths of a token, rounded down.
    pub fn margin_milli(&self) -> i128 {
        match self {
            Self::Interval(interval, terms) => terms.amount(interval.margin).milli(),
            Self::Instant(instant) => (i128::from(instant.allocation) - instant.in_flight) * 1000,
        }
    }

    /// The one that came nearer.
    pub(crate) fn nearer(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).min_by_key(Self::margin_milli)
    }
}
