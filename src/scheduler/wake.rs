//! Who is woken when a budget may pay more than before, or sets less aside.
//!
//! Such a budget is *thirsty*: before anything else is tried, it wakes the lowest ranked of its waiters that it could
//! pay, one in each gate that no worker has room for (so that it stands in its place when one has), and one of all the
//! others together. When that one has gone, or has parked elsewhere, the budget is thirsty again, as it is when the last
//! place for that one was taken before it was tried; so its waiters are tried in rank order, and only while tokens remain
//! (semantics 4.3). Between thirsts it sleeps until the earliest instant at which it would find somebody (2.4).

use super::Scheduler;
use super::job::Rank;
use super::set_aside::{Owner, SetAsides};
use super::timers::Timer;
use super::units::{BudgetId, GateId, LaneId, Timestamp, Tokens};

impl Scheduler {
    /// Wakes waiters of the budgets that may pay more than before, or set less aside.
    pub(super) fn wake_thirsty(&mut self, now: Timestamp) {
        loop {
            self.look_at_marked(now);
            self.thirsty.extend(self.queues.take_forsaken());
            for gate in self.queues.take_turned() {
                self.gate_turned(gate);
            }
            let Some(budget) = self.thirsty.pop_first() else { return };
            self.alarmed.insert(budget);
            self.wake(now, budget);
        }
    }

    /// Wakes those waiters of one budget whose turn it is.
    fn wake(&mut self, now: Timestamp, id: BudgetId) {
        let payable = self.budgets.get(id).pool.payable(now);
        let mut set_asides = SetAsides::new(self, now);
        let owner = set_asides.owner(id, None);
        for lane in set_asides.stale {
            self.place_anew(now, lane);
        }
        self.lean(id, owner);
        self.note_block(now, id);
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
        stretches(owner, before).find_map(|Stretch { after, before, aside }| {
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
            let cost = self.lanes.get(lane).key.cost_to(id);
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
        let is_awaited = self.budgets.get(id).waiters.awaits_unblocking();
        let mut next = pool.blocked_until(now).filter(|until| is_awaited && *until != Timestamp::MAX);
        for gate in self.parking.gates(id) {
            let before = self.queues.get_gate(gate).woken_by(id);
            for Stretch { after, before, aside } in stretches(owner, before) {
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
        let before = std::mem::replace(&mut self.budgets.get_mut(id).alarm, at);
        self.timers.change(Timer::Budget(id), before, at);
    }
}

/// Ranks that see the same of a budget's tokens.
#[derive(Clone, Copy)]
struct Stretch {
    /// Above this one.
    after: Option<Rank>,
    /// Below this one.
    before: Option<Rank>,
    /// What is set aside from them.
    aside: Tokens,
}

/// The ranks below `before`, by what is set aside from them: the owner of the set-aside and all that are more urgent
/// see everything.
fn stretches(owner: Option<Owner>, before: Option<Rank>) -> impl Iterator<Item = Stretch> {
    let end = owner.map(|owner| owner.rank.next());
    let is_cut = end.is_none_or(|end| before.is_some_and(|before| before <= end));
    let first = Stretch { after: None, before: if is_cut { before } else { end }, aside: Tokens(0) };
    let rest = owner.filter(|_| !is_cut);
    let rest = rest.map(|owner| Stretch { after: Some(owner.rank), before, aside: owner.cost });
    [Some(first), rest].into_iter().flatten()
}
