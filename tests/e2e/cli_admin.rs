//! The command line's handles on budgets and queues, and what it says of a job that waits or has failed.

use serde_json::json;

use super::cli::{run, run_json, run_with};
use crate::support::calls::{bound_job, job_in, outcome, seconds, while_in_flight};
use crate::support::server::Server;
use crate::support::wire;
use crate::support::wire::settle_outcome::Outcome;

#[tokio::test]
async fn budgets_are_blocked_unblocked_and_adjusted() {
    let server = Server::start().await;
    run(&server, &["budget", "create", "smtp", "--allocation=6", "--per=1h"]).await;
    run(&server, &["budget", "create", "db", "--allocation=1"]).await;

    let blocked = run(&server, &["budget", "block", "smtp", "--for=2h"]).await;
    assert!(blocked.contains("blocked    ends in 1h "), "{blocked}");
    let later = run_json(&server, &["budget", "block", "smtp", "--until=+3h"]).await.remove(0);
    assert_eq!(later["status"]["blocked"], true);
    assert!(later["status"]["blockedUntil"].is_string());
    let open = run(&server, &["budget", "block", "db"]).await;
    assert!(open.contains("blocked    until unblocked"), "{open}");
    for key in ["smtp", "db"] {
        let unblocked = run_json(&server, &["budget", "unblock", key]).await.remove(0);
        assert_eq!(unblocked["status"]["blocked"], false);
    }
    let adjusted = run_json(&server, &["budget", "adjust", "smtp", "--level=2"]).await.remove(0);
    assert_eq!(adjusted["status"]["available"], "2");

    let refusals: [(&[&str], i32, &str); 8] = [
        (&["block", "smtp", "--for=0s"], 2, "--for: more than 0s, and at most 366d"),
        (&["block", "smtp", "--until=+367d"], 2, "--until: more than 0s, and at most 366d"),
        (&["block", "smtp", "--until=-1m"], 2, "--until: that was 1m ago"),
        (&["block", "smtp", "--for=1m", "--until=+1m"], 2, "--until"),
        (&["block", "none"], 1, "there is no budget `none`"),
        (&["adjust", "smtp", "--level=7"], 1, "0..=6"),
        (&["adjust", "smtp"], 2, "--level"),
        (&["adjust", "db", "--level=1"], 1, "while_in_flight"),
    ];
    for (args, code, part) in refusals {
        let refused = run_with(&server, &[&["budget"], args].concat(), "").await;
        assert_eq!((refused.code, refused.out.as_str()), (Some(code), ""), "{args:?}: {refused:?}");
        assert!(refused.err.contains(part), "{args:?}: {refused:?}");
    }
}

#[tokio::test]
async fn queues_are_paused_and_resumed() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let paused = run(&server, &["queue", "pause", "q"]).await;
    assert!(paused.lines().nth(1).is_some_and(|row| row.starts_with('q') && row.ends_with("paused")), "{paused}");
    let id = calls.enqueue(job_in("q")).await;
    let why = run(&server, &["job", "explain", &id]).await;
    assert!(why.contains("waits: queue q is paused, until `sluicegate queue resume q`"), "{why}");
    let resumed = run_json(&server, &["queue", "resume", "q"]).await.remove(0);
    assert_eq!((&resumed["name"], &resumed["paused"], &resumed["ready"]), (&json!("q"), &json!(false), &json!("1")));
    let refused = run_with(&server, &["queue", "pause", "a b"], "").await;
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(refused.err.contains("name"), "{refused:?}");
}

#[tokio::test]
async fn a_job_that_waits_is_explained_in_a_few_lines() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(3)).await;
    run(&server, &["budget", "create", "rate", "--allocation=1", "--per=1h"]).await;
    let both = || bound_job("q", &[("db", 3), ("rate", 1)]);
    let ids = calls.enqueue_all(vec![both(), both(), both()]).await;
    calls.lease_one("w", "q").await;

    let holder = run(&server, &["job", "explain", &ids[0]]).await;
    assert!(holder.starts_with(&format!("job {} is in_flight\n", ids[0])), "{holder}");
    assert!(holder.contains("of worker w, attempt 1, expires in "), "{holder}");
    let why = run(&server, &["job", "explain", &ids[2]]).await;
    let lines: Vec<_> = why.lines().collect();
    assert!(lines[0].starts_with(&format!("job {} is ready since ", ids[2])), "{why}");
    assert_eq!(lines[1], "  waits: no connected worker serves queue q");
    let db = format!("  waits: budget db needs 3, 0 available; 1 waiter ahead; held by {}", ids[0]);
    assert_eq!(lines[2], db);
    let rate = "  waits: budget rate needs 1, 0 available; 1 waiter ahead; not before ";
    assert!(lines[3].starts_with(rate) && lines[3].contains(" (in 1h "), "{why}");
    assert_eq!(lines.len(), 4, "{why}");

    let scheduled = run(&server, &["enqueue", "--queue=q", "--in=2h"]).await;
    let why = run(&server, &["job", "explain", scheduled.trim()]).await;
    assert!(why.contains("is scheduled\n") && why.contains("  waits: its time is "), "{why}");
    let missing = run_with(&server, &["job", "explain", "nobody"], "").await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("there is no job nobody"), "{missing:?}");
}

#[tokio::test]
async fn a_dead_job_says_how_its_attempts_failed() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let hour = wire::Backoff { initial: Some(seconds(3600)), ..Default::default() };
    let spec = wire::JobSpec { max_attempts: Some(2), backoff: Some(hour), ..job_in("q") };
    let failure = |lease: &str, error: &str| {
        outcome(lease, Outcome::Failure(wire::JobFailure { error: error.to_owned(), ..Default::default() }))
    };
    let id = calls.enqueue(spec).await;
    let lease = calls.lease_one("w", "q").await;
    calls.settle_one(failure(&lease, "timeout\nafter 5 s")).await;
    let why = run(&server, &["job", "explain", &id]).await;
    assert!(why.contains("is scheduled") && why.contains("  1 of 2 attempts used\n"), "{why}");
    assert!(why.contains("    attempt 1, ") && why.contains(": timeout\n      after 5 s\n"), "{why}");

    assert_eq!(run(&server, &["job", "retry", &id]).await, "changed 1\n", "it needn't wait for its backoff");
    let lease = calls.lease_one("w", "q").await;
    calls.settle_one(failure(&lease, "550 no such user")).await;
    let why = run(&server, &["job", "explain", &id]).await;
    assert!(why.starts_with(&format!("job {id} is dead since ")), "{why}");
    for part in ["  2 of 2 attempts used", "attempt 2, ", ": 550 no such user", "  removed in 6days "] {
        assert!(why.contains(part), "{part}: {why}");
    }
    assert!(!why.contains("waits"), "{why}");
    let json = run_json(&server, &["job", "explain", &id]).await.remove(0);
    assert_eq!((&json["state"], &json["holdUps"]), (&json!("JOB_STATE_DEAD"), &json!([])));
}
