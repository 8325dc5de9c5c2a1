//! Sessions open in order, hear what is theirs, and are never forgotten.

use std::sync::Arc;

use super::support::*;
use crate::clock::{Clock, SystemClock};
use crate::driver::{Options, Refusal};
use crate::scheduler::command::SessionMode;
use crate::scheduler::units::Nanos;
use crate::store::Durability;

#[tokio::test]
async fn bodies_of_earlier_commits_come_from_the_store() {
    let rig = Rig::new().await;
    let mut jobs = Vec::new();
    for payload in ["a", "b", "c"] {
        jobs.push(enqueued(within(rig.handle.apply(enqueue("q", payload))).await));
    }
    let mut session = rig.open(STREAM).await;
    let mut all = Vec::new();
    while all.len() < 3 {
        all.extend(pushed(&mut session).await);
    }
    let seen: Vec<_> = all.iter().map(|pushed| pushed.lease.job).collect();
    assert_eq!(seen, jobs);
    let bodies: Vec<_> = all.into_iter().map(|pushed| pushed.body).collect();
    assert_eq!(bodies, ["a", "b", "c"].map(|text| Arc::new(body(text))));
}

#[tokio::test]
async fn no_two_sessions_have_one_number() {
    let rig = Rig::new().await;
    let first = rig.open(STREAM).await.id;
    let second = rig.open(STREAM).await.id;
    assert_ne!(first, second);
}

#[tokio::test]
async fn the_end_of_a_session_is_heard_though_the_mailbox_is_full() {
    let options = Options { mailbox_max: 4, ..Options::default() };
    let mut rig = Rig::with(Arc::new(SystemClock::new()), options).await;
    enqueued(within(rig.handle.apply(enqueue("q", "makes the queue"))).await);
    let session = rig.open(STREAM).await;
    assert_eq!(rig.workers().await, 1);
    let held = rig.hold_an_enqueue().await;
    let looks: Vec<_> = (0..4).map(|_| rig.pend(|handle| async move { handle.read(|_| ()).await })).collect();
    let refused = within(rig.handle.apply(enqueue("q", "one too many"))).await;
    assert_eq!(refused, Err(Refusal::Overloaded { limit: 4 }));

    drop(session);
    rig.store.let_go(Verdict::Succeed);
    enqueued(held.answer().await);
    for look in looks {
        assert_eq!(look.answer().await, Ok(()));
    }
    assert_eq!(rig.workers().await, 0);
}

#[tokio::test]
async fn a_session_that_nobody_waited_for_is_closed_after_it_was_opened() {
    let mut rig = Rig::new().await;
    let held = rig.hold_an_enqueue().await;
    let opening = rig.pend(|handle| async move { handle.open_session(session("q", STREAM)).await });
    drop(opening);
    rig.store.let_go(Verdict::Succeed);
    enqueued(held.answer().await);
    assert_eq!(rig.workers().await, 0);
}

#[tokio::test]
async fn a_refused_session_leaves_nothing_behind() {
    let rig = Rig::new().await;
    let mut open = session("q", STREAM);
    open.lease = Nanos::ZERO;
    let refused = within(rig.handle.open_session(open)).await;
    assert!(matches!(refused, Err(Refusal::Rejected(_))), "{refused:?}");
    enqueued(within(rig.handle.apply(enqueue("q", "x"))).await);
    assert_eq!(rig.workers().await, 0);
}

#[tokio::test]
async fn a_one_shot_session_ends_with_its_first_push() {
    let (rig, clock) = Rig::on_manual_clock(Durability::Immediate).await;
    let until = clock.now() + Nanos::from_secs(1);
    let request = None;
    let mut once = rig.open(SessionMode::Once { until, request }).await;
    let job = enqueued(within(rig.handle.apply(enqueue("q", "x"))).await);
    let jobs = pushed(&mut once).await;
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].lease.job, job);
    assert_eq!(within(once.events.recv()).await, None);
}

#[tokio::test]
async fn a_one_shot_session_that_got_nothing_ends_at_its_time() {
    let (rig, clock) = Rig::on_manual_clock(Durability::Immediate).await;
    let until = clock.now() + Nanos::from_secs(1);
    let request = None;
    let mut once = rig.open(SessionMode::Once { until, request }).await;
    clock.advance(Nanos::from_secs(1));
    assert_eq!(pushed(&mut once).await, Vec::new());
    assert_eq!(within(once.events.recv()).await, None);
}

#[tokio::test]
async fn a_one_shot_session_that_is_dropped_takes_no_job() {
    let (rig, clock) = Rig::on_manual_clock(Durability::Immediate).await;
    let until = clock.now() + Nanos::from_secs(1);
    let request = None;
    drop(rig.open(SessionMode::Once { until, request }).await);
    let job = enqueued(within(rig.handle.apply(enqueue("q", "x"))).await);
    let lease = rig.handle.read(move |view| view.scheduler.job(job).map(|job| job.lease));
    assert_eq!(within(lease).await, Ok(Some(None)));
}

#[tokio::test]
async fn a_one_shot_session_that_does_not_wait_takes_what_is_there() {
    let (rig, clock) = Rig::on_manual_clock(Durability::Immediate).await;
    let job = enqueued(within(rig.handle.apply(enqueue("q", "x"))).await);
    let (until, request) = (clock.now(), None);
    let mut once = rig.open(SessionMode::Once { until, request }).await;
    let jobs = pushed(&mut once).await;
    assert_eq!(jobs.iter().map(|pushed| pushed.lease.job).collect::<Vec<_>>(), [job]);
    assert_eq!(within(once.events.recv()).await, None);

    let mut once = rig.open(SessionMode::Once { until: clock.now(), request: None }).await;
    assert_eq!(pushed(&mut once).await, Vec::new(), "and nothing where nothing is there");
    assert_eq!(within(once.events.recv()).await, None);
}

#[tokio::test]
async fn repeats_that_share_a_commit_get_the_same_leases_whole() {
    let mut rig = Rig::new().await;
    let until = SystemClock::new().now() + Nanos::from_secs(30);
    let once = || SessionMode::Once { until, request: Some("r".into()) };
    let job = enqueued(within(rig.handle.apply(enqueue("q", "x"))).await);
    assert_eq!(pushed(&mut rig.open(once()).await).await[0].lease.job, job);

    // What arrives while one commit is held shares the next.
    let held = rig.hold_an_enqueue().await;
    let (mut first, mut second, ()) = tokio::join!(rig.open(once()), rig.open(once()), async {
        tokio::task::yield_now().await;
        rig.store.let_go(Verdict::Succeed);
    });
    enqueued(held.answer().await);
    for again in [&mut first, &mut second] {
        let jobs = pushed(again).await;
        assert_eq!(jobs.iter().map(|pushed| pushed.lease.job).collect::<Vec<_>>(), [job]);
    }
}
