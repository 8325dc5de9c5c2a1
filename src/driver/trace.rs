//! One line per job event, at debug, under the target `sluicegate::job`: what happened to which job, never what it
//! carries. Costs one check a batch while nobody reads it.

use tracing::{Level, debug, enabled};

use super::handle::PushedJob;
use crate::ids;
use crate::scheduler::command::{Ended, Enqueued, Settled, Unsettled};
use crate::scheduler::effect::RevokeReason;
use crate::scheduler::job::Phase;
use crate::scheduler::units::{LeaseId, SessionId};
use crate::scheduler::{Change, Rejection, Reply};
use crate::telemetry::JOB_TARGET;

fn is_on() -> bool {
    enabled!(target: JOB_TARGET, Level::DEBUG)
}

/// What a commit has stored.
pub(super) fn changes(changes: &[Change]) {
    if !is_on() {
        return;
    }
    for change in changes {
        match change {
            Change::PutFailure(job, _, failure) => {
                debug!(target: JOB_TARGET, job = ids::job_text(*job), attempt = failure.attempt, "attempt failed");
            }
            Change::PutJob(record) => {
                if let Phase::Over(end, _) = record.phase {
                    debug!(target: JOB_TARGET, job = ids::job_text(record.id), ?end, attempts = record.attempts, "over");
                }
            }
            Change::DeleteJob { id, .. } => debug!(target: JOB_TARGET, job = ids::job_text(*id), "removed"),
            Change::DeleteLease(lease) => debug!(target: JOB_TARGET, lease = ids::lease_text(*lease), "lease ended"),
            Change::PutBudget(_)
            | Change::DeleteBudget(_)
            | Change::PutPool(_)
            | Change::PutBody(..)
            | Change::PutResult(..)
            | Change::PutLease(_)
            | Change::PutQueue(_)
            | Change::PutRequest(_)
            | Change::DeleteRequest(_)
            | Change::ReserveIds(_) => {}
        }
    }
}

/// What a caller is told of its jobs.
pub(super) fn reply(outcome: &Result<Reply, Rejection>) {
    match outcome {
        Ok(Reply::Enqueued(jobs)) if is_on() => enqueued(jobs),
        Ok(Reply::Settled(settled)) if is_on() => settles(settled),
        _ => {}
    }
}

fn enqueued(jobs: &[Enqueued]) {
    for Enqueued { id, existing, .. } in jobs {
        debug!(target: JOB_TARGET, job = ids::job_text(*id), existing, "enqueued");
    }
}

fn settles(settled: &[Settled]) {
    for Settled { lease, status } in settled {
        let status = match status {
            Ok(_) => "settled",
            Err(Unsettled::NotLive(Ended::AlreadySettled)) => "already settled",
            Err(Unsettled::NotLive(Ended::Lost)) => "lost",
            Err(Unsettled::NotLive(Ended::Gone)) => "gone",
            Err(Unsettled::NotBound { .. }) => "not bound",
            Err(Unsettled::Invalid { .. }) => "invalid",
        };
        debug!(target: JOB_TARGET, lease = ids::lease_text(*lease), status, "settle");
    }
}

/// Jobs on their way to a worker.
pub(super) fn pushed(session: SessionId, jobs: &[PushedJob]) {
    if !is_on() {
        return;
    }
    for PushedJob { lease, job, .. } in jobs {
        debug!(
            target: JOB_TARGET,
            job = ids::job_text(lease.job),
            queue = %job.record.queue,
            lease = ids::lease_text(lease.id),
            attempt = lease.attempt,
            worker = %lease.worker,
            session = ids::session_text(session),
            "pushed"
        );
    }
}

/// Leases that a worker is told to let go of.
pub(super) fn revoked(session: SessionId, leases: &[LeaseId], reason: RevokeReason) {
    if !is_on() {
        return;
    }
    for lease in leases {
        debug!(target: JOB_TARGET, lease = ids::lease_text(*lease), session = ids::session_text(session), ?reason, "revoked");
    }
}
