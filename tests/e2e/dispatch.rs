//! The Dispatch stream as workers use it: pushes, windows, settles, resuming and leaving.

use std::collections::HashSet;
use std::time::Duration;

use tonic::Code;

use crate::support::calls::{
    Calls, bound_job, failure, job_id, job_in, kept, lease_id, of_queue, of_state, release, seconds, success,
    while_in_flight,
};
use crate::support::refusal::Refusal;
use crate::support::server::Server;
use crate::support::stream::{Stream, held, hello};
use crate::support::until;
use crate::support::wire::dispatch_request::Frame as Sent;
use crate::support::wire::dispatch_response::Frame;
use crate::support::wire::{self, ExtendStatus, JobState, RevokeReason, SettleStatus};

async fn enqueue_many(calls: &mut Calls, queue: &str, count: usize) -> Vec<String> {
    calls.enqueue_all(vec![job_in(queue); count]).await
}

#[tokio::test]
async fn a_welcome_says_what_holds() {
    let server = Server::start().await;
    let calls = server.calls().await;
    let asks = wire::WorkerHello {
        lease_duration: Some(seconds(7)),
        ping_interval: Some(seconds(600)),
        client: Some(wire::ClientInfo { name: "test".into(), version: "1".into() }),
        ..hello("w", "q", 1)
    };
    let (_stream, welcome) = Stream::open(&calls, asks).await;
    assert_eq!((welcome.lease_duration, welcome.ping_interval), (Some(seconds(7)), Some(seconds(600))));
    assert_eq!(welcome.server_version, env!("CARGO_PKG_VERSION"));
    assert!(!welcome.session_id.is_empty() && welcome.resumed_lease_ids.is_empty());
    let limits = welcome.limits.expect("limits");
    assert_eq!((limits.max_payload_bytes, limits.max_request_bytes), (1 << 20, 32 << 20));
    assert_eq!((limits.max_batch_jobs, limits.max_lease_batch), (10_000, 1000));
}

#[tokio::test]
async fn the_window_is_what_a_worker_holds_at_once() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = enqueue_many(&mut calls, "q", 5).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 0)).await;
    let explained = calls.explain(&ids[0]).await;
    assert_eq!(explained.hold_ups().collect::<Vec<_>>(), [wire::HoldUp::NoRoom], "a window of 0 pauses");

    stream.set_window(2).await;
    let first = stream.jobs(2).await;
    assert_eq!(first.iter().map(job_id).collect::<Vec<_>>(), ids[..2], "in rank order");
    stream.settle(vec![success(&lease_id(&first[0]))]).await;
    assert_eq!(stream.jobs(1).await.iter().map(job_id).collect::<Vec<_>>(), ids[2..3], "a place was free");
    stream.set_window(4).await;
    assert_eq!(stream.jobs(2).await.iter().map(job_id).collect::<Vec<_>>(), ids[3..]);
    assert_eq!(calls.count(of_state("q", JobState::InFlight)).await, 4);
}

#[tokio::test]
async fn mixed_ids_in_one_frame_are_answered_each_for_itself() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = calls.enqueue_all(vec![kept(job_in("q")); 4]).await;
    let foreign = calls.lease_one("other", "q").await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 9)).await;
    let leases: Vec<_> = stream.jobs(3).await.iter().map(lease_id).collect();

    let results = stream
        .settle(vec![
            success(&leases[0]),
            success("nonsense"),
            success(&foreign),
            failure(&leases[1], "broken"),
            success(&leases[0]),
            wire::SettleOutcome { lease_id: leases[2].clone(), ..Default::default() },
        ])
        .await;
    use SettleStatus::{AlreadySettled, Gone, Invalid, Settled};
    let statuses: Vec<_> = results.iter().map(wire::SettleResult::status).collect();
    assert_eq!(statuses, [Settled, Gone, Settled, Settled, AlreadySettled, Invalid]);
    assert_eq!(calls.job_state(&ids[0]).await, JobState::Completed, "whoever knows a lease id may settle it");

    let retried = stream.jobs(1).await.remove(0);
    assert_eq!(retried.job.as_ref().expect("a job").attempts, 1);
    let retried = lease_id(&retried);
    let results = stream.extend(vec![retried.clone(), leases[0].clone(), "nonsense".into(), leases[2].clone()]).await;
    use ExtendStatus::{AlreadySettled as Over, Extended, Gone as Unknown};
    assert_eq!(results.iter().map(wire::ExtendResult::status).collect::<Vec<_>>(), [Extended, Over, Unknown, Extended]);
    let results = stream.settle(vec![release(&retried), success(&leases[2])]).await;
    assert!(results.iter().all(|result| result.status() == Settled));
}

#[tokio::test]
async fn a_newer_stream_of_the_same_worker_wins() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let (mut old, _) = Stream::open(&calls, hello("w", "q", 1)).await;
    let (mut new, _) = Stream::open(&calls, hello("w", "q", 1)).await;
    let end = Refusal::of(&old.end().await.expect_err("the older stream ends"));
    assert_eq!((end.code, end.reason.as_str(), end.fact("worker_id")), (Code::Aborted, "SESSION_SUPERSEDED", "w"));
    let id = calls.enqueue(job_in("q")).await;
    assert_eq!(job_id(&new.jobs(1).await[0]), id);
}

#[tokio::test]
async fn a_worker_resumes_what_it_still_holds() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(9)).await;
    let ids = calls.enqueue_all(vec![bound_job("q", &[("db", 1)]); 3]).await;
    let confirming = |window| wire::WorkerHello { confirms_receipt: true, ..hello("w", "q", window) };
    let (mut stream, _) = Stream::open(&calls, confirming(3)).await;
    let leases: Vec<_> = stream.jobs(3).await.iter().map(lease_id).collect();
    // The first two are confirmed, the third never reached the worker as far as the server knows.
    stream.extend(leases[..2].to_vec()).await;
    drop(stream);

    let resume = wire::WorkerHello { held_leases: held(&[&leases[0], "unknown"]), ..confirming(2) };
    let (mut stream, welcome) = Stream::open(&calls, resume).await;
    assert_eq!((welcome.resumed_lease_ids, welcome.lost_lease_ids), (vec![leases[0].clone()], vec!["unknown".into()]));
    assert_eq!(calls.job(&ids[1]).await.errors[0].message, "worker restarted", "it was confirmed, and isn't held");
    let pushed = stream.jobs(1).await.remove(0);
    assert_eq!(job_id(&pushed), ids[2], "unconfirmed: released at its old rank, and one place is left");
    assert_eq!(pushed.job.as_ref().expect("a job").attempts, 0);
    let result = stream.settle(vec![success(&leases[0])]).await.remove(0);
    assert_eq!(result.status(), SettleStatus::Settled);
}

#[tokio::test]
async fn leases_of_an_ended_stream_live_on() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    enqueue_many(&mut calls, "q", 2).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 2)).await;
    let leases: Vec<_> = stream.jobs(2).await.iter().map(lease_id).collect();
    stream.close();
    stream.end().await.expect("an end that the worker asked for");
    assert_eq!(calls.settle_one(success(&leases[0])).await, SettleStatus::Settled, "by a call");
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 2)).await;
    let result = stream.settle(vec![success(&leases[1])]).await.remove(0);
    assert_eq!(result.status(), SettleStatus::Settled, "on another stream, without having been named");
}

#[tokio::test]
async fn a_leaving_worker_gives_back_what_it_has() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    enqueue_many(&mut calls, "q", 2).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 2)).await;
    let leases: Vec<_> = stream.jobs(2).await.iter().map(lease_id).collect();
    let results = stream.settle(vec![success(&leases[0])]).await;
    assert_eq!(results[0].status(), SettleStatus::Settled);
    stream.send(Sent::Leaving(wire::WorkerLeaving {})).await;
    stream.end().await.expect("a good end");
    assert_eq!(calls.count(of_state("q", JobState::Ready)).await, 1);
    assert_eq!(calls.settle_one(success(&leases[1])).await, SettleStatus::Lost);
}

#[tokio::test]
async fn a_worker_hears_when_a_lease_is_taken_away() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let timeout = Some(crate::support::calls::span(Duration::from_millis(40)));
    calls.enqueue(wire::JobSpec { timeout, priority: Some(0), max_attempts: Some(1), ..job_in("q") }).await;
    calls.enqueue(wire::JobSpec { max_attempts: Some(1), ..job_in("q") }).await;
    calls.enqueue(wire::JobSpec { max_attempts: Some(1), ..job_in("r") }).await;
    let hello = wire::WorkerHello {
        lease_duration: Some(seconds(1)),
        queues: ["q", "r"].map(|name| wire::WorkerQueue { name: name.into() }).into(),
        ..hello("w", "q", 9)
    };
    let (mut stream, _) = Stream::open(&calls, hello).await;
    let leases: Vec<_> = stream.jobs(3).await.iter().map(lease_id).collect();
    calls.settle_one(success(&leases[2])).await;
    let mut revoked = HashSet::new();
    while revoked.len() < 3 {
        let (ids, reason) = stream.revoked().await;
        revoked.extend(ids.into_iter().map(|id| (id, reason)));
    }
    let expected = [RevokeReason::TimedOut, RevokeReason::Expired, RevokeReason::EndedElsewhere];
    assert_eq!(revoked, leases.into_iter().zip(expected).collect());
}

#[tokio::test]
async fn a_cancelled_stream_loses_no_job() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    enqueue_many(&mut calls, "q", 10).await;
    for round in 0..10 {
        let confirming = wire::WorkerHello { confirms_receipt: true, held_leases: held(&[]), ..hello("w", "q", 1) };
        let (stream, _) = Stream::open(&calls, confirming).await;
        if round % 2 == 0 {
            calls.enqueue(job_in("q")).await;
        }
        // A drop resets the call, whatever is on its way.
        drop(stream);
    }
    let (mut stream, _) =
        Stream::open(&calls, wire::WorkerHello { held_leases: held(&[]), ..hello("w", "q", 99) }).await;
    let leases: Vec<_> = stream.jobs(15).await.iter().map(lease_id).collect();
    stream.settle(leases.iter().map(|lease| success(lease)).collect()).await;
    until("an empty queue", async || (calls.count(of_queue("q")).await == 0).then_some(())).await;
}

#[tokio::test]
async fn a_stream_without_pings_gets_none() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let (mut quiet, _) = Stream::open(&calls, hello("quiet", "q", 1)).await;
    let pinged = wire::WorkerHello { ping_interval: Some(seconds(1)), ..hello("pinged", "r", 1) };
    let (mut pinged, _) = Stream::open(&calls, pinged).await;
    // A side that says nothing for three intervals is taken as gone; both pings come before that.
    let mut pings = 0;
    let end = loop {
        match pinged.next().await {
            Ok(Some(Frame::Ping(_))) => pings += 1,
            Ok(other) => panic!("{other:?}"),
            Err(status) => break status,
        }
    };
    assert_eq!(end.code(), Code::DeadlineExceeded);
    assert!(pings >= 2, "{pings} pings in three intervals");
    let id = calls.enqueue(job_in("q")).await;
    match quiet.next().await {
        Ok(Some(Frame::Jobs(pushed))) => assert_eq!(job_id(&pushed.jobs[0]), id),
        other => panic!("the first frame since the Welcome: {other:?}"),
    }
}
