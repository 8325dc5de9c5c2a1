//! How a driver ends: told to, left alone, or by a bug.

use std::sync::Arc;

use super::support::*;
use crate::clock::SystemClock;
use crate::driver::{EndError, Options, SessionEvent, Status, start};
use crate::scheduler::view::JobFilter;

#[tokio::test]
async fn a_stop_commits_what_came_before_and_refuses_what_comes_after() {
    let mut rig = Rig::new().await;
    let held = rig.hold_an_enqueue().await;
    let before = rig.pend(|handle| async move { handle.apply(enqueue("q", "before")).await });
    let stop = rig.pend(|handle| async move { handle.stop().await });
    let after = rig.pend(|handle| async move { handle.apply(enqueue("q", "after")).await });

    rig.store.let_go(Verdict::Succeed);
    enqueued(held.answer().await);
    enqueued(before.answer().await);
    stop.answer().await;
    assert_eq!(unavailable(after.answer().await), "the server has stopped");
    unavailable(within(rig.handle.apply(enqueue("q", "later"))).await);
    within(rig.handle.stop()).await;
    within(rig.handle.drain()).await;
    assert_eq!(within(rig.joined.join()).await, Ok(()));

    let source = Box::new(rig.store.puppet.clone());
    let (handle, _joined) = start(source, Arc::new(SystemClock::new()), Options::default()).expect("it opens again");
    let count = handle.read(|view| view.scheduler.count_jobs(&JobFilter::default()));
    assert_eq!(within(count).await.unwrap().unwrap().total(), 2);
}

#[tokio::test]
async fn a_stop_ends_the_sessions() {
    let rig = Rig::new().await;
    let mut session = rig.open(STREAM).await;
    within(rig.handle.stop()).await;
    assert_eq!(within(session.events.recv()).await, None);
}

#[tokio::test]
async fn a_driver_that_nobody_holds_ends_by_itself() {
    let rig = Rig::new().await;
    let session = rig.open(STREAM).await;
    drop(rig.handle);
    drop(session);
    assert_eq!(within(rig.joined.join()).await, Ok(()));
}

#[tokio::test]
async fn a_panic_leaves_nobody_waiting_and_is_told_at_the_end() {
    let mut rig = Rig::new().await;
    let mut session = rig.open(STREAM).await;
    let held = rig.hold_an_enqueue().await;
    let look = rig.pend(|handle| async move { handle.read(|_| panic!("on purpose")).await });
    let behind = rig.pend(|handle| async move { handle.read(|_| ()).await });

    rig.store.let_go(Verdict::Succeed);
    enqueued(held.answer().await);
    unavailable::<()>(look.answer().await);
    unavailable(behind.answer().await);
    assert_eq!(pushed(&mut session).await.len(), 1);
    assert_eq!(within(session.events.recv()).await, Some(SessionEvent::StoreFailed));
    assert_eq!(within(session.events.recv()).await, None);

    let reason = "on purpose".to_owned();
    assert_eq!(within(rig.joined.join()).await, Err(EndError::Panicked { reason }));
    let status = rig.handle.status().borrow().clone();
    assert!(matches!(status, Status::Failed(problem) if problem.contains("on purpose")));
    let problem = unavailable(within(rig.handle.apply(enqueue("q", "late"))).await);
    assert!(problem.contains("on purpose"), "{problem}");
}

#[tokio::test]
async fn a_panic_stores_nothing_that_was_not_committed() {
    let mut rig = Rig::new().await;
    let before = rig.store.rows();
    rig.store.hold();
    let waiting = rig.pend(|handle| async move { handle.apply(enqueue("q", "lost")).await });
    rig.store.held().await;
    rig.store.let_go(Verdict::Panic);
    unavailable(waiting.answer().await);
    assert!(within(rig.joined.join()).await.is_err());
    assert_eq!(rig.store.rows(), before);
}
