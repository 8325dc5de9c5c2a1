//! One change to all jobs that a filter selects: first what becomes of each, then all of it (semantics 6.1, 6.5, 8.2).

use sluicegate::scheduler::command::{Changed, Ended, JobPatch, JobsChange, NewBinding, Part};
use sluicegate::scheduler::effect::{Effect, RevokeReason};
use sluicegate::scheduler::job::{End, JobState, Name, Phase, ReadyBy};
use sluicegate::scheduler::units::{JobId, Nanos, Timestamp};
use sluicegate::scheduler::view::JobFilter;
use sluicegate::scheduler::{Rejection, Reply};

use super::jobs::{Fresh, Keyed};
use super::leases::{Cause, How};
use super::{Answer, Job, Naive};

/// What becomes of one job.
enum Deed {
    Nothing,
    Blocked,
    Cancel,
    Ask { first: bool },
    ForceCancel,
    Retry(Keyed),
    Delete,
    Update,
    Rebind(Keyed),
}

/// What a call has planned so far: budgets to create, and the unique keys that its retries are going to hold.
#[derive(Clone, Default)]
struct Plan {
    fresh: Fresh,
    keys: Vec<Name>,
    met: Vec<&'static str>,
}

impl Naive {
    /// The model's jobs are too few for a selection that is more than one commit.
    pub fn change_jobs(&mut self, filter: &JobFilter, change: &JobsChange, part: Part) -> Answer {
        let (after, apply) = match part {
            Part::Whole { apply } => (None, apply),
            Part::Step { after, apply } => (after, apply),
        };
        let selected = self.jobs.iter().filter(|job| self.selects(filter, job)).map(|job| job.record.id);
        let mut selected: Vec<JobId> = selected.filter(|id| after.is_none_or(|after| *id > after)).collect();
        selected.sort();
        let mut plan = Plan::default();
        let mut changed = Changed::default();
        let mut deeds = Vec::new();
        for id in selected {
            let deed = self.deed(&mut plan, id, change)?;
            if matches!(deed, Deed::Blocked | Deed::Ask { .. }) {
                changed.blocked.push(id);
                changed.blocked_count += 1;
            }
            if !matches!(deed, Deed::Nothing | Deed::Blocked | Deed::Ask { first: false }) {
                changed.changed += 1;
            }
            deeds.push((id, deed));
        }
        self.check_room(plan.fresh.len())?;
        self.met.append(&mut plan.met);
        if apply {
            self.create(&plan.fresh);
            for (id, deed) in deeds {
                self.carry_out(id, deed, change);
            }
        }
        Ok(Reply::Changed(changed))
    }

    /// Whether a job meets all that the filter asks.
    pub fn selects(&self, filter: &JobFilter, job: &Job) -> bool {
        let record = &job.record;
        let within = |range: Option<(Timestamp, Timestamp)>, at: Timestamp| {
            range.is_none_or(|(from, until)| from <= at && at < until)
        };
        let is_bound = |key: &Name| record.bindings.iter().any(|binding| self.budget(binding.budget).key == *key);
        filter.ids.as_ref().is_none_or(|ids| ids.contains(&record.id))
            && filter.queues.as_ref().is_none_or(|queues| queues.contains(&record.queue))
            && filter.kinds.as_ref().is_none_or(|kinds| kinds.contains(&record.kind))
            && filter.states.as_ref().is_none_or(|states| states.contains(&job.state))
            && filter.budgets.as_ref().is_none_or(|keys| keys.iter().any(is_bound))
            && filter.priority.is_none_or(|(min, max)| min <= record.priority && record.priority <= max)
            && within(filter.create_time, record.create_time)
            && within(filter.run_time, record.ready_at)
    }

    fn deed(&self, plan: &mut Plan, id: JobId, change: &JobsChange) -> Result<Deed, Rejection> {
        let job = self.find_job(id).expect("it was selected");
        let in_flight = job.state == JobState::InFlight;
        match change {
            _ if job.is_finished() && !matches!(change, JobsChange::Retry | JobsChange::Delete) => Ok(Deed::Nothing),
            JobsChange::Cancel { .. } if !in_flight => Ok(Deed::Cancel),
            JobsChange::Cancel { force: true } => Ok(Deed::ForceCancel),
            JobsChange::Cancel { force: false } => {
                let lease = self.leases.iter().find(|lease| lease.record.job == id).expect("it is in flight");
                Ok(Deed::Ask { first: !lease.record.cancelled })
            }
            JobsChange::Retry => self.retry_deed(plan, job),
            JobsChange::Delete => Ok(if in_flight { Deed::Blocked } else { Deed::Delete }),
            JobsChange::Update(patch) => Ok(match job.is_changed_by(patch) {
                true if in_flight => Deed::Blocked,
                true => Deed::Update,
                false => Deed::Nothing,
            }),
            JobsChange::Bindings(operation) => {
                // What is in flight is validated, but nothing is created for it.
                let mut would_be = plan.clone();
                let fresh = if in_flight { &mut would_be.fresh } else { &mut plan.fresh };
                match self.after(fresh, id, operation) {
                    Err(Rejection::AlreadyBound { .. } | Rejection::NotBound { .. }) => Ok(Deed::Nothing),
                    Err(rejection) => Err(rejection),
                    Ok(after) if after == self.job_view(id).expect("it was selected").bindings => Ok(Deed::Nothing),
                    Ok(_) if in_flight => {
                        if would_be.fresh.len() > plan.fresh.len() {
                            plan.met.push("budgets not created for what is in flight");
                        }
                        Ok(Deed::Blocked)
                    }
                    Ok(after) => Ok(Deed::Rebind(after)),
                }
            }
        }
    }

    /// A finished job holds no key that another holds, and its bindings are validated as at an enqueue (semantics 6.5).
    fn retry_deed(&self, plan: &mut Plan, job: &Job) -> Result<Deed, Rejection> {
        let bindings = self.job_view(job.record.id).expect("it was selected").bindings;
        match job.state {
            JobState::Scheduled if job.waits_for_backoff() => return Ok(Deed::Retry(bindings)),
            JobState::Dead | JobState::Cancelled => {}
            _ => return Ok(Deed::Nothing),
        }
        if let Some(unique) = &job.record.unique {
            let holder = self.holder(&unique.key);
            if plan.keys.contains(&unique.key) {
                plan.met.push("retries of one key at once");
                return Ok(Deed::Blocked);
            }
            if holder.is_some_and(|holder| holder != job.record.id) {
                plan.met.push("retries of a key that is held");
                return Ok(Deed::Blocked);
            }
            plan.keys.push(Name::clone(&unique.key));
        }
        let as_enqueued = job.record.bindings.iter().map(|binding| NewBinding {
            budget: Name::clone(&self.budget(binding.budget).key),
            cost: binding.cost,
            create_with: None,
        });
        self.check_bindings(&mut plan.fresh, &as_enqueued.collect::<Vec<_>>(), "")?;
        Ok(Deed::Retry(bindings))
    }

    fn carry_out(&mut self, id: JobId, deed: Deed, change: &JobsChange) {
        let now = self.now;
        match deed {
            Deed::Nothing | Deed::Blocked | Deed::Ask { first: false } => {}
            Deed::Cancel => {
                self.met.push("jobs cancelled");
                self.job_mut(id).end(End::Cancelled, now);
                self.job_changed(id);
            }
            Deed::Ask { first: true } => {
                self.met.push("workers asked to end");
                self.ask_to_cancel(id, RevokeReason::Cancelled);
            }
            Deed::ForceCancel => {
                self.met.push("jobs cancelled by force");
                self.ask_to_cancel(id, RevokeReason::ForceCancelled);
                let lease = self.leases.iter().find(|lease| lease.record.job == id).expect("it is in flight");
                self.end_lease(lease.record.id, How::Release(Cause::Returned, Nanos::ZERO), Ended::Lost);
            }
            Deed::Retry(bindings) => {
                let was_over = self.find_job(id).expect("it was selected").is_finished();
                self.met.push(if was_over { "finished jobs retried" } else { "backoffs ended" });
                self.rebind(id, bindings);
                self.job_mut(id).retry(now);
                self.job_changed(id);
            }
            Deed::Delete => {
                self.met.push("jobs deleted");
                self.jobs.retain(|job| job.record.id != id);
                self.note_gates();
            }
            Deed::Update => {
                let JobsChange::Update(patch) = change else { unreachable!("only an update makes this deed") };
                self.met.push("jobs updated");
                self.job_mut(id).update(patch);
                self.job_changed(id);
            }
            Deed::Rebind(after) => {
                self.met.push("jobs rebound by a filter");
                self.rebind(id, after);
            }
        }
    }

    fn ask_to_cancel(&mut self, job: JobId, reason: RevokeReason) {
        let lease = self.leases.iter_mut().find(|lease| lease.record.job == job).expect("it is in flight");
        lease.record.cancelled = true;
        lease.row = lease.record.clone();
        let id = lease.record.id;
        self.told.extend(lease.session.map(|session| Effect::Revoke(session, vec![id], reason)));
    }
}

impl Job {
    /// Not for a time that its caller chose, nor for as long as a release said.
    fn waits_for_backoff(&self) -> bool {
        self.record.ready_by == ReadyBy::Backoff && self.record.run_at == self.record.ready_at
    }

    /// Ready now, and ranked anew; attempts are reset where it was over (semantics 6.5).
    fn retry(&mut self, now: Timestamp) {
        let record = &mut self.record;
        if let Phase::Over(..) = record.phase {
            record.attempts = 0;
        }
        (record.releases, record.unconfirmed) = (0, 0);
        (record.ready_at, record.run_at, record.phase) = (now, now, Phase::Live);
        (record.ready_by, self.state) = (ReadyBy::Now, JobState::Scheduled);
    }

    /// `ready_at` by a patch: the later of the run time and the enqueue (semantics 1).
    fn patched_ready_at(&self, patch: &JobPatch) -> Option<Timestamp> {
        let create_time = self.record.create_time;
        Some(patch.run_time?.unwrap_or(create_time).max(create_time))
    }

    fn is_changed_by(&self, patch: &JobPatch) -> bool {
        let record = &self.record;
        let until = if self.state == JobState::Scheduled { record.run_at } else { record.ready_at };
        patch.queue.as_ref().is_some_and(|queue| *queue != record.queue)
            || patch.kind.as_ref().is_some_and(|kind| *kind != record.kind)
            || patch.priority.is_some_and(|priority| priority != record.priority)
            || patch.max_attempts.is_some_and(|attempts| attempts != record.options.max_attempts)
            || patch.backoff.is_some_and(|backoff| backoff != record.options.backoff)
            || patch.retention.is_some_and(|retention| retention != record.options.retention)
            || patch.timeout.is_some_and(|timeout| timeout != record.options.timeout)
            || self.patched_ready_at(patch).is_some_and(|at| (at, at) != (record.ready_at, until))
    }

    fn update(&mut self, patch: &JobPatch) {
        let patched_ready_at = self.patched_ready_at(patch);
        let record = &mut self.record;
        record.queue = patch.queue.clone().unwrap_or_else(|| record.queue.clone());
        record.kind = patch.kind.clone().unwrap_or_else(|| record.kind.clone());
        record.priority = patch.priority.unwrap_or(record.priority);
        let options = &mut record.options;
        options.max_attempts = patch.max_attempts.unwrap_or(options.max_attempts);
        options.backoff = patch.backoff.unwrap_or(options.backoff);
        options.retention = patch.retention.unwrap_or(options.retention);
        options.timeout = patch.timeout.unwrap_or(options.timeout);
        if let Some(ready_at) = patched_ready_at {
            (record.ready_at, record.run_at) = (ready_at, ready_at);
            record.ready_by = if ready_at == record.create_time { ReadyBy::Now } else { ReadyBy::Caller };
            self.state = JobState::Scheduled;
        }
    }
}
