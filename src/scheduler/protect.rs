//! Bounded waiting: who was passed over where, and from when on it is protected (semantics 4.4).
//!
//! A debit marks the lanes that it passes over; a mark ripens by the clock, and then its job's cost is set aside where
//! its turn has come. What a budget and a lane know of each other is kept on both sides; [`Scheduler::refresh`] derives
//! the budget's side anew from the lane's, and is the only place that does.
//!
//! A lane costs one entry in each of its budgets until one of its jobs is marked, or a budget keeps strict rank order.

use std::sync::Arc;

use super::Scheduler;
use super::budgets::Budget;
use super::config::Config;
use super::job::{Binding, Rank};
use super::lane::{Lane, Place};
use super::passed::{Passed, Spot};
use super::policy::ReserveAfter;
use super::timers::Timer;
use super::units::{BudgetId, GateId, LaneId, Nanos, Timestamp};
use super::waiters::{Lanes, Pass};

/// The marks of a lane, and how it is known to its budgets by them.
#[derive(Debug)]
pub struct Guard {
    rows: Vec<Row>,
    /// How far the lane had come when it was last tried.
    turn: Turn,
}

/// The budgets in which a lane's turn had come when it was last tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// None: it is open, and wasn't looked at since it has marks; or one of its budgets is blocked.
    Nowhere,
    /// Those that it takes before this one, and this one, which couldn't pay.
    UpTo(BudgetId),
    /// All: it waits for a place only.
    Everywhere,
}

#[derive(Debug)]
struct Row {
    budget: BudgetId,
    passed: Passed,
    listed: Listed,
}

/// Where a budget lists a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Listed {
    /// In `unpassed`.
    unpassed: Option<Rank>,
    /// In `ripening`.
    ripens: Option<Timestamp>,
    /// In `protected`.
    protected: Option<Rank>,
    /// In `parked`.
    parked: Option<Rank>,
}

/// The marks of one job: where it was passed over, and when.
pub(super) type Marks = Vec<(BudgetId, Timestamp)>;

impl Guard {
    /// No marks yet; its budgets list the lane as they did, and it is parked on `obstacle`.
    pub fn new(bindings: &[Binding], unpassed: Option<Rank>, obstacle: Option<BudgetId>) -> Self {
        let listed = Listed { unpassed, ..Listed::default() };
        let row = |binding: &Binding| Row { budget: binding.budget, passed: Passed::default(), listed };
        Self { rows: bindings.iter().map(row).collect(), turn: obstacle.map_or(Turn::Nowhere, Turn::UpTo) }
    }

    /// Whether no job is marked.
    fn is_unmarked(&self) -> bool {
        self.rows.iter().all(|row| row.passed.is_empty())
    }

    fn row_mut(&mut self, budget: BudgetId) -> &mut Row {
        if let Some(index) = self.rows.iter().position(|row| row.budget == budget) {
            return &mut self.rows[index];
        }
        self.rows.push(Row { budget, passed: Passed::default(), listed: Listed::default() });
        self.rows.last_mut().expect("just pushed")
    }

    /// The marks of one job.
    fn marks(&self, spot: Spot) -> Marks {
        self.rows.iter().filter_map(|row| Some((row.budget, row.passed.at(spot)?))).collect()
    }

    /// When a job was passed over on a budget.
    pub fn passed_at(&self, budget: BudgetId, spot: Spot) -> Option<Timestamp> {
        self.rows.iter().find(|row| row.budget == budget)?.passed.at(spot)
    }
}

impl Budget {
    /// How long a job may be passed over here before it is protected; `None`: for ever.
    pub(super) fn reserve_after(&self, config: &Config) -> Option<Nanos> {
        let own = self.pool.policy().reserve_after;
        match if own == ReserveAfter::Default { config.reserve_after } else { own } {
            ReserveAfter::After(span) => Some(span),
            ReserveAfter::Never | ReserveAfter::Default => None,
        }
    }

    /// Whether whoever parks is protected at once, so that nothing passes it.
    fn is_strict(&self, config: &Config) -> bool {
        self.reserve_after(config) == Some(Nanos::ZERO)
    }
}

impl Scheduler {
    /// How many waiting lanes of a gate that nobody has room for one debit looks at. Who stands behind so many that
    /// merely wait for a place waits for one too.
    const PASSED_AT_ONCE_MAX: usize = 16;
    /// How many lanes a step marks that had nothing to dispatch.
    const MARKS_PER_STEP: u32 = 64;

    /// A job of this rank is about to debit its budgets: whoever waits before it, and is held up by some budget, has
    /// been passed over. Where a worker has room, all that were tried before it are held up; they are marked later, so
    /// that no dispatch waits for it.
    pub(super) fn note_passed(&mut self, now: Timestamp, bindings: &[Binding], rank: Rank) {
        for id in bindings.iter().map(|binding| binding.budget) {
            let waiters = &self.budgets.get(id).waiters;
            let first = |gate: &GateId| waiters.passable(*gate, rank).next().is_some();
            for gate in waiters.unpassed.gates().filter(first).collect::<Vec<_>>() {
                if self.queues.is_servable(gate) {
                    let pass = Pass { gate, below: rank, at: now, after: None };
                    self.budgets.get_mut(id).waiters.add_pass(pass);
                    self.passing.insert(id);
                    continue;
                }
                let lanes = self.budgets.get(id).waiters.passable(gate, rank).take(Self::PASSED_AT_ONCE_MAX);
                for lane in lanes.collect::<Vec<_>>() {
                    if self.is_held_up(now, lane) {
                        self.mark(now, lane, id, rank);
                    }
                }
            }
        }
    }

    /// Where a budget is blocked, nothing is set aside anywhere for the lanes with marks that are parked on it; where its
    /// block has ended, they are looked at: they may have to wait for something else first.
    pub(super) fn note_block(&mut self, now: Timestamp, id: BudgetId) {
        let is_blocked = self.is_blocked(now, id);
        let waiters = &mut self.budgets.get_mut(id).waiters;
        if std::mem::replace(&mut waiters.is_blocked, is_blocked) == is_blocked {
            return;
        }
        for (rank, lane) in waiters.parked.all() {
            if is_blocked {
                self.note_tried(lane, Some(id));
            } else {
                self.parking.unpark(lane);
                self.open_lane(lane, rank, None);
            }
        }
    }

    /// Marks lanes that were passed over: a few after dispatches, one for each, and more in a step without any.
    pub(super) fn mark_passed(&mut self, dispatches: u32) {
        for _ in 0..if dispatches > 0 { dispatches } else { Self::MARKS_PER_STEP } {
            let Some(budget) = self.passing.first() else { return };
            match self.budgets.get_mut(budget).waiters.next_passed() {
                Some((lane, pass)) => self.mark(pass.at, lane, budget, pass.below),
                None => _ = self.passing.remove(budget),
            }
        }
    }

    /// Whether some budget can't pay a lane's next job now.
    fn is_held_up(&self, now: Timestamp, lane: LaneId) -> bool {
        let head = self.lanes.get(lane).head().expect("a lane that waits has a ready job");
        self.obstacle(now, lane, head).is_some()
    }

    fn mark(&mut self, at: Timestamp, id: LaneId, budget: BudgetId, rank: Rank) {
        self.guard(id);
        let lane = self.lanes.get_mut(id);
        let before = (lane.key.priority == rank.priority).then_some((rank.ready_at, rank.job));
        let (ready, guard) = lane.ready_and_guard();
        guard.expect("just guarded").row_mut(budget).passed.mark(ready, before, at);
        self.refresh(id);
        self.look_at(id);
    }

    /// A lane keeps marks from now on. The budget that it is parked on may be able to pay it by now, where another lane
    /// stands in place before it for when a worker has room: then its turn is elsewhere. While that budget is blocked, its
    /// turn is nowhere.
    fn guard(&mut self, id: LaneId) {
        let lane = self.lanes.get_mut(id);
        if lane.guard().is_some() {
            return;
        }
        lane.guarded();
        let Place::Parked(budget) = lane.place else { return };
        self.thirsty.insert(budget);
        if self.is_blocked(self.now, budget) {
            let guard = self.lanes.get_mut(id).ready_and_guard().1.expect("just guarded");
            guard.turn = Turn::Nowhere;
        }
    }

    /// What is known of a ready job of a lane.
    pub(super) fn marks_of(&self, lane: LaneId, spot: Spot) -> Marks {
        self.lanes.get(lane).guard().map_or_else(Vec::new, |guard| guard.marks(spot))
    }

    /// A ready job has come into a lane, with these marks and no others.
    pub(super) fn note_joined(&mut self, id: LaneId, spot: Spot, marks: &Marks) {
        if !marks.is_empty() {
            self.guard(id);
            self.lanes.get_mut(id).tried = true;
        }
        let lane = self.lanes.get_mut(id);
        let (ready, Some(guard)) = lane.ready_and_guard() else { return };
        for row in &mut guard.rows {
            row.passed.clear(ready, spot);
        }
        for (budget, at) in marks {
            guard.row_mut(*budget).passed.set(ready, spot, *at);
        }
        self.look_at(id);
    }

    /// A lane was tried, and this budget couldn't pay it; or all could, and it waits for a place.
    pub(super) fn note_tried(&mut self, id: LaneId, obstacle: Option<BudgetId>) {
        let blocked = obstacle.filter(|budget| self.is_blocked(self.now, *budget));
        blocked.into_iter().for_each(|budget| self.budgets.get_mut(budget).waiters.is_blocked = true);
        let lane = self.lanes.get_mut(id);
        let is_first = !std::mem::replace(&mut lane.tried, true);
        if is_first && lane.key.bindings.iter().any(|b| self.budgets.get(b.budget).is_strict(&self.config)) {
            lane.guarded();
        }
        if let (_, Some(guard)) = lane.ready_and_guard() {
            guard.turn = match obstacle {
                Some(_) if blocked.is_some() => Turn::Nowhere,
                Some(obstacle) => Turn::UpTo(obstacle),
                None => Turn::Everywhere,
            };
        }
        self.refresh(id);
    }

    /// A lane has changed: its budgets list it as it is now.
    pub(super) fn refresh(&mut self, id: LaneId) {
        let lane = self.lanes.get_mut(id);
        let (gate, head) = (lane.key.gate, lane.head());
        lane.tried &= head.is_some();
        if lane.guard().is_none() {
            let unpassed = head.filter(|_| lane.tried);
            let before = std::mem::replace(&mut lane.listed, unpassed);
            if before != unpassed {
                for binding in &*Arc::clone(&lane.key.bindings) {
                    self.budgets.get_mut(binding.budget).waiters.unpassed.relist(gate, id, before, unpassed);
                }
            }
            return;
        }
        let bindings = Arc::clone(&lane.key.bindings);
        let is_bound = |row: &Row| bindings.iter().any(|binding| binding.budget == row.budget);
        if let (ready, Some(guard)) = lane.ready_and_guard() {
            let first = ready.first();
            guard.rows.iter_mut().for_each(|row| row.passed.trim(first));
            guard.rows.retain(|row| is_bound(row) || !row.passed.is_empty());
        }
        let lane = self.lanes.get(id);
        let guard = lane.guard().expect("asked above");
        let is_strict = |b: &Binding| self.budgets.get(b.budget).is_strict(&self.config);
        let keeps = head.is_some() && (!guard.is_unmarked() || lane.key.bindings.iter().any(is_strict));
        let unmarked = Listed { unpassed: head.filter(|_| lane.tried), ..Listed::default() };
        let now = |row: &Row| match is_bound(row) {
            true if keeps => self.listed_now(lane, row),
            true => unmarked,
            false => Listed::default(),
        };
        let listed: Vec<_> = guard.rows.iter().map(|row| (row.budget, row.listed, now(row))).collect();
        if keeps {
            let guard = self.lanes.get_mut(id).ready_and_guard().1.expect("asked above");
            guard.rows.iter_mut().zip(&listed).for_each(|(row, (_, _, after))| row.listed = *after);
        } else {
            self.lanes.get_mut(id).unguard(unmarked.unpassed);
        }
        for (budget, before, after) in listed {
            self.relist(gate, id, budget, before, after);
        }
    }

    /// Where a budget should list a lane that is bound to it and has marks.
    fn listed_now(&self, lane: &Lane, row: &Row) -> Listed {
        let rank = |(ready_at, job): Spot| lane.rank(ready_at, job);
        let unpassed = if lane.tried { row.passed.first_unmarked(lane.ready()).map(rank) } else { None };
        let parked = lane.head().filter(|_| lane.place == Place::Parked(row.budget));
        let after = self.budgets.get(row.budget).reserve_after(&self.config);
        let Some(after) = after else { return Listed { unpassed, parked, ..Listed::default() } };
        let latest = self.now - after;
        let first = match after {
            Nanos::ZERO => lane.head().filter(|_| lane.tried),
            _ => row.passed.first_since(lane.ready(), latest).map(rank),
        };
        let has_turn = match lane.guard().map_or(Turn::Nowhere, |guard| guard.turn) {
            Turn::Nowhere => false,
            Turn::UpTo(last) => {
                last == row.budget || !self.taken_before(&lane.key, row.budget).iter().any(|other| other.budget == last)
            }
            Turn::Everywhere => true,
        };
        Listed { unpassed, ripens: row.passed.next_after(latest), protected: first.filter(|_| has_turn), parked }
    }

    fn relist(&mut self, gate: GateId, lane: LaneId, id: BudgetId, before: Listed, after: Listed) {
        if before == after {
            return;
        }
        let waiters = &mut self.budgets.get_mut(id).waiters;
        waiters.unpassed.relist(gate, lane, before.unpassed, after.unpassed);
        waiters.parked.relist(gate, lane, before.parked, after.parked);
        waiters.protected.relist(gate, lane, before.protected, after.protected);
        if before.ripens != after.ripens {
            before.ripens.map(|at| waiters.ripening.remove((at, lane)));
            waiters.ripening.extend(after.ripens.map(|at| (at, lane)));
            self.set_ripe_timer(id);
        }
        if before.protected != after.protected {
            let waiters = &self.budgets.get(id).waiters;
            let protects = waiters.protected_in(gate).next().is_some();
            self.queues.set_protecting(gate, id, protects);
            self.set_place_timer(gate);
            self.thirsty.insert(id);
        }
    }

    fn set_ripe_timer(&mut self, id: BudgetId) {
        let budget = self.budgets.get(id);
        let first = budget.waiters.ripening.first().map(|(at, _)| at);
        let at = first.and_then(|at| Some(at + budget.reserve_after(&self.config)?));
        let before = std::mem::replace(&mut self.budgets.get_mut(id).waiters.ripe_at, at);
        self.timers.change(Timer::Reserve(id), before, at);
    }

    /// The clock has ripened marks of this budget.
    pub(super) fn reserve_due(&mut self, now: Timestamp, id: BudgetId) {
        self.budgets.get_mut(id).waiters.ripe_at = None;
        let budget = self.budgets.get(id);
        let latest = now - budget.reserve_after(&self.config).expect("a timer is set where marks ripen");
        let ripe = budget.waiters.ripening.iter().take_while(|(at, _)| *at <= latest);
        for lane in ripe.map(|(_, lane)| lane).collect::<Vec<_>>() {
            self.refresh(lane);
        }
        self.set_ripe_timer(id);
    }

    /// A budget has another policy: another `reserve_after`, or another place among those that a job takes. So the turns of
    /// its jobs may have come, or be over, in all their budgets.
    pub(super) fn policy_changed(&mut self, id: BudgetId) {
        let budget = self.budgets.get(id);
        let is_strict = budget.is_strict(&self.config);
        let lanes = budget.lanes.iter().map(|(_, lane)| *lane);
        let concerned = |lane: &LaneId| {
            let lane = self.lanes.get(*lane);
            lane.guard().is_some() || (is_strict && lane.tried)
        };
        for lane in lanes.filter(concerned).collect::<Vec<_>>() {
            self.guard(lane);
            self.refresh(lane);
            self.look_at(lane);
            self.thirsty.extend(self.lanes.get(lane).key.bindings.iter().map(|binding| binding.budget));
        }
        self.set_ripe_timer(id);
    }
}

/// For tests.
impl Scheduler {
    /// Panics where a lane and its budgets disagree on where it is listed.
    pub(super) fn check_waiters(&self) {
        let mut entries = 0;
        for (id, lane) in self.lanes.iter() {
            let gate = lane.key.gate;
            let unmarked = Listed { unpassed: lane.listed, ..Listed::default() };
            let rows: Vec<(BudgetId, Listed)> = match lane.guard() {
                Some(guard) => guard.rows.iter().map(|row| (row.budget, row.listed)).collect(),
                None => lane.key.bindings.iter().map(|binding| (binding.budget, unmarked)).collect(),
            };
            for (budget, listed) in rows.into_iter().filter(|(_, listed)| *listed != Listed::default()) {
                let waiters = &self.budgets.get(budget).waiters;
                let lists = |lanes: &Lanes, rank: Option<Rank>| rank.is_none_or(|r| lanes.0.contains((gate, r, id)));
                assert!(lists(&waiters.unpassed, listed.unpassed), "lane {id} isn't listed as {listed:?}");
                assert!(lists(&waiters.protected, listed.protected), "lane {id} isn't protected as {listed:?}");
                assert!(listed.ripens.is_none_or(|at| waiters.ripening.contains((at, id))), "lane {id}: {listed:?}");
                assert!(lists(&waiters.parked, listed.parked), "lane {id} isn't parked as {listed:?}");
                entries += [listed.unpassed, listed.protected, listed.parked].into_iter().flatten().count();
                entries += usize::from(listed.ripens.is_some());
            }
            assert!(lane.guard().is_none() || lane.tried, "lane {id} has marks and was never tried");
            assert!(lane.guard().is_some() || lane.listed == lane.head().filter(|_| lane.tried), "lane {id} is stale");
        }
        let lists = self.budgets.iter().map(|(_, budget)| &budget.waiters);
        let listed = lists.map(|w| w.unpassed.0.len() + w.ripening.len() + w.protected.0.len() + w.parked.0.len());
        let listed: usize = listed.sum();
        assert_eq!(listed, entries, "a budget lists a lane that doesn't know of it");
    }
}
