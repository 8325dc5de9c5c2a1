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
use super::timers::Timer;
use super::units::{BudgetId, GateId, LaneId, SessionId, Timestamp, Tokens};

impl Scheduler {
    /// Dispatches what can be, in rank order, up to a bound of tries; `unfinished` says whether there is more.
    pub(super) fn dispatch(&mut self, now: Timestamp) {
        self.wake_thirsty(now);
        for _ in 0..Config::TRIES_PER_STEP {
            let Some(gate) = self.queues.first_servable().filter(|_| !self.draining) else {
                self.unfinished = false;
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
        if let Some(budget) = self.obstacle(now, lane) {
            self.park(lane, budget);
        } else if let Some(session) = self.choose_session(now, gate, rank) {
            self.grant(now, lane, session);
        }
    }

    /// The first budget, in the order in which a job takes them (semantics 4.4), that can't pay the lane's next job.
    fn obstacle(&self, now: Timestamp, lane: LaneId) -> Option<BudgetId> {
        let bindings = &self.lanes.get(lane).key.bindings;
        let short = bindings.iter().filter(|b| !self.budgets.get(b.budget).pool.can_pay(b.cost, Tokens(0), now));
        short.min_by_key(|b| self.turn(b.budget, b.cost)).map(|b| b.budget)
    }

    /// Where a budget stands among those of one job: `time_based` ones first, the longest refill time first, then
    /// `while_in_flight` ones by key (semantics 4.4).
    pub(super) fn turn(&self, id: BudgetId, cost: Tokens) -> (std::cmp::Reverse<i128>, &str) {
        let budget = self.budgets.get(id);
        let refill = budget.pool.refill_time(cost).map_or(-1, i128::from);
        (std::cmp::Reverse(refill), &budget.key)
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
    }

    /// The lane is to be tried when a worker has room for it.
    pub(super) fn open_lane(&mut self, id: LaneId, rank: Rank, woken: Option<BudgetId>) {
        let lane = self.lanes.get_mut(id);
        lane.place = Place::Open(rank, woken);
        self.queues.open(lane.key.gate, rank, id, woken);
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

    /// Wakes waiters of the budgets that may pay more than before.
    fn wake_thirsty(&mut self, now: Timestamp) {
        self.thirsty.extend(self.queues.take_forsaken());
        while let Some(budget) = self.thirsty.pop_first() {
            self.alarmed.insert(budget);
            self.wake(now, budget);
        }
    }

    /// Wakes those waiters of one budget whose turn it is.
    fn wake(&mut self, now: Timestamp, id: BudgetId) {
        let payable = self.budgets.get(id).pool.payable(now);
        if payable == Tokens(0) {
            return;
        }
        let mut best: Option<(Rank, LaneId)> = None;
        let mut in_place = Vec::new();
        for gate in self.parking.gates(id) {
            let servable = self.queues.is_servable(gate);
            let before = [self.queues.get_gate(gate).woken_by(id), best.filter(|_| servable).map(|(rank, _)| rank)];
            let before = before.into_iter().flatten().min();
            if let Some(fit) = self.parking.first_fit(id, gate, payable, None, before) {
                if servable {
                    best = Some(fit);
                } else {
                    in_place.push(fit);
                }
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

    /// Sets the timers of the budgets whose level or waiters have changed: the earliest instant at which `wake` would
    /// find somebody (semantics 2.4).
    pub(super) fn set_alarms(&mut self, now: Timestamp) {
        while let Some(id) = self.alarmed.pop_first() {
            if !self.budgets.contains(id) {
                continue;
            }
            let pool = &self.budgets.get(id).pool;
            let next = self
                .parking
                .gates(id)
                .filter_map(|gate| {
                    let before = self.queues.get_gate(gate).woken_by(id);
                    let cost = self.parking.min_cost(id, gate, before)?;
                    pool.affordable_at(cost, now)
                })
                .min();
            self.set_alarm(id, next);
        }
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
