//! What callers are shown: why a job waits (semantics 12.1), and the names of all budgets and queues.

use std::collections::BTreeSet;

use sluicegate::scheduler::job::{Binding, JobState, Name};
use sluicegate::scheduler::lease::LeaseRecord;
use sluicegate::scheduler::units::{JobId, Tokens};
use sluicegate::scheduler::view::{BudgetExplanation, Explanation, QueueView};

use super::{Job, Naive};

/// So many of those that hold a budget are named.
const NAMED_MAX: usize = 10;

impl Naive {
    /// Why a job waits.
    pub fn explain(&self, job: &Job) -> Explanation {
        let bytes = job.record.body_bytes;
        let workers = || self.sessions.iter().filter(|session| session.queues.contains(&job.record.queue));
        let with_room = workers().filter(|w| w.takes(bytes) && self.has_room(w) && self.has_bytes_for(w, bytes));
        let mut budgets: Vec<_> = job.record.bindings.iter().map(|binding| self.explain_budget(job, binding)).collect();
        budgets.sort_by(|a, b| a.key.cmp(&b.key));
        Explanation {
            job: self.job_view(job.record.id).expect("it is there"),
            queue_paused: self.paused.contains(&job.record.queue),
            workers: workers().count() as u32,
            workers_with_room: with_room.count() as u32,
            workers_too_small: workers().filter(|worker| !worker.takes(bytes)).count() as u32,
            budgets,
        }
    }

    fn explain_budget(&self, job: &Job, binding: &Binding) -> BudgetExplanation {
        let id = binding.budget;
        let (budget, held) = (self.budget(id), self.held_cost(id));
        let ready = self.jobs.iter().filter(|other| other.state == JobState::Ready && other.rank() < job.rank());
        let ahead: Vec<u64> = ready.filter_map(|other| Some(other.cost_to(id)?.0)).collect();
        let holds = |lease: &LeaseRecord| lease.debits.iter().any(|debit| debit.budget == id);
        let in_flight = self.leases.iter().map(|lease| &lease.record);
        let mut holders: Vec<_> = in_flight.filter(|lease| holds(lease)).map(|lease| (lease.id, lease.job)).collect();
        holders.retain(|_| !budget.pool.policy.is_time_based());
        holders.sort();
        let can_pay = self.pays(job, binding);
        let needed = Tokens(ahead.iter().sum::<u64>() + binding.cost.0);
        let held_by: Vec<JobId> = holders.iter().map(|(_, job)| *job).take(NAMED_MAX).collect();
        BudgetExplanation {
            key: Name::clone(&budget.key),
            policy: budget.pool.policy,
            pool: budget.pool.record(id),
            need: binding.cost,
            available: budget.pool.available(held, self.now),
            can_pay,
            blocked_until: budget.pool.blocked_until(self.now),
            held_by,
            held_by_total: holders.len() as u64,
            waiters_ahead: ahead.len() as u64,
            set_aside: self.set_aside(id, job.rank()).map(|(owner, cost)| (cost, owner)),
            protected: self.is_protected(job, id),
            not_before: if can_pay { None } else { budget.pool.pays_at(needed, held, self.now) },
        }
    }

    /// The keys of all budgets, in order.
    pub fn budget_keys(&self) -> Vec<Name> {
        let there = self.budgets.iter().filter(|budget| !budget.is_deleted);
        there.map(|budget| Name::clone(&budget.key)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The queues that jobs or workers name, and those that are paused, in the order of their names.
    pub fn queues(&self) -> Vec<QueueView> {
        let of_jobs = self.jobs.iter().map(|job| &job.record.queue);
        let of_workers = self.sessions.iter().flat_map(|session| &session.queues);
        let names: BTreeSet<&Name> = of_jobs.chain(of_workers).chain(&self.paused).collect();
        names.into_iter().map(|name| self.queue_view(name)).collect()
    }
}
