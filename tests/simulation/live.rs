//! A server without its threads: a scheduler and the store it goes on in, driven in the order of the real driver.

use sluicegate::scheduler::effect::Snapshot;
use sluicegate::scheduler::job::Body;
use sluicegate::scheduler::units::{JobId, Nanos, Timestamp};
use sluicegate::scheduler::{Command, Rejection, Reply, Scheduler};
use sluicegate::store::{Base, Batch, MemoryStore, Records, RedbStore, SegmentLimits};

use super::disk::{Disk, SegmentOn};
use super::flushes::Flushes;

/// How often one commit lets the scheduler go on that isn't through with what is due; as the driver does.
const BATCH_STEPS_MAX: usize = 4;
/// How long a relaxed commit waits for its sync; as the driver does.
const SYNC_AFTER: Nanos = Nanos::from_millis(40);
/// More turns at one instant have no end.
const TURNS_MAX: usize = 1000;

/// What a driver owns while its store works.
pub struct Live {
    pub scheduler: Scheduler,
    pub records: Records,
    unsynced_since: Option<Timestamp>,
}

/// What a command was answered with.
pub type Answer = Result<Reply, Rejection>;

impl Live {
    pub fn new(scheduler: Scheduler, records: Records) -> Self {
        Self { scheduler, records, unsynced_since: None }
    }

    /// Does these commands, and what is due.
    ///
    /// # Errors
    /// It never comes to rest.
    pub fn gather(&mut self, now: Timestamp, commands: Vec<Command>) -> Result<Vec<Answer>, String> {
        let answers = commands.into_iter().map(|command| self.scheduler.apply(now, command)).collect();
        for _ in 0..BATCH_STEPS_MAX * TURNS_MAX {
            self.scheduler.advance(now);
            if self.scheduler.next_deadline().is_none_or(|at| at > now) {
                return Ok(answers);
            }
        }
        Err(format!("at {now:?} it never comes to rest"))
    }

    /// Notes that a relaxed commit waits for its sync, where one does.
    pub fn committed(&mut self, now: Timestamp) {
        if self.records.is_unsynced() {
            self.unsynced_since.get_or_insert(now);
        }
    }

    /// Whether a sync is due.
    pub fn must_sync(&self, now: Timestamp) -> bool {
        self.unsynced_since.is_some_and(|since| since + SYNC_AFTER <= now)
    }

    /// Everything is on the disk.
    pub fn synced(&mut self) {
        self.unsynced_since = None;
    }

    /// When there is something to do though nobody asks.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let deadlines = [self.scheduler.next_deadline(), self.unsynced_since.map(|since| since + SYNC_AFTER)];
        deadlines.into_iter().flatten().min()
    }

    /// Whether the bodies of these jobs can be read, as a push needs them.
    pub fn read_bodies(&self, jobs: &[JobId]) -> Result<Vec<Option<Body>>, String> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        self.records.bodies(jobs).map_err(|error| error.to_string())
    }
}

/// What a server's store may use.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub cache_bytes: usize,
    pub segments: SegmentLimits,
}

/// Opens the store on a disk.
///
/// # Errors
/// What opening or loading fails with.
pub fn open(disk: &Disk, sizes: Sizes, flushes: &Flushes) -> Result<(Records, Snapshot), String> {
    let rows = rows(disk, sizes)?;
    let segments = [0, 1].map(|number| SegmentOn(disk.clone(), number));
    let store = rows.with_journal(segments, sizes.segments, Box::new(flushes.clone())).map_err(text)?;
    Records::open(store).map_err(text)
}

fn rows(disk: &Disk, sizes: Sizes) -> Result<RedbStore, String> {
    RedbStore::with_backend(disk.clone(), "the simulated disk", sizes.cache_bytes).map_err(text)
}

/// Makes the store on an empty disk, every time the same: a new one would have a random number.
pub fn set_up(disk: &Disk, sizes: Sizes) -> Result<(), String> {
    let model = MemoryStore::default();
    Records::open(Box::new(model.clone())).map_err(text)?;
    let mut batch = Batch::default();
    for ((table, key), value) in model.rows() {
        // The version of the row, then a number: one is as good as another.
        let is_random = value.len() > 8;
        let value = if is_random { vec![value[0], 7] } else { value };
        batch.put(table, &key, &value);
    }
    rows(disk, sizes)?.write(&mut batch.iter()).map_err(text)
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
