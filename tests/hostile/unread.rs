//! Answers that nobody reads: bounded in memory and in time.

use crate::guarded::Guarded;
use crate::peer::{Peer, framed};
use crate::support::calls::job_in;
use crate::support::wire::{self, job_spec::Payload};
use crate::support::within;

const LIST_JOBS: &str = "/sluicegate.v1.JobService/ListJobs";

pub async fn answers_that_nobody_reads_are_dropped() {
    const PEERS: usize = 4;
    const CALLS: usize = 40;
    const GROWTH_BYTES_MAX: u64 = 350 << 20;
    let mut guarded = Guarded::start().await;
    let payload = Some(Payload::Binary(vec![7; 100 << 10].into()));
    guarded.calls.enqueue_all(vec![wire::JobSpec { payload, ..job_in("q") }; 30]).await;
    let list = framed(&wire::ListJobsRequest { view: wire::JobView::Full.into(), page_size: 30, ..Default::default() });
    let mut peers = Vec::new();
    for _ in 0..PEERS {
        let mut peer = Peer::connect(guarded.server.address(), 0).await;
        let mut calls = Vec::new();
        for _ in 0..CALLS {
            let mut call = peer.call(LIST_JOBS).await.expect("a call");
            call.send(list.clone()).await.expect("it is taken");
            call.close();
            calls.push(call);
        }
        peers.push((peer, calls));
    }
    let (mut open, mut answers) = (Vec::new(), Vec::new());
    let mut growth = 0;
    for (peer, calls) in peers {
        open.push(peer);
        for call in calls {
            answers.push(call.answer().await.expect("headers").into_body());
            growth = growth.max(guarded.growth());
        }
    }
    let (mut dropped, mut reset) = (0, 0);
    for mut answer in answers {
        match within("an end", answer.data()).await {
            // Its status is UNAVAILABLE, which needs no window.
            None => dropped += 1,
            Some(Err(_)) => reset += 1,
            Some(Ok(data)) => panic!("{} bytes without a window", data.len()),
        }
    }
    println!("grew by {} MiB: {reset} answers reset, {dropped} dropped", growth >> 20);
    assert!(growth <= GROWTH_BYTES_MAX, "{} MiB", growth >> 20);
    assert!(reset > 0 && dropped > 0);
    drop(open);
    assert_eq!(guarded.work_off("q").await.len(), 30);
    guarded.ends_as_it_began().await;
}
