//! What has changed and what has happened since the last commit, and what is to be sent after the next.
//!
//! Rows are noted by id and written as they stand when the batch is taken, so each is written at most once a
//! commit and memory and disk can't drift apart.

use std::collections::{BTreeMap, BTreeSet};

use super::effect::{Change, Effect, RevokeReason};
use super::event::{Event, Happened};
use super::job::Name;
use super::units::{BudgetId, JobId, LeaseId, SessionId, Timestamp};

/// The notes of one batch.
#[derive(Debug, Default)]
pub struct Journal {
    /// Budgets whose policy row is to be written or, where they are gone, deleted.
    pub budgets: BTreeSet<BudgetId>,
    /// Budgets whose pool row is to be written.
    pub pools: BTreeSet<BudgetId>,
    /// Jobs whose record is to be written.
    pub jobs: Vec<JobId>,
    /// Leases whose row is to be written or, where they have ended, deleted.
    pub leases: Vec<LeaseId>,
    /// Queues whose row is to be written.
    pub queues: BTreeSet<Name>,
    /// Rows that are written as given: they have no copy in memory, or are no more.
    pub given: Vec<Change>,
    pushes: BTreeMap<SessionId, Vec<LeaseId>>,
    others: Vec<Effect>,
    /// `None` while nobody wants them.
    events: Option<Vec<Event>>,
}

impl Journal {
    /// To be pushed after the commit.
    pub fn push(&mut self, session: SessionId, lease: LeaseId) {
        self.pushes.entry(session).or_default().push(lease);
    }

    /// A one-shot session is answered, with whatever was pushed to it, maybe nothing.
    pub fn answer(&mut self, session: SessionId) {
        self.pushes.entry(session).or_default();
    }

    /// To be said after the commit.
    pub fn revoke(&mut self, session: SessionId, lease: LeaseId, reason: RevokeReason) {
        self.others.push(Effect::Revoke(session, vec![lease], reason));
    }

    /// A newer stream took over.
    pub fn supersede(&mut self, session: SessionId) {
        self.others.push(Effect::Supersede(session));
    }

    /// A lease has ended before its push was sent: there is nothing to push.
    pub fn unpush(&mut self, session: SessionId, lease: LeaseId) {
        if let Some(leases) = self.pushes.get_mut(&session) {
            leases.retain(|pushed| *pushed != lease);
        }
    }

    /// Keeps events from now on.
    pub fn keep_events(&mut self) {
        self.events.get_or_insert_default();
    }

    /// Whether somebody wants them.
    pub fn keeps_events(&self) -> bool {
        self.events.is_some()
    }

    /// This has happened. It is built only where events are kept.
    pub fn note(&mut self, at: Timestamp, what: impl FnOnce() -> Happened) {
        if let Some(events) = &mut self.events {
            events.push(Event { at, what: what() });
        }
    }

    /// The events of the batch.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The effects of the batch, in an order that doesn't depend on memory layout.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        let pushes = std::mem::take(&mut self.pushes);
        let mut effects = std::mem::take(&mut self.others);
        effects.extend(pushes.into_iter().map(|(session, leases)| Effect::Push(session, leases)));
        effects
    }
}
