//! What must be so after every step. For tests: each check goes through everything.

use std::collections::BTreeMap;

use super::Scheduler;
use super::jobs::State;
use super::lane::Place;
use super::set_aside::SetAsides;
use super::units::{BudgetId, Timestamp};

impl Scheduler {
    /// Panics with the facts where the state contradicts itself.
    pub fn check_invariants(&self, now: Timestamp) {
        let now = self.now.max(now);
        self.check_jobs();
        self.check_lanes();
        self.parking.check();
        self.check_holds();
        self.check_waiters();
        if self.next_deadline().is_none_or(|next| next > now) {
            self.check_nobody_waits_in_vain(now);
        }
    }

    /// Each job is in its lane, once, as its state says, and each in-flight job has a lease of its own.
    fn check_jobs(&self) {
        let mut in_flight = 0;
        for (id, job) in self.jobs.after(None) {
            let lane = self.lanes.get(job.lane);
            assert!(lane.holds(id, job.state().shown()), "job {id} isn't in its lane");
            if let State::InFlight(lease) = job.state() {
                in_flight += 1;
                assert_eq!(self.leases.get(lease).record.job, id, "lease {lease} is another job's");
            }
        }
        assert_eq!(self.leases.iter().count(), in_flight, "a lease without a job in flight");
    }

    /// Each lane waits in one place, at the rank of its first job.
    fn check_lanes(&self) {
        let mut bound: BTreeMap<BudgetId, u64> = BTreeMap::new();
        let mut parked: BTreeMap<BudgetId, u64> = BTreeMap::new();
        let mut members = 0;
        for (id, lane) in self.lanes.iter() {
            members += lane.depth().total();
            for binding in &*lane.key.bindings {
                *bound.entry(binding.budget).or_default() += lane.unfinished();
            }
            match (lane.place, lane.head()) {
                (Place::Empty, None) => {}
                (Place::Open(rank, _), Some(head)) => assert_eq!(rank, head, "lane {id} stands at the rank of another"),
                (Place::Parked(budget), Some(_)) => *parked.entry(budget).or_default() += u64::from(lane.ready_jobs()),
                (place, head) => panic!("lane {id} is {place:?} and its first job is {head:?}"),
            }
            assert_eq!(self.parking.is_parked(id), matches!(lane.place, Place::Parked(_)), "lane {id}");
        }
        assert_eq!(members, self.jobs.len() as u64, "jobs in lanes");
        for (id, budget) in self.budgets.iter() {
            assert_eq!(budget.bound, bound.get(&id).copied().unwrap_or(0), "bound to {}", budget.key);
            assert_eq!(self.parking.jobs(id), parked.get(&id).copied().unwrap_or(0), "parked on {}", budget.key);
        }
    }

    /// What is held of each budget is the sum of what the live leases debited (semantics 2.1).
    fn check_holds(&self) {
        let mut held: BTreeMap<BudgetId, (u64, u64)> = BTreeMap::new();
        for (_, lease) in self.leases.iter() {
            for debit in &lease.record.debits {
                let (cost, jobs) = held.entry(debit.budget).or_default();
                *cost += debit.cost.0;
                *jobs += 1;
            }
        }
        for (id, budget) in self.budgets.iter() {
            let pool = &budget.pool;
            let expected = held.get(&id).copied().unwrap_or_default();
            assert_eq!((pool.in_flight_cost(), pool.in_flight_jobs()), expected, "held of {}", budget.key);
        }
    }

    /// At rest nothing that could go is left: no open lane where a worker has room, and no parked lane that its budget
    /// could pay, unless one of its gate stands in place before it for when a worker has room (semantics 4.1, 4.3), or what is left is
    /// set aside (4.4).
    fn check_nobody_waits_in_vain(&self, now: Timestamp) {
        assert!(self.draining || self.queues.first_servable().is_none(), "an open lane, and a worker with room");
        for (id, budget) in self.budgets.iter() {
            let payable = budget.pool.payable(now);
            let owner = SetAsides::new(self, now).owner(id, None);
            for gate in self.parking.gates(id) {
                let before = self.queues.get_gate(gate).woken_by(id);
                let fit = self.first_payable(id, gate, payable, owner, before);
                assert_eq!(fit, None, "{} could pay and nobody tried", budget.key);
                assert!(before.is_none() || !self.queues.is_servable(gate) || self.draining, "{}", budget.key);
            }
        }
    }
}
