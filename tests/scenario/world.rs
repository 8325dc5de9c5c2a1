//! The scheduler, its store and the clock: what a driver owns, without the threads.
//!
//! Knows commands, rows and effects; refuses to know who sends and gets them.

use sluicegate::scheduler::effect::{Change, Effect};
use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::units::{JobId, Timestamp};
use sluicegate::scheduler::view::{BudgetView, JobFilter, JobView};
use sluicegate::scheduler::{Command, Config, Rejection, Reply, Scheduler};
use sluicegate::store::{AtOnce, Durability, Records, RedbStore, SegmentLimits};

use super::disk::Disk;
use crate::promises::Witness;

/// Memory for the store's pages, in bytes.
const CACHE_BYTES: usize = 8 << 20;
/// So small that most stories fill a segment.
const SEGMENTS: SegmentLimits = SegmentLimits { full_bytes: 1 << 10, most_bytes: 4 << 10, growth_bytes: 512 };
/// A step that has met this many deadlines at one instant will never come to rest.
const ADVANCES_MAX: u32 = 100_000;
/// Jobs or budgets asked for at a time.
const PAGE: usize = 1000;

/// How the store is left before it is opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Closed, as a server that ends in peace does.
    Clean,
    /// With all that wasn't synced lost.
    PowerLoss,
}

/// All that must be the same before and after a restart.
#[derive(Debug)]
pub struct Picture {
    pub jobs: Vec<JobView>,
    pub budgets: Vec<BudgetView>,
}

/// A server's state at one instant of the story.
pub struct World {
    disk: Disk,
    /// `None` only while the store is being opened again.
    records: Option<Records>,
    scheduler: Scheduler,
    witness: Witness,
    now: Timestamp,
    /// Whether a command was accepted since the last commit.
    touched: bool,
}

impl World {
    /// A new store, at instant 0.
    pub fn new() -> Result<Self, String> {
        let disk = Disk::default();
        let now = Timestamp(0);
        let (records, mut scheduler) = open(&disk, now)?;
        let mut witness = Witness::default();
        witness.hear(scheduler.take_events());
        Ok(Self { disk, records: Some(records), scheduler, witness, now, touched: false })
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// What the checks look at.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// Applies a command; a refused one must have changed nothing.
    pub fn apply(&mut self, command: Command) -> Result<Result<Reply, Rejection>, String> {
        let answer = self.scheduler.apply(self.now, command);
        if answer.is_ok() {
            self.touched = true;
        } else if !self.touched {
            self.untouched()?;
        }
        Ok(answer)
    }

    /// There is nothing to write or to send.
    pub fn untouched(&mut self) -> Result<(), String> {
        let changes = self.scheduler.take_changes();
        let effects = self.scheduler.take_effects();
        let events = self.scheduler.take_events();
        if changes.is_empty() && effects.is_empty() && events.is_empty() {
            return Ok(());
        }
        Err(format!("what was refused left {changes:?} to write, {effects:?} to send and {events:?} to tell"))
    }

    /// Meets what is due, commits, and returns what is to be sent.
    pub fn rest(&mut self) -> Result<Vec<Effect>, String> {
        let mut advances = 0;
        loop {
            self.scheduler.advance(self.now);
            advances += 1;
            if self.scheduler.next_deadline().is_none_or(|due| due > self.now) {
                break;
            }
            if advances == ADVANCES_MAX {
                return Err(format!("after {ADVANCES_MAX} advances a deadline is due still"));
            }
        }
        let changes = self.scheduler.take_changes();
        self.commit(&changes)?;
        self.witness.hear(self.scheduler.take_events());
        self.touched = false;
        Ok(self.scheduler.take_effects())
    }

    fn commit(&mut self, changes: &[Change]) -> Result<(), String> {
        let records = self.records.as_mut().expect("the store is open");
        records.commit(changes, Durability::Immediate).map_err(|error| format!("the store refused a commit: {error}"))
    }

    /// Whether what was promised was kept (semantics 13).
    pub fn judge(self) -> Result<(), String> {
        self.witness.judge()
    }

    /// The next deadline, if it is at or before `target`.
    pub fn due(&self, target: Timestamp) -> Option<Timestamp> {
        self.scheduler.next_deadline().filter(|due| *due <= target)
    }

    /// Moves the clock, never back.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
    }

    /// Panics where the state contradicts itself.
    pub fn check_invariants(&self) {
        self.scheduler.check_invariants(self.now);
    }

    /// All jobs and budgets.
    pub fn picture(&self) -> Result<Picture, String> {
        let mut jobs = Vec::new();
        let mut after: Option<JobId> = None;
        loop {
            let page = self
                .scheduler
                .list_jobs(&JobFilter::default(), after, PAGE)
                .map_err(|rejection| format!("listing all jobs is refused: {rejection:?}"))?;
            jobs.extend(page.items);
            after = page.next_after;
            if after.is_none() {
                break;
            }
        }
        let mut budgets = Vec::new();
        let mut after: Option<Name> = None;
        loop {
            let page = self.scheduler.list_budgets(self.now, after.as_deref(), PAGE);
            budgets.extend(page.items);
            after = page.next_after;
            if after.is_none() {
                break;
            }
        }
        Ok(Picture { jobs, budgets })
    }

    /// Stops and starts again at the same instant; what is there must be what was there.
    pub fn reopen(&mut self, stop: Stop) -> Result<(), String> {
        let before = self.picture()?;
        let left = match stop {
            Stop::Clean => self.disk.clone(),
            Stop::PowerLoss => self.disk.after_power_loss(),
        };
        drop(self.records.take());
        self.witness.hear_all_is_told(self.now);
        let (records, scheduler) = open(&left, self.now)?;
        self.disk = left;
        self.records = Some(records);
        self.scheduler = scheduler;
        self.witness.hear(self.scheduler.take_events());
        self.touched = false;
        before.same_as(&self.picture()?, self.now)
    }
}

fn open(disk: &Disk, now: Timestamp) -> Result<(Records, Scheduler), String> {
    let store = RedbStore::with_backend(disk.database.clone(), "the story's disk", CACHE_BYTES)
        .and_then(|rows| rows.with_journal(disk.segments.clone(), SEGMENTS, Box::new(AtOnce)))
        .map_err(|error| format!("the store can't be opened: {error}"))?;
    let (records, snapshot) = Records::open(store).map_err(|error| format!("the store can't be loaded: {error}"))?;
    let mut scheduler = Scheduler::restore(Config::default(), now, snapshot)
        .map_err(|problem| format!("the scheduler can't go on from the store: {problem}"))?;
    scheduler.keep_events();
    Ok((records, scheduler))
}

impl Picture {
    /// All but what a start may change: leases are prolonged (semantics 10.2), and nothing has been tried yet.
    fn same_as(mut self, after: &Self, now: Timestamp) -> Result<(), String> {
        for (before, after) in self.jobs.iter_mut().zip(&after.jobs) {
            if let (Some(before), Some(after)) = (&mut before.lease, &after.lease) {
                let earliest = before.expire_time.max(now + before.duration);
                if after.expire_time < earliest {
                    return Err(format!(
                        "the restart left lease {} only until {:?}, not until {earliest:?} at least",
                        after.id, after.expire_time
                    ));
                }
                before.expire_time = after.expire_time;
            }
        }
        for (before, after) in self.budgets.iter_mut().zip(&after.budgets) {
            before.status.parked_jobs = after.status.parked_jobs;
        }
        same("job", &self.jobs, &after.jobs)?;
        same("budget", &self.budgets, &after.budgets)
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, before: &[T], after: &[T]) -> Result<(), String> {
    let different = before.iter().zip(after).find(|(old, new)| old != new);
    if let Some((old, new)) = different {
        return Err(format!("the restart made of the {what} {old:?} this: {new:?}"));
    }
    if before.len() == after.len() {
        return Ok(());
    }
    Err(format!("the restart made {} {what}s of {}", after.len(), before.len()))
}
