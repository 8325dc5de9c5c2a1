//! A scheduler and the store it continues in: opened together, and dropped together when either can't be trusted.

use std::sync::Arc;

use super::StartError;
use crate::clock::Clock;
use crate::scheduler::units::{Nanos, Timestamp};
use crate::scheduler::{Change, Config, Scheduler};
use crate::store::{CommitError, Durability, OpenStore, Records};

/// What a look sees: the state, all of it committed, and the store behind it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The state.
    pub scheduler: &'a Scheduler,
    /// What the store alone knows.
    pub records: &'a Records,
    /// The time of the look.
    pub now: Timestamp,
}

/// What the owner thread owns while the store works.
pub(super) struct Live {
    pub(super) scheduler: Scheduler,
    pub(super) records: Records,
    clock: Arc<dyn Clock>,
    durability: Durability,
    unsynced_since: Option<Timestamp>,
}

impl Live {
    /// How long a relaxed commit waits for its sync: less than 50 ms, so that the sync is over by then
    /// (semantics 10.4).
    const SYNC_AFTER: Nanos = Nanos::from_millis(40);

    /// Opens the store, and a scheduler that continues from what it holds.
    ///
    /// # Errors
    /// [`StartError::Store`], [`StartError::Contradiction`].
    pub(super) fn open(
        source: &dyn OpenStore,
        clock: &Arc<dyn Clock>,
        config: Config,
        durability: Durability,
    ) -> Result<Self, StartError> {
        let began = clock.now();
        let (records, snapshot) = Records::open(source.open()?)?;
        let (jobs, leases, budgets) = (snapshot.jobs.len(), snapshot.leases.len(), snapshot.budgets.len());
        let scheduler =
            Scheduler::restore(config, clock.now(), snapshot).map_err(|reason| StartError::Contradiction { reason })?;
        let took_ms = clock.now().since(began).0 / 1_000_000;
        tracing::info!(jobs, leases, budgets, took_ms, "recovered");
        Ok(Self { scheduler, records, clock: Arc::clone(clock), durability, unsynced_since: None })
    }

    /// Stores what changed, if anything did.
    pub(super) fn commit(&mut self, changes: &[Change]) -> Result<(), CommitError> {
        if !changes.is_empty() {
            self.records.commit(changes, self.durability)?;
        }
        if self.records.is_unsynced() {
            self.unsynced_since.get_or_insert_with(|| self.clock.now());
        }
        Ok(())
    }

    /// Syncs what has waited long enough.
    pub(super) fn sync_if_due(&mut self) -> Result<(), CommitError> {
        match self.sync_at() {
            Some(at) if at <= self.clock.now() => self.sync(),
            _ => Ok(()),
        }
    }

    /// Syncs whatever isn't yet.
    pub(super) fn sync(&mut self) -> Result<(), CommitError> {
        self.records.sync()?;
        self.unsynced_since = None;
        Ok(())
    }

    /// When there is something to do though nobody asks.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        let deadlines = [self.scheduler.next_deadline(), self.sync_at()];
        deadlines.into_iter().flatten().min()
    }

    fn sync_at(&self) -> Option<Timestamp> {
        self.unsynced_since.map(|since| since + Self::SYNC_AFTER)
    }

    /// What a look sees now.
    pub(super) fn view(&self) -> View<'_> {
        View { scheduler: &self.scheduler, records: &self.records, now: self.clock.now() }
    }
}
