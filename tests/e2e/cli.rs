//! The command line against a server: what it enqueues, shows and refuses.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::support::calls::{job_in, kept, success, while_in_flight};
use crate::support::server::{Server, program};
use crate::support::wire::{self, JobState, job_spec::Payload};
use crate::support::within;

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A command that knows its server.
pub fn command(server: &Server, args: &[&str]) -> Command {
    let mut command = Command::from(program());
    command.args(args).env("SLUICEGATE_SERVER", server.url()).kill_on_drop(true);
    command
}

/// Runs a command to its end, with this as its standard input.
pub async fn run_with(server: &Server, args: &[&str], input: &str) -> Ended {
    let mut command = command(server, args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a start");
    let mut stdin = child.stdin.take().expect("a piped input");
    // One that refuses its flags reads nothing.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let output = within("the command's end", child.wait_with_output()).await.expect("an end");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs a command that succeeds, and returns what it printed.
pub async fn run(server: &Server, args: &[&str]) -> String {
    let ended = run_with(server, args, "").await;
    assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
    ended.out
}

/// Runs a command that prints one JSON object a line.
pub async fn run_json(server: &Server, args: &[&str]) -> Vec<Value> {
    let out = run(server, &[args, &["--output", "json"]].concat()).await;
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The cells of a table's line.
fn cells(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[tokio::test]
async fn a_job_from_flags() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let flags = [
        "enqueue",
        "--queue=emails",
        "--type=welcome",
        "--json={\"to\": \"ada\"}",
        "--priority=3",
        "--budget=smtp=2",
        "--create-budget=smtp=100/1m,burst=8",
        "--max-attempts=4",
        "--timeout=9s",
        "--retain-completed=1h",
        "--unique=u",
        "--meta=traceparent=00",
    ];
    let id = run(&server, &flags).await.trim().to_owned();
    let spec = calls.job(&id).await.spec.expect("a spec");
    assert_eq!((spec.queue.as_str(), spec.r#type.as_str(), spec.priority()), ("emails", "welcome", 3));
    assert_eq!(spec.payload, Some(Payload::Json("{\"to\": \"ada\"}".into())));
    assert_eq!((spec.bindings[0].budget.as_str(), spec.bindings[0].cost()), ("smtp", 2));
    assert_eq!((spec.max_attempts(), spec.timeout.expect("a timeout").seconds), (4, 9));
    assert_eq!(spec.metadata["traceparent"], "00");
    assert_eq!(calls.budget_status("smtp").await.capacity, 8);

    let again = run_with(&server, &flags, "").await;
    assert_eq!((again.code, again.out.trim()), (Some(0), id.as_str()));
    assert!(again.err.contains("unique key exists already"), "{}", again.err);

    let piped = run_with(&server, &["enqueue", "--queue=q", "--binary-file=-"], "\u{1}\u{2}").await;
    let payload = calls.job(piped.out.trim()).await.spec.expect("a spec").payload;
    assert_eq!(payload, Some(Payload::Binary(vec![1, 2].into())));

    let refused = run_with(&server, &["enqueue", "--queue=a b"], "").await;
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(refused.err.contains("job.queue"), "{}", refused.err);
    let missing = run_with(&server, &["enqueue", "--queue=q", "--budget=none"], "").await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("there is no budget `none`"), "{}", missing.err);
    assert_eq!(run_with(&server, &["enqueue"], "").await.code, Some(2), "no queue");
    let nobody = run_with(&server, &["enqueue", "--queue=q", "--server=127.0.0.1:1"], "").await;
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.err.contains("cannot reach a server at http://127.0.0.1:1"), "{}", nobody.err);
}

const LINES: &str = r#"{"queue": "a", "payload": {"n": 1}}
{"queue": "a", "payload": {"n": 2}, "bindings": ["db=2"]}

{"queue": "a", "payload": }
{"queue": "a", "priority": 1, "bindings": ["none"]}
{"payload": 3, "type": "t"}
"#;

#[tokio::test]
async fn json_lines_go_on_past_a_bad_one_or_stop_there() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("db", while_in_flight(5)).await;
    let file = server.dir().join("jobs.jsonl");
    fs::write(&file, LINES).expect("a file");
    let file = file.to_str().expect("a path");

    let stopped = run_with(&server, &["enqueue", "--file", file, "--queue=b"], "").await;
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    assert!(stopped.err.contains("line 4: ") && !stopped.err.contains("line 5: "), "{}", stopped.err);
    assert!(stopped.out.starts_with("2 enqueued, 1 refused"), "{}", stopped.out);
    assert_eq!(calls.count(wire::JobFilter::default()).await, 2);

    let skipping = ["enqueue", "--file=-", "--queue=b", "--on-error=skip", "--output=json"];
    let skipped = run_with(&server, &skipping, LINES).await;
    assert_eq!(skipped.code, Some(1), "{skipped:?}");
    assert!(skipped.err.contains("line 4: ") && skipped.err.contains("line 5: "), "{}", skipped.err);
    let tally: Value = serde_json::from_str(&skipped.out).expect("JSON");
    assert_eq!(tally, json!({"enqueued": 3, "existing": 0, "refused": 2}));
    assert_eq!(calls.count(wire::JobFilter::default()).await, 5);
    let listed = run_json(&server, &["job", "list", "--where=queue=b", "--full"]).await;
    assert_eq!((&listed[0]["spec"]["type"], &listed[0]["spec"]["json"]), (&json!("t"), &json!("3")));

    let many: String = (0..2500).map(|n| format!("{{\"payload\": {n}}}\n")).collect();
    let all = run_with(&server, &["enqueue", "--file=-", "--queue=many"], &many).await;
    assert_eq!(all.code, Some(0), "{all:?}");
    assert_eq!(run(&server, &["job", "count", "--where=queue=many"]).await.trim(), "2500");
}

#[tokio::test]
async fn budgets_are_shown_to_people_and_programs() {
    let server = Server::start().await;
    run(&server, &["budget", "create", "smtp", "--allocation=100", "--per=1m", "--burst=8"]).await;
    run(&server, &["budget", "create", "db", "--allocation=5"]).await;
    let exists = run_with(&server, &["budget", "create", "db", "--allocation=6"], "").await;
    assert_eq!(exists.code, Some(1));
    assert!(exists.err.contains("`db` exists"), "{}", exists.err);
    run(&server, &["budget", "create", "db", "--allocation=6", "--if-missing"]).await;

    let table = run(&server, &["budget", "list"]).await;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].starts_with("BUDGET"), "{table}");
    assert_eq!(cells(lines[1])[0], "db");
    assert!(lines[2].contains("100") && cells(lines[2]).contains(&"8"), "{table}");

    let json = run_json(&server, &["budget", "get", "smtp"]).await.remove(0);
    assert_eq!(json["policy"]["timeBased"], json!({"duration": "60s", "burst": "8"}));
    assert_eq!(json["status"]["available"], "8");
    let etag = json["etag"].as_str().expect("an etag");
    let updated = run_json(&server, &["budget", "update", "smtp", "--burst=4", "--etag", etag]).await.remove(0);
    assert_eq!(updated["policy"]["timeBased"]["burst"], "4");
    assert_eq!(run_with(&server, &["budget", "update", "smtp", "--burst=3", "--etag", etag], "").await.code, Some(1));
    let replaced = run_json(&server, &["budget", "replace", "smtp", "--allocation=7"]).await.remove(0);
    assert_eq!(replaced["policy"]["allocation"], "7");
    assert!(run(&server, &["budget", "get", "db"]).await.contains("5 of 5 tokens"));
    run(&server, &["budget", "delete", "db"]).await;
    let gone = run_with(&server, &["budget", "delete", "db"], "").await;
    assert_eq!(gone.code, Some(1));
    run(&server, &["budget", "delete", "db", "--allow-missing"]).await;
    assert_eq!(run_json(&server, &["budget", "list"]).await.len(), 1);
}

#[tokio::test]
async fn jobs_and_queues_are_shown_to_people_and_programs() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    assert_eq!(run(&server, &["queue", "list"]).await, "");
    let ids = calls.enqueue_all(vec![kept(job_in("a")), job_in("a"), job_in("b")]).await;
    let lease = calls.lease_one("w", "a").await;
    calls.settle_one(success(&lease)).await;

    let table = run(&server, &["queue", "list"]).await;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert_eq!(cells(lines[1])[..6], ["a", "0", "1", "0", "1", "0"], "{table}");
    let json = run_json(&server, &["queue", "list"]).await;
    assert_eq!((&json[0]["ready"], &json[0]["completed"], &json[1]["name"]), (&json!("1"), &json!("1"), &json!("b")));

    let table = run(&server, &["job", "list", "--where=queue=a"]).await;
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.contains(&ids[0]) && table.contains("completed") && !table.contains(&ids[2]), "{table}");
    let limited = run_with(&server, &["job", "list", "--limit=1"], "").await;
    assert_eq!(limited.out.lines().count(), 2, "{limited:?}");
    assert!(limited.err.contains("there are more"), "{limited:?}");
    assert_eq!(run_json(&server, &["job", "list", "--where=state=ready"]).await.len(), 2);
    assert_eq!(run(&server, &["job", "count", "--where=state=ready,completed"]).await.trim(), "3");
    let json = run_json(&server, &["job", "get", &ids[0]]).await.remove(0);
    assert_eq!((&json["id"], &json["state"]), (&json!(ids[0]), &json!("JOB_STATE_COMPLETED")));
    assert!(run(&server, &["job", "get", &ids[1]]).await.contains("ready"));
    let explained = run_json(&server, &["job", "explain", &ids[1]]).await.remove(0);
    assert_eq!(explained["holdUps"], json!(["HOLD_UP_NO_WORKER"]));
    assert!(run(&server, &["job", "explain", &ids[1]]).await.contains("worker"));
    let missing = run_with(&server, &["job", "get", "none"], "").await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("there is no job none"), "{}", missing.err);
    assert_eq!(calls.job_state(&ids[1]).await, JobState::Ready);
}

#[tokio::test]
async fn the_demo_ends_by_itself() {
    let mut command = Command::from(program());
    command.args(["demo", "--seconds=5"]).stdin(Stdio::null()).kill_on_drop(true);
    let output = within("the demo's end", command.output()).await.expect("a start");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for word in ["slots", "rate", "http://127.0.0.1:"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}
