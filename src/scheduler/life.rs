//! A job's life: how it comes into its lane, leaves it, and what becomes of it at the end of an attempt.
//!
//! Every change of a job is the same three steps: out of the lane, change, back in. So the lanes, the parked counts,
//! the bound counts, the timers and the unique keys can't drift from the jobs.

use std::sync::Arc;

use super::Scheduler;
use super::effect::Change;
use super::job::{Binding, End, Failure, JobRecord, Name, Rank, ReadyBy};
use super::jobs::{Job, State};
use super::lane::{LaneKey, Place};
use super::lease::LeaseRecord;
use super::protect::Marks;
use super::retry;
use super::timers::Timer;
use super::units::{BudgetId, GateId, JobId, LaneId, LeaseId, Nanos, Timestamp};
use super::view::JobView;

impl Scheduler {
    /// Changes a job, wherever it is, and notes its row. What the change makes due at once is done at once: a job
    /// whose time has come is ready, one that isn't kept is removed. Says whether it is still there.
    pub(super) fn change_job(&mut self, now: Timestamp, id: JobId, change: impl FnOnce(&mut Job)) -> bool {
        let marks = self.take_out(id);
        let job = self.jobs.get_mut(id);
        let (lane, was_over) = (job.lane, job.state().is_over());
        change(job);
        let is_due = self.jobs.due(id).is_some_and(|due| due <= now);
        let job = self.jobs.get_mut(id);
        if is_due && job.state() == State::Scheduled {
            job.set_state(State::Ready);
        }
        let is_over = job.state().is_over();
        match (was_over, is_over) {
            (false, true) => self.count_bound(lane, -1),
            (true, false) => self.count_bound(lane, 1),
            _ => {}
        }
        if is_over && is_due {
            self.drop_job(id);
            return false;
        }
        self.put_in(id, &marks);
        self.journal.jobs.push(id);
        true
    }

    /// A ready job is in flight under this lease, and no longer passed over. Nothing of its row changes.
    pub(super) fn take_off(&mut self, id: JobId, lease: LeaseId) {
        self.take_out(id);
        self.jobs.get_mut(id).set_state(State::InFlight(lease));
        self.put_in(id, &Marks::new());
    }

    /// Puts a new job into its lane.
    pub(super) fn add_job(&mut self, id: JobId, job: Job) {
        let (lane, is_over) = (job.lane, job.state().is_over());
        self.jobs.insert(id, job);
        self.put_in(id, &Marks::new());
        if !is_over {
            self.count_bound(lane, 1);
        }
    }

    /// Moves a job that isn't in flight to another lane, at its old rank, and as much passed over as it was.
    pub(super) fn move_job(&mut self, id: JobId, key: LaneKey) {
        let job = self.jobs.get(id);
        let (old, is_over) = (job.lane, job.state().is_over());
        let marks = self.take_out(id);
        let new = self.lane_for(key);
        self.jobs.get_mut(id).lane = new;
        self.put_in(id, &marks);
        if !is_over {
            self.count_bound(old, -1);
            self.count_bound(new, 1);
        }
        self.forget_lane_if_empty(old);
        self.journal.jobs.push(id);
    }

    /// Removes a job that isn't in flight, for good.
    pub(super) fn delete_job(&mut self, id: JobId) {
        self.take_out(id);
        let job = self.jobs.get(id);
        if !job.state().is_over() {
            self.count_bound(job.lane, -1);
        }
        self.drop_job(id);
    }

    /// The lane with this key, made if need be. The caller puts a job in.
    pub(super) fn lane_for(&mut self, key: LaneKey) -> LaneId {
        if let Some(lane) = self.lanes.find(&key) {
            return lane;
        }
        let queue = self.queues.get_gate(key.gate).queue;
        let bindings = Arc::clone(&key.bindings);
        let lane = self.lanes.insert(key);
        self.queues.get_mut(queue).lanes.insert(lane);
        for binding in &*bindings {
            self.budgets.get_mut(binding.budget).lanes.insert((binding.cost, lane));
        }
        lane
    }

    fn forget_lane_if_empty(&mut self, id: LaneId) {
        if !self.lanes.get(id).is_empty() {
            return;
        }
        let lane = self.lanes.remove(id);
        let queue = self.queues.get_gate(lane.key.gate).queue;
        self.queues.get_mut(queue).lanes.remove(&id);
        for binding in &*lane.key.bindings {
            if self.budgets.unbind_lane(binding.budget, binding.cost, id) {
                self.journal.budgets.insert(binding.budget);
            }
        }
        self.queues.forget_unused(queue);
    }

    /// Forgets a job that was taken out of its lane.
    fn drop_job(&mut self, id: JobId) {
        let job = self.jobs.get(id);
        let (lane, failures) = (job.lane, job.failures);
        self.jobs.remove(id);
        self.forget_lane_if_empty(lane);
        self.journal.given.push(Change::DeleteJob { id, failures });
    }

    /// Puts a job into its lane, as its state says, with the marks it had if it waited (semantics 4.4).
    fn put_in(&mut self, id: JobId, marks: &Marks) {
        let job = self.jobs.get(id);
        let (lane, state, ready_at) = (job.lane, job.state(), job.ready_at);
        if let Some(due) = self.jobs.due(id) {
            self.timers.set(due, Timer::Job(id));
        }
        if job.unique.is_some() {
            self.jobs.hold_unique(id);
        }
        self.lanes.get_mut(lane).insert(id, state.shown(), ready_at);
        if state == State::Ready {
            self.note_joined(lane, (ready_at, id), marks);
            self.lane_changed(lane);
        }
    }

    /// Takes a job out of its lane, and says how it was marked there. The caller puts it back in or forgets it.
    fn take_out(&mut self, id: JobId) -> Marks {
        let job = self.jobs.get(id);
        let (lane, state, ready_at) = (job.lane, job.state(), job.ready_at);
        if let Some(due) = self.jobs.due(id) {
            self.timers.unset(due, Timer::Job(id));
        }
        if job.unique.is_some() {
            self.jobs.release_unique(id);
        }
        if state != State::Ready {
            self.lanes.get_mut(lane).remove(id, state.shown(), ready_at);
            return Marks::new();
        }
        let marks = self.marks_of(lane, (ready_at, id));
        self.lanes.get_mut(lane).remove(id, state.shown(), ready_at);
        self.lane_changed(lane);
        marks
    }

    /// A lane has one unfinished job more, or less: so have its budgets.
    pub(super) fn count_bound(&mut self, lane: LaneId, change: i64) {
        for binding in &*self.lanes.get(lane).key.bindings {
            let bound = &mut self.budgets.get_mut(binding.budget).bound;
            *bound = bound.checked_add_signed(change).expect("a job leaves no lane that it wasn't in");
        }
    }

    /// The ready jobs of a lane have changed: it waits where it did, at its new rank.
    fn lane_changed(&mut self, id: LaneId) {
        let lane = self.lanes.get(id);
        let (gate, head, place) = (lane.key.gate, lane.head(), lane.place);
        match (place, head) {
            (Place::Empty, None) => {}
            (Place::Empty, Some(rank)) => self.open_lane(id, rank, None),
            (Place::Open(before, woken), head) if head != Some(before) => {
                // Where its head went elsewhere untried, the budget that woke it has still tokens for others.
                self.thirsty.extend(woken);
                if let Some(rank) = head {
                    self.queues.reopen(gate, id, (before, woken), rank);
                    self.lanes.get_mut(id).place = Place::Open(rank, None);
                    self.look_at(id);
                } else {
                    self.queues.close(gate, before, id, woken);
                    self.lanes.get_mut(id).place = Place::Empty;
                }
            }
            (Place::Open(..), _) => {}
            (Place::Parked(budget), None) => {
                self.parking.unpark(id);
                self.lanes.get_mut(id).place = Place::Empty;
                self.thirsty.insert(budget);
            }
            (Place::Parked(budget), Some(rank)) => {
                let jobs = self.lanes.get(id).ready_jobs();
                self.parking.set_rank(id, rank);
                self.parking.set_jobs(id, jobs);
                self.note_better(budget, gate, rank);
            }
        }
        self.refresh(id);
    }

    /// A parked lane has a new first job. Its budget could not pay the one before, nor this one, unless another lane
    /// stands in place for tokens that are there, or they are set aside for a job, and this one goes before it.
    fn note_better(&mut self, budget: BudgetId, gate: GateId, rank: Rank) {
        let stands_before = self.queues.get_gate(gate).woken_by(budget).is_some_and(|woken| rank < woken);
        if stands_before || !self.budgets.get(budget).waiters.protects_nobody() {
            self.thirsty.insert(budget);
        }
    }

    /// An attempt was used up by a failure: the job is retried, or dead (semantics 6.1, 6.2).
    pub(super) fn fail_job(&mut self, now: Timestamp, id: JobId, failed: Failed<'_>) {
        let job = self.jobs.get(id);
        let options = self.jobs.options(id);
        let attempts = job.attempts + 1;
        let failure = Failure { attempt: attempts, time: now, error: shortened(failed.error) };
        let number = job.failures;
        let state = if failed.cancelled {
            State::Over(End::Cancelled, now)
        } else if failed.discard || attempts >= options.max_attempts {
            State::Over(End::Dead, now)
        } else {
            State::Scheduled
        };
        let delay = failed.retry_after.unwrap_or_else(|| retry::delay(&options.backoff, id, attempts));
        self.journal.given.push(Change::PutFailure(id, number, failure));
        self.change_job(now, id, |job| {
            job.attempts = attempts;
            job.failures += 1;
            job.releases = 0;
            job.unconfirmed = 0;
            job.set_state(state);
            if state == State::Scheduled {
                job.ready_at = now + delay;
                job.ready_by = ReadyBy::Backoff;
                job.run_at = job.ready_at;
            }
        });
    }

    /// The attempt ended without counting: the job goes back with its rank (semantics 6.2), unless it was released
    /// once too often (5.3).
    pub(super) fn release_job(&mut self, now: Timestamp, id: JobId, release: Released) {
        const UNCONFIRMED_MAX: u8 = 3;
        const RELEASES_MAX: u8 = 10;
        let attempts_max = self.jobs.options(id).max_attempts;
        self.change_job(now, id, |job| {
            match release.cause {
                ReleaseCause::Throttled => job.releases = 0,
                ReleaseCause::Returned => job.releases = job.releases.saturating_add(1),
                ReleaseCause::Unconfirmed => job.unconfirmed = job.unconfirmed.saturating_add(1),
            }
            if job.unconfirmed >= UNCONFIRMED_MAX || job.releases >= RELEASES_MAX {
                job.attempts += 1;
                job.unconfirmed = 0;
                job.releases = 0;
            }
            job.run_at = job.ready_at;
            if release.delay > Nanos::ZERO {
                job.run_at = job.run_at.max(now + release.delay);
            }
            let state = if release.cancelled {
                State::Over(End::Cancelled, now)
            } else if job.attempts >= attempts_max {
                State::Over(End::Dead, now)
            } else {
                State::Scheduled
            };
            job.set_state(state);
        });
    }

    /// The job succeeded. Says whether it, and with it its result, is kept.
    pub(super) fn complete_job(&mut self, now: Timestamp, id: JobId, result: Option<Box<[u8]>>) -> bool {
        let kept = self.change_job(now, id, |job| {
            job.attempts += 1;
            job.set_state(State::Over(End::Completed, now));
        });
        if let (true, Some(result)) = (kept, result) {
            self.journal.given.push(Change::PutResult(id, result));
        }
        kept
    }

    /// The clock has reached the instant at which the job's state changes by itself.
    pub(super) fn job_due(&mut self, now: Timestamp, id: JobId) {
        self.change_job(now, id, |_| {});
    }

    /// A job's record as it is to be stored.
    pub(super) fn job_record(&self, id: JobId) -> JobRecord {
        let job = self.jobs.get(id);
        let (lane, common) = (self.lanes.get(job.lane), self.jobs.common(job.common));
        JobRecord {
            id,
            queue: Name::clone(&self.queues.of_gate(lane.key.gate).name),
            kind: Name::clone(&common.kind),
            priority: lane.key.priority,
            bindings: Arc::clone(&lane.key.bindings),
            options: common.options,
            unique: job.unique.as_deref().cloned(),
            create_time: job.create_time,
            ready_at: job.ready_at,
            ready_by: job.ready_by,
            run_at: job.run_at,
            attempts: job.attempts,
            releases: job.releases.into(),
            unconfirmed: job.unconfirmed.into(),
            failures: job.failures,
            phase: job.state().phase(),
            body_bytes: job.body_bytes,
        }
    }

    /// The bindings of a job that exists.
    pub(super) fn bindings_of(&self, id: JobId) -> &Arc<[Binding]> {
        &self.lanes.get(self.jobs.get(id).lane).key.bindings
    }

    /// A job as it is now.
    pub fn job(&self, id: JobId) -> Option<JobView> {
        self.jobs.find(id).map(|_| self.job_view(id))
    }

    pub(super) fn job_view(&self, id: JobId) -> JobView {
        let record = self.job_record(id);
        let mut bindings: Vec<_> =
            record.bindings.iter().map(|b| (Name::clone(&self.budgets.get(b.budget).key), b.cost)).collect();
        bindings.sort_unstable();
        let state = self.jobs.get(id).state();
        let lease = match state {
            State::InFlight(lease) => Some(self.leases.get(lease).record.clone()),
            _ => None,
        };
        JobView { record, state: state.shown(), bindings, lease }
    }

    /// The job of a live lease.
    pub fn leased_job(&self, id: LeaseId) -> Option<JobId> {
        self.leases.find(id).map(|lease| lease.record.job)
    }

    /// A live lease and its job, for the push.
    pub fn leased(&self, id: LeaseId) -> Option<(LeaseRecord, JobView)> {
        let record = self.leases.find(id)?.record.clone();
        let job = self.job_view(record.job);
        Some((record, job))
    }
}

/// How an attempt failed.
pub(super) struct Failed<'a> {
    pub error: &'a str,
    pub retry_after: Option<Nanos>,
    pub discard: bool,
    pub cancelled: bool,
}

/// How an attempt was released.
pub(super) struct Released {
    pub cause: ReleaseCause,
    pub delay: Nanos,
    pub cancelled: bool,
}

/// Why an attempt was released (semantics 5.3 counts the causes apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReleaseCause {
    /// Its worker met a limit of the far side.
    Throttled,
    /// Its worker handed it back.
    Returned,
    /// Its push was never confirmed.
    Unconfirmed,
}

/// The error as it is kept: cut at a character where it is too long.
fn shortened(error: &str) -> Box<str> {
    let end = error.floor_char_boundary(Failure::ERROR_BYTES_MAX);
    error[..end].into()
}
