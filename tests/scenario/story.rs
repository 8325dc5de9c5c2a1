//! A story as data: its steps, each with the line it stands on.
//!
//! Nothing here reads text or runs anything.

use sluicegate::scheduler::command::{BindingOperation, NewJob, Verdict};
use sluicegate::scheduler::job::{JobState, Name};
use sluicegate::scheduler::policy::{Policy, PolicyPatch};
use sluicegate::scheduler::units::{Nanos, Tokens};

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its line, from 1; of a batch, the line of its `end`.
    pub line: usize,
    /// What the line says, without its comment.
    pub text: String,
    pub action: Action,
    /// The reason it must be refused for.
    pub refusal: Option<&'static str>,
}

/// What a step does or checks.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Budget(Name, BudgetDeed),
    /// Each is an Enqueue of its own.
    Enqueue(Vec<StoryJob>),
    /// All are one BatchEnqueue.
    Batch(Vec<StoryJob>),
    Worker(String, WorkerDeed),
    Settle(LeaseRef, Settlement),
    Extend(LeaseRef),
    Cancel {
        job: String,
        force: bool,
    },
    Retry(String),
    PauseQueue(Name),
    ResumeQueue(Name),
    Modify(String, BindingOperation),
    Bulk(Bulk),
    Advance(Nanos),
    /// Stops and reopens the store cleanly.
    Restart,
    /// Reopens the store as if what wasn't synced had never been.
    Crash,
    Check(Check),
}

/// What is done to a budget.
#[derive(Clone, Debug, PartialEq)]
pub enum BudgetDeed {
    Create(Policy),
    Replace(Policy),
    Update(PolicyPatch),
    Delete,
    Block(Nanos),
    Unblock,
    Adjust(Tokens),
}

/// A job to enqueue, under the story's name for it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryJob {
    pub id: String,
    /// Its run time, from now.
    pub at: Option<Nanos>,
    /// All but its run time.
    pub job: NewJob,
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerDeed {
    /// Connects with defaults for what isn't named; a connected one changes what is named.
    Connect(WorkerWords),
    /// Opens a stream that names all it held, as it was but for what is named.
    Resume(WorkerWords),
    /// Opens a stream that names no lease, as it was but for what is named.
    Restart(WorkerWords),
    Leave,
    Drop,
}

/// What a `worker` line names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerWords {
    pub queues: Option<Vec<Name>>,
    pub window: Option<u32>,
    pub lease: Option<Nanos>,
    /// Confirms no push.
    pub silent: bool,
}

/// A lease by the story's names.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseRef {
    pub job: String,
    /// Of its N-th dispatch, from 1; the live one where unset.
    pub dispatch: Option<u64>,
}

/// How a lease is settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    pub verdict: Verdict,
    pub used: Vec<(Name, Tokens)>,
    pub throttled: Vec<(Name, Nanos)>,
}

/// A change of many jobs' bindings.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    pub operation: BindingOperation,
    pub queue: Option<Name>,
    pub kind: Option<Name>,
    pub budget: Option<Name>,
    pub state: Option<JobState>,
    /// How many it changes, and which in-flight jobs it can't; `None` where it is refused.
    pub outcome: Option<(u64, Vec<String>)>,
}

/// What must be so.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    Dispatched(Vec<String>),
    State {
        job: String,
        state: JobState,
        attempts: Option<u32>,
    },
    Parked {
        job: String,
        budget: Name,
    },
    Pool(Name, PoolWords),
    /// `None`: the pool is full.
    Next {
        budget: Name,
        span: Option<Nanos>,
    },
    Held {
        job: String,
        bindings: Vec<(Name, Tokens)>,
    },
    Why {
        job: String,
        budgets: Vec<Name>,
        not_before: Option<Nanos>,
    },
}

/// What a `pool` line names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolWords {
    pub available: Option<i128>,
    pub in_flight: Option<u64>,
    pub parked: Option<u64>,
    pub bound: Option<u64>,
}
