//! Starts: what they say must follow from the lines before, as far as none can be missing.

use super::*;
use crate::Gap;

/// Nine of ten are spent at 0, so half a second later there are six.
fn spent() -> Log {
    Log::new().pays(0, 1, "9 rate, 2 slots")
}

const LIVE: &str = "l001 j001 9 rate, 2 slots";

#[test]
fn a_restart_that_keeps_all_is_proved() {
    let stopped = spent().stop(S / 4).start(S / 2, &[SLOTS, RATE.holding(6)], &[LIVE]);
    assert_eq!(stopped.proved().gaps, []);
    let killed = spent().start(S / 2, &[SLOTS, RATE.holding(6)], &[LIVE]);
    let report = killed.pays(S / 2, 2, "6 rate, 3 slots").ends(S, 1, "9 rate, 2 slots").proved();
    assert_eq!((report.starts, report.gaps.len()), (2, 1));
    assert!(report.gaps[0].is_closed());
}

#[test]
fn one_token_too_many_in_an_interval_over_a_restart_is_refuted() {
    let log = spent().start(S / 2, &[SLOTS, RATE.holding(6)], &[LIVE]);
    let faults = log.pays(S / 2, 2, "7 rate").faults();
    let [Fault::OverCapacity { interval, .. }, Fault::Unaffordable { .. }] = &*faults else { panic!("{faults:?}") };
    assert_eq!((interval.first.line, interval.last.line), (5, 8));
}

#[test]
fn a_restart_that_puts_tokens_in_is_refuted() {
    for log in [spent(), spent().stop(0)] {
        let fault = log.start(S / 2, &[SLOTS, RATE.holding(7)], &[LIVE]).refuted();
        assert!(matches!(fault, Fault::LevelAtStart { .. }), "{fault}");
    }
}

#[test]
fn a_restart_that_takes_tokens_is_refuted_where_no_line_can_be_missing() {
    let less = |log: Log| log.start(S / 2, &[SLOTS, RATE.holding(5)], &[LIVE]);
    let fault = less(spent().stop(0)).refuted();
    assert!(matches!(fault, Fault::LevelAtStart { .. }), "{fault}");
    assert_eq!(less(spent()).proved().gaps[0].levels, 1);
}

#[test]
fn what_was_dispatched_unseen_counts_as_dispatched_at_the_start() {
    let log = spent().start(S / 2, &[SLOTS, RATE.holding(4)], &[LIVE, "l002 j002 2 rate, 3 slots"]);
    let report = log.clone().pays(S / 2, 3, "4 rate").proved();
    let gap = Gap { line: 6, from: 0, to: S / 2, ended: 0, dispatched: 1, levels: 1, changed: 0 };
    assert_eq!(report.gaps, [gap]);
    assert_eq!((report.budgets[0].dispatches, report.budgets[0].cost), (3, 15));
    let faults = log.clone().pays(S / 2, 3, "5 rate").faults();
    assert!(matches!(&*faults, [Fault::OverCapacity { .. }, Fault::Unaffordable { .. }]), "{faults:?}");
    let fault = log.pays(S / 2, 3, "1 slots").refuted();
    assert!(matches!(fault, Fault::OverAllocation { .. }), "{fault}");
}

#[test]
fn what_ended_unseen_may_have_been_refunded_and_no_more() {
    let log = Log::new().pays(0, 1, "3 rate").pays(0, 2, "7 rate");
    let second = "l002 j002 7 rate";
    log.clone().start(0, &[SLOTS, RATE.holding(3)], &[second]).pays(0, 3, "3 rate").proved();
    let fault = log.clone().start(0, &[SLOTS, RATE.holding(4)], &[second]).refuted();
    assert!(matches!(fault, Fault::LevelAtStart { .. }), "{fault}");
    let fault = log.stop(0).start(0, &[SLOTS, RATE.holding(0)], &[second]).refuted();
    assert_eq!(fault, Fault::Start { what: "the lease l001 is gone".into() });
}

#[test]
fn slots_are_not_exceeded_because_the_server_restarted() {
    let log = Log::new().pays(0, 1, "3 slots").start(1, &[SLOTS, RATE], &["l001 j001 3 slots", "l002 j002 3 slots"]);
    assert_eq!(log.refuted(), Fault::HeldAtStart { budget: "slots".into(), in_flight: 6, allocation: 5 });
    let fault = Log::new().pays(0, 1, "3 slots").start(1, &[SLOTS, RATE], &[]).pays(1, 2, "5 slots");
    assert_eq!(fault.proved().gaps[0].ended, 1);
}

#[test]
fn a_lease_is_the_same_after_a_restart() {
    for other in ["l001 j001 8 rate, 2 slots", "l001 j009 9 rate, 2 slots"] {
        let faults = spent().start(S / 2, &[SLOTS, RATE.holding(6)], &[other]).faults();
        assert!(matches!(faults[0], Fault::LeaseChanged { .. }), "{faults:?}");
    }
    let twice = spent().start(S / 2, &[SLOTS, RATE.holding(6)], &[LIVE, "l002 j001 "]);
    assert!(matches!(twice.refuted(), Fault::InFlight { .. }));
}

#[test]
fn budgets_that_came_changed_or_went_unseen_are_told_of() {
    let other = Told { key: "other", ..SLOTS };
    let fewer = Told { revision: 2, policy: r#""strategy":"while_in_flight","allocation":1"#, ..SLOTS };
    let log = |log: Log| log.start(S / 2, &[fewer, other], &["l001 j001 2 slots"]);
    let begun = Log::new().pays(0, 1, "2 slots");
    assert_eq!(log(begun.clone()).proved().gaps[0].changed, 3);
    let fault = log(begun.clone()).pays(S, 2, "1 slots").refuted();
    assert!(matches!(fault, Fault::OverAllocation { in_flight: 3, allocation: 1, .. }), "{fault}");
    assert_eq!(log(begun.stop(0)).faults().len(), 3);
}

#[test]
fn a_log_may_begin_on_a_store_that_has_seen_much() {
    let log = Log::default().start(S, &[SLOTS, RATE.holding(2)], &["l001 j001 9 rate, 7 slots"]);
    assert_eq!(log.clone().pays(S, 2, "2 rate").proved().gaps, []);
    let fault = log.clone().pays(S, 2, "3 rate").refuted();
    assert!(matches!(fault, Fault::Unaffordable { .. }), "{fault}");
    let fault = log.clone().pays(S, 2, "1 slots").refuted();
    assert!(matches!(fault, Fault::OverAllocation { .. }), "{fault}");
    let fault = log.usage(S, "l001", 9, 0, 1).refuted();
    assert!(matches!(fault, Fault::Refund { .. }), "of what is not known nothing comes back: {fault}");
}

#[test]
fn what_is_stored_is_not_told_by_a_start() {
    // It was spent at some time before; a clock that is set back finds it as it was left then.
    let begins = Log::default().start(S, &[SLOTS, RATE.holding(10)], &[]);
    begins.stop(S).start(S / 2, &[SLOTS, RATE.holding(1)], &[]).proved();
    // Or the clock was set back before the log began, and hasn't caught up: the pool stands still over a restart.
    let begins = Log::default().start(S, &[SLOTS, RATE.holding(1)], &[]);
    begins.stop(S * 3 / 2).start(S * 3 / 2, &[SLOTS, RATE.holding(1)], &[]).proved();
    // Or in a gap.
    let gap = Log::new().start(S, &[SLOTS, RATE.holding(9)], &[]);
    gap.stop(S).start(S / 2, &[SLOTS, RATE.holding(1)], &[]).proved();
    let told = Log::new().pays(S, 1, "1 rate").ends(S, 1, "1 rate").stop(S);
    let fault = told.start(S / 2, &[SLOTS, RATE.holding(8)], &[]).refuted();
    assert!(matches!(fault, Fault::LevelAtStart { .. }), "{fault}");
}

#[test]
fn how_long_a_pool_dripped_before_a_kill_is_not_told_where_the_clock_was_set_back() {
    let rises = |at| Log::new().pays(S, 1, "10 rate").start(at, &[SLOTS, RATE.holding(4)], &["l001 j001 10 rate"]);
    rises(S / 2).pays(S / 2, 2, "4 rate").proved();
    let fault = rises(S).refuted();
    assert!(matches!(fault, Fault::LevelAtStart { .. }), "{fault}");
}

#[test]
fn bindings_that_may_have_changed_unseen_are_not_judged() {
    let log = Log::new().enqueue(0, "j", "1 slots").start(1, &[SLOTS, RATE], &[]);
    let report = log.clone().dispatch(1, "l", "j", "2 slots").proved();
    assert_eq!(report.bindings_unknown, 1);
    let fault = log.bind(1, "j", "3 slots").dispatch(1, "l", "j", "2 slots").refuted();
    assert!(matches!(fault, Fault::Debits { .. }), "{fault}");
}

#[test]
fn a_clock_that_was_set_back_between_runs_gives_nothing() {
    // Spent at 1 s; the server ended at 1.5 s, and begins again at 0.2 s.
    let log = Log::new().pays(S, 1, "10 rate").stop(S * 3 / 2);
    let live = "l001 j001 10 rate";
    for tokens in [0, 5] {
        log.clone().start(S / 5, &[SLOTS, RATE.holding(tokens)], &[live]).proved();
    }
    let fault = log.clone().start(S / 5, &[SLOTS, RATE.holding(6)], &[live]).refuted();
    assert!(matches!(fault, Fault::LevelAtStart { .. }), "{fault}");
    // The pool isn't touched meanwhile: a second start that is earlier still may find it as it was left.
    let log = log.start(S / 5, &[SLOTS, RATE.holding(5)], &[live]).stop(S / 5);
    let log = log.start(S / 6, &[SLOTS, RATE.holding(2)], &[live]).stop(S / 5);
    log.clone().start(S / 6, &[SLOTS, RATE.holding(0)], &[live]).proved();
    let log = log.start(S / 5, &[SLOTS, RATE.holding(0)], &[live]);
    log.clone().pays(S * 3 / 10, 2, "1 rate").proved();
    let faults = log.pays(S * 3 / 10 - 1, 2, "1 rate").faults();
    assert!(matches!(&*faults, [Fault::Unaffordable { .. }]), "{faults:?}");
}
