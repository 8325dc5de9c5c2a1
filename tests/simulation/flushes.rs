//! The flushes of a store's journal: each waits until somebody lets it happen, so that a run is the same each time.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use sluicegate::store::{Background, Work};

/// The flush that has begun, if there is one. Clones share it.
#[derive(Clone, Default)]
pub struct Flushes(Arc<Mutex<Option<Work>>>);

impl Flushes {
    /// Takes the flush that has begun, which is never to happen unless the caller does it.
    pub fn take(&self) -> Option<Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Background for Flushes {
    fn start(&mut self, work: Work) -> io::Result<()> {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(work);
        assert!(before.is_none(), "a flush begins, and the one before hasn't ended");
        Ok(())
    }

    fn finish(&mut self) {
        if let Some(work) = self.take() {
            work();
        }
    }
}
