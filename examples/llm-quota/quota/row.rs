//! One mode: its endpoint, its budgets, its jobs and its worker, until no job is left.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use anyhow::ensure;
use sluicegate_client::{CancellationToken, Client, Job, JobFilter, JobState, Worker};
use tokio::process::Command;

use super::caller::Caller;
use super::process::Process;
use super::{Call, Figures, Mode, budgets};
use crate::endpoint::{self, Limit};

/// Jobs that the worker would do at once: far more than the endpoint allows.
const WINDOW: usize = 64;

/// One mode of a run.
pub struct Row<'a> {
    pub mode: Mode,
    pub speed: u32,
    /// When the first jobs are due.
    pub start: SystemTime,
    pub client: Client,
    pub dir: &'a Path,
}

impl Row<'_> {
    /// Has all calls made, and returns what the endpoint says of them.
    pub async fn run(self, calls: &[Call]) -> anyhow::Result<Figures> {
        let Self { mode, speed, start, client, dir } = self;
        let log = dir.join(format!("{mode}.log"));
        let mut endpoint = Command::new(std::env::current_exe()?);
        endpoint.args(endpoint::arguments(speed, &log));
        let errors = File::create(dir.join(format!("{mode}.errors")))?;
        let mut endpoint = Process::start(&format!("the endpoint of {mode}"), &mut endpoint, errors).await?;

        for limit in budgets::held(mode) {
            client.create_budget(budgets::key(mode, limit), budgets::policy(limit, speed)).await?;
        }
        let due = |call: &Call| start + call.due / speed;
        let jobs = calls.iter().map(|call| Ok(job(mode, call)?.run_at(due(call))));
        client.enqueue_many(jobs.collect::<sluicegate_client::Result<Vec<_>>>()?).await?;
        tokio::select! {
            worked = work(&client, mode, Caller::new(mode, speed, endpoint.address), calls.len()) => worked?,
            error = endpoint.ended() => return Err(error),
        }
        endpoint.stop().await?;
        Figures::read(speed, start, calls, &fs::read_to_string(log)?)
    }
}

/// A job that makes the call, bound to what this mode holds.
fn job(mode: Mode, call: &Call) -> sluicegate_client::Result<Job> {
    let job = Job::new(mode.to_string(), "").json(&call.prompt())?;
    Ok(budgets::held(mode).into_iter().fold(job, |job, limit| {
        let cost = if limit == Limit::Tokens { mode.cost(call) } else { 1 };
        job.bind(budgets::key(mode, limit), cost)
    }))
}

/// Works until so many calls have succeeded, and all is settled.
async fn work(client: &Client, mode: Mode, caller: Caller, calls: usize) -> anyhow::Result<()> {
    let (left, done) = (Arc::new(AtomicUsize::new(calls)), CancellationToken::new());
    let all_done = done.clone();
    let handler = move |job| {
        let (caller, left, all_done) = (caller.clone(), Arc::clone(&left), all_done.clone());
        async move {
            caller.handle(job).await?;
            if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                all_done.cancel();
            }
            Ok(())
        }
    };
    let worker =
        Worker::builder(client.clone()).queue(mode.to_string()).window(WINDOW).handler_for_all(handler).build()?;
    worker.run(done).await?;
    let unfinished = [JobState::Scheduled, JobState::Ready, JobState::InFlight];
    let unfinished = unfinished.into_iter().fold(JobFilter::new().queue(mode.to_string()), JobFilter::state);
    let left = client.count_jobs(unfinished).await?;
    ensure!(left == 0, "{left} jobs are left in {mode}");
    Ok(())
}
