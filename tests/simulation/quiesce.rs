//! The end of a run: the faults stop, the workers are well, and everything must come to rest.

use sluicegate::scheduler::Command;
use sluicegate::scheduler::job::{JobState, Name};
use sluicegate::scheduler::view::JobFilter;

use super::sim::{Agreed, Letter, Sim};
use super::workers::Worker;

/// So many rounds bring anything to rest.
const ROUNDS_MAX: usize = 3000;

impl Sim {
    /// Nothing goes wrong any more: every job comes to an end, all tokens come back, and another crash changes nothing.
    pub fn finish(&mut self) -> Agreed<()> {
        self.disk.heal();
        self.ambush = None;
        self.tell(|| "all is well from here on".into());
        // What failed before may be heard of only later: not by this start any more.
        self.restart()?;
        let opened = (0..3).map(|number| Command::ResumeQueue { queue: format!("q{number}").into() });
        let now = self.clock.now;
        let budgets = self.live().scheduler.list_budgets(now, None, 100).items;
        let keys: Vec<Name> = budgets.into_iter().map(|budget| budget.record.key).collect();
        let unblocked = keys.into_iter().map(|key| Command::UnblockBudget { key });
        let letters: Vec<Letter> = opened.chain(unblocked).map(|command| Letter { command, from: None }).collect();
        self.turn(letters)?;
        for worker in 0..self.workers.len() {
            let close = self.workers[worker].session.map(|session| Command::CloseSession { session });
            let letters = close.map(|command| Letter { command, from: Some(worker) });
            self.turn(letters.into_iter().collect())?;
        }
        self.workers = vec![Worker::new("well".into(), true)];
        self.work_off()?;
        self.check_rest()?;
        self.restart()?;
        self.check_rest()?;
        self.note_met();
        std::mem::take(&mut self.witness).judge()
    }

    /// Until no job is left that isn't over.
    fn work_off(&mut self) -> Agreed<()> {
        for _ in 0..ROUNDS_MAX {
            let letters: Vec<Letter> = self.letter_of(0).into_iter().collect();
            let is_idle = letters.is_empty();
            self.turn(letters)?;
            if !self.workers[0].held.is_empty() {
                continue;
            }
            if self.unfinished()? == 0 {
                return Ok(());
            }
            if is_idle {
                let Some(next) = self.live().next_deadline() else {
                    return Err(format!("{} jobs are left, and it waits for nothing", self.unfinished()?));
                };
                self.wait_until(next)?;
            }
        }
        Err(format!("after {ROUNDS_MAX} rounds {} jobs aren't over", self.unfinished()?))
    }

    fn unfinished(&mut self) -> Agreed<u64> {
        let filter = JobFilter::default();
        let depth = self.live().scheduler.count_jobs(&filter).map_err(|rejection| format!("{rejection:?}"))?;
        let states = [JobState::Scheduled, JobState::Ready, JobState::InFlight];
        Ok(states.map(|state| depth.of(state)).iter().sum())
    }

    fn check_rest(&mut self) -> Agreed<()> {
        let now = self.clock.now;
        self.counts.add("jobs that came to an end", self.ledger.enqueued.len() as u64);
        if let Some(lease) = self.ledger.live.keys().next() {
            return Err(format!("at rest lease {lease} is live"));
        }
        for budget in self.live().scheduler.list_budgets(now, None, 100).items {
            let (policy, status) = (budget.record.policy, budget.status);
            let is_whole = policy.is_time_based() || status.available == i128::from(policy.allocation.0);
            if !is_whole || (status.in_flight_cost, status.in_flight_jobs, status.bound_jobs) != (0, 0, 0) {
                return Err(format!("at rest {} isn't whole: {status:?}, {policy:?}", budget.record.key));
            }
        }
        Ok(())
    }
}
