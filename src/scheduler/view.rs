//! What the scheduler shows of its state: values made for the asker, with names in place of numbers.

use super::effect::{BudgetRecord, PoolRecord};
use super::job::{JobRecord, JobState, Name};
use super::lease::LeaseRecord;
use super::policy::Policy;
use super::units::{JobId, Timestamp, Tokens};

/// A job as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobView {
    /// Its small record.
    pub record: JobRecord,
    /// Its state.
    pub state: JobState,
    /// Its bindings by key, in the order of the keys.
    pub bindings: Vec<(Name, Tokens)>,
    /// Its live lease, while it is in flight.
    pub lease: Option<LeaseRecord>,
}

/// A budget as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetView {
    /// Key, policy and times.
    pub record: BudgetRecord,
    /// Its etag: changes with the policy, and with nothing else.
    pub etag: String,
    /// Its live status.
    pub status: BudgetStatus,
}

/// The live figures of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetStatus {
    /// Whole tokens in the pool, rounded down; below zero after a shrink or an overrun.
    pub available: i128,
    /// The summed cost of the jobs in flight.
    pub in_flight_cost: u64,
    /// How many jobs in flight are bound to it.
    pub in_flight_jobs: u64,
    /// Ready jobs that it could not pay for when they were last tried.
    pub parked_jobs: u64,
    /// Jobs bound to it that aren't over.
    pub bound_jobs: u64,
    /// When the pool could first pay `max(1, available + 1)` tokens; `None` when full, and for `while_in_flight`.
    pub next_token_time: Option<Timestamp>,
    /// Until when it dispatches nothing; `Timestamp::MAX` until it is unblocked.
    pub blocked_until: Option<Timestamp>,
}

/// A queue as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Its name.
    pub name: Name,
    /// Whether it dispatches nothing.
    pub paused: bool,
    /// Jobs by state.
    pub depth: Depth,
    /// When its longest waiting ready job became ready.
    pub oldest_ready_at: Option<Timestamp>,
    /// Connected workers that serve it.
    pub workers: u32,
}

/// How many jobs are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth([u64; 6]);

impl Depth {
    /// How many are in `state`.
    pub const fn of(&self, state: JobState) -> u64 {
        self.0[state as usize]
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// One more in `state`.
    pub(super) fn add(&mut self, state: JobState) {
        self.0[state as usize] += 1;
    }

    /// So many more in `state`.
    pub(super) fn add_many(&mut self, state: JobState, more: u64) {
        self.0[state as usize] += more;
    }

    /// All of `other`'s too.
    pub(super) fn merge(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }
}

/// Which jobs are meant: those that meet every part that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// One of these ids; an empty list matches nothing.
    pub ids: Option<Vec<JobId>>,
    /// In one of these queues.
    pub queues: Option<Vec<Name>>,
    /// Of one of these types.
    pub kinds: Option<Vec<Name>>,
    /// In one of these states.
    pub states: Option<Vec<JobState>>,
    /// Bound to one of these budgets.
    pub budgets: Option<Vec<Name>>,
    /// Priority at least the first and at most the second.
    pub priority: Option<(u16, u16)>,
    /// Enqueued at or after the first and before the second.
    pub create_time: Option<(Timestamp, Timestamp)>,
    /// Ready at or after the first and before the second.
    pub run_time: Option<(Timestamp, Timestamp)>,
}

/// One page of a listing, in id or key order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T, Cursor> {
    /// The items.
    pub items: Vec<T>,
    /// The last one looked at, where there may be more.
    pub next_after: Option<Cursor>,
}

/// Why a job isn't being dispatched (semantics 12.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The job.
    pub job: JobView,
    /// Its queue is paused.
    pub queue_paused: bool,
    /// Connected workers that serve its queue.
    pub workers: u32,
    /// Of those, how many have room for it.
    pub workers_with_room: u32,
    /// Of those that serve its queue, how many could never be sent it, as it is too large.
    pub workers_too_small: u32,
    /// Its budgets, sorted by key.
    pub budgets: Vec<BudgetExplanation>,
}

/// How one budget stands towards a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetExplanation {
    /// Its key.
    pub key: Name,
    /// Its terms.
    pub policy: Policy,
    /// Its stored level.
    pub pool: PoolRecord,
    /// The job's cost.
    pub need: Tokens,
    /// Whole tokens in the pool, rounded down.
    pub available: i128,
    /// Whether it could pay the job now.
    pub can_pay: bool,
    /// Until when it dispatches nothing.
    pub blocked_until: Option<Timestamp>,
    /// Up to 10 jobs in flight that hold its tokens; `while_in_flight` only.
    pub held_by: Vec<JobId>,
    /// How many hold tokens.
    pub held_by_total: u64,
    /// Jobs that wait on it and go first.
    pub waiters_ahead: u64,
    /// Tokens set aside for the job that goes first (semantics 4.4).
    pub set_aside: Option<(Tokens, JobId)>,
    /// Whether this job is protected here, so that its own cost is set aside when its turn has come.
    pub protected: bool,
    /// Where the clock alone decides: when it could first pay this job after every waiter ahead of it.
    pub not_before: Option<Timestamp>,
}
