//! What is left of a commit that failed, and what a start makes of it (semantics 10.1, 10.3).

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::disk::Disk;
use super::{all_of_job, job};
use crate::scheduler::effect::{Change, Snapshot};
use crate::scheduler::job::JobRecord;
use crate::scheduler::units::JobId;
use crate::store::{AtOnce, CommitError, Durability, Records, RedbStore, SegmentLimits, StoreError};

const CACHE_BYTES: usize = 1 << 20;

/// So that some of a test's commits fill a segment.
const LIMITS: SegmentLimits = SegmentLimits { full_bytes: 8 << 10, most_bytes: 16 << 10, growth_bytes: 4096 };

fn open(disk: &Disk) -> Result<(Records, Snapshot), StoreError> {
    let rows = RedbStore::with_backend(disk.database(), "the disk", CACHE_BYTES)?;
    Records::open(rows.with_journal(disk.segments(), LIMITS, Box::new(AtOnce))?)
}

/// The changes of a commit that leaves nothing as it was: old jobs go, others change, new ones come.
fn old() -> Vec<Change> {
    (0..40).flat_map(|id| all_of_job(id, 1)).collect()
}

fn new() -> Vec<Change> {
    let gone = (0..20).map(|id| Change::DeleteJob { id: JobId(id), failures: 1 });
    gone.chain((20..60).flat_map(|id| all_of_job(id, 2))).collect()
}

/// What is stored of jobs, asserted to be whole.
fn jobs(disk: &Disk) -> Vec<JobRecord> {
    let (records, snapshot) = open(disk).unwrap();
    for job in &snapshot.jobs {
        let details = records.details(job.id).unwrap().expect("a job has its body");
        assert_eq!(details.body.metadata[0].1, job.attempts.to_string(), "job and body are of one commit");
        assert_eq!(details.failures.len(), 1);
    }
    snapshot.jobs
}

#[test]
fn a_commit_syncs_once_and_a_relaxed_one_never() {
    let disk = Disk::default();
    let (mut records, _) = open(&disk).unwrap();
    let mut flushes = 0;
    for id in 0..100 {
        let before = disk.syncs();
        records.commit(&all_of_job(id, 1), Durability::Immediate).unwrap();
        let syncs = disk.syncs() - before;
        assert!(syncs > 0, "commit {id}");
        flushes += u32::from(syncs > 1);
    }
    assert!(flushes < 10, "{flushes} of 100 commits synced more than once");
    let before = disk.syncs();
    records.sync().unwrap();
    assert_eq!(disk.syncs() - before, 0, "nothing to sync");
    records.commit(&all_of_job(100, 1), Durability::Relaxed).unwrap();
    assert_eq!(disk.syncs() - before, 0);
    assert!(records.is_unsynced());
    records.sync().unwrap();
    assert_eq!(disk.syncs() - before, 1);
    assert!(!records.is_unsynced());
    assert_eq!(jobs(&disk.after_power_loss(|| false)).len(), 101);
}

#[test]
fn no_power_loss_takes_a_reservation_of_ids_back() {
    let disk = Disk::default();
    let (mut records, _) = open(&disk).unwrap();
    records.commit(&all_of_job(1, 1), Durability::Relaxed).unwrap();
    records.commit(&[Change::ReserveIds(1 << 20)], Durability::Relaxed).unwrap();
    assert!(!records.is_unsynced(), "nor what was committed before it");
    let (_, snapshot) = open(&disk.after_power_loss(|| false)).unwrap();
    assert_eq!((snapshot.next_id, snapshot.jobs.len()), (1 << 20, 1));
}

#[test]
fn a_failed_commit_is_there_whole_or_not_at_all() {
    let before: Vec<JobRecord> = (0..40).map(|id| job(id, 1)).collect();
    let after: Vec<JobRecord> = (20..60).map(|id| job(id, 2)).collect();
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut old_seen, mut new_seen) = (false, false);

    for operations in 0.. {
        let disk = Disk::default();
        let (mut records, _) = open(&disk).unwrap();
        records.commit(&old(), Durability::Immediate).unwrap();
        disk.fail_after(operations);
        let outcome = records.commit(&new(), Durability::Immediate);

        let mut disks = vec![disk.after_kill(), disk.after_power_loss(|| false)];
        disks.extend((0..20).map(|_| disk.after_power_loss(|| random.random())));
        for survivor in &disks {
            let found = jobs(survivor);
            let (is_old, is_new) = (found == before, found == after);
            assert!(is_old || is_new, "half a commit after {operations} operations: {found:?}");
            assert!(is_new || outcome.is_err(), "an acknowledged commit is lost after {operations} operations");
            old_seen |= is_old;
            new_seen |= is_new && outcome.is_err();
        }
        match outcome {
            Ok(()) => break,
            Err(error) => assert!(matches!(error, CommitError::Unknown(StoreError::Engine { .. })), "{error}"),
        }
        assert_eq!(disk.remaining(), Some(0));
        let again = records.commit(&new(), Durability::Immediate).unwrap_err();
        assert!(matches!(again, CommitError::Unknown(StoreError::Spent { .. })), "{again}");
    }
    assert!(old_seen, "no failure that lost the commit");
    assert!(new_seen, "no failure of a commit that is durable all the same");
}

#[test]
fn a_failed_sync_spends_the_records() {
    let disk = Disk::default();
    let (mut records, _) = open(&disk).unwrap();
    records.commit(&all_of_job(1, 1), Durability::Relaxed).unwrap();
    disk.fail_after(0);
    assert!(matches!(records.sync(), Err(CommitError::Unknown(StoreError::Engine { .. }))));
    assert!(matches!(records.sync(), Err(CommitError::Unknown(StoreError::Spent { .. }))));
    assert!(records.commit(&[], Durability::Immediate).is_err());
}

#[test]
fn a_disk_that_fails_at_the_start_is_an_error() {
    let disk = Disk::default();
    disk.fail_after(3);
    let error = open(&disk).unwrap_err().to_string();
    assert!(error.starts_with("cannot open the disk: ") || error.starts_with("the disk: "), "{error}");
}
