//! Connections that end without a word, and servers that are killed: what was in flight is taken up again, and nothing is lost.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use sluicegate_client::{CancellationToken, Client, HandlerError, JobContext, Worker};
use tokio::sync::Semaphore;

use crate::draws;
use crate::guarded::{Guarded, budgets, has_not_panicked};
use crate::peer::{Peer, framed, prefix};
use crate::proxy::Proxy;
use crate::support::calls::{Calls, bound_job, job_id, lease_id, of_queue, seconds, success, while_in_flight};
use crate::support::server::Server;
use crate::support::stream::{Stream, held, hello};
use crate::support::wire::dispatch_request::Frame;
use crate::support::wire::{self, DispatchRequest, SettleStatus};
use crate::support::{until, within};

const SILENCE: Duration = Duration::from_secs(3);

pub async fn a_proxy_that_cuts_streams_without_data_for_3_s() {
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(4)).await;
    let ids = guarded.calls.enqueue_all(vec![bound_job("q", &[("b", 1)]); 4]).await;
    let proxy = Proxy::start(guarded.server.address(), SILENCE).await;
    let patient = Calls::new(proxy.channel().await);
    let silent = Calls::new(proxy.channel().await);

    // One worker pings, and is kept.
    let pinging = wire::WorkerHello { ping_interval: Some(seconds(1)), ..hello("pinging", "none", 4) };
    let (pinging, _) = Stream::open(&patient, pinging).await;
    let kept = tokio::spawn(async move {
        let mut stream = pinging;
        let mut pings = 0;
        while let Ok(Some(_)) = stream.next().await {
            stream.send(Frame::Ping(wire::Ping {})).await;
            pings += 1;
        }
        pings
    });
    // One doesn't, is cut, and comes back for what it has in hand.
    let long = Some(seconds(300));
    let quiet = wire::WorkerHello { lease_duration: long, ..hello("quiet", "q", 4) };
    let (mut stream, _) = Stream::open(&silent, quiet.clone()).await;
    let leases: Vec<_> = stream.jobs(4).await.iter().map(lease_id).collect();
    assert!(stream.end().await.is_err(), "the proxy has cut it");
    assert_eq!(proxy.cuts(), 1);
    let back = Calls::new(proxy.channel().await);
    let names: Vec<_> = leases.iter().map(String::as_str).collect();
    let quiet = wire::WorkerHello { held_leases: held(&names), ..quiet };
    let (mut stream, welcome) = Stream::open(&back, quiet).await;
    assert_eq!(welcome.resumed_lease_ids.len(), 4, "{welcome:?}");
    let results = stream.settle(leases.iter().map(|lease| success(lease)).collect()).await;
    assert!(results.iter().all(|result| result.status() == SettleStatus::Settled));
    assert!(stream.end().await.is_err(), "and again");
    assert_eq!(proxy.cuts(), 2);
    assert!(!kept.is_finished(), "pings are DATA");
    drop((proxy, patient, silent, back, stream));
    kept.abort();
    let _ = kept.await;
    for id in ids {
        assert!(guarded.calls.is_gone(&id).await);
    }
    guarded.ends_as_it_began().await;
}

pub async fn a_worker_of_the_client_lives_behind_such_a_proxy() {
    const JOBS: usize = 6;
    const CUTS: usize = 2;
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(2)).await;
    guarded.calls.enqueue_all(vec![bound_job("q", &[("b", 1)]); JOBS]).await;
    let proxy = Proxy::start(guarded.server.address(), SILENCE).await;
    let client = Client::connect(proxy.url()).await.expect("a connection");
    // Handlers end when the test lets them: the stream has nothing to carry meanwhile.
    let gate = Arc::new(Semaphore::new(0));
    let waiting = Arc::clone(&gate);
    let handler = move |_: JobContext| {
        let waiting = Arc::clone(&waiting);
        async move {
            waiting.acquire().await.expect("the gate stays open").forget();
            Ok::<(), HandlerError>(())
        }
    };
    let builder = Worker::builder(client).queue("q").window(2).ping_interval(Duration::from_secs(60));
    let worker = builder.handler_for_all(handler).build().expect("a worker");
    let stats = worker.stats();
    let shutdown = CancellationToken::new();
    let working = tokio::spawn(worker.run(shutdown.clone()));
    until("two cuts", async || (proxy.cuts() >= CUTS).then_some(())).await;
    gate.add_permits(JOBS);
    until("the last job", async || (guarded.calls.count(of_queue("q")).await == 0).then_some(())).await;
    shutdown.cancel();
    within("the worker's end", working).await.expect("no panic").expect("a drain");
    assert_eq!((stats.succeeded(), stats.lost()), (JOBS as u64, 0));
    drop(proxy);
    guarded.ends_as_it_began().await;
}

/// Sends a server all kinds of beginnings, which its end cuts off.
async fn beginnings(peer: &mut Peer) -> Vec<crate::peer::Call> {
    let mut calls = Vec::new();
    let hello = DispatchRequest { frame: Some(Frame::Hello(hello("half", "q", 2))) };
    for bytes in [vec![], prefix(1 << 20), framed(&hello).to_vec(), [framed(&hello).to_vec(), prefix(99)].concat()] {
        if let Ok(mut call) = peer.call("/sluicegate.v1.JobService/Dispatch").await {
            let _ = call.send(bytes.into()).await;
            calls.push(call);
        }
    }
    calls
}

pub async fn kills_at_bad_moments() {
    const KILLS: usize = 6;
    const JOBS: usize = 200;
    let mut rng = draws();
    let mut server = Server::with_flags(&["--log=info"]).await;
    let mut calls = server.calls().await;
    calls.create_budget("b", while_in_flight(50)).await;
    let mut unfinished: BTreeSet<String> = BTreeSet::new();
    for kill in 0..KILLS {
        let mut calls = server.calls().await;
        unfinished.extend(calls.enqueue_all(vec![bound_job("q", &[("b", 1)]); JOBS]).await);
        let mut peer = Peer::connect(server.address(), 1 << 16).await;
        let half = beginnings(&mut peer).await;
        // A worker whose settles are on their way when the server dies.
        let hello = wire::WorkerHello { lease_duration: Some(seconds(1)), ..hello(&format!("w{kill}"), "q", 50) };
        let (mut stream, _) = Stream::open(&calls, hello).await;
        let deadline = tokio::time::Instant::now() + Duration::from_millis(rng.random_range(5..150));
        let working = async {
            loop {
                let jobs = stream.pushed().await;
                let results = stream.settle(jobs.iter().map(|job| success(&lease_id(job))).collect()).await;
                for (job, result) in jobs.iter().zip(results) {
                    if result.status() == SettleStatus::Settled {
                        assert!(unfinished.remove(&job_id(job)), "a job was settled twice");
                    }
                }
            }
        };
        let _: Result<(), _> = tokio::time::timeout_at(deadline, working).await;
        server.crash().await;
        drop((half, peer));
    }
    // What was settled and not answered is done too: what is left is among the unfinished.
    let mut calls = server.calls().await;
    let (mut stream, _) = Stream::open(&server.calls().await, hello("last", "q", 1000)).await;
    until("all jobs are done", async || {
        if let Ok(jobs) = tokio::time::timeout(Duration::from_millis(100), stream.pushed()).await {
            let results = stream.settle(jobs.iter().map(|job| success(&lease_id(job))).collect()).await;
            for (job, result) in jobs.iter().zip(results) {
                assert_eq!(result.status(), SettleStatus::Settled);
                assert!(unfinished.remove(&job_id(job)), "it was settled before, or never enqueued");
            }
        }
        (calls.count(wire::JobFilter::default()).await == 0).then_some(())
    })
    .await;
    for budget in budgets(&mut calls).await {
        let status = budget.status.expect("a status");
        assert_eq!((status.available, status.in_flight_jobs), (50, 0), "every token is back");
    }
    has_not_panicked(&server);
}
