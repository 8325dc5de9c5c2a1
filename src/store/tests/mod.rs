//! What every store promises, and what the front makes of it.

pub(super) mod arbitrary;
mod disk;
mod faults;
mod operation;
mod redb;

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::scheduler::effect::{Change, PoolRecord, QueueRecord, RequestRecord, Snapshot};
use crate::scheduler::job::{Binding, Body, Failure, JobOptions, JobRecord, Payload, Phase, ReadyBy};
use crate::scheduler::units::{BudgetId, JobId, LeaseId, Timestamp, Tokens};

fn job(id: u64, attempts: u32) -> JobRecord {
    JobRecord {
        id: JobId(id),
        queue: "mail".into(),
        kind: "send".into(),
        priority: 100,
        bindings: [Binding { budget: BudgetId(1), cost: Tokens(1) }].into(),
        options: JobOptions::default(),
        unique: None,
        create_time: Timestamp(1),
        ready_at: Timestamp(1),
        ready_by: ReadyBy::Now,
        run_at: Timestamp(1),
        attempts,
        releases: 0,
        unconfirmed: 0,
        failures: 1,
        phase: Phase::Live,
        body_bytes: 3,
    }
}

/// A job with all that belongs to it; its body says how many attempts it has had.
fn all_of_job(id: u64, attempts: u32) -> Vec<Change> {
    let payload = Payload::Binary(vec![7; 256].into());
    let body = Body { payload, metadata: vec![("attempts".into(), attempts.to_string())] };
    vec![
        Change::PutJob(job(id, attempts)),
        Change::PutBody(JobId(id), body),
        Change::PutFailure(JobId(id), 0, failure(attempts, 5)),
        Change::PutResult(JobId(id), [1, 2, 3].into()),
    ]
}

fn failure(attempt: u32, time: i64) -> Failure {
    Failure { attempt, time: Timestamp(time), error: format!("attempt {attempt}").into() }
}

fn reload(store: &dyn OpenStore) -> (Records, Snapshot) {
    Records::open(store.open().unwrap()).unwrap()
}

/// Runs `check` on each kind of store; an open one is closed before it is opened again.
fn on_every_store(check: impl Fn(&dyn OpenStore)) {
    check(&MemoryStore::default());
    let dir = tempfile::tempdir().unwrap();
    check(&RedbConfig::new(dir.path().join("data")));
}

#[test]
fn writes_are_done_in_order_and_seen_by_the_next_read() {
    on_every_store(|source| {
        for durability in [Durability::Immediate, Durability::Relaxed] {
            let mut store = source.open().unwrap();
            let mut batch = Batch::default();
            batch.put(Table::Jobs, &[0, 1], b"first");
            batch.put(Table::Jobs, &[0, 1], b"second");
            batch.put(Table::Bodies, &[0, 1], b"other table");
            batch.put(Table::Jobs, &[0, 2], b"deleted");
            batch.delete(Table::Jobs, &[0, 2]);
            batch.delete(Table::Jobs, &[0, 3]);
            batch.put(Table::Jobs, &[0, 3], b"");
            batch.delete(Table::Jobs, &[9, 9]);
            batch.put(Table::Jobs, &[1, 1], b"other prefix");
            store.commit(&batch, durability).unwrap();
            store.commit(&Batch::default(), durability).unwrap();

            let mut rows = Vec::new();
            let mut keep = |key: &[u8], value: &[u8]| {
                rows.push((key.to_vec(), value.to_vec()));
                Ok(())
            };
            store.scan(Table::Jobs, &[0], &mut keep).unwrap();
            assert_eq!(rows, [(vec![0, 1], b"second".to_vec()), (vec![0, 3], vec![])]);

            let mut found = Vec::new();
            let keys: [&[u8]; 4] = [&[1, 1], &[0, 2], &[0, 1], &[0, 1]];
            let mut keep = |index: usize, value: &[u8]| {
                found.push((index, value.to_vec()));
                Ok(())
            };
            store.get(Table::Jobs, &keys, &mut keep).unwrap();
            assert_eq!(found.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 2, 3]);
            assert_eq!(found[1].1, b"second");
        }
    });
}

#[test]
fn a_refused_row_ends_a_read_and_is_named_with_its_store() {
    on_every_store(|source| {
        let mut store = source.open().unwrap();
        let mut batch = Batch::default();
        batch.put(Table::Leases, &[0, 1], b"x");
        store.commit(&batch, Durability::Immediate).unwrap();
        let refusal = |key: &[u8]| RowError {
            table: Table::Leases,
            key: key.to_vec(),
            expected: "a lease",
            found: "nonsense".to_owned(),
        };
        let scanned = store.scan(Table::Leases, &[], &mut |key, _| Err(refusal(key))).unwrap_err();
        let got = store.get(Table::Leases, &[&[0, 1]], &mut |_, _| Err(refusal(&[0, 1]))).unwrap_err();
        let expected = format!("{}: table leases, key 0001: expected a lease, found nonsense", store.location());
        assert_eq!((scanned.to_string(), got.to_string()), (expected.clone(), expected));
    });
}

#[test]
fn details_are_what_the_store_alone_knows() {
    on_every_store(|source| {
        let (mut records, snapshot) = reload(source);
        assert_eq!(snapshot, Snapshot::default());
        let id = JobId(3);
        records.commit(&all_of_job(3, 1), Durability::Immediate).unwrap();
        let failures: Vec<_> = (1..13).map(|number| Change::PutFailure(id, number, failure(number, 9))).collect();
        records.commit(&failures, Durability::Immediate).unwrap();

        let details = records.details(id).unwrap().unwrap();
        let attempts: Vec<u32> = details.failures.iter().map(|failure| failure.attempt).collect();
        assert_eq!(attempts, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "the last ten, the oldest first");
        assert_eq!(details.result.as_deref(), Some(&[1, 2, 3][..]));
        assert_eq!(records.body(id).unwrap(), Some(details.body.clone()));
        assert_eq!(records.bodies(&[JobId(9), id]).unwrap(), [None, Some(details.body)]);

        records.commit(&[Change::DeleteJob { id, failures: 13 }], Durability::Immediate).unwrap();
        assert_eq!((records.details(id).unwrap(), records.body(id).unwrap()), (None, None));
        let store_id = records.store_id();
        drop(records);
        let store = source.open().unwrap();
        for table in [Table::Jobs, Table::Bodies, Table::Results, Table::Failures] {
            store.scan(table, &[], &mut |key, _| panic!("{} still has {key:?}", table.name())).unwrap();
        }
        drop(store);
        assert_eq!(reload(source).0.store_id(), store_id);
    });
}

#[test]
fn a_million_jobs_share_what_they_have_in_common() {
    let store = MemoryStore::default();
    let changes: Vec<Change> = (0..3).flat_map(|id| all_of_job(id, 1)).collect();
    reload(&store).0.commit(&changes, Durability::Immediate).unwrap();
    let (_, snapshot) = reload(&store);
    for job in &snapshot.jobs {
        assert!(Arc::ptr_eq(&job.queue, &snapshot.jobs[0].queue));
        assert!(Arc::ptr_eq(&job.kind, &snapshot.jobs[0].kind));
        assert!(Arc::ptr_eq(&job.bindings, &snapshot.jobs[0].bindings));
    }
}

#[test]
fn another_format_is_refused() {
    on_every_store(|source| {
        drop(reload(source));
        let mut store = source.open().unwrap();
        let mut batch = Batch::default();
        batch.put(Table::Meta, b"\0\0format", &[1, 2]);
        store.commit(&batch, Durability::Immediate).unwrap();
        let location = store.location().to_owned();
        drop(store);
        let error = Records::open(source.open().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("{location} has store format 2; this server reads format 1"));
    });
}

#[test]
fn rows_without_a_format_and_rows_that_decay_are_refused() {
    let mut store = MemoryStore::default();
    let mut batch = Batch::default();
    batch.put(Table::Queues, b"\0\0mail", &[1, 1]);
    store.commit(&batch, Durability::Immediate).unwrap();
    let error = Records::open(store.open().unwrap()).unwrap_err().to_string();
    assert_eq!(error, "memory: table meta, key 0000666f726d6174: expected a format, found no row");

    let mut store = MemoryStore::default();
    drop(reload(&store));
    let mut batch = Batch::default();
    batch.put(Table::Queues, b"\0\0mail", &[1]);
    store.commit(&batch, Durability::Immediate).unwrap();
    let error = Records::open(store.open().unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("memory: table queues, key 00006d61696c: expected a queue, version 1, "), "{error}");
}

/// What a store should hold, by the plainest account.
#[derive(Default)]
struct Model {
    snapshot: [BTreeMap<u64, Change>; 5],
    pools: BTreeMap<BudgetId, PoolRecord>,
    queues: BTreeMap<String, QueueRecord>,
    next_id: u64,
}

impl Model {
    fn apply(&mut self, change: &Change) {
        let [budgets, jobs, leases, requests, bodies] = &mut self.snapshot;
        match change {
            Change::PutBudget(budget) => drop(budgets.insert(budget.id.0, change.clone())),
            Change::DeleteBudget(id) => {
                budgets.remove(&id.0);
                self.pools.remove(id);
            }
            Change::PutPool(pool) => drop(self.pools.insert(pool.budget, *pool)),
            Change::PutJob(job) => drop(jobs.insert(job.id.0, change.clone())),
            Change::PutBody(id, _) => drop(bodies.insert(id.0, change.clone())),
            Change::DeleteJob { id, .. } => {
                jobs.remove(&id.0);
                bodies.remove(&id.0);
            }
            Change::PutLease(lease) => drop(leases.insert(lease.id.0, change.clone())),
            Change::DeleteLease(LeaseId(id)) => drop(leases.remove(id)),
            Change::PutQueue(queue) if queue.paused => {
                self.queues.insert(queue.name.to_string(), queue.clone());
            }
            Change::PutQueue(queue) => drop(self.queues.remove(&*queue.name)),
            Change::PutRequest(RequestRecord { number, .. }) => drop(requests.insert(number.0, change.clone())),
            Change::DeleteRequest(number) => drop(requests.remove(&number.0)),
            Change::ReserveIds(next) => self.next_id = *next,
            Change::PutFailure(..) | Change::PutResult(..) => {}
        }
    }

    fn check(&self, source: &dyn OpenStore) -> Records {
        let (records, loaded) = reload(source);
        let [budgets, jobs, leases, requests, bodies] = &self.snapshot;
        let changes = |changes: &BTreeMap<u64, Change>| changes.values().cloned().collect::<Vec<_>>();
        assert_eq!(loaded.budgets.into_iter().map(Change::PutBudget).collect::<Vec<_>>(), changes(budgets));
        assert_eq!(loaded.jobs.into_iter().map(Change::PutJob).collect::<Vec<_>>(), changes(jobs));
        assert_eq!(loaded.leases.into_iter().map(Change::PutLease).collect::<Vec<_>>(), changes(leases));
        assert_eq!(loaded.requests.into_iter().map(Change::PutRequest).collect::<Vec<_>>(), changes(requests));
        assert_eq!(loaded.pools, self.pools.values().copied().collect::<Vec<_>>());
        assert_eq!(loaded.queues, self.queues.values().cloned().collect::<Vec<_>>());
        assert_eq!(loaded.next_id, self.next_id);
        for (id, change) in bodies {
            let body = records.body(JobId(*id)).unwrap().expect("a body was put");
            assert_eq!(&Change::PutBody(JobId(*id), body), change);
        }
        records
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_load_finds_what_the_commits_left(
        commits in prop::collection::vec(
            (prop::collection::vec(arbitrary::change(), 0..12), any::<bool>(), 0_u32..4), 1..24,
        ),
    ) {
        on_every_store(|source| {
            let mut model = Model::default();
            let mut records = model.check(source);
            for (changes, is_relaxed, then) in &commits {
                // A pool has a budget, and a deleted budget never comes back.
                let live: Vec<Change> = changes
                    .iter()
                    .filter(|change| match change {
                        Change::PutPool(pool) => model.snapshot[0].contains_key(&pool.budget.0),
                        _ => true,
                    })
                    .cloned()
                    .collect();
                let durability = if *is_relaxed { Durability::Relaxed } else { Durability::Immediate };
                records.commit(&live, durability).unwrap();
                live.iter().for_each(|change| model.apply(change));
                match then {
                    0 => {
                        drop(records);
                        records = model.check(source);
                    }
                    1 => records.sync().unwrap(),
                    _ => {}
                }
            }
            drop(records);
            model.check(source);
        });
    }
}
