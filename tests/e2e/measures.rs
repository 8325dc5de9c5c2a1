//! What the bench starts a server with: a store that stores nothing, and a file of what was measured inside.

use std::fs;
use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::calls::{bound_job, job_in, lease_id, success, while_in_flight};
use crate::support::server::Server;

const QUEUE: &str = "q";
const JOBS: u64 = 60;
const WAVES: u64 = 6;
const COUNTS: [&str; 5] = ["commits", "syncs", "enqueued", "dispatched", "settled"];
const SPREADS: [&str; 3] = ["decision_ns", "turn_ns", "commit_ns"];

/// The sum over all lines.
struct Totals {
    commits: u64,
    syncs: u64,
    enqueued: u64,
    dispatched: u64,
    settled: u64,
    decisions: u64,
    turns: u64,
    timed_commits: u64,
}

impl Totals {
    fn of(file: &Path) -> Self {
        let text = fs::read_to_string(file).expect("measures");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        assert!(lines.is_sorted_by_key(|line| line["at_ns"].as_i64().expect("an instant")), "{text}");
        let sum = |of: &dyn Fn(&Value) -> u64| lines.iter().map(of).sum();
        let [commits, syncs, enqueued, dispatched, settled] =
            COUNTS.map(|name| sum(&|line| line[name].as_u64().expect("a count")));
        let seen = |pair: &Value| pair[1].as_u64().expect("how often a span was seen");
        let spread = |line: &Value, name| line[name].as_array().expect("pairs").iter().map(seen).sum();
        let [decisions, turns, timed_commits] = SPREADS.map(|name| sum(&|line| spread(line, name)));
        Self { commits, syncs, enqueued, dispatched, settled, decisions, turns, timed_commits }
    }
}

/// All that a server with `flags` measures while jobs are enqueued, one by one and together, leased and settled.
async fn measured(flags: &[&str]) -> Totals {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    let file = dir.path().join("measures");
    let measure = format!("--measure={}", file.display());
    let mut server = Server::with_flags(&[flags, &[&measure]].concat()).await;
    let mut calls = server.calls().await;
    calls.create_budget("slots", while_in_flight(JOBS)).await;
    for _ in 0..WAVES {
        calls.enqueue(job_in(QUEUE)).await;
        calls.enqueue_all((1..JOBS).map(|_| bound_job(QUEUE, &[("slots", 1)])).collect()).await;
        let mut settled = 0;
        while settled < JOBS {
            let leased = calls.lease("w", QUEUE, 50).await;
            settled += leased.len() as u64;
            calls.settle(leased.iter().map(|job| success(&lease_id(job))).collect()).await;
        }
    }
    server.signal(Signal::SIGTERM);
    assert!(server.ended().await.success());
    let totals = Totals::of(&file);
    let jobs = JOBS * WAVES;
    assert_eq!((totals.enqueued, totals.dispatched, totals.settled), (jobs, jobs, jobs));
    assert_eq!((totals.decisions, totals.timed_commits), (jobs, totals.commits));
    assert!(totals.commits > 0 && totals.turns >= totals.commits);
    totals
}

#[tokio::test]
async fn each_job_commit_and_sync_is_counted() {
    let totals = measured(&[]).await;
    assert!(totals.syncs >= totals.commits, "{} syncs of {} commits", totals.syncs, totals.commits);
}

#[tokio::test]
async fn a_store_that_stores_nothing_serves_and_syncs_nothing() {
    assert_eq!(measured(&["--null-store"]).await.syncs, 0);
}

#[tokio::test]
async fn what_cannot_be_measured_is_served_all_the_same() {
    let server = Server::with_flags(&["--measure=/dev/full"]).await;
    let mut calls = server.calls().await;
    calls.enqueue(job_in(QUEUE)).await;
    crate::support::until("a warning", async || {
        calls.enqueue(job_in(QUEUE)).await;
        server.log().contains("measures can't be written").then_some(())
    })
    .await;
    calls.assert_serving().await;
}
