//! What happens by itself: deadlines, and dispatch by going through all ready jobs in rank order (semantics 4.1, 4.2).

use sluicegate::scheduler::command::SessionMode;
use sluicegate::scheduler::job::{JobState, Rank};
use sluicegate::scheduler::lease::{Debit, LeaseRecord, Receipt};
use sluicegate::scheduler::units::{JobId, LeaseId, SessionId, Timestamp, Tokens};

use super::{Job, Lease, Naive};

/// What the clock does, at one instant in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Lease(LeaseId),
    Job(JobId),
}

impl Naive {
    /// Meets what is due and dispatches what can be. Says whether anything happened.
    pub fn advance(&mut self, now: Timestamp) -> bool {
        self.come_to(now);
        let mut happened = false;
        while let Some((_, due)) = self.first_due().filter(|(at, _)| *at <= now) {
            happened = true;
            match due {
                Due::Lease(id) => self.lease_due(id),
                Due::Job(id) => _ = self.job_changed(id),
            }
        }
        loop {
            while self.dispatch_one() {
                happened = true;
            }
            self.rest();
            // What was set aside for jobs that only a call served is free when it ends.
            if !self.end_calls() {
                break;
            }
            happened = true;
        }
        self.forget_unnamed();
        self.note_gates();
        happened
    }

    /// Nothing is left to try.
    fn rest(&mut self) {
        let (gates, paused) = (&self.gates, &self.paused);
        for session in self.sessions.iter_mut().filter(|session| session.waits_since.is_some()) {
            let served = gates.iter().filter(|(queue, class)| {
                session.queues.contains(queue) && !paused.contains(queue) && session.takes(*class)
            });
            session.had_room_for = served.cloned().collect();
        }
        self.leave_places(None, |_, _| true);
    }

    /// Ends the calls that got something, then those that have waited long enough: these get what is there at that very
    /// instant, and nothing if there is nothing. Says whether any ended.
    fn end_calls(&mut self) -> bool {
        let mut ended: Vec<_> = self.sessions.iter().filter(|session| session.answered).map(|s| s.id).collect();
        ended.sort();
        let mut overdue: Vec<_> = self.calls().filter(|(until, _)| *until <= self.now).map(|(_, id)| id).collect();
        overdue.retain(|id| !ended.contains(id));
        overdue.sort();
        for id in &overdue {
            self.pushed.entry(*id).or_default();
        }
        ended.extend(overdue);
        ended.iter().for_each(|id| _ = self.close_session(*id));
        !ended.is_empty()
    }

    /// `LeaseJobs` calls, and how long they wait.
    fn calls(&self) -> impl Iterator<Item = (Timestamp, SessionId)> + '_ {
        self.sessions.iter().filter_map(|session| match session.mode {
            SessionMode::Once { until, .. } => Some((until, session.id)),
            SessionMode::Stream { .. } => None,
        })
    }

    fn first_due(&self) -> Option<(Timestamp, Due)> {
        let leases = self.leases.iter().map(|lease| (lease.due().0, Due::Lease(lease.record.id)));
        let jobs = self.jobs.iter().filter_map(|job| Some((job.due()?, Due::Job(job.record.id))));
        leases.chain(jobs).min()
    }

    /// The next instant after now at which anything could happen: something is due, or some ready job could be paid.
    pub fn next_instant(&self) -> Option<Timestamp> {
        let due = self.first_due().map(|(at, _)| at);
        let ready = self.jobs.iter().filter(|job| job.state == JobState::Ready);
        let payable = ready.filter_map(|job| {
            let bindings = job.record.bindings.iter();
            let instants = bindings.map(|binding| {
                let (pool, held) = (&self.budget(binding.budget).pool, self.held_cost(binding.budget));
                let aside = self.set_aside(binding.budget, job.rank()).map_or(0, |(_, cost)| cost.0);
                pool.affordable_at(Tokens(binding.cost.0 + aside), held, self.now)
            });
            instants.collect::<Option<Vec<_>>>()?.into_iter().max()
        });
        let waiting = self.waiting_instants();
        payable.chain(waiting).filter(|at| *at > self.now).chain(due).chain(self.calls().map(|(until, _)| until)).min()
    }

    /// Dispatches the first job in rank order that can be.
    fn dispatch_one(&mut self) -> bool {
        let ready = self.jobs.iter().filter(|job| job.state == JobState::Ready && !self.draining);
        let mut ready: Vec<(Rank, JobId)> = ready.map(|job| (job.rank(), job.record.id)).collect();
        ready.sort();
        for (rank, id) in ready {
            if !self.has_worker(id) {
                continue;
            }
            self.leave_places(Some(rank), |_, _| true);
            let job = self.find_job(id).expect("it is ready");
            if !self.can_be_paid(job) {
                if self.is_held_up_by_others(job) {
                    self.met.push("jobs held up by what is set aside alone");
                }
                self.note_tried(id);
            } else if let Some(session) = self.worker_for(id) {
                self.dispatch(id, session);
                return true;
            }
        }
        false
    }

    /// Whether a worker that serves the job's queue and takes its size has room.
    fn has_worker(&self, id: JobId) -> bool {
        let job = &self.find_job(id).expect("a ready job").record;
        let mut serving = self.sessions.iter().filter(|s| s.queues.contains(&job.queue) && s.takes(job.body_bytes));
        !self.paused.contains(&job.queue) && serving.any(|session| session.waits_since.is_some())
    }

    /// The worker that serves the job's queue, has room, and has waited longest (semantics 4.5). One whose turn it is
    /// and that has room but not bytes enough is full until it settles something.
    fn worker_for(&mut self, id: JobId) -> Option<SessionId> {
        let job = self.find_job(id).expect("a ready job");
        let (queue, bytes) = (job.record.queue.clone(), job.record.body_bytes);
        if self.paused.contains(&queue) {
            return None;
        }
        let serving = self.sessions.iter().filter(|session| session.queues.contains(&queue) && session.takes(bytes));
        let mut waiting: Vec<_> = serving.filter_map(|session| Some((session.waits_since?, session.id))).collect();
        waiting.sort();
        for (_, id) in waiting {
            let session = self.session_mut(id).clone();
            if self.has_bytes_for(&session, bytes) {
                return Some(id);
            }
            self.session_mut(id).full = true;
            self.met.push("workers without bytes for the next job");
            self.refresh(id, false);
        }
        None
    }

    /// Debits every binding, grants a lease, and pushes (semantics 1, 4.6).
    fn dispatch(&mut self, job: JobId, taker: SessionId) {
        let passing = self.find_job(job).expect("it is ready").clone();
        if !passing.passed.is_empty() {
            self.met.push("dispatches of a job that was passed over");
        }
        for binding in &*passing.record.bindings {
            self.pass(binding.budget, passing.rank());
        }
        let (now, id) = (self.now, LeaseId(self.id()));
        let row = self.job_mut(job);
        row.state = JobState::InFlight;
        row.tried = false;
        row.passed.clear();
        let record = row.record.clone();
        let mut debits = Vec::new();
        for binding in &*record.bindings {
            let pool = self.pool_mut(binding.budget);
            pool.debit(id, binding.cost, now);
            let time_based = pool.policy.is_time_based();
            debits.push(Debit { budget: binding.budget, cost: binding.cost, time_based });
        }
        let session = self.session_mut(taker);
        let (receipt, request) = match &session.mode {
            SessionMode::Stream { confirms_receipt: true, .. } => (Receipt::Awaited, None),
            SessionMode::Stream { .. } => (Receipt::Unneeded, None),
            SessionMode::Once { request, .. } => {
                session.answered = true;
                (Receipt::Unneeded, request.clone())
            }
        };
        let lease = LeaseRecord {
            id,
            job,
            worker: session.worker.clone(),
            attempt: record.attempts + 1,
            dispatch_time: now,
            expire_time: now + session.lease,
            duration: session.lease,
            receipt,
            cancelled: false,
            request,
            debits,
        };
        self.leases.push(Lease {
            row: lease.clone(),
            record: lease,
            session: Some(taker),
            body_bytes: record.body_bytes,
            timeout_at: record.options.timeout.map(|timeout| now + timeout),
            confirm_by: None,
        });
        self.pushed.entry(taker).or_default().push(id);
        self.refresh(taker, true);
    }
}

impl Job {
    pub fn rank(&self) -> Rank {
        Rank { priority: self.record.priority, ready_at: self.record.ready_at, job: self.record.id }
    }

    /// When the clock changes its state.
    fn due(&self) -> Option<Timestamp> {
        match self.state {
            JobState::Scheduled => Some(self.record.run_at),
            JobState::Ready | JobState::InFlight => None,
            JobState::Completed | JobState::Dead | JobState::Cancelled => self.gone_at(),
        }
    }
}
