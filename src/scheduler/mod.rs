//! The scheduler: which job goes when, and to whom.
//!
//! It is a machine without IO, clock, threads or randomness: `now` and commands go in, replies, rows to write and things
//! to send come out. Whoever drives it writes the rows first and sends then (semantics 10.1, 11.2):
//!
//! ```text
//! apply(now, command)* → advance(now) → take_changes() → [commit] → take_events(), replies, take_effects()
//! ```
//!
//! | file | what it owns |
//! | --- | --- |
//! | `command`, `rejection`, `effect`, `event`, `view` | what goes in and what comes out |
//! | `units`, `policy`, `job`, `lease`, `config` | the words |
//! | `validate` | the bounds of all input |
//! | `budget`, `peaks`, `budgets` | a pool's arithmetic; all budgets and their commands |
//! | `jobs`, `lane`, `queue`, `life` | jobs, what they share, and how they change |
//! | `enqueue`, `bindings`, `selection` | the commands about jobs |
//! | `dispatch`, `wake`, `parking` | who is tried next, and who waits for what |
//! | `protect`, `waiters`, `passed`, `places`, `set_aside` | who was passed over, and what is set aside for it |
//! | `leases`, `sessions` | attempts, and those who make them |
//! | `operate` | what operators do by hand |
//! | `explain`, `listing` | looking |
//! | `slots`, `sorted`, `intern`, `mix` | the tables and sets that all of these are kept in |
//! | `restore`, `journal`, `ids`, `timers` | going on after a restart, and what the driver needs |

mod bindings;
mod budget;
mod budgets;
pub mod command;
pub mod config;
mod dispatch;
pub mod effect;
mod enqueue;
pub mod event;
mod explain;
mod ids;
mod intern;
mod invariants;
pub mod job;
mod jobs;
mod journal;
mod lane;
pub mod lease;
mod leases;
mod life;
mod listing;
mod mix;
mod operate;
mod parking;
mod passed;
mod peaks;
mod places;
pub mod policy;
mod protect;
mod queue;
pub mod rejection;
mod restore;
mod retry;
mod selection;
mod sessions;
mod set_aside;
mod slots;
mod sorted;
#[cfg(test)]
pub(crate) mod testing;
mod timers;
pub mod units;
mod validate;
pub mod view;
mod waiters;
mod wake;

pub use command::{Command, Reply};
pub use config::Config;
use effect::QueueRecord;
pub use effect::{Change, Effect, Snapshot};
pub use event::Event;
pub use rejection::Rejection;
use sorted::Sorted;
use timers::Timer;
use units::{BudgetId, LaneId, Timestamp};

/// The whole state of one group of budgets, and of the jobs bound to them.
#[derive(Debug)]
pub struct Scheduler {
    config: Config,
    /// The latest instant it was told.
    now: Timestamp,
    budgets: budgets::Budgets,
    jobs: jobs::Jobs,
    lanes: lane::Lanes,
    queues: queue::Queues,
    parking: parking::Parking,
    leases: leases::Leases,
    sessions: sessions::Sessions,
    requests: enqueue::Requests,
    timers: timers::Timers,
    journal: journal::Journal,
    ids: ids::Ids,
    /// Budgets that may pay a waiter they couldn't pay before.
    thirsty: Sorted<BudgetId>,
    /// Budgets whose timer is to be set anew.
    alarmed: Sorted<BudgetId>,
    /// Lanes with marks that were opened and not looked at since, whether a worker has room for them or not.
    marked_open: Sorted<LaneId>,
    /// Budgets on which jobs were passed over that aren't all marked yet.
    passing: Sorted<BudgetId>,
    /// The last step stopped at its bound of work.
    unfinished: bool,
    /// Nothing is dispatched any more.
    draining: bool,
}

impl Scheduler {
    /// An empty one.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            now: Timestamp(i64::MIN),
            budgets: budgets::Budgets::default(),
            jobs: jobs::Jobs::default(),
            lanes: lane::Lanes::default(),
            queues: queue::Queues::default(),
            parking: parking::Parking::default(),
            leases: leases::Leases::default(),
            sessions: sessions::Sessions::default(),
            requests: enqueue::Requests::default(),
            timers: timers::Timers::default(),
            journal: journal::Journal::default(),
            ids: ids::Ids::starting_at(0),
            thirsty: Sorted::default(),
            alarmed: Sorted::default(),
            marked_open: Sorted::default(),
            passing: Sorted::default(),
            unfinished: false,
            draining: false,
        }
    }

    /// Does one command whole, or refuses it and changes nothing. What it makes possible happens in [`Self::advance`].
    pub fn apply(&mut self, now: Timestamp, command: Command) -> Result<Reply, Rejection> {
        let now = self.at(now);
        match command {
            Command::CreateBudget { key, policy } => self.create_budget(now, key, policy),
            Command::ReplaceBudget { key, policy, allow_missing, etag } => {
                self.replace_budget(now, key, policy, allow_missing, etag.as_deref())
            }
            Command::UpdateBudget { key, patch, etag } => self.update_budget(now, key, patch, etag.as_deref()),
            Command::DeleteBudget { key, allow_missing, etag } => {
                self.delete_budget(key, allow_missing, etag.as_deref())
            }
            Command::BlockBudget { key, span } => self.block_budget(now, key, span),
            Command::UnblockBudget { key } => self.unblock_budget(now, key),
            Command::AdjustBudget { key, level } => self.adjust_budget(now, key, level),
            Command::PauseQueue { queue } => self.set_paused(&queue, true),
            Command::ResumeQueue { queue } => self.set_paused(&queue, false),
            Command::Enqueue { request, jobs } => self.enqueue(now, request, jobs),
            Command::ModifyBindings { job, operation } => self.modify_bindings(now, job, &operation),
            Command::ChangeJobs { filter, change, part } => self.change_jobs(now, &filter, &change, part),
            Command::OpenSession(open) => self.open_session(now, open),
            Command::SetWindow { session, window } => self.set_window(now, session, window),
            Command::Received { leases } => self.received(&leases),
            Command::Settle { from, outcomes } => self.settle(now, from, outcomes),
            Command::Extend { leases } => self.extend(now, leases),
            Command::Leave { session } => Ok(self.leave(now, session)),
            Command::CloseSession { session } => {
                self.end_session(now, session);
                Ok(Reply::Done)
            }
            Command::Drain => {
                self.draining = true;
                Ok(Reply::Done)
            }
        }
    }

    /// Meets the deadlines that are due, then dispatches in rank order what can be; up to a bound of work, after which
    /// [`Self::next_deadline`] is not later than `now`.
    pub fn advance(&mut self, now: Timestamp) {
        let now = self.at(now);
        let mut met = 0;
        while let Some(timer) = self.timers.pop_due(now) {
            self.meet(now, timer);
            met += 1;
            if met == Config::DEADLINES_PER_STEP {
                break;
            }
        }
        let is_met = self.timers.next().is_none_or(|next| next > now);
        if is_met {
            self.dispatch(now);
        }
        if is_met && !self.unfinished {
            self.end_answered_calls(now);
            self.end_overdue_calls(now);
        }
        self.set_alarms(now);
    }

    fn meet(&mut self, now: Timestamp, timer: Timer) {
        match timer {
            Timer::Lease(lease) => self.lease_due(now, lease),
            Timer::Job(job) => self.job_due(now, job),
            Timer::Budget(budget) => {
                self.budgets.get_mut(budget).alarm = None;
                self.thirsty.insert(budget);
            }
            Timer::Session(session) => self.sessions.note_overdue(session),
            Timer::Reserve(budget) => self.reserve_due(now, budget),
            Timer::Place(gate) => self.place_due(gate),
        }
    }

    /// When [`Self::advance`] next has something to do, where nothing is applied before; `None`: never.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let is_woken = self.thirsty.is_empty() && self.marked_open.is_empty() && !self.queues.has_turned();
        let at_rest = is_woken && self.passing.is_empty();
        if self.unfinished || !at_rest { Some(self.now) } else { self.timers.next() }
    }

    /// The rows to write since the last call.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let budgets = std::mem::take(&mut self.journal.budgets);
        let pools = std::mem::take(&mut self.journal.pools);
        let mut jobs = std::mem::take(&mut self.journal.jobs);
        let mut leases = std::mem::take(&mut self.journal.leases);
        let queues = std::mem::take(&mut self.journal.queues);
        // Room for all of them at once: a vector that grows would leave behind as much again.
        let noted = budgets.len() + pools.len() + jobs.len() + leases.len() + queues.len();
        let mut changes = Vec::with_capacity(noted + self.journal.given.len());
        changes.extend(budgets.into_iter().map(|id| budgets::budget_change(&self.budgets, id)));
        let pools = pools.into_iter().filter(|id| self.budgets.contains(*id));
        changes.extend(pools.map(|id| Change::PutPool(self.budgets.get(id).pool.record(id))));
        jobs.sort_unstable();
        jobs.dedup();
        let living = jobs.into_iter().filter(|id| self.jobs.find(*id).is_some());
        changes.extend(living.map(|id| Change::PutJob(self.job_record(id))));
        leases.sort_unstable();
        leases.dedup();
        changes.extend(leases.into_iter().map(|id| match self.leases.find(id) {
            Some(lease) => Change::PutLease(lease.record.clone()),
            None => Change::DeleteLease(id),
        }));
        changes.extend(queues.into_iter().map(|name| {
            let paused = self.queues.find(&name).is_some_and(|id| self.queues.get(id).paused);
            Change::PutQueue(QueueRecord { name, paused })
        }));
        changes.append(&mut self.journal.given);
        changes
    }

    /// The things to send since the last call, once the changes are written.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        self.journal.take_effects()
    }

    /// Time never goes back (semantics 11.1).
    fn at(&mut self, now: Timestamp) -> Timestamp {
        self.now = self.now.max(now);
        self.queues.now = self.now;
        self.now
    }
}

#[cfg(test)]
mod tests;
