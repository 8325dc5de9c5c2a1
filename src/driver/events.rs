//! What the scheduler wants sent, made into what a session can read: leases become jobs with their bodies.

use std::collections::HashMap;
use std::sync::Arc;

use super::handle::{PushedJob, SessionEvent};
use super::live::Live;
use super::sessions::Sessions;
use super::trace;
use crate::scheduler::job::Body;
use crate::scheduler::lease::LeaseRecord;
use crate::scheduler::units::{JobId, LeaseId, SessionId};
use crate::scheduler::view::JobView;
use crate::scheduler::{Change, Effect};
use crate::store::{Records, StoreError};

/// Jobs to be pushed, without their bodies.
type Leased = Vec<(LeaseRecord, JobView)>;

/// The events of `effects`, for the sessions that are open. The bodies of jobs that were enqueued by the same commit
/// are taken from its `changes`; the others are read from the store, all at once.
///
/// # Errors
/// [`StoreError`] where the bodies can't be read.
pub(super) fn of(
    live: &Live,
    changes: Vec<Change>,
    effects: Vec<Effect>,
    sessions: &Sessions,
) -> Result<Vec<(SessionId, SessionEvent)>, StoreError> {
    let mut events = Vec::new();
    let mut pushes: Vec<(SessionId, Leased)> = Vec::new();
    for effect in effects {
        match effect {
            Effect::Push(session, leases) => {
                if sessions.is_open(session) {
                    pushes.push((session, leased(live, &leases)));
                }
            }
            Effect::Revoke(session, leases, reason) => {
                trace::revoked(session, &leases, reason);
                events.push((session, SessionEvent::Revoked(leases, reason)));
            }
            Effect::Supersede(session) => events.push((session, SessionEvent::Superseded)),
        }
    }
    if !pushes.is_empty() {
        let bodies = bodies(&live.records, changes, &pushes)?;
        events.extend(pushes.into_iter().map(|(session, leased)| {
            let jobs = with_bodies(leased, &bodies);
            trace::pushed(session, &jobs);
            (session, SessionEvent::Jobs(jobs))
        }));
    }
    Ok(events)
}

/// The leases that are still live, with their jobs.
fn leased(live: &Live, leases: &[LeaseId]) -> Leased {
    let leased = leases.iter().map(|lease| live.scheduler.leased(*lease));
    leased.flatten().collect()
}

/// The bodies of all jobs in `pushes`.
fn bodies(
    records: &Records,
    changes: Vec<Change>,
    pushes: &[(SessionId, Leased)],
) -> Result<HashMap<JobId, Arc<Body>>, StoreError> {
    let jobs = pushes.iter().flat_map(|(_, leased)| leased.iter().map(|(lease, _)| lease.job));
    let mut bodies: HashMap<JobId, Option<Body>> = jobs.map(|job| (job, None)).collect();
    for change in changes {
        if let Change::PutBody(job, body) = change
            && let Some(slot) = bodies.get_mut(&job)
        {
            *slot = Some(body);
        }
    }
    let stored: Vec<JobId> = bodies.iter().filter(|(_, body)| body.is_none()).map(|(job, _)| *job).collect();
    if !stored.is_empty() {
        bodies.extend(stored.iter().copied().zip(records.bodies(&stored)?));
    }
    Ok(bodies.into_iter().filter_map(|(job, body)| Some((job, Arc::new(body?)))).collect())
}

/// The jobs with their bodies. A job whose body is not in the store can't be pushed to anyone: it stays behind,
/// fails as its lease expires, and holds up nobody else.
fn with_bodies(leased: Leased, bodies: &HashMap<JobId, Arc<Body>>) -> Vec<PushedJob> {
    let jobs = leased.into_iter().filter_map(|(lease, job)| {
        let body = bodies.get(&lease.job).cloned();
        if body.is_none() {
            tracing::error!(job = %lease.job, "the store has the job, but not its body");
        }
        body.map(|body| PushedJob { lease, job, body })
    });
    jobs.collect()
}
