//! The event log of a live server: under load, over kills and restarts and changes of policies, the promises of semantics
//! 13 are proved from it alone; and a log in which one thing is otherwise is refuted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use sluicegate_promises::{Checker, Fault, Report, check};
use tokio::task::JoinSet;

use crate::support::calls::{
    Calls, bound_job, failure, lease_id, lease_request, of_queue, release, seconds, success, time_based,
    while_in_flight,
};
use crate::support::server::Server;
use crate::support::wire::{self, BudgetUsage};
use crate::support::{until, within};

const QUEUE: &str = "q";
const WORKERS: usize = 6;
/// Jobs that must be settled in each life of the server.
const SETTLED_MIN: usize = 150;
/// What an operator does, in kinds.
const OPERATIONS: usize = 6;
/// What the jobs are bound to.
const BINDINGS: [&[(&str, u64)]; 5] = [
    &[("slots", 1)],
    &[("rate", 3)],
    &[("slots", 2), ("rate", 1)],
    &[("slots", 1), ("rate", 2), ("tokens", 40)],
    &[("tokens", 90)],
];

/// A server that logs, and where.
async fn logging() -> (Server, PathBuf) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory").keep();
    let log = dir.join("events.log");
    let flag = format!("--event-log={}", log.display());
    (Server::with_flags(&[&flag, "--log=warn"]).await, log)
}

fn report(log: &Path) -> Report {
    check(&*fs::read(log).expect("a log")).expect("memory can be read")
}

#[track_caller]
fn proved(log: &Path) -> Report {
    let report = report(log);
    let breaches: Vec<_> = report.breaches.iter().map(ToString::to_string).collect();
    assert!(report.is_proved(), "{}: {}", log.display(), breaches.join("\n"));
    report
}

/// The lines, as JSON.
fn lines(log: &Path) -> Vec<Value> {
    let text = fs::read_to_string(log).expect("a log");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn judged(lines: &[Value]) -> Report {
    let mut checker = Checker::new();
    lines.iter().for_each(|line| checker.take(&line.to_string()));
    checker.finish()
}

fn is(line: &Value, event: &str) -> bool {
    line["event"] == event
}

/// Removes what a passing test leaves behind.
fn clean_up(log: &Path) {
    fs::remove_dir_all(log.parent().expect("a folder")).expect("the log's folder can be removed");
}

/// Everything that presses on one server until it is told to stop, or dies.
struct Load {
    clients: JoinSet<()>,
    settled: Arc<AtomicUsize>,
    operated: Arc<AtomicUsize>,
}

impl Load {
    async fn start(server: &Server, seeds: &AtomicU64) -> Self {
        let (settled, operated) = (Arc::default(), Arc::default());
        let mut clients = JoinSet::new();
        for worker in 0..WORKERS {
            let rng = StdRng::seed_from_u64(seeds.fetch_add(1, Ordering::Relaxed));
            clients.spawn(work(server.calls().await, format!("w{worker}"), rng, Arc::clone(&settled)));
        }
        for _ in 0..2 {
            let rng = StdRng::seed_from_u64(seeds.fetch_add(1, Ordering::Relaxed));
            clients.spawn(enqueue(server.calls().await, rng));
        }
        let rng = StdRng::seed_from_u64(seeds.fetch_add(1, Ordering::Relaxed));
        clients.spawn(operate(server.calls().await, rng, Arc::clone(&operated)));
        Self { clients, settled, operated }
    }

    /// Until so many jobs were settled, and everything that an operator does was done a few times.
    async fn until_settled(&self, count: usize) {
        let is_enough = || {
            let operated = self.operated.load(Ordering::Relaxed);
            self.settled.load(Ordering::Relaxed) >= count && operated >= 4 * OPERATIONS
        };
        until("settlements", async || is_enough().then_some(())).await;
    }

    async fn end(mut self) {
        self.clients.abort_all();
        while let Some(outcome) = self.clients.join_next().await {
            assert!(outcome.is_ok() || outcome.is_err_and(|error| error.is_cancelled()), "a client panicked");
        }
    }
}

/// Enqueues jobs, until the server is gone.
async fn enqueue(mut calls: Calls, mut rng: StdRng) {
    loop {
        let job = |_| bound_job(QUEUE, BINDINGS[rng.random_range(0..BINDINGS.len())]);
        let jobs = (0..8).map(job).collect();
        let request = wire::BatchEnqueueRequest { jobs, request_id: String::new() };
        if calls.jobs.batch_enqueue(request).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(8)).await;
    }
}

/// Leases and settles, with what was used and otherwise, until the server is gone.
async fn work(mut calls: Calls, worker: String, mut rng: StdRng, settled: Arc<AtomicUsize>) {
    loop {
        let request = wire::LeaseJobsRequest { wait: Some(seconds(10)), ..lease_request(&worker, QUEUE, 4) };
        let Ok(leased) = calls.jobs.lease_jobs(request).await else { return };
        let leased = leased.into_inner().jobs;
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..6))).await;
        let outcomes: Vec<_> = leased.iter().map(|job| outcome(job, &mut rng)).collect();
        if outcomes.is_empty() {
            continue;
        }
        let count = outcomes.len();
        if calls.jobs.settle_jobs(wire::SettleJobsRequest { outcomes }).await.is_err() {
            return;
        }
        settled.fetch_add(count, Ordering::Relaxed);
    }
}

fn outcome(leased: &wire::LeasedJob, rng: &mut StdRng) -> wire::SettleOutcome {
    let lease = lease_id(leased);
    let bindings = &leased.job.as_ref().expect("a job").spec.as_ref().expect("a spec").bindings;
    let used = bindings.iter().filter(|binding| binding.budget != "slots");
    let usage = used.map(|binding| {
        let cost = binding.cost.unwrap_or(1);
        BudgetUsage { budget: binding.budget.clone(), cost: rng.random_range(0..=cost + cost / 5) }
    });
    let usage: Vec<_> = usage.collect();
    let settlement = match rng.random_range(0..10) {
        0 => failure(&lease, "it broke"),
        1 => release(&lease),
        _ => success(&lease),
    };
    wire::SettleOutcome { usage: if rng.random_bool(0.7) { usage } else { Vec::new() }, ..settlement }
}

/// Changes budgets and bindings and cancels, by turns, until the server is gone.
async fn operate(mut calls: Calls, mut rng: StdRng, operated: Arc<AtomicUsize>) {
    loop {
        let turn = operated.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(15)).await;
        let done = match turn % OPERATIONS {
            0 => replace(&mut calls, "slots", while_in_flight(rng.random_range(4..=8))).await,
            1 => {
                let duration = Duration::from_millis(rng.random_range(500..=2000));
                replace(&mut calls, "rate", time_based(rng.random_range(100..=300), duration, Some(20))).await
            }
            2 => {
                let policy = if (turn / OPERATIONS).is_multiple_of(2) { while_in_flight(200) } else { tokens() };
                replace(&mut calls, "tokens", policy).await
            }
            3 => {
                let request = wire::AdjustBudgetRequest { key: "rate".into(), level: Some(rng.random_range(0..=20)) };
                calls.budgets.adjust_budget(request).await.map(|_| ())
            }
            4 => {
                let filter = Some(wire::JobFilter { states: vec![wire::JobState::InFlight.into()], ..of_queue(QUEUE) });
                let request = wire::CancelJobsRequest { filter, force: true, ..Default::default() };
                calls.jobs.cancel_jobs(request).await.map(|_| ())
            }
            _ => {
                let binding =
                    wire::Binding { budget: "rate".into(), cost: Some(rng.random_range(1..=5)), create_with: None };
                let operation =
                    wire::BindingOperation { operation: Some(wire::binding_operation::Operation::Rebind(binding)) };
                let filter = Some(of_queue(QUEUE));
                let request =
                    wire::BulkModifyBindingsRequest { filter, operation: Some(operation), ..Default::default() };
                calls.jobs.bulk_modify_bindings(request).await.map(|_| ())
            }
        };
        if done.is_err_and(|status| status.code() == tonic::Code::Unavailable) {
            return;
        }
        operated.fetch_add(1, Ordering::Relaxed);
    }
}

fn tokens() -> wire::BudgetPolicy {
    time_based(4000, Duration::from_secs(1), Some(200))
}

async fn replace(calls: &mut Calls, key: &str, policy: wire::BudgetPolicy) -> Result<(), tonic::Status> {
    let request = wire::ReplaceBudgetRequest { key: key.to_owned(), policy: Some(policy), ..Default::default() };
    calls.budgets.replace_budget(request).await.map(|_| ())
}

async fn create_budgets(server: &Server) {
    let mut calls = server.calls().await;
    calls.create_budget("slots", while_in_flight(6)).await;
    calls.create_budget("rate", time_based(200, Duration::from_secs(1), Some(20))).await;
    calls.create_budget("tokens", tokens()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_server_keeps_its_promises_over_kills_changes_and_usage() {
    let seed = rand::random::<u32>().into();
    println!("seed {seed}");
    let seeds = AtomicU64::new(seed);
    let (mut server, log) = logging().await;
    create_budgets(&server).await;
    for life in 0..3 {
        let load = Load::start(&server, &seeds).await;
        load.until_settled(SETTLED_MIN).await;
        server.kill();
        load.end().await;
        if life == 1 {
            // A power loss may cut the last line as well.
            let text = fs::read(&log).expect("a log");
            fs::write(&log, &text[..text.len() - 9]).expect("a log");
        }
        server.start_again().await;
    }
    let load = Load::start(&server, &seeds).await;
    load.until_settled(SETTLED_MIN).await;
    server.signal(Signal::SIGTERM);
    assert!(server.ended().await.success());
    load.end().await;

    let report = proved(&log);
    assert_eq!((report.starts, report.gaps.len(), report.torn), (4, 3, 1), "{report:?}");
    assert!(report.force_cancelled > 0);
    for budget in &report.budgets {
        assert!(budget.dispatches > 100 && budget.worst.is_some(), "{budget:?}");
        assert!(budget.stretches > 3, "{budget:?}");
        assert_eq!(budget.budget != "slots", budget.refunded_milli > 0 || budget.overrun > 0, "{budget:?}");
    }
    assert!(lines(&log).last().is_some_and(|line| is(line, "stop")), "a server that was asked to end says so");
    clean_up(&log);
}

/// A log under load without changes, whole, so that each thing in it matters.
async fn whole_log() -> (Vec<Value>, PathBuf) {
    let (mut server, log) = logging().await;
    let mut calls = server.calls().await;
    calls.create_budget("slots", while_in_flight(2)).await;
    calls.create_budget("rate", time_based(1, Duration::from_secs(3600), Some(30))).await;
    calls.enqueue_all((0..30).map(|_| bound_job(QUEUE, &[("slots", 1), ("rate", 1)])).collect()).await;
    for _ in 0..15 {
        let leased = calls.lease("w", QUEUE, 2).await;
        let usage = vec![BudgetUsage { budget: "rate".into(), cost: 1 }];
        let outcomes = leased.iter().map(|job| wire::SettleOutcome { usage: usage.clone(), ..success(&lease_id(job)) });
        calls.settle(outcomes.collect()).await;
    }
    server.signal(Signal::SIGTERM);
    assert!(server.ended().await.success());
    proved(&log);
    (lines(&log), log)
}

#[tokio::test]
async fn a_log_in_which_one_thing_is_otherwise_is_refuted() {
    let (log, path) = whole_log().await;
    let at = |event: &str| log.iter().position(|line| is(line, event)).expect("a line");
    let faults = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut changed = log.clone();
        change(&mut changed);
        let breaches = judged(&changed).breaches;
        assert!(!breaches.is_empty(), "it is proved still");
        breaches.into_iter().map(|breach| breach.fault).collect::<Vec<_>>()
    };

    let faulty = faults(&|log| drop(log.remove(at("end"))));
    assert!(faulty.iter().any(|fault| matches!(fault, Fault::OverAllocation { in_flight: 3, .. })), "{faulty:?}");
    let faulty = faults(&|log| log.insert(at("end"), log[at("end")].clone()));
    assert!(matches!(faulty[0], Fault::NotLive { .. }), "{faulty:?}");
    let faulty = faults(&|log| log.insert(at("dispatch"), log[at("dispatch")].clone()));
    assert!(faulty.iter().any(|fault| matches!(fault, Fault::InFlight { .. })), "{faulty:?}");
    let faulty = faults(&|log| drop(log.remove(at("dispatch"))));
    assert!(matches!(faulty[0], Fault::NotLive { .. }), "{faulty:?}");
    let faulty = faults(&|log| log[at("dispatch")]["debits"][1]["cost"] = 2.into());
    assert!(matches!(faulty[0], Fault::Debits { .. }), "{faulty:?}");
    assert!(faulty.iter().any(|fault| matches!(fault, Fault::OverCapacity { .. })), "{faulty:?}");
    let faulty = faults(&|log| log[at("usage")]["usage"][0]["moved"] = "1".into());
    assert!(matches!(faulty[0], Fault::Refund { .. }), "{faulty:?}");
    let faulty = faults(&|log| {
        // The same dispatches from a pool that may hold one token less.
        let rate = log.iter_mut().filter(|line| is(line, "create")).nth(1).expect("a rate");
        rate["policy"]["burst"] = 29.into();
        rate["level"] = (29_i128 * 3_600_000_000_000).to_string().into();
    });
    assert!(matches!(faulty[0], Fault::OverCapacity { .. }), "{faulty:?}");
    clean_up(&path);
}

#[tokio::test]
async fn a_log_may_begin_on_a_store_with_jobs_in_flight() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("slots", while_in_flight(2)).await;
    calls.enqueue_all((0..4).map(|_| bound_job(QUEUE, &[("slots", 1)])).collect()).await;
    let leased = calls.lease("w", QUEUE, 2).await;
    server.kill();
    let log = server.dir().join("events.log");
    server.start_again_with(&[&format!("--event-log={}", log.display())]).await;
    let mut calls = server.calls().await;
    calls.settle(leased.iter().map(|job| success(&lease_id(job))).collect()).await;
    calls.lease("w", QUEUE, 2).await;
    let ends = async || (lines(&log).iter().filter(|line| is(line, "dispatch")).count() == 2).then_some(());
    until("the last lines", ends).await;
    let first = lines(&log).remove(0);
    assert!(is(&first, "start"));
    assert_eq!(first["leases"].as_array().map(Vec::len), Some(2));
    assert_eq!(proved(&log).jobs_unknown, 2);
}

#[tokio::test]
async fn a_hangup_goes_on_in_a_new_file() {
    let (mut server, log) = logging().await;
    let mut calls = server.calls().await;
    calls.enqueue(wire::JobSpec { queue: QUEUE.into(), ..Default::default() }).await;
    until("a line", async || (lines(&log).len() == 2).then_some(())).await;
    let old = log.with_extension("1");
    fs::rename(&log, &old).expect("a log can be moved");
    server.signal(Signal::SIGHUP);
    until("a new log", async || log.exists().then_some(())).await;
    calls.enqueue(wire::JobSpec { queue: QUEUE.into(), ..Default::default() }).await;
    server.signal(Signal::SIGTERM);
    assert!(within("the end", server.ended()).await.success());
    let events = |log: &Path| lines(log).iter().map(|line| line["event"].clone()).collect::<Vec<_>>();
    assert_eq!(events(&old), ["start", "enqueue"]);
    assert_eq!(events(&log), ["enqueue", "stop"]);
    assert!(judged(&[lines(&old), lines(&log)].concat()).is_proved(), "both together are one log");
    clean_up(&log);
}

#[tokio::test]
async fn payloads_and_results_are_not_told() {
    let (mut server, log) = logging().await;
    let mut calls = server.calls().await;
    let payload = Some(wire::job_spec::Payload::Json("\"private\"".into()));
    calls
        .enqueue(wire::JobSpec {
            payload,
            metadata: [("private".into(), "private".into())].into(),
            ..bound_job(QUEUE, &[])
        })
        .await;
    let lease = calls.lease_one("w", QUEUE).await;
    calls.settle_one(failure(&lease, "private")).await;
    server.signal(Signal::SIGTERM);
    assert!(server.ended().await.success());
    let text = fs::read_to_string(&log).expect("a log");
    assert!(text.contains("\"how\":\"failure\"") && !text.contains("private"), "{text}");
    clean_up(&log);
}
