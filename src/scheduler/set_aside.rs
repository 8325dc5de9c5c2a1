//! For whom a budget sets tokens aside (semantics 4.4), and on what that hangs.
//!
//! [`SetAsides`] looks and changes nothing. What follows it keeps the budgets informed: each knows which set-asides end
//! when it can pay less, and each gate which budgets to tell when it turns.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Scheduler;
use super::job::{Binding, Rank};
use super::lane::{Lane, LaneKey, Place};
use super::timers::Timer;
use super::units::{BudgetId, GateId, LaneId, Nanos, Timestamp, Tokens};

/// The job for which a budget sets its cost aside: jobs of higher rank number see only what is left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The job, by its rank.
    pub rank: Rank,
    /// Its lane.
    pub lane: LaneId,
    /// What is set aside.
    pub cost: Tokens,
}

/// One question about set-asides, and what was found on the way to its answer.
///
/// Whether a job's turn has come in one budget depends on what others set aside for jobs that are more urgent still;
/// so each budget is looked at once for each question, and only as far down the ranks as the question needs.
pub struct SetAsides<'a> {
    scheduler: &'a Scheduler,
    now: Timestamp,
    known: BTreeMap<BudgetId, Known>,
    depth: u32,
    /// Lanes that were met whose turn, where they are listed, is over.
    pub stale: Vec<LaneId>,
}

/// The owner of a budget among the jobs below a rank, or among all.
#[derive(Clone, Copy)]
struct Known {
    below: Option<Rank>,
    owner: Option<Owner>,
}

impl Known {
    /// The owner below another rank, where this tells.
    fn answer(self, below: Option<Rank>) -> Option<Option<Owner>> {
        match self.owner {
            Some(owner) => Some(Some(owner).filter(|owner| below.is_none_or(|below| owner.rank < below))),
            None => (self.below.is_none() || below.is_some_and(|b| Some(b) <= self.below)).then_some(None),
        }
    }
}

impl<'a> SetAsides<'a> {
    /// Of one gate so many protected jobs are looked at that can't own the set-aside, until the gate counts as having
    /// none that could.
    const LOOKED_AT_MAX: usize = 64;
    /// So many budgets may hang on each other until a turn is taken for granted.
    const DEPTH_MAX: u32 = 16;

    /// A question asked now.
    pub fn new(scheduler: &'a Scheduler, now: Timestamp) -> Self {
        Self { scheduler, now, known: BTreeMap::new(), depth: 0, stale: Vec::new() }
    }

    /// Whether a budget pays a job, with what it sets aside for others left untouched.
    pub fn can_pay(&mut self, id: BudgetId, cost: Tokens, rank: Rank) -> bool {
        let pool = &self.scheduler.budgets.get(id).pool;
        if !pool.can_pay(cost, Tokens(0), self.now) {
            return false;
        }
        let aside = self.owner(id, Some(rank)).map_or(Tokens(0), |owner| owner.cost);
        pool.can_pay(cost, aside, self.now)
    }

    /// The lowest-ranked protected job whose turn in a budget has come, among those below a rank or among all.
    pub fn owner(&mut self, id: BudgetId, below: Option<Rank>) -> Option<Owner> {
        let waiters = &self.scheduler.budgets.get(id).waiters;
        if waiters.protects_nobody() {
            return None;
        }
        if let Some(answer) = self.known.get(&id).and_then(|known| known.answer(below)) {
            return answer;
        }
        let mut owner: Option<Owner> = None;
        for gate in waiters.protecting_gates() {
            let below = owner.map(|owner| owner.rank).or(below);
            owner = self.owner_in(id, gate, below).or(owner);
        }
        self.known.insert(id, Known { below, owner });
        owner
    }

    fn owner_in(&mut self, id: BudgetId, gate: GateId, below: Option<Rank>) -> Option<Owner> {
        let scheduler = self.scheduler;
        let waiters = &scheduler.budgets.get(id).waiters;
        for (rank, lane) in waiters.protected_in(gate).take(Self::LOOKED_AT_MAX) {
            if below.is_some_and(|below| rank >= below) || !scheduler.queues.has_place(gate, rank, self.now) {
                return None;
            }
            if self.has_turn(id, lane, rank) {
                return Some(Owner { rank, lane, cost: scheduler.lanes.get(lane).key.cost_to(id) });
            }
            self.stale.push(lane);
        }
        None
    }

    /// Whether none of its budgets is blocked, and all that it takes before this one can pay it.
    fn has_turn(&mut self, id: BudgetId, lane: LaneId, rank: Rank) -> bool {
        let scheduler = self.scheduler;
        let lane = scheduler.lanes.get(lane);
        if scheduler.has_blocked(self.now, lane) {
            return false;
        }
        if self.depth == Self::DEPTH_MAX {
            return true;
        }
        self.depth += 1;
        let before = scheduler.taken_before(&lane.key, id);
        let has_turn = before.into_iter().all(|binding| self.can_pay(binding.budget, binding.cost, rank));
        self.depth -= 1;
        has_turn
    }
}

impl Scheduler {
    /// Whether a job of a lane is protected on a budget (semantics 4.4), be it its turn there or not.
    pub(super) fn is_protected(&self, now: Timestamp, lane: &Lane, rank: Rank, id: BudgetId) -> bool {
        let budget = self.budgets.get(id);
        let spot = (rank.ready_at, rank.job);
        let Some(after) = budget.reserve_after(&self.config).filter(|_| lane.tried && lane.ready().contains(spot))
        else {
            return false;
        };
        let passed_at = lane.guard().and_then(|guard| guard.passed_at(id, spot));
        let is_ripe = after == Nanos::ZERO || passed_at.is_some_and(|at| at + after <= now);
        is_ripe && !self.has_blocked(now, lane) && self.queues.has_place(lane.key.gate, rank, now)
    }

    /// The first budget, in the order in which a job takes them, that can't pay a lane's job of this rank; one that is
    /// blocked before all others, as nothing is set aside for the job meanwhile.
    pub(super) fn obstacle(&self, now: Timestamp, lane: LaneId, rank: Rank) -> Option<BudgetId> {
        let bindings = &self.lanes.get(lane).key.bindings;
        let short = bindings.iter().filter(|b| !SetAsides::new(self, now).can_pay(b.budget, b.cost, rank));
        short.min_by_key(|b| (!self.is_blocked(now, b.budget), self.turn(b.budget, b.cost))).map(|b| b.budget)
    }

    pub(super) fn is_blocked(&self, now: Timestamp, id: BudgetId) -> bool {
        self.budgets.get(id).pool.blocked_until(now).is_some()
    }

    fn has_blocked(&self, now: Timestamp, lane: &Lane) -> bool {
        lane.key.bindings.iter().any(|binding| self.is_blocked(now, binding.budget))
    }

    /// A lane's turn may be over where it is listed as protected: it waits for what now comes first, be it parked or
    /// open.
    pub(super) fn place_anew(&mut self, now: Timestamp, id: LaneId) {
        let (place, head) = (self.lanes.get(id).place, self.lanes.get(id).head());
        let head = head.expect("a protected lane has a ready job");
        match (place, self.obstacle(now, id, head)) {
            (Place::Parked(before), after) if after != Some(before) => {
                self.parking.unpark(id);
                self.open_lane(id, head, None);
                self.alarmed.insert(before);
            }
            (Place::Open(..), Some(_)) => self.look_at(id),
            _ => {}
        }
    }

    /// Where a budget stands among those of one job: `time_based` ones first, the longest refill time first, then
    /// `while_in_flight` ones by key (semantics 4.4).
    fn turn(&self, id: BudgetId, cost: Tokens) -> (Reverse<i128>, &str) {
        let budget = self.budgets.get(id);
        let refill = budget.pool.refill_time(cost).map_or(-1, i128::from);
        (Reverse(refill), &budget.key)
    }

    /// Those of a lane's bindings that its jobs take before this budget.
    pub(super) fn taken_before(&self, key: &LaneKey, id: BudgetId) -> Vec<Binding> {
        let turn = self.turn(id, key.cost_to(id));
        key.bindings.iter().filter(|b| self.turn(b.budget, b.cost) < turn).copied().collect()
    }

    /// Notes on what a budget's set-aside hangs: that all its owner takes before can pay, and that none is blocked.
    pub(super) fn lean(&mut self, id: BudgetId, owner: Option<Owner>) {
        let leans = owner.map_or_else(Vec::new, |owner| {
            let key = &self.lanes.get(owner.lane).key;
            let before = self.taken_before(key, id);
            let others = key.bindings.iter().filter(|binding| binding.budget != id);
            others.map(|b| (b.budget, if before.contains(b) { b.cost } else { Tokens(0) })).collect()
        });
        let waiters = &mut self.budgets.get_mut(id).waiters;
        if waiters.leans_on == leans {
            return;
        }
        for (other, need) in std::mem::replace(&mut waiters.leans_on, leans.clone()) {
            // One that nothing is bound to any more may have been deleted meanwhile.
            if self.budgets.contains(other) {
                self.budgets.get_mut(other).waiters.leaned_on.remove(&(need, id));
            }
        }
        for (other, need) in leans {
            self.budgets.get_mut(other).waiters.leaned_on.insert((need, id));
        }
    }

    /// A budget can pay so much, or nothing at all while it is blocked: the set-asides that hang on more may be over.
    pub(super) fn shake(&mut self, now: Timestamp, id: BudgetId, payable: Tokens) {
        let budget = self.budgets.get(id);
        if budget.waiters.leaned_on.is_empty() {
            return;
        }
        let from = if self.is_blocked(now, id) { Tokens(0) } else { Tokens(payable.0.saturating_add(1)) };
        self.thirsty.extend(budget.waiters.leaned_on.range((from, BudgetId(0))..).map(|(_, other)| *other));
    }

    /// For protected jobs of a gate the last place may have been too long ago: what was set aside for them may be free.
    pub(super) fn place_due(&mut self, gate: GateId) {
        self.queues.get_gate_mut(gate).place_at = None;
        self.gate_turned(gate);
    }

    /// A gate with protected jobs has a worker with room, or has none any more; or its queue is paused, served, or
    /// neither.
    pub(super) fn gate_turned(&mut self, gate: GateId) {
        self.thirsty.extend(self.queues.get_gate(gate).protecting.iter());
        self.set_place_timer(gate);
    }

    /// The timer for the end of the last place of some protected job, where nobody has room for the gate.
    pub(super) fn set_place_timer(&mut self, id: GateId) {
        let at = self.queues.next_missed(id, self.now);
        let before = std::mem::replace(&mut self.queues.get_gate_mut(id).place_at, at);
        self.timers.change(Timer::Place(id), before, at);
    }
}
