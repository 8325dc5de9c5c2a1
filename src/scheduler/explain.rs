//! Why a job isn't being dispatched (semantics 12).

use std::collections::BTreeSet;

use super::Scheduler;
use super::job::{Binding, JobState, Rank};
use super::jobs::State;
use super::lane::Lane;
use super::rejection::Rejection;
use super::set_aside::SetAsides;
use super::units::{BudgetId, JobId, Timestamp, Tokens};
use super::view::{BudgetExplanation, Explanation};

/// How many holders of a budget are named.
const HOLDERS_NAMED_MAX: usize = 10;

impl Scheduler {
    /// The facts of a job's wait, as they are now.
    pub fn explain(&self, now: Timestamp, id: JobId) -> Result<Explanation, Rejection> {
        let job = self.jobs.find(id).ok_or(Rejection::JobNotFound { id })?;
        let lane = self.lanes.get(job.lane);
        let rank = lane.rank(job.ready_at, id);
        let gate = self.queues.get_gate(lane.key.gate);
        let queue = self.queues.get(gate.queue);
        let sessions = || queue.sessions.iter().map(|session| self.sessions.get(*session));
        let mut budgets: Vec<_> =
            lane.key.bindings.iter().map(|binding| self.explain_budget(now, lane, rank, *binding)).collect();
        budgets.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Explanation {
            job: self.job_view(id),
            queue_paused: queue.paused,
            workers: queue.sessions.len() as u32,
            workers_with_room: sessions().filter(|s| s.class >= gate.class && s.has_room_for(job.body_bytes)).count()
                as u32,
            workers_too_small: sessions().filter(|s| s.class < gate.class).count() as u32,
            budgets,
        })
    }

    fn explain_budget(&self, now: Timestamp, lane: &Lane, rank: Rank, binding: Binding) -> BudgetExplanation {
        let Binding { budget: id, cost: need } = binding;
        let budget = self.budgets.get(id);
        let pool = &budget.pool;
        let owner = SetAsides::new(self, now).owner(id, Some(rank));
        let aside = owner.map_or(Tokens(0), |owner| owner.cost);
        let can_pay = pool.can_pay(need, aside, now);
        let (waiters_ahead, tokens_ahead) = self.waiters_ahead(rank, id);
        let (held_by, held_by_total) =
            if pool.policy().is_time_based() { (Vec::new(), 0) } else { (self.holders(id), pool.in_flight_jobs()) };
        BudgetExplanation {
            key: super::job::Name::clone(&budget.key),
            policy: *pool.policy(),
            pool: pool.record(id),
            need,
            available: pool.available(now),
            can_pay,
            blocked_until: pool.blocked_until(now),
            held_by,
            held_by_total,
            waiters_ahead,
            set_aside: owner.map(|owner| (owner.cost, owner.rank.job)),
            protected: self.is_protected(now, lane, rank, id),
            not_before: if can_pay { None } else { pool.pays_at(tokens_ahead + u128::from(need.0), now) },
        }
    }

    /// The first of the jobs that hold tokens of a budget, in the order of their dispatch.
    fn holders(&self, id: BudgetId) -> Vec<JobId> {
        let mut first = BTreeSet::new();
        for (_, lane) in &self.budgets.get(id).lanes {
            for job in self.lanes.get(*lane).jobs_in(JobState::InFlight, None) {
                let State::InFlight(lease) = self.jobs.get(job).state() else {
                    unreachable!("it is listed as in flight")
                };
                first.insert((lease, job));
                if first.len() > HOLDERS_NAMED_MAX {
                    first.pop_last();
                }
            }
        }
        first.into_iter().map(|(_, job)| job).collect()
    }

    /// How many ready jobs that are bound to a budget go before `rank`, and what they cost it together.
    fn waiters_ahead(&self, rank: Rank, id: BudgetId) -> (u64, u128) {
        let lanes = self.budgets.get(id).lanes.iter();
        lanes.fold((0, 0), |(jobs, tokens), (cost, lane)| {
            let ahead = self.lanes.get(*lane).ready_before(rank);
            (jobs + ahead, tokens + u128::from(ahead) * u128::from(cost.0))
        })
    }
}
