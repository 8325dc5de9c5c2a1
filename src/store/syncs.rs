//! How often a store has put its files on disk, for whoever wants to know what a commit costs.
//!
//! Owns the count, and the storage that keeps it. Refuses to know why a sync was made, and whether it failed.

use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::redb::{BackendError, StorageBackend};

/// A count of syncs. A clone is another handle to the same one.
#[derive(Clone, Debug, Default)]
pub struct Syncs(Arc<AtomicU64>);

impl Syncs {
    /// How many there were, those that failed included.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// There is one more.
    pub(super) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A storage whose syncs are counted, and nothing else is done to it.
#[derive(Debug)]
pub(super) struct Counted<B> {
    pub(super) storage: B,
    pub(super) syncs: Syncs,
}

impl<B: StorageBackend> StorageBackend for Counted<B> {
    fn sync_data(&self) -> io::Result<()> {
        self.syncs.add_one();
        self.storage.sync_data()
    }

    fn len(&self) -> io::Result<u64> {
        self.storage.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.storage.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.storage.set_len(len)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.storage.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.storage.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.storage.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.storage.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.storage.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.storage.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.storage.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.storage.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::redb::backends::InMemoryBackend;

    #[test]
    fn syncs_are_counted_and_the_rest_is_passed_on() {
        let syncs = Syncs::default();
        let counted = Counted { storage: InMemoryBackend::new(), syncs: syncs.clone() };
        counted.set_len(4).unwrap();
        counted.write(1, b"abc").unwrap();
        assert_eq!(syncs.count(), 0);
        for expected in 1..4 {
            counted.sync_data().unwrap();
            assert_eq!(syncs.count(), expected);
        }
        let mut bytes = [9; 4];
        counted.read(0, &mut bytes).unwrap();
        assert_eq!((counted.len().unwrap(), &bytes), (4, b"\0abc"));
        assert_eq!(syncs.count(), 3);
    }
}
