//! Queues and their gates: which lanes of a queue are to be tried, and which workers have room for them.
//!
//! A gate is the jobs of one queue of one size class. Those who take small messages only are kept apart by it,
//! so that a large job never stands in front of a small one that a connected worker could take.

use std::collections::{BTreeMap, BTreeSet};

use super::job::{Name, Rank};
use super::places::{Places, Reach};
use super::slots::Slots;
use super::sorted::Sorted;
use super::units::{BudgetId, GateId, JobId, LaneId, QueueId, SessionId, Timestamp};

/// The sizes of bodies, in powers of two: class k holds those of at most 32 KiB · 2^k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeClass(u8);

impl SizeClass {
    /// Classes 0..=11: up to 64 MiB, which is more than any message holds.
    pub const COUNT: usize = 12;
    /// The largest body of the smallest class.
    pub const BYTES_MIN: u32 = 32 * 1024;

    /// The class of a body of this many bytes.
    pub fn of(bytes: u32) -> Self {
        let units = bytes.max(1).div_ceil(Self::BYTES_MIN);
        Self(units.next_power_of_two().trailing_zeros() as u8)
    }

    /// The largest class all of whose bodies have at most `bytes_max` (≥ 32 KiB).
    pub fn within(bytes_max: u32) -> Self {
        let class = (bytes_max / Self::BYTES_MIN).max(1).ilog2() as u8;
        Self(class.min(Self::COUNT as u8 - 1))
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Since when a session has waited for a job: since its last push, or since it got room again (semantics 4.5). The
/// second part orders what happens at one instant.
pub type WaitingSince = (Timestamp, u64);

/// A named stream of jobs.
#[derive(Debug)]
pub struct Queue {
    /// Its name.
    pub name: Name,
    /// Whether it dispatches nothing (semantics 9.4).
    pub paused: bool,
    /// Its gates.
    pub gates: BTreeMap<SizeClass, GateId>,
    /// Its lanes, with jobs in any state.
    pub lanes: BTreeSet<LaneId>,
    /// The sessions that serve it.
    pub sessions: BTreeSet<SessionId>,
    idle: Sorted<(WaitingSince, SessionId)>,
    idle_in_class: [u32; SizeClass::COUNT],
}

impl Queue {
    fn new(name: Name) -> Self {
        Self {
            name,
            paused: false,
            gates: BTreeMap::new(),
            lanes: BTreeSet::new(),
            sessions: BTreeSet::new(),
            idle: Sorted::default(),
            idle_in_class: [0; SizeClass::COUNT],
        }
    }

    /// A session that takes bodies up to `class` has room.
    pub fn add_idle(&mut self, since: WaitingSince, session: SessionId, class: SizeClass) {
        self.idle.insert((since, session));
        self.idle_in_class[class.index()] += 1;
    }

    /// It has no more room, or waits anew.
    pub fn remove_idle(&mut self, since: WaitingSince, session: SessionId, class: SizeClass) {
        if self.idle.remove((since, session)) {
            self.idle_in_class[class.index()] -= 1;
        }
    }

    /// The sessions with room, the longest waiting first.
    pub fn idle(&self) -> impl Iterator<Item = SessionId> + '_ {
        self.idle.iter().map(|(_, session)| session)
    }

    /// Whether a session with room takes bodies of this class, and the queue isn't paused (semantics 4.1 b, c).
    pub fn serves(&self, class: SizeClass) -> bool {
        !self.paused && self.idle_in_class[class.index()..].iter().any(|count| *count > 0)
    }

    fn is_unused(&self) -> bool {
        !self.paused && self.lanes.is_empty() && self.sessions.is_empty()
    }
}

/// The jobs of one queue of one size class.
#[derive(Debug)]
pub struct Gate {
    /// The queue.
    pub queue: QueueId,
    /// The size class.
    pub class: SizeClass,
    open: Sorted<(Rank, LaneId)>,
    /// Lanes of `open` that a budget woke, by budget.
    woken: Sorted<(BudgetId, Rank)>,
    /// Budgets that woke a lane here in preference to all that wait for them in other gates.
    counting_on: Sorted<BudgetId>,
    /// The rank under which it is offered to the dispatch loop.
    offered: Option<Rank>,
    /// Budgets that protect a job of it (semantics 4.4).
    pub protecting: Sorted<BudgetId>,
    /// When a worker last had a place left, while none has room.
    places: Places,
    /// The timer for the end of that.
    pub place_at: Option<Timestamp>,
    /// The round in which some worker came to have room for it, while one has.
    servable_since: Option<u64>,
}

impl Gate {
    /// The lane to be tried next.
    pub fn first(&self) -> Option<(Rank, LaneId)> {
        self.open.first()
    }

    /// Whether it has a lane to be tried, and a worker with room for it.
    pub fn is_offered(&self) -> bool {
        self.offered.is_some()
    }

    /// The lowest rank that `budget` has woken here and that wasn't tried since.
    pub fn woken_by(&self, budget: BudgetId) -> Option<Rank> {
        let any = Rank { priority: 0, ready_at: Timestamp(i64::MIN), job: JobId(0) };
        self.woken.from((budget, any)).next().filter(|(woken, _)| *woken == budget).map(|(_, rank)| rank)
    }

    /// Puts a lane in.
    pub fn insert(&mut self, rank: Rank, lane: LaneId, woken: Option<BudgetId>) {
        self.open.insert((rank, lane));
        self.woken.extend(woken.map(|budget| (budget, rank)));
    }

    /// Takes a lane out.
    pub fn remove(&mut self, rank: Rank, lane: LaneId, woken: Option<BudgetId>) {
        self.open.remove((rank, lane));
        if let Some(budget) = woken {
            self.woken.remove((budget, rank));
            self.counting_on.remove(budget);
        }
    }
}

/// All queues and gates, and the gates that a worker could be served from.
#[derive(Debug)]
pub struct Queues {
    by_name: BTreeMap<Name, QueueId>,
    rows: Slots<Queue>,
    gates: Slots<Gate>,
    servable: Sorted<(Rank, GateId)>,
    /// The gate whose turn came last, and its rank then.
    turn: Option<(Rank, GateId)>,
    /// Budgets that counted on a gate which no worker has room for any more.
    forsaken: Vec<BudgetId>,
    /// Gates with protected jobs that a worker has room for again, or none any more, or whose queue has changed.
    turned: Vec<GateId>,
    /// The latest instant the scheduler was told.
    pub now: Timestamp,
    /// Counts the times at which nothing was left to try.
    rounds: u64,
    /// The highest rank tried since the dispatch loop was entered.
    tried: Option<Rank>,
}

impl Default for Queues {
    fn default() -> Self {
        Self {
            by_name: BTreeMap::new(),
            rows: Slots::default(),
            gates: Slots::default(),
            servable: Sorted::default(),
            turn: None,
            forsaken: Vec::new(),
            turned: Vec::new(),
            now: Timestamp(i64::MIN),
            rounds: 0,
            tried: None,
        }
    }
}

impl Queues {
    /// The queue with this name, if a job, a worker or a pause has named it.
    pub fn find(&self, name: &str) -> Option<QueueId> {
        self.by_name.get(name).copied()
    }

    /// The queue with this name, made if need be.
    pub fn named(&mut self, name: &Name) -> QueueId {
        if let Some(id) = self.find(name) {
            return id;
        }
        let id = QueueId(self.rows.insert(Queue::new(Name::clone(name))));
        self.by_name.insert(Name::clone(name), id);
        id
    }

    /// The gate of a queue and a class, made if need be.
    pub fn gate(&mut self, queue: QueueId, class: SizeClass) -> GateId {
        if let Some(gate) = self.get(queue).gates.get(&class) {
            return *gate;
        }
        let gate = Gate {
            queue,
            class,
            open: Sorted::default(),
            woken: Sorted::default(),
            counting_on: Sorted::default(),
            offered: None,
            protecting: Sorted::default(),
            places: Places::default(),
            place_at: None,
            servable_since: None,
        };
        let id = GateId(self.gates.insert(gate));
        self.get_mut(queue).gates.insert(class, id);
        self.offer(id);
        id
    }

    /// Forgets a queue that nothing names any more.
    pub fn forget_unused(&mut self, id: QueueId) {
        if !self.get(id).is_unused() {
            return;
        }
        let queue = self.rows.remove(id.0);
        self.by_name.remove(&queue.name);
        for gate in queue.gates.into_values() {
            self.gates.remove(gate.0);
        }
    }

    /// A queue.
    pub fn get(&self, id: QueueId) -> &Queue {
        self.rows.get(id.0)
    }

    /// A queue.
    pub fn get_mut(&mut self, id: QueueId) -> &mut Queue {
        self.rows.get_mut(id.0)
    }

    /// A gate.
    pub fn get_gate(&self, id: GateId) -> &Gate {
        self.gates.get(id.0)
    }

    /// A gate.
    pub fn get_gate_mut(&mut self, id: GateId) -> &mut Gate {
        self.gates.get_mut(id.0)
    }

    /// The queue of a gate.
    pub fn of_gate(&self, id: GateId) -> &Queue {
        self.get(self.get_gate(id).queue)
    }

    /// Whether a worker could be served from this gate now.
    pub fn is_servable(&self, id: GateId) -> bool {
        let gate = self.get_gate(id);
        self.get(gate.queue).serves(gate.class)
    }

    /// Puts a lane into its gate.
    pub fn open(&mut self, gate: GateId, rank: Rank, lane: LaneId, woken: Option<BudgetId>) {
        self.gates.get_mut(gate.0).insert(rank, lane, woken);
        self.offer(gate);
    }

    /// Takes a lane out of its gate.
    pub fn close(&mut self, gate: GateId, rank: Rank, lane: LaneId, woken: Option<BudgetId>) {
        self.gates.get_mut(gate.0).remove(rank, lane, woken);
        self.offer(gate);
    }

    /// Moves a lane of a gate to the rank of its new first job; nothing has woken it there.
    pub fn reopen(&mut self, gate: GateId, lane: LaneId, before: (Rank, Option<BudgetId>), rank: Rank) {
        let row = self.gates.get_mut(gate.0);
        row.remove(before.0, lane, before.1);
        row.insert(rank, lane, None);
        self.offer(gate);
    }

    /// The workers with room, or the pause, of a queue have changed.
    pub fn offer_all(&mut self, queue: QueueId) {
        let gates: [Option<GateId>; SizeClass::COUNT] = {
            let mut gates = self.get(queue).gates.values().copied();
            std::array::from_fn(|_| gates.next())
        };
        for gate in gates.into_iter().flatten() {
            self.offer(gate);
        }
    }

    /// The gate whose first lane ranks lowest of all that a worker could be served from.
    pub fn first_servable(&self) -> Option<GateId> {
        self.servable.first().map(|(_, gate)| gate)
    }

    /// So many gates that a worker could be served from, in the order of their first lanes; the next call goes on after them, and
    /// begins anew behind the last.
    pub fn next_in_turn(&mut self, count: usize) -> Vec<GateId> {
        let count = count.min(self.servable.len());
        let after = self.turn.map(|turn| self.servable.from(turn).filter(move |next| *next > turn));
        let turns: Vec<_> = after.into_iter().flatten().chain(self.servable.iter()).take(count).collect();
        self.turn = turns.last().copied();
        turns.into_iter().map(|(_, gate)| gate).collect()
    }

    /// A budget has woken a lane of this gate, which a worker has room for, and none in any other.
    pub fn count_on(&mut self, gate: GateId, budget: BudgetId) {
        self.gates.get_mut(gate.0).counting_on.insert(budget);
    }

    /// The budgets that counted on a gate whose last place was taken before their lane was tried.
    pub fn take_forsaken(&mut self) -> Vec<BudgetId> {
        std::mem::take(&mut self.forsaken)
    }

    /// The dispatch loop is entered.
    pub fn begin(&mut self) {
        self.tried = None;
    }

    /// The first lane of a gate is tried in rank order: whoever has room now has a place left for all that are more urgent,
    /// as those were tried before.
    pub fn note_tried(&mut self, gate: GateId) {
        let rank = self.get_gate(gate).first().map(|(rank, _)| rank);
        self.tried = self.tried.max(rank);
    }

    /// Nothing is left to try: whoever has room has a place left for everybody.
    pub fn rest(&mut self) {
        self.tried = None;
        self.rounds += 1;
    }

    /// Whether a worker that serves a gate has a place left for a job of this rank, or had within the last minute, and the
    /// queue isn't paused (semantics 4.4).
    pub fn has_place(&self, id: GateId, rank: Rank, now: Timestamp) -> bool {
        let gate = self.get_gate(id);
        let queue = self.get(gate.queue);
        let is_served = !queue.paused && !queue.sessions.is_empty();
        is_served && (gate.servable_since.is_some() || gate.places.had(rank, now))
    }

    /// When `has_place` next changes for a protected job by the clock alone.
    pub fn next_missed(&self, id: GateId, now: Timestamp) -> Option<Timestamp> {
        let gate = self.get_gate(id);
        let waits = gate.servable_since.is_none() && !gate.protecting.is_empty();
        gate.places.next_missed(now).filter(|_| waits)
    }

    /// Whether a budget protects jobs of a gate.
    pub fn set_protecting(&mut self, id: GateId, budget: BudgetId, protects: bool) {
        let gate = self.get_gate_mut(id);
        if protects {
            gate.protecting.insert(budget);
        } else {
            gate.protecting.remove(budget);
        }
    }

    /// A queue is paused or resumed, served by somebody or by nobody.
    pub fn turn(&mut self, queue: QueueId) {
        let gates = self.rows.get(queue.0).gates.values();
        self.turned.extend(gates.filter(|gate| !self.gates.get(gate.0).protecting.is_empty()));
    }

    /// Whether gates have turned since they were last taken.
    pub fn has_turned(&self) -> bool {
        !self.turned.is_empty()
    }

    /// The gates that have turned.
    pub fn take_turned(&mut self) -> Vec<GateId> {
        let mut turned = std::mem::take(&mut self.turned);
        turned.retain(|gate| self.gates.find(gate.0).is_some());
        turned
    }

    /// Queues whose name is above `after`, in the order of their names.
    pub fn after(&self, after: Option<&str>) -> impl Iterator<Item = &Queue> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = after.map_or(Unbounded, Excluded);
        self.by_name.range::<str, _>((from, Unbounded)).map(|(_, id)| self.get(*id))
    }

    fn offer(&mut self, id: GateId) {
        let servable = self.is_servable(id);
        let gate = self.gates.get_mut(id.0);
        if !servable {
            self.forsaken.extend(std::mem::take(&mut gate.counting_on).iter());
            if let Some(since) = gate.servable_since.take() {
                let reach = if since < self.rounds { Some(Reach::All) } else { self.tried.map(Reach::UpTo) };
                reach.into_iter().for_each(|reach| gate.places.note(reach, self.now));
                self.turned.extend(Some(id).filter(|_| !gate.protecting.is_empty()));
            }
        } else if gate.servable_since.is_none() {
            gate.servable_since = Some(self.rounds);
            self.turned.extend(Some(id).filter(|_| !gate.protecting.is_empty()));
        }
        let rank = gate.first().filter(|_| servable).map(|(rank, _)| rank);
        if gate.offered == rank {
            return;
        }
        if let Some(before) = std::mem::replace(&mut gate.offered, rank) {
            self.servable.remove((before, id));
        }
        self.servable.extend(rank.map(|rank| (rank, id)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_in_the_smallest_class_that_holds_it() {
        const KIB: u32 = 1024;
        for (bytes, class) in [(0, 0), (1, 0), (32 * KIB, 0), (32 * KIB + 1, 1), (64 * KIB, 1), (64 * KIB * KIB, 11)] {
            assert_eq!(SizeClass::of(bytes), SizeClass(class), "{bytes}");
        }
    }

    #[test]
    fn a_worker_takes_the_classes_that_it_can_hold_whole() {
        const KIB: u32 = 1024;
        for (bytes_max, class) in [(32 * KIB, 0), (64 * KIB - 1, 0), (64 * KIB, 1), (u32::MAX, 11)] {
            assert_eq!(SizeClass::within(bytes_max), SizeClass(class), "{bytes_max}");
        }
    }

    const NOW: Timestamp = Timestamp(0);
    const SESSION: SessionId = SessionId(1);
    const SMALL: SizeClass = SizeClass(0);

    fn rank(job: u64) -> Rank {
        Rank { priority: 0, ready_at: NOW, job: JobId(job) }
    }

    /// A gate of a queue of its own, with a worker that has room, and a lane whose first job has this rank.
    fn served_gate(queues: &mut Queues, job: u64) -> GateId {
        let queue = queues.named(&Name::from(format!("q{job}")));
        let gate = queues.gate(queue, SMALL);
        queues.get_mut(queue).sessions.insert(SESSION);
        queues.get_mut(queue).add_idle((NOW, 0), SESSION, SMALL);
        queues.offer_all(queue);
        queues.open(gate, rank(job), LaneId(u32::try_from(job).unwrap()), None);
        gate
    }

    #[test]
    fn turns_go_round() {
        let mut queues = Queues::default();
        let gates: Vec<GateId> = (1..=5).map(|job| served_gate(&mut queues, job)).collect();
        assert_eq!(queues.next_in_turn(2), gates[..2]);
        assert_eq!(queues.next_in_turn(2), gates[2..4]);
        assert_eq!(queues.next_in_turn(2), [gates[4], gates[0]]);
        assert_eq!(queues.next_in_turn(9), [&gates[1..], &gates[..1]].concat(), "each once");
    }

    #[test]
    fn a_place_reaches_no_further_than_what_this_step_has_tried() {
        let mut queues = Queues { now: NOW, ..Queues::default() };
        let gate = served_gate(&mut queues, 5);
        queues.note_tried(gate);
        queues.begin();
        let queue = queues.get_gate(gate).queue;
        queues.get_mut(queue).remove_idle((NOW, 0), SESSION, SMALL);
        queues.offer_all(queue);
        assert!(!queues.has_place(gate, rank(3), NOW), "another step tried what comes after it");
    }
}
