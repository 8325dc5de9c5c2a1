//! What a log refutes, and by which lines.

use std::fmt;

use thiserror::Error;

use crate::spend::Interval;
use crate::tokens::{Amount, Terms};

/// One refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The line with which it is complete, from 1.
    pub line: u64,
    /// The instant of that line, in nanoseconds since 1970.
    pub at: i64,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, at {} ns: {}", self.line, self.at, self.fault)
    }
}

/// What can be wrong. Levels and amounts are in tokens.
#[allow(missing_docs, reason = "what a field holds is what the message of its variant says of it")]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The promise for `time_based` is broken; this is the shortest interval that breaks it and ends there.
    #[error("{budget}: {}", interval_text(.interval, *.terms))]
    OverCapacity { budget: String, interval: Interval, terms: Terms },
    /// The promise for `while_in_flight` is broken; these lines dispatched what is in flight, the last ten at most.
    #[error(
        "{budget}: costs of {in_flight} are in flight, the allocation is {allocation} (semantics 13); they were \
         dispatched by the lines {holders:?}"
    )]
    OverAllocation { budget: String, in_flight: i128, allocation: u64, holders: Vec<u64> },
    /// A pool paid what it didn't hold.
    #[error("{budget}: paid {cost}, and held {level} (semantics 2.2)")]
    Unaffordable { budget: String, cost: u64, level: Amount },
    /// More came back than may.
    #[error(
        "{budget}: {refunded} came back of {debited} debited and {used} used; at most {allowed} may (semantics 9.2)"
    )]
    Refund { budget: String, debited: u64, used: u64, refunded: Amount, allowed: Amount },
    /// An overrun wasn't debited, or too much was.
    #[error("{budget}: {moved} for {used} used of {debited} debited, in place of {owed} (semantics 9.2)")]
    Overrun { budget: String, debited: u64, used: u64, moved: Amount, owed: Amount },
    /// Use of a debit that doesn't count, isn't there, or was reported before.
    #[error("{budget}: a use of {debited} debited, {problem} (semantics 9.1)")]
    Usage { budget: String, debited: u64, problem: &'static str },
    /// A level that doesn't follow from what was told before.
    #[error("{budget}: the level is {said}, where {rule} makes it {expected}")]
    Level { budget: String, said: Amount, expected: Amount, rule: &'static str },
    /// A level at a start that can't follow from what was told before.
    #[error(
        "{budget}: the level is {said} at the start; from {least} to {most} follow from the lines before \
         (semantics 2.3, 10.1)"
    )]
    LevelAtStart { budget: String, said: Amount, least: Amount, most: Amount },
    /// More is in flight at a start than may be.
    #[error(
        "{budget}: costs of {in_flight} are in flight at the start, the allocation is {allocation} (semantics 10.2)"
    )]
    HeldAtStart { budget: String, in_flight: i128, allocation: u64 },
    /// A change of a policy is not told.
    #[error("{budget}: policy {said} follows policy {expected}: a change is not told")]
    Revision { budget: String, said: u64, expected: u64 },
    /// A start says something else than the lines before, and no line can be missing.
    #[error("{what} at the start, and no line can be missing (semantics 10.1)")]
    Start { what: String },
    /// A line names a budget that isn't there.
    #[error("{budget}: there is no such budget")]
    NoBudget { budget: String },
    /// A budget is created twice.
    #[error("{budget}: created, though it exists (semantics 7.1)")]
    BudgetExists { budget: String },
    /// A budget is deleted while jobs in flight hold it.
    #[error("{budget}: deleted with {holds} jobs in flight (semantics 7.5)")]
    DeletedInUse { budget: String, holds: u64 },
    /// A lease that isn't live.
    #[error("the lease {lease} isn't live: it was never granted, or has ended (semantics 5.5)")]
    NotLive { lease: String },
    /// A lease that was granted before.
    #[error("the lease {lease} is no later than {latest}, which was granted before")]
    LeaseReused { lease: String, latest: String },
    /// A lease that isn't of this job, or has other debits than it began with.
    #[error("the lease {lease} was granted to {granted}, and now is {said}")]
    LeaseChanged { lease: String, granted: String, said: String },
    /// A job is dispatched while it is in flight.
    #[error("the job {job} is in flight already, under the lease {lease} (semantics 3.1)")]
    InFlight { job: String, lease: String },
    /// A dispatch debits something else than the job is bound to.
    #[error("the job {job} is bound to {bound}, and was debited {debited} (semantics 3.1)")]
    Debits { job: String, bound: String, debited: String },
    /// An end releases something else than the dispatch debited.
    #[error("the lease {lease} holds {held}, and released {released} (semantics 5.5)")]
    Released { lease: String, held: String, released: String },
    /// Time goes back within a run.
    #[error("time goes back from {from} ns within a run (semantics 11.1)")]
    TimeWentBack { from: i64 },
    /// No start where there must be one.
    #[error("there is no start {place}")]
    NoStart { place: &'static str },
    /// A line that can't be read, and isn't the last of a run.
    #[error("not a line of a log: {problem}")]
    Unreadable { problem: String },
}

fn interval_text(interval: &Interval, terms: Terms) -> String {
    let span = i128::from(interval.last.at) - i128::from(interval.first.at);
    format!(
        "from line {} to line {}, in {span} ns, {} more than capacity + allocation · t / duration + refunds were \
         dispatched (semantics 13)",
        interval.first.line,
        interval.last.line,
        terms.amount(-interval.margin)
    )
}
