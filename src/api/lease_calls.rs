//! The unary twins of Dispatch: LeaseJobs, SettleJobs and ExtendLeases.

use std::time::Duration;

use prost::encoding::message::encoded_len;
use tokio::time::timeout;
use tonic::Status;

use super::context::Context;
use super::convert::lease::{Extensions, Settles};
use super::convert::session::lease_call;
use super::convert::{At, job_wire};
use super::proto as pb;
use super::{dispatch, errors};
use crate::driver::{PushedJob, Session, SessionEvent};

/// The field of a LeaseJobsResponse that holds its jobs.
const JOBS_TAG: u32 = 1;

/// Leases up to some jobs, waiting for the first. A caller that goes away ends the wait: the session goes with the future.
///
/// A repeat of a call that still waits is answered after it, with its leases; where it got none, or its caller is gone, the
/// repeat waits for jobs itself.
pub async fn lease_jobs(context: &Context, wire: pb::LeaseJobsRequest) -> Result<pb::LeaseJobsResponse, Status> {
    let call = lease_call(wire, context.clock.now())?;
    let mut place = call.request.map(|request| context.lease_requests.line_up(request));
    if let Some(place) = &mut place {
        let wait = Duration::from_nanos(call.wait.0);
        tokio::select! {
            biased;
            turn = timeout(wait, place.turn()) => if turn.is_err() {
                return Ok(pb::LeaseJobsResponse::default());
            },
            () = context.draining.cancelled() => return Err(errors::draining()),
        }
    }
    let opened = context.handle.open_session(call.open).await;
    let (mut session, _) = opened.map_err(|refusal| errors::relocate(refusal, in_call))?;
    let pushed = tokio::select! {
        // What was dispatched before the drain began is taken.
        biased;
        pushed = pushed(&mut session) => pushed?,
        () = context.draining.cancelled() => return Err(errors::draining()),
    };
    Ok(answer(pushed, call.answer_bytes_max))
}

/// Ends leases.
pub async fn settle_jobs(context: &Context, wire: pb::SettleJobsRequest) -> Result<pb::SettleJobsResponse, Status> {
    let (settles, outcomes) = Settles::new(&At::Root.field("outcomes"), wire.outcomes)?;
    let settled = dispatch::settle(&context.handle, None, outcomes).await?;
    Ok(pb::SettleJobsResponse { results: settles.results(settled) })
}

/// Prolongs leases.
pub async fn extend_leases(
    context: &Context,
    wire: pb::ExtendLeasesRequest,
) -> Result<pb::ExtendLeasesResponse, Status> {
    let (extensions, leases) = Extensions::new(&At::Root.field("lease_ids"), wire.lease_ids)?;
    let extended = dispatch::extend(&context.handle, leases).await?;
    Ok(pb::ExtendLeasesResponse { results: extensions.results(extended) })
}

/// The one push of the call's session.
async fn pushed(session: &mut Session) -> Result<Vec<PushedJob>, Status> {
    loop {
        match session.events.recv().await {
            Some(SessionEvent::Jobs(jobs)) => return Ok(jobs),
            // Both are about streams.
            Some(SessionEvent::Revoked(..) | SessionEvent::Superseded) => {}
            Some(SessionEvent::StoreFailed) | None => {
                return Err(errors::store_unavailable("it failed while the call waited"));
            }
        }
    }
}

/// As many of the jobs as fit. All do, unless a repeated `request_id` asks for a smaller answer than the first call did:
/// the rest then comes with a larger one.
fn answer(pushed: Vec<PushedJob>, bytes_max: usize) -> pb::LeaseJobsResponse {
    let mut bytes = 0;
    let jobs = pushed
        .into_iter()
        .map(job_wire::leased)
        .take_while(|job| {
            bytes += encoded_len(JOBS_TAG, job);
            bytes <= bytes_max
        })
        .collect();
    pb::LeaseJobsResponse { jobs }
}

/// A queue is named by itself, not by a message, and the window by the call.
fn in_call(path: &str) -> String {
    let path = path.strip_prefix("window.").unwrap_or(path);
    path.strip_suffix(".name").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    #[test]
    fn an_answer_holds_what_fits() {
        let pushed = || (1..=3).map(|lease| job_wire::tests::pushed(lease, 100)).collect();
        let all = answer(pushed(), usize::MAX);
        assert_eq!(all.jobs.len(), 3);
        let bytes = all.encoded_len();
        assert_eq!(answer(pushed(), bytes).jobs.len(), 3);
        assert_eq!(answer(pushed(), bytes - 1).jobs.len(), 2);
        assert!(answer(pushed(), bytes - 1).encoded_len() < bytes);
    }

    #[test]
    fn paths_are_those_of_the_call() {
        assert_eq!(in_call("queues[2].name"), "queues[2]");
        assert_eq!(in_call("window.max_jobs"), "max_jobs");
        assert_eq!(in_call("worker_id"), "worker_id");
    }
}
