//! The front of the store: the scheduler's records go in and come out, rows stay behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::batch::Batch;
use super::codec;
use super::error::{CommitError, RowError, StoreError};
use super::intern::Interner;
use super::levels::Levels;
use super::tables::{GROUP, Table, budget_key, failure_key, job_key, lease_key, name_key};
use super::{Durability, Rows, Store};
use crate::scheduler::effect::{BudgetRecord, Change, PoolRecord, Snapshot};
use crate::scheduler::job::{Body, Failure};
use crate::scheduler::units::{BudgetId, JobId};

/// The shape of tables and keys. Another one is another format; a new row version isn't.
const FORMAT: u64 = 1;

/// The room that a commit leaves for the next one.
const BATCH_BYTES_KEPT_MAX: usize = 4 << 20;

const FORMAT_NAME: &str = "format";
const NEXT_ID_NAME: &str = "next-id";
const STORE_ID_NAME: &str = "store-id";

/// A store, and the records in it. Reads see every commit that succeeded.
pub struct Records {
    store: Box<dyn Store>,
    store_id: u128,
    levels: Levels,
    batch: Batch,
    unsynced: bool,
    spent: bool,
}

/// What the store alone knows of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Its payload and metadata.
    pub body: Body,
    /// The last [`Failure::KEPT`] failures, the oldest first.
    pub failures: Vec<Failure>,
    /// What its handler returned, where that is kept.
    pub result: Option<Box<[u8]>>,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("location", &self.store.location()).finish_non_exhaustive()
    }
}

impl Records {
    /// Loads what is stored. An empty store is set up first.
    ///
    /// # Errors
    /// [`StoreError::Format`] where another version wrote it, [`StoreError::Row`] naming the row that doesn't decode,
    /// and whatever the store fails with.
    pub fn open(mut store: Box<dyn Store>) -> Result<(Self, Snapshot), StoreError> {
        let format = read(&*store, Table::Meta, &name_key(FORMAT_NAME), codec::decode_number)?;
        match format {
            None => set_up(&mut *store)?,
            Some(FORMAT) => {}
            Some(found) => {
                return Err(StoreError::Format { location: store.location().to_owned(), found, known: FORMAT });
            }
        }
        let key = name_key(STORE_ID_NAME);
        let store_id = read(&*store, Table::Meta, &key, codec::decode_store_id)?
            .ok_or_else(|| missing(&*store, &key, "a store id"))?;
        let (snapshot, levels) = load(&*store)?;
        let records = Self { store, store_id, levels, batch: Batch::default(), unsynced: false, spent: false };
        Ok((records, snapshot))
    }

    /// Stores all of `changes`, in order, or none. Where ids are reserved it is never relaxed: a power loss would give
    /// them out again, and a worker that still holds a lost lease would settle another job's.
    ///
    /// # Errors
    /// [`CommitError::Fenced`] where another server took over, [`CommitError::Unknown`] where it failed: then nobody
    /// knows whether the changes are stored. Either way these records are spent, and every later commit fails: drop
    /// them, open the store again, and load (semantics 10.3).
    pub fn commit(&mut self, changes: &[Change], durability: Durability) -> Result<(), CommitError> {
        self.check_usable()?;
        let reserves_ids = changes.iter().any(|change| matches!(change, Change::ReserveIds(_)));
        let durability = if reserves_ids { Durability::Immediate } else { durability };
        self.batch.clear(BATCH_BYTES_KEPT_MAX);
        let mut pools = BTreeMap::new();
        for change in changes {
            self.gather(change, &mut pools);
        }
        self.levels.append(&pools, &mut self.batch);
        if self.batch.is_empty() {
            return Ok(());
        }
        let outcome = self.store.commit(&self.batch, durability);
        self.spent = outcome.is_err();
        match durability {
            Durability::Immediate => self.unsynced = false,
            Durability::Relaxed => self.unsynced = true,
        }
        outcome
    }

    /// Puts every relaxed commit on disk. Does nothing where there is none.
    ///
    /// # Errors
    /// As [`Records::commit`].
    pub fn sync(&mut self) -> Result<(), CommitError> {
        self.check_usable()?;
        if self.unsynced {
            let outcome = self.store.sync();
            self.spent = outcome.is_err();
            outcome?;
            self.unsynced = false;
        }
        Ok(())
    }

    /// Whether a relaxed commit waits for [`Records::sync`].
    pub fn is_unsynced(&self) -> bool {
        self.unsynced
    }

    /// A job's payload and metadata. None: there is no such job.
    ///
    /// # Errors
    /// [`StoreError`], as every read.
    pub fn body(&self, job: JobId) -> Result<Option<Body>, StoreError> {
        read(&*self.store, Table::Bodies, &job_key(job), codec::decode_body)
    }

    /// The bodies of `jobs`, in their order.
    ///
    /// # Errors
    /// As [`Records::body`].
    pub fn bodies(&self, jobs: &[JobId]) -> Result<Vec<Option<Body>>, StoreError> {
        let keys: Vec<_> = jobs.iter().map(|job| job_key(*job)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 10]>::as_slice).collect();
        let mut bodies = vec![None; jobs.len()];
        self.store.get(Table::Bodies, &keys, &mut |index, value| {
            bodies[index] = Some(codec::decode_body(keys[index], value)?);
            Ok(())
        })?;
        Ok(bodies)
    }

    /// All that the store alone knows of a job. None: there is no such job.
    ///
    /// # Errors
    /// As [`Records::body`].
    pub fn details(&self, job: JobId) -> Result<Option<Details>, StoreError> {
        let Some(body) = self.body(job)? else { return Ok(None) };
        let key = job_key(job);
        let keys: Vec<_> = (0..Failure::KEPT).map(|number| failure_key(job, number)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 11]>::as_slice).collect();
        let mut failures = Vec::new();
        self.store.get(Table::Failures, &keys, &mut |index, value| {
            failures.push(codec::decode_failure(keys[index], value)?);
            Ok(())
        })?;
        failures.sort_by_key(|failure| (failure.time, failure.attempt));
        let result = read(&*self.store, Table::Results, &key, codec::decode_result)?;
        Ok(Some(Details { body, failures, result }))
    }

    /// A random number that the store got when it was made.
    pub fn store_id(&self) -> u128 {
        self.store_id
    }

    /// Gives free space back to the disk, which takes as long as copying what is stored. Whether it gave any.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn compact(&mut self) -> Result<bool, StoreError> {
        self.store.compact()
    }

    fn check_usable(&self) -> Result<(), CommitError> {
        if self.spent {
            let location = self.store.location().to_owned();
            return Err(CommitError::Unknown(StoreError::Spent { location }));
        }
        Ok(())
    }

    /// Adds the rows of a change to the batch; pools are gathered, since a commit's pools are one row.
    fn gather(&mut self, change: &Change, pools: &mut BTreeMap<BudgetId, PoolRecord>) {
        let batch = &mut self.batch;
        match change {
            Change::PutBudget(budget) => {
                batch.put_with(Table::Budgets, &budget_key(budget.id), |out| codec::encode_budget(budget, out));
            }
            Change::DeleteBudget(id) => {
                batch.delete(Table::Budgets, &budget_key(*id));
                self.levels.delete(*id, batch);
                pools.remove(id);
            }
            Change::PutPool(pool) => {
                pools.insert(pool.budget, *pool);
            }
            Change::PutJob(job) => batch.put_with(Table::Jobs, &job_key(job.id), |out| codec::encode_job(job, out)),
            Change::PutBody(id, body) => {
                batch.put_with(Table::Bodies, &job_key(*id), |out| codec::encode_body(body, out));
            }
            Change::PutFailure(id, number, failure) => {
                let key = failure_key(*id, *number);
                batch.put_with(Table::Failures, &key, |out| codec::encode_failure(failure, out));
            }
            Change::PutResult(id, result) => {
                batch.put_with(Table::Results, &job_key(*id), |out| codec::encode_result(result, out));
            }
            Change::DeleteJob { id, failures } => {
                for table in [Table::Jobs, Table::Bodies, Table::Results] {
                    batch.delete(table, &job_key(*id));
                }
                for slot in 0..Failure::KEPT.min(*failures) {
                    batch.delete(Table::Failures, &failure_key(*id, slot));
                }
            }
            Change::PutLease(lease) => {
                batch.put_with(Table::Leases, &lease_key(lease.id), |out| codec::encode_lease(lease, out));
            }
            Change::DeleteLease(id) => batch.delete(Table::Leases, &lease_key(*id)),
            Change::PutQueue(queue) if !queue.paused => batch.delete(Table::Queues, &name_key(&queue.name)),
            Change::PutQueue(queue) => {
                batch.put_with(Table::Queues, &name_key(&queue.name), |out| codec::encode_queue(queue, out));
            }
            Change::PutRequest(request) => {
                batch.put_with(Table::Requests, &job_key(request.number), |out| codec::encode_request(request, out));
            }
            Change::DeleteRequest(number) => batch.delete(Table::Requests, &job_key(*number)),
            Change::ReserveIds(next) => {
                batch.put_with(Table::Meta, &name_key(NEXT_ID_NAME), |out| codec::encode_number(*next, out));
            }
        }
    }
}

/// Makes an empty store one of ours. A store that isn't empty and has no format isn't one.
fn set_up(store: &mut dyn Store) -> Result<(), StoreError> {
    if load(store)?.0 != Snapshot::default() {
        return Err(missing(store, &name_key(FORMAT_NAME), "a format"));
    }
    let mut batch = Batch::default();
    batch.put_with(Table::Meta, &name_key(FORMAT_NAME), |out| codec::encode_number(FORMAT, out));
    batch.put_with(Table::Meta, &name_key(STORE_ID_NAME), |out| codec::encode_store_id(rand::random(), out));
    store.commit(&batch, Durability::Immediate).map_err(|error| match error {
        CommitError::Unknown(error) => error,
        CommitError::Fenced => StoreError::Engine {
            location: store.location().to_owned(),
            doing: "setting up",
            source: Box::new(CommitError::Fenced),
        },
    })
}

fn load(store: &dyn Rows) -> Result<(Snapshot, Levels), StoreError> {
    let mut interner = Interner::default();
    let budgets: Vec<BudgetRecord> = scan(store, Table::Budgets, &GROUP, codec::decode_budget)?;
    let ids: BTreeSet<BudgetId> = budgets.iter().map(|budget| budget.id).collect();
    let pools = scan(store, Table::Pools, &GROUP, codec::decode_pool)?;
    let mut pools: BTreeMap<BudgetId, PoolRecord> = pools.into_iter().map(|pool| (pool.budget, pool)).collect();
    let mut levels = Levels::default();
    scan(store, Table::Levels, &GROUP, |key, value| levels.load(key, value, &ids))?;
    pools.extend(levels.loaded());
    let snapshot = Snapshot {
        budgets,
        pools: pools.into_values().collect(),
        jobs: scan(store, Table::Jobs, &GROUP, |key, value| codec::decode_job(key, value, &mut interner))?,
        leases: scan(store, Table::Leases, &GROUP, |key, value| codec::decode_lease(key, value, &mut interner))?,
        queues: scan(store, Table::Queues, &GROUP, |key, value| codec::decode_queue(key, value, &mut interner))?,
        requests: scan(store, Table::Requests, &GROUP, codec::decode_request)?,
        next_id: read(store, Table::Meta, &name_key(NEXT_ID_NAME), codec::decode_number)?.unwrap_or(0),
    };
    Ok((snapshot, levels))
}

/// The records whose keys start with `prefix`.
fn scan<T>(
    store: &dyn Rows,
    table: Table,
    prefix: &[u8],
    mut decode: impl FnMut(&[u8], &[u8]) -> Result<T, RowError>,
) -> Result<Vec<T>, StoreError> {
    let mut records = Vec::new();
    store.scan(table, prefix, &mut |key, value| {
        records.push(decode(key, value)?);
        Ok(())
    })?;
    Ok(records)
}

/// One record, if it is there.
pub(super) fn read<T>(
    store: &dyn Rows,
    table: Table,
    key: &[u8],
    decode: impl Fn(&[u8], &[u8]) -> Result<T, RowError>,
) -> Result<Option<T>, StoreError> {
    let mut record = None;
    store.get(table, &[key], &mut |_, value| {
        record = Some(decode(key, value)?);
        Ok(())
    })?;
    Ok(record)
}

fn missing(store: &dyn Rows, key: &[u8], expected: &'static str) -> StoreError {
    let row = RowError { table: Table::Meta, key: key.to_vec(), expected, found: "no row".to_owned() };
    StoreError::Row { location: store.location().to_owned(), row }
}
