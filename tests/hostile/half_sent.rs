//! Requests that begin and don't go on: each has its time, and all together a bound in memory.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use h2::{RecvStream, SendStream};
use prost::bytes::Bytes;

use crate::guarded::Guarded;
use crate::peer::{Call, Peer, framed, prefix, status};
use crate::support::stream::hello;
use crate::support::wire::dispatch_request::Frame;
use crate::support::wire::{self, DispatchRequest};
use crate::support::within;

const MIB: usize = 1 << 20;
const WINDOW: u32 = 64 << 10;
const ENQUEUE: &str = "/sluicegate.v1.JobService/Enqueue";
const DISPATCH: &str = "/sluicegate.v1.JobService/Dispatch";
const DEADLINE_EXCEEDED: &str = "4";
const RESOURCE_EXHAUSTED: &str = "8";

/// What became of a call: its status, or `reset`.
async fn end(call: Call) -> String {
    match status(call.answer().await).await {
        Ok(status) => status,
        Err(error) => panic!("no status but {error}"),
    }
}

pub async fn half_sent_requests_have_their_time_and_large_ones_their_number() {
    const CALLS: usize = 200;
    let guarded = Guarded::start().await;
    let mut peer = Peer::connect(guarded.server.address(), WINDOW).await;
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        let mut call = peer.call(ENQUEUE).await.expect("a call");
        call.send([prefix(32 * MIB), vec![0x0a]].concat().into()).await.expect("a beginning");
        calls.push(call);
    }
    // Some of a prefix, a small message without its end, and nothing at all.
    for beginning in [&[0, 0][..], &[prefix(9), vec![0x0a]].concat(), &[]] {
        let mut call = peer.call(ENQUEUE).await.expect("a call");
        call.send(Bytes::copy_from_slice(beginning)).await.expect("a beginning");
        calls.push(call);
    }
    let start = Instant::now();
    let (mut late, mut refused) = (0, 0);
    for call in calls {
        match &*end(call).await {
            DEADLINE_EXCEEDED => late += 1,
            RESOURCE_EXHAUSTED => refused += 1,
            other => panic!("status {other}"),
        }
    }
    assert!(start.elapsed() >= Duration::from_secs(20), "slow ones have their time");
    assert_eq!((late, refused), (4 + 3, CALLS - 4), "four of the largest at once");
    drop(peer);
    guarded.ends_as_it_began().await;
}

pub async fn half_sent_requests_take_bounded_memory() {
    const CALLS: usize = 16;
    const SENT: usize = 30 * MIB;
    const GROWTH_BYTES_MAX: u64 = 200 << 20;
    let guarded = Guarded::start().await;
    let mut sending = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        let address = guarded.server.address();
        sending.spawn(async move {
            let mut peer = Peer::connect(address, WINDOW).await;
            let mut call = peer.call(ENQUEUE).await.expect("a call");
            let sent = call.send([prefix(32 * MIB), vec![0; SENT]].concat().into()).await;
            // Those that find no room are refused before all is sent.
            (sent.is_ok(), end(call).await)
        });
    }
    let mut growth = 0;
    let mut ends = Vec::new();
    let looking = async {
        let mut look = tokio::time::interval(Duration::from_millis(20));
        loop {
            tokio::select! {
                ended = sending.join_next() => match ended {
                    Some(ended) => ends.push(ended.expect("no panic")),
                    None => break,
                },
                _ = look.tick() => growth = growth.max(guarded.growth()),
            }
        }
    };
    within("the end of all calls", looking).await;
    println!("grew by {} MiB", growth >> 20);
    assert!(growth <= GROWTH_BYTES_MAX, "{} MiB", growth >> 20);
    let with = |status: &str| ends.iter().filter(|(_, end)| end == status).count();
    assert_eq!((with(DEADLINE_EXCEEDED), with(RESOURCE_EXHAUSTED)), (4, CALLS - 4));
    guarded.ends_as_it_began().await;
}

pub async fn an_upload_that_goes_on_slowly_arrives() {
    let mut guarded = Guarded::start().await;
    let mut peer = Peer::connect(guarded.server.address(), WINDOW).await;
    let payload = Some(wire::job_spec::Payload::Binary(vec![7; MIB].into()));
    let job = Some(wire::JobSpec { payload, queue: "slow".to_owned(), ..wire::JobSpec::default() });
    let message = framed(&wire::EnqueueRequest { job, request_id: String::new() });
    let mut call = peer.call(ENQUEUE).await.expect("a call");
    let mut pace = tokio::time::interval(Duration::from_millis(200));
    for piece in message.chunks(message.len() / 50) {
        pace.tick().await;
        call.send(Bytes::copy_from_slice(piece)).await.expect("it is taken");
    }
    call.close();
    assert_eq!(end(call).await, "0");
    assert_eq!(guarded.work_off("slow").await.len(), 1);
    drop(peer);
    guarded.ends_as_it_began().await;
}

pub async fn a_stream_is_silent_as_long_as_it_likes_but_not_within_a_frame() {
    let guarded = Guarded::start().await;
    let mut peer = Peer::connect(guarded.server.address(), 1 << 20).await;
    let hello = |worker: &str| DispatchRequest { frame: Some(Frame::Hello(hello(worker, "nobodys", 1))) };
    let mut idle = peer.call(DISPATCH).await.expect("a stream");
    idle.send_message(&hello("idle")).await.expect("a Hello");
    let mut half = peer.call(DISPATCH).await.expect("a stream");
    half.send_message(&hello("half")).await.expect("a Hello");
    half.send([prefix(100), vec![0; 99]].concat().into()).await.expect("most of a frame");
    assert_eq!(end(half).await, DEADLINE_EXCEEDED);
    // It has been silent for longer, and is answered still.
    let extend = Frame::Extend(wire::ExtendLeases { lease_ids: vec!["x".to_owned()] });
    idle.send_message(&DispatchRequest { frame: Some(extend) }).await.expect("a frame");
    idle.close();
    assert_eq!(end(idle).await, "0");
    drop(peer);
    guarded.ends_as_it_began().await;
}

/// A stream that sends one large frame, and whether it is answered afterwards.
async fn send_a_large_frame(address: SocketAddr, worker: usize) -> (Peer, Option<(RecvStream, SendStream<Bytes>)>) {
    let mut peer = Peer::connect(address, 1 << 20).await;
    let mut stream = peer.call(DISPATCH).await.expect("a stream");
    let hello = Frame::Hello(hello(&worker.to_string(), "nobodys", 1));
    stream.send_message(&DispatchRequest { frame: Some(hello) }).await.expect("a Hello");
    // A Ping with something in it that nobody knows: what it leaves behind is the buffer that it came in.
    const SENT: usize = 30 * MIB;
    let unknown = [vec![0x92, 0x06], varint(SENT), vec![7; SENT]].concat();
    let ping = [vec![0x3a], varint(unknown.len()), unknown].concat();
    let extend = Frame::Extend(wire::ExtendLeases { lease_ids: vec!["x".to_owned()] });
    let frames = [prefix(ping.len()), ping, framed(&DispatchRequest { frame: Some(extend) }).to_vec()].concat();
    // One that is refused takes no more.
    let _ = stream.send(frames.into()).await;
    let (mut answer, open) = stream.stays_open().await.expect("headers");
    let _welcome = within("a Welcome", answer.data()).await;
    let is_answered = within("an answer", answer.data()).await.is_some_and(|data| data.is_ok());
    (peer, is_answered.then_some((answer, open)))
}

pub async fn the_buffers_of_idle_streams_are_bounded() {
    const STREAMS: usize = 12;
    const GROWTH_BYTES_MAX: u64 = 250 << 20;
    let guarded = Guarded::start().await;
    let mut sending = tokio::task::JoinSet::new();
    for n in 0..STREAMS {
        sending.spawn(send_a_large_frame(guarded.server.address(), n));
    }
    let streams = sending.join_all().await;
    let growth = guarded.growth();
    let answered = streams.iter().filter(|(_, stream)| stream.is_some()).count();
    println!("grew by {} MiB, {answered} answered", growth >> 20);
    assert_eq!(answered, 4, "as many as there is room for");
    assert!(growth <= GROWTH_BYTES_MAX, "{} MiB", growth >> 20);
    drop(streams);
    guarded.ends_as_it_began().await;
}

fn varint(value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    prost::encoding::encode_varint(value as u64, &mut bytes);
    bytes
}
