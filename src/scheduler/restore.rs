//! Going on from what a store holds (semantics 10.1, 10.2, 11.1).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Scheduler;
use super::budget::Pool;
use super::budgets::Budget;
use super::config::Config;
use super::effect::{BudgetRecord, PoolRecord, Snapshot};
use super::ids::Ids;
use super::job::{JobRecord, Phase};
use super::jobs::{Job, State};
use super::lane::LaneKey;
use super::lease::{LeaseRecord, Receipt};
use super::leases::Lease;
use super::queue::SizeClass;
use super::units::{BudgetId, JobId, LeaseId, Timestamp};

impl Scheduler {
    /// A scheduler that goes on from what a store holds. An error says which row contradicts which.
    pub fn restore(config: Config, now: Timestamp, snapshot: Snapshot) -> Result<Self, String> {
        let mut scheduler = Self::new(config);
        scheduler.now = now;
        scheduler.ids = Ids::starting_at(snapshot.next_id);
        scheduler.restore_budgets(now, snapshot.budgets, snapshot.pools)?;
        for queue in snapshot.queues {
            let id = scheduler.queues.named(&queue.name);
            scheduler.queues.get_mut(id).paused = queue.paused;
        }
        let leased: BTreeMap<JobId, LeaseId> = snapshot.leases.iter().map(|lease| (lease.job, lease.id)).collect();
        for job in snapshot.jobs {
            let lease = leased.get(&job.id).copied();
            scheduler.restore_job(now, job, lease)?;
        }
        for lease in snapshot.leases {
            scheduler.restore_lease(now, lease)?;
        }
        let mut requests = snapshot.requests;
        requests.sort_by_key(|record| record.number);
        for request in requests {
            let max = scheduler.config.requests_max;
            scheduler.requests.remember(request, max, &mut scheduler.journal.given);
        }
        Ok(scheduler)
    }

    fn restore_budgets(
        &mut self,
        now: Timestamp,
        budgets: Vec<BudgetRecord>,
        pools: Vec<PoolRecord>,
    ) -> Result<(), String> {
        let pools: BTreeMap<BudgetId, PoolRecord> = pools.into_iter().map(|pool| (pool.budget, pool)).collect();
        for record in budgets {
            let Some(stored) = pools.get(&record.id) else {
                return Err(format!("the budget {:?} has no pool row", record.key));
            };
            let pool = Pool::restore(record.policy, stored, now);
            let budget = Budget {
                create_time: record.create_time,
                update_time: record.update_time,
                revision: record.revision,
                is_deleted: record.is_deleted,
                ..Budget::new(record.key, pool, now)
            };
            self.budgets.insert(record.id, budget);
        }
        Ok(())
    }

    fn restore_job(&mut self, now: Timestamp, record: JobRecord, lease: Option<LeaseId>) -> Result<(), String> {
        let id = record.id;
        if let Some(binding) = record.bindings.iter().find(|binding| !self.budgets.contains(binding.budget)) {
            return Err(format!("job {id} is bound to budget {}, which has no row", binding.budget));
        }
        let state = match (record.phase, lease) {
            (Phase::Over(end, at), None) => State::Over(end, at),
            (Phase::Over(..), Some(lease)) => return Err(format!("job {id} is over and has the lease {lease}")),
            (Phase::Live, Some(lease)) => State::InFlight(lease),
            (Phase::Live, None) if record.run_at > now => State::Scheduled,
            (Phase::Live, None) => State::Ready,
        };
        let queue = self.queues.named(&record.queue);
        let gate = self.queues.gate(queue, SizeClass::of(record.body_bytes));
        let lane = self.lane_for(LaneKey { gate, priority: record.priority, bindings: record.bindings });
        let job = Job {
            lane,
            kind: record.kind,
            options: Arc::new(record.options),
            unique: record.unique.map(Box::new),
            create_time: record.create_time,
            ready_at: record.ready_at,
            run_at: record.run_at,
            attempts: record.attempts,
            releases: record.releases,
            unconfirmed: record.unconfirmed,
            failures: record.failures,
            body_bytes: record.body_bytes,
            state,
        };
        self.jobs.insert(id, job);
        self.put_in(id);
        Ok(())
    }

    /// A lease goes on for at least its duration from now, so that its worker can come back for it; one whose receipt is
    /// awaited is released unless that is soon (semantics 5.3, 10.2).
    fn restore_lease(&mut self, now: Timestamp, mut record: LeaseRecord) -> Result<(), String> {
        let id = record.id;
        let Some(job) = self.jobs.find(record.job) else {
            return Err(format!("lease {id} is of job {}, which has no row", record.job));
        };
        if job.state != State::InFlight(id) {
            return Err(format!("job {} has two leases, one of them {id}", record.job));
        }
        for debit in &record.debits {
            if !self.budgets.contains(debit.budget) {
                return Err(format!("lease {id} has debited budget {}, which has no row", debit.budget));
            }
            self.budgets.get_mut(debit.budget).pool.hold(debit.cost);
        }
        record.expire_time = record.expire_time.max(now + record.duration);
        let lease = Lease {
            session: None,
            body_bytes: job.body_bytes,
            timeout_at: job.options.timeout.map(|timeout| record.dispatch_time + timeout),
            confirm_by: (record.receipt == Receipt::Awaited).then(|| now + Config::CONFIRM_WITHIN),
            record,
        };
        self.sessions.note_leased(id, &lease);
        self.add_lease(lease);
        Ok(())
    }
}
