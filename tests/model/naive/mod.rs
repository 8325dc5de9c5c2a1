//! A scheduler that is slow and obviously right: lists that are gone through from end to end after every command.
//!
//! Shares nothing with the scheduler under test but the plain types that go in and come out. Its numbers (of jobs,
//! budgets, leases) are given out in the same order, so that equal numbers of leases mean equal sequences of dispatches.

mod budgets;
mod jobs;
mod leases;
mod looks;
mod picture;
mod pool;
mod rescan;
mod selection;
mod sessions;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};

use sluicegate::scheduler::command::{Ended, SessionMode, Window};
use sluicegate::scheduler::effect::{Effect, RequestRecord};
use sluicegate::scheduler::job::{JobRecord, JobState, Name, Phase, ReadyBy};
use sluicegate::scheduler::lease::{LeaseRecord, Receipt};
use sluicegate::scheduler::units::{BudgetId, LeaseId, Nanos, SessionId, Timestamp};
use sluicegate::scheduler::{Command, Config, Rejection, Reply};

use super::flaws::Flaw;
pub use pool::Pool;
use waiting::PlaceLeft;

pub type Answer = Result<Reply, Rejection>;

#[derive(Clone, Debug)]
pub struct Budget {
    pub id: BudgetId,
    pub key: Name,
    pub create_time: Timestamp,
    pub update_time: Timestamp,
    pub revision: u64,
    pub is_deleted: bool,
    pub pool: Pool,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub record: JobRecord,
    pub state: JobState,
    /// The record as stored: after a start whose clock was set back, instants are later here.
    pub row: JobRecord,
    /// Whether some budget couldn't pay it when it, or one bound alike, was last tried.
    pub tried: bool,
    /// Where and since when it was passed over while it was held up (semantics 4.4).
    pub passed: BTreeMap<BudgetId, Timestamp>,
}

/// An answered enqueue that is remembered.
#[derive(Clone, Debug)]
pub struct Request {
    pub record: RequestRecord,
    /// Its time as stored.
    pub stored_time: Timestamp,
}

#[derive(Clone, Debug)]
pub struct Lease {
    pub record: LeaseRecord,
    /// In whose window it counts.
    pub session: Option<SessionId>,
    pub body_bytes: u32,
    pub timeout_at: Option<Timestamp>,
    pub confirm_by: Option<Timestamp>,
    /// The record as stored, but for its expiry.
    pub row: LeaseRecord,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub id: SessionId,
    pub worker: Name,
    pub queues: Vec<Name>,
    pub window: Window,
    pub lease: Nanos,
    pub body_bytes_max: u32,
    pub mode: SessionMode,
    /// It hadn't bytes enough for a job whose turn it was, and settled nothing since.
    pub full: bool,
    /// A `LeaseJobs` call that got something.
    pub answered: bool,
    /// Since when it waits, where it has room; the second part orders what happens at one instant (semantics 4.5).
    pub waits_since: Option<(Timestamp, u64)>,
    /// The queues and size classes that it has had room for since nothing was left to try.
    pub had_room_for: BTreeSet<(Name, u32)>,
}

#[derive(Clone, Debug)]
pub struct Naive {
    pub config: Config,
    pub now: Timestamp,
    pub next_id: u64,
    pub budgets: Vec<Budget>,
    pub jobs: Vec<Job>,
    pub leases: Vec<Lease>,
    pub sessions: Vec<Session>,
    pub paused: BTreeSet<Name>,
    /// In the order of their numbers.
    pub requests: Vec<Request>,
    pub ended: BTreeMap<LeaseId, (Ended, Timestamp)>,
    pub draining: bool,
    /// Rare things that were met since this was last taken.
    pub met: Vec<&'static str>,
    /// Places that workers had left, as far as they matter still.
    places: Vec<PlaceLeft>,
    /// Queues and size classes that jobs have come to.
    gates: BTreeSet<(Name, u32)>,
    turns: u64,
    told: Vec<Effect>,
    pushed: BTreeMap<SessionId, Vec<LeaseId>>,
}

impl Naive {
    pub fn new(config: Config, now: Timestamp) -> Self {
        Self {
            config,
            now,
            next_id: 1,
            budgets: Vec::new(),
            jobs: Vec::new(),
            leases: Vec::new(),
            sessions: Vec::new(),
            paused: BTreeSet::new(),
            requests: Vec::new(),
            ended: BTreeMap::new(),
            draining: false,
            met: Vec::new(),
            places: Vec::new(),
            gates: BTreeSet::new(),
            turns: 0,
            told: Vec::new(),
            pushed: BTreeMap::new(),
        }
    }

    /// Does a command, of which `flaw` says what is out of bounds in it, if anything is.
    pub fn apply(&mut self, now: Timestamp, command: &Command, flaw: Option<&Flaw>) -> Answer {
        self.come_to(now);
        if let Some(Flaw::Early(field)) = flaw {
            return Err(Rejection::invalid(field, ""));
        }
        let answer = self.command(command, flaw);
        self.forget_unnamed();
        self.note_gates();
        answer
    }

    fn command(&mut self, command: &Command, flaw: Option<&Flaw>) -> Answer {
        match command {
            Command::CreateBudget { key, policy } => self.create_budget(key, *policy),
            Command::ReplaceBudget { key, policy, allow_missing, etag } => {
                self.replace_budget(key, *policy, *allow_missing, etag.as_deref())
            }
            Command::UpdateBudget { key, patch, etag } => self.update_budget(key, *patch, etag.as_deref(), flaw),
            Command::DeleteBudget { key, allow_missing, etag } => {
                self.delete_budget(key, *allow_missing, etag.as_deref())
            }
            Command::BlockBudget { key, span } => self.block_budget(key, *span, flaw),
            Command::UnblockBudget { key } => self.unblock_budget(key),
            Command::AdjustBudget { key, level } => self.adjust_budget(key, *level),
            Command::PauseQueue { queue } => self.pause(queue),
            Command::ResumeQueue { queue } => self.resume(queue),
            Command::Enqueue { request, jobs } => self.enqueue(request.as_ref(), jobs),
            Command::ModifyBindings { job, operation } => self.modify_bindings(*job, operation),
            Command::ChangeJobs { filter, change, part } => self.change_jobs(filter, change, *part),
            Command::OpenSession(open) => self.open_session(open),
            Command::SetWindow { session, window } => Ok(self.set_window(*session, *window)),
            Command::Received { leases } => Ok(self.received(leases)),
            Command::Settle { from, outcomes } => Ok(self.settle(*from, outcomes, flaw)),
            Command::Extend { leases } => Ok(self.extend(leases)),
            Command::Leave { session } => Ok(self.leave(*session)),
            Command::CloseSession { session } => Ok(self.close_session(*session)),
            Command::Drain => {
                self.draining = true;
                Ok(Reply::Done)
            }
        }
    }

    /// What is to be sent since the last call, what is told in order first, then the pushes by session.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        let mut effects = std::mem::take(&mut self.told);
        effects.extend(std::mem::take(&mut self.pushed).into_iter().map(|(id, leases)| Effect::Push(id, leases)));
        effects
    }

    /// Starts anew from what is stored (semantics 10.2, 11.1).
    pub fn restart(&mut self, now: Timestamp, next_id: u64) {
        (self.now, self.next_id) = (now, next_id);
        self.sessions.clear();
        self.ended.clear();
        self.told.clear();
        self.pushed.clear();
        self.places.clear();
        self.gates.clear();
        self.note_gates();
        self.draining = false;
        self.budgets.iter_mut().for_each(|budget| budget.pool.restart(now));
        self.jobs.iter_mut().for_each(|job| job.restart(now));
        for lease in &mut self.leases {
            let job = self.jobs.iter().find(|job| job.record.id == lease.row.job).expect("its job is in flight");
            lease.record = lease.row.clone();
            lease.record.expire_time = now + lease.record.duration;
            lease.record.dispatch_time = lease.record.dispatch_time.min(now);
            lease.session = None;
            lease.timeout_at = job.record.options.timeout.map(|timeout| lease.record.dispatch_time + timeout);
            lease.confirm_by = (lease.record.receipt == Receipt::Awaited).then(|| now + Config::CONFIRM_WITHIN);
        }
        for mut request in std::mem::take(&mut self.requests) {
            request.record.time = request.stored_time.min(now);
            self.remember(request);
        }
    }

    /// The clock comes to an instant: until then whoever had room at rest, and has it still, had a place left for everybody.
    pub fn come_to(&mut self, now: Timestamp) {
        self.now = now;
        self.leave_places(None, |session, gate| session.had_room_for.contains(gate));
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }
}

impl Job {
    /// Instants that a clock ahead has set are brought back: to now, or to the longest that a retry or a release may make
    /// a job wait. A run time that a caller chose stays wall time (semantics 11.1).
    fn restart(&mut self, now: Timestamp) {
        self.record = self.row.clone();
        self.tried = false;
        self.passed.clear();
        let longest = now + Nanos::from_hours(24);
        let record = &mut self.record;
        let is_delayed = record.run_at > record.ready_at;
        record.ready_at = match record.ready_by {
            ReadyBy::Now => record.ready_at.min(now),
            ReadyBy::Caller => record.ready_at,
            ReadyBy::Backoff => record.ready_at.min(longest),
        };
        record.run_at = if is_delayed { record.run_at.min(longest).max(record.ready_at) } else { record.ready_at };
        record.create_time = record.create_time.min(now);
        if let Phase::Over(_, at) = &mut record.phase {
            *at = (*at).min(now);
        }
        if matches!(self.state, JobState::Scheduled | JobState::Ready) {
            self.state = if record.run_at > now { JobState::Scheduled } else { JobState::Ready };
        }
    }
}
