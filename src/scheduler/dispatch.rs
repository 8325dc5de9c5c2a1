//! The dispatch loop: who is tried next, who parks, and who goes.
//!
//! A lane that can't be paid parks on the budget that failed it, and is out of everybody's way until that budget
//! wakes it (see `wake`). Lanes with marks (semantics 4.4) are looked at as soon as they are open, also where no worker
//! has room for them: whether tokens are set aside for them depends on it.

use super::Scheduler;
use super::config::Config;
use super::job::Rank;
use super::lane::Place;
use super::units::{BudgetId, GateId, LaneId, SessionId, Timestamp};

impl Scheduler {
    /// Dispatches what can be, in rank order, up to a bound of tries; `unfinished` says whether there is more.
    ///
    /// Where the last step wasn't through, gates get a try in turn first: a queue whose lanes come before all others, and are
    /// woken faster than they can be tried, holds up nobody else.
    pub(super) fn dispatch(&mut self, now: Timestamp) {
        self.queues.begin();
        self.wake_thirsty(now);
        let mut dispatches = 0;
        if std::mem::replace(&mut self.unfinished, true) && !self.draining {
            for gate in self.queues.next_in_turn(Config::TURNS_PER_STEP) {
                // Those before it may have taken its workers.
                if self.queues.get_gate(gate).is_offered() {
                    dispatches += u32::from(self.try_first(now, gate));
                }
            }
            self.wake_thirsty(now);
        }
        for _ in 0..Config::TRIES_PER_STEP {
            let Some(gate) = self.queues.first_servable().filter(|_| !self.draining) else {
                self.unfinished = false;
                self.queues.rest();
                break;
            };
            self.queues.note_tried(gate);
            dispatches += u32::from(self.try_first(now, gate));
            self.wake_thirsty(now);
        }
        self.mark_passed(dispatches);
    }

    /// Tries the first lane of a gate that some worker has room for. Says whether its job is dispatched.
    fn try_first(&mut self, now: Timestamp, gate: GateId) -> bool {
        let (rank, lane) = self.queues.get_gate(gate).first().expect("a servable gate has an open lane");
        if let Some(budget) = self.obstacle(now, lane, rank) {
            self.park(lane, budget);
            return false;
        }
        let session = self.choose_session(now, gate, rank);
        session.into_iter().for_each(|session| self.grant(now, lane, session));
        session.is_some()
    }

    /// The lane waits for this budget, which can't pay it.
    fn park(&mut self, id: LaneId, budget: BudgetId) {
        let lane = self.lanes.get_mut(id);
        let Place::Open(rank, woken) = lane.place else { unreachable!("only open lanes are tried") };
        lane.place = Place::Parked(budget);
        let (gate, jobs, cost) = (lane.key.gate, lane.ready_jobs(), lane.key.cost_to(budget));
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
        if self.lanes.get(id).guard().is_some() {
            self.marked_open.insert(id);
        }
    }

    /// Looks at the open lanes with marks: those that some budget can't pay park.
    pub(super) fn look_at_marked(&mut self, now: Timestamp) {
        while let Some(id) = self.marked_open.pop_first() {
            let marked = self.lanes.try_get(id).filter(|lane| lane.guard().is_some());
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
}

#[cfg(test)]
mod tests {
    use super::super::command::{NewBinding, NewJob, OpenSession};
    use super::super::effect::Effect;
    use super::super::policy::Policy;
    use super::super::testing::{enqueue, open_session, plain_job, serve};
    use super::super::units::Tokens;
    use super::super::{Command, Scheduler};
    use super::*;

    const NOW: Timestamp = Timestamp(0);
    const OTHER: SessionId = SessionId(2);

    /// Whether a worker got something since this was last asked.
    fn is_pushed_to(scheduler: &mut Scheduler, session: SessionId) -> bool {
        let effects = scheduler.take_effects();
        effects.iter().any(|effect| matches!(effect, Effect::Push(to, _) if *to == session))
    }

    #[test]
    fn a_queue_with_many_lanes_to_try_holds_up_no_other() {
        let mut scheduler = Scheduler::new(Config::default());
        scheduler.apply(NOW, Command::CreateBudget { key: "b".into(), policy: Policy::while_in_flight(5000) }).unwrap();
        let bound = |cost| NewJob {
            bindings: vec![NewBinding { budget: "b".into(), cost: Tokens(cost), create_with: None }],
            ..plain_job()
        };
        serve(&mut scheduler, NOW);
        enqueue(&mut scheduler, NOW, bound(5000));
        scheduler.advance(NOW);
        // None can be paid, and each is a lane of its own.
        for cost in 1..=u64::from(8 * Config::TRIES_PER_STEP) {
            enqueue(&mut scheduler, NOW, bound(cost));
        }
        let open = OpenSession { worker: "other".into(), queues: vec!["other".into()], ..open_session(OTHER) };
        scheduler.apply(NOW, Command::OpenSession(open)).unwrap();
        enqueue(&mut scheduler, NOW, NewJob { queue: "other".into(), ..plain_job() });
        scheduler.advance(NOW);
        assert!(!is_pushed_to(&mut scheduler, OTHER), "those that come first are tried first");
        scheduler.advance(NOW);
        assert!(is_pushed_to(&mut scheduler, OTHER), "its turn comes with the next step");
        assert_eq!(scheduler.next_deadline(), Some(NOW), "the lanes are not all tried yet");
    }
}
