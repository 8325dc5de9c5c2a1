//! What outlives the process and a power loss, over rows that are durable once they are written.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::*;
use crate::store::MemoryStore;

/// Two records of the tests' commits fill a segment.
const LIMITS: SegmentLimits = SegmentLimits { full_bytes: 100, most_bytes: 300, growth_bytes: 64 };

impl Base for MemoryStore {
    fn write(&self, writes: &mut dyn Iterator<Item = Write<'_>>) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        writes.for_each(|write| batch.push(write));
        self.clone().commit(&batch, Durability::Immediate).map_err(|error| panic!("{error}"))
    }

    fn greatest_key(&self, table: Table) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().into_keys().filter(|(of, _)| *of == table).map(|(_, key)| key).max())
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }
}

/// Work that waits until it is told to begin, or is waited for. A clone is another handle to the same.
#[derive(Clone, Default)]
struct Later(Arc<Mutex<Option<Work>>>);

impl Later {
    fn take(&self) -> Option<Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Background for Later {
    fn start(&mut self, work: Work) -> io::Result<()> {
        assert!(self.0.lock().unwrap().replace(work).is_none(), "one at a time");
        Ok(())
    }

    fn finish(&mut self) {
        if let Some(work) = self.take() {
            work();
        }
    }
}

struct Rig {
    durable: MemoryStore,
    dir: tempfile::TempDir,
    later: Later,
}

impl Rig {
    fn new() -> Self {
        Self { durable: MemoryStore::default(), dir: tempfile::tempdir().unwrap(), later: Later::default() }
    }

    fn paths(&self) -> [PathBuf; 2] {
        ["one", "two"].map(|name| self.dir.path().join(name))
    }

    fn open(&self) -> Journal<MemoryStore, SegmentFile> {
        drop(self.later.take());
        let segments = self.paths().map(|path| SegmentFile::new(path, Default::default()));
        Journal::open(self.durable.clone(), segments, LIMITS, Box::new(self.later.clone())).unwrap()
    }

    /// What is in the rows beneath.
    fn beneath(&self) -> Vec<(u8, Vec<u8>)> {
        let rows = self.durable.rows().into_iter();
        rows.filter(|((table, _), _)| *table == Table::Jobs).map(|((_, key), value)| (key[0], value)).collect()
    }

    /// What the next open would find.
    fn found(&self) -> Vec<(u8, Vec<u8>)> {
        let copy = Self::new();
        copy.durable.write(&mut rows_of(&self.durable).iter()).unwrap();
        for (from, to) in self.paths().iter().zip(copy.paths()) {
            if from.exists() {
                std::fs::copy(from, to).unwrap();
            }
        }
        drop(copy.open());
        copy.beneath()
    }
}

fn rows_of(store: &MemoryStore) -> Batch {
    let mut batch = Batch::default();
    for ((table, key), value) in store.rows() {
        batch.put(table, &key, &value);
    }
    batch
}

fn put(key: u8, value: &[u8]) -> Batch {
    let mut batch = Batch::default();
    batch.put(Table::Jobs, &[key], value);
    batch
}

fn seen(journal: &impl Rows) -> Vec<(u8, Vec<u8>)> {
    let mut scanned = Vec::new();
    let mut keep = |key: &[u8], value: &[u8]| {
        scanned.push((key[0], value.to_vec()));
        Ok(())
    };
    journal.scan(Table::Jobs, &[], &mut keep).unwrap();
    let keys: Vec<[u8; 1]> = (0..=255).map(|key| [key]).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 1]>::as_slice).collect();
    let mut got = BTreeMap::new();
    let mut keep = |index: usize, value: &[u8]| {
        got.insert(index as u8, value.to_vec());
        Ok(())
    };
    journal.get(Table::Jobs, &keys, &mut keep).unwrap();
    assert_eq!(scanned, got.into_iter().collect::<Vec<_>>());
    scanned
}

/// Commits puts, overwrites and deletes, in both durabilities, and calls `check` after each with what there should be.
fn history(rig: &Rig, journal: &mut Journal<MemoryStore, SegmentFile>, mut check: impl FnMut(&[(u8, Vec<u8>)], u8)) {
    let mut expected = BTreeMap::new();
    for step in 0..40_u8 {
        let mut batch = put(step, &[step; 30]);
        expected.insert(step, vec![step; 30]);
        if step % 3 == 0 {
            batch.delete(Table::Jobs, &[step / 2]);
            expected.remove(&(step / 2));
        }
        if step % 5 == 0 {
            batch.put(Table::Jobs, &[1], &[step]);
            expected.insert(1, vec![step]);
        }
        let durability = if step % 4 == 0 { Durability::Relaxed } else { Durability::Immediate };
        journal.commit(&batch, durability).unwrap();
        let expected: Vec<_> = expected.clone().into_iter().collect();
        assert_eq!(seen(journal), expected, "after step {step}");
        check(&expected, step);
        if step % 7 == 0
            && let Some(work) = rig.later.take()
        {
            work();
        }
    }
}

#[test]
fn commits_are_seen_and_outlive_the_process_at_each_point() {
    let rig = Rig::new();
    let mut flushes_seen = 0;
    let mut before = 0;
    history(&rig, &mut rig.open(), |expected, step| {
        assert_eq!(rig.found(), expected, "a kill after step {step}");
        let now = rig.beneath().len();
        flushes_seen += u32::from(now != before);
        before = now;
    });
    assert!(flushes_seen > 4, "only {flushes_seen} flushes");
    let length = rig.paths().map(|path| path.metadata().unwrap().len());
    assert!(length.iter().all(|length| *length <= 512), "the segments are used again: {length:?}");
}

#[test]
fn a_full_segment_waits_for_the_flush_of_the_other_only_at_its_most() {
    let rig = Rig::new();
    let mut journal = rig.open();
    let mut commits = 0;
    while rig.later.0.lock().unwrap().is_none() {
        journal.commit(&put(commits, &[0; 30]), Durability::Immediate).unwrap();
        commits += 1;
    }
    assert_eq!(rig.beneath(), []);
    while rig.beneath().is_empty() {
        journal.commit(&put(commits, &[0; 30]), Durability::Immediate).unwrap();
        commits += 1;
        assert_eq!(seen(&journal).len(), usize::from(commits));
    }
    assert!(journal.current.end() < LIMITS.full_bytes, "the segment that was full is the other one now");
    assert!(commits > 6, "{commits}");
}

#[test]
fn a_reopened_journal_goes_on_where_it_ended_and_is_empty() {
    let rig = Rig::new();
    let mut journal = rig.open();
    journal.commit(&put(1, b"one"), Durability::Immediate).unwrap();
    drop(journal);
    assert_eq!(rig.beneath(), []);
    let mut journal = rig.open();
    assert_eq!(rig.beneath(), [(1, b"one".to_vec())]);
    assert_eq!(rig.paths()[0].metadata().unwrap().len(), 0);
    journal.commit(&put(2, b"two"), Durability::Relaxed).unwrap();
    drop(journal);
    rig.open();
    assert_eq!(rig.beneath().len(), 2, "the sequence goes on where it ended");
}

#[test]
fn what_was_there_before_the_open_is_deleted_too() {
    let rig = Rig::new();
    rig.open().commit(&put(1, b"one"), Durability::Immediate).unwrap();
    let mut journal = rig.open();
    let mut batch = Batch::default();
    batch.delete(Table::Jobs, &[1]);
    journal.commit(&batch, Durability::Immediate).unwrap();
    assert_eq!(seen(&journal), []);
    drop(journal);
    assert_eq!(seen(&rig.open()), []);
}

#[test]
fn compacting_comes_after_the_flush_that_has_begun() {
    let rig = Rig::new();
    let mut journal = rig.open();
    let mut commits = 0;
    while rig.later.0.lock().unwrap().is_none() {
        journal.commit(&put(1, &[commits; 30]), Durability::Immediate).unwrap();
        commits += 1;
    }
    journal.commit(&put(1, b"newest"), Durability::Immediate).unwrap();
    journal.compact().unwrap();
    assert!(rig.later.take().is_none());
    assert_eq!(rig.beneath(), [(1, b"newest".to_vec())]);
}

#[test]
fn what_was_flushed_is_not_done_again() {
    let rig = Rig::new();
    let mut journal = rig.open();
    journal.commit(&put(1, b"old"), Durability::Immediate).unwrap();
    let stale = std::fs::read(&rig.paths()[0]).unwrap();
    assert!(stale.starts_with(b"sluice-1"));
    journal.commit(&put(1, b"new"), Durability::Immediate).unwrap();
    drop(journal);
    drop(rig.open());
    std::fs::write(&rig.paths()[1], stale).unwrap();
    rig.open();
    assert_eq!(rig.beneath(), [(1, b"new".to_vec())]);
}

#[test]
fn a_torn_journal_gives_a_prefix_of_its_commits() {
    let rig = Rig::new();
    let mut journal = rig.open();
    for key in 0..3 {
        journal.commit(&put(key, &[key; 20]), Durability::Relaxed).unwrap();
    }
    let end = journal.current.end() as usize;
    drop(journal);
    let whole = std::fs::read(&rig.paths()[0]).unwrap();
    for index in 8..end {
        let mut damaged = whole.clone();
        damaged[index] ^= 0x10;
        for bytes in [&whole[..index], &damaged] {
            let copy = Rig::new();
            std::fs::write(&copy.paths()[0], bytes).unwrap();
            copy.open();
            assert_eq!(copy.beneath().len(), (index - 8) / ((end - 8) / 3), "byte {index}");
        }
    }
}

#[test]
fn what_is_no_journal_is_refused_and_left_alone() {
    for (bytes, is_refused) in [
        (&b"not a journal"[..], true),
        (b"sluice-2 and more", true),
        (b"S", true),
        (b"", false),
        (b"slu", false),
        (b"slu\0\0\0-1\0\0", false),
        (&[0; 5000], false),
    ] {
        let rig = Rig::new();
        let path = &rig.paths()[1];
        std::fs::write(path, bytes).unwrap();
        let segments = rig.paths().map(|path| SegmentFile::new(path, Default::default()));
        let opened = Journal::open(rig.durable.clone(), segments, LIMITS, Box::new(AtOnce));
        match opened {
            Ok(_) => assert!(!is_refused, "{bytes:?}"),
            Err(error) => {
                assert!(is_refused, "{bytes:?}: {error}");
                let expected = "it doesn't begin as a journal of this version of the server does";
                assert_eq!(error.to_string(), format!("cannot open {}: {expected}", path.display()));
                assert_eq!(std::fs::read(path).unwrap(), bytes);
            }
        }
    }
}

fn segment_of(sequences: &[u64]) -> Vec<u8> {
    let mut bytes = b"sluice-1".to_vec();
    for sequence in sequences {
        let mut record = Vec::new();
        record::fill(&mut record, *sequence, &put(*sequence as u8, b"x")).unwrap();
        bytes.extend(record);
    }
    bytes
}

#[test]
fn what_is_out_of_sequence_ends_a_segment() {
    for (one, two, expected) in [
        (&[3, 4, 6][..], &[1, 2][..], &[1, 2, 3, 4][..]),
        (&[1, 2], &[3, 2, 4], &[1, 2, 3]),
        (&[1, 2, 1], &[], &[1, 2]),
    ] {
        let rig = Rig::new();
        std::fs::write(&rig.paths()[0], segment_of(one)).unwrap();
        std::fs::write(&rig.paths()[1], segment_of(two)).unwrap();
        rig.open();
        assert_eq!(rig.beneath().iter().map(|(key, _)| u64::from(*key)).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_journal_of_another_store_is_refused_and_left_alone() {
    let rig = Rig::new();
    let bytes = segment_of(&[8, 9]);
    std::fs::write(&rig.paths()[0], &bytes).unwrap();
    let segments = rig.paths().map(|path| SegmentFile::new(path, Default::default()));
    let Err(error) = Journal::open(rig.durable.clone(), segments, LIMITS, Box::new(AtOnce)) else { panic!("opened") };
    let expected = "it goes on with commit 8, and memory ends with commit 0: they don't belong together";
    assert_eq!(error.to_string(), format!("cannot open {}: {expected}", rig.paths()[0].display()));
    assert_eq!((std::fs::read(&rig.paths()[0]).unwrap(), rig.beneath()), (bytes, vec![]));
}

#[test]
fn a_relaxed_commit_is_synced_before_its_segment_is_left() {
    let rig = Rig::new();
    let syncs = crate::store::Syncs::default();
    let segments = rig.paths().map(|path| SegmentFile::new(path, syncs.clone()));
    let mut journal = Journal::open(rig.durable.clone(), segments, LIMITS, Box::new(rig.later.clone())).unwrap();
    let mut commits = 0;
    while rig.later.0.lock().unwrap().is_none() {
        assert_eq!(syncs.count(), 0);
        journal.commit(&put(commits, &[0; 30]), Durability::Relaxed).unwrap();
        commits += 1;
    }
    assert_eq!(syncs.count(), 1);
    journal.sync().unwrap();
    journal.sync().unwrap();
    assert_eq!(syncs.count(), 2, "nothing is synced twice");
}

/// Rows that can't be written.
struct Broken(MemoryStore);

impl Rows for Broken {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        self.0.get(table, keys, found)
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        self.0.scan(table, prefix, row)
    }

    fn location(&self) -> &str {
        "broken"
    }
}

impl Base for Broken {
    fn write(&self, _: &mut dyn Iterator<Item = Write<'_>>) -> Result<(), StoreError> {
        panic!("as a damaged page might")
    }

    fn greatest_key(&self, table: Table) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.greatest_key(table)
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }
}

#[test]
fn a_flush_that_fails_fails_a_later_commit() {
    let dir = tempfile::tempdir().unwrap();
    let segments = ["one", "two"].map(|name| SegmentFile::new(dir.path().join(name), Default::default()));
    let background = Box::new(OwnThread::default());
    let mut journal = Journal::open(Broken(MemoryStore::default()), segments, LIMITS, background).unwrap();
    let failed = (0..20).find_map(|key| journal.commit(&put(key, &[0; 30]), Durability::Immediate).err());
    let Some(CommitError::Unknown(error)) = failed else { panic!("{failed:?}") };
    assert!(error.to_string().ends_with("a flush failed: it panicked"), "{error}");
}
