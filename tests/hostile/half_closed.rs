//! Streams whose worker sends nothing more: those that read get what is left for them, those that don't are reset.

use nix::sys::signal::Signal;
use prost::bytes::Bytes;

use crate::guarded::{Guarded, has_not_panicked, workers};
use crate::peer::{Call, Peer, status};
use crate::support::calls::{job_in, lease_id, of_state, seconds, success};
use crate::support::server::Server;
use crate::support::stream::{Stream, hello};
use crate::support::wire::dispatch_request::Frame;
use crate::support::wire::{self, DispatchRequest, JobState, SettleStatus, job_spec::Payload};
use crate::support::{until, within};

const DISPATCH: &str = "/sluicegate.v1.JobService/Dispatch";
const PAYLOAD_BYTES: usize = 400 << 10;
/// Streams of a test, and the jobs of each: more than fits into a stream that nobody reads, and into the frames that wait for it.
const STREAMS: usize = 6;
const JOBS: usize = 12;
/// What HTTP/2 takes where nobody says otherwise.
const DEFAULT_WINDOW_BYTES: u32 = 65_535;

fn large_job(queue: &str) -> wire::JobSpec {
    wire::JobSpec { payload: Some(Payload::Binary(vec![7; PAYLOAD_BYTES].into())), ..job_in(queue) }
}

/// A worker that is sent `jobs`, closes its side, and has read nothing.
async fn unread(peer: &mut Peer, worker: &str, queue: &str, jobs: u64) -> Call {
    let mut call = peer.call(DISPATCH).await.expect("a stream");
    let hello = wire::WorkerHello { lease_duration: Some(seconds(1)), ..hello(worker, queue, jobs) };
    call.send_message(&DispatchRequest { frame: Some(Frame::Hello(hello)) }).await.expect("a Hello");
    call
}

pub async fn half_closed_streams_are_told_what_is_left() {
    let mut guarded = Guarded::start().await;
    guarded.calls.enqueue_all(vec![large_job("q"); JOBS]).await;
    let calls = guarded.server.calls().await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", JOBS as u64)).await;
    let in_flight =
        async || (guarded.calls.count(of_state("q", JobState::InFlight)).await == JOBS as u64).then_some(());
    until("all jobs in flight", in_flight).await;
    stream.close();
    let leases: Vec<_> = stream.jobs(JOBS).await.iter().map(lease_id).collect();
    stream.end().await.expect("a good end");
    let results = guarded.calls.settle(leases.iter().map(|lease| success(lease)).collect()).await;
    assert!(results.iter().all(|result| result.status() == SettleStatus::Settled));
    drop((stream, calls));
    guarded.ends_as_it_began().await;
}

pub async fn half_closed_streams_that_nobody_reads_are_reset() {
    let flags = ["--log=info,sluicegate::api::transport=debug"];
    let mut guarded = Guarded::warmed_by(&flags, 2 * STREAMS * JOBS, PAYLOAD_BYTES).await;
    let mut peers = Vec::new();
    // One kind of peer takes nothing from the beginning, the other stops when its window is full.
    for window in [0, DEFAULT_WINDOW_BYTES] {
        let queue = format!("q{window}");
        let mut ids = Vec::new();
        for _ in 0..STREAMS {
            ids.extend(guarded.calls.enqueue_all(vec![large_job(&queue); JOBS]).await);
        }
        let mut peer = Peer::connect(guarded.server.address(), window).await;
        let mut streams = Vec::new();
        for n in 0..STREAMS {
            streams.push(unread(&mut peer, &format!("{queue}-{n}"), &queue, JOBS as u64).await);
        }
        let calls = &mut guarded.calls;
        let in_flight = async || (calls.count(of_state(&queue, JobState::Ready)).await == 0).then_some(());
        until("all jobs in flight", in_flight).await;
        for stream in &mut streams {
            stream.close();
        }
        peers.push((window, queue, ids, peer, streams));
    }
    let resets = async || (guarded.server.log().matches("a stream is reset").count() == 2 * STREAMS).then_some(());
    until("the end of all streams", resets).await;
    for (window, queue, ids, peer, streams) in peers {
        for stream in streams {
            let end = status(stream.answer().await).await;
            assert!(end.is_err(), "{end:?} with a window of {window}");
        }
        let mut done = guarded.work_off(&queue).await;
        ids.iter().for_each(|id| assert!(done.remove(id), "{id} is lost"));
        assert!(done.is_empty());
        drop(peer);
    }
    guarded.ends_as_it_began().await;
}

pub async fn half_closed_streams_that_nobody_reads_dont_hold_a_shutdown() {
    let mut server = Server::with_flags(&["--shutdown-grace=1d"]).await;
    let mut calls = server.calls().await;
    for _ in 0..STREAMS {
        calls.enqueue_all(vec![large_job("q"); JOBS]).await;
    }
    let mut peer = Peer::connect(server.address(), DEFAULT_WINDOW_BYTES).await;
    let mut streams = Vec::new();
    for n in 0..STREAMS {
        streams.push(unread(&mut peer, &n.to_string(), "q", JOBS as u64).await);
    }
    until("all jobs in flight", async || (calls.count(of_state("q", JobState::Ready)).await == 0).then_some(())).await;
    for stream in &mut streams {
        stream.close();
    }
    until("the end of their sessions", async || (workers(&mut calls).await == 0).then_some(())).await;
    server.signal(Signal::SIGTERM);
    assert_eq!(server.ended().await.code(), Some(0), "long before its grace is over");
    has_not_panicked(&server);
}

pub async fn streams_that_end_in_the_middle_of_a_frame_end_alone() {
    let guarded = Guarded::start().await;
    let mut peer = Peer::connect(guarded.server.address(), DEFAULT_WINDOW_BYTES).await;
    for cut in [1, 4, 5, 6, 9] {
        let mut stream = unread(&mut peer, "w", "nobodys", 1).await;
        let frame = crate::peer::framed(&DispatchRequest {
            frame: Some(Frame::Extend(wire::ExtendLeases { lease_ids: vec!["x".repeat(30)] })),
        });
        stream.send(frame.slice(..cut)).await.expect("a part");
        stream.close();
        let ended = within("an end", status(stream.answer().await)).await.expect("a status");
        assert_eq!(ended, "13", "an end within a message is an error of the protocol");
    }
    let mut silent = peer.call(DISPATCH).await.expect("a stream");
    silent.sending.send_data(Bytes::new(), true).expect("an end");
    assert_eq!(status(silent.answer().await).await.expect("a status"), "3", "no Hello came");
    drop(peer);
    guarded.ends_as_it_began().await;
}
