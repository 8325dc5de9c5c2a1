//! Enqueueing, bindings, and what becomes of a job (semantics 3, 6, 8.1).

use std::collections::BTreeMap;
use std::sync::Arc;

use sluicegate::scheduler::command::{BindingOperation, Enqueued, NewBinding, NewJob};
use sluicegate::scheduler::effect::RequestRecord;
use sluicegate::scheduler::job::{Binding, JobRecord, JobState, Name, Phase, ReadyBy, UniqueScope};
use sluicegate::scheduler::policy::Policy;
use sluicegate::scheduler::rejection::CostExceedsCapacity;
use sluicegate::scheduler::units::{JobId, Tokens};
use sluicegate::scheduler::view::JobView;
use sluicegate::scheduler::{Config, Rejection, Reply};

use super::{Answer, Job, Naive, Request};

/// Budgets that a command is going to create.
pub type Fresh = Vec<(Name, Policy)>;

/// Bindings by key.
pub type Keyed = Vec<(Name, Tokens)>;

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
            if first.jobs.len() != jobs.len() {
                return Err(Rejection::invalid("request_id", ""));
            }
            return Ok(self.enqueued(&first.jobs));
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
            let (request, time) = (Name::clone(request), self.now);
            let record = RequestRecord { request, number, jobs: ids.clone(), time };
            self.remember(Request { record, stored_time: time });
        }
        Ok(self.enqueued(&ids))
    }

    /// The jobs by id; a lone one is shown, too, unless it is gone.
    fn enqueued(&self, ids: &[(JobId, bool)]) -> Reply {
        let job = |id| if ids.len() == 1 { self.job_view(id).map(Box::new) } else { None };
        Reply::Enqueued(ids.iter().map(|&(id, existing)| Enqueued { id, existing, job: job(id) }).collect())
    }

    fn remembered(&self, name: &Name) -> Option<&RequestRecord> {
        let is_young = |record: &&RequestRecord| record.time + Config::REQUEST_KEPT > self.now;
        self.requests.iter().map(|request| &request.record).filter(|record| record.request == *name).find(is_young)
    }

    /// One of the same name is forgotten, then the oldest, as long as it is too old or there are too many.
    pub fn remember(&mut self, request: Request) {
        let max = self.config.requests_max as usize;
        let record = &request.record;
        self.requests.retain(|old| old.record.request != record.request);
        while let Some(oldest) = self.requests.first() {
            if self.requests.len() < max && oldest.record.time + Config::REQUEST_KEPT > record.time {
                break;
            }
            self.requests.remove(0);
        }
        self.requests.push(request);
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
            ready_by: if ready_at > self.now { ReadyBy::Caller } else { ReadyBy::Now },
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
        let row = record.clone();
        let (tried, passed) = (false, BTreeMap::new());
        self.jobs.push(Job { row, record, state: JobState::Scheduled, tried, passed });
        self.job_changed(id);
        id
    }

    pub fn bound_to(&self, bindings: impl Iterator<Item = (Name, Tokens)>) -> Arc<[Binding]> {
        let id = |key: &Name| self.find_budget(key).expect("checked or created").id;
        let mut bound: Vec<_> = bindings.map(|(key, cost)| Binding { budget: id(&key), cost }).collect();
        bound.sort();
        bound.into()
    }

    /// Stores a job that was changed, and does what that makes due at once. Says whether the job is still there.
    pub fn job_changed(&mut self, id: JobId) -> bool {
        let now = self.now;
        let job = self.job_mut(id);
        if job.state == JobState::Scheduled && job.record.run_at <= now {
            job.state = JobState::Ready;
        }
        job.row = job.record.clone();
        let is_gone = job.gone_at().is_some_and(|gone_at| gone_at <= now);
        self.join(id);
        self.jobs.retain(|job| !is_gone || job.record.id != id);
        self.note_gates();
        !is_gone
    }

    /// The job that holds a unique key: the oldest of those in whose scope it is.
    pub fn holder(&self, key: &Name) -> Option<JobId> {
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
    pub fn check_bindings(&self, fresh: &mut Fresh, bindings: &[NewBinding], path: &str) -> Result<(), Rejection> {
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

    pub fn create(&mut self, fresh: &Fresh) {
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
        let after = self.after(&mut fresh, id, operation)?;
        self.check_room(fresh.len())?;
        self.create(&fresh);
        self.rebind(id, after);
        Ok(Reply::Job(self.job_view(id).expect("found above")))
    }

    /// A job's bindings after an operation.
    pub fn after(&self, fresh: &mut Fresh, id: JobId, operation: &BindingOperation) -> Result<Keyed, Rejection> {
        let mut after = self.job_view(id).expect("a job that exists").bindings;
        let place = |key: &Name| after.iter().position(|(bound, _)| bound == key);
        let bound = |key: &Name| place(key).ok_or(Rejection::NotBound { job: id, budget: Name::clone(key) });
        match operation {
            BindingOperation::Bind(new) => {
                if place(&new.budget).is_some() {
                    return Err(Rejection::AlreadyBound { job: id, budget: Name::clone(&new.budget) });
                }
                self.check_binding(fresh, new, "operation.bind")?;
                after.push((Name::clone(&new.budget), new.cost));
            }
            BindingOperation::Rebind(new) => {
                self.check_binding(fresh, new, "operation.rebind")?;
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
                self.check_bindings(fresh, all, "operation.replace_all.")?;
                after = all.iter().map(|new| (Name::clone(&new.budget), new.cost)).collect();
            }
        }
        after.sort();
        Ok(after)
    }

    /// Gives a job other bindings, if they are others.
    pub fn rebind(&mut self, id: JobId, after: Keyed) {
        let bindings = self.bound_to(after.into_iter());
        let job = self.job_mut(id);
        if job.record.bindings != bindings {
            job.record.bindings = bindings;
            job.row = job.record.clone();
            self.join(id);
        }
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
