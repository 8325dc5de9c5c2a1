//! What the scheduler's own tests share: the plainest job and worker, and what a store would hold.

use super::command::{NewJob, OpenSession, SessionMode, Window};
use super::effect::{Change, Snapshot};
use super::job::{Body, JobOptions};
use super::units::{JobId, Nanos, SessionId, Timestamp};
use super::{Command, Reply, Scheduler};

/// A job of the queue `q` without bindings.
pub fn plain_job() -> NewJob {
    NewJob {
        queue: "q".into(),
        kind: "".into(),
        body: Body::default(),
        priority: 0,
        run_time: None,
        bindings: Vec::new(),
        options: JobOptions::default(),
        unique: None,
    }
}

/// Enqueues one job.
pub fn enqueue(scheduler: &mut Scheduler, now: Timestamp, job: NewJob) -> JobId {
    match scheduler.apply(now, Command::Enqueue { request: None, jobs: vec![job] }) {
        Ok(Reply::Enqueued(enqueued)) => enqueued[0].id,
        other => panic!("{other:?}"),
    }
}

/// A stream of a worker of the queue `q`.
pub fn open_session(session: SessionId) -> OpenSession {
    OpenSession {
        session,
        worker: "w".into(),
        queues: vec!["q".into()],
        window: Window { jobs: 9, bytes: 1 << 20 },
        lease: Nanos::from_secs(30),
        body_bytes_max: 1 << 20,
        mode: SessionMode::Stream { confirms_receipt: false, held: None },
    }
}

/// A worker of the queue `q` takes all that it can get.
pub fn serve(scheduler: &mut Scheduler, now: Timestamp) {
    scheduler.apply(now, Command::OpenSession(open_session(SessionId(1)))).unwrap();
    scheduler.advance(now);
}

/// What a new store would hold after the changes since the last call.
pub fn stored(scheduler: &mut Scheduler) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for change in scheduler.take_changes() {
        match change {
            Change::PutBudget(budget) => snapshot.budgets.push(budget),
            Change::PutPool(pool) => snapshot.pools.push(pool),
            Change::PutJob(job) => snapshot.jobs.push(job),
            Change::PutLease(lease) => snapshot.leases.push(lease),
            Change::ReserveIds(next) => snapshot.next_id = next,
            Change::PutBody(..) | Change::PutFailure(..) | Change::DeleteLease(_) => {}
            other => panic!("{other:?}"),
        }
    }
    snapshot
}
