//! Values at and beyond the ends of what can be written: each is answered, most with the field that is wrong.

use prost::Message;
use tonic::{Code, Status};

use crate::guarded::Guarded;
use crate::support::calls::{binding, bound_job, job_in, lease_request, of_queue, success, while_in_flight};
use crate::support::raw::call_with;
use crate::support::refusal::Refusal;
use crate::support::stream::{Stream, hello};
use crate::support::wire::budget_policy::{ReserveAfter, Strategy};
use crate::support::wire::settle_outcome::Outcome;
use crate::support::wire::{self, job_spec::Payload};
use crate::support::within;

type Answer<T> = Result<tonic::Response<T>, Status>;

const LIMIT: u64 = 1_000_000_000_000;

/// Spans that no clock has.
fn spans() -> Vec<prost_types::Duration> {
    let span = |seconds, nanos| prost_types::Duration { seconds, nanos };
    vec![
        span(i64::MAX, i32::MAX),
        span(i64::MIN, i32::MIN),
        span(i64::MAX, 0),
        span(i64::MIN, 0),
        span(0, i32::MAX),
        span(0, i32::MIN),
        span(1, -1),
        span(-1, 1),
        span(u32::MAX.into(), 999_999_999),
    ]
}

/// Instants that no clock has.
fn instants() -> Vec<prost_types::Timestamp> {
    spans().into_iter().map(|span| prost_types::Timestamp { seconds: span.seconds, nanos: span.nanos }).collect()
}

/// Checks that a refusal is one of the contract's own.
fn refused<T: std::fmt::Debug>(what: &str, answer: Answer<T>) {
    let status = answer.expect_err(what);
    let refusal = Refusal::of(&status);
    assert_eq!((refusal.code, refusal.reason.as_str()), (Code::InvalidArgument, "INVALID_FIELD"), "{what}: {status:?}");
}

pub async fn numbers_at_the_end_of_their_type_are_refused_by_name() {
    let mut guarded = Guarded::start().await;
    let calls = &mut guarded.calls;
    let good = || while_in_flight(1);
    let rate = |allocation, duration, burst| wire::BudgetPolicy {
        allocation,
        strategy: Some(Strategy::TimeBased(wire::TimeBased { duration, burst })),
        reserve_after: None,
    };
    let second = prost_types::Duration { seconds: 1, nanos: 0 };
    let mut policies =
        vec![while_in_flight(u64::MAX), rate(u64::MAX, Some(second), None), rate(1, Some(second), Some(u64::MAX))];
    for span in spans() {
        policies.push(rate(1, Some(span), None));
        policies.push(wire::BudgetPolicy { reserve_after: Some(ReserveAfter::After(span)), ..good() });
    }
    for policy in policies {
        let what = format!("{policy:?}");
        let is_long = what.contains(&u32::MAX.to_string());
        let key = "p".to_owned();
        let answer = calls.budgets.create_budget(wire::CreateBudgetRequest { key, policy: Some(policy) }).await;
        assert!(answer.is_err(), "{what}");
        if !is_long {
            refused(&what, answer);
        }
    }
    for page_size in [1001, u32::MAX] {
        let request = wire::ListBudgetsRequest { page_size, ..Default::default() };
        refused("page_size", calls.budgets.list_budgets(request).await);
        let request = wire::ListQueuesRequest { page_size, ..Default::default() };
        refused("page_size", calls.queues.list_queues(request).await);
        let request = wire::ListJobsRequest { page_size, ..Default::default() };
        refused("page_size", calls.jobs.list_jobs(request).await);
    }
    guarded.ends_as_it_began().await;
}

/// Jobs each of which has one value too many.
fn jobs() -> Vec<wire::JobSpec> {
    let job = || job_in("q");
    let mut jobs = vec![
        wire::JobSpec { priority: Some(u32::MAX), ..job() },
        wire::JobSpec { max_attempts: Some(u32::MAX), ..job() },
        bound_job("q", &[("b", u64::MAX)]),
        bound_job("q", &[("b", LIMIT + 1)]),
        bound_job(&"q".repeat(129), &[]),
        wire::JobSpec { r#type: "t".repeat(1 << 20), ..job() },
        wire::JobSpec { bindings: (0..17).map(|n| binding(&format!("b{n}"), 1)).collect(), ..job() },
        wire::JobSpec { bindings: vec![binding("b", 1); 10_000], ..job() },
        wire::JobSpec { bindings: vec![binding(&"b".repeat(129), 1)], ..job() },
        wire::JobSpec { metadata: (0..5000).map(|n| (format!("k{n}"), String::new())).collect(), ..job() },
        wire::JobSpec { metadata: [("k".repeat(1 << 20), String::new())].into(), ..job() },
        wire::JobSpec { metadata: [("k".to_owned(), "v".repeat(4097))].into(), ..job() },
        wire::JobSpec { unique: Some(wire::UniqueKey { key: "u".repeat(257), scope: 1 }), ..job() },
        wire::JobSpec { unique: Some(wire::UniqueKey { key: "u".to_owned(), scope: i32::MAX }), ..job() },
        wire::JobSpec {
            backoff: Some(wire::Backoff { multiplier_percent: Some(u32::MAX), ..Default::default() }),
            ..job()
        },
        wire::JobSpec {
            backoff: Some(wire::Backoff { jitter_percent: Some(u32::MAX), ..Default::default() }),
            ..job()
        },
    ];
    for span in spans() {
        let retention = |kept| Some(wire::Retention { completed: Some(kept), dead: None, cancelled: None });
        jobs.push(wire::JobSpec { timeout: Some(span), ..job() });
        jobs.push(wire::JobSpec { retention: retention(span), ..job() });
        jobs.push(wire::JobSpec {
            backoff: Some(wire::Backoff { initial: Some(span), ..Default::default() }),
            ..job()
        });
    }
    jobs.extend(
        instants()
            .into_iter()
            .filter(|at| ![-1, i64::from(u32::MAX)].contains(&at.seconds))
            .map(|at| wire::JobSpec { run_time: Some(at), ..job() }),
    );
    jobs
}

pub async fn jobs_with_one_value_too_many_are_refused_by_name() {
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(LIMIT)).await;
    for job in jobs() {
        let what = format!("{:.300}", format!("{job:?}"));
        let request = wire::EnqueueRequest { job: Some(job), request_id: String::new() };
        refused(&what, guarded.calls.jobs.enqueue(request).await);
    }
    for request_id in ["r".repeat(129), "r".repeat(1 << 20)] {
        let request = wire::EnqueueRequest { job: Some(job_in("q")), request_id };
        refused("request_id", guarded.calls.jobs.enqueue(request).await);
    }
    guarded.ends_as_it_began().await;
}

/// JSON in JSON in JSON.
fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

pub async fn what_is_deep_is_taken_or_refused_and_overflows_nothing() {
    let mut guarded = Guarded::start().await;
    let mut taken = 0;
    for depth in [1, 100, 127, 128, 129, 1000, 100_000, 500_000] {
        let job = wire::JobSpec { payload: Some(Payload::Json(nested(depth))), ..job_in("q") };
        let request = wire::EnqueueRequest { job: Some(job), request_id: String::new() };
        match guarded.calls.jobs.enqueue(request).await {
            Ok(_) => taken += 1,
            refusal => refused("json", refusal),
        }
    }
    assert!(taken >= 2, "what is usual is taken");
    // Messages in messages, of groups and of fields that nobody knows.
    for depth in [10, 99, 101, 1000, 20_000] {
        let groups = [vec![0x0b; depth], vec![0x0c; depth]].concat();
        let mut messages = Vec::new();
        for _ in 0..depth {
            let mut outer = vec![0x0a];
            prost::encoding::encode_varint(messages.len() as u64, &mut outer);
            outer.extend(messages);
            messages = outer;
        }
        for bytes in [groups, messages] {
            let answer =
                call_with(guarded.server.channel().await, "/sluicegate.v1.JobService/Enqueue", bytes.into()).await;
            let code = answer.expect_err("it names no queue").code();
            assert!([Code::Internal, Code::InvalidArgument].contains(&code), "{code:?}");
        }
    }
    assert_eq!(guarded.work_off("q").await.len(), taken);
    guarded.ends_as_it_began().await;
}

pub async fn workers_that_ask_for_too_much_are_refused_by_name() {
    let mut guarded = Guarded::start().await;
    let good = || hello("w", "q", 1);
    let window = |max_jobs, max_bytes| Some(wire::Window { max_jobs, max_bytes });
    let mut hellos = vec![
        wire::WorkerHello { worker_id: "w".repeat(129), ..good() },
        wire::WorkerHello { worker_id: "w".repeat(1 << 20), ..good() },
        wire::WorkerHello { queues: vec![wire::WorkerQueue { name: "q".repeat(129) }], ..good() },
        wire::WorkerHello {
            queues: (0..100_000).map(|n| wire::WorkerQueue { name: n.to_string() }).collect(),
            ..good()
        },
        wire::WorkerHello { window: window(u64::MAX, 0), ..good() },
        wire::WorkerHello { window: window(1, u64::MAX), ..good() },
        wire::WorkerHello { max_message_bytes: u32::MAX, ..good() },
        wire::WorkerHello {
            client: Some(wire::ClientInfo { name: "n".repeat(1 << 20), version: String::new() }),
            ..good()
        },
    ];
    for span in spans() {
        hellos.push(wire::WorkerHello { lease_duration: Some(span), ..good() });
        hellos.push(wire::WorkerHello { ping_interval: Some(span), ..good() });
    }
    for hello in hellos {
        let what = format!("{:.200}", format!("{hello:?}"));
        let mut stream = Stream::say_hello(&guarded.calls, hello).await;
        refused::<()>(&what, within("an end", stream.end()).await.map(tonic::Response::new));
    }
    let mut requests = vec![
        wire::LeaseJobsRequest { max_jobs: u32::MAX, ..lease_request("w", "q", 1) },
        wire::LeaseJobsRequest { max_bytes: u64::MAX, ..lease_request("w", "q", 1) },
        wire::LeaseJobsRequest { request_id: "r".repeat(129), ..lease_request("w", "q", 1) },
    ];
    requests.extend(
        spans().into_iter().map(|span| wire::LeaseJobsRequest { wait: Some(span), ..lease_request("w", "q", 1) }),
    );
    for request in requests {
        refused("a lease", guarded.calls.jobs.lease_jobs(request).await);
    }
    guarded.ends_as_it_began().await;
}

pub async fn outcomes_that_say_too_much_are_invalid_one_by_one() {
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(5)).await;
    guarded.calls.enqueue(bound_job("q", &[("b", 1)])).await;
    let lease = guarded.calls.lease_one("w", "q").await;
    let usage = |budget: &str, cost| wire::BudgetUsage { budget: budget.to_owned(), cost };
    let throttle = |retry_after| wire::BudgetThrottle { budget: "b".to_owned(), retry_after };
    let with = |outcome| wire::SettleOutcome { outcome: Some(outcome), ..success(&lease) };
    let mut outcomes = vec![
        wire::SettleOutcome { lease_id: String::new(), ..success(&lease) },
        wire::SettleOutcome { usage: vec![usage("b", u64::MAX)], ..success(&lease) },
        wire::SettleOutcome { usage: vec![usage("b", 1); 17], ..success(&lease) },
        wire::SettleOutcome { usage: vec![usage(&"b".repeat(1 << 16), 1)], ..success(&lease) },
        wire::SettleOutcome { throttled: vec![throttle(None)], ..success(&lease) },
        with(Outcome::Success(wire::JobSuccess { result: vec![0; (64 << 10) + 1].into() })),
        wire::SettleOutcome { outcome: None, ..success(&lease) },
    ];
    for span in spans() {
        outcomes.push(wire::SettleOutcome { throttled: vec![throttle(Some(span))], ..success(&lease) });
        outcomes.push(with(Outcome::Release(wire::JobRelease { delay: Some(span) })));
        outcomes.push(with(Outcome::Failure(wire::JobFailure { retry_after: Some(span), ..Default::default() })));
    }
    let count = outcomes.len();
    let long = Outcome::Failure(wire::JobFailure { error: "ä".repeat(1 << 19), ..Default::default() });
    outcomes.extend([with(long), success(&"x".repeat(1 << 20))]);
    let results = guarded.calls.settle(outcomes).await;
    for (n, result) in results[..count].iter().enumerate() {
        assert_eq!(result.status(), wire::SettleStatus::Invalid, "{n}: {result:?}");
        assert!(result.error.as_ref().is_some_and(|error| !error.field.is_empty()), "{n}: {result:?}");
    }
    assert_eq!(results[count].status(), wire::SettleStatus::Settled, "the first valid one counts");
    assert_eq!(results[count + 1].status(), wire::SettleStatus::Gone);
    assert!(results.iter().map(Message::encoded_len).sum::<usize>() < 64 << 10, "nothing large is echoed");
    let filter = Some(of_queue("q"));
    guarded.calls.jobs.delete_jobs(wire::DeleteJobsRequest { filter, validate_only: false }).await.expect("it waits");
    guarded.ends_as_it_began().await;
}
