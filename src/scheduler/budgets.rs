//! The budgets by key and number: who is bound to each, and the commands that create, change and delete them.

use std::collections::{BTreeMap, BTreeSet};

use super::Scheduler;
use super::budget::Pool;
use super::command::Reply;
use super::effect::{BudgetRecord, Change};
use super::event::{Happened, PolicyChange, standing_budget};
use super::job::{JobState, Name};
use super::policy::{Policy, PolicyPatch, Strategy, StrategyPatch};
use super::protect::Waiters;
use super::rejection::{CostExceedsCapacity, Rejection, Within};
use super::slots::IdMap;
use super::units::{BudgetId, LaneId, Timestamp, Tokens};
use super::validate;
use super::view::{BudgetStatus, BudgetView};

/// One budget.
#[derive(Debug)]
pub struct Budget {
    /// Its name.
    pub key: Name,
    /// When it was created.
    pub create_time: Timestamp,
    /// When its policy last changed.
    pub update_time: Timestamp,
    /// Counts the policies it has had.
    pub revision: u64,
    /// Whether it was deleted, and is kept for the finished jobs that name it (semantics 6.5).
    pub is_deleted: bool,
    /// Its tokens and its policy.
    pub pool: Pool,
    /// Unfinished jobs that are bound to it.
    pub bound: u64,
    /// The lanes that are bound to it, by cost.
    pub lanes: BTreeSet<(Tokens, LaneId)>,
    /// When it is next looked at by the clock alone.
    pub alarm: Option<Timestamp>,
    /// The lanes that wait for it, and what it sets aside for them.
    pub waiters: Waiters,
}

impl Budget {
    /// A budget that nothing is bound to yet.
    pub fn new(key: Name, pool: Pool, now: Timestamp) -> Self {
        Self {
            key,
            create_time: now,
            update_time: now,
            revision: 1,
            is_deleted: false,
            pool,
            bound: 0,
            lanes: BTreeSet::new(),
            alarm: None,
            waiters: Waiters::default(),
        }
    }

    /// Changes with the policy, and with nothing else; never the same for a budget that was deleted and created anew.
    pub fn etag(&self) -> String {
        format!("{:x}-{:x}", self.create_time.0, self.revision)
    }

    /// The policy row.
    pub fn record(&self, id: BudgetId) -> BudgetRecord {
        BudgetRecord {
            id,
            key: Name::clone(&self.key),
            policy: *self.pool.policy(),
            create_time: self.create_time,
            update_time: self.update_time,
            revision: self.revision,
            is_deleted: self.is_deleted,
        }
    }

    fn check_etag(&self, etag: Option<&str>) -> Result<(), Rejection> {
        match etag {
            Some(etag) if etag != self.etag() => {
                Err(Rejection::EtagMismatch { key: Name::clone(&self.key), current: self.etag() })
            }
            _ => Ok(()),
        }
    }
}

/// All budgets.
#[derive(Debug, Default)]
pub struct Budgets {
    by_key: BTreeMap<Name, BudgetId>,
    rows: IdMap<Budget>,
}

impl Budgets {
    /// The number of a key.
    pub fn find(&self, key: &str) -> Option<BudgetId> {
        self.by_key.get(key).copied()
    }

    /// Those that jobs show under one of these keys, deleted ones included.
    pub fn shown_as(&self, keys: &[Name]) -> BTreeSet<BudgetId> {
        let mut ids: BTreeSet<BudgetId> = keys.iter().filter_map(|key| self.find(key)).collect();
        if self.rows.len() > self.by_key.len() {
            let deleted = self.iter().filter(|(_, budget)| budget.is_deleted && keys.contains(&budget.key));
            ids.extend(deleted.map(|(id, _)| id));
        }
        ids
    }

    /// How many there are, deleted ones apart.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The budget with a number that is in use.
    pub fn get(&self, id: BudgetId) -> &Budget {
        self.rows.get(id.0).expect("bindings and leases refer to budgets that exist")
    }

    /// The budget with a number that is in use.
    pub fn get_mut(&mut self, id: BudgetId) -> &mut Budget {
        self.rows.get_mut(id.0).expect("bindings and leases refer to budgets that exist")
    }

    /// Whether the number is in use.
    pub fn contains(&self, id: BudgetId) -> bool {
        self.rows.get(id.0).is_some()
    }

    /// Adds a budget; one that isn't deleted has a free key.
    pub fn insert(&mut self, id: BudgetId, budget: Budget) {
        if !budget.is_deleted {
            self.by_key.insert(Name::clone(&budget.key), id);
        }
        self.rows.insert(id.0, budget);
    }

    /// Frees the key of a budget that nothing unfinished is bound to; the budget itself stays until no job names it.
    fn delete(&mut self, id: BudgetId) {
        let budget = self.get_mut(id);
        budget.is_deleted = true;
        let (key, is_unnamed) = (Name::clone(&budget.key), budget.lanes.is_empty());
        self.by_key.remove(&key);
        if is_unnamed {
            self.rows.remove(id.0);
        }
    }

    /// A lane is no more. Says whether a deleted budget goes with it.
    pub fn unbind_lane(&mut self, id: BudgetId, cost: Tokens, lane: LaneId) -> bool {
        let budget = self.get_mut(id);
        budget.lanes.remove(&(cost, lane));
        let is_last = budget.is_deleted && budget.lanes.is_empty();
        if is_last {
            self.rows.remove(id.0);
        }
        is_last
    }

    /// Those whose key is above `after`, in key order.
    pub fn after(&self, after: Option<&str>) -> impl Iterator<Item = (&Name, BudgetId)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = after.map_or(Unbounded, Excluded);
        self.by_key.range::<str, _>((from, Unbounded)).map(|(key, id)| (key, *id))
    }

    /// All, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (BudgetId, &Budget)> {
        self.rows.from(0).map(|(id, budget)| (BudgetId(id), budget))
    }
}

impl Scheduler {
    pub(super) fn create_budget(&mut self, now: Timestamp, key: Name, policy: Policy) -> Result<Reply, Rejection> {
        validate::name("key", &key)?;
        validate::policy(&policy).within(|| "policy".into())?;
        if self.budgets.find(&key).is_some() {
            return Err(Rejection::BudgetAlreadyExists { key });
        }
        self.check_budget_room(1)?;
        let id = self.insert_budget(now, key, policy);
        Ok(Reply::Budget(self.budget_view(now, id)))
    }

    pub(super) fn replace_budget(
        &mut self,
        now: Timestamp,
        key: Name,
        policy: Policy,
        allow_missing: bool,
        etag: Option<&str>,
    ) -> Result<Reply, Rejection> {
        validate::name("key", &key)?;
        validate::policy(&policy).within(|| "policy".into())?;
        let Some(id) = self.budgets.find(&key) else {
            if allow_missing && etag.is_none() {
                return self.create_budget(now, key, policy);
            }
            return Err(Rejection::BudgetNotFound { key, binding: None });
        };
        self.budgets.get(id).check_etag(etag)?;
        self.change_policy(now, id, policy, PolicyChange::Replaced)
    }

    pub(super) fn update_budget(
        &mut self,
        now: Timestamp,
        key: Name,
        patch: PolicyPatch,
        etag: Option<&str>,
    ) -> Result<Reply, Rejection> {
        validate::name("key", &key)?;
        let Some(id) = self.budgets.find(&key) else {
            return Err(Rejection::BudgetNotFound { key, binding: None });
        };
        let budget = self.budgets.get(id);
        budget.check_etag(etag)?;
        let policy = patched(*budget.pool.policy(), patch)?;
        validate::policy(&policy).within(|| "policy".into())?;
        self.change_policy(now, id, policy, PolicyChange::Updated)
    }

    pub(super) fn delete_budget(
        &mut self,
        key: Name,
        allow_missing: bool,
        etag: Option<&str>,
    ) -> Result<Reply, Rejection> {
        validate::name("key", &key)?;
        let Some(id) = self.budgets.find(&key) else {
            if allow_missing {
                return Ok(Reply::Done);
            }
            return Err(Rejection::BudgetNotFound { key, binding: None });
        };
        let budget = self.budgets.get(id);
        budget.check_etag(etag)?;
        if budget.bound > 0 {
            return Err(Rejection::BudgetInUse { key, jobs: budget.bound });
        }
        self.set_alarm(id, None);
        self.lean(id, None);
        self.hope(id, None);
        self.budgets.delete(id);
        self.thirsty.remove(id);
        self.journal.budgets.insert(id);
        self.journal.note(self.now, || Happened::BudgetDeleted(key));
        Ok(Reply::Done)
    }

    /// Whether `more` budgets may be created.
    pub(super) fn check_budget_room(&self, more: usize) -> Result<(), Rejection> {
        let limit = self.config.budgets_max;
        if more > 0 && (self.budgets.len() + more) as u64 > limit {
            return Err(Rejection::BudgetLimitReached { limit });
        }
        Ok(())
    }

    /// Creates a budget whose key is free and whose policy is valid.
    pub(super) fn insert_budget(&mut self, now: Timestamp, key: Name, policy: Policy) -> BudgetId {
        let id = BudgetId(self.ids.next(&mut self.journal));
        self.budgets.insert(id, Budget::new(key, Pool::new(policy, now), now));
        self.journal.budgets.insert(id);
        self.journal.pools.insert(id);
        self.journal.note(now, || Happened::BudgetCreated(standing_budget(&self.budgets, id, now)));
        id
    }

    fn change_policy(
        &mut self,
        now: Timestamp,
        id: BudgetId,
        policy: Policy,
        change: PolicyChange,
    ) -> Result<Reply, Rejection> {
        self.check_costs_fit(id, policy.capacity())?;
        let budget = self.budgets.get_mut(id);
        if *budget.pool.policy() != policy {
            budget.pool.change_policy(policy, now);
            budget.update_time = now;
            budget.revision += 1;
            self.journal.budgets.insert(id);
            self.journal.pools.insert(id);
            self.thirsty.insert(id);
            self.policy_changed(id);
            let budgets = &self.budgets;
            self.journal.note(now, || Happened::BudgetChanged(change, standing_budget(budgets, id, now)));
        }
        Ok(Reply::Budget(self.budget_view(now, id)))
    }

    /// Refuses a capacity below the cost of an unfinished job (semantics 7.4).
    fn check_costs_fit(&self, id: BudgetId, capacity: Tokens) -> Result<(), Rejection> {
        const NAMED_MAX: usize = 10;
        let budget = self.budgets.get(id);
        let mut found: Option<CostExceedsCapacity> = None;
        for &(cost, lane) in budget.lanes.iter().rev().take_while(|(cost, _)| *cost > capacity) {
            let lane = self.lanes.get(lane);
            let unfinished = lane.unfinished();
            if unfinished == 0 {
                continue;
            }
            let facts = found.get_or_insert_with(|| CostExceedsCapacity {
                field: None,
                budget: Name::clone(&budget.key),
                cost,
                capacity,
                jobs: Vec::new(),
                total: 0,
            });
            let room = NAMED_MAX - facts.jobs.len();
            facts.jobs.extend(lane.unfinished_jobs().take(room));
            facts.total += unfinished;
        }
        found.map_or(Ok(()), |facts| Err(Rejection::CostExceedsCapacity(facts)))
    }

    /// A budget as it is now.
    pub fn budget(&self, now: Timestamp, key: &str) -> Option<BudgetView> {
        Some(self.budget_view(now, self.budgets.find(key)?))
    }

    pub(super) fn budget_view(&self, now: Timestamp, id: BudgetId) -> BudgetView {
        let budget = self.budgets.get(id);
        let pool = &budget.pool;
        BudgetView {
            record: budget.record(id),
            etag: budget.etag(),
            status: BudgetStatus {
                available: pool.available(now),
                in_flight_cost: pool.in_flight_cost(),
                in_flight_jobs: pool.in_flight_jobs(),
                parked_jobs: self.parking.jobs(id),
                bound_jobs: budget.bound,
                next_token_time: pool.next_token_time(now),
                blocked_until: pool.blocked_until(now),
            },
        }
    }
}

/// `policy` with what `patch` names changed (semantics 7.1).
fn patched(policy: Policy, patch: PolicyPatch) -> Result<Policy, Rejection> {
    let strategy = match (patch.strategy, policy.strategy) {
        (None, strategy) => strategy,
        (Some(StrategyPatch::WhileInFlight), _) => Strategy::WhileInFlight,
        (Some(StrategyPatch::TimeBased { duration, burst }), _) => Strategy::TimeBased { duration, burst },
        (Some(StrategyPatch::Fields { duration, burst }), Strategy::TimeBased { duration: old, burst: old_burst }) => {
            Strategy::TimeBased { duration: duration.unwrap_or(old), burst: burst.unwrap_or(old_burst) }
        }
        (Some(StrategyPatch::Fields { duration: Some(duration), burst }), Strategy::WhileInFlight) => {
            Strategy::TimeBased { duration, burst: burst.flatten() }
        }
        (Some(StrategyPatch::Fields { duration: None, .. }), Strategy::WhileInFlight) => {
            return Err(Rejection::invalid(
                "policy.time_based.duration",
                "the budget is while_in_flight: a time_based strategy needs a duration",
            ));
        }
    };
    Ok(Policy {
        allocation: patch.allocation.unwrap_or(policy.allocation),
        strategy,
        reserve_after: patch.reserve_after.unwrap_or(policy.reserve_after),
    })
}

/// The deleted budgets of a batch have no row to write: this says which.
pub(super) fn budget_change(budgets: &Budgets, id: BudgetId) -> Change {
    if budgets.contains(id) { Change::PutBudget(budgets.get(id).record(id)) } else { Change::DeleteBudget(id) }
}

/// States in which a job is bound for good.
pub(super) const UNFINISHED: [JobState; 3] = [JobState::Scheduled, JobState::Ready, JobState::InFlight];
