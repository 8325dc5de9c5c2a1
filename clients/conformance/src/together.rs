//! A worker process of each language, all at once, on one budget: however many there are, no more of their handlers are at work
//! at once than the budget allows, as counted by what the handlers call. Once without faults, once with the server killed.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sluicegate_client::{Client, Job, JobFilter, Policy};
use tokio::time::sleep;

use crate::endpoint::{Counts, Endpoint};
use crate::failure::{At, Failure, LOOK_EVERY, Outcome, within};
use crate::languages::Language;
use crate::runner::Runner;
use crate::server::Server;

const JOBS: u64 = 500;
const ALLOCATION: u64 = 3;
const QUEUE: &str = "together";
const BUDGET: &str = "slots";
/// After how many visits the server is killed.
const KILLS: [u64; 2] = [JOBS / 4, JOBS / 2];

/// Whether both hold.
pub(crate) async fn run(languages: &[Language]) -> Outcome<bool> {
    let mut holds = true;
    for (title, kills) in [("without faults", &[][..]), ("with the server killed twice", &KILLS[..])] {
        match round(languages, kills).await {
            Ok(counts) => {
                let shares: Vec<_> = counts.workers.iter().map(|(worker, jobs)| format!("{worker} {jobs}")).collect();
                let again = counts.jobs.values().sum::<u64>() - JOBS;
                println!(
                    "together, {title}: {JOBS} jobs, at most {} of {ALLOCATION} at once, {again} done again; {}",
                    counts.inside_max,
                    shares.join(", ")
                );
            }
            Err(failure) => {
                println!("together, {title}: FAILED: {failure}");
                holds = false;
            }
        }
    }
    Ok(holds)
}

async fn round(languages: &[Language], kills: &[u64]) -> Outcome<Counts> {
    let dir = tempfile::Builder::new().prefix("together-").tempdir().at("a temporary folder")?;
    let endpoint = Endpoint::start().await?;
    let mut server = Server::start(dir.path(), &[]).await?;
    let client = Client::connect_lazy(format!("http://{}", server.address())).at("the server's address")?;
    // Paused until all workers are there, so that each has its share.
    client.pause_queue(QUEUE).await.at("the queue")?;
    let mut runners = Vec::new();
    for language in languages {
        let log = dir.path().join(format!("runner-{}.log", language.name));
        let runner = Runner::start(language, server.address(), &log)?;
        start(&runner, &language.name, &endpoint).await.map_err(|failure| failure.of(&language.name))?;
        runners.push((language.name.as_str(), runner));
    }
    client.create_budget(BUDGET, Policy::while_in_flight(ALLOCATION)).await.at("a budget")?;
    let jobs = (0..JOBS).map(|_| Job::new(QUEUE, "work").bind(BUDGET, 1));
    let enqueued = client.enqueue_many(jobs).await.at("the jobs")?;
    let ids: BTreeSet<String> = enqueued.into_iter().map(|job| job.id).collect();
    within("all workers", connected(&client, runners.len())).await??;
    client.resume_queue(QUEUE).await.at("the queue")?;
    for visits in kills {
        within(format!("{visits} visits"), endpoint.until_visited(*visits)).await?;
        server.kill().await?;
        server.start_again().await?;
    }
    within("the end of all jobs", done(&client)).await??;
    for (name, runner) in &runners {
        let stopped = runner.call("stopWorker", arguments(json!({ "name": name }))).await?;
        stopped.map_err(|error| Failure::from(format!("{name} didn't stop: {error}")))?;
    }
    let names: Vec<_> = runners.iter().map(|(name, _)| *name).collect();
    judge(endpoint.counts(), &ids, &names, kills.is_empty())
}

/// Waits until so many workers serve the queue.
async fn connected(client: &Client, workers: usize) -> Outcome<()> {
    loop {
        let queues = client.list_queues().all().await.at("the queues")?;
        if queues.iter().any(|queue| queue.name == QUEUE && queue.workers as usize == workers) {
            return Ok(());
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Starts a runner's worker.
async fn start(runner: &Runner, name: &str, endpoint: &Endpoint) -> Outcome<()> {
    let start = json!({ "name": name, "queues": [QUEUE], "window": ALLOCATION, "http": endpoint.url() });
    let started = runner.call("startWorker", arguments(start)).await?;
    started.map_err(|error| Failure::from(format!("the worker doesn't start: {error}")))?;
    Ok(())
}

fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Waits until no job is left; a server that is away is waited out.
async fn done(client: &Client) -> Outcome<()> {
    loop {
        match client.count_jobs(JobFilter::new().queue(QUEUE)).await {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.is_retryable() => {}
            Err(error) => return Err(error).at("a count"),
        }
        sleep(LOOK_EVERY).await;
    }
}

fn judge(counts: Counts, ids: &BTreeSet<String>, workers: &[&str], must_be_once: bool) -> Outcome<Counts> {
    if counts.inside_max > ALLOCATION {
        return Err(format!("{} were inside at once; the budget is {ALLOCATION}", counts.inside_max).into());
    }
    let lost = ids.iter().filter(|id| !counts.jobs.contains_key(*id)).count();
    if lost > 0 || counts.jobs.len() != ids.len() {
        return Err(format!("{lost} jobs never came, of {} that did", counts.jobs.len()).into());
    }
    let again = counts.jobs.values().filter(|visits| **visits > 1).count();
    if must_be_once && again > 0 {
        return Err(format!("{again} jobs came more than once").into());
    }
    match workers.iter().find(|name| !counts.workers.contains_key(**name)) {
        Some(name) => Err(format!("the worker in {name} had no job").into()),
        None => Ok(counts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(inside_max: u64, jobs: &[(&str, u64)]) -> Counts {
        let mut counts = Counts::default();
        counts.inside_max = inside_max;
        counts.jobs = jobs.iter().map(|(job, visits)| ((*job).to_owned(), *visits)).collect();
        counts.workers = [("go".to_owned(), 1)].into();
        counts
    }

    #[test]
    fn what_breaks_a_promise_is_found() {
        let ids = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let judged = |counts, must_be_once| judge(counts, &ids, &["go"], must_be_once).is_ok();
        assert!(judged(counts(3, &[("a", 1), ("b", 1)]), true));
        assert!(!judged(counts(4, &[("a", 1), ("b", 1)]), false), "one too many at once");
        assert!(!judged(counts(3, &[("a", 1)]), false), "one is lost");
        assert!(!judged(counts(3, &[("a", 1), ("b", 1), ("c", 1)]), false), "one that nobody enqueued");
        assert!(!judged(counts(3, &[("a", 2), ("b", 1)]), true), "one came twice");
        assert!(judged(counts(3, &[("a", 2), ("b", 1)]), false), "which a kill excuses");
        assert!(judge(counts(3, &[("a", 1), ("b", 1)]), &ids, &["go", "java"], true).is_err(), "one worker had no job");
    }
}
