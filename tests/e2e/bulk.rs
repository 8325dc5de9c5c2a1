//! Changes over a selection of jobs: cancelling, retrying, deleting, updating and rebinding.

use tonic::Code;

use crate::support::calls::{binding, bound_job, job_in, kept, lease_id, of_queue, outcome, success, while_in_flight};
use crate::support::refusal::{assert_invalid, assert_refused};
use crate::support::server::Server;
use crate::support::stream::{Stream, hello};
use crate::support::wire::binding_operation::Operation;
use crate::support::wire::settle_outcome::Outcome;
use crate::support::wire::{self, JobState, RevokeReason, SettleStatus};

fn bulk(queue: &str, operation: Operation) -> wire::BulkModifyBindingsRequest {
    let operation = Some(wire::BindingOperation { operation: Some(operation) });
    wire::BulkModifyBindingsRequest { filter: Some(of_queue(queue)), operation, validate_only: false }
}

#[tokio::test]
async fn cancelling_ends_what_waits_and_asks_for_what_is_in_flight() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(2)).await;
    let ids = calls.enqueue_all(vec![kept(bound_job("q", &[("db", 1)])); 3]).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 9)).await;
    let leases: Vec<_> = stream.jobs(2).await.iter().map(lease_id).collect();

    let request = wire::CancelJobsRequest { filter: Some(of_queue("q")), ..Default::default() };
    let dry = wire::CancelJobsRequest { validate_only: true, ..request.clone() };
    for request in [dry, request] {
        let answer = calls.jobs.cancel_jobs(request).await.expect("an answer").into_inner();
        assert_eq!((answer.changed, answer.blocked, answer.blocked_count), (3, ids[..2].to_vec(), 2));
    }
    let mut asked = Vec::new();
    while asked.len() < 2 {
        let (leases, reason) = stream.revoked().await;
        assert_eq!(reason, RevokeReason::CancelRequested);
        asked.extend(leases);
    }
    assert_eq!(asked, leases);
    assert_eq!(calls.job_state(&ids[2]).await, JobState::Cancelled);
    let failed = outcome(&leases[0], Outcome::Failure(wire::JobFailure::default()));
    stream.settle(vec![failed]).await;
    assert_eq!(calls.job_state(&ids[0]).await, JobState::Cancelled, "anything but success");

    let force = wire::CancelJobsRequest { filter: Some(of_queue("q")), force: true, validate_only: false };
    assert_eq!(calls.jobs.cancel_jobs(force).await.expect("an answer").into_inner().changed, 1);
    assert_eq!(stream.revoked().await, (vec![leases[1].clone()], RevokeReason::ForceCancelled));
    assert_eq!(calls.settle_one(success(&leases[1])).await, SettleStatus::Lost);
    assert_eq!(calls.budget_status("db").await.available, 2);

    let retry = wire::RetryJobsRequest { filter: Some(of_queue("q")), validate_only: false };
    assert_eq!(calls.jobs.retry_jobs(retry).await.expect("an answer").into_inner().changed, 3);
    assert_eq!(stream.jobs(2).await.len(), 2, "they are ready again");
    let delete = wire::DeleteJobsRequest { filter: Some(of_queue("q")), validate_only: false };
    let answer = calls.jobs.delete_jobs(delete).await.expect("an answer").into_inner();
    assert_eq!((answer.changed, answer.blocked_count), (1, 2));
    assert_eq!(calls.count(of_queue("q")).await, 2);
}

#[tokio::test]
async fn an_update_changes_what_it_names_of_all_that_wait() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = calls.enqueue_all(vec![job_in("q"), job_in("q")]).await;
    let paths = vec!["priority".to_owned(), "queue".to_owned()];
    let request = wire::UpdateJobsRequest {
        filter: Some(of_queue("q")),
        job: Some(wire::JobSpec { priority: Some(1), ..job_in("r") }),
        update_mask: Some(prost_types::FieldMask { paths }),
        validate_only: false,
    };
    assert_eq!(calls.jobs.update_jobs(request).await.expect("an answer").into_inner().changed, 2);
    let spec = calls.job(&ids[1]).await.spec.expect("a spec");
    assert_eq!((spec.queue.as_str(), spec.priority()), ("r", 1));
    calls.lease_one("w", "r").await;
}

#[tokio::test]
async fn rebinding_many_is_all_or_nothing() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("a", while_in_flight(5)).await;
    calls.create_budget("b", while_in_flight(1)).await;
    let ids = calls.enqueue_all(vec![job_in("q"), bound_job("q", &[("a", 2)]), job_in("q")]).await;
    calls.lease_one("w", "q").await;

    let answer = calls.jobs.bulk_modify_bindings(bulk("q", Operation::Bind(binding("a", 1)))).await.expect("an answer");
    let answer = answer.into_inner();
    assert_eq!((answer.changed, answer.blocked, answer.blocked_count), (1, vec![ids[0].clone()], 1));
    let dear = bulk("q", Operation::Rebind(binding("b", 2)));
    let dear = calls.jobs.bulk_modify_bindings(dear).await;
    assert_refused(dear, Code::FailedPrecondition, "COST_EXCEEDS_CAPACITY");
    let missing = calls.jobs.bulk_modify_bindings(bulk("q", Operation::Bind(binding("none", 1)))).await;
    assert_refused(missing, Code::FailedPrecondition, "BUDGET_NOT_FOUND");
    assert_eq!(calls.budget_status("a").await.bound_jobs, 2);
    assert_eq!(calls.budget_status("b").await.bound_jobs, 0);
}

#[tokio::test]
async fn nothing_is_changed_by_an_empty_filter() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let id = calls.enqueue(job_in("q")).await;
    let filter = || Some(wire::JobFilter::default());
    let cancel = |filter| wire::CancelJobsRequest { filter, ..Default::default() };
    assert_invalid(calls.jobs.cancel_jobs(cancel(filter())).await, "filter");
    assert_invalid(calls.jobs.cancel_jobs(cancel(None)).await, "filter");
    let delete = wire::DeleteJobsRequest { filter: filter(), validate_only: false };
    assert_invalid(calls.jobs.delete_jobs(delete).await, "filter");
    let retry = wire::RetryJobsRequest { filter: filter(), validate_only: false };
    assert_invalid(calls.jobs.retry_jobs(retry).await, "filter");
    let none = wire::JobFilter { ids: Some(wire::JobIds::default()), ..Default::default() };
    assert_eq!(calls.jobs.cancel_jobs(cancel(Some(none))).await.expect("an answer").into_inner().changed, 0);
    assert_eq!(calls.job_state(&id).await, JobState::Ready);
    let all = wire::JobFilter { all: true, ..Default::default() };
    assert_eq!(calls.jobs.cancel_jobs(cancel(Some(all))).await.expect("an answer").into_inner().changed, 1);
}
