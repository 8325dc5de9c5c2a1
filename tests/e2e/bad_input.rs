//! Input that nobody should send: each gets a clear status, and the server goes on.

use std::time::Duration;

use prost::Message;
use prost::bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;

use crate::support::calls::{Calls, bound_job, job_in, seconds, span, time_based, while_in_flight};
use crate::support::raw::call_with;
use crate::support::refusal::{assert_invalid, assert_refused};
use crate::support::server::Server;
use crate::support::wire::budget_policy::{ReserveAfter, Strategy};
use crate::support::wire::{self, job_spec::Payload};
use crate::support::within;

const DAY_SECONDS: i64 = 86_400;
const LIMIT: u64 = 1_000_000_000_000;

async fn create(calls: &mut Calls, key: &str, policy: Option<wire::BudgetPolicy>, field: &str) {
    let request = wire::CreateBudgetRequest { key: key.to_owned(), policy };
    assert_invalid(calls.budgets.create_budget(request).await, field);
    calls.assert_serving().await;
}

async fn enqueue(calls: &mut Calls, job: wire::JobSpec, field: &str) {
    let request = wire::EnqueueRequest { job: Some(job), request_id: String::new() };
    assert_invalid(calls.jobs.enqueue(request).await, field);
    calls.assert_serving().await;
}

#[tokio::test]
async fn policies_outside_their_bounds_name_the_field() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let second = Duration::from_secs(1);
    let rate = |duration, burst| wire::BudgetPolicy {
        strategy: Some(Strategy::TimeBased(wire::TimeBased { duration, burst })),
        ..while_in_flight(1)
    };
    let after = |after| wire::BudgetPolicy { reserve_after: Some(ReserveAfter::After(after)), ..while_in_flight(1) };
    let torn = prost_types::Duration { seconds: 1, nanos: -1 };
    for (policy, field) in [
        (None, "policy"),
        (Some(wire::BudgetPolicy { strategy: None, ..while_in_flight(1) }), "policy.strategy"),
        (Some(while_in_flight(0)), "policy.allocation"),
        (Some(while_in_flight(LIMIT + 1)), "policy.allocation"),
        (Some(while_in_flight(u64::MAX)), "policy.allocation"),
        (Some(rate(None, None)), "policy.time_based.duration"),
        (Some(rate(Some(seconds(0)), None)), "policy.time_based.duration"),
        (Some(rate(Some(seconds(-1)), None)), "policy.time_based.duration"),
        (Some(rate(Some(torn), None)), "policy.time_based.duration"),
        (Some(rate(Some(span(Duration::from_micros(999))), None)), "policy.time_based.duration"),
        (Some(rate(Some(seconds(366 * DAY_SECONDS + 1)), None)), "policy.time_based.duration"),
        (Some(rate(Some(seconds(i64::MAX)), None)), "policy.time_based.duration"),
        (Some(time_based(1, second, Some(0))), "policy.time_based.burst"),
        (Some(time_based(1, second, Some(LIMIT + 1))), "policy.time_based.burst"),
        (Some(after(seconds(-1))), "policy.after"),
        (Some(after(seconds(366 * DAY_SECONDS + 1))), "policy.after"),
    ] {
        create(&mut calls, "b", policy, field).await;
    }
    for key in ["", "a b", "a\0b", "ä", "a\nb", &"k".repeat(129)] {
        create(&mut calls, key, Some(while_in_flight(1)), "key").await;
    }
    calls.create_budget(&"k".repeat(128), while_in_flight(LIMIT)).await;
    calls.create_budget("A-Za.z0_9:/@-", time_based(LIMIT, Duration::from_millis(1), Some(LIMIT))).await;
}

#[tokio::test]
async fn unknown_fields_of_a_policy_are_no_error() {
    let server = Server::start().await;
    let request = wire::CreateBudgetRequest { key: "b".into(), policy: None };
    let mut policy = while_in_flight(3).encode_to_vec();
    // Field 6 as a varint, field 10 as bytes: what a later version may send.
    policy.extend([0x30, 0x01, 0x52, 0x02, b'h', b'i']);
    let mut bytes = request.encode_to_vec();
    bytes.extend([0x12, u8::try_from(policy.len()).expect("short")]);
    bytes.extend(policy);
    call_with(server.channel().await, "/sluicegate.v1.BudgetService/CreateBudget", bytes.into())
        .await
        .expect("a budget");
    let mut calls = server.calls().await;
    assert_eq!(calls.budget("b").await.policy, Some(while_in_flight(3)));

    // With nothing that this version knows there is no strategy.
    let mut unknown = request.encode_to_vec();
    unknown.extend([0x12, 0x04, 0x08, 0x03, 0x32, 0x00]);
    let status = call_with(server.channel().await, "/sluicegate.v1.BudgetService/CreateBudget", unknown.into()).await;
    crate::support::refusal::assert_invalid_status(&status.expect_err("no strategy"), "policy.strategy");
    calls.assert_serving().await;
}

#[tokio::test]
async fn jobs_outside_their_bounds_name_the_field() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("b", while_in_flight(LIMIT)).await;
    let job = || job_in("q");
    let backoff = |backoff| wire::JobSpec { backoff: Some(backoff), ..job() };
    let unique = |key: &str| Some(wire::UniqueKey { key: key.to_owned(), scope: 0 });
    let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let binary = |bytes| Some(Payload::Binary(vec![0; bytes].into()));
    let too_many: Vec<_> = (0..17).map(|n| format!("b{n}")).collect();
    let too_many: Vec<_> = too_many.iter().map(|budget| (budget.as_str(), 1)).collect();
    let far = prost_types::Timestamp { seconds: 253_402_300_799, nanos: 0 };
    for (spec, field) in [
        (job_in(""), "job.queue"),
        (job_in("a b"), "job.queue"),
        (job_in("a\0"), "job.queue"),
        (wire::JobSpec { r#type: "a b".into(), ..job() }, "job.type"),
        (wire::JobSpec { payload: binary((1 << 20) + 1), ..job() }, "job.binary"),
        (wire::JobSpec { payload: Some(Payload::Json("{\"a\":}".into())), ..job() }, "job.json"),
        (wire::JobSpec { payload: Some(Payload::Json(format!("\"{}\"", "x".repeat(1 << 20)))), ..job() }, "job.json"),
        (wire::JobSpec { priority: Some(65_536), ..job() }, "job.priority"),
        (wire::JobSpec { run_time: Some(far), ..job() }, "job.run_time"),
        (wire::JobSpec { max_attempts: Some(0), ..job() }, "job.max_attempts"),
        (wire::JobSpec { max_attempts: Some(1001), ..job() }, "job.max_attempts"),
        (backoff(wire::Backoff { initial: Some(seconds(-1)), ..Default::default() }), "job.backoff.initial"),
        (
            backoff(wire::Backoff { multiplier_percent: Some(99), ..Default::default() }),
            "job.backoff.multiplier_percent",
        ),
        (backoff(wire::Backoff { jitter_percent: Some(101), ..Default::default() }), "job.backoff.jitter_percent"),
        (
            wire::JobSpec {
                retention: Some(wire::Retention { dead: Some(seconds(367 * DAY_SECONDS)), ..Default::default() }),
                ..job()
            },
            "job.retention.dead",
        ),
        (wire::JobSpec { timeout: Some(seconds(0)), ..job() }, "job.timeout"),
        (wire::JobSpec { timeout: Some(seconds(-5)), ..job() }, "job.timeout"),
        (wire::JobSpec { unique: unique(""), ..job() }, "job.unique.key"),
        (wire::JobSpec { unique: unique("a\0"), ..job() }, "job.unique.key"),
        (wire::JobSpec { metadata: pairs(&[("a b", "c")]), ..job() }, "job.metadata"),
        (wire::JobSpec { metadata: pairs(&[("a", &"v".repeat(4096))]), ..job() }, "job.metadata"),
        (bound_job("q", &[("b", 0)]), "job.bindings[0].cost"),
        (bound_job("q", &[("b", LIMIT + 1)]), "job.bindings[0].cost"),
        (bound_job("q", &[("b c", 1)]), "job.bindings[0].budget"),
        (bound_job("q", &too_many), "job.bindings"),
    ] {
        enqueue(&mut calls, spec, field).await;
    }
    let none = wire::EnqueueRequest { job: None, request_id: String::new() };
    assert_invalid(calls.jobs.enqueue(none).await, "job");
    let request_id = "r".repeat(129);
    assert_invalid(calls.jobs.enqueue(wire::EnqueueRequest { job: Some(job()), request_id }).await, "request_id");
    calls.enqueue(wire::JobSpec { payload: binary(1 << 20), ..job() }).await;
    assert_eq!(calls.count(wire::JobFilter::default()).await, 1);
}

#[tokio::test]
async fn a_batch_of_one_too_many_is_refused() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let jobs = vec![job_in("q"); 10_001];
    let batch = |jobs| wire::BatchEnqueueRequest { jobs, request_id: String::new() };
    assert_invalid(calls.jobs.batch_enqueue(batch(jobs.clone())).await, "jobs");
    assert_eq!(calls.count(wire::JobFilter::default()).await, 0);
    assert_eq!(calls.enqueue_all(jobs[1..].to_vec()).await.len(), 10_000);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused_by_the_transport() {
    let server = Server::with_flags(&["--max-payload-bytes=16MiB"]).await;
    let mut calls = server.calls().await;
    let payload = Some(Payload::Binary(vec![0; 16 << 20].into()));
    let job = wire::JobSpec { payload, ..job_in("q") };
    calls.enqueue(job.clone()).await;
    let two = wire::BatchEnqueueRequest { jobs: vec![job; 2], request_id: String::new() };
    let status = calls.jobs.batch_enqueue(two).await.expect_err("more than 32 MiB");
    assert_eq!(status.code(), Code::OutOfRange, "{status:?}");
    server.calls().await.assert_serving().await;
}

#[tokio::test]
async fn headers_that_are_too_large_are_refused_by_name() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let count = |header_bytes: usize| {
        let mut request = tonic::Request::new(wire::CountJobsRequest { filter: None });
        let value = "v".repeat(header_bytes).parse().expect("plain text");
        request.metadata_mut().insert("x-large", value);
        request
    };
    calls.jobs.count_jobs(count(15 << 10)).await.expect("headers of 16 KiB are taken");
    for bytes in [17 << 10, 60 << 10] {
        assert_invalid(calls.jobs.count_jobs(count(bytes)).await, "headers");
        calls.assert_serving().await;
    }
    // Beyond that nobody reads them.
    calls.jobs.count_jobs(count(100 << 10)).await.expect_err("far too large");
    calls.assert_serving().await;
}

#[tokio::test]
async fn bytes_that_are_no_protobuf_are_refused() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let garbage = Bytes::from_static(&[0xff; 64]);
    for method in [
        "/sluicegate.v1.BudgetService/CreateBudget",
        "/sluicegate.v1.JobService/Enqueue",
        "/sluicegate.v1.JobService/Dispatch",
        "/sluicegate.v1.JobService/SettleJobs",
        "/sluicegate.v1.QueueService/ListQueues",
    ] {
        let status = call_with(server.channel().await, method, garbage.clone()).await.expect_err("garbage");
        assert!([Code::Internal, Code::InvalidArgument].contains(&status.code()), "{method}: {status:?}");
        calls.assert_serving().await;
    }
    let unknown = call_with(server.channel().await, "/sluicegate.v1.JobService/NoSuchCall", Bytes::new()).await;
    assert_eq!(unknown.expect_err("no such call").code(), Code::Unimplemented);
    // Text that isn't UTF-8.
    let key = Bytes::from_static(&[0x0a, 0x02, 0xc3, 0x28]);
    let status =
        call_with(server.channel().await, "/sluicegate.v1.BudgetService/GetBudget", key).await.expect_err("no UTF-8");
    assert!([Code::Internal, Code::InvalidArgument].contains(&status.code()), "{status:?}");
    calls.assert_serving().await;
}

#[tokio::test]
async fn what_isnt_http2_ends_the_connection_and_nothing_else() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let tls_hello = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        &tls_hello.repeat(10),
        &[0; 1000],
        &[0xff; 100_000],
    ] {
        let mut connection = TcpStream::connect(server.address()).await.expect("a connection");
        // The server may hang up before all of it is written.
        let _ = connection.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = within("the connection's end", connection.read_to_end(&mut answer)).await;
        calls.assert_serving().await;
    }
    let mut connections = Vec::new();
    for _ in 0..200 {
        connections.push(TcpStream::connect(server.address()).await.expect("a connection"));
    }
    server.calls().await.assert_serving().await;
}

#[tokio::test]
async fn costs_of_settlements_have_bounds_too() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("b", time_based(LIMIT, Duration::from_secs(3600), None)).await;
    calls.enqueue(bound_job("q", &[("b", LIMIT)])).await;
    let lease = calls.lease_one("w", "q").await;
    let used = |cost| wire::SettleOutcome {
        usage: vec![wire::BudgetUsage { budget: "b".into(), cost }],
        ..crate::support::calls::success(&lease)
    };
    for cost in [LIMIT + 1, u64::MAX] {
        let result = calls.settle(vec![used(cost)]).await.remove(0);
        assert_eq!(result.error.expect("an error").field, "usage[0].cost");
    }
    assert_eq!(calls.settle_one(used(LIMIT)).await, wire::SettleStatus::Settled);
    let missing = calls.budgets.get_budget(wire::GetBudgetRequest { key: "none".into() }).await;
    assert_refused(missing, Code::NotFound, "BUDGET_NOT_FOUND");
}
