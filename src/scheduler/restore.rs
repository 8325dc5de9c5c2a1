//! Going on from what a store holds (semantics 10.1, 10.2, 11.1).

use std::collections::BTreeMap;

use super::Scheduler;
use super::budget::Pool;
use super::budgets::Budget;
use super::config::Config;
use super::effect::{BudgetRecord, PoolRecord, Snapshot};
use super::ids::Ids;
use super::job::{JobRecord, Phase, ReadyBy};
use super::jobs::{Common, Job, State};
use super::lane::LaneKey;
use super::lease::{LeaseRecord, Receipt};
use super::leases::Lease;
use super::queue::SizeClass;
use super::units::{BudgetId, JobId, LeaseId, Nanos, Timestamp};

impl Scheduler {
    /// A scheduler that goes on from what a store holds. An error says which row contradicts which.
    pub fn restore(config: Config, now: Timestamp, snapshot: Snapshot) -> Result<Self, String> {
        let mut scheduler = Self::new(config);
        scheduler.now = now;
        scheduler.ids = Ids::starting_at(snapshot.next_id);
        scheduler.restore_budgets(now, snapshot.budgets, snapshot.pools)?;
        for queue in snapshot.queues {
            let id = scheduler.queues.named(&queue.name);
            scheduler.queues.get_mut(id).paused = queue.paused;
        }
        let leased: BTreeMap<JobId, LeaseId> = snapshot.leases.iter().map(|lease| (lease.job, lease.id)).collect();
        for job in snapshot.jobs {
            let lease = leased.get(&job.id).copied();
            scheduler.restore_job(now, job, lease)?;
        }
        for lease in snapshot.leases {
            scheduler.restore_lease(now, lease)?;
        }
        let mut requests = snapshot.requests;
        requests.sort_by_key(|record| record.number);
        for mut request in requests {
            request.time = request.time.min(now);
            let max = scheduler.config.requests_max;
            scheduler.requests.remember(request, max, &mut scheduler.journal.given);
        }
        Ok(scheduler)
    }

    fn restore_budgets(
        &mut self,
        now: Timestamp,
        budgets: Vec<BudgetRecord>,
        pools: Vec<PoolRecord>,
    ) -> Result<(), String> {
        let pools: BTreeMap<BudgetId, PoolRecord> = pools.into_iter().map(|pool| (pool.budget, pool)).collect();
        for record in budgets {
            let Some(stored) = pools.get(&record.id) else {
                return Err(format!("the budget {:?} has no pool row", record.key));
            };
            let pool = Pool::restore(record.policy, stored, now);
            let budget = Budget {
                create_time: record.create_time,
                update_time: record.update_time,
                revision: record.revision,
                is_deleted: record.is_deleted,
                ..Budget::new(record.key, pool, now)
            };
            self.budgets.insert(record.id, budget);
        }
        Ok(())
    }

    fn restore_job(&mut self, now: Timestamp, mut record: JobRecord, lease: Option<LeaseId>) -> Result<(), String> {
        let id = record.id;
        bring_back(&mut record, now);
        if let Some(binding) = record.bindings.iter().find(|binding| !self.budgets.contains(binding.budget)) {
            return Err(format!("job {id} is bound to budget {}, which has no row", binding.budget));
        }
        let state = match (record.phase, lease) {
            (Phase::Over(end, at), None) => State::Over(end, at.min(now)),
            (Phase::Over(..), Some(lease)) => return Err(format!("job {id} is over and has the lease {lease}")),
            (Phase::Live, Some(lease)) => State::InFlight(lease),
            (Phase::Live, None) if record.run_at > now => State::Scheduled,
            (Phase::Live, None) => State::Ready,
        };
        let queue = self.queues.named(&record.queue);
        let gate = self.queues.gate(queue, SizeClass::of(record.body_bytes));
        let lane = self.lane_for(LaneKey { gate, priority: record.priority, bindings: record.bindings });
        let job = Job {
            lane,
            common: self.jobs.share(Common { kind: record.kind, options: record.options }),
            unique: record.unique.map(Box::new),
            create_time: record.create_time,
            ready_at: record.ready_at,
            ready_by: record.ready_by,
            run_at: record.run_at,
            attempts: record.attempts,
            releases: u8::try_from(record.releases).unwrap_or(u8::MAX),
            unconfirmed: u8::try_from(record.unconfirmed).unwrap_or(u8::MAX),
            failures: record.failures,
            body_bytes: record.body_bytes,
            state: state.into(),
        };
        self.add_job(id, job);
        Ok(())
    }

    /// A lease goes on for at least its duration from now, so that its worker can come back for it; one whose receipt is
    /// awaited is released unless that is soon (semantics 5.3, 10.2).
    fn restore_lease(&mut self, now: Timestamp, mut record: LeaseRecord) -> Result<(), String> {
        let id = record.id;
        let Some(job) = self.jobs.find(record.job) else {
            return Err(format!("lease {id} is of job {}, which has no row", record.job));
        };
        if job.state() != State::InFlight(id) {
            return Err(format!("job {} has two leases, one of them {id}", record.job));
        }
        for debit in &record.debits {
            if !self.budgets.contains(debit.budget) {
                return Err(format!("lease {id} has debited budget {}, which has no row", debit.budget));
            }
            self.budgets.get_mut(debit.budget).pool.hold(debit.cost);
        }
        // No extension had promised more, as each was from an instant before this one.
        record.expire_time = now + record.duration;
        record.dispatch_time = record.dispatch_time.min(now);
        let lease = Lease {
            session: None,
            body_bytes: job.body_bytes,
            timeout_at: self.jobs.common(job.common).options.timeout.map(|timeout| record.dispatch_time + timeout),
            confirm_by: (record.receipt == Receipt::Awaited).then(|| now + Config::CONFIRM_WITHIN),
            record,
        };
        self.sessions.note_leased(id, &lease);
        self.add_lease(lease);
        Ok(())
    }
}

/// Takes the instants back that an earlier start with a clock ahead has set (semantics 11.1). A run time that a caller
/// chose stays; a job that was ready at once is ready; one that a failure or a release puts off waits no longer than
/// either may ask for.
fn bring_back(record: &mut JobRecord, now: Timestamp) {
    const DELAY_MAX: Nanos = Nanos::from_hours(24);
    let is_delayed = record.run_at > record.ready_at;
    record.ready_at = record.ready_at.min(match record.ready_by {
        ReadyBy::Now => now,
        ReadyBy::Caller => Timestamp::MAX,
        ReadyBy::Backoff => now + DELAY_MAX,
    });
    record.run_at = if is_delayed { record.run_at.min(now + DELAY_MAX).max(record.ready_at) } else { record.ready_at };
    record.create_time = record.create_time.min(now);
}

#[cfg(test)]
mod tests {
    use super::super::Command;
    use super::super::command::{JobsChange, NewBinding, NewJob, Part};
    use super::super::job::JobState;
    use super::super::policy::Policy;
    use super::super::testing::{enqueue, plain_job, serve, stored};
    use super::super::units::Tokens;
    use super::super::view::JobFilter;
    use super::*;

    const YEAR: Nanos = Nanos::from_days(365);

    fn bound_to_slot() -> NewJob {
        let binding = NewBinding { budget: "slot".into(), cost: Tokens(1), create_with: None };
        NewJob { bindings: vec![binding], ..plain_job() }
    }

    #[test]
    fn one_start_with_a_clock_far_ahead_poisons_nothing() {
        let (now, ahead) = (Timestamp(0), Timestamp(0) + YEAR);
        let mut wrong = Scheduler::new(Config::default());
        let slot = Command::CreateBudget { key: "slot".into(), policy: Policy::while_in_flight(1) };
        wrong.apply(ahead, slot).unwrap();
        let block = Command::BlockBudget { key: "slot".into(), span: Some(Nanos::from_secs(5)) };
        let held = enqueue(&mut wrong, ahead, bound_to_slot());
        serve(&mut wrong, ahead);
        let waits = enqueue(&mut wrong, ahead, bound_to_slot());
        let run_time = Some(ahead + Nanos::from_hours(1));
        let chosen = enqueue(&mut wrong, ahead, NewJob { run_time, ..bound_to_slot() });
        let retried = enqueue(&mut wrong, ahead, bound_to_slot());
        for change in [JobsChange::Cancel { force: false }, JobsChange::Retry] {
            let filter = JobFilter { ids: Some(vec![retried]), ..JobFilter::default() };
            let part = Part::Whole { apply: true };
            wrong.apply(ahead + Nanos(1), Command::ChangeJobs { filter, change, part }).unwrap();
        }
        wrong.apply(ahead, block).unwrap();

        let mut right = Scheduler::restore(Config::default(), now, stored(&mut wrong)).unwrap();
        let state = |scheduler: &Scheduler, job| scheduler.job(job).unwrap().state;
        assert_eq!(state(&right, held), JobState::InFlight);
        assert_eq!(state(&right, waits), JobState::Ready);
        assert_eq!(state(&right, retried), JobState::Ready);
        assert_eq!(state(&right, chosen), JobState::Scheduled, "a run time that a caller chose is wall time");
        let blocked_until = right.budget(now, "slot").unwrap().status.blocked_until;
        assert_eq!(blocked_until, Some(now + Nanos::from_secs(5)));
        right.advance(now + Nanos::from_secs(30));
        assert_eq!(right.job(held).unwrap().record.attempts, 1, "its lease has ended after its duration");
        serve(&mut right, now + Nanos::from_secs(30));
        assert_eq!(state(&right, waits), JobState::InFlight);
        right.check_invariants(now + Nanos::from_secs(30));
    }

    #[test]
    fn rows_that_contradict_each_other_are_refused() {
        let now = Timestamp(0);
        let mut scheduler = Scheduler::new(Config::default());
        let slot = Command::CreateBudget { key: "slot".into(), policy: Policy::while_in_flight(1) };
        scheduler.apply(now, slot).unwrap();
        enqueue(&mut scheduler, now, bound_to_slot());
        serve(&mut scheduler, now);
        let whole = stored(&mut scheduler);
        assert!(Scheduler::restore(Config::default(), now, whole.clone()).is_ok());
        let twin = LeaseRecord { id: LeaseId(99), ..whole.leases[0].clone() };
        let leases = vec![whole.leases[0].clone(), twin];
        let spoilt = [
            ("no pool row", Snapshot { pools: Vec::new(), ..whole.clone() }),
            ("which has no row", Snapshot { budgets: Vec::new(), ..whole.clone() }),
            ("which has no row", Snapshot { jobs: Vec::new(), ..whole.clone() }),
            ("two leases", Snapshot { leases, ..whole }),
        ];
        for (expected, spoilt) in spoilt {
            let problem = Scheduler::restore(Config::default(), now, spoilt).expect_err(expected);
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
