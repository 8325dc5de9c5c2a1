//! A disk in memory that fails on demand and remembers what it never synced.

use std::io;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

use super::operation::Operation;

/// A clone is another handle to the same disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    synced: Vec<u8>,
    /// What was done since the last sync, in order.
    unsynced: Vec<Operation>,
    syncs: u64,
    growths: u64,
    /// Writes and syncs that still succeed.
    remaining: Option<u64>,
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

    fn apply(&mut self, operation: Operation) -> io::Result<()> {
        self.spend()?;
        let before = self.bytes.len();
        operation.apply(&mut self.bytes);
        self.growths += u64::from(self.bytes.len() > before);
        self.unsynced.push(operation);
        Ok(())
    }
}

impl Disk {
    /// Syncs there were, but for the one that each growth of the file needs.
    pub(super) fn syncs(&self) -> u64 {
        let state = self.0.lock().unwrap();
        state.syncs - state.growths
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
        Self::with(self.0.lock().unwrap().bytes.clone())
    }

    /// A healthy disk with what was synced, and those of the later writes that `survives` picks: what a power loss leaves.
    pub(super) fn after_power_loss(&self, mut survives: impl FnMut() -> bool) -> Self {
        let state = self.0.lock().unwrap();
        let mut bytes = state.synced.clone();
        for operation in state.unsynced.iter().filter(|_| survives()) {
            operation.apply(&mut bytes);
        }
        let length = bytes.len().max(state.bytes.len());
        bytes.resize(length, 0);
        Self::with(bytes)
    }

    fn with(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(State { synced: bytes.clone(), bytes, ..State::default() })))
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.0.lock().unwrap();
        let start = usize::try_from(offset).unwrap();
        let bytes = state.bytes.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.lock().unwrap().apply(Operation::SetLen(usize::try_from(length).unwrap()))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.spend()?;
        state.synced = state.bytes.clone();
        state.unsynced.clear();
        state.syncs += 1;
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().apply(Operation::Write(usize::try_from(offset).unwrap(), data.to_vec()))
    }
}
