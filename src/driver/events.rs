//! What the scheduler wants sent, made into what a session can read: leases become jobs with their bodies.

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
        let mut bodies = bodies(&live.records, changes, &pushes)?.into_iter();
        events.extend(pushes.into_iter().map(|(session, leased)| {
            let jobs = with_bodies(leased, &mut bodies);
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

/// The bodies of all jobs in `pushes`, in their order. None: it is not in the store.
fn bodies(
    records: &Records,
    changes: Vec<Change>,
    pushes: &[(SessionId, Leased)],
) -> Result<Vec<Option<Arc<Body>>>, StoreError> {
    let new = changes.into_iter().filter_map(|change| match change {
        Change::PutBody(job, body) => Some((job, Arc::new(body))),
        _ => None,
    });
    let new: Vec<(JobId, Arc<Body>)> = new.collect();
    debug_assert!(new.is_sorted_by_key(|(job, _)| *job), "ids grow from one new job to the next");
    let (mut bodies, mut missing, mut stored) = (Vec::new(), Vec::new(), Vec::new());
    for (lease, _) in pushes.iter().flat_map(|(_, leased)| leased) {
        let found = new.binary_search_by_key(&lease.job, |(job, _)| *job);
        if found.is_err() {
            missing.push(bodies.len());
            stored.push(lease.job);
        }
        bodies.push(found.ok().map(|place| Arc::clone(&new[place].1)));
    }
    if !stored.is_empty() {
        for (place, body) in missing.into_iter().zip(records.bodies(&stored)?) {
            bodies[place] = body.map(Arc::new);
        }
    }
    Ok(bodies)
}

/// The jobs with their bodies. A job whose body is not in the store can't be pushed to anyone: it stays behind,
/// fails as its lease expires, and holds up nobody else.
fn with_bodies(leased: Leased, bodies: &mut impl Iterator<Item = Option<Arc<Body>>>) -> Vec<PushedJob> {
    let jobs = leased.into_iter().zip(bodies).filter_map(|((lease, job), body)| {
        if body.is_none() {
            tracing::error!(job = %lease.job, "the store has the job, but not its body");
        }
        body.map(|body| PushedJob { lease, job, body })
    });
    jobs.collect()
}
