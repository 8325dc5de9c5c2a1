//! `demo`: what limits look like from outside, on a server that lives as long as the demonstration.
//!
//! Owns the cast: the budgets, the jobs, the worker that would take far more than the budgets let it. The board shows it.

mod board;
mod measure;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use sluicegate_client::{
    CancellationToken, Client, HandlerError, Job, JobContext, JobFilter, JobState, Policy, TimeBased, Worker,
};
use tokio::time::{Instant, sleep, sleep_until};

use super::host::Host;
use super::signals::EndSignals;
use crate::config::{Config, Storage};
use crate::scheduler;
use crate::store::{Durability, RedbConfig};
use board::{Board, BudgetRow, Scene};
use measure::Measured;

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate demo
  sluicegate demo --seconds 60
  sluicegate demo | cat        plain lines, one a second

It needs nothing and leaves nothing: the server listens on a free port of 127.0.0.1, and its store is a \
temporary directory.";

const QUEUE: &str = "demo";
const SLOTS: &str = "slots";
const RATE: &str = "rate";
const SLOTS_ALLOCATION: u64 = 5;
const RATE_PER_SECOND: u64 = 15;
const RATE_BURST: u64 = 5;
/// Far above what the budgets let through.
const WINDOW: usize = 64;
/// How long a job takes: 200 ms to 400 ms.
const WORK_MS: std::ops::RangeInclusive<u64> = 200..=400;
/// So many that the budgets keep them going for about the time there is: each has two thirds of them, and `slots` lets through
/// 5 / 0.3 s.
const JOBS_OF_A_KIND_PER_SECOND: u32 = 7;
/// What budgets a job is bound to, in turn.
const KINDS: [&[&str]; 3] = [&[SLOTS], &[RATE], &[SLOTS, RATE]];

#[derive(Args, Clone, Debug)]
pub(super) struct DemoArgs {
    /// About how long it takes, 5 to 300
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(5..=300))]
    seconds: u32,
}

/// Plays it, from the start of a server to its end.
pub(super) fn run(args: DemoArgs) -> anyhow::Result<()> {
    super::block_on(async {
        let dir = tempfile::tempdir().context("cannot make a temporary directory")?;
        let config = Config {
            listen: ([127, 0, 0, 1], 0).into(),
            store: Storage::Directory(RedbConfig::new(dir.path())),
            event_log: None,
            measure: None,
            durability: Durability::Immediate,
            scheduler: scheduler::Config::default(),
            shutdown_grace: Duration::from_secs(5),
            runtime_threads: NonZeroUsize::MIN,
        };
        let host = Host::start(&config).await?;
        let endpoint = format!("http://{}", host.address()?);
        let shutdown = CancellationToken::new();
        let played = async {
            let outcome = play(&endpoint, args.seconds).await;
            shutdown.cancel();
            outcome
        };
        let (served, played) = tokio::join!(host.serve(shutdown.clone().cancelled_owned()), played);
        served?;
        played
    })
}

async fn play(endpoint: &str, seconds: u32) -> anyhow::Result<()> {
    let client = Client::connect(endpoint).await?;
    let slots = client.create_budget(SLOTS, Policy::while_in_flight(SLOTS_ALLOCATION)).await?;
    let drip = TimeBased::per(Duration::from_secs(1)).burst(RATE_BURST);
    let rate = client.create_budget(RATE, Policy::time_based(RATE_PER_SECOND, drip)).await?;
    let jobs = jobs(seconds * JOBS_OF_A_KIND_PER_SECOND);
    let total = client.enqueue_many(jobs).await?.len() as u64;
    Board::introduce(endpoint, total, WINDOW, &[slots, rate])?;

    let measured = Arc::new(Measured::default());
    let of_worker = Arc::clone(&measured);
    let worker = Worker::builder(client.clone())
        .queue(QUEUE)
        .window(WINDOW)
        .handler_for_all(move |job| work(job, Arc::clone(&of_worker)))
        .build()?;
    let stop = CancellationToken::new();
    let start = Instant::now();
    let shown = async {
        let shown = watch(&client, total, seconds).await;
        stop.cancel();
        shown
    };
    let (worked, shown) = tokio::join!(worker.run(stop.clone()), shown);
    worked?;
    let finished = shown?;
    measured.summary(start.elapsed(), SLOTS_ALLOCATION, RATE_BURST + RATE_PER_SECOND)?;
    ensure!(finished, "it was ended before all jobs were done");
    Ok(())
}

/// As many jobs of each kind, taking turns.
fn jobs(of_a_kind: u32) -> Vec<Job> {
    let bound = |budgets: &[&str]| budgets.iter().fold(Job::new(QUEUE, "sleep"), |job, budget| job.bind(*budget, 1));
    (0..of_a_kind).flat_map(|_| KINDS.map(bound)).collect()
}

/// What a job does: it takes its time.
async fn work(job: JobContext, measured: Arc<Measured>) -> Result<(), HandlerError> {
    let job = job.job();
    let is_bound = |budget: &str| job.bindings.iter().any(|binding| binding.budget == budget);
    let _at_work = is_bound(SLOTS).then(|| measured.begin_slot());
    if is_bound(RATE) {
        measured.started(job.dispatch_time);
    }
    sleep(Duration::from_millis(rand::random_range(WORK_MS))).await;
    Ok(())
}

/// Shows how things stand until all jobs are done. False if that didn't come to pass: by a signal, or after twice the time.
async fn watch(client: &Client, total: u64, seconds: u32) -> anyhow::Result<bool> {
    let mut board = Board::new();
    let mut signals = EndSignals::new()?;
    let start = Instant::now();
    let deadline = start + 2 * Duration::from_secs(seconds.into());
    let mut next = start;
    loop {
        let scene = scene(client, total, start.elapsed()).await?;
        let is_done = scene.done == total;
        board.show(&scene, is_done)?;
        if is_done {
            return Ok(true);
        }
        next += board.interval();
        tokio::select! {
            () = sleep_until(next) => {}
            () = signals.next() => return Ok(false),
            () = sleep_until(deadline) => return Ok(false),
        }
    }
}

/// How things stand now, as anybody may ask the server.
async fn scene(client: &Client, total: u64, elapsed: Duration) -> anyhow::Result<Scene> {
    let mut budgets = Vec::new();
    for key in [SLOTS, RATE] {
        let bound_kinds = KINDS.iter().filter(|budgets| budgets.contains(&key)).count() as u64;
        let bound = total * bound_kinds / KINDS.len() as u64;
        let ready = client.count_jobs(JobFilter::new().budget(key).state(JobState::Ready)).await?;
        let status = client.get_budget(key).await?.status;
        budgets.push(BudgetRow {
            key,
            available: status.available,
            capacity: status.capacity,
            ready,
            parked: status.parked_jobs,
            in_flight: status.in_flight_jobs,
            done: bound - status.bound_jobs,
            bound,
        });
    }
    let unfinished = client.count_jobs(JobFilter::new().queue(QUEUE)).await?;
    Ok(Scene { elapsed, budgets, done: total - unfinished, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_job_comes_as_often() {
        let jobs = jobs(7);
        assert_eq!(jobs.len(), 21);
        assert_eq!(jobs[0], Job::new(QUEUE, "sleep").bind(SLOTS, 1));
        assert_eq!(jobs[1], Job::new(QUEUE, "sleep").bind(RATE, 1));
        assert_eq!(jobs[20], Job::new(QUEUE, "sleep").bind(SLOTS, 1).bind(RATE, 1));
    }
}
