//! Lanes: all jobs of one queue with the same priority and the same bindings.
//!
//! The ready jobs of a lane are equally affordable, so one check serves them all, and only the first of them has
//! to be ranked among others. A lane exists as long as a job is in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::budgets::UNFINISHED;
use super::job::{Binding, JobState, Rank};
use super::passed::Spot;
use super::protect::Guard;
use super::slots::Slots;
use super::sorted::Sorted;
use super::units::{BudgetId, GateId, JobId, LaneId, Timestamp, Tokens};
use super::view::Depth;

/// What the jobs of a lane have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneKey {
    /// Their queue and size class.
    pub gate: GateId,
    /// Their priority.
    pub priority: u16,
    /// Their bindings, sorted by budget.
    pub bindings: Arc<[Binding]>,
}

impl LaneKey {
    /// What a dispatch debits from a budget that the lane is bound to.
    pub fn cost_to(&self, budget: BudgetId) -> Tokens {
        let binding = self.bindings.iter().find(|binding| binding.budget == budget);
        binding.expect("a lane waits for budgets that it is bound to").cost
    }
}

/// Where a lane waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It has no ready job.
    Empty,
    /// In its gate, to be tried when a worker has room; ranked by its first job. A budget that gained tokens may
    /// have woken it.
    Open(Rank, Option<BudgetId>),
    /// Parked on a budget that could not pay its first job.
    Parked(BudgetId),
}

/// One lane.
#[derive(Debug)]
pub struct Lane {
    /// What its jobs have in common.
    pub key: LaneKey,
    /// Where it waits.
    pub place: Place,
    /// Whether it was tried in vain since it last had no ready job: its jobs are parked in the sense of semantics 1,
    /// also while the lane is open again and waits for a worker.
    pub tried: bool,
    /// Its first job as its budgets list it, while no job of it is marked (semantics 4.4).
    pub listed: Option<Rank>,
    guard: Option<Box<Guard>>,
    ready: Sorted<Spot>,
    /// Its jobs by state, in id order. Each state's set is apart, so that jobs mostly come in at its end and go out at its front.
    members: [Option<Box<Sorted<JobId>>>; JobState::ALL.len()],
}

impl Lane {
    /// The rank of its first ready job.
    pub fn head(&self) -> Option<Rank> {
        self.ready.first().map(|(ready_at, job)| self.rank(ready_at, job))
    }

    /// The rank of a job of this lane.
    pub fn rank(&self, ready_at: Timestamp, job: JobId) -> Rank {
        Rank { priority: self.key.priority, ready_at, job }
    }

    /// How many jobs are ready.
    pub fn ready_jobs(&self) -> u32 {
        u32::try_from(self.ready.len()).expect("jobs are bounded below 2^32")
    }

    /// Its ready jobs.
    pub fn ready(&self) -> &Sorted<Spot> {
        &self.ready
    }

    /// The marks of its jobs, if one has any or a budget asks for strict order.
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.as_deref()
    }

    /// Its ready jobs, and their marks to be changed.
    pub fn ready_and_guard(&mut self) -> (&Sorted<Spot>, Option<&mut Guard>) {
        (&self.ready, self.guard.as_deref_mut())
    }

    /// Keeps marks from now on.
    pub fn guarded(&mut self) {
        let Self { listed, place, .. } = *self;
        let obstacle = if let Place::Parked(budget) = place { Some(budget) } else { None };
        self.guard.get_or_insert_with(|| Box::new(Guard::new(&self.key.bindings, listed, obstacle)));
    }

    /// Keeps no marks any more; its budgets list it by this job.
    pub fn unguard(&mut self, listed: Option<Rank>) {
        self.guard = None;
        self.listed = listed;
    }

    /// How many ready jobs rank below `rank`.
    pub fn ready_before(&self, rank: Rank) -> u64 {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self.key.priority.cmp(&rank.priority) {
            Less => self.ready.len() as u64,
            Greater => 0,
            Equal => self.ready.count_below((rank.ready_at, rank.job)) as u64,
        }
    }

    /// How many jobs are in each state.
    pub fn depth(&self) -> Depth {
        let mut depth = Depth::default();
        JobState::ALL.into_iter().for_each(|state| depth.add_many(state, self.count(state)));
        depth
    }

    /// How many jobs are in this state.
    pub fn count(&self, state: JobState) -> u64 {
        self.of(state).map_or(0, |jobs| jobs.len() as u64)
    }

    fn of(&self, state: JobState) -> Option<&Sorted<JobId>> {
        self.members[state as usize].as_deref()
    }

    /// How many jobs aren't over.
    pub fn unfinished(&self) -> u64 {
        UNFINISHED.into_iter().map(|state| self.count(state)).sum()
    }

    /// The jobs that aren't over.
    pub fn unfinished_jobs(&self) -> impl Iterator<Item = JobId> + '_ {
        UNFINISHED.into_iter().flat_map(|state| self.jobs_in(state, None))
    }

    /// Its jobs in `state` above `after`, in id order.
    pub fn jobs_in(&self, state: JobState, after: Option<JobId>) -> impl Iterator<Item = JobId> + '_ {
        let from = after.map_or(JobId(0), |JobId(id)| JobId(id.saturating_add(1)));
        self.of(state).into_iter().flat_map(move |jobs| jobs.from(from))
    }

    /// Whether a job is in it, in this state.
    pub fn holds(&self, job: JobId, state: JobState) -> bool {
        self.of(state).is_some_and(|jobs| jobs.contains(job))
    }

    /// When its longest waiting ready job became ready.
    pub fn oldest_ready_at(&self) -> Option<Timestamp> {
        self.ready.first().map(|(ready_at, _)| ready_at)
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.members.iter().flatten().all(|jobs| jobs.is_empty())
    }

    /// Puts a job in.
    pub fn insert(&mut self, job: JobId, state: JobState, ready_at: Timestamp) {
        self.members[state as usize].get_or_insert_default().insert(job);
        if state == JobState::Ready {
            self.ready.insert((ready_at, job));
        }
    }

    /// Takes a job out.
    pub fn remove(&mut self, job: JobId, state: JobState, ready_at: Timestamp) {
        let was_in = self.members[state as usize].as_mut().is_some_and(|jobs| jobs.remove(job));
        debug_assert!(was_in, "{job} isn't in its lane as {state:?}");
        if state == JobState::Ready {
            self.ready.remove((ready_at, job));
        }
    }
}

/// All lanes, by number and by what their jobs have in common.
#[derive(Debug, Default)]
pub struct Lanes {
    rows: Slots<Lane>,
    by_key: BTreeMap<LaneKey, LaneId>,
}

impl Lanes {
    /// The lane with this key, if a job is in it.
    pub fn find(&self, key: &LaneKey) -> Option<LaneId> {
        self.by_key.get(key).copied()
    }

    /// A new lane.
    pub fn insert(&mut self, key: LaneKey) -> LaneId {
        let lane = Lane {
            key: key.clone(),
            place: Place::Empty,
            tried: false,
            listed: None,
            guard: None,
            ready: Sorted::default(),
            members: Default::default(),
        };
        let id = LaneId(self.rows.insert(lane));
        self.by_key.insert(key, id);
        id
    }

    /// Forgets a lane.
    pub fn remove(&mut self, id: LaneId) -> Lane {
        let lane = self.rows.remove(id.0);
        self.by_key.remove(&lane.key);
        lane
    }

    /// A lane.
    pub fn get(&self, id: LaneId) -> &Lane {
        self.rows.get(id.0)
    }

    /// A lane, if there is one of this number.
    pub fn try_get(&self, id: LaneId) -> Option<&Lane> {
        self.rows.find(id.0)
    }

    /// A lane.
    pub fn get_mut(&mut self, id: LaneId) -> &mut Lane {
        self.rows.get_mut(id.0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (LaneId, &Lane)> {
        self.rows.iter().map(|(id, lane)| (LaneId(id), lane))
    }
}
