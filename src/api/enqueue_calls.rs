//! Enqueue and BatchEnqueue.

use tonic::Status;

use super::context::Context;
use super::convert::job::{BATCH_JOBS_MAX, new_job};
use super::convert::{At, count, job_wire, request_id};
use super::errors::relocate;
use super::proto as pb;
use crate::driver::Refusal;
use crate::ids;
use crate::scheduler::command::{Enqueued, NewJob};
use crate::scheduler::job::Name;
use crate::scheduler::{Command, Reply};

/// How many bytes of payloads a batch has checked before others get their turn.
const BYTES_PER_TURN: u64 = 256 << 10;

/// Takes in one job.
pub async fn enqueue(context: &Context, wire: pb::EnqueueRequest) -> Result<pb::EnqueueResponse, Status> {
    let payload_bytes_max = context.options.payload_bytes_max;
    let job = new_job(&At::Root.field("job"), wire.job, payload_bytes_max)?;
    let request = request_id(&At::Root.field("request_id"), wire.request_id)?;
    let mut enqueued =
        apply(context, request, vec![job]).await.map_err(|refusal| relocate(refusal, of_the_only_job))?;
    let Enqueued { id, existing, job } = enqueued.pop().expect("an answer for each job");
    // A repeated request may find its job removed: then only its id is left to show.
    let removed = || pb::Job { id: ids::job_text(id), ..pb::Job::default() };
    let job = Some(job.map_or_else(removed, |view| job_wire::basic(*view)));
    Ok(pb::EnqueueResponse { job, existing })
}

/// Takes in jobs, all or none.
pub async fn batch_enqueue(
    context: &Context,
    wire: pb::BatchEnqueueRequest,
) -> Result<pb::BatchEnqueueResponse, Status> {
    count(&At::Root.field("jobs"), wire.jobs.len(), BATCH_JOBS_MAX)?;
    let request = request_id(&At::Root.field("request_id"), wire.request_id)?;
    let mut jobs = Vec::with_capacity(wire.jobs.len());
    let mut bytes = 0;
    for (index, spec) in wire.jobs.into_iter().enumerate() {
        let at = At::Root.item("jobs", index);
        let job = new_job(&at, Some(spec), context.options.payload_bytes_max)?;
        bytes += u64::from(job.body.bytes());
        jobs.push(job);
        if bytes > BYTES_PER_TURN {
            bytes = 0;
            tokio::task::yield_now().await;
        }
    }
    let enqueued = apply(context, request, jobs).await?;
    let jobs = enqueued
        .into_iter()
        .map(|enqueued| pb::EnqueuedJob { id: ids::job_text(enqueued.id), existing: enqueued.existing });
    Ok(pb::BatchEnqueueResponse { jobs: jobs.collect() })
}

async fn apply(context: &Context, request: Option<Name>, jobs: Vec<NewJob>) -> Result<Vec<Enqueued>, Refusal> {
    match context.handle.apply(Command::Enqueue { request, jobs }).await? {
        Reply::Enqueued(enqueued) => Ok(enqueued),
        other => unreachable!("an enqueue is answered with its jobs, not with {other:?}"),
    }
}

/// What the scheduler calls `jobs[0]` was written as `job`.
fn of_the_only_job(path: &str) -> String {
    path.strip_prefix("jobs[0]").map_or_else(|| path.to_owned(), |rest| format!("job{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_job_has_no_index() {
        assert_eq!(of_the_only_job("jobs[0].bindings[1].cost"), "job.bindings[1].cost");
        assert_eq!(of_the_only_job("jobs[0]"), "job");
        assert_eq!(of_the_only_job("request_id"), "request_id");
    }
}
