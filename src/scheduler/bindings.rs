//! Bindings as callers name them: resolved against the budgets that exist or are to be created, and changed on a job.

use std::collections::BTreeMap;

use super::Scheduler;
use super::command::{BindingOperation, NewBinding, Reply};
use super::job::{Binding, Name};
use super::jobs::State;
use super::policy::Policy;
use super::rejection::{CostExceedsCapacity, Rejection, Within};
use super::units::{BudgetId, JobId, Timestamp, Tokens};
use super::validate;

/// The budgets that a command is going to create, in order; the first to name a key decides its policy (semantics 3.4).
#[derive(Debug, Default)]
pub struct Plan {
    order: Vec<(Name, Policy)>,
    by_key: BTreeMap<Name, usize>,
}

impl Plan {
    /// How many budgets it creates.
    pub fn creations(&self) -> usize {
        self.order.len()
    }

    /// Creates no more than the first `creations` budgets.
    pub fn forget_after(&mut self, creations: usize) {
        for (key, _) in self.order.drain(creations..) {
            self.by_key.remove(&key);
        }
    }
}

/// A binding of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedBinding {
    budget: PlannedBudget,
    cost: Tokens,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlannedBudget {
    Existing(BudgetId),
    Created(usize),
}

impl PlannedBinding {
    /// A binding that stays as it is.
    pub fn kept(binding: &Binding) -> Self {
        Self { budget: PlannedBudget::Existing(binding.budget), cost: binding.cost }
    }
}

/// The budgets that a plan has created.
pub struct Created(Vec<BudgetId>);

impl Created {
    /// The bindings of a plan, sorted by budget.
    pub fn bind(&self, planned: Vec<PlannedBinding>) -> Vec<Binding> {
        let bound = planned.into_iter().map(|binding| Binding {
            budget: match binding.budget {
                PlannedBudget::Existing(id) => id,
                PlannedBudget::Created(index) => self.0[index],
            },
            cost: binding.cost,
        });
        let mut bindings: Vec<_> = bound.collect();
        bindings.sort_unstable();
        bindings
    }
}

impl Scheduler {
    /// Resolves the bindings of one job.
    pub(super) fn plan_bindings(
        &self,
        plan: &mut Plan,
        bindings: &[NewBinding],
    ) -> Result<Vec<PlannedBinding>, Rejection> {
        let mut planned = Vec::with_capacity(bindings.len());
        for (index, binding) in bindings.iter().enumerate() {
            planned.push(self.plan_binding(plan, binding).within_item("bindings", index)?);
        }
        Ok(planned)
    }

    fn plan_binding(&self, plan: &mut Plan, new: &NewBinding) -> Result<PlannedBinding, Rejection> {
        let (budget, policy) = if let Some(id) = self.budgets.find(&new.budget) {
            (PlannedBudget::Existing(id), *self.budgets.get(id).pool.policy())
        } else if let Some(index) = plan.by_key.get(&new.budget) {
            (PlannedBudget::Created(*index), plan.order[*index].1)
        } else if let Some(policy) = new.create_with {
            let index = plan.order.len();
            plan.order.push((Name::clone(&new.budget), policy));
            plan.by_key.insert(Name::clone(&new.budget), index);
            (PlannedBudget::Created(index), policy)
        } else {
            let key = Name::clone(&new.budget);
            return Err(Rejection::BudgetNotFound { key, binding: Some("budget".into()) });
        };
        check_cost("cost", &new.budget, new.cost, policy)?;
        Ok(PlannedBinding { budget, cost: new.cost })
    }

    /// Creates the budgets of a plan.
    pub(super) fn carry_out(&mut self, now: Timestamp, plan: Plan) -> Created {
        Created(plan.order.into_iter().map(|(key, policy)| self.insert_budget(now, key, policy)).collect())
    }

    pub(super) fn modify_bindings(
        &mut self,
        now: Timestamp,
        id: JobId,
        operation: &BindingOperation,
    ) -> Result<Reply, Rejection> {
        validate::operation(operation).within(|| "operation".into())?;
        let job = self.jobs.find(id).ok_or(Rejection::JobNotFound { id })?;
        match job.state() {
            State::Scheduled | State::Ready => {}
            State::InFlight(_) => return Err(Rejection::JobInFlight { job: id }),
            State::Over(..) => return Err(Rejection::JobFinished { job: id, state: job.state().shown() }),
        }
        let mut plan = Plan::default();
        let planned = self.plan_operation(&mut plan, id, operation).within(|| "operation".into())?;
        self.check_budget_room(plan.creations())?;
        let created = self.carry_out(now, plan);
        self.rebind_job(id, created.bind(planned).into());
        Ok(Reply::Job(self.job_view(id)))
    }

    /// All bindings the job has after the operation.
    pub(super) fn plan_operation(
        &self,
        plan: &mut Plan,
        id: JobId,
        operation: &BindingOperation,
    ) -> Result<Vec<PlannedBinding>, Rejection> {
        let find = |key: &str| {
            let budget = self.budgets.find(key)?;
            self.bindings_of(id).iter().position(|binding| binding.budget == budget)
        };
        let not_bound = |key: &Name| Rejection::NotBound { job: id, budget: Name::clone(key) };
        let mut after: Vec<PlannedBinding> = self.bindings_of(id).iter().map(PlannedBinding::kept).collect();
        match operation {
            BindingOperation::Bind(new) => {
                if find(&new.budget).is_some() {
                    return Err(Rejection::AlreadyBound { job: id, budget: Name::clone(&new.budget) });
                }
                after.push(self.plan_binding(plan, new).within(|| "bind".into())?);
            }
            BindingOperation::Rebind(new) => {
                let rebound = self.plan_binding(plan, new).within(|| "rebind".into())?;
                match find(&new.budget) {
                    Some(index) => after[index] = rebound,
                    None => after.push(rebound),
                }
            }
            BindingOperation::SetCost(key, cost) => {
                let index = find(key).ok_or_else(|| not_bound(key))?;
                let policy = self.budgets.get(self.bindings_of(id)[index].budget).pool.policy();
                check_cost("set_cost.cost", key, *cost, *policy)?;
                after[index].cost = *cost;
            }
            BindingOperation::Unbind(key) => {
                after.remove(find(key).ok_or_else(|| not_bound(key))?);
            }
            BindingOperation::UnbindAll => after.clear(),
            BindingOperation::ReplaceAll(all) => {
                after = self.plan_bindings(plan, all).within(|| "replace_all".into())?;
            }
        }
        if after.len() > validate::BINDINGS_MAX {
            let problem = format!("would make {} bindings; a job has at most {}", after.len(), validate::BINDINGS_MAX);
            return Err(Rejection::invalid("", problem));
        }
        Ok(after)
    }
}

/// Refuses a cost that the pool could never pay (semantics 3.2).
fn check_cost(field: &str, budget: &Name, cost: Tokens, policy: Policy) -> Result<(), Rejection> {
    let capacity = policy.capacity();
    if cost <= capacity {
        return Ok(());
    }
    Err(Rejection::CostExceedsCapacity(CostExceedsCapacity {
        field: Some(field.into()),
        budget: Name::clone(budget),
        cost,
        capacity,
        jobs: Vec::new(),
        total: 0,
    }))
}
