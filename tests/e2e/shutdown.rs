//! How a server ends: the order of a drain, its deadline, and what is cut.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;

use crate::support::calls::{job_in, kept, lease_request, seconds, success};
use crate::support::refusal::{Refusal, assert_refused};
use crate::support::server::Server;
use crate::support::stream::{Stream, hello};
use crate::support::wire::dispatch_response::Frame;
use crate::support::wire::{self, JobState, SettleStatus};
use crate::support::{until, within};

fn assert_draining(status: &tonic::Status) {
    let refusal = Refusal::of(status);
    assert_eq!((refusal.code, refusal.reason.as_str()), (Code::Unavailable, "DRAINING"), "{status:?}");
    assert!(refusal.has_retry, "{status:?}");
}

async fn draining(stream: &mut Stream) -> wire::ServerDraining {
    stream
        .wait_for(|frame| match frame {
            Frame::Draining(draining) => Some(*draining),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_drain_takes_what_is_settled_and_ends() {
    let mut server = Server::with_flags(&["--shutdown-grace=1d"]).await;
    let mut calls = server.calls().await;
    let held = calls.enqueue(kept(job_in("q"))).await;
    let (mut idle, _) = Stream::open(&calls, hello("idle", "other", 5)).await;
    let (mut busy, _) = Stream::open(&calls, hello("busy", "q", 5)).await;
    let lease = busy.one_lease().await;
    let watching = HealthCheckRequest { service: "sluicegate.v1.JobService".into() };
    let mut watch = calls.health.watch(watching).await.expect("a watch").into_inner();
    let mut health = async || within("health", watch.message()).await.map(|status| status.map(|it| it.status()));
    assert_eq!(health().await.expect("a status"), Some(ServingStatus::Serving));
    let mut silent = TcpStream::connect(server.address()).await.expect("a connection");
    let mut waiting = server.calls().await;
    let waiting = tokio::spawn(async move {
        let request = wire::LeaseJobsRequest { wait: Some(seconds(30)), ..lease_request("unary", "third", 1) };
        waiting.jobs.lease_jobs(request).await
    });
    let waits = async || {
        let explained = calls.explain(&held).await;
        (explained.state() == JobState::InFlight).then_some(())
    };
    until("the held job", waits).await;

    server.signal(Signal::SIGTERM);
    assert_eq!(health().await.expect("a status"), Some(ServingStatus::NotServing), "first of all");
    let announced = draining(&mut idle).await;
    assert!((1..=86_400).contains(&announced.grace.expect("a grace").seconds));
    assert!(announced.reconnect_after.is_some());
    assert_draining(&idle.end().await.expect_err("an idle stream ends at once"));
    draining(&mut busy).await;
    assert_draining(&within("the waiting call", waiting).await.expect("no panic").expect_err("it didn't begin"));

    let late = calls.jobs.dispatch(tokio_stream::pending()).await;
    assert_draining(&late.expect_err("no new streams"));
    let enqueue = wire::EnqueueRequest { job: Some(job_in("q")), request_id: String::new() };
    assert_refused(calls.jobs.enqueue(enqueue).await, Code::Unavailable, "DRAINING");

    assert!(server.is_alive(), "it waits for the lease");
    assert_eq!(busy.extend(vec![lease.clone()]).await[0].status(), wire::ExtendStatus::Extended);
    assert_eq!(busy.settle(vec![success(&lease)]).await[0].status(), SettleStatus::Settled);
    assert_draining(&busy.end().await.expect_err("now it holds nothing"));
    // The watch has nothing more to say, and the connection that never spoke is closed.
    assert!(matches!(health().await, Ok(None) | Err(_)));
    let _ = within("the silent connection's end", silent.read_to_end(&mut Vec::new())).await;
    assert_eq!(server.ended().await.code(), Some(0));

    server.start_again().await;
    assert_eq!(server.calls().await.job_state(&held).await, JobState::Completed);
}

#[tokio::test]
async fn a_drain_is_over_when_a_call_settles_the_last_lease() {
    let mut server = Server::with_flags(&["--shutdown-grace=1d"]).await;
    let mut calls = server.calls().await;
    calls.enqueue(job_in("q")).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 1)).await;
    let lease = stream.one_lease().await;
    server.signal(Signal::SIGTERM);
    draining(&mut stream).await;
    assert_eq!(calls.settle_one(success(&lease)).await, SettleStatus::Settled);
    assert_draining(&stream.end().await.expect_err("it holds nothing any more"));
    assert_eq!(server.ended().await.code(), Some(0));
}

#[tokio::test]
async fn a_stuck_lease_holds_a_drain_up_to_its_deadline() {
    const GRACE: Duration = Duration::from_secs(2);
    let mut server = Server::with_flags(&["--shutdown-grace=2s"]).await;
    let mut calls = server.calls().await;
    let id = calls.enqueue(job_in("q")).await;
    let (mut stuck, _) = Stream::open(&calls, hello("stuck", "q", 1)).await;
    let lease = stuck.one_lease().await;
    let mut silent = TcpStream::connect(server.address()).await.expect("a connection");
    let start = Instant::now();
    server.signal(Signal::SIGTERM);
    let announced = draining(&mut stuck).await.grace.expect("a grace");
    assert!(announced.seconds < 2, "streams end before the deadline: {announced:?}");
    assert_draining(&stuck.end().await.expect_err("the grace is over"));
    let _ = within("the silent connection's end", silent.read_to_end(&mut Vec::new())).await;
    assert_eq!(server.ended().await.code(), Some(0));
    assert!(start.elapsed() >= GRACE / 2, "it waited for the lease");

    server.start_again().await;
    let mut calls = server.calls().await;
    assert_eq!(calls.job_state(&id).await, JobState::InFlight, "its worker comes back for it");
    assert_eq!(calls.settle_one(success(&lease)).await, SettleStatus::Settled);
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let mut server = Server::with_flags(&["--shutdown-grace=1d"]).await;
    let mut calls = server.calls().await;
    calls.enqueue(job_in("q")).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 1)).await;
    stream.one_lease().await;
    server.signal(Signal::SIGINT);
    draining(&mut stream).await;
    server.signal(Signal::SIGINT);
    assert_eq!(server.ended().await.code(), Some(1));
}
