//! The dispatch loop: who is tried next, who parks, who goes, and who is woken by it.
//!
//! A lane that can't be paid parks on the budget that failed it, and is out of everybody's way until that budget
//! wakes it. A budget that may pay more than before is *thirsty*: before anything else is tried, it wakes the
//! lowest ranked of its waiters that it could pay, one in each gate that no worker has room for (so that it stands
//! in its place when one has), and one of all the others together. When that one has gone, or has parked elsewhere,
//! the budget is thirsty again, as it is when the last place for that one was taken before it was tried; so its waiters
//! are tried in rank order, and only while tokens remain (semantics 4.3).

use super::Scheduler;
use super::config::Config;
use super::job::Rank;
use super::lane::Place;
use super::set_aside::{Owner, SetAsides};
use super::timers::Timer;
use super::units::{BudgetId, GateId, LaneId, SessionId, Timestamp, Tokens};

impl Scheduler {
    /// Dispatches what can be, in rank order, up to a bound of tries; `unfinished` says whether there is more.
    pub(super) fn dispatch(&mut self, now: Timestamp) {
        self.queues.begin();
        self.wake_thirsty(now);
        for _ in 0..Config::TRIES_PER_STEP {
            let Some(gate) = self.queues.first_servable().filter(|_| !self.draining) else {
                self.unfinished = false;
                self.queues.rest();
                return;
            };
            self.try_first(now, gate);
            self.wake_thirsty(now);
        }
        self.unfinished = true;
    }

    /// Tries the first lane of a gate that some worker has room for.
    fn try_first(&mut self, now: Timestamp, gate: GateId) {
        let (rank, lane) = self.queues.get_gate(gate).first().expect("a servable gate has an open lane");
        self.queues.note_tried(rank);
        if let Some(budget) = self.obstacle(now, lane, rank) {
            self.park(lane, budget);
        } else if let Some(session) = self.choose_session(now, gate, rank) {
            self.grant(now, lane, session);
        }
    }

    /// The lane waits for this budget, which can't pay it.
    fn park(&mut self, id: LaneId, budget: BudgetId) {
        let lane = self.lanes.get_mut(id);
        let Place::Open(rank, woken) = lane.place else { unreachable!("only open lanes are tried") };
        lane.place = Place::Parked(budget);
        let (gate, jobs) = (lane.key.gate, lane.ready_jobs());
        let binding = lane.key.bindings.iter().find(|b| b.budget == budget);
        let cost = binding.expect("a lane parks on a budget it is bound to").cost;
        self.queues.close(gate, rank, id, woken);
        self.parking.park(budget, gate, id, rank, cost, jobs);
        self.thirsty.extend(woken);
        self.alarmed.insert(budget);
        self.note_tried(id, Some(budget));
    }

    /// The lane is to be tried when a worker has room for it.
    pub(super) fn open_lane(&mut self, id: LaneId, rank: Rank, woken: Option<BudgetId>) {
        let lane = self.lanes.get_mut(id);
        lane.place = Place::Open(rank, woken);
        self.queues.open(lane.key.gate, rank, id, woken);
        if self.lanes.get(id).guard().is_some() {
            self.refresh(id);
            self.look_at(id);
        }
    }

    /// A lane with marks is looked at whenever it is open, whether a worker has room for it or not: what is set aside
    /// for it depends on how far it has come.
    pub(super) fn look_at(&mut self, id: LaneId) {
        let lane = self.lanes.get(id);
        if lane.tried && lane.guard().is_some() {
            self.unplaced.insert(id);
        }
    }

    /// Looks at the open lanes with marks: those that some budget can't pay park.
    fn place(&mut self, now: Timestamp) {
        while let Some(id) = self.unplaced.pop_first() {
            let marked = self.lanes.try_get(id).filter(|lane| lane.tried && lane.guard().is_some());
            let Some(Place::Open(rank, _)) = marked.map(|lane| lane.place) else { continue };
            match self.obstacle(now, id, rank) {
                Some(budget) => self.park(id, budget),
                None => self.note_tried(id, None),
            }
        }
    }

    /// The worker that has waited longest of those with room for the job (semantics 4.5). One that has room, but not
    /// enough bytes for the job whose turn it is, is full until it settles something: so no stream of small jobs
    /// keeps a large one waiting for ever.
    fn choose_session(&mut self, now: Timestamp, gate: GateId, rank: Rank) -> Option<SessionId> {
        let bytes = self.jobs.get(rank.job).body_bytes;
        let gate = self.queues.get_gate(gate);
        let class = gate.class;
        let mut full = Vec::new();
        let mut chosen = None;
        for id in self.queues.get(gate.queue).idle() {
            let session = self.sessions.get(id);
            if session.class < class {
                continue;
            }
            if session.has_bytes_for(bytes) {
                chosen = Some(id);
                break;
            }
            full.push(id);
        }
        for id in full {
            self.change_session(now, id, |session| session.full = true);
        }
        chosen
    }

    /// Wakes waiters of the budgets that may pay more than before, or set less aside.
    fn wake_thirsty(&mut self, now: Timestamp) {
        loop {
            self.place(now);
            self.thirsty.extend(self.queues.take_forsaken());
            for gate in self.queues.take_shut() {
                self.gate_shut(gate);
            }
            let Some(budget) = self.thirsty.pop_first() else { return };
            self.alarmed.insert(budget);
            self.wake(now, budget);
        }
    }

    /// Wakes those waiters of one budget whose turn it is.
    fn wake(&mut self, now: Timestamp, id: BudgetId) {
        let payable = self.budgets.get(id).pool.payable(now);
        let owner = SetAsides::new(self, now).owner(id, None);
        self.lean(id, owner);
        let free = payable.0.saturating_sub(owner.map_or(0, |owner| owner.cost.0));
        self.shake(now, id, Tokens(free));
        if payable == Tokens(0) {
            return;
        }
        let mut best: Option<(Rank, LaneId)> = None;
        let mut in_place = Vec::new();
        for gate in self.parking.gates(id) {
            let servable = self.queues.is_servable(gate);
            let before = [self.queues.get_gate(gate).woken_by(id), best.filter(|_| servable).map(|(rank, _)| rank)];
            let before = before.into_iter().flatten().min();
            if let Some(fit) = self.first_payable(id, gate, payable, owner, before) {
                if servable {
                    best = Some(fit);
                } else {
                    in_place.push(fit);
                }
            }
            if !servable {
                let first = in_place.last().map(|(_, lane): &(Rank, LaneId)| *lane);
                let marked = self
                    .marked_waiters(id, gate, owner)
                    .filter(|(_, lane, cost)| Some(*lane) != first && *cost <= payable);
                in_place.extend(marked.map(|(rank, lane, _)| (rank, lane)));
            }
        }
        for (rank, lane) in in_place.into_iter().chain(best) {
            self.parking.unpark(lane);
            self.open_lane(lane, rank, Some(id));
        }
        if let Some((_, lane)) = best {
            self.queues.count_on(self.lanes.get(lane).key.gate, id);
        }
    }

    /// The lowest ranked waiter of a gate, below `before`, that a budget could pay.
    pub(super) fn first_payable(
        &self,
        id: BudgetId,
        gate: GateId,
        payable: Tokens,
        owner: Option<Owner>,
        before: Option<Rank>,
    ) -> Option<(Rank, LaneId)> {
        ranges(owner, before).into_iter().flatten().find_map(|(after, before, aside)| {
            let left = Tokens(payable.0.checked_sub(aside.0)?);
            self.parking.first_fit(id, gate, left, after, before)
        })
    }

    /// The lanes with marks of a gate that are parked on a budget, and what it must hold to pay each.
    fn marked_waiters(
        &self,
        id: BudgetId,
        gate: GateId,
        owner: Option<Owner>,
    ) -> impl Iterator<Item = (Rank, LaneId, Tokens)> + '_ {
        let marked = self.budgets.get(id).waiters.marked_in(gate);
        marked.map(move |(rank, lane)| {
            let bindings = &self.lanes.get(lane).key.bindings;
            let cost = bindings.iter().find(|b| b.budget == id).expect("it is parked on what it is bound to").cost;
            let aside = owner.filter(|owner| owner.rank < rank).map_or(0, |owner| owner.cost.0);
            (rank, lane, Tokens(cost.0.saturating_add(aside)))
        })
    }

    /// Sets the timers of the budgets whose level or waiters have changed (semantics 2.4).
    pub(super) fn set_alarms(&mut self, now: Timestamp) {
        while let Some(id) = self.alarmed.pop_first() {
            if self.budgets.contains(id) {
                self.set_alarm(id, self.next_wake(now, id));
            }
        }
    }

    /// The earliest instant at which `wake` would find somebody by the clock alone.
    fn next_wake(&self, now: Timestamp, id: BudgetId) -> Option<Timestamp> {
        let pool = &self.budgets.get(id).pool;
        let owner = SetAsides::new(self, now).owner(id, None);
        let mut next = None;
        for gate in self.parking.gates(id) {
            let before = self.queues.get_gate(gate).woken_by(id);
            for (after, before, aside) in ranges(owner, before).into_iter().flatten() {
                let cost = self.parking.min_cost(id, gate, after, before);
                let at = cost.and_then(|cost| pool.affordable_at(Tokens(cost.0.saturating_add(aside.0)), now));
                next = [next, at].into_iter().flatten().min();
            }
            if !self.queues.is_servable(gate) {
                let marked = self.marked_waiters(id, gate, owner);
                next = marked.filter_map(|(.., cost)| pool.affordable_at(cost, now)).chain(next).min();
            }
        }
        next
    }

    /// The budget is to be looked at then, and not before.
    pub(super) fn set_alarm(&mut self, id: BudgetId, at: Option<Timestamp>) {
        let alarm = &mut self.budgets.get_mut(id).alarm;
        if *alarm == at {
            return;
        }
        if let Some(before) = std::mem::replace(alarm, at) {
            self.timers.unset(before, Timer::Budget(id));
        }
        if let Some(at) = at {
            self.timers.set(at, Timer::Budget(id));
        }
    }
}

/// The ranks below `before`, as far up as they see the same of a budget's tokens: above which, below which, and what is
/// set aside from them. The owner of the set-aside and all that are more urgent see everything.
fn ranges(owner: Option<Owner>, before: Option<Rank>) -> [Option<(Option<Rank>, Option<Rank>, Tokens)>; 2] {
    let Some(owner) = owner else { return [Some((None, before, Tokens(0))), None] };
    let end = owner.rank.next();
    let is_cut = before.is_some_and(|before| before <= end);
    let first = (None, Some(if is_cut { before.unwrap_or(end) } else { end }), Tokens(0));
    [Some(first), Some((Some(owner.rank), before, owner.cost)).filter(|_| !is_cut)]
}
