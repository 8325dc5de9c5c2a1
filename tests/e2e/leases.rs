//! The unary calls of a worker: leasing, settling and extending, and what becomes of a lease.

use std::time::Duration;

use tokio::task::JoinHandle;
use tonic::Code;

use crate::support::calls::{
    Calls, bound_job, failure, job_id, job_in, kept, lease_id, lease_request, of_queue, outcome, release, seconds,
    span, success, time_based, while_in_flight,
};
use crate::support::refusal::assert_invalid;
use crate::support::server::Server;
use crate::support::wire::settle_outcome::Outcome;
use crate::support::wire::{self, ErrorReason, ExtendStatus, JobState, SettleStatus};
use crate::support::{until, within};

/// A lease id of the right form that was never granted.
fn never_granted(lease: &str) -> String {
    let (head, last) = lease.split_at(lease.len() - 1);
    format!("{head}{}", if last == "0" { "1" } else { "0" })
}

#[tokio::test]
async fn a_call_waits_for_the_first_job() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let none = calls.jobs.lease_jobs(lease_request("w", "q", 5)).await.expect("an answer").into_inner();
    assert!(none.jobs.is_empty(), "without a wait it answers at once");

    let mut waiting = calls.clone();
    let waiting = tokio::spawn(async move { waiting.lease("w", "q", 5).await });
    let waits = async || {
        let queues = calls.queues.list_queues(wire::ListQueuesRequest::default()).await.expect("queues").into_inner();
        queues.queues.iter().any(|queue| queue.workers == 1).then_some(())
    };
    let mut enqueuing = server.calls().await;
    enqueuing.enqueue(wire::JobSpec { run_time: Some(far()), ..job_in("q") }).await;
    until("a waiting worker", waits).await;
    let id = enqueuing.enqueue(job_in("q")).await;
    let leased = within("the leases", waiting).await.expect("no panic");
    assert_eq!(leased.iter().map(job_id).collect::<Vec<_>>(), [id]);
    let job = leased[0].job.as_ref().expect("a job");
    assert_eq!((job.state(), job.attempts), (JobState::InFlight, 0));
    assert_eq!(leased[0].lease.as_ref().expect("a lease").attempt, 1);
}

/// More than one step of the scheduler dispatches.
#[tokio::test]
async fn a_call_gets_as_many_as_it_asks_for() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.enqueue_all(vec![job_in("q"); 500]).await;
    assert_eq!(calls.lease("w", "q", 500).await.len(), 500);
}

fn far() -> prost_types::Timestamp {
    (std::time::SystemTime::now() + Duration::from_secs(86_400)).into()
}

#[tokio::test]
async fn a_wait_ends_empty_when_nothing_comes() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let wait = Some(span(Duration::from_millis(50)));
    let request = wire::LeaseJobsRequest { wait, ..lease_request("w", "q", 1) };
    assert!(calls.jobs.lease_jobs(request).await.expect("an answer").into_inner().jobs.is_empty());
}

#[tokio::test]
async fn a_repeated_call_returns_the_same_leases_also_after_a_crash() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    calls.enqueue_all((0..5).map(|_| job_in("q")).collect()).await;
    let request = wire::LeaseJobsRequest { request_id: "r".into(), ..lease_request("w", "q", 2) };
    let ids = |answer: wire::LeaseJobsResponse| answer.jobs.iter().map(lease_id).collect::<Vec<_>>();
    let first = ids(calls.jobs.lease_jobs(request.clone()).await.expect("leases").into_inner());
    assert_eq!(first.len(), 2);
    let again = ids(calls.jobs.lease_jobs(request.clone()).await.expect("leases").into_inner());
    assert_eq!(again, first);

    server.crash().await;
    let mut calls = server.calls().await;
    calls.settle_one(success(&first[0])).await;
    let live = ids(calls.jobs.lease_jobs(request.clone()).await.expect("leases").into_inner());
    assert_eq!(live, first[1..], "those that are live still");
    calls.settle_one(success(&first[1])).await;
    let anew = ids(calls.jobs.lease_jobs(request).await.expect("leases").into_inner());
    assert_eq!(anew.len(), 2);
    assert!(anew.iter().all(|lease| !first.contains(lease)));
}

#[tokio::test]
async fn each_outcome_has_its_own_result() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(100)).await;
    let spec = kept(bound_job("q", &[("db", 1)]));
    let jobs = calls.enqueue_all((0..5).map(|_| spec.clone()).collect()).await;
    let leases: Vec<_> = calls.lease("w", "q", 5).await.iter().map(lease_id).collect();
    assert_eq!(leases.len(), 5);
    let gone = never_granted(&leases[4]);
    let usage = |lease: &str, budget: &str| wire::SettleOutcome {
        usage: vec![wire::BudgetUsage { budget: budget.into(), cost: 1 }],
        ..success(lease)
    };
    let discard = wire::JobFailure { error: "no".into(), discard: true, ..Default::default() };
    let results = calls
        .settle(vec![
            outcome(&leases[0], Outcome::Success(wire::JobSuccess { result: "done".into() })),
            failure(&leases[1], "it broke"),
            outcome(&leases[2], Outcome::Failure(discard)),
            release(&leases[3]),
            success(&leases[0]),
            wire::SettleOutcome { lease_id: leases[4].clone(), ..Default::default() },
            usage(&leases[4], "none"),
            success(&gone),
            success("nonsense"),
        ])
        .await;
    use SettleStatus::{AlreadySettled, Gone, Invalid, Settled};
    let statuses: Vec<_> = results.iter().map(wire::SettleResult::status).collect();
    assert_eq!(statuses, [Settled, Settled, Settled, Settled, AlreadySettled, Invalid, Invalid, Gone, Gone]);
    let error = |at: usize| results[at].error.as_ref().map(|error| (error.reason(), error.field.as_str()));
    assert_eq!(error(5), Some((ErrorReason::InvalidField, "outcome")));
    assert_eq!(error(6), Some((ErrorReason::NotBound, "usage[0].budget")));

    let done = calls.job(&jobs[0]).await;
    assert_eq!((done.state(), done.result.as_ref()), (JobState::Completed, &b"done"[..]));
    let broken = calls.job(&jobs[1]).await;
    assert_eq!((broken.attempts, broken.errors[0].message.as_str()), (1, "it broke"));
    assert_eq!(calls.job_state(&jobs[2]).await, JobState::Dead);
    let released = calls.job(&jobs[3]).await;
    assert_eq!((released.state(), released.attempts), (JobState::Ready, 0));
    assert_eq!(calls.job_state(&jobs[4]).await, JobState::InFlight, "what was invalid changed nothing");
    assert_eq!(calls.budget_status("db").await.available, 99, "one is in flight");
}

#[tokio::test]
async fn a_result_that_isnt_kept_is_dropped_and_the_answer_says_so() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let job = calls.enqueue(job_in("q")).await;
    let lease = calls.lease_one("w", "q").await;
    let large = outcome(&lease, Outcome::Success(wire::JobSuccess { result: vec![0; (64 << 10) + 1].into() }));
    let result = calls.settle(vec![large]).await.remove(0);
    assert_eq!(result.status(), SettleStatus::Invalid);
    assert_eq!(result.error.expect("an error").field, "success.result");
    let small = outcome(&lease, Outcome::Success(wire::JobSuccess { result: "x".into() }));
    let result = calls.settle(vec![small]).await.remove(0);
    assert_eq!((result.status(), result.result_dropped), (SettleStatus::Settled, true));
    assert!(calls.is_gone(&job).await, "completed jobs aren't retained unless they say so");
}

#[tokio::test]
async fn less_used_is_refunded_and_more_is_debited() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("rate", time_based(100, Duration::from_secs(366 * 86_400), None)).await;
    for (used, left) in [(10, 90), (90, 0)] {
        calls.enqueue(bound_job("q", &[("rate", 60)])).await;
        let lease = calls.lease_one("w", "q").await;
        let usage = vec![wire::BudgetUsage { budget: "rate".into(), cost: used }];
        assert_eq!(calls.settle_one(wire::SettleOutcome { usage, ..success(&lease) }).await, SettleStatus::Settled);
        assert_eq!(calls.budget_status("rate").await.available, left);
    }
}

#[tokio::test]
async fn leases_end_by_themselves() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let backoff = Some(wire::Backoff { initial: Some(seconds(3600)), jitter_percent: Some(0), ..Default::default() });
    let expiring = calls.enqueue(wire::JobSpec { backoff, ..job_in("q") }).await;
    let timeout = Some(span(Duration::from_millis(30)));
    let timing_out = calls.enqueue(kept(wire::JobSpec { timeout, max_attempts: Some(1), ..job_in("q") })).await;
    let request = wire::LeaseJobsRequest { lease_duration: Some(seconds(1)), ..lease_request("w", "q", 2) };
    let leased = calls.jobs.lease_jobs(request).await.expect("leases").into_inner().jobs;
    let leases: Vec<_> = leased.iter().map(lease_id).collect();

    until("the timeout", async || (calls.job_state(&timing_out).await == JobState::Dead).then_some(())).await;
    assert_eq!(calls.job(&timing_out).await.errors[0].message, "timed out");
    until("the expiry", async || (calls.job_state(&expiring).await == JobState::Scheduled).then_some(())).await;
    let expired = calls.job(&expiring).await;
    assert_eq!((expired.attempts, expired.errors[0].message.as_str()), (1, "lease expired"));
    for lease in &leases {
        assert_eq!(calls.settle_one(success(lease)).await, SettleStatus::Lost);
        assert_eq!(calls.extend(vec![lease.clone()]).await[0].status(), ExtendStatus::Lost);
    }
}

#[tokio::test]
async fn each_extension_has_its_own_result() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.enqueue_all(vec![job_in("q"), job_in("q")]).await;
    let leased = calls.lease("w", "q", 2).await;
    let leases: Vec<_> = leased.iter().map(lease_id).collect();
    calls.settle_one(success(&leases[1])).await;
    let results = calls.extend(vec![leases[0].clone(), leases[1].clone(), never_granted(&leases[1])]).await;
    let statuses: Vec<_> = results.iter().map(wire::ExtendResult::status).collect();
    assert_eq!(statuses, [ExtendStatus::Extended, ExtendStatus::AlreadySettled, ExtendStatus::Gone]);
    let before = leased[0].lease.as_ref().and_then(|lease| lease.expire_time).expect("an instant");
    let after = results[0].expire_time.expect("an instant");
    assert!((after.seconds, after.nanos) > (before.seconds, before.nanos), "{after:?} is not after {before:?}");
}

#[tokio::test]
async fn leases_outlive_a_crash_and_their_history_doesnt() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(2)).await;
    let jobs = calls.enqueue_all(vec![kept(bound_job("q", &[("db", 1)])); 3]).await;
    let leases: Vec<_> = calls.lease("w", "q", 3).await.iter().map(lease_id).collect();
    assert_eq!(leases.len(), 2, "the budget has two places");
    calls.settle_one(success(&leases[0])).await;

    server.crash().await;
    let mut calls = server.calls().await;
    assert_eq!(calls.job_state(&jobs[0]).await, JobState::Completed, "a settlement outlives a crash");
    assert_eq!(calls.job_state(&jobs[1]).await, JobState::InFlight);
    assert_eq!(calls.budget_status("db").await.available, 1);
    assert_eq!(calls.settle_one(success(&leases[0])).await, SettleStatus::Gone);
    assert_eq!(calls.settle_one(success(&leases[1])).await, SettleStatus::Settled);
    assert_eq!(calls.settle_one(success(&leases[1])).await, SettleStatus::AlreadySettled);
    assert_eq!(calls.budget_status("db").await.available, 2);
}

#[tokio::test]
async fn calls_outside_their_bounds_name_the_field() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let good = || lease_request("w", "q", 1);
    for (request, field) in [
        (wire::LeaseJobsRequest { worker_id: String::new(), ..good() }, "worker_id"),
        (wire::LeaseJobsRequest { worker_id: "a b".into(), ..good() }, "worker_id"),
        (wire::LeaseJobsRequest { queues: vec![], ..good() }, "queues"),
        (wire::LeaseJobsRequest { queues: vec!["q".into(), "".into()], ..good() }, "queues[1]"),
        (wire::LeaseJobsRequest { queues: vec!["q".into(), "q".into()], ..good() }, "queues[1]"),
        (wire::LeaseJobsRequest { max_jobs: 1001, ..good() }, "max_jobs"),
        (wire::LeaseJobsRequest { max_bytes: 1, ..good() }, "max_bytes"),
        (wire::LeaseJobsRequest { lease_duration: Some(seconds(0)), ..good() }, "lease_duration"),
        (wire::LeaseJobsRequest { lease_duration: Some(seconds(86_401)), ..good() }, "lease_duration"),
        (wire::LeaseJobsRequest { wait: Some(seconds(31)), ..good() }, "wait"),
        (wire::LeaseJobsRequest { wait: Some(seconds(-1)), ..good() }, "wait"),
        (wire::LeaseJobsRequest { request_id: "r".repeat(129), ..good() }, "request_id"),
    ] {
        assert_invalid(calls.jobs.lease_jobs(request).await, field);
    }
    for count in [0, 1001] {
        let outcomes = vec![success("x"); count];
        assert_invalid(calls.jobs.settle_jobs(wire::SettleJobsRequest { outcomes }).await, "outcomes");
        let lease_ids = vec!["x".to_owned(); count];
        assert_invalid(calls.jobs.extend_leases(wire::ExtendLeasesRequest { lease_ids }).await, "lease_ids");
    }
    assert_eq!(calls.count(of_queue("q")).await, 0);
    let missing = calls.try_job("none").await.expect_err("no such job");
    assert_eq!(missing.code(), Code::NotFound);
}

/// A waiting call that names itself, on this connection; it has arrived when this returns.
async fn waiting_call(calls: &Calls, wait_seconds: i64) -> JoinHandle<Result<Vec<wire::LeasedJob>, tonic::Status>> {
    let wait = Some(seconds(wait_seconds));
    let request = wire::LeaseJobsRequest { wait, request_id: "r".into(), ..lease_request("w", "q", 1) };
    let mut caller = calls.clone();
    let call = tokio::spawn(async move { Ok(caller.jobs.lease_jobs(request).await?.into_inner().jobs) });
    // What is asked later on the same connection is answered later.
    tokio::task::yield_now().await;
    calls.clone().count(of_queue("q")).await;
    call
}

#[tokio::test]
async fn a_call_that_is_repeated_while_it_waits_leases_once() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let first = waiting_call(&calls, 30).await;
    let second = waiting_call(&calls, 30).await;
    let impatient = waiting_call(&calls, 0).await;
    assert!(within("an answer", impatient).await.expect("no panic").expect("an answer").is_empty());
    let ids = calls.enqueue_all(vec![job_in("q"); 2]).await;
    let first = within("leases", first).await.expect("no panic").expect("an answer");
    let second = within("leases", second).await.expect("no panic").expect("an answer");
    assert_eq!(first.len(), 1);
    assert_eq!((lease_id(&first[0]), job_id(&first[0])), (lease_id(&second[0]), ids[0].clone()));
    assert_eq!(calls.job_state(&ids[1]).await, JobState::Ready, "nobody asked for it");

    // Once its lease has ended the name leases anew; whoever takes over a wait gets what comes.
    assert_eq!(calls.settle_one(success(&lease_id(&first[0]))).await, SettleStatus::Settled);
    assert_eq!(calls.lease_one("other", "q").await.len(), lease_id(&first[0]).len());
    let abandoned = waiting_call(&server.calls().await, 30).await;
    let heir = waiting_call(&calls, 30).await;
    abandoned.abort();
    let id = calls.enqueue(job_in("q")).await;
    let leased = within("leases", heir).await.expect("no panic").expect("an answer");
    assert_eq!(leased.iter().map(job_id).collect::<Vec<_>>(), [id]);
}
