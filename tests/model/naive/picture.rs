//! The state in a few lines, for whoever looks into a divergence.

use std::fmt;

use super::Naive;

impl fmt::Display for Naive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for budget in &self.budgets {
            let (pool, held) = (&budget.pool, self.held_cost(budget.id));
            let (available, blocked) = (pool.available(held, self.now), pool.blocked_until(self.now));
            writeln!(f, "budget {}: {available} available, {held} held, blocked until {blocked:?}", budget.key)?;
        }
        let mut jobs: Vec<_> = self.jobs.iter().collect();
        jobs.sort_by_key(|job| job.rank());
        for job in jobs {
            let (record, bindings) = (&job.record, self.job_view(job.record.id).map(|view| view.bindings));
            let bindings: Vec<_> = bindings.iter().flatten().map(|(key, cost)| format!("{key}:{}", cost.0)).collect();
            let (id, priority, ready_at, bytes) = (record.id, record.priority, record.ready_at.0, record.body_bytes);
            let (state, queue) = (job.state, &record.queue);
            write!(f, "job {id} {state:?} in {queue}, {priority} {ready_at}, {bytes} bytes, {}", bindings.join(" "))?;
            writeln!(f, ", {}, passed over {:?}", if job.tried { "tried" } else { "untried" }, job.passed)?;
        }
        for lease in &self.leases {
            let (due, how) = lease.due();
            let (id, job, session) = (lease.record.id, lease.record.job, lease.session);
            writeln!(f, "lease {id} of job {job} in the hand of {session:?}, {how:?} at {}", due.0)?;
        }
        for session in &self.sessions {
            let (id, worker, waits, full) = (session.id, &session.worker, session.waits_since, session.full);
            let queues = session.queues.join(" ");
            writeln!(
                f,
                "session {id} of {worker} for {queues}, {:?}, full {full}, waits since {waits:?}",
                session.window
            )?;
        }
        for place in &self.places {
            writeln!(f, "{place:?}")?;
        }
        writeln!(f, "paused: {:?}", self.paused)
    }
}
