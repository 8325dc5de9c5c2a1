//! What makes a relaxed commit outlive a kill: a file to which its batch is appended before the store takes it.
//!
//! The store beneath keeps relaxed commits in the process's memory until it syncs, and would lose them with the process.
//! The journal's bytes are the operating system's once they are written: only a power loss can take them, which is what
//! relaxed means (semantics 10.4). A sync of the store empties the journal. Immediate commits never touch it.
//!
//! A record is the length of its payload as `u32`, a CRC-32 of the rest as `u32`, a sequence as `u64`, all little-endian,
//! then the payload: the batch's writes one after the other in postcard. Sequences grow by one. The store's meta row says
//! up to which it has them. An open takes the records after it, one by one, as far as they are whole and in
//! sequence: what a power loss tore or left behind is neither.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::codec::{self, Bytes};
use super::records::read;
use super::syncs::Syncs;
use super::tables::name_key;
use super::{Batch, CommitError, Durability, Found, Store, StoreError, Table, Visit, Write};

const SEQUENCE_NAME: &str = "journal";
const HEADER_BYTES: usize = 16;

/// A journal longer than this is synced by the commit that made it so.
const BYTES_MAX: u64 = 64 << 20;

/// Where a journal's bytes are kept, so that they outlive the process. Failing halfway is allowed: what an append leaves
/// of a record is known as torn.
pub trait JournalBytes: Send {
    /// All of them; none where there are none yet.
    ///
    /// # Errors
    /// What reading fails with; so it is for the others.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Adds these at the end.
    fn append(&mut self, record: &[u8]) -> io::Result<()>;

    /// Throws all of them away.
    fn empty(&mut self) -> io::Result<()>;

    /// Makes their state durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Where they are, for messages.
    fn path(&self) -> &Path;
}

/// A journal's bytes in a file, which the first relaxed commit makes.
#[derive(Debug)]
pub(super) struct JournalFile {
    path: PathBuf,
    /// Opened when first needed.
    file: Option<File>,
    syncs: Syncs,
}

impl JournalFile {
    pub(super) fn new(path: PathBuf, syncs: Syncs) -> Self {
        Self { path, file: None, syncs }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => OpenOptions::new().create(true).append(true).open(&self.path)?,
        };
        Ok(self.file.insert(file))
    }
}

impl JournalBytes for JournalFile {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match File::open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            outcome => outcome.map(|_| bytes),
        }
    }

    fn append(&mut self, record: &[u8]) -> io::Result<()> {
        self.file()?.write_all(record)
    }

    fn empty(&mut self) -> io::Result<()> {
        self.file()?.set_len(0)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.syncs.add_one();
        self.file()?.sync_data()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// A store whose relaxed commits outlive the process.
#[derive(Debug)]
pub(super) struct Journal<S, B> {
    store: S,
    bytes: B,
    /// How many bytes it has.
    length: u64,
    /// The sequence of the last record.
    sequence: u64,
    record: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct WriteRow<'a> {
    table: u8,
    #[serde(borrow)]
    key: Bytes<'a>,
    #[serde(borrow)]
    value: Option<Bytes<'a>>,
}

impl<S: Store, B: JournalBytes> Journal<S, B> {
    /// Puts into `store` what the journal in `bytes` has and it hasn't, durably.
    pub(super) fn open(store: S, bytes: B) -> Result<Self, StoreError> {
        let key = name_key(SEQUENCE_NAME);
        let sequence = read(&store, Table::Meta, &key, codec::decode_number)?.unwrap_or(0);
        let mut journal = Self { store, bytes, length: 0, sequence, record: Vec::new() };
        let bytes = journal.bytes.read().map_err(|error| journal.open_error(&error))?;
        if !bytes.is_empty() {
            journal.replay(&bytes)?;
        }
        Ok(journal)
    }

    fn replay(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let before = self.sequence;
        self.length = bytes.len() as u64;
        let mut rest = bytes;
        while let Some((sequence, batch)) = take_record(&mut rest) {
            if sequence == self.sequence + 1 {
                self.store.commit(&batch, Durability::Relaxed).map_err(|error| self.commit_error(error))?;
                self.sequence = sequence;
            } else if sequence > self.sequence {
                break;
            }
        }
        tracing::info!(
            path = %self.bytes.path().display(),
            commits = self.sequence - before,
            bytes = bytes.len(),
            "took over the commits that the store had not synced"
        );
        self.sync().map_err(|error| self.commit_error(error))?;
        // The next run's records must not be followed by remains of this one's.
        self.bytes.sync().map_err(|error| self.open_error(&error))
    }

    fn append(&mut self, batch: &Batch) -> io::Result<()> {
        let mut record = std::mem::take(&mut self.record);
        fill_record(&mut record, self.sequence + 1, batch)?;
        let outcome = self.bytes.append(&record);
        self.length += record.len() as u64;
        self.record = record;
        outcome
    }

    fn empty(&mut self) -> io::Result<()> {
        if self.length > 0 {
            self.bytes.empty()?;
        }
        self.length = 0;
        self.record.shrink_to(1 << 20);
        Ok(())
    }

    fn open_error(&self, error: &io::Error) -> StoreError {
        StoreError::Open { path: self.bytes.path().to_owned(), why: error.to_string() }
    }

    fn commit_error(&self, error: CommitError) -> StoreError {
        match error {
            CommitError::Unknown(error) => error,
            CommitError::Fenced => self.engine_error("taking over the journal", CommitError::Fenced),
        }
    }

    fn engine_error(&self, doing: &'static str, source: impl std::error::Error + Send + Sync + 'static) -> StoreError {
        StoreError::Engine { location: self.bytes.path().display().to_string(), doing, source: Box::new(source) }
    }
}

impl<S: Store, B: JournalBytes> Store for Journal<S, B> {
    fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), CommitError> {
        if durability == Durability::Immediate {
            if self.length > 0 {
                self.sync()?;
            }
            return self.store.commit(batch, Durability::Immediate);
        }
        self.append(batch).map_err(|error| CommitError::Unknown(self.engine_error("writing the journal", error)))?;
        self.store.commit(batch, Durability::Relaxed)?;
        self.sequence += 1;
        if self.length > BYTES_MAX { self.sync() } else { Ok(()) }
    }

    fn sync(&mut self) -> Result<(), CommitError> {
        let mut batch = Batch::default();
        let sequence = self.sequence;
        batch.put_with(Table::Meta, &name_key(SEQUENCE_NAME), |out| codec::encode_number(sequence, out));
        self.store.commit(&batch, Durability::Immediate)?;
        self.empty().map_err(|error| CommitError::Unknown(self.engine_error("emptying the journal", error)))
    }

    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        self.store.get(table, keys, found)
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        self.store.scan(table, prefix, row)
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        if self.length > 0 {
            self.sync().map_err(|error| self.commit_error(error))?;
        }
        self.store.compact()
    }

    fn location(&self) -> &str {
        self.store.location()
    }
}

/// Makes `record` the record of this batch.
fn fill_record(record: &mut Vec<u8>, sequence: u64, batch: &Batch) -> io::Result<()> {
    record.clear();
    record.resize(8, 0);
    record.extend_from_slice(&sequence.to_le_bytes());
    for write in batch.iter() {
        let row = match write {
            Write::Put { table, key, value } => {
                WriteRow { table: table as u8, key: Bytes(key), value: Some(Bytes(value)) }
            }
            Write::Delete { table, key } => WriteRow { table: table as u8, key: Bytes(key), value: None },
        };
        codec::append(&row, record);
    }
    let length = u32::try_from(record.len() - HEADER_BYTES)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a commit of more than 4 GiB"))?;
    record[..4].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&record[8..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
    Ok(())
}

/// Takes the next record off `bytes`. None: there is none, or none that is whole.
fn take_record(bytes: &mut &[u8]) -> Option<(u64, Batch)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let end = 8_usize.checked_add(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let (summed, rest) = rest.split_at_checked(end)?;
    if crc32fast::hash(summed) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (sequence, mut writes) = summed.split_first_chunk()?;
    let mut batch = Batch::default();
    while !writes.is_empty() {
        let (row, left) = postcard::take_from_bytes::<WriteRow<'_>>(writes).ok()?;
        let table = *Table::ALL.get(usize::from(row.table))?;
        match row.value {
            Some(value) => batch.put(table, row.key.0, value.0),
            None => batch.delete(table, row.key.0),
        }
        writes = left;
    }
    *bytes = rest;
    Some((u64::from_le_bytes(*sequence), batch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    /// A store that loses its relaxed commits when it is dropped, as redb does.
    #[derive(Default)]
    struct Forgetful {
        durable: MemoryStore,
        relaxed: Batch,
    }

    impl Store for Forgetful {
        fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), CommitError> {
            match durability {
                Durability::Relaxed => {
                    for write in batch.iter() {
                        match write {
                            Write::Put { table, key, value } => self.relaxed.put(table, key, value),
                            Write::Delete { table, key } => self.relaxed.delete(table, key),
                        }
                    }
                    Ok(())
                }
                Durability::Immediate => {
                    let relaxed = std::mem::take(&mut self.relaxed);
                    self.durable.commit(&relaxed, durability)?;
                    self.durable.commit(batch, durability)
                }
            }
        }

        fn sync(&mut self) -> Result<(), CommitError> {
            self.commit(&Batch::default(), Durability::Immediate)
        }

        fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
            self.durable.get(table, keys, found)
        }

        fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
            self.durable.scan(table, prefix, row)
        }

        fn compact(&mut self) -> Result<bool, StoreError> {
            Ok(false)
        }

        fn location(&self) -> &str {
            "forgetful"
        }
    }

    fn open(durable: &MemoryStore, path: &Path) -> Journal<Forgetful, JournalFile> {
        let store = Forgetful { durable: durable.clone(), relaxed: Batch::default() };
        Journal::open(store, JournalFile::new(path.to_owned(), Syncs::default())).unwrap()
    }

    fn put(key: u8, value: &[u8]) -> Batch {
        let mut batch = Batch::default();
        batch.put(Table::Jobs, &[key], value);
        batch
    }

    fn jobs(store: &MemoryStore) -> Vec<(u8, Vec<u8>)> {
        let rows = store.rows().into_iter();
        rows.filter(|((table, _), _)| *table == Table::Jobs).map(|((_, key), value)| (key[0], value)).collect()
    }

    #[test]
    fn relaxed_commits_outlive_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let durable = MemoryStore::default();
        let mut journal = open(&durable, &path);
        journal.commit(&put(1, b"one"), Durability::Relaxed).unwrap();
        journal.commit(&put(2, b"two"), Durability::Relaxed).unwrap();
        let mut delete = put(3, b"three");
        delete.delete(Table::Jobs, &[1]);
        journal.commit(&delete, Durability::Relaxed).unwrap();
        drop(journal);
        assert_eq!(jobs(&durable), []);

        let mut journal = open(&durable, &path);
        assert_eq!(jobs(&durable), [(2, b"two".to_vec()), (3, b"three".to_vec())]);
        assert_eq!(path.metadata().unwrap().len(), 0);

        journal.commit(&put(4, b"four"), Durability::Relaxed).unwrap();
        drop(journal);
        open(&durable, &path);
        assert_eq!(jobs(&durable).len(), 3, "the sequence goes on where it ended");
    }

    #[test]
    fn what_was_synced_is_not_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let durable = MemoryStore::default();
        let mut journal = open(&durable, &path);
        journal.commit(&put(1, b"old"), Durability::Relaxed).unwrap();
        let stale = std::fs::read(&path).unwrap();
        journal.commit(&put(1, b"new"), Durability::Immediate).unwrap();
        assert_eq!(path.metadata().unwrap().len(), 0, "an immediate commit syncs the relaxed ones before it");
        drop(journal);

        std::fs::write(&path, stale).unwrap();
        open(&durable, &path);
        assert_eq!(jobs(&durable), [(1, b"new".to_vec())]);
    }

    #[test]
    fn a_torn_journal_gives_a_prefix_of_its_commits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut journal = open(&MemoryStore::default(), &path);
        for key in 0..3 {
            journal.commit(&put(key, &[key; 40]), Durability::Relaxed).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let record = whole.len() / 3;

        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let durable = MemoryStore::default();
            open(&durable, &path);
            assert_eq!(jobs(&durable).len(), length / record, "the first {length} bytes");
        }
        for index in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[index] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
            let durable = MemoryStore::default();
            open(&durable, &path);
            assert_eq!(jobs(&durable).len(), index / record, "byte {index} flipped");
        }
    }

    #[test]
    fn a_gap_in_the_sequence_ends_the_journal() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut bytes = Vec::new();
        for sequence in [1, 3, 2] {
            let mut record = Vec::new();
            fill_record(&mut record, sequence, &put(sequence as u8, b"x")).unwrap();
            bytes.extend(record);
        }
        std::fs::write(&path, bytes).unwrap();
        let durable = MemoryStore::default();
        open(&durable, &path);
        assert_eq!(jobs(&durable), [(1, b"x".to_vec())]);
    }
}
