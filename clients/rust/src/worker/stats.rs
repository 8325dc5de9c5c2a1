//! What a worker has done, for whoever watches it. Owns counters alone; nothing is decided by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A live view of a worker's counters. Cheap to clone and to read.
#[derive(Clone, Debug, Default)]
pub struct WorkerStats {
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    in_hand: AtomicU64,
    succeeded: AtomicU64,
    failed: AtomicU64,
    released: AtomicU64,
    lost: AtomicU64,
    connects: AtomicU64,
    connected: AtomicBool,
}

/// How an attempt ended, for the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Succeeded,
    Failed,
    Released,
    Lost,
}

impl WorkerStats {
    /// Leases in hand now: waiting, with a handler, or with a settlement that isn't confirmed.
    pub fn in_hand(&self) -> u64 {
        self.counters.in_hand.load(Relaxed)
    }

    /// Attempts that succeeded, by their handlers.
    pub fn succeeded(&self) -> u64 {
        self.counters.succeeded.load(Relaxed)
    }

    /// Attempts that failed or were discarded, by their handlers.
    pub fn failed(&self) -> u64 {
        self.counters.failed.load(Relaxed)
    }

    /// Attempts that were given back: by their handlers, or since the worker drains.
    pub fn released(&self) -> u64 {
        self.counters.released.load(Relaxed)
    }

    /// Attempts whose lease was lost before they had ended.
    pub fn lost(&self) -> u64 {
        self.counters.lost.load(Relaxed)
    }

    /// Attempts that have ended, however they did.
    pub fn processed(&self) -> u64 {
        self.succeeded() + self.failed() + self.released() + self.lost()
    }

    /// How often the worker has come back to a server after its first connection.
    pub fn reconnects(&self) -> u64 {
        self.counters.connects.load(Relaxed).saturating_sub(1)
    }

    /// Whether the worker is connected now.
    pub fn is_connected(&self) -> bool {
        self.counters.connected.load(Relaxed)
    }

    pub(crate) fn ended(&self, ending: Ending) {
        let counter = match ending {
            Ending::Succeeded => &self.counters.succeeded,
            Ending::Failed => &self.counters.failed,
            Ending::Released => &self.counters.released,
            Ending::Lost => &self.counters.lost,
        };
        counter.fetch_add(1, Relaxed);
    }

    pub(crate) fn set_in_hand(&self, leases: usize) {
        self.counters.in_hand.store(leases as u64, Relaxed);
    }

    pub(crate) fn connected(&self) {
        self.counters.connects.fetch_add(1, Relaxed);
        self.counters.connected.store(true, Relaxed);
    }

    pub(crate) fn disconnected(&self) {
        self.counters.connected.store(false, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_counts_once_and_the_first_connection_is_no_reconnect() {
        let stats = WorkerStats::default();
        for ending in [Ending::Succeeded, Ending::Failed, Ending::Released, Ending::Lost] {
            stats.ended(ending);
        }
        assert_eq!((stats.succeeded(), stats.failed(), stats.released(), stats.lost()), (1, 1, 1, 1));
        assert_eq!(stats.processed(), 4);

        assert_eq!((stats.reconnects(), stats.is_connected()), (0, false));
        stats.connected();
        assert_eq!((stats.reconnects(), stats.is_connected()), (0, true));
        stats.disconnected();
        stats.connected();
        assert_eq!((stats.reconnects(), stats.is_connected()), (1, true));
    }
}
