//! Bounded waiting, word for word as semantics 4.4 has it: marks for each job, and questions answered from the start.

use std::cmp::Reverse;

use sluicegate::scheduler::job::{Binding, JobState, Name, Rank};
use sluicegate::scheduler::policy::{Policy, ReserveAfter, Strategy};
use sluicegate::scheduler::units::{BudgetId, JobId, Nanos, Timestamp, Tokens};

use super::{Job, Naive, Session};

/// How long a job stays protected that no worker has a place for.
const MINUTE: Nanos = Nanos::from_secs(60);

/// A place in the window of a worker that was left for the jobs of a queue.
#[derive(Clone, Debug)]
pub struct PlaceLeft {
    queue: Name,
    /// The size class of the jobs.
    class: u32,
    /// The least urgent job that it was left for; everybody's where there is none.
    up_to: Option<Rank>,
    at: Timestamp,
}

/// The size class of a body, as the largest size of it.
fn class(bytes: u32) -> u32 {
    bytes.max(1).div_ceil(32 * 1024).next_power_of_two() * 32 * 1024
}

/// The order in which a job takes a budget: `time_based` first, the longest refill first, then by key.
fn turn(policy: &Policy, key: &Name, cost: Tokens) -> (Reverse<i128>, Name) {
    let refill = match policy.strategy {
        Strategy::TimeBased { duration, .. } => {
            i128::from(cost.0) * i128::from(duration.0) / i128::from(policy.allocation.0)
        }
        Strategy::WhileInFlight => -1,
    };
    (Reverse(refill.min(i128::from(u64::MAX))), Name::clone(key))
}

impl Naive {
    fn reserve_after(&self, id: BudgetId) -> Option<Nanos> {
        let own = self.budget(id).pool.policy.reserve_after;
        match if own == ReserveAfter::Default { self.config.reserve_after } else { own } {
            ReserveAfter::After(span) => Some(span),
            ReserveAfter::Never | ReserveAfter::Default => None,
        }
    }

    /// A debit of a job of this rank is about to be made: who waits before it and is held up has been passed over.
    pub fn pass(&mut self, budget: BudgetId, rank: Rank) {
        let waits = |job: &&Job| job.state == JobState::Ready && job.tried && job.rank() < rank && job.is_bound(budget);
        let held_up: Vec<JobId> =
            self.jobs.iter().filter(waits).filter(|job| self.is_held_up(job)).map(|job| job.record.id).collect();
        let now = self.now;
        for id in held_up {
            self.job_mut(id).passed.entry(budget).or_insert(now);
            self.met.push("jobs passed over");
        }
    }

    /// Whether some budget can't pay the first of the jobs that are bound alike: those behind it wait for it.
    fn is_held_up(&self, job: &Job) -> bool {
        let alike = self.jobs.iter().filter(|other| other.state == JobState::Ready && other.is_alike(job));
        !self.can_be_paid(alike.min_by_key(|job| job.rank()).expect("the job itself"))
    }

    /// Whether every budget the job is bound to can pay now (semantics 3.1), what is set aside for others left apart.
    pub fn can_be_paid(&self, job: &Job) -> bool {
        job.record.bindings.iter().all(|binding| self.pays(job, binding))
    }

    /// Whether it could go if nothing were set aside.
    pub fn is_held_up_by_others(&self, job: &Job) -> bool {
        let mut bindings = job.record.bindings.iter();
        bindings.all(|b| self.budget(b.budget).pool.can_pay(b.cost, self.held_cost(b.budget), self.now))
    }

    pub fn pays(&self, job: &Job, binding: &Binding) -> bool {
        let aside = self.set_aside(binding.budget, job.rank()).map_or(0, |(_, cost)| cost.0);
        let (cost, held) = (Tokens(binding.cost.0 + aside), self.held_cost(binding.budget));
        self.budget(binding.budget).pool.can_pay(cost, held, self.now)
    }

    /// The lowest-ranked protected job below `rank` whose turn in a budget has come, and its cost.
    pub fn set_aside(&self, budget: BudgetId, rank: Rank) -> Option<(JobId, Tokens)> {
        let mut protected: Vec<&Job> = self.jobs.iter().filter(|job| job.rank() < rank).collect();
        protected.retain(|job| self.is_protected(job, budget));
        protected.sort_by_key(|job| job.rank());
        let owner = protected.into_iter().find(|job| self.has_turn(job, budget))?;
        Some((owner.record.id, owner.cost(budget)?))
    }

    pub fn is_protected(&self, job: &Job, budget: BudgetId) -> bool {
        let waits = job.state == JobState::Ready && job.tried && job.is_bound(budget);
        let Some(after) = self.reserve_after(budget).filter(|_| waits) else { return false };
        let passed = job.passed.get(&budget).is_some_and(|at| *at + after <= self.now);
        (after == Nanos::ZERO || passed) && !self.rests(job)
    }

    fn rests(&self, job: &Job) -> bool {
        let queue = &job.record.queue;
        let is_served = self.sessions.iter().any(|session| session.queues.contains(queue));
        let mut pools = job.record.bindings.iter().map(|binding| &self.budget(binding.budget).pool);
        let is_blocked = pools.any(|pool| pool.blocked_until(self.now).is_some());
        self.paused.contains(queue) || !is_served || is_blocked || !self.had_place(job)
    }

    fn had_place(&self, job: &Job) -> bool {
        let mut sessions = self.sessions.iter();
        let has_room = sessions.any(|session| {
            let serves = session.queues.contains(&job.record.queue) && session.takes(job.record.body_bytes);
            serves && session.waits_since.is_some()
        });
        let mut left = self.places.iter();
        has_room || left.any(|place| place.is_for(job) && place.at + MINUTE > self.now)
    }

    /// Whether all budgets that the job takes before this one can pay now.
    fn has_turn(&self, job: &Job, budget: BudgetId) -> bool {
        let order = |binding: &Binding| {
            let budget = self.budget(binding.budget);
            turn(&budget.pool.policy, &budget.key, binding.cost)
        };
        let own = job.record.bindings.iter().find(|binding| binding.budget == budget).expect("it is bound");
        let before = job.record.bindings.iter().filter(|other| order(other) < order(own));
        before.into_iter().all(|binding| self.pays(job, binding))
    }

    /// Those workers with room have a place left for all up to this rank, or for everybody.
    pub fn leave_places(&mut self, up_to: Option<Rank>, whose: impl Fn(&Session, &(Name, u32)) -> bool) {
        let now = self.now;
        let with_room = self.sessions.iter().filter(|session| session.waits_since.is_some());
        let left = with_room.flat_map(|session| {
            let gates = self.gates.iter().filter(|gate| {
                let (queue, class) = gate;
                let serves = session.queues.contains(queue) && !self.paused.contains(queue) && session.takes(*class);
                serves && whose(session, gate)
            });
            gates.map(move |(queue, class)| PlaceLeft { queue: Name::clone(queue), class: *class, up_to, at: now })
        });
        let left: Vec<_> = left.collect();
        self.places.retain(|place| place.at + MINUTE > now);
        for place in left {
            self.places.retain(|older| !older.is_within(&place));
            self.places.push(place);
        }
    }

    /// Jobs of these queues and classes have come: a place that was left before the first of them was left for none.
    pub fn note_gates(&mut self) {
        let came = self.jobs.iter().map(|job| (Name::clone(&job.record.queue), class(job.record.body_bytes)));
        self.gates.extend(came);
        let (jobs, sessions, paused) = (&self.jobs, &self.sessions, &self.paused);
        self.gates.retain(|(queue, _)| {
            let is_served = sessions.iter().any(|session| session.queues.contains(queue));
            is_served || paused.contains(queue) || jobs.iter().any(|job| job.record.queue == *queue)
        });
        let gates = &self.gates;
        self.places.retain(|place| gates.contains(&(Name::clone(&place.queue), place.class)));
    }

    /// A lane was tried in vain: so were all jobs that are bound alike.
    pub fn note_tried(&mut self, id: JobId) {
        let like = self.find_job(id).expect("it was tried").clone();
        for job in self.jobs.iter_mut().filter(|job| job.state == JobState::Ready && job.is_alike(&like)) {
            job.tried = true;
        }
    }

    /// A job is ready, or was changed while it is: it shares what those bound alike have tried, as they share its marks.
    pub fn join(&mut self, id: JobId) {
        let like = self.find_job(id).expect("it was changed").clone();
        if like.state != JobState::Ready {
            let job = self.job_mut(id);
            job.tried = false;
            job.passed.clear();
            return;
        }
        let mut others = self.jobs.iter().filter(|job| job.state == JobState::Ready && job.record.id != id);
        let tried = !like.passed.is_empty() || others.any(|job| job.is_alike(&like) && job.tried);
        self.job_mut(id).tried = tried;
        if tried {
            self.note_tried(id);
        }
    }

    /// Instants at which something about set-asides changes by the clock alone.
    pub fn waiting_instants(&self) -> impl Iterator<Item = Timestamp> + '_ {
        let places = self.places.iter().map(|place| place.at + MINUTE);
        let marks = self.jobs.iter().flat_map(|job| job.passed.iter().filter(|(budget, _)| job.is_bound(**budget)));
        let marks = marks.filter_map(|(budget, at)| Some(*at + self.reserve_after(*budget)?));
        places.chain(marks)
    }
}

impl PlaceLeft {
    fn is_for(&self, job: &Job) -> bool {
        let reaches = self.up_to.is_none_or(|up_to| job.rank() <= up_to);
        self.queue == job.record.queue && self.class == class(job.record.body_bytes) && reaches
    }

    fn is_within(&self, later: &Self) -> bool {
        let reaches = match (self.up_to, later.up_to) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(other)) => own <= other,
        };
        self.queue == later.queue && self.class == later.class && reaches && self.at <= later.at
    }
}

impl Job {
    fn is_bound(&self, budget: BudgetId) -> bool {
        self.cost(budget).is_some()
    }

    fn cost(&self, budget: BudgetId) -> Option<Tokens> {
        self.record.bindings.iter().find(|binding| binding.budget == budget).map(|binding| binding.cost)
    }

    /// Whether two jobs are always tried as one: equal but for what they carry, and of one size class.
    fn is_alike(&self, other: &Self) -> bool {
        let (own, other) = (&self.record, &other.record);
        own.queue == other.queue
            && own.priority == other.priority
            && own.bindings == other.bindings
            && class(own.body_bytes) == class(other.body_bytes)
    }
}
