//! What the scheduler can be told, and what it answers.

use super::job::{Backoff, Body, JobOptions, Name, Retention, Unique};
use super::policy::{Policy, PolicyPatch};
use super::units::{JobId, LeaseId, Nanos, SessionId, Timestamp, Tokens};
use super::view::{BudgetView, JobFilter, JobView, QueueView};

/// One request to change something. `Scheduler::apply` does it whole or refuses it whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Creates a budget; an existing one is refused and stays as it is (semantics 7.1).
    CreateBudget {
        /// Its key.
        key: Name,
        /// Its terms.
        policy: Policy,
    },
    /// Overwrites a budget's policy.
    ReplaceBudget {
        /// Its key.
        key: Name,
        /// The new terms.
        policy: Policy,
        /// Create it if there is none.
        allow_missing: bool,
        /// Refuse unless this is its etag.
        etag: Option<String>,
    },
    /// Changes some fields of a policy.
    UpdateBudget {
        /// Its key.
        key: Name,
        /// What changes.
        patch: PolicyPatch,
        /// Refuse unless this is its etag.
        etag: Option<String>,
    },
    /// Deletes a budget that nothing unfinished is bound to (semantics 7.5).
    DeleteBudget {
        /// Its key.
        key: Name,
        /// Succeed if there is none.
        allow_missing: bool,
        /// Refuse unless this is its etag.
        etag: Option<String>,
    },
    /// A budget pays nothing for so long, or until it is unblocked (semantics 9.4).
    BlockBudget {
        /// Its key.
        key: Name,
        /// At most 366 d; `None` until it is unblocked.
        span: Option<Nanos>,
    },
    /// Ends all blocks of a budget, throttles included (semantics 9.4).
    UnblockBudget {
        /// Its key.
        key: Name,
    },
    /// Sets the level of a `time_based` pool (semantics 9.5).
    AdjustBudget {
        /// Its key.
        key: Name,
        /// 0 to its capacity.
        level: Tokens,
    },
    /// A queue dispatches nothing until it is resumed; it need not exist (semantics 9.4).
    PauseQueue {
        /// Its name.
        queue: Name,
    },
    /// A queue dispatches again.
    ResumeQueue {
        /// Its name.
        queue: Name,
    },
    /// Enqueues jobs, all or none, in order.
    Enqueue {
        /// A repeat with the same one gets the first answer.
        request: Option<Name>,
        /// 1..=10,000 jobs.
        jobs: Vec<NewJob>,
    },
    /// Changes the bindings of one job (semantics 8.1).
    ModifyBindings {
        /// The job.
        job: JobId,
        /// How.
        operation: BindingOperation,
    },
    /// Changes the jobs that a filter selects (semantics 8.2).
    ChangeJobs {
        /// Which.
        filter: JobFilter,
        /// How.
        change: JobsChange,
        /// How many of them at once.
        part: Part,
    },
    /// A worker opened a `Dispatch` stream, or a `LeaseJobs` call waits.
    OpenSession(OpenSession),
    /// The stream's window is now this.
    SetWindow {
        /// The stream.
        session: SessionId,
        /// Absolute, not additive.
        window: Window,
    },
    /// The pushes of these leases have arrived (semantics 5.3).
    Received {
        /// Those that aren't live are ignored.
        leases: Vec<LeaseId>,
    },
    /// Attempts have ended; each lease is answered for itself.
    Settle {
        /// The stream they came on; none for a call. Another one that holds a lease hears that it has ended.
        from: Option<SessionId>,
        /// At most 1000.
        outcomes: Vec<Outcome>,
    },
    /// Leases go on for their duration from now.
    Extend {
        /// At most 1000.
        leases: Vec<LeaseId>,
    },
    /// The worker says it is leaving: its unsettled jobs are released (semantics 5.2).
    Leave {
        /// The stream.
        session: SessionId,
    },
    /// The stream or call has ended, however it did.
    CloseSession {
        /// The stream or call.
        session: SessionId,
    },
    /// The server is stopping: nothing is dispatched from now on.
    Drain,
}

/// A job to be enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// 1..=128 bytes of `[A-Za-z0-9._:/@-]`.
    pub queue: Name,
    /// The job's type, with the same bounds.
    pub kind: Name,
    /// Payload and metadata.
    pub body: Body,
    /// 0 is the most urgent.
    pub priority: u16,
    /// When it becomes ready; now where unset or past.
    pub run_time: Option<Timestamp>,
    /// At most 16, each to another budget.
    pub bindings: Vec<NewBinding>,
    /// Attempts, backoff, retention, timeout.
    pub options: JobOptions,
    /// Its unique key.
    pub unique: Option<Unique>,
}

/// A binding as a caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBinding {
    /// The budget's key.
    pub budget: Name,
    /// Tokens a dispatch debits; 1..=10¹².
    pub cost: Tokens,
    /// The policy to create the budget with if there is none (semantics 3.4).
    pub create_with: Option<Policy>,
}

/// A change of one job's bindings (semantics 8.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingOperation {
    /// Adds a binding; refused if the budget is bound.
    Bind(NewBinding),
    /// Replaces the binding to that budget whole, or adds it.
    Rebind(NewBinding),
    /// Changes the cost of a binding; refused if there is none.
    SetCost(Name, Tokens),
    /// Takes one binding away; refused if there is none.
    Unbind(Name),
    /// Takes all bindings away.
    UnbindAll,
    /// Replaces all bindings by these.
    ReplaceAll(Vec<NewBinding>),
}

/// What is to be done with all jobs that a filter selects; those whose state it isn't for are left as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobsChange {
    /// Queued ones end; the workers of those in flight are asked to (semantics 6.1).
    Cancel {
        /// Ends the leases of those in flight at once.
        force: bool,
    },
    /// Dead and cancelled ones, and those that wait for their backoff, are ready now (semantics 6.5).
    Retry,
    /// All but those in flight are removed.
    Delete,
    /// Queued ones get another spec.
    Update(Box<JobPatch>),
    /// Queued ones get other bindings (semantics 8.2).
    Bindings(BindingOperation),
}

/// A merge patch of a job's spec: only what is `Some` changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobPatch {
    /// Another queue.
    pub queue: Option<Name>,
    /// Another type.
    pub kind: Option<Name>,
    /// Another priority.
    pub priority: Option<u16>,
    /// Another run time; `Some(None)` is now. Ends a backoff or a delay.
    pub run_time: Option<Option<Timestamp>>,
    /// Another bound on attempts.
    pub max_attempts: Option<u32>,
    /// Another backoff.
    pub backoff: Option<Backoff>,
    /// Another retention.
    pub retention: Option<Retention>,
    /// Another timeout; `Some(None)` takes it away.
    pub timeout: Option<Option<Nanos>>,
}

impl JobPatch {
    /// The options with what this names changed.
    pub fn apply(&self, options: &JobOptions) -> JobOptions {
        JobOptions {
            max_attempts: self.max_attempts.unwrap_or(options.max_attempts),
            backoff: self.backoff.unwrap_or(options.backoff),
            retention: self.retention.unwrap_or(options.retention),
            timeout: self.timeout.unwrap_or(options.timeout),
        }
    }
}

/// How much of a selection one command changes. Without `apply` it changes nothing and answers, or refuses, as if it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it, if it is no more than one commit may hold; else [`Reply::TooMany`].
    Whole {
        /// Whether to change them.
        apply: bool,
    },
    /// The next piece after this id, in id order.
    Step {
        /// Where the piece before has ended.
        after: Option<JobId>,
        /// Whether to change them.
        apply: bool,
    },
}

/// How many unsettled jobs a worker will hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// 0 pauses; at most 100,000.
    pub jobs: u32,
    /// Bytes of unsettled bodies. A worker with nothing in hand gets one job whatever its size.
    pub bytes: u64,
}

/// A worker that takes jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSession {
    /// A number that was never used before in this run of the server.
    pub session: SessionId,
    /// The worker's own id; 1..=128 bytes of `[A-Za-z0-9._:/@-]`.
    pub worker: Name,
    /// The queues it serves; 1..=64.
    pub queues: Vec<Name>,
    /// Its window.
    pub window: Window,
    /// 1 s..=24 h.
    pub lease: Nanos,
    /// The largest body it can be sent.
    pub body_bytes_max: u32,
    /// How it takes jobs.
    pub mode: SessionMode,
}

/// The two ways of taking jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// A `Dispatch` stream: it supersedes an older one of the same worker.
    Stream {
        /// Pushes are confirmed (semantics 5.3).
        confirms_receipt: bool,
        /// The leases it still has; `None` leaves earlier leases alone (semantics 5.2).
        held: Option<Vec<LeaseId>>,
    },
    /// A `LeaseJobs` call: it ends with its first push, at the latest then, with an empty one.
    Once {
        /// How long it waits.
        until: Timestamp,
        /// A repeat with the same one gets the same leases while any of them is live.
        request: Option<Name>,
    },
}

/// How an attempt ended, as its worker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its lease.
    pub lease: LeaseId,
    /// What happened.
    pub verdict: Verdict,
    /// Costs actually used (semantics 9.1).
    pub usage: Vec<(Name, Tokens)>,
    /// Limits met at the far side (semantics 9.3).
    pub throttled: Vec<(Name, Nanos)>,
}

/// The three ways to settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The job is completed.
    Success {
        /// Kept with the job if it is kept; at most 64 KiB.
        result: Option<Box<[u8]>>,
    },
    /// The attempt is used up.
    Failure {
        /// Why; cut to 4 KiB.
        error: Box<str>,
        /// The delay before the retry, in place of the backoff; at most 24 h.
        retry_after: Option<Nanos>,
        /// No retry: the job is dead.
        discard: bool,
    },
    /// The job goes back with its rank and its attempt.
    Release {
        /// Not before this; at most 24 h.
        delay: Nanos,
    },
}

/// The answer to a [`Command`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing to say but that it is done.
    Done,
    /// The budget as it is now.
    Budget(BudgetView),
    /// The queue as it is now.
    Queue(QueueView),
    /// A job each, in order.
    Enqueued(Vec<Enqueued>),
    /// The job as it is now.
    Job(JobView),
    /// What a change of a selection has done.
    Changed(Changed),
    /// The selection is larger than one commit: it is to be changed in steps.
    TooMany,
    /// The stream is open.
    Opened {
        /// The leases it took over.
        resumed: Vec<LeaseId>,
        /// The leases it named that aren't live.
        lost: Vec<LeaseId>,
    },
    /// An answer for each outcome, in order.
    Settled(Vec<Settled>),
    /// An answer for each lease, in order.
    Extended(Vec<Extended>),
}

/// One enqueued job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The job.
    pub id: JobId,
    /// Whether it was there before, under the same unique key.
    pub existing: bool,
    /// A lone job as it is now; `None` where it is removed since, and for each of several, which are named only.
    pub job: Option<Box<JobView>>,
}

/// What a change of a selection, or a step of it, has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// How many jobs it has changed.
    pub changed: u64,
    /// Jobs in flight that it would have changed, or that it could only ask to end: the first 1000.
    pub blocked: Vec<JobId>,
    /// How many these are.
    pub blocked_count: u64,
    /// Where the next step begins; `None` after the last.
    pub next_after: Option<JobId>,
}

/// The answer to one outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The lease.
    pub lease: LeaseId,
    /// Whether it was settled, or why not.
    pub status: Result<SettledAs, Unsettled>,
}

/// What a settle did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettledAs {
    /// A result was sent that the job's retention would not keep.
    pub result_dropped: bool,
}

/// Why a settle changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// The lease isn't live.
    NotLive(Ended),
    /// The outcome reports on a budget that the job isn't bound to.
    NotBound {
        /// The path of the budget's key within the outcome.
        field: String,
        /// The key.
        budget: Name,
    },
    /// The outcome is wrong: which field, and how.
    Invalid {
        /// The field's path within the outcome.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// The answer for one lease to be extended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended {
    /// The lease.
    pub lease: LeaseId,
    /// Until when it is held now, or why it isn't.
    pub status: Result<ExtendedTo, Ended>,
}

/// What an extension did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedTo {
    /// When the lease ends unless it is extended again.
    pub expire_time: Timestamp,
    /// The job was cancelled: its handler should stop and settle (semantics 6.1).
    pub cancelled: bool,
}

/// What is known of a lease that isn't live (semantics 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was settled: a harmless repeat.
    AlreadySettled,
    /// It ended otherwise.
    Lost,
    /// Its history is no longer known, or it never was.
    Gone,
}
