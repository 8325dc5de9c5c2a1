//! What the scheduler wants sent, made into what a session can read: leases become jobs with their bodies.

use std::sync::Arc;

use super::handle::{PushedJob, SessionEvent};
use super::live::Live;
use super::sessions::Sessions;
use super::trace;
use crate::scheduler::job::Body;
use crate::scheduler::units::{JobId, LeaseId, SessionId};
use crate::scheduler::{Change, Effect};
use crate::store::{Records, StoreError};

/// Jobs to be pushed, by the leases that they go under.
type Leased = Vec<(LeaseId, JobId)>;

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
            let jobs = with_bodies(live, leased, &mut bodies);
            trace::pushed(session, &jobs);
            (session, SessionEvent::Jobs(jobs))
        }));
    }
    Ok(events)
}

/// The leases that are still live, with their jobs.
fn leased(live: &Live, leases: &[LeaseId]) -> Leased {
    leases.iter().filter_map(|lease| Some((*lease, live.scheduler.leased_job(*lease)?))).collect()
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
    for (_, job) in pushes.iter().flat_map(|(_, leased)| leased) {
        let found = new.binary_search_by_key(job, |(job, _)| *job);
        if found.is_err() {
            missing.push(bodies.len());
            stored.push(*job);
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
fn with_bodies(live: &Live, leased: Leased, bodies: &mut impl Iterator<Item = Option<Arc<Body>>>) -> Vec<PushedJob> {
    // They are large: made where they stay, in room for all.
    let mut jobs = Vec::with_capacity(leased.len());
    for ((lease, job), body) in leased.into_iter().zip(bodies) {
        let Some(body) = body else {
            tracing::error!(%job, "the store has the job, but not its body");
            continue;
        };
        let (lease, job) = live.scheduler.leased(lease).expect("nothing has changed since its job was looked up");
        jobs.push(PushedJob { lease, job, body });
    }
    jobs
}
