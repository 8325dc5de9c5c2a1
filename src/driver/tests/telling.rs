//! The event log: told what a commit made true, after it, and nothing else.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::support::*;
use crate::clock::SystemClock;
use crate::driver::{Options, SessionEvent, Status};
use crate::event_log::EventLog;

/// A driver that tells the log in `dir`.
async fn told(dir: &Path) -> Rig {
    let log = EventLog::open(&dir.join("log")).expect("a log");
    let options = Options { event_log: Some(Arc::new(log)), ..Options::default() };
    Rig::with(Arc::new(SystemClock::new()), options).await
}

/// The names of the events in a log.
fn events(log: &Path) -> Vec<String> {
    let text = fs::read_to_string(log).expect("a log");
    let event = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line["event"].as_str().expect("a name").to_owned()
    };
    text.lines().map(event).collect()
}

#[tokio::test]
async fn a_driver_that_was_stopped_has_told_all() {
    let dir = TempDir::new().unwrap();
    let rig = told(dir.path()).await;
    let mut session = rig.open(STREAM).await;
    enqueued(within(rig.handle.apply(enqueue("q", "a"))).await);
    pushed(&mut session).await;
    rig.handle.stop().await;
    rig.joined.join().await.unwrap();
    assert_eq!(events(&dir.path().join("log")), ["start", "enqueue", "dispatch", "stop"]);
}

#[tokio::test]
async fn what_a_failed_commit_held_is_not_told() {
    let dir = TempDir::new().unwrap();
    let mut rig = told(dir.path()).await;
    let waiting = rig.hold_an_enqueue().await;
    rig.store.let_go(Verdict::Fail);
    unavailable(waiting.answer().await);
    rig.wait_for(|status| *status == Status::Serving).await;
    enqueued(within(rig.handle.apply(enqueue("q", "b"))).await);
    rig.handle.stop().await;
    rig.joined.join().await.unwrap();
    assert_eq!(
        events(&dir.path().join("log")),
        ["start", "start", "enqueue", "stop"],
        "a start says what stands instead"
    );
}

#[tokio::test]
async fn nothing_is_served_while_the_log_cannot_be_written() {
    let dir = TempDir::new().unwrap();
    let (path, first) = (dir.path().join("log"), dir.path().join("first"));
    let log = Arc::new(EventLog::open(&path).unwrap());
    let options = Options { event_log: Some(Arc::clone(&log)), ..Options::default() };
    let rig = Rig::with(Arc::new(SystemClock::new()), options).await;
    let mut session = rig.open(STREAM).await;
    fs::rename(&path, &first).unwrap();
    symlink("/dev/full", &path).unwrap();
    log.reopen();
    // Until it is heard that lines can't be written, calls may be answered.
    let status = loop {
        let outcome = within(rig.handle.apply(enqueue("q", "a"))).await;
        if outcome.is_err() {
            break rig.wait_for(|status| matches!(status, Status::Failed(_))).await;
        }
    };
    let Status::Failed(problem) = status else { panic!("{status:?}") };
    assert!(problem.contains("event log") && problem.contains("log:"), "{problem}");
    loop {
        match within(session.events.recv()).await {
            Some(SessionEvent::Jobs(_)) => {}
            other => break assert_eq!(other, Some(SessionEvent::StoreFailed)),
        }
    }

    fs::remove_file(&path).unwrap();
    log.reopen();
    rig.wait_for(|status| *status == Status::Serving).await;
    let jobs = rig.jobs().await;
    rig.handle.stop().await;
    rig.joined.join().await.unwrap();
    let enqueues = [first, path].iter().flat_map(|path| events(path)).filter(|event| event == "enqueue").count();
    assert_eq!(enqueues as u64, jobs, "each stored job was told");
}
