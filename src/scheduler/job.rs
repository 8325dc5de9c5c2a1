//! A job as the scheduler knows it: what was asked for, what became of it, and its rank.
//!
//! The payload is not here: the scheduler knows only how large it is.

use std::sync::Arc;

use super::units::{BudgetId, JobId, Nanos, Timestamp, Tokens};

/// A name, key or id as its owner wrote it, shared by all who refer to it.
pub type Name = Arc<str>;

/// What a job carries for its handler. Kept apart from [`JobRecord`], in the store only (semantics 2.5 bounds it).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The handler's input.
    pub payload: Payload,
    /// Free pairs that travel with the job, in the order of their keys.
    pub metadata: Vec<(String, String)>,
}

impl Body {
    /// Bytes of the payload and the metadata, which windows and messages are measured by.
    pub fn bytes(&self) -> u32 {
        let metadata: usize = self.metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
        let payload = match &self.payload {
            Payload::Json(text) => text.len(),
            Payload::Binary(bytes) => bytes.len(),
        };
        u32::try_from(payload + metadata).unwrap_or(u32::MAX)
    }
}

/// A handler's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Valid JSON text.
    Json(Box<str>),
    /// Any bytes.
    Binary(Box<[u8]>),
}

impl Default for Payload {
    fn default() -> Self {
        Self::Binary(Box::default())
    }
}

/// One binding of a job: what a dispatch debits from one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    /// The budget.
    pub budget: BudgetId,
    /// Tokens a dispatch debits; 1..=10¹².
    pub cost: Tokens,
}

/// The parts of a job's specification that most jobs share with many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobOptions {
    /// Attempts after which a failing job is dead; 1..=1000, 25 where unset (semantics 6.3).
    pub max_attempts: u32,
    /// The delay before a retry.
    pub backoff: Backoff,
    /// How long a terminal job is kept.
    pub retention: Retention,
    /// The longest one attempt may take, over all extensions (semantics 6.6); 1 ms..=24 h.
    pub timeout: Option<Nanos>,
}

impl Default for JobOptions {
    fn default() -> Self {
        Self { max_attempts: 25, backoff: Backoff::default(), retention: Retention::default(), timeout: None }
    }
}

/// Exponential backoff with jitter and a cap (semantics 6.3): the n-th retry waits
/// `min(initial · (multiplier_percent / 100)^(n−1), max)`, less a share of it drawn from `0..=jitter_percent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Backoff {
    /// Before the first retry; 0..=24 h, 1 s where unset.
    pub initial: Nanos,
    /// The longest delay; 0..=24 h, 1 h where unset.
    pub max: Nanos,
    /// Growth from one retry to the next; 100..=1000 percent, 200 where unset.
    pub multiplier_percent: u32,
    /// The largest share taken off at random; 0..=100 percent, 20 where unset.
    pub jitter_percent: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { initial: Nanos::from_secs(1), max: Nanos::from_hours(1), multiplier_percent: 200, jitter_percent: 20 }
    }
}

/// How long a job is kept once it is over (semantics 6.4); each 0..=366 d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Retention {
    /// After success; 0 where unset.
    pub completed: Nanos,
    /// After its last failure; 7 d where unset.
    pub dead: Nanos,
    /// After it was cancelled; 1 d where unset.
    pub cancelled: Nanos,
}

impl Retention {
    /// How long a job is kept once it has ended so.
    pub fn after(&self, end: End) -> Nanos {
        match end {
            End::Completed => self.completed,
            End::Dead => self.dead,
            End::Cancelled => self.cancelled,
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self { completed: Nanos::ZERO, dead: Nanos::from_days(7), cancelled: Nanos::from_days(1) }
    }
}

/// A key that makes an enqueue idempotent within a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unique {
    /// The key; 1..=256 bytes.
    pub key: Name,
    /// How long a job holds it.
    pub scope: UniqueScope,
}

/// Until when a job holds its unique key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniqueScope {
    /// While scheduled or ready.
    Queued,
    /// While scheduled, ready or in flight.
    Unfinished,
    /// Until it is removed.
    Retained,
}

/// The states of semantics 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobState {
    /// Waits for its time.
    Scheduled,
    /// Waits for a worker and for its budgets.
    Ready,
    /// A lease on it is live.
    InFlight,
    /// Succeeded.
    Completed,
    /// Out of attempts, or discarded.
    Dead,
    /// Ended by a cancel.
    Cancelled,
}

impl JobState {
    /// Each of them, in their order.
    pub const ALL: [Self; 6] =
        [Self::Scheduled, Self::Ready, Self::InFlight, Self::Completed, Self::Dead, Self::Cancelled];

    /// Whether nothing further happens to the job but its removal.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Dead | Self::Cancelled)
    }
}

/// What is stored of a job's life. `scheduled` and `ready` differ by the clock alone and `in-flight` is the
/// existence of a lease, so neither is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not over.
    Live,
    /// Over, for this reason, since this instant.
    Over(End, Timestamp),
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By success.
    Completed,
    /// By its last failure.
    Dead,
    /// By a cancel.
    Cancelled,
}

/// Dispatch order (semantics 1): the lower goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// 0 is the most urgent.
    pub priority: u16,
    /// The later of run time and enqueue; set anew by a retry.
    pub ready_at: Timestamp,
    /// The job's own sequence.
    pub job: JobId,
}

impl Rank {
    /// None goes before it.
    pub const MIN: Self = Self { priority: 0, ready_at: Timestamp(i64::MIN), job: JobId(0) };

    /// The one right behind it: no job's in between.
    pub fn next(self) -> Self {
        Self { job: JobId(self.job.0.saturating_add(1)), ..self }
    }
}

/// The small record of a job: all that the scheduler needs, and all that a start loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// Its id and sequence.
    pub id: JobId,
    /// Its queue.
    pub queue: Name,
    /// Its type.
    pub kind: Name,
    /// 0 is the most urgent.
    pub priority: u16,
    /// Its bindings, sorted by budget.
    pub bindings: Arc<[Binding]>,
    /// What it shares with many others.
    pub options: JobOptions,
    /// Its unique key.
    pub unique: Option<Unique>,
    /// When it was enqueued.
    pub create_time: Timestamp,
    /// The second part of its rank.
    pub ready_at: Timestamp,
    /// What has set it.
    pub ready_by: ReadyBy,
    /// Scheduled until then: `ready_at`, or later after a release with a delay, which keeps the rank.
    pub run_at: Timestamp,
    /// Attempts used up.
    pub attempts: u32,
    /// Releases in a row that reported no throttling (semantics 5.3).
    pub releases: u32,
    /// Pushes that were never confirmed (semantics 5.3).
    pub unconfirmed: u32,
    /// Failures it ever had; never reset. The last [`Failure::KEPT`] are in the store.
    pub failures: u32,
    /// Whether it is over.
    pub phase: Phase,
    /// [`Body::bytes`].
    pub body_bytes: u32,
}

/// What has set a job's `ready_at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadyBy {
    /// Its enqueue, or a retry by hand: it was ready at once.
    Now,
    /// A run time that a caller chose.
    Caller,
    /// A failed attempt: it waits for its backoff.
    Backoff,
}

/// One failed attempt. In the store only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When it ended.
    pub time: Timestamp,
    /// What the worker, or the server, said of it; at most 4 KiB.
    pub error: Box<str>,
}

impl Failure {
    /// Failures kept per job; a new one takes the place of the oldest.
    pub const KEPT: u32 = 10;
    /// The longest error kept, in bytes; a longer one is cut at a character.
    pub const ERROR_BYTES_MAX: usize = 4096;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_as_large_as_all_that_it_carries() {
        let metadata = vec![("a".into(), "bc".into()), ("def".into(), "ghij".into())];
        let json = Body { payload: Payload::Json("{}".into()), metadata };
        let binary = Body { payload: Payload::Binary(Box::from([0; 5])), metadata: Vec::new() };
        assert_eq!((json.bytes(), binary.bytes(), Body::default().bytes()), (12, 5, 0));
    }

    #[test]
    fn three_states_are_final() {
        let terminal = JobState::ALL.into_iter().filter(|state| state.is_terminal());
        assert!(terminal.eq([JobState::Completed, JobState::Dead, JobState::Cancelled]));
    }
}
