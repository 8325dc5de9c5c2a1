//! A failed commit: everybody hears, memory is dropped, and the store is opened again for as long as it takes
//! (semantics 10.3).

use std::sync::Arc;

use tokio::sync::mpsc::error::TryRecvError;

use super::support::*;
use crate::clock::SystemClock;
use crate::driver::{EndError, Options, SessionEvent, StartError, Status, start};

fn has_failed(status: &Status) -> bool {
    matches!(status, Status::Failed(_))
}

fn is_serving(status: &Status) -> bool {
    *status == Status::Serving
}

#[tokio::test]
async fn everybody_hears_of_a_failed_commit() {
    let mut rig = Rig::new().await;
    let mut session = rig.open(STREAM).await;
    let waiting = rig.hold_an_enqueue().await;

    rig.store.set_broken(true);
    rig.store.let_go(Verdict::Fail);
    let problem = unavailable(waiting.answer().await);
    assert!(problem.contains("disk full"), "{problem}");
    assert_eq!(within(session.events.recv()).await, Some(SessionEvent::StoreFailed));
    assert_eq!(within(session.events.recv()).await, None);
    let status = rig.wait_for(has_failed).await;
    assert!(matches!(status, Status::Failed(problem) if problem.contains("disk full")));
}

#[tokio::test]
async fn whoever_comes_meanwhile_is_refused_at_once() {
    let mut rig = Rig::new().await;
    let waiting = rig.hold_an_enqueue().await;
    rig.store.set_broken(true);
    rig.store.let_go(Verdict::Fail);
    unavailable(waiting.answer().await);

    unavailable(within(rig.handle.apply(enqueue("q", "no"))).await);
    unavailable(within(rig.handle.read(|_| ())).await);
    unavailable(within(rig.handle.open_session(session("q", STREAM))).await);
}

#[tokio::test]
async fn it_serves_again_with_what_is_stored_once_the_store_opens() {
    for (verdict, jobs) in [(Verdict::Fail, 1), (Verdict::StoreAndFail, 2)] {
        let mut rig = Rig::new().await;
        enqueued(within(rig.handle.apply(enqueue("q", "kept"))).await);
        let waiting = rig.hold_an_enqueue().await;
        rig.store.set_broken(true);
        rig.store.let_go(verdict);
        unavailable(waiting.answer().await);
        rig.wait_for(has_failed).await;

        rig.store.set_broken(false);
        rig.wait_for(is_serving).await;
        assert_eq!(rig.jobs().await, jobs, "after {verdict:?}");
        let mut session = rig.open(STREAM).await;
        let mut pushes = 0;
        while pushes < jobs {
            pushes += pushed(&mut session).await.len() as u64;
        }
    }
}

#[tokio::test]
async fn sessions_of_before_a_failure_are_gone_after_it() {
    let mut rig = Rig::new().await;
    let session = rig.open(STREAM).await;
    let waiting = rig.hold_an_enqueue().await;
    rig.store.let_go(Verdict::StoreAndFail);
    unavailable(waiting.answer().await);
    rig.wait_for(is_serving).await;

    assert_eq!(rig.workers().await, 0);
    drop(session);
    assert_eq!(rig.workers().await, 0);
}

#[tokio::test]
async fn a_drain_outlasts_a_recovery() {
    let mut rig = Rig::new().await;
    within(rig.handle.drain()).await;
    let waiting = rig.hold_an_enqueue().await;
    rig.store.let_go(Verdict::StoreAndFail);
    unavailable(waiting.answer().await);
    rig.wait_for(is_serving).await;

    let mut session = rig.open(STREAM).await;
    enqueued(within(rig.handle.apply(enqueue("q", "stays"))).await);
    assert_eq!(rig.jobs().await, 2);
    assert_eq!(session.events.try_recv(), Err(TryRecvError::Empty));
}

#[tokio::test]
async fn a_drain_is_heard_while_the_store_is_down() {
    let mut rig = Rig::new().await;
    let waiting = rig.hold_an_enqueue().await;
    rig.store.set_broken(true);
    rig.store.let_go(Verdict::StoreAndFail);
    unavailable(waiting.answer().await);
    within(rig.handle.drain()).await;
    rig.store.set_broken(false);
    rig.wait_for(is_serving).await;

    let mut session = rig.open(STREAM).await;
    assert_eq!(rig.jobs().await, 1);
    assert_eq!(session.events.try_recv(), Err(TryRecvError::Empty));
}

#[tokio::test]
async fn a_stop_is_heard_while_the_store_is_down() {
    let mut rig = Rig::new().await;
    let waiting = rig.hold_an_enqueue().await;
    rig.store.set_broken(true);
    rig.store.let_go(Verdict::Fail);
    unavailable(waiting.answer().await);

    within(rig.handle.stop()).await;
    let problem = within(rig.joined.join()).await.unwrap_err().to_string();
    assert_eq!(
        problem,
        "stopped without a working store: a commit failed, and may or may not be stored: puppet: a commit failed: disk full"
    );
}

#[tokio::test]
async fn a_stop_whose_last_commit_fails_is_no_good_end() {
    let mut rig = Rig::new().await;
    let waiting = rig.hold_an_enqueue().await;
    let stop = rig.pend(|handle| async move { handle.stop().await });
    rig.store.let_go(Verdict::Fail);
    unavailable(waiting.answer().await);
    stop.answer().await;
    let end = within(rig.joined.join()).await;
    assert!(matches!(end, Err(EndError::StoreUnavailable { .. })), "{end:?}");
}

#[tokio::test]
async fn a_store_that_does_not_open_is_no_start() {
    let store = Puppeteer::new();
    store.set_broken(true);
    let source = Box::new(store.puppet.clone());
    let outcome = start(source, Arc::new(SystemClock::new()), Options::default());
    match outcome {
        Err(StartError::Store(error)) => {
            assert_eq!(error.to_string(), "puppet: a commit failed: disk full");
        }
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("it started"),
    }
}
