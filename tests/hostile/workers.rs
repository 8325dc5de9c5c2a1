//! Worker processes that are stopped where they stand: their leases expire, others go on, and what they say later is too late.

use std::fs::File;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

use crate::guarded::{Guarded, workers};
use crate::support::calls::{bound_job, kept, of_queue, of_state, while_in_flight};
use crate::support::server::program;
use crate::support::wire::{self, JobState};
use crate::support::{until, within};

const WORKERS: usize = 3;

/// Workers whose commands last longer than a test.
fn work(guarded: &Guarded, n: usize) -> Child {
    let log = File::create(guarded.server.dir().join(format!("work-{n}.log"))).expect("a log file");
    let mut command = Command::from(program());
    command
        .args(["work", "--queue=q", "--window=2", "--lease-duration=1s", "--kill-grace=0s", "--", "sleep", "600"])
        .env("SLUICEGATE_SERVER", guarded.server.url())
        .kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("a worker")
}

fn signal(worker: &Child, signal: Signal) {
    let pid = worker.id().and_then(|id| i32::try_from(id).ok()).expect("a live worker");
    kill(Pid::from_raw(pid), signal).expect("a signal can be sent");
}

pub async fn workers_that_are_stopped_lose_their_leases_and_nothing_else() {
    const JOBS: usize = 2 * WORKERS;
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(JOBS as u64)).await;
    let job = wire::JobSpec { max_attempts: Some(1000), ..kept(bound_job("q", &[("b", 1)])) };
    let ids = guarded.calls.enqueue_all(vec![job; JOBS]).await;
    let mut processes: Vec<_> = (0..WORKERS).map(|n| work(&guarded, n)).collect();
    let calls = &mut guarded.calls;
    until("jobs at work", async || (calls.count(of_state("q", JobState::InFlight)).await == JOBS as u64).then_some(()))
        .await;

    processes.iter().for_each(|worker| signal(worker, Signal::SIGSTOP));
    let expired = async || {
        for id in &ids {
            if calls.job(id).await.attempts == 0 {
                return None;
            }
        }
        Some(())
    };
    until("the end of all leases", expired).await;
    let status = calls.budget_status("b").await;
    assert_eq!((status.in_flight_jobs, status.available), (0, JOBS as i64), "the tokens of the stopped are back");

    // They stand still, and their connections are open: pings end their sessions.
    until("the end of their sessions", async || {
        // The neighbour has one of its own.
        (workers(calls).await == 1).then_some(())
    })
    .await;
    let pause = wire::PauseQueueRequest { name: "q".to_owned() };
    calls.queues.pause_queue(pause).await.expect("a pause");
    processes.iter().for_each(|worker| signal(worker, Signal::SIGCONT));
    until("their return", async || (workers(calls).await == 1 + WORKERS as u32).then_some(())).await;
    assert_eq!(calls.count(of_state("q", JobState::InFlight)).await, 0, "what they had is lost");
    for worker in &mut processes {
        signal(worker, Signal::SIGTERM);
        assert!(within("a worker's end", worker.wait()).await.expect("an end").success());
    }
    let resume = wire::ResumeQueueRequest { name: "q".to_owned() };
    calls.queues.resume_queue(resume).await.expect("an end of the pause");
    let cancel = wire::CancelJobsRequest { filter: Some(of_queue("q")), ..Default::default() };
    assert_eq!(calls.jobs.cancel_jobs(cancel).await.expect("they wait").into_inner().changed, JOBS as u64);
    guarded.clear().await;
    guarded.ends_as_it_began().await;
}
