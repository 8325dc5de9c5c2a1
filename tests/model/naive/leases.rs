//! Leases: how they are settled, extended and confirmed, and what their end does to the job (semantics 5, 6, 9).

use sluicegate::scheduler::Reply;
use sluicegate::scheduler::command::{Ended, Extended, ExtendedTo, Outcome, Settled, SettledAs, Unsettled, Verdict};
use sluicegate::scheduler::effect::{Effect, RevokeReason};
use sluicegate::scheduler::job::{End, JobState, Name, Phase, ReadyBy};
use sluicegate::scheduler::lease::{Debit, Receipt};
use sluicegate::scheduler::units::{LeaseId, Nanos, SessionId, Timestamp};

use super::{Flaw, Job, Lease, Naive};

/// Why an attempt went back (semantics 5.3 counts them apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Returned,
    Throttled,
    Unconfirmed,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug)]
pub enum How {
    Success,
    Failure { retry_after: Option<Nanos>, discard: bool },
    Release(Cause, Nanos),
}

/// A failure that the server states in the worker's place.
pub const FAILED: How = How::Failure { retry_after: None, discard: false };

/// How the clock ends a lease; at one instant the first of these counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    TimedOut,
    Expired,
    Unconfirmed,
}

impl Lease {
    pub fn due(&self) -> (Timestamp, Due) {
        let timeout = self.timeout_at.map(|at| (at, Due::TimedOut));
        let unconfirmed = self.confirm_by.map(|at| (at, Due::Unconfirmed));
        let clocks = [Some((self.record.expire_time, Due::Expired)), timeout, unconfirmed];
        clocks.into_iter().flatten().min().expect("every lease expires")
    }
}

impl Job {
    /// When a finished job is removed.
    pub fn gone_at(&self) -> Option<Timestamp> {
        let Phase::Over(end, at) = self.record.phase else { return None };
        let kept = self.record.options.retention;
        Some(at + [kept.completed, kept.dead, kept.cancelled][end as usize])
    }

    pub fn end(&mut self, end: End, now: Timestamp) {
        self.record.phase = Phase::Over(end, now);
        self.state = match end {
            End::Completed => JobState::Completed,
            End::Dead => JobState::Dead,
            End::Cancelled => JobState::Cancelled,
        };
    }

    /// `min(initial · (multiplier / 100)^(attempt − 1), max)`; the model's multipliers are whole (semantics 6.3).
    fn backoff(&self, attempt: u32) -> Nanos {
        let backoff = self.record.options.backoff;
        let factor = u128::from(backoff.multiplier_percent / 100).saturating_pow(attempt - 1);
        let grown = u128::from(backoff.initial.0).saturating_mul(factor);
        Nanos(grown.min(u128::from(backoff.max.0)) as u64)
    }
}

impl Naive {
    pub fn find_lease(&self, id: LeaseId) -> Option<&Lease> {
        self.leases.iter().find(|lease| lease.record.id == id)
    }

    pub fn lease_mut(&mut self, id: LeaseId) -> &mut Lease {
        self.leases.iter_mut().find(|lease| lease.record.id == id).expect("a live lease")
    }

    fn ended(&self, id: LeaseId) -> Ended {
        self.ended.get(&id).map_or(Ended::Gone, |(ended, _)| *ended)
    }

    /// Ends a lease: its holds are gone with it. Says whether the job is kept.
    pub fn end_lease(&mut self, id: LeaseId, how: How, ended: Ended) -> bool {
        let now = self.now;
        let index = self.leases.iter().position(|lease| lease.record.id == id).expect("a live lease");
        let lease = self.leases.remove(index);
        self.ended.insert(id, (ended, now));
        self.budgets.iter_mut().for_each(|budget| budget.pool.forget(id));
        if let Some(session) = lease.session {
            if let Some(pushed) = self.pushed.get_mut(&session) {
                pushed.retain(|pushed| *pushed != id);
            }
            self.session_mut(session).full = false;
            self.refresh(session, false);
        }
        let job = self.job_mut(lease.record.job);
        job.state = JobState::Scheduled;
        match how {
            How::Success => {
                job.record.attempts += 1;
                job.end(End::Completed, now);
            }
            How::Failure { retry_after, discard } => job.fail(now, retry_after, discard || lease.record.cancelled),
            How::Release(cause, delay) => {
                job.release(now, cause, delay);
                let counted = job.record.releases == 0 && job.record.unconfirmed == 0;
                self.met.extend(match cause {
                    Cause::Returned if counted => Some("tenth releases"),
                    Cause::Unconfirmed if counted => Some("third unconfirmed pushes"),
                    _ => None,
                });
            }
        }
        let job = self.job_mut(lease.record.job);
        if lease.record.cancelled && job.state != JobState::Completed {
            job.end(End::Cancelled, now);
        }
        self.job_changed(lease.record.job)
    }

    pub fn lease_due(&mut self, id: LeaseId) {
        let lease = self.find_lease(id).expect("a live lease");
        let session = lease.session;
        let (how, reason) = match lease.due().1 {
            Due::TimedOut => (FAILED, RevokeReason::TimedOut),
            Due::Expired => (FAILED, RevokeReason::Expired),
            Due::Unconfirmed => (How::Release(Cause::Unconfirmed, Nanos::ZERO), RevokeReason::Ended),
        };
        self.told.extend(session.map(|session| Effect::Revoke(session, vec![id], reason)));
        self.end_lease(id, how, Ended::Lost);
    }

    pub fn settle(&mut self, from: Option<SessionId>, outcomes: &[Outcome], flaw: Option<&Flaw>) -> Reply {
        let settled = outcomes.iter().enumerate().map(|(index, outcome)| {
            let flaw = match flaw {
                Some(Flaw::Outcome(at, field)) if *at == index => Some(field),
                _ => None,
            };
            Settled { lease: outcome.lease, status: self.settle_one(from, outcome, flaw) }
        });
        Reply::Settled(settled.collect())
    }

    fn settle_one(
        &mut self,
        from: Option<SessionId>,
        outcome: &Outcome,
        flaw: Option<&String>,
    ) -> Result<SettledAs, Unsettled> {
        let (id, now) = (outcome.lease, self.now);
        let lease = self.find_lease(id).ok_or_else(|| Unsettled::NotLive(self.ended(id)))?;
        if let Some(field) = flaw {
            return Err(Unsettled::Invalid { field: field.clone(), problem: String::new() });
        }
        let holder = lease.session;
        let debits = lease.record.debits.clone();
        let debit_of = |key: &Name, part: &str, index: usize| -> Result<Debit, Unsettled> {
            let debit = self.find_budget(key).and_then(|budget| debits.iter().find(|d| d.budget == budget.id));
            let field = format!("{part}[{index}].budget");
            debit.copied().ok_or_else(|| Unsettled::NotBound { field, budget: Name::clone(key) })
        };
        let usage = outcome.usage.iter().enumerate().map(|(i, (key, used))| Ok((debit_of(key, "usage", i)?, *used)));
        let usage = usage.collect::<Result<Vec<_>, _>>()?;
        let throttled = outcome.throttled.iter().enumerate();
        let throttled = throttled.map(|(i, (key, after))| Ok((debit_of(key, "throttled", i)?, *after)));
        let throttled = throttled.collect::<Result<Vec<_>, _>>()?;
        for (debit, used) in usage.into_iter().filter(|(debit, _)| debit.time_based) {
            let (pool, left_over) = (self.pool_mut(debit.budget), i128::from(debit.cost.0) - i128::from(used.0));
            let before = pool.available(0, now);
            pool.settle_use(id, debit.cost, used, now);
            let refunded = pool.available(0, now) - before;
            self.met.extend(match refunded {
                _ if left_over < 0 => Some("overruns"),
                0 if left_over > 0 => Some("refunds that are refused"),
                _ if refunded < left_over => Some("refunds that are cut"),
                _ if left_over > 0 => Some("refunds"),
                _ => None,
            });
        }
        if let Some(holder) = holder.filter(|holder| from != Some(*holder)) {
            self.met.push("settled past their worker's stream");
            self.told.push(Effect::Revoke(holder, vec![id], RevokeReason::Ended));
        }
        let cause = if throttled.is_empty() { Cause::Returned } else { Cause::Throttled };
        for (debit, after) in throttled {
            self.met.push("throttles");
            self.pool_mut(debit.budget).block(Some(after), now);
        }
        let how = match &outcome.verdict {
            Verdict::Success { .. } => How::Success,
            Verdict::Failure { retry_after, discard, .. } => {
                How::Failure { retry_after: *retry_after, discard: *discard }
            }
            Verdict::Release { delay } => How::Release(cause, *delay),
        };
        let kept = self.end_lease(id, how, Ended::AlreadySettled);
        Ok(SettledAs { result_dropped: matches!(outcome.verdict, Verdict::Success { result: Some(_) }) && !kept })
    }

    /// The push of a live lease has arrived.
    pub fn confirm(&mut self, id: LeaseId) {
        let lease = self.lease_mut(id);
        if lease.record.receipt == Receipt::Awaited {
            lease.record.receipt = Receipt::Confirmed;
            lease.confirm_by = None;
            lease.row = lease.record.clone();
        }
    }

    pub fn received(&mut self, leases: &[LeaseId]) -> Reply {
        for id in leases {
            if self.find_lease(*id).is_some() {
                self.confirm(*id);
            }
        }
        Reply::Done
    }

    pub fn extend(&mut self, leases: &[LeaseId]) -> Reply {
        let extended = leases.iter().map(|id| Extended { lease: *id, status: self.extend_one(*id) });
        Reply::Extended(extended.collect())
    }

    fn extend_one(&mut self, id: LeaseId) -> Result<ExtendedTo, Ended> {
        if self.find_lease(id).is_none() {
            return Err(self.ended(id));
        }
        self.confirm(id);
        let now = self.now;
        let lease = self.lease_mut(id);
        let expire_time = now + lease.record.duration;
        lease.record.expire_time = expire_time;
        Ok(ExtendedTo { expire_time, cancelled: lease.record.cancelled })
    }
}

impl Job {
    /// An attempt is used up; the retry is ranked anew (semantics 6.2).
    fn fail(&mut self, now: Timestamp, retry_after: Option<Nanos>, discard: bool) {
        self.record.attempts += 1;
        self.record.failures += 1;
        (self.record.releases, self.record.unconfirmed) = (0, 0);
        if discard || self.record.attempts >= self.record.options.max_attempts {
            return self.end(End::Dead, now);
        }
        self.record.ready_at = now + retry_after.unwrap_or_else(|| self.backoff(self.record.attempts));
        self.record.run_at = self.record.ready_at;
        self.record.ready_by = ReadyBy::Backoff;
    }

    /// The job keeps its rank. The third unconfirmed push and the tenth release in a row count as an attempt (5.3).
    fn release(&mut self, now: Timestamp, cause: Cause, delay: Nanos) {
        match cause {
            Cause::Returned => self.record.releases += 1,
            Cause::Throttled => self.record.releases = 0,
            Cause::Unconfirmed => self.record.unconfirmed += 1,
        }
        if self.record.releases == 10 || self.record.unconfirmed == 3 {
            self.record.attempts += 1;
            (self.record.releases, self.record.unconfirmed) = (0, 0);
        }
        self.record.run_at = self.record.ready_at;
        if delay > Nanos::ZERO {
            self.record.run_at = self.record.run_at.max(now + delay);
        }
        if self.record.attempts >= self.record.options.max_attempts {
            self.end(End::Dead, now);
        }
    }
}
