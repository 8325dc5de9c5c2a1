//! The Dispatch stream at its bounds: what ends it, what is waited for, and readers that don't read.

use prost::Message;
use tonic::Code;

use crate::support::calls::{job_in, lease_id, of_state, seconds, success};
use crate::support::refusal::{Refusal, assert_invalid_status};
use crate::support::server::Server;
use crate::support::stream::{Stream, hello};
use crate::support::wire::dispatch_request::Frame as Sent;
use crate::support::wire::dispatch_response::Frame;
use crate::support::wire::{self, JobState, SettleStatus, job_spec::Payload};
use crate::support::{until, within};

async fn refused_field(stream: &mut Stream, field: &str) {
    let status = stream.end().await.expect_err("a frame that breaks a bound ends the stream");
    assert_invalid_status(&status, field);
}

#[tokio::test]
async fn a_stream_begins_with_a_hello_in_time() {
    let server = Server::start().await;
    let calls = server.calls().await;
    let mut silent = Stream::open_silent(&calls).await;
    let mut closed = Stream::open_silent(&calls).await;
    closed.close();
    refused_field(&mut closed, "hello").await;
    let mut other = Stream::open_silent(&calls).await;
    other.set_window(1).await;
    refused_field(&mut other, "hello").await;
    let mut empty = Stream::open_silent(&calls).await;
    empty.send_empty().await;
    refused_field(&mut empty, "hello").await;
    refused_field(&mut silent, "hello").await;
    server.calls().await.assert_serving().await;
}

#[tokio::test]
async fn a_hello_outside_its_bounds_is_refused() {
    let server = Server::start().await;
    let calls = server.calls().await;
    let good = || hello("w", "q", 1);
    let queue = |name: &str| wire::WorkerQueue { name: name.to_owned() };
    let window = |max_jobs, max_bytes| Some(wire::Window { max_jobs, max_bytes });
    let lease = |seconds_| Some(seconds(seconds_));
    let many = (0..100_001).map(|n| format!("{n}")).collect();
    for (hello, field) in [
        (wire::WorkerHello { worker_id: String::new(), ..good() }, "hello.worker_id"),
        (wire::WorkerHello { worker_id: "a\0b".into(), ..good() }, "hello.worker_id"),
        (wire::WorkerHello { queues: vec![], ..good() }, "hello.queues"),
        (wire::WorkerHello { queues: vec![queue("q"), queue("")], ..good() }, "hello.queues[1].name"),
        (wire::WorkerHello { queues: vec![queue("q"), queue("q")], ..good() }, "hello.queues[1].name"),
        (wire::WorkerHello { queues: (0..65).map(|n| queue(&n.to_string())).collect(), ..good() }, "hello.queues"),
        (wire::WorkerHello { window: window(1 << 32, 0), ..good() }, "hello.window.max_jobs"),
        (wire::WorkerHello { window: window(100_001, 0), ..good() }, "hello.window.max_jobs"),
        (wire::WorkerHello { window: window(1, (1 << 30) + 1), ..good() }, "hello.window.max_bytes"),
        (wire::WorkerHello { lease_duration: lease(0), ..good() }, "hello.lease_duration"),
        (wire::WorkerHello { lease_duration: lease(-1), ..good() }, "hello.lease_duration"),
        (wire::WorkerHello { lease_duration: lease(86_401), ..good() }, "hello.lease_duration"),
        (wire::WorkerHello { ping_interval: lease(601), ..good() }, "hello.ping_interval"),
        (wire::WorkerHello { max_message_bytes: 1, ..good() }, "hello.max_message_bytes"),
        (wire::WorkerHello { max_message_bytes: u32::MAX, ..good() }, "hello.max_message_bytes"),
        (
            wire::WorkerHello { held_leases: Some(wire::HeldLeases { lease_ids: many }), ..good() },
            "hello.held_leases.lease_ids",
        ),
    ] {
        let mut stream = Stream::say_hello(&calls, hello).await;
        refused_field(&mut stream, field).await;
    }
    server.calls().await.assert_serving().await;
}

#[tokio::test]
async fn frames_outside_their_bounds_end_the_stream_and_nothing_else() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = |count| vec!["x".to_owned(); count];
    let outcomes = |count| vec![success("x"); count];
    let window = |max_jobs| Sent::Window(wire::Window { max_jobs, max_bytes: 0 });
    let frames = [
        (Sent::Hello(hello("w", "q", 1)), "hello"),
        (window(1 << 32), "window.max_jobs"),
        (window(u64::MAX), "window.max_jobs"),
        (Sent::Settle(wire::SettleLeases { outcomes: outcomes(0) }), "settle.outcomes"),
        (Sent::Settle(wire::SettleLeases { outcomes: outcomes(1001) }), "settle.outcomes"),
        (Sent::Extend(wire::ExtendLeases { lease_ids: ids(1001) }), "extend.lease_ids"),
        (Sent::Received(wire::LeasesReceived { lease_ids: ids(1001) }), "received.lease_ids"),
    ];
    let (mut neighbour, _) = Stream::open(&calls, hello("neighbour", "n", 1)).await;
    for (frame, field) in frames {
        let (mut stream, _) = Stream::open(&calls, hello("w", "q", 1)).await;
        stream.send(frame).await;
        refused_field(&mut stream, field).await;
    }
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 1)).await;
    stream.send_empty().await;
    refused_field(&mut stream, "frame").await;

    let id = calls.enqueue(job_in("n")).await;
    assert_eq!(neighbour.jobs(1).await[0].job.as_ref().expect("a job").id, id);
}

#[tokio::test]
async fn frames_stay_within_what_the_worker_takes() {
    const FRAME_BYTES_MAX: usize = 128 << 10;
    const PAYLOAD_BYTES: usize = 30 << 10;
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let payload = Some(Payload::Binary(vec![7; PAYLOAD_BYTES].into()));
    calls.enqueue_all(vec![wire::JobSpec { payload, ..job_in("q") }; 40]).await;
    let frame_bytes_max = u32::try_from(FRAME_BYTES_MAX).expect("small");
    let hello = wire::WorkerHello { max_message_bytes: frame_bytes_max, ..hello("w", "q", 100) };
    let (mut stream, _) = Stream::open(&calls, hello).await;
    let mut jobs = 0;
    while jobs < 40 {
        let pushed = stream.pushed().await;
        jobs += pushed.len();
        let frame = wire::DispatchResponse { frame: Some(Frame::Jobs(wire::JobsPushed { jobs: pushed })) };
        assert!(frame.encoded_len() <= FRAME_BYTES_MAX, "{} bytes", frame.encoded_len());
    }
}

#[tokio::test]
async fn a_worker_with_nothing_in_hand_gets_a_job_of_any_size() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let payload = Some(Payload::Binary(vec![7; 1 << 20].into()));
    calls.enqueue_all(vec![wire::JobSpec { payload, ..job_in("q") }; 2]).await;
    let window = Some(wire::Window { max_jobs: 9, max_bytes: 1 });
    let (mut stream, _) = Stream::open(&calls, wire::WorkerHello { window, ..hello("w", "q", 9) }).await;
    let lease = stream.one_lease().await;
    assert_eq!(calls.count(of_state("q", JobState::InFlight)).await, 1);
    stream.settle(vec![success(&lease)]).await;
    stream.one_lease().await;
}

#[tokio::test]
async fn a_reader_that_stops_delays_nobody_and_loses_nothing() {
    const JOBS: usize = 20_000;
    let server = Server::start().await;
    let mut calls = server.calls().await;
    for _ in 0..2 {
        calls.enqueue_all(vec![job_in("q"); JOBS / 2]).await;
    }
    // A connection of its own: what waits unread in it is the slow worker's alone.
    let slow = server.calls().await;
    let stream = Stream::say_hello(&slow, hello("slow", "q", JOBS as u64)).await;
    let all_in_flight = async || (calls.count(of_state("q", JobState::InFlight)).await == JOBS as u64).then_some(());
    until("20,000 dispatched jobs", all_in_flight).await;

    let mut calls = server.calls().await;
    let (mut quick, _) = Stream::open(&calls, hello("quick", "r", 1)).await;
    for _ in 0..20 {
        calls.enqueue(job_in("r")).await;
        let lease = quick.one_lease().await;
        assert_eq!(quick.settle(vec![success(&lease)]).await[0].status(), SettleStatus::Settled);
    }

    let mut stream = stream;
    let Ok(Some(Frame::Welcome(_))) = stream.next().await else { panic!("no Welcome first") };
    let leases: Vec<_> = stream.jobs(JOBS).await.iter().map(lease_id).collect();
    for batch in leases.chunks(1000) {
        let results = stream.settle(batch.iter().map(|lease| success(lease)).collect()).await;
        assert!(results.iter().all(|result| result.status() == SettleStatus::Settled));
    }
    assert_eq!(calls.count(wire::JobFilter::default()).await, 0);
}

#[tokio::test]
async fn settles_that_arent_read_dont_fill_the_server() {
    const FRAMES: usize = 400;
    let server = Server::start().await;
    let slow = server.calls().await;
    let (mut stream, _) = Stream::open(&slow, hello("slow", "q", 1)).await;
    let unknown = "x".repeat(60);
    for _ in 0..FRAMES {
        stream.send(Sent::Settle(wire::SettleLeases { outcomes: vec![success(&unknown); 1000] })).await;
    }
    let mut calls = server.calls().await;
    calls.enqueue(job_in("r")).await;
    let lease = within("a lease beside it", calls.lease_one("w", "r")).await;
    assert_eq!(calls.settle_one(success(&lease)).await, SettleStatus::Settled);
    let mut answered = 0;
    while answered < FRAMES * 1000 {
        let results = stream.wait_for(|frame| match frame {
            Frame::Settled(settled) => Some(settled.results.clone()),
            _ => None,
        });
        answered += results.await.len();
    }
    assert_eq!(answered, FRAMES * 1000);
}

#[tokio::test]
async fn there_are_no_more_sessions_than_the_server_may_have() {
    let server = Server::with_flags(&["--max-sessions=1"]).await;
    let calls = server.calls().await;
    let (mut first, _) = Stream::open(&calls, hello("first", "q", 1)).await;
    let mut second = Stream::say_hello(&calls, hello("second", "q", 1)).await;
    let refusal = Refusal::of(&second.end().await.expect_err("one is the most"));
    assert_eq!((refusal.code, refusal.reason.as_str()), (Code::ResourceExhausted, "OVERLOADED"));
    assert!(refusal.has_retry, "a place may become free");
    first.close();
    first.end().await.expect("a good end");
    let opened = async || {
        let mut stream = Stream::say_hello(&calls, hello("second", "q", 1)).await;
        matches!(stream.next().await, Ok(Some(Frame::Welcome(_)))).then_some(())
    };
    until("the free place", opened).await;
}

#[tokio::test]
async fn unconfirmed_pushes_come_back_after_their_stream() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let id = calls.enqueue(job_in("q")).await;
    let confirming = |worker| wire::WorkerHello { confirms_receipt: true, ..hello(worker, "q", 1) };
    let hour = Some(seconds(3600));
    let (mut lost, _) = Stream::open(&calls, wire::WorkerHello { lease_duration: hour, ..confirming("lost") }).await;
    lost.one_lease().await;
    drop(lost);
    let (mut next, _) = Stream::open(&calls, confirming("next")).await;
    let pushed = next.jobs(1).await.remove(0);
    let job = pushed.job.as_ref().expect("a job");
    assert_eq!(
        (job.id.as_str(), job.attempts),
        (id.as_str(), 0),
        "long before its lease expires, and no attempt is used"
    );
    next.send(Sent::Received(wire::LeasesReceived { lease_ids: vec![lease_id(&pushed)] })).await;
    assert_eq!(next.settle(vec![success(&lease_id(&pushed))]).await[0].status(), SettleStatus::Settled);
}
