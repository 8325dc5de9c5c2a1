//! What the server has told the outside: the answers, the pushes and the events that have left it. It may take none of
//! them back.

use std::collections::{BTreeMap, BTreeSet};

use sluicegate::scheduler::command::{Extended, Settled};
use sluicegate::scheduler::event::{Event, Happened};
use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::units::{JobId, LeaseId, Timestamp, Tokens};
use sluicegate::scheduler::{Reply, Scheduler};

use super::agree::Clock;
use super::books::Books;
use super::sim::Agreed;

/// All that was told.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The last commit of which anything was told.
    pub told: u64,
    /// Leases that were granted, as far as was told, and haven't ended.
    pub live: BTreeMap<LeaseId, Granted>,
    /// Leases that were settled, as their workers were told.
    settled: BTreeSet<LeaseId>,
    /// Jobs that were taken in, as their callers were told.
    pub enqueued: BTreeSet<JobId>,
    /// Budgets by key, and which of their policies is in force.
    budgets: BTreeMap<Name, (Timestamp, u64)>,
}

/// A lease as its worker knows it.
#[derive(Clone, Debug)]
pub struct Granted {
    pub debits: Vec<(Name, Tokens)>,
    /// Until when it was promised.
    until: Option<Timestamp>,
}

impl Ledger {
    /// These were told to the log.
    pub fn hear(&mut self, events: &[Event]) {
        for event in events {
            match &event.what {
                Happened::Dispatched { lease, debits, .. } => {
                    let granted = Granted { debits: debits.clone(), until: None };
                    self.live.insert(*lease, granted);
                }
                Happened::Ended { lease, .. } => _ = self.live.remove(lease),
                Happened::BudgetCreated(budget) | Happened::BudgetChanged(_, budget) => {
                    self.budgets.insert(Name::clone(&budget.key), (budget.create_time, budget.revision));
                }
                Happened::BudgetDeleted(key) => _ = self.budgets.remove(key),
                _ => {}
            }
        }
    }

    /// This was answered.
    pub fn answered(&mut self, reply: &Reply) {
        match reply {
            Reply::Enqueued(jobs) => self.enqueued.extend(jobs.iter().map(|job| job.id)),
            Reply::Settled(settled) => self.settled.extend(settled.iter().filter(|one| one.status.is_ok()).map(lease)),
            Reply::Extended(extended) => extended.iter().for_each(|extended| self.extended(extended)),
            _ => {}
        }
    }

    fn extended(&mut self, extended: &Extended) {
        if let (Ok(to), Some(granted)) = (&extended.status, self.live.get_mut(&extended.lease)) {
            granted.until = granted.until.max(Some(to.expire_time));
        }
    }

    /// A server goes on from what commit `found` made true: nothing that was told may be untrue.
    pub fn check(&self, scheduler: &Scheduler, found: u64, books: &Books, clock: Clock) -> Agreed<()> {
        if found < self.told {
            return Err(format!("commit {} was told of, and only {found} of them are there", self.told));
        }
        for (lease, granted) in &self.live {
            let Some((record, _)) = scheduler.leased(*lease) else {
                if found > self.told && !books.rows.leases.contains_key(lease) {
                    continue;
                }
                return Err(format!("lease {lease} was pushed and has not ended, and nobody knows it"));
            };
            if record.expire_time < clock.now + record.duration {
                return Err(format!("lease {lease} has less than its duration (semantics 10.2)"));
            }
            if !clock.was_set_back && granted.until.is_some_and(|until| record.expire_time < until) {
                return Err(format!(
                    "lease {lease} ends at {:?}, {:?} was promised",
                    record.expire_time, granted.until
                ));
            }
        }
        if let Some(lease) = self.settled.iter().find(|lease| scheduler.leased(**lease).is_some()) {
            return Err(format!("lease {lease} was settled, and is live again"));
        }
        let is_lost = |job: &&JobId| scheduler.job(**job).is_none() && !books.removed.contains(job);
        if let Some(job) = self.enqueued.iter().find(is_lost) {
            return Err(format!("job {job} was taken in, and is gone"));
        }
        for (key, policy) in self.budgets.iter().filter(|_| found == self.told) {
            let stands = scheduler.budget(clock.now, key).map(|view| (view.record.create_time, view.record.revision));
            if stands != Some(*policy) {
                return Err(format!("of the budget {key} the policy {policy:?} was told, and {stands:?} is there"));
            }
        }
        Ok(())
    }

    /// A power loss has taken some of what was told, as it may.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// A server goes on with these leases.
    pub fn stands(&mut self, found: u64, books: &Books) {
        self.told = found;
        self.live.retain(|lease, _| books.rows.leases.contains_key(lease));
        for (lease, record) in &books.rows.leases {
            let key = |id| Name::clone(&books.rows.budgets[&id].key);
            let debits = record.debits.iter().map(|debit| (key(debit.budget), debit.cost)).collect();
            self.live.entry(*lease).or_insert(Granted { debits, until: None });
        }
        let live = books.rows.budgets.values().filter(|row| !row.is_deleted);
        self.budgets = live.map(|row| (Name::clone(&row.key), (row.create_time, row.revision))).collect();
    }
}

fn lease(settled: &Settled) -> LeaseId {
    settled.lease
}
