//! The embedded store: one redb file in a data directory, which one process at a time can have open.
//!
//! Commits go to a journal first; what comes here are the rows of many of them at once, in one commit with one sync, and a
//! second one only where the file grows: neither quick-repair nor two-phase commit, which are two each time. What an unclean
//! end costs instead is a walk over the file at the next open, about a second for a million jobs.

mod apply;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use ::redb::backends::FileBackend;
use ::redb::{
    Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageBackend, StorageError, TableDefinition,
    TableHandle,
};

use super::journal::{Background, Journal, OwnThread, SegmentBytes, SegmentFile, SegmentLimits};
use super::syncs::{Counted, Syncs};
use super::{Base, Found, OpenStore, RowError, Rows, Store, StoreError, Table, Visit, Write};

/// Where a store is, and what it may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedbConfig {
    /// The data directory. Made where it doesn't exist.
    pub dir: PathBuf,
    /// Memory for pages of the file, in bytes.
    pub cache_bytes: usize,
}

impl RedbConfig {
    /// The cache where nobody says otherwise. More has shown no gain.
    pub const CACHE_BYTES: usize = 32 << 20;
    /// The file in the data directory.
    pub const FILE: &'static str = "sluicegate.redb";
    /// The files of the journal in the data directory.
    pub const JOURNAL: [&'static str; 2] = ["sluicegate.journal", "sluicegate.journal2"];

    /// A store in this directory.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), cache_bytes: Self::CACHE_BYTES }
    }

    /// Opens the store as [`OpenStore::open`] does, and counts its syncs, the journal's included.
    ///
    /// # Errors
    /// As [`OpenStore::open`].
    pub fn open_counting(&self, syncs: &Syncs) -> Result<Box<dyn Store>, StoreError> {
        let segments = Self::JOURNAL.map(|name| SegmentFile::new(self.dir.join(name), syncs.clone()));
        let background = Box::new(OwnThread::default());
        RedbStore::open(self, syncs)?.with_journal(segments, SegmentLimits::default(), background)
    }
}

impl OpenStore for RedbConfig {
    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        self.open_counting(&Syncs::default())
    }
}

const DROPPED: &str = "a store that was dropped is used by nobody";

/// Rows in a redb database. [`RedbConfig`] opens it together with the journal, which makes it a store.
#[derive(Debug)]
pub struct RedbStore {
    /// There until the store is dropped.
    database: Option<Database>,
    location: String,
}

type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

const fn definition(table: Table) -> Definition {
    TableDefinition::new(table.name())
}

impl RedbStore {
    /// Opens the file in the data directory; makes both where they don't exist. Its syncs are counted.
    ///
    /// # Errors
    /// [`StoreError::InUse`] where another process has it open, [`StoreError::Open`] where it can't be opened.
    pub fn open(config: &RedbConfig, syncs: &Syncs) -> Result<Self, StoreError> {
        make_dir(&config.dir)?;
        let path = config.dir.join(RedbConfig::FILE);
        let file = open_file(&path)?;
        let storage = FileBackend::new(file).map_err(|error| open_error(&path, error))?;
        let counted = Counted { storage, syncs: syncs.clone() };
        match Self::with_backend(counted, &path.to_string_lossy(), config.cache_bytes) {
            Err(StoreError::InUse { .. }) => Err(StoreError::InUse { dir: config.dir.clone() }),
            outcome => outcome,
        }
    }

    /// Opens a database in any storage; makes one where the storage is empty. `location` names it in messages.
    ///
    /// # Errors
    /// As [`RedbStore::open`].
    pub fn with_backend(backend: impl StorageBackend, location: &str, cache_bytes: usize) -> Result<Self, StoreError> {
        let path = location.to_owned();
        let open = || {
            Builder::new()
                .set_cache_size(cache_bytes)
                .set_repair_callback(move |session| {
                    let percent = session.progress() * 100.0;
                    tracing::info!(path, "checking the store after an unclean end: {percent:.0} %");
                })
                .create_with_backend(backend)
        };
        let damaged = |what| DatabaseError::Storage(StorageError::Corrupted(what));
        let database = catching(open, damaged).map_err(|error| open_error(Path::new(location), error))?;
        let store = Self { database: Some(database), location: location.to_owned() };
        store.make_tables()?;
        Ok(store)
    }

    /// A store of these rows behind a journal in these segments. What the journal has and they haven't is put into them
    /// first.
    ///
    /// # Errors
    /// [`StoreError`] where the journal can't be read, or the rows can't take what it has.
    pub fn with_journal(
        self,
        segments: [impl SegmentBytes + 'static; 2],
        limits: SegmentLimits,
        background: Box<dyn Background>,
    ) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(Journal::open(self, segments, limits, background)?))
    }

    /// Makes the tables that don't exist, all in one commit, so that reads need not ask.
    fn make_tables(&self) -> Result<(), StoreError> {
        let names = catching(|| self.table_names(), ::redb::Error::Corrupted)
            .map_err(|error| self.error("reading the tables", error))?;
        let is_ours = names.iter().any(|name| name == Table::Meta.name());
        if !names.is_empty() && !is_ours {
            let why = format!("it is a database, but not of sluicegate: it has the table {:?}", names[0]);
            return Err(StoreError::Open { path: PathBuf::from(&self.location), why });
        }
        if Table::ALL.iter().all(|table| names.iter().any(|name| name == table.name())) {
            return Ok(());
        }
        let make = || -> Result<(), ::redb::Error> {
            let transaction = self.database().begin_write()?;
            for table in Table::ALL {
                transaction.open_table(definition(table))?;
            }
            Ok(transaction.commit()?)
        };
        catching(make, ::redb::Error::Corrupted).map_err(|error| self.error("making the tables", error))
    }

    fn database(&self) -> &Database {
        self.database.as_ref().expect(DROPPED)
    }

    fn table_names(&self) -> Result<Vec<String>, ::redb::Error> {
        let transaction = self.database().begin_read()?;
        Ok(transaction.list_tables()?.map(|table| table.name().to_owned()).collect())
    }

    fn write_rows(&self, writes: &mut dyn Iterator<Item = Write<'_>>) -> Result<(), ::redb::Error> {
        let transaction = self.database().begin_write()?;
        apply::apply(&transaction, writes)?;
        Ok(transaction.commit()?)
    }

    fn error(&self, doing: &'static str, error: ::redb::Error) -> StoreError {
        StoreError::Engine { location: self.location.clone(), doing, source: Box::new(error) }
    }

    fn read_error(&self, error: ReadError) -> StoreError {
        match error {
            ReadError::Engine(error) => self.error("reading", error),
            ReadError::Row(row) => StoreError::Row { location: self.location.clone(), row },
        }
    }

    fn get_rows(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), ReadError> {
        let transaction = self.database().begin_read()?;
        let rows = transaction.open_table(definition(table))?;
        for (index, key) in keys.iter().enumerate() {
            if let Some(value) = rows.get(*key)? {
                found(index, value.value())?;
            }
        }
        Ok(())
    }

    fn last_key(&self, table: Table) -> Result<Option<Vec<u8>>, ReadError> {
        let transaction = self.database().begin_read()?;
        let rows = transaction.open_table(definition(table))?;
        Ok(rows.last()?.map(|(key, _)| key.value().to_vec()))
    }

    fn scan_rows(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), ReadError> {
        let transaction = self.database().begin_read()?;
        let rows = transaction.open_table(definition(table))?;
        for entry in rows.range(prefix..)? {
            let (key, value) = entry?;
            if !key.value().starts_with(prefix) {
                break;
            }
            row(key.value(), value.value())?;
        }
        Ok(())
    }
}

impl Drop for RedbStore {
    /// Closes the file. A failure is told by the log alone: nothing is lost by it, as every commit was synced before.
    fn drop(&mut self) {
        let closed = catching(|| Ok(drop(self.database.take())), ::redb::Error::Corrupted);
        if let Err(error) = closed.map_err(|error| self.error("closing", error)) {
            tracing::error!("{error}");
        }
    }
}

impl Base for RedbStore {
    fn write(&self, writes: &mut dyn Iterator<Item = Write<'_>>) -> Result<(), StoreError> {
        catching(|| self.write_rows(writes), ::redb::Error::Corrupted).map_err(|error| self.error("a commit", error))
    }

    fn greatest_key(&self, table: Table) -> Result<Option<Vec<u8>>, StoreError> {
        catching(|| self.last_key(table), ReadError::damaged).map_err(|error| self.read_error(error))
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        let database = self.database.as_mut().expect(DROPPED);
        let compacted = catching(|| Ok(database.compact()?), ::redb::Error::Corrupted);
        compacted.map_err(|error| self.error("compacting", error))
    }
}

impl Rows for RedbStore {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        catching(|| self.get_rows(table, keys, found), ReadError::damaged).map_err(|error| self.read_error(error))
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        catching(|| self.scan_rows(table, prefix, row), ReadError::damaged).map_err(|error| self.read_error(error))
    }

    fn location(&self) -> &str {
        &self.location
    }
}

/// Redb trusts the pages of a file that was closed cleanly, and panics where one is damaged. That is a fact about the file
/// and not a fault of the program, so it becomes an error like any other.
fn catching<T, E>(work: impl FnOnce() -> Result<T, E>, damaged: impl FnOnce(String) -> E) -> Result<T, E> {
    // What the panic leaves half-done is never used: the store is given up, and opened again if at all.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let what = payload.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a page makes no sense");
        Err(damaged(what.to_owned()))
    })
}

/// Why a read ended early: the database failed, or whoever reads refused a row.
enum ReadError {
    Engine(::redb::Error),
    Row(RowError),
}

impl ReadError {
    fn damaged(what: String) -> Self {
        Self::Engine(::redb::Error::Corrupted(what))
    }
}

impl<E: Into<::redb::Error>> From<E> for ReadError {
    fn from(error: E) -> Self {
        Self::Engine(error.into())
    }
}

impl From<RowError> for ReadError {
    fn from(row: RowError) -> Self {
        Self::Row(row)
    }
}

fn make_dir(dir: &Path) -> Result<(), StoreError> {
    if dir.is_dir() {
        return Ok(());
    }
    if dir.exists() {
        let why = "it is not a directory, and a data directory is needed".to_owned();
        return Err(StoreError::Open { path: dir.to_owned(), why });
    }
    fs::create_dir_all(dir).map_err(|error| io_error(dir, &error))?;
    sync_parent(dir).map_err(|error| io_error(dir, &error))
}

fn open_file(path: &Path) -> Result<File, StoreError> {
    let is_new = !path.exists();
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| io_error(path, &error))?;
    if is_new {
        sync_parent(path).map_err(|error| io_error(path, &error))?;
    }
    Ok(file)
}

/// Makes a new name durable: a file that a power loss unlinks keeps nothing.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    File::open(parent)?.sync_all()
}

fn io_error(path: &Path, error: &io::Error) -> StoreError {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied: the server needs to read and write it".to_owned(),
        _ => error.to_string(),
    };
    StoreError::Open { path: path.to_owned(), why }
}

fn open_error(path: &Path, error: DatabaseError) -> StoreError {
    let why = match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
            return StoreError::InUse { dir: path.to_owned() };
        }
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            "it is not a database of sluicegate, or its beginning is damaged".to_owned()
        }
        DatabaseError::Storage(StorageError::Io(error)) => return io_error(path, &error),
        DatabaseError::Storage(StorageError::Corrupted(what)) => format!("it is damaged: {what}"),
        other => other.to_string(),
    };
    StoreError::Open { path: path.to_owned(), why }
}
