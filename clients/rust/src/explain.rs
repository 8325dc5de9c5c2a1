//! Why a job isn't being dispatched (semantics 12).

use std::fmt;
use std::time::SystemTime;

use crate::convert::time_from_wire;
use crate::stored_job::{JobState, Lease};
use crate::wire;

/// All that keeps a job from being dispatched at one instant.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The job.
    pub job_id: String,
    /// Where it is in its life.
    pub state: JobState,
    /// The instant all of this is true at.
    pub explain_time: Option<SystemTime>,
    /// When it became ready, or will.
    pub ready_time: Option<SystemTime>,
    /// Everything that holds it up.
    pub hold_ups: Vec<HoldUp>,
    /// One a binding, sorted by key, whether it holds the job up or not.
    pub budgets: Vec<BudgetExplanation>,
    /// Where the clock alone decides: the earliest instant at which its run time and blocks are over and every pool could pay
    /// for it after every waiter ahead of it. Smaller jobs may pass it until it is protected, and delay it.
    pub not_before: Option<SystemTime>,
    /// What dispatches its queue.
    pub queue: Option<QueueExplanation>,
    /// The live lease, of a job in flight.
    pub lease: Option<Lease>,
}

/// What holds a job up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HoldUp {
    /// It is scheduled: its time is still to come.
    NotReady,
    /// Its queue is paused.
    QueuePaused,
    /// No connected worker serves its queue.
    NoWorker,
    /// Those that do have no room for it.
    NoRoom,
    /// It is too large for every one of those that do.
    TooLarge,
    /// A budget can't pay for it, or is blocked.
    Budget,
    /// Something that this client doesn't know, by its number.
    Unknown(i32),
}

impl HoldUp {
    fn from_wire(number: i32) -> Self {
        match wire::HoldUp::try_from(number) {
            Ok(wire::HoldUp::NotReady) => HoldUp::NotReady,
            Ok(wire::HoldUp::QueuePaused) => HoldUp::QueuePaused,
            Ok(wire::HoldUp::NoWorker) => HoldUp::NoWorker,
            Ok(wire::HoldUp::NoRoom) => HoldUp::NoRoom,
            Ok(wire::HoldUp::TooLarge) => HoldUp::TooLarge,
            Ok(wire::HoldUp::Budget) => HoldUp::Budget,
            Ok(wire::HoldUp::Unspecified) | Err(_) => HoldUp::Unknown(number),
        }
    }
}

impl fmt::Display for HoldUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            HoldUp::NotReady => "its time is still to come",
            HoldUp::QueuePaused => "its queue is paused",
            HoldUp::NoWorker => "no connected worker serves its queue",
            HoldUp::NoRoom => "no worker has room for it",
            HoldUp::TooLarge => "it is too large for every worker of its queue",
            HoldUp::Budget => "a budget can't pay for it",
            HoldUp::Unknown(_) => "something that this client doesn't know",
        })
    }
}

/// What dispatches a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueExplanation {
    /// The queue.
    pub name: String,
    /// Whether it is paused.
    pub paused: bool,
    /// Connected workers that serve it.
    pub workers: u32,
    /// Those of them with room for this job now.
    pub workers_with_room: u32,
    /// Those of them that could never be sent this job.
    pub workers_too_small: u32,
}

/// What one budget means to one job.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BudgetExplanation {
    /// The budget's key.
    pub budget: String,
    /// What the job needs, in tokens.
    pub cost: u64,
    /// Tokens in the pool, before anything is set aside. May be negative.
    pub available: i64,
    /// Whether this budget holds the job up.
    pub holds_up: bool,
    /// Whether it is blocked or throttled.
    pub blocked: bool,
    /// Until when; `None` also where it is blocked until unblocked.
    pub blocked_until: Option<SystemTime>,
    /// Jobs in flight that hold tokens: the first 10 by dispatch.
    pub held_by_job_ids: Vec<String>,
    /// How many jobs hold tokens.
    pub held_by_total: u64,
    /// Parked jobs of lower rank number that wait for this budget.
    pub waiters_ahead: u64,
    /// Tokens set aside for other, protected jobs (semantics 4.4).
    pub set_aside: u64,
    /// The job they are set aside for; empty where nothing is.
    pub set_aside_for_job_id: String,
    /// Whether this job is protected here.
    pub protected: bool,
    /// The earliest instant at which this pool could pay for the job after every waiter ahead of it.
    pub not_before: Option<SystemTime>,
}

impl Explanation {
    pub(crate) fn from_wire(explanation: wire::JobExplanation) -> Self {
        Self {
            job_id: explanation.job_id,
            state: JobState::from_wire(explanation.state),
            explain_time: time_from_wire(explanation.explain_time),
            ready_time: time_from_wire(explanation.ready_time),
            hold_ups: explanation.hold_ups.into_iter().map(HoldUp::from_wire).collect(),
            budgets: explanation.budgets.into_iter().map(BudgetExplanation::from_wire).collect(),
            not_before: time_from_wire(explanation.not_before),
            queue: explanation.queue.map(QueueExplanation::from_wire),
            lease: explanation.lease.map(Lease::from_wire),
        }
    }
}

impl QueueExplanation {
    fn from_wire(queue: wire::QueueExplanation) -> Self {
        Self {
            name: queue.name,
            paused: queue.paused,
            workers: queue.workers,
            workers_with_room: queue.workers_with_room,
            workers_too_small: queue.workers_too_small,
        }
    }
}

impl BudgetExplanation {
    fn from_wire(budget: wire::BudgetExplanation) -> Self {
        Self {
            budget: budget.budget,
            cost: budget.cost,
            available: budget.available,
            holds_up: budget.holds_up,
            blocked: budget.blocked,
            blocked_until: time_from_wire(budget.blocked_until),
            held_by_job_ids: budget.held_by_job_ids,
            held_by_total: budget.held_by_total,
            waiters_ahead: budget.waiters_ahead,
            set_aside: budget.set_aside,
            set_aside_for_job_id: budget.set_aside_for_job_id,
            protected: budget.protected,
            not_before: time_from_wire(budget.not_before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hold_ups_of_a_newer_server_are_no_error() {
        let explanation = Explanation::from_wire(wire::JobExplanation {
            hold_ups: vec![wire::HoldUp::NoRoom.into(), 77],
            ..Default::default()
        });
        assert_eq!(explanation.hold_ups, [HoldUp::NoRoom, HoldUp::Unknown(77)]);
    }
}
