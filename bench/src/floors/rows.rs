//! What the store costs by itself: the rows of whole cycles, as the scheduler writes them, put straight into redb.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::Result;
use sluicegate::scheduler::command::{NewJob, OpenSession, Outcome, SessionMode, Verdict, Window};
use sluicegate::scheduler::job::{Body, JobOptions, Payload};
use sluicegate::scheduler::units::{LeaseId, Nanos, SessionId, Timestamp};
use sluicegate::scheduler::{Command, Config, Effect, Scheduler};
use sluicegate::store::{
    Base, Batch, CommitError, Durability, Found, MemoryStore, Records, RedbConfig, RedbStore, Rows, Store, StoreError,
    Syncs, Table, Visit,
};

use crate::load::{PAYLOAD_BYTES, QUEUE};
use crate::results::{Figure, Run};

/// Cycles of so many jobs, where one commit stores as many new jobs, leases and ends of jobs.
///
/// # Errors
/// The disk fails.
pub fn run(place: &Path, jobs: u64, jobs_per_commit: u64) -> Result<Run> {
    let batches = batches(jobs, jobs_per_commit.max(1))?;
    let dir = tempfile::tempdir_in(place)?;
    let rows = RedbStore::open(&RedbConfig::new(dir.path()), &Syncs::default())?;
    let began = Instant::now();
    for batch in &batches {
        rows.write(&mut batch.iter())?;
    }
    let rate = jobs as f64 / began.elapsed().as_secs_f64();
    Ok(Run::default().with(Figure::Rate, rate).with(Figure::Jobs, jobs as f64 / batches.len() as f64))
}

/// What the server would commit.
fn batches(jobs: u64, jobs_per_commit: u64) -> Result<Vec<Batch>> {
    let recorded = Recorder::default();
    let (mut records, _) = Records::open(Box::new(recorded.clone()))?;
    let mut scheduler = Scheduler::new(Config::default());
    let mut now = Timestamp(1_700_000_000_000_000_000);
    scheduler.apply(now, Command::OpenSession(session())).expect("a session is taken");
    let (mut enqueued, mut leases) = (0, Vec::new());
    recorded.batches.lock().expect("nobody panicked").clear();
    while enqueued < jobs || !leases.is_empty() {
        now = now + Nanos::from_millis(1);
        if !leases.is_empty() {
            let outcomes = std::mem::take(&mut leases).into_iter().map(success).collect();
            scheduler.apply(now, Command::Settle { from: None, outcomes }).expect("a settlement is taken");
        }
        let count = jobs_per_commit.min(jobs - enqueued);
        let new = (0..count).map(|_| job()).collect();
        if count > 0 {
            scheduler.apply(now, Command::Enqueue { request: None, jobs: new }).expect("jobs are taken");
        }
        enqueued += count;
        scheduler.advance(now);
        records.commit(&scheduler.take_changes(), Durability::Immediate)?;
        for effect in scheduler.take_effects() {
            if let Effect::Push(_, pushed) = effect {
                leases.extend(pushed);
            }
        }
    }
    let batches = std::mem::take(&mut *recorded.batches.lock().expect("nobody panicked"));
    Ok(batches)
}

fn session() -> OpenSession {
    OpenSession {
        session: SessionId(1),
        worker: "worker".into(),
        queues: vec![QUEUE.into()],
        window: Window { jobs: 100_000, bytes: 1 << 30 },
        lease: Nanos::from_hours(1),
        body_bytes_max: 1 << 20,
        mode: SessionMode::Stream { confirms_receipt: false, held: None },
    }
}

fn job() -> NewJob {
    NewJob {
        queue: QUEUE.into(),
        kind: "job".into(),
        body: Body { payload: Payload::Binary([b'x'; PAYLOAD_BYTES].into()), metadata: Default::default() },
        priority: 0,
        run_time: None,
        bindings: Vec::new(),
        options: JobOptions::default(),
        unique: None,
    }
}

fn success(lease: LeaseId) -> Outcome {
    Outcome { lease, verdict: Verdict::Success { result: None }, usage: Vec::new(), throttled: Vec::new() }
}

/// A store in memory that keeps each batch as it came.
#[derive(Clone, Default)]
struct Recorder {
    rows: MemoryStore,
    batches: Arc<Mutex<Vec<Batch>>>,
}

impl Store for Recorder {
    fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), CommitError> {
        self.batches.lock().expect("nobody panicked").push(batch.clone());
        self.rows.commit(batch, durability)
    }

    fn sync(&mut self) -> Result<(), CommitError> {
        self.rows.sync()
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        self.rows.compact()
    }
}

impl Rows for Recorder {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        self.rows.get(table, keys, found)
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        self.rows.scan(table, prefix, row)
    }

    fn location(&self) -> &str {
        self.rows.location()
    }
}
