//! Live leases, and the one function that ends them.

use std::collections::{BTreeMap, VecDeque};

use super::Scheduler;
use super::command::{Ended, Extended, ExtendedTo, Outcome, Reply, Settled, SettledAs, Unsettled, Verdict};
use super::config::Config;
use super::effect::RevokeReason;
use super::event::{self, Happened, How, Use};
use super::job::Name;
use super::jobs::State;
use super::lease::{Debit, LeaseRecord, Receipt};
use super::life::{Failed, ReleaseCause, Released};
use super::slots::IdMap;
use super::timers::Timer;
use super::units::{JobId, LaneId, LeaseId, Nanos, SessionId, Timestamp, Tokens};
use super::validate;

/// One live lease.
#[derive(Debug)]
pub struct Lease {
    /// Its row, but for `expire_time`, which extensions move in memory alone (semantics 10.2).
    pub record: LeaseRecord,
    /// The session in whose window it counts.
    pub session: Option<SessionId>,
    /// Bytes of its job's body.
    pub body_bytes: u32,
    /// When its job's timeout is over.
    pub timeout_at: Option<Timestamp>,
    /// When it is released unless it is confirmed: set when its stream ends.
    pub confirm_by: Option<Timestamp>,
}

impl Lease {
    /// When the clock ends it, and how.
    fn due(&self) -> (Timestamp, Due) {
        let expiry = (self.record.expire_time, Due::Expired);
        let timeout = self.timeout_at.map(|at| (at, Due::TimedOut));
        let unconfirmed = self.confirm_by.map(|at| (at, Due::Unconfirmed));
        [Some(expiry), timeout, unconfirmed].into_iter().flatten().min().unwrap_or(expiry)
    }
}

/// How the clock ends a lease; at one instant the first of these counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    TimedOut,
    Expired,
    Unconfirmed,
}

/// How a lease ends.
pub(super) enum End {
    /// The worker, or the server in its place, says how the attempt went.
    Verdict(Verdict),
    /// As a release of this kind.
    Release(ReleaseCause, Nanos),
}

impl End {
    /// The server says that the attempt failed.
    pub(super) fn failure(error: &str) -> Self {
        Self::Verdict(Verdict::Failure { error: error.into(), retry_after: None, discard: false })
    }
}

/// What a worker says of one budget.
enum Report {
    /// So many tokens were used.
    Used(Tokens),
    /// The far side wants to be left alone for so long.
    Throttled(Nanos),
}

/// All live leases, and what became of those that lately ended.
#[derive(Debug, Default)]
pub struct Leases {
    live: IdMap<Lease>,
    ended: BTreeMap<LeaseId, Ended>,
    ended_at: VecDeque<(Timestamp, LeaseId)>,
}

impl Leases {
    /// A lease, if it is live.
    pub fn find(&self, id: LeaseId) -> Option<&Lease> {
        self.live.get(id.0)
    }

    /// A live lease.
    pub fn get(&self, id: LeaseId) -> &Lease {
        self.live.get(id.0).expect("jobs and sessions refer to live leases")
    }

    /// A live lease.
    pub fn get_mut(&mut self, id: LeaseId) -> &mut Lease {
        self.live.get_mut(id.0).expect("jobs and sessions refer to live leases")
    }

    /// All live leases.
    pub fn iter(&self) -> impl Iterator<Item = (LeaseId, &Lease)> {
        self.live.from(0).map(|(id, lease)| (LeaseId(id), lease))
    }

    /// Adds a lease.
    pub fn insert(&mut self, lease: Lease) {
        self.live.insert(lease.record.id.0, lease);
    }

    /// Takes a live lease out and remembers its end (semantics 5.4).
    fn remove(&mut self, now: Timestamp, id: LeaseId, ended: Ended) -> Lease {
        while self.ended_at.len() >= Config::ENDED_MAX
            || self.ended_at.front().is_some_and(|(at, _)| *at + Config::ENDED_KEPT <= now)
        {
            if let Some((_, oldest)) = self.ended_at.pop_front() {
                self.ended.remove(&oldest);
            }
        }
        self.ended.insert(id, ended);
        self.ended_at.push_back((now, id));
        self.live.remove(id.0).expect("a live lease")
    }

    /// What is known of a lease that isn't live.
    fn ended(&self, id: LeaseId) -> Ended {
        self.ended.get(&id).copied().unwrap_or(Ended::Gone)
    }
}

impl Scheduler {
    /// Dispatches the first job of a lane that all its budgets can pay: debits them, grants a lease, and notes the
    /// push (semantics 3.1, 4.6).
    pub(super) fn grant(&mut self, now: Timestamp, lane: LaneId, session: SessionId) {
        let rank = self.lanes.get(lane).head().expect("a lane that is tried has a ready job");
        let (job_id, bindings) = (rank.job, std::sync::Arc::clone(&self.lanes.get(lane).key.bindings));
        self.note_passed(now, &bindings, rank);
        let id = LeaseId(self.ids.next(&mut self.journal));
        let mut debits = Vec::with_capacity(bindings.len());
        for binding in &*bindings {
            let pool = &mut self.budgets.get_mut(binding.budget).pool;
            let time_based = pool.policy().is_time_based();
            pool.debit(binding.cost, now);
            pool.watch(id);
            debits.push(Debit { budget: binding.budget, cost: binding.cost, time_based });
            if time_based {
                self.journal.pools.insert(binding.budget);
            }
            self.thirsty.insert(binding.budget);
        }
        self.take_off(job_id, id);
        let job = self.jobs.get(job_id);
        let (attempt, timeout, body_bytes) = (job.attempts + 1, self.jobs.options(job_id).timeout, job.body_bytes);
        let taker = self.sessions.get(session);
        let record = LeaseRecord {
            id,
            job: job_id,
            worker: Name::clone(&taker.worker),
            attempt,
            dispatch_time: now,
            expire_time: now + taker.lease,
            duration: taker.lease,
            receipt: taker.receipt(),
            cancelled: false,
            request: taker.request().cloned(),
            debits,
        };
        let timeout_at = timeout.map(|timeout| now + timeout);
        self.add_lease(Lease { record, session: Some(session), body_bytes, timeout_at, confirm_by: None });
        self.sessions.note_leased(id, self.leases.get(id));
        self.change_session(now, session, |session| session.take(id, body_bytes));
        self.journal.leases.push(id);
        self.journal.push(session, id);
        self.journal.note(now, || {
            let record = &self.leases.get(id).record;
            Happened::Dispatched {
                lease: id,
                job: job_id,
                queue: Name::clone(&self.queues.of_gate(self.lanes.get(lane).key.gate).name),
                worker: Name::clone(&record.worker),
                attempt,
                debits: event::debited(&self.budgets, &record.debits),
            }
        });
    }

    /// Adds a lease and its timer.
    pub(super) fn add_lease(&mut self, lease: Lease) {
        let id = lease.record.id;
        self.timers.set(lease.due().0, Timer::Lease(id));
        self.leases.insert(lease);
    }

    /// Changes a live lease and its timer.
    pub(super) fn change_lease(&mut self, id: LeaseId, change: impl FnOnce(&mut Lease)) {
        let lease = self.leases.get_mut(id);
        let before = lease.due().0;
        change(lease);
        let after = lease.due().0;
        self.timers.change(Timer::Lease(id), Some(before), Some(after));
    }

    /// Ends a live lease, however it ends, and releases each of its holds: the only place that does (semantics 5.5).
    /// Says whether the job is kept, if it is over.
    pub(super) fn end_lease(&mut self, now: Timestamp, id: LeaseId, end: End, how: How) -> bool {
        let lease = self.leases.remove(now, id, how.remembered());
        self.timers.unset(lease.due().0, Timer::Lease(id));
        for debit in &lease.record.debits {
            let pool = &mut self.budgets.get_mut(debit.budget).pool;
            pool.release(debit.cost);
            pool.unwatch(id);
            self.thirsty.insert(debit.budget);
        }
        self.sessions.note_ended(id, &lease);
        if let Some(session) = lease.session {
            self.journal.unpush(session, id);
            self.change_session(now, session, |session| session.give_back(id, lease.body_bytes));
        }
        self.journal.leases.push(id);
        let (job, cancelled) = (lease.record.job, lease.record.cancelled);
        let mut kept = true;
        match end {
            End::Verdict(Verdict::Success { result }) => kept = self.complete_job(now, job, result),
            End::Verdict(Verdict::Failure { error, retry_after, discard }) => {
                self.fail_job(now, job, Failed { error: &error, retry_after, discard, cancelled });
            }
            End::Verdict(Verdict::Release { delay }) => {
                self.release_job(now, job, Released { cause: ReleaseCause::Returned, delay, cancelled });
            }
            End::Release(cause, delay) => self.release_job(now, job, Released { cause, delay, cancelled }),
        }
        self.journal.note(now, || Happened::Ended {
            lease: id,
            job,
            how,
            state: self.jobs.find(job).map(|job| job.state().shown()),
            released: event::debited(&self.budgets, &lease.record.debits),
        });
        kept
    }

    /// The clock has reached a lease's next deadline.
    pub(super) fn lease_due(&mut self, now: Timestamp, id: LeaseId) {
        let (end, reason, how) = match self.leases.get(id).due().1 {
            Due::Expired => (End::failure("lease expired"), RevokeReason::Expired, How::Expired),
            Due::TimedOut => (End::failure("timed out"), RevokeReason::TimedOut, How::TimedOut),
            Due::Unconfirmed => {
                (End::Release(ReleaseCause::Unconfirmed, Nanos::ZERO), RevokeReason::Ended, How::Unconfirmed)
            }
        };
        self.tell_holder(id, reason);
        self.end_lease(now, id, end, how);
    }

    /// The stream that has a live lease in hand hears that it loses it, or should end it.
    pub(super) fn tell_holder(&mut self, id: LeaseId, reason: RevokeReason) {
        if let Some(session) = self.leases.get(id).session {
            self.journal.revoke(session, id, reason);
        }
    }

    /// The worker of a job in flight is asked to end it; the lease and its holds stay (semantics 6.1).
    pub(super) fn ask_to_cancel(&mut self, job: JobId) {
        let State::InFlight(id) = self.jobs.get(job).state() else { unreachable!("only jobs in flight are asked for") };
        let lease = self.leases.get_mut(id);
        if std::mem::replace(&mut lease.record.cancelled, true) {
            return;
        }
        self.tell_holder(id, RevokeReason::Cancelled);
        self.journal.leases.push(id);
    }

    /// A job in flight is cancelled and its holds are freed at once, though its handler may still run (semantics 6.1).
    pub(super) fn force_cancel(&mut self, now: Timestamp, job: JobId) {
        let State::InFlight(id) = self.jobs.get(job).state() else { unreachable!("only jobs in flight have a lease") };
        self.leases.get_mut(id).record.cancelled = true;
        self.tell_holder(id, RevokeReason::ForceCancelled);
        self.end_lease(now, id, End::Release(ReleaseCause::Returned, Nanos::ZERO), How::ForceCancelled);
    }

    pub(super) fn settle(
        &mut self,
        now: Timestamp,
        from: Option<SessionId>,
        outcomes: Vec<Outcome>,
    ) -> Result<Reply, super::Rejection> {
        validate::batch("outcomes", outcomes.len())?;
        let settled = outcomes.into_iter().map(|outcome| {
            let lease = outcome.lease;
            Settled { lease, status: self.settle_one(now, from, outcome) }
        });
        Ok(Reply::Settled(settled.collect()))
    }

    fn settle_one(
        &mut self,
        now: Timestamp,
        from: Option<SessionId>,
        outcome: Outcome,
    ) -> Result<SettledAs, Unsettled> {
        let id = outcome.lease;
        if self.leases.find(id).is_none() {
            return Err(Unsettled::NotLive(self.leases.ended(id)));
        }
        validate::outcome(&outcome)?;
        let reports = self.reports(id, &outcome)?;
        let throttled = !outcome.throttled.is_empty();
        let sent = matches!(&outcome.verdict, Verdict::Success { result: Some(_) });
        self.take_reports(now, id, reports);
        if self.leases.get(id).session != from {
            self.tell_holder(id, RevokeReason::Ended);
        }
        let how = How::settled(&outcome.verdict, throttled);
        let end = match outcome.verdict {
            Verdict::Release { delay } if throttled => End::Release(ReleaseCause::Throttled, delay),
            verdict => End::Verdict(verdict),
        };
        let kept = self.end_lease(now, id, end, how);
        Ok(SettledAs { result_dropped: sent && !kept })
    }

    /// The reports of an outcome, matched with what the lease debited.
    fn reports(&self, id: LeaseId, outcome: &Outcome) -> Result<Vec<(Debit, Report)>, Unsettled> {
        let debits = &self.leases.get(id).record.debits;
        let debit = |part: &str, index: usize, budget: &Name| {
            let found = self.budgets.find(budget).and_then(|id| debits.iter().find(|debit| debit.budget == id));
            found.copied().ok_or_else(|| Unsettled::NotBound {
                field: format!("{part}[{index}].budget"),
                budget: Name::clone(budget),
            })
        };
        let mut reports = Vec::new();
        for (index, (budget, used)) in outcome.usage.iter().enumerate() {
            reports.push((debit("usage", index, budget)?, Report::Used(*used)));
        }
        for (index, (budget, after)) in outcome.throttled.iter().enumerate() {
            reports.push((debit("throttled", index, budget)?, Report::Throttled(*after)));
        }
        Ok(reports)
    }

    /// What a worker reports of the budgets it pressed on (semantics 9.1, 9.3).
    fn take_reports(&mut self, now: Timestamp, id: LeaseId, reports: Vec<(Debit, Report)>) {
        let mut usage = Vec::new();
        for (debit, report) in reports {
            let budget = self.budgets.get_mut(debit.budget);
            match report {
                Report::Used(used) if debit.time_based => {
                    let moved = budget.pool.settle_use(id, debit.cost, used, now);
                    if self.journal.keeps_events() && budget.pool.policy().is_time_based() {
                        usage.push(Use { budget: Name::clone(&budget.key), debited: debit.cost, used, moved });
                    }
                }
                Report::Used(_) => continue,
                Report::Throttled(after) => budget.pool.block(Some(after), now),
            }
            self.journal.pools.insert(debit.budget);
            self.thirsty.insert(debit.budget);
        }
        if !usage.is_empty() {
            let job = self.leases.get(id).record.job;
            self.journal.note(now, || Happened::Used { lease: id, job, usage });
        }
    }

    pub(super) fn extend(&mut self, now: Timestamp, leases: Vec<LeaseId>) -> Result<Reply, super::Rejection> {
        validate::batch("lease_ids", leases.len())?;
        let extended = leases.into_iter().map(|lease| Extended { lease, status: self.extend_one(now, lease) });
        Ok(Reply::Extended(extended.collect()))
    }

    fn extend_one(&mut self, now: Timestamp, id: LeaseId) -> Result<ExtendedTo, Ended> {
        if self.leases.find(id).is_none() {
            return Err(self.leases.ended(id));
        }
        self.confirm(id);
        self.change_lease(id, |lease| lease.record.expire_time = now + lease.record.duration);
        let record = &self.leases.get(id).record;
        Ok(ExtendedTo { expire_time: record.expire_time, cancelled: record.cancelled })
    }

    /// The push of a live lease has arrived.
    pub(super) fn confirm(&mut self, id: LeaseId) {
        if self.leases.get(id).record.receipt == Receipt::Awaited {
            self.change_lease(id, |lease| {
                lease.record.receipt = Receipt::Confirmed;
                lease.confirm_by = None;
            });
            self.journal.leases.push(id);
        }
    }

    pub(super) fn received(&mut self, leases: &[LeaseId]) -> Result<Reply, super::Rejection> {
        validate::batch("lease_ids", leases.len())?;
        for id in leases {
            if self.leases.find(*id).is_some() {
                self.confirm(*id);
            }
        }
        Ok(Reply::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{enqueue, plain_job, serve};
    use super::*;

    #[test]
    fn an_end_is_remembered_for_ten_minutes() {
        let mut scheduler = Scheduler::new(Config::default());
        let now = Timestamp(0);
        let job = enqueue(&mut scheduler, now, plain_job());
        serve(&mut scheduler, now);
        let lease = scheduler.leases.get(scheduler.job(job).unwrap().lease.unwrap().id);
        let mut leases = Leases::default();
        let forgotten = now + Config::ENDED_KEPT;
        for (id, at) in [(1, now), (2, forgotten - Nanos(1)), (3, forgotten)] {
            leases.insert(Lease { record: LeaseRecord { id: LeaseId(id), ..lease.record.clone() }, ..*lease });
            assert_eq!(leases.ended(LeaseId(1)) == Ended::Gone, id == 1);
            leases.remove(at, LeaseId(id), Ended::Lost);
        }
        let known = [1, 2, 3].map(|id| leases.ended(LeaseId(id)));
        assert_eq!(known, [Ended::Gone, Ended::Lost, Ended::Lost]);
    }
}
