//! `work`: programs as workers, from their placeholders to their last signal.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::Child;

use crate::cli::{command, run_with};
use crate::support::calls::{Calls, bound_job, job_in, kept, success, while_in_flight};
use crate::support::server::Server;
use crate::support::wire::{self, JobState, job_spec::Payload};
use crate::support::{until, within};

fn json_job(queue: &str, json: &str) -> wire::JobSpec {
    wire::JobSpec { payload: Some(Payload::Json(json.to_owned())), max_attempts: Some(1), ..kept(job_in(queue)) }
}

/// Starts a worker whose commands are shell scripts; what it says goes to a file beside the server.
fn work(server: &Server, flags: &[&str], script: &[&str]) -> Child {
    let log = fs::File::create(server.dir().join("work.log")).expect("a log file");
    let args = [&["work"], flags, &["--", "sh", "-c"], script].concat();
    let mut command = command(server, &args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("a worker")
}

async fn ended(worker: &mut Child) -> Option<i32> {
    within("the worker's end", worker.wait()).await.expect("an end").code()
}

fn signal(worker: &Child, signal: Signal) {
    let pid = worker.id().and_then(|id| i32::try_from(id).ok()).expect("a live worker");
    kill(Pid::from_raw(pid), signal).expect("a signal can be sent");
}

/// Waits for a file that a command writes, and reads it.
async fn written(path: &Path) -> String {
    until("a command's file", async || fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))).await
}

async fn is_in_state(calls: &mut Calls, id: &str, state: JobState) {
    until("a state", async || (calls.job_state(id).await == state).then_some(())).await;
}

#[tokio::test]
async fn exit_codes_say_what_becomes_of_a_job() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let codes = ["0", "75", "3"].map(|code| json_job("q", &format!("{{\"code\": {code}}}")));
    let ids = calls.enqueue_all(codes.into()).await;
    let no_field = calls.enqueue(json_job("q", "{}")).await;
    let flags = ["--queue=q", "--window=4", "--exit-when-idle=500ms", "--delay-on-75=1h"];
    let mut worker = work(&server, &flags, &["echo \"why $1\" >&2; exit \"$1\"", "job", "{code}"]);
    assert_eq!(ended(&mut worker).await, Some(0));
    assert_eq!(calls.job_state(&ids[0]).await, JobState::Completed);
    let released = calls.job(&ids[1]).await;
    assert_eq!((released.state(), released.attempts), (JobState::Scheduled, 0));
    assert!(released.delayed_until.is_some());
    let failed = calls.job(&ids[2]).await;
    assert_eq!((failed.state(), failed.errors[0].message.as_str()), (JobState::Dead, "exit code 3: why 3"));
    let failed = calls.job(&no_field).await;
    assert!(failed.errors[0].message.contains("code"), "{failed:?}");
    let said = fs::read_to_string(server.dir().join("work.log")).expect("what it said");
    assert!(said.contains("1 succeeded, 2 failed, 1 released, 0 lost"), "{said}");
}

#[tokio::test]
async fn a_limit_of_the_far_side_throttles_the_budget() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("api", while_in_flight(5)).await;
    calls.enqueue(bound_job("q", &[("api", 1)])).await;
    let flags = ["--queue=q", "--exit-when-idle=500ms", "--throttle-on-75=api:1h"];
    let mut worker = work(&server, &flags, &["exit 75"]);
    assert_eq!(ended(&mut worker).await, Some(0));
    let status = calls.budget_status("api").await;
    assert!(status.blocked && status.blocked_until.is_some(), "{status:?}");
    assert_eq!(calls.count(wire::JobFilter::default()).await, 1);
}

#[tokio::test]
async fn a_command_gets_the_payload_and_the_jobs_facts() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let job = json_job("q", r#"{"to": {"name": "ada l."}, "list": [7, true], "text": "{x}"}"#);
    let metadata = [("k".to_owned(), "v".to_owned())].into();
    let id = calls.enqueue(wire::JobSpec { r#type: "welcome".into(), priority: Some(9), metadata, ..job }).await;
    let into = server.dir().join("told");
    let script = "{ printf '%s|' \"$@\" \"$SLUICEGATE_JOB_ID\" \"$SLUICEGATE_JOB_TYPE\" \"$SLUICEGATE_JOB_QUEUE\" \
                  \"$SLUICEGATE_JOB_ATTEMPT\" \"$SLUICEGATE_JOB_MAX_ATTEMPTS\" \"$SLUICEGATE_JOB_PRIORITY\" \
                  \"$SLUICEGATE_JOB_METADATA\"; cat; echo; } > \"$0\"";
    let script = [script, into.to_str().expect("a path"), "{to.name}", "{list.0}", "x={list}", "{{to}}", "{text}"];
    let mut worker = work(&server, &["--queue=q", "--exit-when-idle=500ms"], &script);
    assert_eq!(ended(&mut worker).await, Some(0));
    let told = fs::read_to_string(&into).expect("what it was told");
    let (facts, payload) = told.trim_end().rsplit_once('|').expect("facts and a payload");
    let expected = format!("ada l.|7|x=[7, true]|{{to}}|{{x}}|{id}|welcome|q|1|1|9|{{\"k\":\"v\"}}")
        .replace("[7, true]", "[7,true]");
    assert_eq!(facts.replace("[7, true]", "[7,true]"), expected);
    assert_eq!(payload, r#"{"to": {"name": "ada l."}, "list": [7, true], "text": "{x}"}"#);
    assert_eq!(calls.job_state(&id).await, JobState::Completed);
}

#[tokio::test]
async fn a_lost_lease_ends_the_process() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let id = calls.enqueue(json_job("q", "{}")).await;
    let pid_file = server.dir().join("pid");
    let script = ["echo $$ > \"$0\"; exec sleep 600", pid_file.to_str().expect("a path")];
    let mut worker = work(&server, &["--queue=q", "--lease-duration=3s", "--kill-grace=10s"], &script);
    let pid: i32 = written(&pid_file).await.trim().parse().expect("a process id");
    let lease = calls.job(&id).await.lease.expect("a lease").id;
    calls.settle_one(success(&lease)).await;
    let gone = async || (kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH)).then_some(());
    until("the process's end", gone).await;
    signal(&worker, Signal::SIGTERM);
    assert_eq!(ended(&mut worker).await, Some(0));
    assert_eq!(calls.job_state(&id).await, JobState::Completed);
}

#[tokio::test]
async fn leases_are_extended_while_a_command_runs() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let id = calls.enqueue(json_job("q", "{}")).await;
    let go = server.dir().join("go");
    let script = ["while ! [ -e \"$0\" ]; do sleep 0.02; done", go.to_str().expect("a path")];
    let mut worker = work(&server, &["--queue=q", "--lease-duration=1s"], &script);
    is_in_state(&mut calls, &id, JobState::InFlight).await;
    let first = calls.job(&id).await.lease.expect("a lease");
    let first_end = first.expire_time.expect("an instant");
    // The lease is live, and the same, after the end it began with.
    let outlived = async || {
        let explained = calls.explain(&id).await;
        let now = explained.explain_time.expect("an instant");
        assert_eq!(explained.lease.expect("a live lease").id, first.id);
        ((now.seconds, now.nanos) > (first_end.seconds, first_end.nanos)).then_some(())
    };
    until("an extension", outlived).await;
    fs::write(&go, "").expect("a file");
    is_in_state(&mut calls, &id, JobState::Completed).await;
    signal(&worker, Signal::SIGTERM);
    assert_eq!(ended(&mut worker).await, Some(0));
}

#[tokio::test]
async fn an_interrupt_drains() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let first = calls.enqueue(json_job("q", "{}")).await;
    let go = server.dir().join("go");
    let script = ["while ! [ -e \"$0\" ]; do sleep 0.02; done", go.to_str().expect("a path")];
    let mut worker = work(&server, &["--queue=q", "--window=5"], &script);
    is_in_state(&mut calls, &first, JobState::InFlight).await;
    signal(&worker, Signal::SIGINT);
    let log = server.dir().join("work.log");
    let drains = async || fs::read_to_string(&log).ok()?.contains("draining: 1").then_some(());
    until("the drain", drains).await;
    let second = calls.enqueue(json_job("q", "{}")).await;
    fs::write(&go, "").expect("a file");
    assert_eq!(ended(&mut worker).await, Some(0));
    assert_eq!(calls.job_state(&first).await, JobState::Completed, "what was in hand may finish");
    assert_eq!(calls.job_state(&second).await, JobState::Ready, "nothing more is taken");
}

#[tokio::test]
async fn a_second_interrupt_ends_the_commands_and_gives_the_jobs_back() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let id = calls.enqueue(json_job("q", "{}")).await;
    let pid_file = server.dir().join("pid");
    let script = ["echo $$ > \"$0\"; exec sleep 600", pid_file.to_str().expect("a path")];
    let mut worker = work(&server, &["--queue=q"], &script);
    written(&pid_file).await;
    signal(&worker, Signal::SIGINT);
    let log = server.dir().join("work.log");
    let drains = async || fs::read_to_string(&log).ok()?.contains("draining: 1").then_some(());
    until("the drain", drains).await;
    signal(&worker, Signal::SIGINT);
    assert_eq!(ended(&mut worker).await, Some(0));
    let job = calls.job(&id).await;
    assert_eq!((job.state(), job.attempts), (JobState::Ready, 0));
}

#[tokio::test]
async fn a_worker_that_cant_be_meant_says_so() {
    let server = Server::start().await;
    let no_command = run_with(&server, &["work", "--queue=q"], "").await;
    assert_eq!(no_command.code, Some(2), "{no_command:?}");
    let no_program = run_with(&server, &["work", "--queue=q", "--", "/no/such/program"], "").await;
    assert!(no_program.code.is_some_and(|code| code != 0), "{no_program:?}");
    let bad_queue = run_with(&server, &["work", "--queue=a b", "--", "true"], "").await;
    assert_eq!(bad_queue.code, Some(1), "{bad_queue:?}");
    assert!(bad_queue.err.contains("queue"), "{bad_queue:?}");
    let taken = Duration::from_secs(1);
    let short = format!("--lease-duration={}ms", taken.as_millis() - 1);
    let refused = run_with(&server, &["work", "--queue=q", &short, "--", "true"], "").await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
}
