//! The Rust client's worker over a server that is killed under it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sluicegate_client::{CancellationToken, HandlerError, Job, JobContext, JobFilter, Policy, Worker};
use tokio::sync::{Semaphore, watch};

use crate::support::server::Server;
use crate::support::{until, within};

const JOBS: usize = 300;
const KILLS: usize = 3;

/// What the handlers did, job by job.
#[derive(Default)]
struct Deeds {
    finished: Mutex<HashMap<String, usize>>,
    begun: watch::Sender<usize>,
}

#[tokio::test]
async fn no_job_is_lost_or_done_twice_over_restarts() {
    let mut server = Server::start().await;
    let client = server.client().await;
    client.create_budget("slots", Policy::while_in_flight(20)).await.expect("a budget");
    let jobs = (0..JOBS).map(|n| Job::new("q", "").json_text(n.to_string()).bind("slots", 1));
    client.enqueue_many(jobs).await.expect("jobs");

    // Handlers end only as the test lets them, so that each kill finds some at work.
    let gate = Arc::new(Semaphore::new(0));
    let deeds = Arc::new(Deeds::default());
    let handler = {
        let (gate, deeds) = (Arc::clone(&gate), Arc::clone(&deeds));
        move |context: JobContext| {
            let (gate, deeds) = (Arc::clone(&gate), Arc::clone(&deeds));
            async move {
                deeds.begun.send_modify(|begun| *begun += 1);
                gate.acquire().await.expect("the gate stays open").forget();
                *deeds.finished.lock().expect("no panic").entry(context.id().to_owned()).or_default() += 1;
                Ok::<(), HandlerError>(())
            }
        }
    };
    let builder = Worker::builder(client.clone()).queue("q").window(40).lease_duration(Duration::from_secs(60));
    let worker = builder.handler_for_all(handler).build().expect("a worker");
    let stats = worker.stats();
    let shutdown = CancellationToken::new();
    let working = tokio::spawn(worker.run(shutdown.clone()));

    let mut begun = deeds.begun.subscribe();
    for kill in 0..KILLS {
        // As many as the budget lets through are at work; some end while the server is away.
        let at_work = kill * 30 + 20;
        within("handlers at work", begun.wait_for(|begun| *begun >= at_work)).await.expect("handlers");
        server.kill();
        gate.add_permits(15);
        server.start_again_here().await;
        gate.add_permits(15);
    }
    gate.add_permits(JOBS);
    let left = async || matches!(client.count_jobs(JobFilter::new()).await, Ok(0)).then_some(());
    until("the last job", left).await;
    shutdown.cancel();
    within("the worker's end", working).await.expect("no panic").expect("a drain");

    let finished = deeds.finished.lock().expect("no panic").clone();
    assert_eq!(finished.len(), JOBS, "every job is done");
    assert!(finished.values().all(|times| *times == 1), "once: {finished:?}");
    assert_eq!((stats.succeeded(), stats.lost()), (JOBS as u64, 0));
    assert!(stats.reconnects() >= KILLS as u64, "{} reconnects", stats.reconnects());
    assert_eq!(client.get_budget("slots").await.expect("a budget").status.available, 20, "no hold is leaked");
}
