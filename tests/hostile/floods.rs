//! Streams by the thousand: opened and dropped, or reset with CANCEL.

use h2::Reason;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::draws;
use crate::guarded::Guarded;
use crate::peer::Peer;
use crate::support::calls::{Calls, bound_job, lease_request, seconds, while_in_flight};
use crate::support::stream::{Stream, hello};
use crate::support::wire::dispatch_request::Frame;
use crate::support::wire::{self, DispatchRequest};

const DISPATCH: &str = "/sluicegate.v1.JobService/Dispatch";
const LEASE_JOBS: &str = "/sluicegate.v1.JobService/LeaseJobs";

/// A worker whose leases don't outlive it for long.
fn brief(worker: &str, queue: &str, max_jobs: u64) -> wire::WorkerHello {
    let worker = hello(worker, queue, max_jobs);
    wire::WorkerHello { lease_duration: Some(seconds(1)), confirms_receipt: true, ..worker }
}

/// A stream that is dropped at some moment of its beginning.
async fn open_and_drop(calls: &Calls, worker: &str, queue: &str, moment: u32) {
    match moment {
        0 => drop(Stream::open_silent(calls).await),
        1 => drop(Stream::say_hello(calls, brief(worker, queue, 1)).await),
        2 => {
            let mut stream = Stream::say_hello(calls, brief(worker, queue, 1)).await;
            stream.close();
        }
        _ => drop(Stream::open(calls, brief(worker, queue, 1)).await),
    }
}

pub async fn five_thousand_streams_opened_and_dropped() {
    const CONNECTIONS: usize = 10;
    const STREAMS: usize = 500;
    let mut rng = draws();
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(50)).await;
    let ids = guarded.calls.enqueue_all(vec![bound_job("q", &[("b", 1)]); 100]).await;
    let mut opening = tokio::task::JoinSet::new();
    for connection in 0..CONNECTIONS {
        let calls = guarded.server.calls().await;
        let moments: Vec<u32> = (0..STREAMS).map(|_| rng.random_range(0..4)).collect();
        opening.spawn(async move {
            for (n, moment) in moments.into_iter().enumerate() {
                // Most find nothing to do, some are pushed what they never see.
                let queue = if n % 50 == 0 { "q" } else { "nobodys" };
                open_and_drop(&calls, &format!("w{connection}-{n}"), queue, moment).await;
            }
        });
    }
    while let Some(opened) = opening.join_next().await {
        opened.expect("a client that behaves is never cut off");
    }
    let done = guarded.work_off("q").await;
    assert_eq!(done, ids.into_iter().collect());
    guarded.ends_as_it_began().await;
}

/// Begins calls and resets them. How many, before the server had enough.
async fn reset_many(peer: &mut Peer, rng: &mut StdRng, calls: usize) -> usize {
    for n in 0..calls {
        let is_stream = rng.random_bool(0.5);
        let Ok(mut call) = peer.call(if is_stream { DISPATCH } else { LEASE_JOBS }).await else { return n };
        let sent = match (rng.random_range(0..3), is_stream) {
            (0, _) => Ok(()),
            (_, true) => {
                let frame = Some(Frame::Hello(brief(&format!("r{n}"), "q", 1)));
                call.send_message(&DispatchRequest { frame }).await
            }
            (_, false) => {
                let waiting = wire::LeaseJobsRequest {
                    wait: Some(seconds(30)),
                    lease_duration: Some(seconds(1)),
                    ..lease_request(&format!("r{n}"), "q", 1)
                };
                call.send_message(&waiting).await
            }
        };
        if rng.random_bool(0.3) {
            tokio::task::yield_now().await;
        }
        call.sending.send_reset(if rng.random_bool(0.9) { Reason::CANCEL } else { Reason::INTERNAL_ERROR });
        if sent.is_err() {
            return n;
        }
    }
    calls
}

pub async fn streams_and_calls_reset_with_cancel() {
    const CONNECTIONS: usize = 20;
    const CALLS: usize = 300;
    let mut rng = draws();
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(50)).await;
    let ids = guarded.calls.enqueue_all(vec![bound_job("q", &[("b", 1)]); 50]).await;
    let mut reset = 0;
    for _ in 0..CONNECTIONS {
        let mut peer = Peer::connect(guarded.server.address(), 1 << 16).await;
        reset += reset_many(&mut peer, &mut rng, CALLS).await;
    }
    println!("{reset} calls were reset");
    assert!(reset >= CONNECTIONS);
    let done = guarded.work_off("q").await;
    assert_eq!(done, ids.into_iter().collect());
    guarded.ends_as_it_began().await;
}

pub async fn a_worker_that_is_cancelled_and_comes_back_is_never_told_to_calm_down() {
    const TIMES: usize = 500;
    let guarded = Guarded::start().await;
    let calls = guarded.server.calls().await;
    for _ in 0..TIMES {
        // The same worker on the same connection: what came before is superseded or gone.
        let (stream, _) = Stream::open(&calls, hello("w", "nobodys", 10)).await;
        drop(stream);
    }
    drop(calls);
    guarded.ends_as_it_began().await;
}
