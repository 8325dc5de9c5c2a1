//! A scheduler that is slow and obviously right: lists that are gone through from end to end after every command.
//!
//! Shares nothing with the scheduler under test but the plain types that go in and come out. Its numbers (of jobs,
//! budgets, leases) are given out in the same order, so that equal numbers of leases mean equal sequences of dispatches.

mod budgets;
mod jobs;
mod leases;
mod picture;
mod pool;
mod rescan;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};

use sluicegate::scheduler::command::{Ended, SessionMode, Window};
use sluicegate::scheduler::effect::{Effect, RequestRecord};
use sluicegate::scheduler::job::{JobRecord, JobState, Name};
use sluicegate::scheduler::lease::LeaseRecord;
use sluicegate::scheduler::units::{BudgetId, LeaseId, Nanos, SessionId, Timestamp};
use sluicegate::scheduler::{Command, Config, Rejection, Reply};

use super::flaws::Flaw;
pub use pool::Pool;

pub type Answer = Result<Reply, Rejection>;

#[derive(Clone, Debug)]
pub struct Budget {
    pub id: BudgetId,
    pub key: Name,
    pub create_time: Timestamp,
    pub update_time: Timestamp,
    pub revision: u64,
    pub pool: Pool,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub record: JobRecord,
    pub state: JobState,
}

#[derive(Clone, Debug)]
pub struct Lease {
    pub record: LeaseRecord,
    /// In whose window it counts.
    pub session: Option<SessionId>,
    pub body_bytes: u32,
    pub timeout_at: Option<Timestamp>,
    pub confirm_by: Option<Timestamp>,
    /// The latest expiry it ever had.
    pub latest_expiry: Timestamp,
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
    pub requests: Vec<RequestRecord>,
    pub ended: BTreeMap<LeaseId, (Ended, Timestamp)>,
    pub draining: bool,
    /// Rare things that were met since this was last taken.
    pub met: Vec<&'static str>,
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
            turns: 0,
            told: Vec::new(),
            pushed: BTreeMap::new(),
        }
    }

    /// Does a command, of which `flaw` says what is out of bounds in it, if anything is.
    pub fn apply(&mut self, now: Timestamp, command: &Command, flaw: Option<&Flaw>) -> Answer {
        self.now = now;
        if let Some(Flaw::Early(field)) = flaw {
            return Err(Rejection::invalid(field, ""));
        }
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
            Command::OpenSession(open) => self.open_session(open),
            Command::SetWindow { session, window } => Ok(self.set_window(*session, *window)),
            Command::Received { leases } => Ok(self.received(leases)),
            Command::Settle { outcomes } => Ok(self.settle(outcomes, flaw)),
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

    /// Starts anew from what is stored (semantics 10.2, 11.1). Extensions needn't be stored, so with a clock set back
    /// the model only bounds what is left of a lease, and takes over what `expires` says.
    pub fn restart(&mut self, now: Timestamp, next_id: u64, expires: impl Fn(LeaseId) -> Timestamp) {
        (self.now, self.next_id) = (now, next_id);
        self.sessions.clear();
        self.ended.clear();
        self.told.clear();
        self.pushed.clear();
        self.draining = false;
        self.budgets.iter_mut().for_each(|budget| budget.pool.restart(now));
        for job in &mut self.jobs {
            if matches!(job.state, JobState::Scheduled | JobState::Ready) {
                job.state = if job.record.run_at > now { JobState::Scheduled } else { JobState::Ready };
            }
        }
        for lease in &mut self.leases {
            use sluicegate::scheduler::lease::Receipt;
            let least = now + lease.record.duration;
            let most = lease.latest_expiry.max(least);
            let expires = expires(lease.record.id);
            assert!((least..=most).contains(&expires), "{:?} was left until {expires:?}", lease.record);
            lease.record.expire_time = expires;
            lease.latest_expiry = lease.latest_expiry.max(expires);
            lease.session = None;
            lease.confirm_by = (lease.record.receipt == Receipt::Awaited).then(|| now + Config::CONFIRM_WITHIN);
        }
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }
}
