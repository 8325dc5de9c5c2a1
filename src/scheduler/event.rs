//! What has happened, for a log that is to be read by others: each change of a budget, each enqueue, each dispatch with
//! the debits it made, each use that was reported, and each end of a lease.
//!
//! Owns the facts and their order. Refuses to know how they are written, and what a job carries. Events are data that a
//! step leaves, as rows are, and true once its rows are stored; nothing is kept, and nothing is built, until somebody
//! wants them ([`Scheduler::keep_events`]).

use super::Scheduler;
use super::budgets::Budgets;
use super::command::{Ended, Verdict};
use super::job::{Binding, JobState, Name};
use super::lease::{Debit, LeaseRecord};
use super::policy::Policy;
use super::units::{BudgetId, JobId, LeaseId, Timestamp, Tokens};

/// One thing that has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When; never earlier than the event before it.
    pub at: Timestamp,
    /// What.
    pub what: Happened,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Events are kept from now on, and this is what stands. Nothing was dispatched by this scheduler before.
    Started(Standing),
    /// The scheduler was stopped, and all that has happened was told.
    Stopped,
    /// A budget was created.
    BudgetCreated(StandingBudget),
    /// A budget has another policy, and its level is carried over (semantics 7.2, 7.3).
    BudgetChanged(PolicyChange, StandingBudget),
    /// An operator has set the level (semantics 9.5).
    BudgetAdjusted(StandingBudget),
    /// A budget is gone.
    BudgetDeleted(Name),
    /// A job was taken in.
    Enqueued {
        /// The job.
        job: JobId,
        /// Its queue.
        queue: Name,
        /// What it is bound to.
        bindings: Costs,
    },
    /// A job is bound to something else from now on (semantics 8).
    Rebound {
        /// The job.
        job: JobId,
        /// All that it is bound to.
        bindings: Costs,
    },
    /// A job was dispatched.
    Dispatched {
        /// The lease it was granted.
        lease: LeaseId,
        /// The job.
        job: JobId,
        /// Its queue.
        queue: Name,
        /// The worker it is pushed to.
        worker: Name,
        /// Which attempt this is, from 1.
        attempt: u32,
        /// What was debited.
        debits: Costs,
    },
    /// A worker has reported what was really used (semantics 9.1).
    Used {
        /// The lease that is settled next.
        lease: LeaseId,
        /// Its job.
        job: JobId,
        /// What was used of each budget that it counts for.
        usage: Vec<Use>,
    },
    /// A lease has ended.
    Ended {
        /// The lease.
        lease: LeaseId,
        /// Its job.
        job: JobId,
        /// How it ended.
        how: How,
        /// What the job is now; `None` where it was removed at once.
        state: Option<JobState>,
        /// The holds that were released.
        released: Costs,
    },
}

/// Tokens by budget.
pub type Costs = Vec<(Name, Tokens)>;

/// What was used of one budget, and what that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The budget.
    pub budget: Name,
    /// What the dispatch had debited.
    pub debited: Tokens,
    /// What was used.
    pub used: Tokens,
    /// By how much the level rose (a refund) or fell (a further debit), in token·nanoseconds (semantics 9.2).
    pub moved: i128,
}

/// Everything that later events are to be understood from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Every budget, by key.
    pub budgets: Vec<StandingBudget>,
    /// Every live lease, by id.
    pub leases: Vec<StandingLease>,
}

/// A budget at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingBudget {
    /// Its name.
    pub key: Name,
    /// When it was created: tells it from an earlier budget of this name.
    pub create_time: Timestamp,
    /// Counts its policies.
    pub revision: u64,
    /// Its policy.
    pub policy: Policy,
    /// What it holds, in token·nanoseconds; `None` for `while_in_flight`.
    pub level: Option<i128>,
}

/// A live lease at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingLease {
    /// The lease.
    pub lease: LeaseId,
    /// Its job.
    pub job: JobId,
    /// The worker it was pushed to.
    pub worker: Name,
    /// When it was granted.
    pub dispatch_time: Timestamp,
    /// What was debited then.
    pub debits: Costs,
}

/// By which call a policy was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyChange {
    /// It was overwritten.
    Replaced,
    /// Fields of it were.
    Updated,
}

/// How a lease ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Settled: the attempt succeeded.
    Success,
    /// Settled: it failed.
    Failure,
    /// Settled: the worker gave the job back.
    Release,
    /// Settled: it gave it back because it met a limit of the far side.
    Throttled,
    /// Nobody extended it in time.
    Expired,
    /// The job's timeout was over.
    TimedOut,
    /// Its push was never confirmed.
    Unconfirmed,
    /// Its worker came back and didn't name it.
    WorkerRestarted,
    /// Its worker said goodbye.
    WorkerLeft,
    /// The job was cancelled by force: its handler may still be at work (semantics 13).
    ForceCancelled,
}

impl How {
    /// How a settlement ends a lease.
    pub(super) fn settled(verdict: &Verdict, throttled: bool) -> Self {
        match verdict {
            Verdict::Success { .. } => Self::Success,
            Verdict::Failure { .. } => Self::Failure,
            Verdict::Release { .. } if throttled => Self::Throttled,
            Verdict::Release { .. } => Self::Release,
        }
    }

    /// What is told to whoever settles it again (semantics 5.4).
    pub(super) fn remembered(self) -> Ended {
        match self {
            Self::Success | Self::Failure | Self::Release | Self::Throttled => Ended::AlreadySettled,
            Self::Expired
            | Self::TimedOut
            | Self::Unconfirmed
            | Self::WorkerRestarted
            | Self::WorkerLeft
            | Self::ForceCancelled => Ended::Lost,
        }
    }
}

/// Costs by the names of the budgets.
fn named(budgets: &Budgets, costs: impl Iterator<Item = (BudgetId, Tokens)>) -> Costs {
    costs.map(|(id, cost)| (Name::clone(&budgets.get(id).key), cost)).collect()
}

pub(super) fn bound(budgets: &Budgets, bindings: &[Binding]) -> Costs {
    named(budgets, bindings.iter().map(|binding| (binding.budget, binding.cost)))
}

pub(super) fn debited(budgets: &Budgets, debits: &[Debit]) -> Costs {
    named(budgets, debits.iter().map(|debit| (debit.budget, debit.cost)))
}

/// A budget as it stands.
pub(super) fn standing_budget(budgets: &Budgets, id: BudgetId, now: Timestamp) -> StandingBudget {
    let budget = budgets.get(id);
    StandingBudget {
        key: Name::clone(&budget.key),
        create_time: budget.create_time,
        revision: budget.revision,
        policy: *budget.pool.policy(),
        level: budget.pool.level(now),
    }
}

impl Scheduler {
    /// Keeps events from now on, for [`Self::take_events`]; the first says what stands.
    pub fn keep_events(&mut self) {
        let standing = self.standing();
        self.journal.keep_events();
        self.journal.note(self.now, || Happened::Started(standing));
    }

    /// The events since the last call, in their order, to be told once the changes are written; none where they aren't
    /// kept.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.journal.take_events()
    }

    fn standing(&self) -> Standing {
        let budgets = self.budgets.after(None).map(|(_, id)| standing_budget(&self.budgets, id, self.now));
        let lease = |record: &LeaseRecord| StandingLease {
            lease: record.id,
            job: record.job,
            worker: Name::clone(&record.worker),
            dispatch_time: record.dispatch_time,
            debits: debited(&self.budgets, &record.debits),
        };
        Standing {
            budgets: budgets.collect(),
            leases: self.leases.iter().map(|(_, live)| lease(&live.record)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
