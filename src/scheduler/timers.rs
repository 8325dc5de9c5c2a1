//! The instants at which something becomes due.

use std::collections::BTreeSet;

use super::units::{BudgetId, GateId, JobId, LeaseId, SessionId, Timestamp};

/// What becomes due. At most one of each id at a time; its owner knows the instant and takes it back by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// The earliest of a lease's expiry, its job's timeout and the end of the wait for its confirmation.
    Lease(LeaseId),
    /// A scheduled job becomes ready, or a terminal one is removed.
    Job(JobId),
    /// A budget can pay a waiter that it couldn't pay before.
    Budget(BudgetId),
    /// A `LeaseJobs` call has waited long enough.
    Session(SessionId),
    /// Jobs that were passed over on a budget are protected from now on.
    Reserve(BudgetId),
    /// For some protected jobs of a gate a worker last had a place a minute ago.
    Place(GateId),
}

/// All that is to become due, in order.
#[derive(Debug, Default)]
pub struct Timers(BTreeSet<(Timestamp, Timer)>);

impl Timers {
    /// `timer` is due at `at`.
    pub fn set(&mut self, at: Timestamp, timer: Timer) {
        self.0.insert((at, timer));
    }

    /// `timer`, set for `at`, is no longer.
    pub fn unset(&mut self, at: Timestamp, timer: Timer) {
        self.0.remove(&(at, timer));
    }

    /// `timer`, set for `before` if at all, is due at `after` instead, or no longer.
    pub fn change(&mut self, timer: Timer, before: Option<Timestamp>, after: Option<Timestamp>) {
        if before == after {
            return;
        }
        if let Some(before) = before {
            self.unset(before, timer);
        }
        if let Some(after) = after {
            self.set(after, timer);
        }
    }

    /// The next instant at which something is due.
    pub fn next(&self) -> Option<Timestamp> {
        self.0.first().map(|(at, _)| *at)
    }

    /// Takes one that is due at `now`, the earliest first.
    pub fn pop_due(&mut self, now: Timestamp) -> Option<Timer> {
        if self.next()? > now {
            return None;
        }
        self.0.pop_first().map(|(_, timer)| timer)
    }
}
