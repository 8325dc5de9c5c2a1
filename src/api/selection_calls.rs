//! The calls that change all jobs a filter selects.
//!
//! A selection that one commit can hold is changed whole. A larger one is gone through twice in steps, first to validate it
//! and then to change it, so that other commands get their turn between steps (semantics 8.2).

use tonic::Status;

use super::context::Context;
use super::convert::filter::chosen_jobs;
use super::convert::job_patch::job_patch;
use super::convert::{At, budget};
use super::proto as pb;
use crate::driver::Refusal;
use crate::ids;
use crate::scheduler::command::{Changed, JobsChange, Part};
use crate::scheduler::view::JobFilter;
use crate::scheduler::{Command, Reply};

/// Ends jobs, or asks their workers to.
pub async fn cancel(context: &Context, wire: pb::CancelJobsRequest) -> Result<pb::CancelJobsResponse, Status> {
    let filter = chosen_jobs(&At::Root.field("filter"), wire.filter)?;
    let done = change(context, filter, JobsChange::Cancel { force: wire.force }, !wire.validate_only).await?;
    let (changed, blocked, blocked_count) = shown(done);
    Ok(pb::CancelJobsResponse { changed, blocked, blocked_count })
}

/// Makes jobs ready again.
pub async fn retry(context: &Context, wire: pb::RetryJobsRequest) -> Result<pb::RetryJobsResponse, Status> {
    let filter = chosen_jobs(&At::Root.field("filter"), wire.filter)?;
    let done = change(context, filter, JobsChange::Retry, !wire.validate_only).await?;
    let (changed, blocked, blocked_count) = shown(done);
    Ok(pb::RetryJobsResponse { changed, blocked, blocked_count })
}

/// Removes jobs.
pub async fn delete(context: &Context, wire: pb::DeleteJobsRequest) -> Result<pb::DeleteJobsResponse, Status> {
    let filter = chosen_jobs(&At::Root.field("filter"), wire.filter)?;
    let done = change(context, filter, JobsChange::Delete, !wire.validate_only).await?;
    let (changed, blocked, blocked_count) = shown(done);
    Ok(pb::DeleteJobsResponse { changed, blocked, blocked_count })
}

/// Changes the specs of jobs.
pub async fn update(context: &Context, wire: pb::UpdateJobsRequest) -> Result<pb::UpdateJobsResponse, Status> {
    let filter = chosen_jobs(&At::Root.field("filter"), wire.filter)?;
    let patch = Box::new(job_patch(&At::Root.field("job"), wire.job, wire.update_mask)?);
    let done = change(context, filter, JobsChange::Update(patch), !wire.validate_only).await?;
    let (changed, blocked, blocked_count) = shown(done);
    Ok(pb::UpdateJobsResponse { changed, blocked, blocked_count })
}

/// Changes the bindings of jobs.
pub async fn modify_bindings(
    context: &Context,
    wire: pb::BulkModifyBindingsRequest,
) -> Result<pb::BulkModifyBindingsResponse, Status> {
    let filter = chosen_jobs(&At::Root.field("filter"), wire.filter)?;
    let operation = budget::operation(&At::Root.field("operation"), wire.operation)?;
    let done = change(context, filter, JobsChange::Bindings(operation), !wire.validate_only).await?;
    let (changed, blocked, blocked_count) = shown(done);
    Ok(pb::BulkModifyBindingsResponse { changed, blocked, blocked_count })
}

async fn change(context: &Context, filter: JobFilter, change: JobsChange, apply: bool) -> Result<Changed, Refusal> {
    let command = |part| Command::ChangeJobs { filter: filter.clone(), change: change.clone(), part };
    match context.handle.apply(command(Part::Whole { apply })).await? {
        Reply::Changed(changed) => return Ok(changed),
        Reply::TooMany => {}
        other => unreachable!("a change of a selection is answered with what it did, not with {other:?}"),
    }
    let validated = steps(context, &command, false).await?;
    if apply { steps(context, &command, true).await } else { Ok(validated) }
}

async fn steps(context: &Context, command: impl Fn(Part) -> Command, apply: bool) -> Result<Changed, Refusal> {
    let mut total = Changed::default();
    loop {
        let part = Part::Step { after: total.next_after, apply };
        let Reply::Changed(step) = context.handle.apply(command(part)).await? else {
            unreachable!("a step of a change is answered with what it did");
        };
        total.add(step);
        if total.next_after.is_none() {
            return Ok(total);
        }
    }
}

fn shown(changed: Changed) -> (u64, Vec<String>, u64) {
    let blocked = changed.blocked.into_iter().map(ids::job_text);
    (changed.changed, blocked.collect(), changed.blocked_count)
}
