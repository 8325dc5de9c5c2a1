//! Commands about budgets and queues (semantics 7, 9.4, 9.5).

use sluicegate::scheduler::effect::BudgetRecord;
use sluicegate::scheduler::job::{JobState, Name};
use sluicegate::scheduler::policy::{Policy, PolicyPatch, Strategy, StrategyPatch};
use sluicegate::scheduler::rejection::CostExceedsCapacity;
use sluicegate::scheduler::units::{BudgetId, Nanos, Tokens};
use sluicegate::scheduler::view::{BudgetStatus, BudgetView, Depth, QueueView};
use sluicegate::scheduler::{Rejection, Reply};

use super::{Answer, Budget, Flaw, Job, Naive, Pool};

impl Budget {
    pub fn etag(&self) -> String {
        format!("{:x}-{:x}", self.create_time.0, self.revision)
    }

    pub fn record(&self) -> BudgetRecord {
        BudgetRecord {
            id: self.id,
            key: Name::clone(&self.key),
            policy: self.pool.policy,
            create_time: self.create_time,
            update_time: self.update_time,
            revision: self.revision,
            is_deleted: self.is_deleted,
        }
    }
}

impl Job {
    pub fn is_finished(&self) -> bool {
        matches!(self.state, JobState::Completed | JobState::Dead | JobState::Cancelled)
    }

    pub fn cost_to(&self, budget: BudgetId) -> Option<Tokens> {
        self.record.bindings.iter().find(|binding| binding.budget == budget).map(|binding| binding.cost)
    }
}

impl Naive {
    pub fn find_budget(&self, key: &str) -> Option<&Budget> {
        self.budgets.iter().find(|budget| *budget.key == *key && !budget.is_deleted)
    }

    pub fn budget(&self, id: BudgetId) -> &Budget {
        self.budgets.iter().find(|budget| budget.id == id).expect("bindings name budgets that exist")
    }

    fn budget_mut(&mut self, id: BudgetId) -> &mut Budget {
        self.budgets.iter_mut().find(|budget| budget.id == id).expect("bindings name budgets that exist")
    }

    pub fn pool_mut(&mut self, id: BudgetId) -> &mut Pool {
        &mut self.budget_mut(id).pool
    }

    /// The costs of all leases that debited it.
    pub fn held(&self, id: BudgetId) -> impl Iterator<Item = u64> + '_ {
        let debits = self.leases.iter().flat_map(|lease| &lease.record.debits);
        debits.filter(move |debit| debit.budget == id).map(|debit| debit.cost.0)
    }

    pub fn held_cost(&self, id: BudgetId) -> i128 {
        self.held(id).map(i128::from).sum()
    }

    /// Its unfinished jobs.
    pub fn bound(&self, id: BudgetId) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(move |job| !job.is_finished() && job.cost_to(id).is_some())
    }

    /// As it is now, but for the count of the parked.
    pub fn budget_view(&self, id: BudgetId) -> BudgetView {
        let (budget, held) = (self.budget(id), self.held_cost(id));
        BudgetView {
            record: budget.record(),
            etag: budget.etag(),
            status: BudgetStatus {
                available: budget.pool.available(held, self.now),
                in_flight_cost: self.held(id).sum(),
                in_flight_jobs: self.held(id).count() as u64,
                parked_jobs: 0,
                bound_jobs: self.bound(id).count() as u64,
                next_token_time: budget.pool.next_token_time(self.now),
                blocked_until: budget.pool.blocked_until(self.now),
            },
        }
    }

    fn view(&self, id: BudgetId) -> Answer {
        Ok(Reply::Budget(self.budget_view(id)))
    }

    fn known(&self, key: &Name, etag: Option<&str>) -> Result<BudgetId, Rejection> {
        let Some(budget) = self.find_budget(key) else {
            return Err(Rejection::BudgetNotFound { key: Name::clone(key), binding: None });
        };
        if etag.is_some_and(|etag| etag != budget.etag()) {
            return Err(Rejection::EtagMismatch { key: Name::clone(key), current: budget.etag() });
        }
        Ok(budget.id)
    }

    pub fn check_room(&self, more: usize) -> Result<(), Rejection> {
        let limit = self.config.budgets_max;
        let there_are = self.budgets.iter().filter(|budget| !budget.is_deleted).count();
        if more > 0 && (there_are + more) as u64 > limit {
            return Err(Rejection::BudgetLimitReached { limit });
        }
        Ok(())
    }

    pub fn add_budget(&mut self, key: &Name, policy: Policy) -> BudgetId {
        let (id, now) = (BudgetId(self.id()), self.now);
        let pool = Pool::new(policy, now);
        let key = Name::clone(key);
        let budget = Budget { id, key, create_time: now, update_time: now, revision: 1, is_deleted: false, pool };
        self.budgets.push(budget);
        id
    }

    pub fn create_budget(&mut self, key: &Name, policy: Policy) -> Answer {
        if self.find_budget(key).is_some() {
            return Err(Rejection::BudgetAlreadyExists { key: Name::clone(key) });
        }
        self.check_room(1)?;
        let id = self.add_budget(key, policy);
        self.view(id)
    }

    pub fn replace_budget(&mut self, key: &Name, policy: Policy, allow_missing: bool, etag: Option<&str>) -> Answer {
        if self.find_budget(key).is_none() && allow_missing && etag.is_none() {
            return self.create_budget(key, policy);
        }
        let id = self.known(key, etag)?;
        self.change_policy(id, policy)
    }

    pub fn update_budget(&mut self, key: &Name, patch: PolicyPatch, etag: Option<&str>, flaw: Option<&Flaw>) -> Answer {
        let id = self.known(key, etag)?;
        let mut policy = self.budget(id).pool.policy;
        let (old_duration, old_burst) = match policy.strategy {
            Strategy::TimeBased { duration, burst } => (Some(duration), burst),
            Strategy::WhileInFlight => (None, None),
        };
        policy.strategy = match patch.strategy {
            None => policy.strategy,
            Some(StrategyPatch::WhileInFlight) => Strategy::WhileInFlight,
            Some(StrategyPatch::TimeBased { duration, burst }) => Strategy::TimeBased { duration, burst },
            Some(StrategyPatch::Fields { duration, burst }) => {
                let needed = || Rejection::invalid("policy.time_based.duration", "");
                let duration = duration.or(old_duration).ok_or_else(needed)?;
                Strategy::TimeBased { duration, burst: burst.unwrap_or(old_burst) }
            }
        };
        policy.allocation = patch.allocation.unwrap_or(policy.allocation);
        policy.reserve_after = patch.reserve_after.unwrap_or(policy.reserve_after);
        late(flaw)?;
        self.change_policy(id, policy)
    }

    fn change_policy(&mut self, id: BudgetId, policy: Policy) -> Answer {
        let (capacity, budget) = (policy.capacity(), Name::clone(&self.budget(id).key));
        let too_dear = self.bound(id).filter_map(|job| Some((job.cost_to(id)?, job.record.id)));
        let too_dear: Vec<_> = too_dear.filter(|(cost, _)| *cost > capacity).collect();
        if let Some((cost, _)) = too_dear.iter().max() {
            let jobs: Vec<_> = too_dear.iter().map(|(_, job)| *job).collect();
            let total = jobs.len() as u64;
            let (field, cost) = (None, *cost);
            let facts = CostExceedsCapacity { field, budget, cost, capacity, jobs, total };
            return Err(Rejection::CostExceedsCapacity(facts));
        }
        let (held, now) = (self.held_cost(id), self.now);
        let budget = self.budget_mut(id);
        if budget.pool.policy != policy {
            budget.pool.change_policy(policy, held, now);
            budget.update_time = now;
            budget.revision += 1;
        }
        self.view(id)
    }

    pub fn delete_budget(&mut self, key: &Name, allow_missing: bool, etag: Option<&str>) -> Answer {
        if allow_missing && self.find_budget(key).is_none() {
            return Ok(Reply::Done);
        }
        let id = self.known(key, etag)?;
        let jobs = self.bound(id).count() as u64;
        if jobs > 0 {
            return Err(Rejection::BudgetInUse { key: Name::clone(key), jobs });
        }
        self.budget_mut(id).is_deleted = true;
        if self.jobs.iter().any(|job| job.cost_to(id).is_some()) {
            self.met.push("budgets kept for finished jobs");
        }
        Ok(Reply::Done)
    }

    /// Deleted budgets are kept as long as jobs name them, to be looked for by key at a retry (semantics 6.5).
    pub fn forget_unnamed(&mut self) {
        let jobs = &self.jobs;
        self.budgets.retain(|budget| !budget.is_deleted || jobs.iter().any(|job| job.cost_to(budget.id).is_some()));
    }

    pub fn block_budget(&mut self, key: &Name, span: Option<Nanos>, flaw: Option<&Flaw>) -> Answer {
        let id = self.known(key, None)?;
        late(flaw)?;
        let now = self.now;
        self.pool_mut(id).block(span, now);
        self.view(id)
    }

    pub fn unblock_budget(&mut self, key: &Name) -> Answer {
        let id = self.known(key, None)?;
        self.pool_mut(id).unblock();
        self.view(id)
    }

    pub fn adjust_budget(&mut self, key: &Name, level: Tokens) -> Answer {
        let (id, now) = (self.known(key, None)?, self.now);
        let policy = self.budget(id).pool.policy;
        if !policy.is_time_based() || level > policy.capacity() {
            return Err(Rejection::invalid("level", ""));
        }
        self.pool_mut(id).adjust(level, now);
        self.view(id)
    }

    pub fn pause(&mut self, queue: &Name) -> Answer {
        self.paused.insert(Name::clone(queue));
        self.sessions.iter_mut().for_each(|session| session.had_room_for.retain(|(other, _)| other != queue));
        Ok(Reply::Queue(self.queue_view(queue)))
    }

    pub fn resume(&mut self, queue: &Name) -> Answer {
        self.paused.remove(queue);
        Ok(Reply::Queue(self.queue_view(queue)))
    }

    /// A queue but for its depth, whose numbers only the scheduler under test can set.
    pub fn queue_view(&self, queue: &Name) -> QueueView {
        let ready = self.jobs.iter().filter(|job| job.record.queue == *queue && job.state == JobState::Ready);
        QueueView {
            name: Name::clone(queue),
            paused: self.paused.contains(queue),
            depth: Depth::default(),
            oldest_ready_at: ready.map(|job| job.record.ready_at).min(),
            workers: self.sessions.iter().filter(|session| session.queues.contains(queue)).count() as u32,
        }
    }

    /// How many jobs of a queue are in a state.
    pub fn depth(&self, queue: &Name, state: JobState) -> u64 {
        self.jobs.iter().filter(|job| job.record.queue == *queue && job.state == state).count() as u64
    }
}

/// A bound that is looked at once the budget is found.
fn late(flaw: Option<&Flaw>) -> Result<(), Rejection> {
    match flaw {
        Some(Flaw::Late(field)) => Err(Rejection::invalid(field, "")),
        _ => Ok(()),
    }
}
