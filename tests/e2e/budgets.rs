//! BudgetService: what is created, changed and refused, and that it outlives a crash.

use std::time::Duration;

use tonic::Code;

use crate::support::calls::{binding, bound_job, job_in, seconds, time_based, while_in_flight};
use crate::support::refusal::{assert_invalid, assert_refused};
use crate::support::server::Server;
use crate::support::wire::{self, budget_policy::ReserveAfter, budget_policy::Strategy};

const MINUTE: Duration = Duration::from_secs(60);

fn create(key: &str, policy: wire::BudgetPolicy) -> wire::CreateBudgetRequest {
    wire::CreateBudgetRequest { key: key.to_owned(), policy: Some(policy) }
}

fn replace(key: &str, policy: wire::BudgetPolicy) -> wire::ReplaceBudgetRequest {
    wire::ReplaceBudgetRequest { key: key.to_owned(), policy: Some(policy), ..Default::default() }
}

fn update(key: &str, policy: wire::BudgetPolicy, paths: &[&str]) -> wire::UpdateBudgetRequest {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    wire::UpdateBudgetRequest {
        key: key.to_owned(),
        policy: Some(policy),
        update_mask: Some(prost_types::FieldMask { paths }),
        etag: String::new(),
    }
}

fn delete(key: &str) -> wire::DeleteBudgetRequest {
    wire::DeleteBudgetRequest { key: key.to_owned(), ..Default::default() }
}

#[tokio::test]
async fn a_second_create_leaves_the_policy_alone() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let policy = time_based(100, MINUTE, Some(8));
    let created = calls.create_budget("smtp", policy).await;
    assert_eq!(created.policy, Some(policy));
    assert_eq!(created.status.expect("a status").available, 8, "a rate starts full");

    let again = calls.budgets.create_budget(create("smtp", while_in_flight(1))).await;
    let refusal = assert_refused(again, Code::AlreadyExists, "BUDGET_ALREADY_EXISTS");
    assert_eq!(refusal.fact("budget"), "smtp");

    let kept = calls.budget("smtp").await;
    assert_eq!((kept.policy, &kept.etag, kept.create_time), (Some(policy), &created.etag, created.create_time));

    let missing = calls.budgets.get_budget(wire::GetBudgetRequest { key: "none".into() }).await;
    assert_eq!(assert_refused(missing, Code::NotFound, "BUDGET_NOT_FOUND").fact("budget"), "none");
}

#[tokio::test]
async fn replacing_overwrites_all_but_the_create_time() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let missing = calls.budgets.replace_budget(replace("db", while_in_flight(5))).await;
    assert_refused(missing, Code::NotFound, "BUDGET_NOT_FOUND");

    let or_create = wire::ReplaceBudgetRequest { allow_missing: true, ..replace("db", while_in_flight(5)) };
    let created =
        calls.budgets.replace_budget(or_create).await.expect("created").into_inner().budget.expect("a budget");

    let stale = wire::ReplaceBudgetRequest { etag: "stale".into(), ..replace("db", while_in_flight(6)) };
    let refusal = assert_refused(calls.budgets.replace_budget(stale).await, Code::Aborted, "ETAG_MISMATCH");
    assert_eq!((refusal.fact("budget"), refusal.fact("etag")), ("db", created.etag.as_str()));

    let policy =
        wire::BudgetPolicy { reserve_after: Some(ReserveAfter::Never(wire::Never {})), ..time_based(6, MINUTE, None) };
    let fresh = wire::ReplaceBudgetRequest { etag: created.etag.clone(), ..replace("db", policy) };
    let replaced = calls.budgets.replace_budget(fresh).await.expect("replaced").into_inner().budget.expect("a budget");
    assert_eq!((replaced.policy, replaced.create_time), (Some(policy), created.create_time));
    assert_ne!(replaced.etag, created.etag);

    let same = calls.budgets.replace_budget(replace("db", policy)).await.expect("replaced").into_inner();
    assert_eq!(same.budget.expect("a budget").etag, replaced.etag, "an equal policy changes nothing");
}

#[tokio::test]
async fn an_update_changes_what_it_names() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("api", time_based(100, MINUTE, Some(8))).await;

    let only_burst = time_based(7, MINUTE * 2, Some(4));
    let updated = calls.budgets.update_budget(update("api", only_burst, &["time_based.burst"])).await.expect("updated");
    let policy = updated.into_inner().budget.expect("a budget").policy;
    assert_eq!(policy, Some(time_based(100, MINUTE, Some(4))));

    let cleared = wire::BudgetPolicy { strategy: None, ..while_in_flight(1) };
    let updated = calls.budgets.update_budget(update("api", cleared, &["time_based.burst"])).await.expect("updated");
    assert_eq!(updated.into_inner().budget.expect("a budget").status.expect("a status").capacity, 100);

    let allocation_alone = wire::BudgetPolicy { allocation: 50, strategy: None, reserve_after: None };
    let unmasked = wire::UpdateBudgetRequest { update_mask: None, ..update("api", allocation_alone, &[]) };
    let updated = calls.budgets.update_budget(unmasked).await.expect("updated").into_inner();
    assert_eq!(updated.budget.expect("a budget").policy, Some(time_based(50, MINUTE, None)));

    let switch = update("api", while_in_flight(9), &["while_in_flight"]);
    let updated = calls.budgets.update_budget(switch).await.expect("updated").into_inner();
    assert_eq!(updated.budget.expect("a budget").policy, Some(while_in_flight(50)));

    let unknown = update("api", while_in_flight(9), &["allocation", "key"]);
    assert_invalid(calls.budgets.update_budget(unknown).await, "update_mask.paths[1]");
    let incomplete = wire::TimeBased { duration: None, burst: None };
    let incomplete =
        wire::BudgetPolicy { strategy: Some(Strategy::TimeBased(incomplete)), ..wire::BudgetPolicy::default() };
    assert_invalid(
        calls.budgets.update_budget(update("api", incomplete, &["time_based"])).await,
        "policy.time_based.duration",
    );
    let missing = calls.budgets.update_budget(update("none", while_in_flight(9), &["allocation"])).await;
    assert_refused(missing, Code::NotFound, "BUDGET_NOT_FOUND");
    let stale =
        wire::UpdateBudgetRequest { etag: "stale".into(), ..update("api", while_in_flight(9), &["allocation"]) };
    assert_refused(calls.budgets.update_budget(stale).await, Code::Aborted, "ETAG_MISMATCH");
    assert_eq!(calls.budget("api").await.policy, Some(while_in_flight(50)), "refusals change nothing");
}

#[tokio::test]
async fn a_bound_budget_keeps_room_for_its_jobs() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(5)).await;
    let job = calls.enqueue(bound_job("q", &[("db", 4)])).await;

    for refused in [
        calls.budgets.replace_budget(replace("db", while_in_flight(3))).await.map(|_| tonic::Response::new(())),
        calls
            .budgets
            .update_budget(update("db", while_in_flight(3), &["allocation"]))
            .await
            .map(|_| tonic::Response::new(())),
    ] {
        let refusal = assert_refused(refused, Code::FailedPrecondition, "COST_EXCEEDS_CAPACITY");
        let facts = ["budget", "cost", "capacity", "job_ids", "total"].map(|name| refusal.fact(name));
        assert_eq!(facts, ["db", "4", "3", job.as_str(), "1"]);
    }
    let refusal =
        assert_refused(calls.budgets.delete_budget(delete("db")).await, Code::FailedPrecondition, "BUDGET_IN_USE");
    assert_eq!((refusal.fact("budget"), refusal.fact("total")), ("db", "1"));

    let lease = calls.lease_one("w", "q").await;
    let status = calls.budget_status("db").await;
    assert_eq!((status.available, status.in_flight_cost, status.in_flight_jobs, status.bound_jobs), (1, 4, 1, 1));
    calls.settle_one(crate::support::calls::success(&lease)).await;

    let etag = calls.budget("db").await.etag;
    let stale = wire::DeleteBudgetRequest { etag: "stale".into(), ..delete("db") };
    assert_refused(calls.budgets.delete_budget(stale).await, Code::Aborted, "ETAG_MISMATCH");
    let fresh = wire::DeleteBudgetRequest { etag, ..delete("db") };
    calls.budgets.delete_budget(fresh).await.expect("nothing is bound any more");
    assert_refused(calls.budgets.delete_budget(delete("db")).await, Code::NotFound, "BUDGET_NOT_FOUND");
    let content = wire::DeleteBudgetRequest { allow_missing: true, ..delete("db") };
    calls.budgets.delete_budget(content).await.expect("it need not be there");
}

#[tokio::test]
async fn budgets_come_in_pages() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    for key in ["b", "a", "C", "d:1", "c"] {
        calls.create_budget(key, while_in_flight(1)).await;
    }
    let mut keys = Vec::new();
    let mut pages = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = wire::ListBudgetsRequest { page_size: 2, page_token };
        let page = calls.budgets.list_budgets(request).await.expect("a page").into_inner();
        pages.push(page.budgets.len());
        keys.extend(page.budgets.into_iter().map(|budget| budget.key));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(keys, ["C", "a", "b", "c", "d:1"]);
    assert_eq!(pages, [2, 2, 1]);
    let list = |page_size, page_token: &str| wire::ListBudgetsRequest { page_size, page_token: page_token.to_owned() };
    assert_invalid(calls.budgets.list_budgets(list(2, "nonsense")).await, "page_token");
    assert_invalid(calls.budgets.list_budgets(list(1001, "")).await, "page_size");
}

#[tokio::test]
async fn there_are_no_more_budgets_than_the_server_may_have() {
    let server = Server::with_flags(&["--max-budgets=2"]).await;
    let mut calls = server.calls().await;
    calls.create_budget("a", while_in_flight(1)).await;
    calls.create_budget("b", while_in_flight(1)).await;

    let refusal = assert_refused(
        calls.budgets.create_budget(create("c", while_in_flight(1))).await,
        Code::ResourceExhausted,
        "BUDGET_LIMIT_REACHED",
    );
    assert_eq!(refusal.fact("limit"), "2");
    let or_create = wire::ReplaceBudgetRequest { allow_missing: true, ..replace("c", while_in_flight(1)) };
    assert_refused(calls.budgets.replace_budget(or_create).await, Code::ResourceExhausted, "BUDGET_LIMIT_REACHED");
    let create_with = wire::Binding { create_with: Some(while_in_flight(1)), ..binding("c", 1) };
    let job = wire::JobSpec { bindings: vec![create_with], ..job_in("q") };
    let enqueue = wire::EnqueueRequest { job: Some(job), request_id: String::new() };
    assert_refused(calls.jobs.enqueue(enqueue).await, Code::ResourceExhausted, "BUDGET_LIMIT_REACHED");

    calls.budgets.delete_budget(delete("a")).await.expect("deleted");
    calls.create_budget("c", while_in_flight(1)).await;
}

#[tokio::test]
async fn a_crash_keeps_policies_and_levels() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    let year = Duration::from_secs(366 * 86_400);
    calls.create_budget("rate", time_based(10, year, None)).await;
    calls.create_budget("slots", while_in_flight(3)).await;
    calls.enqueue(bound_job("q", &[("rate", 4), ("slots", 2)])).await;
    calls.lease_one("w", "q").await;
    let before = [calls.budget("rate").await, calls.budget("slots").await];
    assert_eq!(before.each_ref().map(|budget| budget.status.expect("a status").available), [6, 1]);

    server.crash().await;
    let mut calls = server.calls().await;
    let after = [calls.budget("rate").await, calls.budget("slots").await];
    assert_eq!(after, before, "no refill, no leaked hold, the same etags");
}

#[tokio::test]
async fn an_operator_blocks_and_adjusts() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("rate", time_based(10, Duration::from_secs(366 * 86_400), None)).await;
    calls.create_budget("slots", while_in_flight(1)).await;
    let key = |key: &str| key.to_owned();

    let block = wire::BlockBudgetRequest { key: key("slots"), duration: None };
    let blocked = calls.budgets.block_budget(block).await.expect("blocked").into_inner().budget.expect("a budget");
    let status = blocked.status.expect("a status");
    assert_eq!((status.blocked, status.blocked_until), (true, None));
    calls.enqueue(bound_job("q", &[("slots", 1)])).await;
    let request = crate::support::calls::lease_request("w", "q", 1);
    assert!(calls.jobs.lease_jobs(request).await.expect("an answer").into_inner().jobs.is_empty());
    calls.budgets.unblock_budget(wire::UnblockBudgetRequest { key: key("slots") }).await.expect("unblocked");
    calls.lease_one("w", "q").await;

    let adjust = |budget, level| wire::AdjustBudgetRequest { key: key(budget), level };
    calls.budgets.adjust_budget(adjust("rate", Some(3))).await.expect("adjusted");
    assert_eq!(calls.budget_status("rate").await.available, 3);
    assert_invalid(calls.budgets.adjust_budget(adjust("rate", Some(11))).await, "level");
    assert_invalid(calls.budgets.adjust_budget(adjust("rate", None)).await, "level");
    assert_invalid(calls.budgets.adjust_budget(adjust("slots", Some(1))).await, "level");
    let forever = wire::BlockBudgetRequest { key: key("rate"), duration: Some(seconds(367 * 86_400)) };
    assert_invalid(calls.budgets.block_budget(forever).await, "duration");
    let missing = calls.budgets.unblock_budget(wire::UnblockBudgetRequest { key: key("none") }).await;
    assert_refused(missing, Code::NotFound, "BUDGET_NOT_FOUND");
    let missing = calls.budgets.adjust_budget(adjust("none", Some(1))).await;
    assert_refused(missing, Code::NotFound, "BUDGET_NOT_FOUND");
}
