//! The command line's changes of jobs: by id, by `--where`, with and without somebody to ask.

use serde_json::{Value, json};

use super::cli::{run, run_json, run_with};
use super::terminal::{END, answering};
use crate::support::calls::{bound_job, job_in, kept, of_queue, of_state, outcome, seconds, success, while_in_flight};
use crate::support::server::Server;
use crate::support::wire::settle_outcome::Outcome;
use crate::support::wire::{self, JobState};

/// The end of a job that isn't to be tried again.
fn discard(lease_id: &str) -> wire::SettleOutcome {
    let failure = wire::JobFailure { error: "no such address".to_owned(), discard: true, ..Default::default() };
    outcome(lease_id, Outcome::Failure(failure))
}

#[tokio::test]
async fn what_waits_is_cancelled_and_what_is_in_flight_is_asked() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = calls.enqueue_all(vec![kept(job_in("q")); 3]).await;
    let lease = calls.lease_one("w", "q").await;

    let asked = run_with(&server, &["job", "cancel", "--where=queue=q", "--yes"], "").await;
    assert_eq!(
        (asked.code, asked.out.as_str()),
        (Some(1), &*format!("changed 3\nblocked 1: {}\n", ids[0])),
        "{asked:?}"
    );
    assert!(asked.err.contains("--force"), "{asked:?}");
    let again = run_with(&server, &["job", "cancel", &ids[0], "--output=json"], "").await;
    assert_eq!(again.code, Some(1), "still in flight");
    let answer: Value = serde_json::from_str(&again.out).expect("JSON");
    assert_eq!(answer, json!({"changed": "0", "blocked": [ids[0]], "blockedCount": "1"}));

    assert_eq!(run(&server, &["job", "cancel", "--force", &ids[0]]).await, "changed 1\n");
    assert_eq!(calls.job_state(&ids[0]).await, JobState::Cancelled);
    assert_ne!(calls.settle_one(success(&lease)).await, wire::SettleStatus::Settled);
    let over = run_with(&server, &["job", "cancel", &ids[0], &ids[1]], "").await;
    assert_eq!((over.code, over.out.as_str()), (Some(0), "changed 0\n"));
    assert!(over.err.contains("nothing to do: 2 cancelled"), "{over:?}");
}

#[tokio::test]
async fn the_dead_are_retried_and_what_is_over_is_deleted() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let unique = wire::UniqueKey { key: "u".to_owned(), ..Default::default() };
    let spec = wire::JobSpec { unique: Some(unique), ..job_in("q") };
    let first = calls.enqueue(spec.clone()).await;
    let lease = calls.lease_one("w", "q").await;
    calls.settle_one(discard(&lease)).await;
    let holder = calls.enqueue(spec).await;

    let blocked = run_with(&server, &["job", "retry", &first], "").await;
    assert_eq!((blocked.code, blocked.out.as_str()), (Some(1), &*format!("changed 0\nblocked 1: {first}\n")));
    assert!(blocked.err.contains("unique key"), "{blocked:?}");
    assert_eq!(run(&server, &["job", "delete", &holder]).await, "changed 1\n");
    assert_eq!(run(&server, &["job", "retry", "--where", "state=dead created<now", "-y"]).await, "changed 1\n");
    assert_eq!(calls.job_state(&first).await, JobState::Ready);

    let missing = run_with(&server, &["job", "delete", &first, &holder, "nobody"], "").await;
    assert_eq!((missing.code, missing.out.as_str()), (Some(1), "changed 1\n"), "those that exist are deleted");
    assert!(missing.err.contains(&format!("there is no job {holder} nobody")), "{missing:?}");
    assert!(calls.is_gone(&first).await);
}

#[tokio::test]
async fn an_update_sets_what_it_names() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = calls.enqueue_all(vec![job_in("q"), job_in("q")]).await;
    let sets = [
        "--set=queue=r",
        "--set=type=t",
        "--set=priority=7",
        "--set=max-attempts=3",
        "--set=timeout=9s",
        "--set=backoff=initial:2s,jitter:0",
        "--set=retention=completed:1h",
    ];
    let line = [&["job", "update", ids[0].as_str()][..], &sets].concat();
    assert_eq!(run(&server, &line).await, "changed 1\n");
    let spec = calls.job(&ids[0]).await.spec.expect("a spec");
    assert_eq!((spec.queue.as_str(), spec.r#type.as_str(), spec.priority(), spec.max_attempts()), ("r", "t", 7, 3));
    let backoff = spec.backoff.expect("a backoff");
    assert_eq!((backoff.initial, backoff.jitter_percent()), (Some(seconds(2)), 0));
    assert_eq!(spec.timeout, Some(seconds(9)));
    assert_eq!(spec.retention.expect("a retention").completed, Some(seconds(3600)));

    assert_eq!(run(&server, &["job", "update", &ids[1], "--set=run-time=+5m"]).await, "changed 1\n");
    assert_eq!(calls.job_state(&ids[1]).await, JobState::Scheduled);
    assert_eq!(run(&server, &["job", "update", &ids[1], "--set=run-time=default"]).await, "changed 1\n");
    assert_eq!(calls.job_state(&ids[1]).await, JobState::Ready);
    let same = run_with(&server, &["job", "update", &ids[1], "--set=priority=default"], "").await;
    assert_eq!((same.code, same.out.as_str()), (Some(0), "changed 0\n"), "it has that already");

    let far = run_with(&server, &["job", "update", &ids[1], "--set=run-time=+367d"], "").await;
    assert_eq!(far.code, Some(1));
    assert!(far.err.contains("run_time") && far.err.contains("366 d"), "{far:?}");
    for (set, part) in [("--set=payload=1", "payload"), ("--set=priority=-1", "0 to 65535"), ("--set=x", "priority=5")]
    {
        let refused = run_with(&server, &["job", "update", &ids[1], set], "").await;
        assert_eq!(refused.code, Some(2), "{set}");
        assert!(refused.err.contains("--set") && refused.err.contains(part), "{refused:?}");
    }
    assert_eq!(run_with(&server, &["job", "update", &ids[1]], "").await.code, Some(2), "nothing is set");
}

#[tokio::test]
async fn the_bindings_of_named_jobs_change_one_by_one() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(3)).await;
    let ids = calls.enqueue_all(vec![job_in("q"), job_in("q")]).await;
    let [first, second] = [ids[0].as_str(), ids[1].as_str()];
    let bindings = async |args: &[&str]| {
        let jobs = run_json(&server, &[&["job"], args].concat()).await;
        let bound = |job: &Value| job["spec"]["bindings"].to_string().replace(['"', ' '], "");
        jobs.iter().map(bound).collect::<Vec<_>>()
    };
    assert_eq!(bindings(&["bind", "db=2", first]).await, ["[{budget:db,cost:2}]"]);
    assert_eq!(bindings(&["rebind", "db", first, second]).await, ["[{budget:db,cost:1}]"; 2]);
    assert_eq!(bindings(&["cost", "db=3", second]).await, ["[{budget:db,cost:3}]"]);
    let created = bindings(&["bind", "tenant:7=2", first, "--create-budget=tenant:7=100/1m"]).await;
    assert_eq!(created, ["[{budget:db,cost:1},{budget:tenant:7,cost:2}]"]);
    assert_eq!(calls.budget_status("tenant:7").await.capacity, 100);
    assert_eq!(bindings(&["unbind", "db", first]).await, ["[{budget:tenant:7,cost:2}]"]);
    assert_eq!(bindings(&["unbind-all", first, second]).await, ["[]"; 2]);
    let replaced = bindings(&["replace-bindings", "db=2,slots", first, "--create-budget=slots=5"]).await;
    assert_eq!(replaced, ["[{budget:db,cost:2},{budget:slots,cost:1}]"]);

    let table = run(&server, &["job", "cost", "slots=2", first]).await;
    assert!(table.starts_with("JOB") && table.contains("db=2 slots=2"), "{table}");
    let refusals: [(&[&str], i32, &str); 8] = [
        (&["bind", "db", first], 1, "bound to budget `db` already"),
        (&["unbind", "db", second], 1, "isn't bound to budget `db`"),
        (&["cost", "db=4", first], 1, "cost 4 is above the capacity 3 of budget `db`"),
        (&["bind", "none", first], 1, "there is no budget `none`"),
        (&["bind", "db", "nobody"], 1, "there is no job nobody"),
        (&["cost", "db", first], 2, "db=COST"),
        (&["bind", "db=0.5", first], 2, "0.5"),
        (&["bind", "db", first, "--create-budget=other=5"], 2, "names other"),
    ];
    for (args, code, part) in refusals {
        let refused = run_with(&server, &[&["job"], args].concat(), "").await;
        assert_eq!(refused.code, Some(code), "{args:?}: {refused:?}");
        assert!(refused.err.contains(part), "{args:?}: {refused:?}");
    }

    calls.lease_one("w", "q").await;
    let some = run_with(&server, &["job", "unbind-all", first, second, "nobody"], "").await;
    assert_eq!(some.code, Some(1));
    assert!(some.out.contains(second) && !some.out.contains(first), "{some:?}");
    for part in [&*format!("job {first} is in flight"), "there is no job nobody", "2 jobs were left as they are"] {
        assert!(some.err.contains(part), "{part}: {some:?}");
    }
}

#[tokio::test]
async fn the_bindings_of_a_selection_change_together() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("a", while_in_flight(1)).await;
    calls.create_budget("b", while_in_flight(5)).await;
    let ids = calls.enqueue_all(vec![bound_job("q", &[("a", 1)]); 3]).await;
    calls.lease_one("w", "q").await;
    let moved = ["job", "replace-bindings", "b=2", "--where=budget=a", "--yes"];
    let dry = run_with(&server, &[&moved[..], &["--dry-run"]].concat(), "").await;
    let blocked = format!("blocked 1: {}\n", ids[0]);
    assert_eq!((dry.code, dry.out), (Some(1), format!("would change 2\n{blocked}")));
    assert_eq!(calls.budget_status("b").await.bound_jobs, 0);
    let done = run_with(&server, &moved, "").await;
    assert_eq!((done.code, done.out), (Some(1), format!("changed 2\n{blocked}")));
    assert_eq!(calls.budget_status("b").await.bound_jobs, 2);
    let dear = run_with(&server, &["job", "cost", "b=6", "--where=budget=b", "--yes"], "").await;
    assert_eq!((dear.code, dear.out.as_str()), (Some(1), ""));
    assert!(dear.err.contains("cost 6 is above the capacity 5"), "{dear:?}");
    assert_eq!(run(&server, &["job", "unbind", "b", "--where=budget=b", "--yes"]).await, "changed 2\n");
}

#[tokio::test]
async fn a_selection_is_changed_only_if_that_is_sure() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.enqueue_all(vec![job_in("q"); 2]).await;
    let refusals: [(&[&str], &str); 8] = [
        (&["--where=queue=q"], "--yes"),
        (&["--where=queue=q", "--output=json"], "--dry-run"),
        (&[], "--where"),
        (&["j1", "--where=queue=q", "--yes"], "--where"),
        (&["--where=", "--yes"], "all selects every job"),
        (&["--where=all queue=q", "--yes"], "excludes"),
        (&["--where=queue=q state=parked", "--yes"], "--where: state: `parked`"),
        (&["--where=ready>=1d", "--yes"], "+5m"),
    ];
    for (args, part) in refusals {
        let refused = run_with(&server, &[&["job", "delete"], args].concat(), "y\n").await;
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{args:?}: {refused:?}");
        assert!(refused.err.contains(part), "{args:?}: {refused:?}");
    }
    assert_eq!(run(&server, &["job", "delete", "--where=queue=q", "--dry-run"]).await, "would change 2\n");
    assert_eq!(run(&server, &["job", "delete", "--where=id=", "--yes"]).await, "changed 0\n", "no ids, no jobs");
    assert_eq!(calls.count(of_queue("q")).await, 2);
    assert_eq!(run(&server, &["job", "delete", "--where=all", "--yes"]).await, "changed 2\n");
}

#[tokio::test]
async fn somebody_at_a_terminal_is_asked() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = calls.enqueue_all(vec![job_in("q"); 3]).await;
    calls.lease_one("w", "q").await;
    let delete = ["job", "delete", "--where", "queue=q priority>=5"];
    for no in ["n\n", "\n", "what?\n", END] {
        let ended = answering(&server, &delete, no).await;
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{ended:?}");
        for part in ["2 jobs would be deleted, where queue=q priority>=5", &ids[0], "nothing was changed"] {
            assert!(ended.err.contains(part), "{part}: {ended:?}");
        }
    }
    assert_eq!(calls.count(of_queue("q")).await, 3);
    let done = answering(&server, &delete, "y\n").await;
    assert_eq!((done.code, done.out), (Some(1), format!("changed 2\nblocked 1: {}\n", ids[0])));
    assert_eq!(calls.count(of_queue("q")).await, 1);
    let none = answering(&server, &["job", "retry", "--where=queue=q"], "").await;
    assert_eq!((none.code, none.out.as_str()), (Some(0), "changed 0\n"), "there is nothing to ask about: {none:?}");
    let sure = answering(&server, &["job", "cancel", "--force", "--where=queue=q", "--yes"], "").await;
    assert_eq!((sure.code, sure.out.as_str()), (Some(0), "changed 1\n"), "{sure:?}");
}

#[tokio::test]
async fn more_jobs_than_one_commit_holds_are_changed_in_steps() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.enqueue_all(vec![job_in("many"); 10_000]).await;
    calls.enqueue_all(vec![job_in("many"); 500]).await;
    let done = answering(&server, &["job", "update", "--where=queue=many", "--set=priority=1"], "yes\n").await;
    assert_eq!((done.code, done.out.as_str()), (Some(0), "changed 10500\n"), "{done:?}");
    assert!(done.err.contains("10500 jobs would be changed"), "{done:?}");
    assert_eq!(run(&server, &["job", "count", "--where=queue=many priority=1"]).await, "10500\n");
    let cancelled = run_json(&server, &["job", "cancel", "--where=queue=many", "--yes"]).await;
    assert_eq!(cancelled, [json!({"changed": "10500", "blocked": [], "blockedCount": "0"})]);
    assert_eq!(calls.count(of_state("many", JobState::Cancelled)).await, 10_500);
}
