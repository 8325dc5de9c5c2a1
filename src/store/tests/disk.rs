//! A disk in memory, with the files of a store, that fails on demand and remembers what it never synced.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

use super::operation::Operation;
use crate::store::SegmentBytes;

/// A clone is another handle to the same disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The database, and the two segments of the journal.
    files: [FileState; 3],
    syncs: u64,
    /// Writes and syncs that still succeed.
    remaining: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct FileState {
    bytes: Vec<u8>,
    synced: Vec<u8>,
    /// What was done since the last sync, in order.
    unsynced: Vec<Operation>,
}

impl State {
    fn spend(&mut self) -> io::Result<()> {
        match &mut self.remaining {
            Some(0) => return Err(io::ErrorKind::StorageFull.into()),
            Some(remaining) => *remaining -= 1,
            None => {}
        }
        Ok(())
    }
}

impl Disk {
    /// The file of the database.
    pub(super) fn database(&self) -> File {
        File { disk: self.clone(), number: 0 }
    }

    /// The files of the journal.
    pub(super) fn segments(&self) -> [File; 2] {
        [1, 2].map(|number| File { disk: self.clone(), number })
    }

    /// Syncs there were.
    pub(super) fn syncs(&self) -> u64 {
        self.0.lock().unwrap().syncs
    }

    /// From now on this many writes and syncs succeed, and none after them.
    pub(super) fn fail_after(&self, operations: u64) {
        self.0.lock().unwrap().remaining = Some(operations);
    }

    /// How many of the writes and syncs granted by [`Disk::fail_after`] are left.
    pub(super) fn remaining(&self) -> Option<u64> {
        self.0.lock().unwrap().remaining
    }

    /// A healthy disk with the same bytes: what a kill leaves.
    pub(super) fn after_kill(&self) -> Self {
        self.with(|file| file.bytes.clone())
    }

    /// A healthy disk with what was synced, and those of the later writes that `survives` picks: what a power loss leaves.
    pub(super) fn after_power_loss(&self, mut survives: impl FnMut() -> bool) -> Self {
        self.with(|file| {
            let mut bytes = file.synced.clone();
            for operation in file.unsynced.iter().filter(|_| survives()) {
                operation.apply(&mut bytes);
            }
            let length = bytes.len().max(file.bytes.len());
            bytes.resize(length, 0);
            bytes
        })
    }

    fn with(&self, left: impl FnMut(&FileState) -> Vec<u8>) -> Self {
        let bytes = self.0.lock().unwrap().files.each_ref().map(left);
        let files = bytes.map(|bytes| FileState { synced: bytes.clone(), bytes, unsynced: Vec::new() });
        Self(Arc::new(Mutex::new(State { files, ..State::default() })))
    }
}

/// A file on a disk.
#[derive(Debug)]
pub(super) struct File {
    disk: Disk,
    number: usize,
}

impl File {
    fn apply(&self, operation: Operation) -> io::Result<()> {
        let mut state = self.disk.0.lock().unwrap();
        state.spend()?;
        let file = &mut state.files[self.number];
        operation.apply(&mut file.bytes);
        file.unsynced.push(operation);
        Ok(())
    }

    fn make_durable(&self) -> io::Result<()> {
        let mut state = self.disk.0.lock().unwrap();
        state.spend()?;
        state.syncs += 1;
        let file = &mut state.files[self.number];
        file.synced.clone_from(&file.bytes);
        file.unsynced.clear();
        Ok(())
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.apply(Operation::Write(usize::try_from(offset).unwrap(), data.to_vec()))
    }
}

impl StorageBackend for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.0.lock().unwrap().files[self.number].bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.disk.0.lock().unwrap();
        let start = usize::try_from(offset).unwrap();
        let bytes = state.files[self.number].bytes.get(start..start + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.apply(Operation::SetLen(usize::try_from(length).unwrap()))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.make_durable()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.write_at(offset, data)
    }
}

impl SegmentBytes for File {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.disk.0.lock().unwrap().files[self.number].bytes.clone())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_at(offset, bytes)
    }

    fn empty(&mut self) -> io::Result<()> {
        self.apply(Operation::SetLen(0))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.make_durable()
    }

    fn path(&self) -> &Path {
        Path::new("the disk's journal")
    }
}
