//! Enqueueing, bindings, and what becomes of a job (semantics 3, 6, 8.1).

use std::sync::Arc;

use sluicegate::scheduler::command::{BindingOperation, Enqueued, NewBinding, NewJob};
use sluicegate::scheduler::effect::RequestRecord;
use sluicegate::scheduler::job::{Binding, End, JobRecord, JobState, Name, Phase, UniqueScope};
use sluicegate::scheduler::policy::Policy;
use sluicegate::scheduler::rejection::CostExceedsCapacity;
use sluicegate::scheduler::units::{JobId, Tokens};
use sluicegate::scheduler::view::JobView;
use sluicegate::scheduler::{Config, Rejection, Reply};

use super::{Answer, Job, Naive};

/// Budgets that a command is going to create.
type Fresh = Vec<(Name, Policy)>;

impl Naive {
    pub fn find_job(&self, id: JobId) -> Option<&Job> {
        self.jobs.iter().find(|job| job.record.id == id)
    }

    pub fn job_mut(&mut self, id: JobId) -> &mut Job {
        self.jobs.iter_mut().find(|job| job.record.id == id).expect("a job that exists")
    }

    pub fn job_view(&self, id: JobId) -> Option<JobView> {
        let job = self.find_job(id)?;
        let key = |b: &Binding| (Name::clone(&self.budget(b.budget).key), b.cost);
        let mut bindings: Vec<_> = job.record.bindings.iter().map(key).collect();
        bindings.sort();
        let lease = self.leases.iter().find(|lease| lease.record.job == id).map(|lease| lease.record.clone());
        Some(JobView { record: job.record.clone(), state: job.state, bindings, lease })
    }

    pub fn enqueue(&mut self, request: Option<&Name>, jobs: &[NewJob]) -> Answer {
        if let Some(first) = request.and_then(|name| self.remembered(name)) {
            return self.answer_again(first, jobs);
        }
        let mut fresh = Fresh::new();
        // For each job: the one that holds its unique key, or the earlier one of the batch that will.
        let mut existing: Vec<Option<Result<JobId, usize>>> = Vec::new();
        for (index, job) in jobs.iter().enumerate() {
            let key = job.unique.as_ref().map(|unique| &unique.key);
            let holder = key.and_then(|key| self.holder(key)).map(Ok);
            let twin = || jobs[..index].iter().position(|other| other.unique.as_ref().map(|u| &u.key) == key);
            let holder = holder.or_else(|| key.and_then(|_| twin()).map(Err));
            if holder.is_none() {
                self.check_bindings(&mut fresh, &job.bindings, &format!("jobs[{index}]."))?;
            }
            existing.push(holder);
        }
        self.check_room(fresh.len())?;
        let limit = self.config.jobs_max;
        let more = existing.iter().filter(|holder| holder.is_none()).count();
        if (self.jobs.len() + more) as u64 > limit {
            return Err(Rejection::Overloaded { what: "jobs", limit });
        }
        self.create(&fresh);
        let mut ids: Vec<(JobId, bool)> = Vec::new();
        for (job, existing) in jobs.iter().zip(existing) {
            ids.push(match existing {
                Some(Ok(holder)) => (holder, true),
                Some(Err(twin)) => (ids[twin].0, true),
                None => (self.add_job(job), false),
            });
        }
        if let Some(request) = request {
            let number = JobId(self.id());
            self.remember(RequestRecord { request: Name::clone(request), number, jobs: ids.clone(), time: self.now });
        }
        let view = |(id, existing)| Enqueued { job: self.job_view(id).expect("just enqueued"), existing };
        Ok(Reply::Enqueued(ids.into_iter().map(view).collect()))
    }

    fn remembered(&self, name: &Name) -> Option<&RequestRecord> {
        let is_young = |record: &&RequestRecord| record.time + Config::REQUEST_KEPT > self.now;
        self.requests.iter().filter(|record| record.request == *name).find(is_young)
    }

    /// The oldest are forgotten first, and all that are too old.
    fn remember(&mut self, record: RequestRecord) {
        let max = self.config.requests_max as usize;
        self.requests.retain(|old| old.time + Config::REQUEST_KEPT > record.time);
        let surplus = (self.requests.len() + 1).saturating_sub(max);
        self.requests.drain(..surplus.min(self.requests.len()));
        self.requests.push(record);
    }

    fn answer_again(&self, first: &RequestRecord, jobs: &[NewJob]) -> Answer {
        if first.jobs.len() != jobs.len() {
            return Err(Rejection::invalid("request_id", ""));
        }
        let again = first.jobs.iter().zip(jobs).map(|(&(id, existing), new)| {
            let job = self.job_view(id).unwrap_or_else(|| self.gone(id, new));
            Enqueued { job, existing }
        });
        Ok(Reply::Enqueued(again.collect()))
    }

    /// A job that is gone: its id, and what the call itself says of it.
    fn gone(&self, id: JobId, new: &NewJob) -> JobView {
        let mut record = self.record(id, new, Arc::from([]));
        (record.ready_at, record.run_at) = (self.now, self.now);
        record.phase = Phase::Over(End::Completed, self.now);
        let bindings = new.bindings.iter().map(|b| (Name::clone(&b.budget), b.cost)).collect();
        JobView { record, state: JobState::Completed, bindings, lease: None }
    }

    fn record(&self, id: JobId, new: &NewJob, bindings: Arc<[Binding]>) -> JobRecord {
        let ready_at = new.run_time.map_or(self.now, |run_time| run_time.max(self.now));
        JobRecord {
            id,
            queue: Name::clone(&new.queue),
            kind: Name::clone(&new.kind),
            priority: new.priority,
            bindings,
            options: new.options,
            unique: new.unique.clone(),
            create_time: self.now,
            ready_at,
            run_at: ready_at,
            attempts: 0,
            releases: 0,
            unconfirmed: 0,
            failures: 0,
            phase: Phase::Live,
            body_bytes: new.body.bytes(),
        }
    }

    fn add_job(&mut self, new: &NewJob) -> JobId {
        let id = JobId(self.id());
        let bindings = self.bound_to(new.bindings.iter().map(|b| (Name::clone(&b.budget), b.cost)));
        let record = self.record(id, new, bindings);
        self.jobs.push(Job { record, state: JobState::Scheduled });
        self.job_changed(id);
        id
    }

    fn bound_to(&self, bindings: impl Iterator<Item = (Name, Tokens)>) -> Arc<[Binding]> {
        let id = |key: &Name| self.find_budget(key).expect("checked or created").id;
        let mut bound: Vec<_> = bindings.map(|(key, cost)| Binding { budget: id(&key), cost }).collect();
        bound.sort();
        bound.into()
    }

    /// What the change of a job makes due at once. Says whether the job is still there.
    pub fn job_changed(&mut self, id: JobId) -> bool {
        let now = self.now;
        let job = self.job_mut(id);
        if job.state == JobState::Scheduled && job.record.run_at <= now {
            job.state = JobState::Ready;
        }
        let is_gone = job.gone_at().is_some_and(|gone_at| gone_at <= now);
        self.jobs.retain(|job| !is_gone || job.record.id != id);
        !is_gone
    }

    /// The job that holds a unique key: the oldest of those in whose scope it is.
    fn holder(&self, key: &Name) -> Option<JobId> {
        let holds = |job: &&Job| {
            job.record.unique.as_ref().is_some_and(|unique| {
                let in_scope = match unique.scope {
                    UniqueScope::Queued => matches!(job.state, JobState::Scheduled | JobState::Ready),
                    UniqueScope::Unfinished => !job.is_finished(),
                    UniqueScope::Retained => true,
                };
                unique.key == *key && in_scope
            })
        };
        self.jobs.iter().filter(holds).map(|job| job.record.id).min()
    }

    /// Refuses what can't be bound, and notes what is to be created (semantics 3.2 to 3.4).
    fn check_bindings(&self, fresh: &mut Fresh, bindings: &[NewBinding], path: &str) -> Result<(), Rejection> {
        bindings
            .iter()
            .enumerate()
            .try_for_each(|(i, new)| self.check_binding(fresh, new, &format!("{path}bindings[{i}]")))
    }

    fn check_binding(&self, fresh: &mut Fresh, new: &NewBinding, path: &str) -> Result<(), Rejection> {
        let known = self.find_budget(&new.budget).map(|budget| budget.pool.policy);
        let known = known.or_else(|| Some(fresh.iter().find(|(key, _)| *key == new.budget)?.1));
        let Some(policy) = known.or(new.create_with) else {
            let (key, binding) = (Name::clone(&new.budget), Some(format!("{path}.budget")));
            return Err(Rejection::BudgetNotFound { key, binding });
        };
        if known.is_none() {
            fresh.push((Name::clone(&new.budget), policy));
        }
        fits(&new.budget, new.cost, policy, path)
    }

    fn create(&mut self, fresh: &Fresh) {
        for (key, policy) in fresh {
            self.add_budget(key, *policy);
        }
    }

    pub fn modify_bindings(&mut self, id: JobId, operation: &BindingOperation) -> Answer {
        let job = self.find_job(id).ok_or(Rejection::JobNotFound { id })?;
        if job.state == JobState::InFlight {
            return Err(Rejection::JobInFlight { job: id });
        }
        if job.is_finished() {
            return Err(Rejection::JobFinished { job: id, state: job.state });
        }
        let mut fresh = Fresh::new();
        let mut after = self.job_view(id).expect("found above").bindings;
        let place = |key: &Name| after.iter().position(|(bound, _)| bound == key);
        let bound = |key: &Name| place(key).ok_or(Rejection::NotBound { job: id, budget: Name::clone(key) });
        match operation {
            BindingOperation::Bind(new) => {
                if place(&new.budget).is_some() {
                    return Err(Rejection::AlreadyBound { job: id, budget: Name::clone(&new.budget) });
                }
                self.check_binding(&mut fresh, new, "operation.bind")?;
                after.push((Name::clone(&new.budget), new.cost));
            }
            BindingOperation::Rebind(new) => {
                self.check_binding(&mut fresh, new, "operation.rebind")?;
                after.retain(|(key, _)| *key != new.budget);
                after.push((Name::clone(&new.budget), new.cost));
            }
            BindingOperation::SetCost(key, cost) => {
                let index = bound(key)?;
                let policy = self.find_budget(key).expect("it is bound").pool.policy;
                fits(key, *cost, policy, "operation.set_cost")?;
                after[index].1 = *cost;
            }
            BindingOperation::Unbind(key) => _ = after.remove(bound(key)?),
            BindingOperation::UnbindAll => after.clear(),
            BindingOperation::ReplaceAll(all) => {
                self.check_bindings(&mut fresh, all, "operation.replace_all.")?;
                after = all.iter().map(|new| (Name::clone(&new.budget), new.cost)).collect();
            }
        }
        self.check_room(fresh.len())?;
        self.create(&fresh);
        let bindings = self.bound_to(after.into_iter());
        self.job_mut(id).record.bindings = bindings;
        Ok(Reply::Job(self.job_view(id).expect("found above")))
    }
}

/// Refuses a cost above the capacity (semantics 3.2).
fn fits(budget: &Name, cost: Tokens, policy: Policy, path: &str) -> Result<(), Rejection> {
    let capacity = policy.capacity();
    if cost <= capacity {
        return Ok(());
    }
    let (field, budget) = (Some(format!("{path}.cost")), Name::clone(budget));
    Err(Rejection::CostExceedsCapacity(CostExceedsCapacity { field, budget, cost, capacity, jobs: vec![], total: 0 }))
}
