//! What leaves the scheduler as data: rows to write, and things to send once they are written.

use super::job::{Body, Failure, JobRecord, Name};
use super::lease::LeaseRecord;
use super::policy::Policy;
use super::units::{BudgetId, JobId, LeaseId, SessionId, Timestamp};

/// One write. A commit holds all changes of its commands, in order, or none (semantics 10.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A budget's policy is new or changed.
    PutBudget(BudgetRecord),
    /// A budget is gone, and its pool with it.
    DeleteBudget(BudgetId),
    /// A pool's level or block changed.
    PutPool(PoolRecord),
    /// A job is new or changed.
    PutJob(JobRecord),
    /// A new job's payload and metadata; written once.
    PutBody(JobId, Body),
    /// An attempt failed: the failure with this number, from 0, takes the place of the one
    /// [`Failure::KEPT`] before it.
    PutFailure(JobId, u32, Failure),
    /// A completed job is kept together with what its handler returned; at most 64 KiB.
    PutResult(JobId, Box<[u8]>),
    /// A job is gone, and its body, result and failures with it; it ever had `failures` of them.
    DeleteJob {
        /// The job.
        id: JobId,
        /// [`JobRecord::failures`].
        failures: u32,
    },
    /// A lease is new or changed.
    PutLease(LeaseRecord),
    /// A lease has ended.
    DeleteLease(LeaseId),
    /// A queue was paused or resumed; a queue without a row is not paused, and one that isn't needs none.
    PutQueue(QueueRecord),
    /// An answered enqueue is to be remembered (`request_id`).
    PutRequest(RequestRecord),
    /// A remembered enqueue is forgotten: the one with this first job id.
    DeleteRequest(JobId),
    /// Ids below this one may be in use; a start goes on from here.
    ReserveIds(u64),
}

/// A budget as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRecord {
    /// The number its pool and bindings refer to.
    pub id: BudgetId,
    /// Its name.
    pub key: Name,
    /// Its terms.
    pub policy: Policy,
    /// When it was created; kept by a replace.
    pub create_time: Timestamp,
    /// When its policy last changed.
    pub update_time: Timestamp,
    /// Counts the policies this budget has had; the etag is made of it.
    pub revision: u64,
    /// Whether it was deleted, and is kept for the finished jobs that name it (semantics 6.5).
    pub is_deleted: bool,
}

/// A pool as it is stored. Use by jobs in flight is derived from their leases, never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolRecord {
    /// The budget.
    pub budget: BudgetId,
    /// Token·nanoseconds at `at` (semantics 2.2); 0 for `while_in_flight`.
    pub level: i128,
    /// The instant `level` was true at.
    pub at: Timestamp,
    /// Dispatches nothing before (semantics 9.3, 9.4); `Timestamp::MAX` until unblocked.
    pub blocked_until: Option<Timestamp>,
}

/// A queue as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRecord {
    /// Its name.
    pub name: Name,
    /// Whether it dispatches nothing (semantics 9.4).
    pub paused: bool,
}

/// An enqueue whose repeat gets the first answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    /// What the caller named it.
    pub request: Name,
    /// The time-ordered number it is stored under.
    pub number: JobId,
    /// The jobs it was answered with, in order, and whether each existed before.
    pub jobs: Vec<(JobId, bool)>,
    /// When it was answered.
    pub time: Timestamp,
}

/// All that a start loads: the small records, in no particular order. Bodies, results and failures stay in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Every budget.
    pub budgets: Vec<BudgetRecord>,
    /// Every pool, one per budget.
    pub pools: Vec<PoolRecord>,
    /// Every job.
    pub jobs: Vec<JobRecord>,
    /// Every live lease.
    pub leases: Vec<LeaseRecord>,
    /// Every queue that was ever paused.
    pub queues: Vec<QueueRecord>,
    /// Every remembered enqueue.
    pub requests: Vec<RequestRecord>,
    /// What [`Change::ReserveIds`] last said; 0 in a new store.
    pub next_id: u64,
}

/// Something to send, once the changes before it are on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Push these leases' jobs. A one-shot session ends with its first push, which is empty at its deadline.
    Push(SessionId, Vec<LeaseId>),
    /// Tell the session that these leases ended, or should.
    Revoke(SessionId, Vec<LeaseId>, RevokeReason),
    /// A newer stream of the same worker took over: end this one.
    Supersede(SessionId),
}

/// Why a worker loses a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeReason {
    /// The lease has expired.
    Expired,
    /// The job's timeout is over.
    TimedOut,
    /// The job was cancelled: the lease lives on until it is settled.
    Cancelled,
    /// The job was cancelled by force: the lease has ended.
    ForceCancelled,
    /// Somebody else settled or took over the lease.
    Ended,
}
