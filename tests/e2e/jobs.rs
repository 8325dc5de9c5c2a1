//! JobService without workers: what is enqueued, shown, counted and refused.

use std::time::{Duration, SystemTime};

use tonic::Code;

use crate::support::calls::{
    binding, bound_job, job_in, kept, of_queue, of_state, seconds, success, time_based, while_in_flight,
};
use crate::support::refusal::{assert_invalid, assert_refused};
use crate::support::server::Server;
use crate::support::wire::{self, JobState, job_spec::Payload};

fn enqueue(job: wire::JobSpec) -> wire::EnqueueRequest {
    wire::EnqueueRequest { job: Some(job), request_id: String::new() }
}

fn batch(jobs: Vec<wire::JobSpec>) -> wire::BatchEnqueueRequest {
    wire::BatchEnqueueRequest { jobs, request_id: String::new() }
}

fn get(id: &str) -> wire::GetJobRequest {
    wire::GetJobRequest { job_id: id.to_owned(), view: 0 }
}

#[tokio::test]
async fn a_job_is_shown_as_it_was_asked_for() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(5)).await;
    let metadata = [("traceparent".to_owned(), "00-1".to_owned())];
    let spec = wire::JobSpec {
        r#type: "welcome".into(),
        priority: Some(0),
        max_attempts: Some(3),
        backoff: Some(wire::Backoff {
            initial: Some(seconds(2)),
            max: Some(seconds(60)),
            multiplier_percent: Some(300),
            jitter_percent: Some(0),
        }),
        timeout: Some(seconds(9)),
        unique: Some(wire::UniqueKey { key: "k".into(), scope: wire::UniqueScope::Retained.into() }),
        metadata: metadata.into(),
        payload: Some(Payload::Json(r#"{ "to":1 }"#.into())),
        ..kept(bound_job("emails", &[("db", 2)]))
    };
    let id = calls.enqueue(spec.clone()).await;

    let shown = calls.job(&id).await;
    assert_eq!(shown.spec, Some(spec.clone()), "payload as it was written, nothing filled in that was set");
    assert_eq!((shown.state(), shown.attempts, shown.lease, shown.finish_time), (JobState::Ready, 0, None, None));
    assert_eq!(shown.ready_time, shown.create_time);
    assert_eq!(shown.body_bytes, 10 + 11 + 4);

    let request = wire::GetJobRequest { view: wire::JobView::Basic.into(), ..get(&id) };
    let basic = calls.jobs.get_job(request).await.expect("a job").into_inner().job.expect("a job");
    assert_eq!(basic.spec, Some(wire::JobSpec { payload: None, metadata: [].into(), ..spec }));

    for id in ["", "nonsense", &id.replace('0', "1")] {
        let answer = calls.jobs.get_job(get(id)).await;
        if id.is_empty() {
            assert_invalid(answer, "job_id");
        } else {
            assert_eq!(assert_refused(answer, Code::NotFound, "JOB_NOT_FOUND").fact("job_id"), id);
        }
    }
}

#[tokio::test]
async fn a_unique_key_is_held_by_one_job() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let unique = Some(wire::UniqueKey { key: "once".into(), scope: 0 });
    let first = calls.enqueue(wire::JobSpec { unique: unique.clone(), ..job_in("q") }).await;
    let create_with = wire::Binding { create_with: Some(while_in_flight(1)), ..binding("new", 1) };
    let second = wire::JobSpec { unique: unique.clone(), bindings: vec![create_with], ..job_in("other") };
    let answer = calls.jobs.enqueue(enqueue(second)).await.expect("an answer").into_inner();
    assert!(answer.existing);
    assert_eq!(answer.job.expect("a job").id, first);
    let none = calls.budgets.get_budget(wire::GetBudgetRequest { key: "new".into() }).await;
    assert_refused(none, Code::NotFound, "BUDGET_NOT_FOUND");

    let lease = calls.lease_one("w", "q").await;
    calls.settle_one(success(&lease)).await;
    assert_ne!(calls.enqueue(wire::JobSpec { unique, ..job_in("q") }).await, first, "the key is free again");
}

#[tokio::test]
async fn bindings_are_checked_at_the_door() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(5)).await;

    let missing = calls.jobs.enqueue(enqueue(bound_job("q", &[("db", 1), ("none", 1)]))).await;
    let refusal = assert_refused(missing, Code::FailedPrecondition, "BUDGET_NOT_FOUND");
    assert_eq!(
        (refusal.fact("budget"), refusal.fields.as_slice()),
        ("none", &["job.bindings[1].budget".to_owned()][..])
    );

    let too_dear = calls.jobs.enqueue(enqueue(bound_job("q", &[("db", 6)]))).await;
    let refusal = assert_refused(too_dear, Code::FailedPrecondition, "COST_EXCEEDS_CAPACITY");
    assert_eq!(["budget", "cost", "capacity"].map(|name| refusal.fact(name)), ["db", "6", "5"]);
    assert_eq!(refusal.fields, ["job.bindings[0].cost"]);

    let twice = calls.jobs.enqueue(enqueue(bound_job("q", &[("db", 1), ("db", 1)]))).await;
    assert_invalid(twice, "job.bindings[1].budget");

    let create_with = |cost, policy| wire::Binding { create_with: Some(policy), ..binding("new", cost) };
    let with = |bindings| wire::JobSpec { bindings, ..job_in("q") };
    let too_dear = calls.jobs.enqueue(enqueue(with(vec![create_with(3, while_in_flight(2))]))).await;
    assert_refused(too_dear, Code::FailedPrecondition, "COST_EXCEEDS_CAPACITY");
    let batched =
        batch(vec![with(vec![create_with(2, while_in_flight(2))]), with(vec![create_with(1, while_in_flight(9))])]);
    calls.jobs.batch_enqueue(batched).await.expect("the first in order wins");
    assert_eq!(calls.budget("new").await.policy, Some(while_in_flight(2)));
    assert_eq!(calls.count(wire::JobFilter::default()).await, 2, "what was refused isn't there");
}

#[tokio::test]
async fn a_batch_is_all_or_nothing() {
    let server = Server::with_flags(&["--max-jobs=12"]).await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(5)).await;
    let mut jobs: Vec<_> = (0..10).map(|_| job_in("q")).collect();
    jobs[3] = bound_job("q", &[("db", 6)]);
    let refusal = assert_refused(
        calls.jobs.batch_enqueue(batch(jobs.clone())).await,
        Code::FailedPrecondition,
        "COST_EXCEEDS_CAPACITY",
    );
    assert_eq!(refusal.fields, ["jobs[3].bindings[0].cost"]);
    assert_eq!(calls.count(of_queue("q")).await, 0);
    jobs[3] = wire::JobSpec { payload: Some(Payload::Json("{".into())), ..job_in("q") };
    assert_invalid(calls.jobs.batch_enqueue(batch(jobs.clone())).await, "jobs[3].json");
    assert_invalid(calls.jobs.batch_enqueue(batch(Vec::new())).await, "jobs");

    jobs[3] = job_in("q");
    let ids = calls.enqueue_all(jobs.clone()).await;
    assert!(ids.is_sorted(), "ids sort in the order of enqueue");
    let overloaded = assert_refused(calls.jobs.batch_enqueue(batch(jobs)).await, Code::ResourceExhausted, "OVERLOADED");
    assert_eq!(overloaded.fact("limit"), "12");
    assert!(!overloaded.has_retry, "waiting alone doesn't help");
    assert_eq!(calls.count(of_queue("q")).await, 10);
}

#[tokio::test]
async fn a_repeated_request_is_answered_again_also_after_a_crash() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    let one = wire::EnqueueRequest { job: Some(kept(job_in("q"))), request_id: "one".into() };
    let many = wire::BatchEnqueueRequest { jobs: vec![job_in("r"), job_in("r")], request_id: "many".into() };
    let first = calls.jobs.enqueue(one.clone()).await.expect("an answer").into_inner().job.expect("a job").id;
    let firsts = calls.jobs.batch_enqueue(many.clone()).await.expect("an answer").into_inner().jobs;

    for crash in [false, true] {
        if crash {
            server.crash().await;
            calls = server.calls().await;
        }
        let other = wire::EnqueueRequest { job: Some(job_in("elsewhere")), ..one.clone() };
        let again = calls.jobs.enqueue(other).await.expect("an answer").into_inner();
        assert_eq!(again.job.expect("a job").id, first);
        let again = calls.jobs.batch_enqueue(many.clone()).await.expect("an answer").into_inner().jobs;
        assert_eq!(again, firsts);
        assert_eq!(calls.count(wire::JobFilter::default()).await, 3);
    }
    // A refusal is not kept: the same id may be used for what is right.
    let refused = wire::EnqueueRequest { job: Some(job_in("a b")), request_id: "third".into() };
    assert_invalid(calls.jobs.enqueue(refused.clone()).await, "job.queue");
    let right = wire::EnqueueRequest { job: Some(job_in("ab")), ..refused };
    calls.jobs.enqueue(right).await.expect("an answer");
}

#[tokio::test]
async fn jobs_are_selected_counted_and_paged() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(5)).await;
    let later = SystemTime::now() + Duration::from_secs(3600);
    let a = wire::JobSpec { r#type: "t".into(), priority: Some(7), ..job_in("a") };
    let b = bound_job("b", &[("db", 1)]);
    let c = wire::JobSpec { run_time: Some(later.into()), ..job_in("c") };
    let mut ids = calls.enqueue_all(vec![a, b, c]).await;
    let all = wire::JobFilter::default;
    let state = |state: JobState| wire::JobFilter { states: vec![state.into()], ..all() };
    let filters = [
        (all(), vec![0, 1, 2]),
        (wire::JobFilter { all: true, ..all() }, vec![0, 1, 2]),
        (wire::JobFilter { queues: vec!["a".into(), "c".into()], ..all() }, vec![0, 2]),
        (wire::JobFilter { types: vec!["t".into()], ..all() }, vec![0]),
        (wire::JobFilter { types: vec![String::new()], ..all() }, vec![1, 2]),
        (state(JobState::Scheduled), vec![2]),
        (state(JobState::Ready), vec![0, 1]),
        (wire::JobFilter { budgets: vec!["db".into(), "none".into()], ..all() }, vec![1]),
        (wire::JobFilter { priority_max: Some(7), ..all() }, vec![0]),
        (wire::JobFilter { priority_min: Some(8), ..all() }, vec![1, 2]),
        (wire::JobFilter { run_from: Some(later.into()), ..all() }, vec![2]),
        (wire::JobFilter { ids: Some(wire::JobIds { ids: vec![ids[1].clone(), "x".into()] }), ..all() }, vec![1]),
        (wire::JobFilter { ids: Some(wire::JobIds::default()), ..all() }, vec![]),
        (wire::JobFilter { queues: vec!["a".into()], ..state(JobState::Scheduled) }, vec![]),
    ];
    for (filter, expected) in filters {
        assert_eq!(calls.count(filter.clone()).await, expected.len() as u64, "{filter:?}");
        let request = wire::ListJobsRequest { filter: Some(filter.clone()), ..Default::default() };
        let listed = calls.jobs.list_jobs(request).await.expect("a page").into_inner();
        let listed: Vec<_> = listed.jobs.into_iter().map(|job| job.id).collect();
        assert_eq!(listed, expected.iter().map(|&at: &usize| ids[at].clone()).collect::<Vec<_>>(), "{filter:?}");
    }

    ids.extend(calls.enqueue_all((0..20).map(|_| job_in("d")).collect()).await);
    let mut request = wire::ListJobsRequest { page_size: 10, ..Default::default() };
    let mut listed = Vec::new();
    loop {
        let page = calls.jobs.list_jobs(request.clone()).await.expect("a page").into_inner();
        listed.extend(page.jobs.into_iter().map(|job| job.id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(listed, ids);
    let other = wire::ListJobsRequest { filter: Some(of_queue("d")), ..request };
    assert_invalid(calls.jobs.list_jobs(other).await, "page_token");
}

#[tokio::test]
async fn a_page_of_payloads_stays_small() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let payload = Some(Payload::Binary(vec![7; 700 << 10].into()));
    for _ in 0..4 {
        calls.enqueue(wire::JobSpec { payload: payload.clone(), ..job_in("q") }).await;
    }
    let request = wire::ListJobsRequest { view: wire::JobView::Full.into(), ..Default::default() };
    let page = calls.jobs.list_jobs(request).await.expect("a page").into_inner();
    assert_eq!(page.jobs.len(), 2, "2 MiB hold two of them");
    assert!(!page.next_page_token.is_empty());
}

#[tokio::test]
async fn a_filter_that_cant_be_meant_is_refused() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let all = wire::JobFilter::default;
    let now = prost_types::Timestamp { seconds: 1_800_000_000, nanos: 0 };
    let many = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    for (filter, field) in [
        (wire::JobFilter { states: vec![0], ..all() }, "filter.states[0]"),
        (wire::JobFilter { states: vec![1, 99], ..all() }, "filter.states[1]"),
        (wire::JobFilter { priority_min: Some(65_536), ..all() }, "filter.priority_min"),
        (wire::JobFilter { priority_min: Some(2), priority_max: Some(1), ..all() }, "filter.priority_max"),
        (wire::JobFilter { created_from: Some(now), created_until: Some(now), ..all() }, "filter.created_until"),
        (wire::JobFilter { all: true, ..of_queue("q") }, "filter.all"),
        (wire::JobFilter { queues: many(101), ..all() }, "filter.queues"),
        (wire::JobFilter { ids: Some(wire::JobIds { ids: many(10_001) }), ..all() }, "filter.ids.ids"),
    ] {
        let request = wire::CountJobsRequest { filter: Some(filter) };
        assert_invalid(calls.jobs.count_jobs(request).await, field);
    }
}

#[tokio::test]
async fn queues_show_their_depth() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("rate", time_based(1, Duration::from_secs(3600), None)).await;
    calls.enqueue_all(vec![kept(job_in("a")), kept(job_in("a")), bound_job("b", &[("rate", 1)]), job_in("c")]).await;
    let lease = calls.lease_one("w", "a").await;
    calls.settle_one(success(&lease)).await;
    let list = |page_size, page_token| wire::ListQueuesRequest { page_size, page_token };
    let page = calls.queues.list_queues(list(2, String::new())).await.expect("a page").into_inner();
    let depth = |queue: &wire::Queue| (queue.name.clone(), queue.ready, queue.completed, queue.in_flight);
    assert_eq!(page.queues.iter().map(depth).collect::<Vec<_>>(), [("a".into(), 1, 1, 0), ("b".into(), 1, 0, 0)]);
    assert!(page.queues[0].oldest_ready_age.is_some());
    let rest = calls.queues.list_queues(list(2, page.next_page_token)).await.expect("a page").into_inner();
    assert_eq!(rest.queues.iter().map(depth).collect::<Vec<_>>(), [("c".into(), 1, 0, 0)]);
    assert!(rest.next_page_token.is_empty());
    assert_eq!(calls.count(of_state("a", JobState::Completed)).await, 1);
}
