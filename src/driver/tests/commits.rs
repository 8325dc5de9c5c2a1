//! Nothing leaves before its commit (semantics 4.6, 10.1), and what arrives meanwhile shares the next (10.4).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::mpsc::error::TryRecvError;

use super::support::*;
use crate::clock::Clock;
use crate::driver::Options;
use crate::scheduler::units::{Nanos, Timestamp};
use crate::store::Durability;

/// Between two looks at this clock 0.3 ms pass.
#[derive(Default)]
struct PassingClock(AtomicI64);

impl Clock for PassingClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(300_000, Ordering::SeqCst))
    }
}

#[tokio::test]
async fn an_answer_waits_for_its_commit() {
    let mut rig = Rig::new().await;
    let mut enqueue = rig.hold_an_enqueue().await;

    enqueue.assert_unanswered();
    rig.store.let_go(Verdict::Succeed);
    enqueued(enqueue.answer().await);
}

#[tokio::test]
async fn a_push_waits_for_its_commit() {
    let mut rig = Rig::new().await;
    let mut session = rig.open(STREAM).await;
    let enqueue = rig.hold_an_enqueue().await;

    assert_eq!(session.events.try_recv(), Err(TryRecvError::Empty));
    rig.store.let_go(Verdict::Succeed);
    let job = enqueued(enqueue.answer().await);
    let jobs = pushed(&mut session).await;
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].lease.job, job);
    assert_eq!(jobs[0].body, body("held").into());
}

#[tokio::test]
async fn a_look_waits_for_the_commit_of_what_it_sees() {
    let mut rig = Rig::new().await;
    rig.store.hold();
    let first = rig.pend(|handle| async move { handle.apply(enqueue("q", "1")).await });
    rig.store.held().await;
    let second = rig.pend(|handle| async move { handle.apply(enqueue("q", "2")).await });
    let mut look = rig.pend(|handle| async move { handle.read(|_| ()).await });

    rig.store.pass(Verdict::Succeed);
    rig.store.held().await;
    look.assert_unanswered();
    rig.store.let_go(Verdict::Succeed);
    assert_eq!(look.answer().await, Ok(()));
    enqueued(first.answer().await);
    enqueued(second.answer().await);
}

#[tokio::test]
async fn a_look_reads_from_the_store_what_was_just_answered() {
    let rig = Rig::new().await;
    let job = enqueued(rig.handle.apply(enqueue("q", "payload")).await);
    let details = rig.handle.read(move |view| view.records.details(job));
    let details = within(details).await.unwrap().unwrap().unwrap();
    assert_eq!(details.body, body("payload"));
}

#[tokio::test]
async fn what_arrives_during_a_commit_shares_the_next() {
    let (mut rig, _clock) = Rig::on_manual_clock(Durability::Immediate).await;
    let before = rig.store.commits();
    let held = rig.hold_an_enqueue().await;
    let others: Vec<_> =
        (0..100).map(|_| rig.pend(|handle| async move { handle.apply(enqueue("q", "other")).await })).collect();

    rig.store.let_go(Verdict::Succeed);
    enqueued(held.answer().await);
    for other in others {
        enqueued(other.answer().await);
    }
    assert_eq!(rig.store.commits() - before, 2);
    assert_eq!(rig.jobs().await, 101);
}

#[tokio::test]
async fn what_takes_long_to_apply_shares_its_commit_with_little() {
    let mut rig = Rig::with(Arc::new(PassingClock::default()), Options::default()).await;
    let before = rig.store.commits();
    let held = rig.hold_an_enqueue().await;
    let others: Vec<_> =
        (0..30).map(|_| rig.pend(|handle| async move { handle.apply(enqueue("q", "other")).await })).collect();

    rig.store.let_go(Verdict::Succeed);
    enqueued(held.answer().await);
    for other in others {
        enqueued(other.answer().await);
    }
    assert_eq!(rig.store.commits() - before, 1 + 8, "four calls pass a millisecond");
    assert_eq!(rig.jobs().await, 31);
}

#[tokio::test]
async fn a_look_alone_commits_nothing() {
    let rig = Rig::new().await;
    let before = rig.store.commits();
    assert_eq!(rig.jobs().await, 0);
    assert_eq!(rig.store.commits(), before);
}

#[tokio::test]
async fn a_relaxed_commit_is_synced_after_40_ms_though_nobody_asks() {
    let (mut rig, clock) = Rig::on_manual_clock(Durability::Relaxed).await;
    enqueued(within(rig.handle.apply(enqueue("q", "which reserves ids, and is never relaxed"))).await);
    enqueued(within(rig.handle.apply(enqueue("q", "relaxed"))).await);

    clock.advance(Nanos(39_999_999));
    rig.jobs().await;
    rig.jobs().await;
    assert_eq!(rig.store.syncs(), 0, "a tick too early");

    clock.advance(Nanos(1));
    rig.store.synced().await;

    clock.advance(Nanos::from_secs(1));
    rig.jobs().await;
    rig.jobs().await;
    assert_eq!(rig.store.syncs(), 1, "nothing is left to sync");
}

#[tokio::test]
async fn a_stop_syncs_what_is_not_yet() {
    let (rig, _clock) = Rig::on_manual_clock(Durability::Relaxed).await;
    enqueued(within(rig.handle.apply(enqueue("q", "which reserves ids, and is never relaxed"))).await);
    enqueued(within(rig.handle.apply(enqueue("q", "relaxed"))).await);
    within(rig.handle.stop()).await;
    assert_eq!(rig.store.syncs(), 1);
}
