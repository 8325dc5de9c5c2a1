//! One change to all jobs that a filter selects (semantics 8.2): what each becomes is decided for all of them before the
//! first is touched, so that a change which is invalid for any of them changes none.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Scheduler;
use super::bindings::{Plan, PlannedBinding};
use super::command::{BindingOperation, Changed, JobPatch, JobsChange, Part, Reply};
use super::event::{self, Happened};
use super::job::{Binding, End, Name, ReadyBy};
use super::jobs::{Common, Job, State};
use super::lane::LaneKey;
use super::rejection::{Rejection, Within};
use super::units::{JobId, Timestamp};
use super::validate;
use super::view::JobFilter;

/// The most jobs that one commit changes whole.
const WHOLE_MAX: usize = 10_000;
/// How many jobs one step of a larger change looks at.
const STEP_JOBS: usize = 2_000;
/// How many blocked jobs are named.
const BLOCKED_NAMED_MAX: usize = 1_000;

/// What is to become of one job.
enum Deed {
    /// Nothing: it is so already, or the change isn't for its state.
    Nothing,
    /// Nothing, since it is in flight.
    Blocked,
    /// It ends as cancelled.
    Cancel,
    /// Its worker is asked to end; whether this call is the first to ask.
    Ask { first: bool },
    /// Its lease ends with it.
    ForceCancel,
    /// It is ready again, with these bindings, and with its attempts reset if it was over.
    Retry(Vec<PlannedBinding>),
    /// It is removed.
    Delete,
    /// Its spec is another.
    Update,
    /// Its bindings are others.
    Rebind(Vec<PlannedBinding>),
}

impl Scheduler {
    pub(super) fn change_jobs(
        &mut self,
        now: Timestamp,
        filter: &JobFilter,
        change: &JobsChange,
        part: Part,
    ) -> Result<Reply, Rejection> {
        validate::jobs_change(change, now)?;
        let (after, limit) = match part {
            Part::Whole { .. } => (None, WHOLE_MAX),
            Part::Step { after, .. } => (after, STEP_JOBS),
        };
        let (ids, next_after) = self.select(filter, after, limit)?;
        if matches!(part, Part::Whole { .. }) && next_after.is_some() {
            return Ok(Reply::TooMany);
        }
        let mut plan = Plan::default();
        // The unique keys of those to be retried: of several only the first is.
        let mut keys = BTreeSet::new();
        let mut changed = Changed { next_after, ..Changed::default() };
        let mut deeds = Vec::new();
        for id in ids {
            let deed = self.deed(&mut plan, &mut keys, id, change)?;
            changed.count(id, &deed);
            if !matches!(deed, Deed::Nothing | Deed::Blocked) {
                deeds.push((id, deed));
            }
        }
        self.check_budget_room(plan.creations())?;
        if let Part::Whole { apply: true } | Part::Step { apply: true, .. } = part {
            let created = self.carry_out(now, plan);
            for (id, deed) in deeds {
                match deed {
                    Deed::Nothing | Deed::Blocked => {}
                    Deed::Cancel => self.cancel_job(now, id),
                    Deed::Ask { .. } => self.ask_to_cancel(id),
                    Deed::ForceCancel => self.force_cancel(now, id),
                    Deed::Retry(bindings) => self.retry_job(now, id, created.bind(bindings).into()),
                    Deed::Delete => self.delete_job(id),
                    Deed::Update => self.update_job(now, id, change),
                    Deed::Rebind(bindings) => self.rebind_job(id, created.bind(bindings).into()),
                }
            }
        }
        Ok(Reply::Changed(changed))
    }

    fn deed(
        &self,
        plan: &mut Plan,
        keys: &mut BTreeSet<Name>,
        id: JobId,
        change: &JobsChange,
    ) -> Result<Deed, Rejection> {
        let job = self.jobs.get(id);
        match (change, job.state()) {
            (JobsChange::Cancel { .. }, State::Scheduled | State::Ready) => Ok(Deed::Cancel),
            (JobsChange::Cancel { force: true }, State::InFlight(_)) => Ok(Deed::ForceCancel),
            (JobsChange::Cancel { force: false }, State::InFlight(lease)) => {
                Ok(Deed::Ask { first: !self.leases.get(lease).record.cancelled })
            }
            (JobsChange::Retry, State::Over(End::Dead | End::Cancelled, _)) => self.retry_deed(plan, keys, id, job),
            (JobsChange::Retry, State::Scheduled) if job.waits_for_backoff() => {
                Ok(Deed::Retry(self.bindings_of(id).iter().map(PlannedBinding::kept).collect()))
            }
            (JobsChange::Delete, State::InFlight(_)) => Ok(Deed::Blocked),
            (JobsChange::Delete, _) => Ok(Deed::Delete),
            (JobsChange::Update(patch), State::Scheduled | State::Ready | State::InFlight(_)) => {
                let deed = if self.is_changed_by(job, patch) { Deed::Update } else { Deed::Nothing };
                Ok(blocked_in_flight(job, deed))
            }
            (JobsChange::Bindings(operation), State::Scheduled | State::Ready | State::InFlight(_)) => {
                // One in flight is validated, but no budget is created for it.
                let creations = plan.creations();
                let deed = blocked_in_flight(job, self.rebind_deed(plan, id, operation)?);
                if let Deed::Blocked = deed {
                    plan.forget_after(creations);
                }
                Ok(deed)
            }
            _ => Ok(Deed::Nothing),
        }
    }

    /// A finished job's bindings are looked up anew, by key, as an enqueue would (semantics 6.5).
    fn retry_deed(&self, plan: &mut Plan, keys: &mut BTreeSet<Name>, id: JobId, job: &Job) -> Result<Deed, Rejection> {
        let holder = job.unique.as_deref().and_then(|unique| self.jobs.holder(&unique.key));
        let is_taken = job.unique.as_deref().is_some_and(|unique| keys.contains(&unique.key));
        if is_taken || holder.is_some_and(|holder| holder != id) {
            return Ok(Deed::Blocked);
        }
        keys.extend(job.unique.as_deref().map(|unique| Name::clone(&unique.key)));
        let named = |binding: &Binding| super::command::NewBinding {
            budget: Name::clone(&self.budgets.get(binding.budget).key),
            cost: binding.cost,
            create_with: None,
        };
        let named: Vec<_> = self.bindings_of(id).iter().map(named).collect();
        Ok(Deed::Retry(self.plan_bindings(plan, &named)?))
    }

    fn rebind_deed(&self, plan: &mut Plan, id: JobId, operation: &BindingOperation) -> Result<Deed, Rejection> {
        match self.plan_operation(plan, id, operation).within(|| "operation".into()) {
            Ok(planned) if self.is_bound_so(id, &planned) => Ok(Deed::Nothing),
            Ok(planned) => Ok(Deed::Rebind(planned)),
            Err(Rejection::AlreadyBound { .. } | Rejection::NotBound { .. }) => Ok(Deed::Nothing),
            Err(rejection) => Err(rejection),
        }
    }

    fn is_bound_so(&self, id: JobId, planned: &[PlannedBinding]) -> bool {
        let bound = self.bindings_of(id);
        planned.len() == bound.len() && bound.iter().all(|binding| planned.contains(&PlannedBinding::kept(binding)))
    }

    fn cancel_job(&mut self, now: Timestamp, id: JobId) {
        self.change_job(now, id, |job| job.set_state(State::Over(End::Cancelled, now)));
    }

    fn retry_job(&mut self, now: Timestamp, id: JobId, bindings: Arc<[Binding]>) {
        self.rebind_job(id, bindings);
        self.change_job(now, id, |job| {
            if let State::Over(..) = job.state() {
                job.attempts = 0;
            }
            job.releases = 0;
            job.unconfirmed = 0;
            job.ready_at = now;
            job.ready_by = ReadyBy::Now;
            job.run_at = now;
            job.set_state(State::Scheduled);
        });
    }

    /// Gives a job other bindings, if they are others.
    pub(super) fn rebind_job(&mut self, id: JobId, bindings: Arc<[Binding]>) {
        let key = &self.lanes.get(self.jobs.get(id).lane).key;
        if key.bindings != bindings {
            self.move_job(id, LaneKey { bindings, ..key.clone() });
            let bindings = &self.lanes.get(self.jobs.get(id).lane).key.bindings;
            self.journal
                .note(self.now, || Happened::Rebound { job: id, bindings: event::bound(&self.budgets, bindings) });
        }
    }

    fn is_changed_by(&self, job: &Job, patch: &JobPatch) -> bool {
        let key = &self.lanes.get(job.lane).key;
        let queue = &self.queues.of_gate(key.gate).name;
        let common = self.jobs.common(job.common);
        patch.queue.as_ref().is_some_and(|new| new != queue)
            || patch.kind.as_ref().is_some_and(|new| *new != common.kind)
            || patch.priority.is_some_and(|new| new != key.priority)
            || patch.apply(&common.options) != common.options
            || patched_ready_at(job, patch).is_some_and(|new| new != job.ready_at || job.is_delayed())
    }

    fn update_job(&mut self, now: Timestamp, id: JobId, change: &JobsChange) {
        let JobsChange::Update(patch) = change else { unreachable!("only an update makes this deed") };
        let job = self.jobs.get(id);
        let mut key = self.lanes.get(job.lane).key.clone();
        let class = self.queues.get_gate(key.gate).class;
        let before = self.jobs.common(job.common);
        let kind = patch.kind.as_ref().unwrap_or(&before.kind);
        let common = Common { kind: Name::clone(kind), options: patch.apply(&before.options) };
        key.priority = patch.priority.unwrap_or(key.priority);
        if let Some(name) = &patch.queue {
            let queue = self.queues.named(name);
            key.gate = self.queues.gate(queue, class);
        }
        self.move_job(id, key);
        self.jobs.reshare(id, common);
        self.change_job(now, id, |job| {
            if let Some(ready_at) = patched_ready_at(job, patch) {
                job.ready_at = ready_at;
                job.ready_by = if ready_at == job.create_time { ReadyBy::Now } else { ReadyBy::Caller };
                job.run_at = ready_at;
                job.set_state(State::Scheduled);
            }
        });
    }
}

/// The later of a patch's run time and the enqueue.
fn patched_ready_at(job: &Job, patch: &JobPatch) -> Option<Timestamp> {
    Some(patch.run_time?.unwrap_or(job.create_time).max(job.create_time))
}

fn blocked_in_flight(job: &Job, deed: Deed) -> Deed {
    match (job.state(), deed) {
        (State::InFlight(_), Deed::Update | Deed::Rebind(_)) => Deed::Blocked,
        (_, deed) => deed,
    }
}

impl Changed {
    /// What the next step has done, too.
    pub fn add(&mut self, step: Self) {
        self.changed += step.changed;
        self.blocked_count += step.blocked_count;
        let room = BLOCKED_NAMED_MAX - self.blocked.len();
        self.blocked.extend(step.blocked.into_iter().take(room));
        self.next_after = step.next_after;
    }

    fn count(&mut self, id: JobId, deed: &Deed) {
        let (changed, blocked) = match deed {
            Deed::Nothing => (false, false),
            Deed::Blocked => (false, true),
            Deed::Ask { first } => (*first, true),
            _ => (true, false),
        };
        self.changed += u64::from(changed);
        self.blocked_count += u64::from(blocked);
        if blocked && self.blocked.len() < BLOCKED_NAMED_MAX {
            self.blocked.push(id);
        }
    }
}

#[cfg(test)]
mod tests;
