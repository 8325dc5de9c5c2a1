//! What each commit made true, by the rows alone; and which of these states a crash may leave.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sluicegate::scheduler::effect::{Change, PoolRecord, Snapshot};
use sluicegate::scheduler::job::{Body, Failure};
use sluicegate::scheduler::units::{BudgetId, JobId, Timestamp};
use sluicegate::store::{Details, Records};

use super::rows::Rows;
use super::sim::Agreed;

/// All that is stored after some commit.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pub rows: Rows,
    details: BTreeMap<JobId, Kept>,
    /// Jobs that were there once and were removed.
    pub removed: BTreeSet<JobId>,
    /// From when on the pools drip that were stored with a clock ahead of the last start's (semantics 11.1).
    taken_as_of: BTreeMap<BudgetId, Timestamp>,
}

/// What the store alone knows of a job.
#[derive(Clone, Debug, Default)]
struct Kept {
    body: Body,
    result: Option<Box<[u8]>>,
    failures: BTreeMap<u32, Failure>,
}

impl Books {
    fn write(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::PutBody(job, body) => self.details.entry(*job).or_default().body = body.clone(),
                Change::PutResult(job, result) => {
                    self.details.entry(*job).or_default().result = Some(result.clone());
                }
                Change::PutFailure(job, number, failure) => {
                    let failures = &mut self.details.entry(*job).or_default().failures;
                    failures.insert(number % Failure::KEPT, failure.clone());
                }
                Change::PutPool(pool) => _ = self.taken_as_of.remove(&pool.budget),
                Change::DeleteJob { id, .. } => {
                    self.details.remove(id);
                    self.removed.insert(*id);
                }
                _ => {}
            }
        }
        self.rows.commit(changes.to_vec());
    }

    /// What a start loads from these rows.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = self.rows.snapshot();
        snapshot.queues.retain(|queue| queue.paused);
        snapshot
    }

    /// Since when a pool drips.
    pub fn drips_since(&self, pool: &PoolRecord) -> Timestamp {
        self.taken_as_of.get(&pool.budget).copied().unwrap_or(pool.at)
    }

    /// Whether the bodies, results and failures are stored that should be.
    pub fn check_details(&self, records: &Records) -> Agreed<()> {
        for job in self.rows.jobs.keys() {
            let found = records.details(*job).map_err(|error| error.to_string())?;
            let kept = self.details.get(job).cloned().unwrap_or_default();
            let mut failures: Vec<Failure> = kept.failures.into_values().collect();
            failures.sort_by_key(|failure| (failure.time, failure.attempt));
            let expected = Details { body: kept.body, failures, result: kept.result };
            if found.as_ref() != Some(&expected) {
                return Err(format!("of job {job} the store has {found:?}\nand should have {expected:?}"));
            }
        }
        Ok(())
    }
}

/// The states that a start may find, by the number of their commit: from the last that is on the disk for good to the last
/// that was tried.
#[derive(Debug)]
pub struct History {
    states: VecDeque<(u64, Books)>,
    /// The last commit that succeeded.
    confirmed: u64,
}

impl Default for History {
    fn default() -> Self {
        Self { states: VecDeque::from([(0, Books::default())]), confirmed: 0 }
    }
}

impl History {
    /// A commit of these changes is tried.
    pub fn attempt(&mut self, changes: &[Change]) {
        let (number, mut books) = self.newest().clone();
        books.write(changes);
        self.states.push_back((number + 1, books));
    }

    /// The last commit that succeeded.
    pub fn confirmed(&self) -> u64 {
        self.confirmed
    }

    /// A server starts: no pool drips from an instant after that.
    pub fn take_pools_as_of(&mut self, now: Timestamp) {
        let books = &mut self.states.back_mut().expect("there is always a state").1;
        let ahead = books.rows.pools.values().filter(|pool| pool.at > now);
        books.taken_as_of = ahead.map(|pool| (pool.budget, now)).collect();
    }

    /// It succeeded: no end of the process can undo it.
    pub fn confirm(&mut self) {
        self.confirmed = self.newest().0;
    }

    /// All that succeeded is on the disk for good.
    pub fn synced(&mut self) {
        self.states.retain(|(number, _)| *number >= self.confirmed);
    }

    /// The last state, tried or confirmed.
    pub fn newest(&self) -> &(u64, Books) {
        self.states.back().expect("there is always a state")
    }

    /// Which state a start has found; it is the only one from now on.
    ///
    /// # Errors
    /// It is none that the rules allow: something that was acknowledged is lost, or something is half done.
    pub fn found(&mut self, snapshot: &Snapshot, lost_power: bool) -> Agreed<u64> {
        let is_found = |(_, books): &&(u64, Books)| sorted(books.snapshot()) == *snapshot;
        let Some((number, books)) = self.states.iter().rev().find(is_found) else {
            let nearest = sorted(
                self.states
                    .iter()
                    .rev()
                    .find(|(number, _)| *number == self.confirmed)
                    .map_or_else(|| self.newest().1.snapshot(), |(_, books)| books.snapshot()),
            );
            return Err(format!(
                "the store holds no state that was ever committed as a whole: it has\n{snapshot:?}\nand the last \
                 confirmed commit made\n{nearest:?}"
            ));
        };
        if *number < self.confirmed && !lost_power {
            return Err(format!("the store holds commit {number}, and commit {} was confirmed", self.confirmed));
        }
        let (number, books) = (*number, books.clone());
        self.confirmed = number;
        self.states = VecDeque::from([(number, books)]);
        Ok(number)
    }
}

/// The same rows in the order of their keys.
pub fn sorted(mut snapshot: Snapshot) -> Snapshot {
    snapshot.budgets.sort_by_key(|row| row.id);
    snapshot.pools.sort_by_key(|row| row.budget);
    snapshot.jobs.sort_by_key(|row| row.id);
    snapshot.leases.sort_by_key(|row| row.id);
    snapshot.queues.sort_by(|one, other| one.name.cmp(&other.name));
    snapshot.requests.sort_by_key(|row| row.number);
    snapshot
}
