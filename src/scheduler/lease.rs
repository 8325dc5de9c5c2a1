//! A lease as it is stored: whose attempt it is, until when, and exactly what it debited.

use super::job::Name;
use super::units::{BudgetId, JobId, LeaseId, Nanos, Timestamp, Tokens};

/// A worker's exclusive, expiring hold on one attempt of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRecord {
    /// Its id, the fencing token.
    pub id: LeaseId,
    /// The job.
    pub job: JobId,
    /// The worker it was pushed to.
    pub worker: Name,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When it was granted.
    pub dispatch_time: Timestamp,
    /// When it ends unless it is extended. Extensions are not stored: a restart grants at least `duration` anew
    /// (semantics 10.2), which is never earlier than what any extension had promised.
    pub expire_time: Timestamp,
    /// What a grant or an extension is worth; 1 s..=24 h.
    pub duration: Nanos,
    /// Whether its push was confirmed (semantics 5.3).
    pub receipt: Receipt,
    /// Whether the job was cancelled while in flight (semantics 6.1).
    pub cancelled: bool,
    /// The `request_id` of the `LeaseJobs` call that got it.
    pub request: Option<Name>,
    /// The debits actually made, pool by pool.
    pub debits: Vec<Debit>,
}

/// What is known of a push's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// The worker does not confirm; the expiry alone decides.
    Unneeded,
    /// The worker confirms, and has not yet.
    Awaited,
    /// Confirmed by Received, Extend or Settle, or by taking the lease over.
    Confirmed,
}

/// What one dispatch took from one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debit {
    /// The budget.
    pub budget: BudgetId,
    /// Tokens taken.
    pub cost: Tokens,
    /// Whether the pool was `time_based` at dispatch (semantics 9.1).
    pub time_based: bool,
}
