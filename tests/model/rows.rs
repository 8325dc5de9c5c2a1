//! A store in memory: the rows as a driver's commits leave them, and what a start loads from them.

use std::collections::BTreeMap;

use sluicegate::scheduler::effect::{BudgetRecord, Change, PoolRecord, QueueRecord, RequestRecord, Snapshot};
use sluicegate::scheduler::job::{JobRecord, Name};
use sluicegate::scheduler::lease::LeaseRecord;
use sluicegate::scheduler::units::{BudgetId, JobId, LeaseId};

/// The rows that a start loads.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub budgets: BTreeMap<BudgetId, BudgetRecord>,
    pub pools: BTreeMap<BudgetId, PoolRecord>,
    pub jobs: BTreeMap<JobId, JobRecord>,
    pub leases: BTreeMap<LeaseId, LeaseRecord>,
    pub queues: BTreeMap<Name, QueueRecord>,
    pub requests: BTreeMap<JobId, RequestRecord>,
    pub next_id: u64,
}

impl Rows {
    /// Writes what one commit holds.
    pub fn commit(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::PutBudget(row) => _ = self.budgets.insert(row.id, row),
                Change::DeleteBudget(id) => {
                    self.budgets.remove(&id);
                    self.pools.remove(&id);
                }
                Change::PutPool(row) => _ = self.pools.insert(row.budget, row),
                Change::PutJob(row) => _ = self.jobs.insert(row.id, row),
                Change::DeleteJob { id, .. } => _ = self.jobs.remove(&id),
                Change::PutLease(row) => _ = self.leases.insert(row.id, row),
                Change::DeleteLease(id) => _ = self.leases.remove(&id),
                // As the store does: a queue that isn't paused needs no row.
                Change::PutQueue(row) if !row.paused => _ = self.queues.remove(&row.name),
                Change::PutQueue(row) => _ = self.queues.insert(row.name.clone(), row),
                Change::PutRequest(row) => _ = self.requests.insert(row.number, row),
                Change::DeleteRequest(number) => _ = self.requests.remove(&number),
                Change::ReserveIds(next) => self.next_id = next,
                Change::PutBody(..) | Change::PutFailure(..) | Change::PutResult(..) => {}
            }
        }
    }

    /// What a start loads.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            budgets: self.budgets.values().cloned().collect(),
            pools: self.pools.values().copied().collect(),
            jobs: self.jobs.values().cloned().collect(),
            leases: self.leases.values().cloned().collect(),
            queues: self.queues.values().cloned().collect(),
            requests: self.requests.values().cloned().collect(),
            next_id: self.next_id,
        }
    }
}
