//! `time_based` budgets: intervals, levels, refunds and changes.

use super::*;
use crate::{Amount, Worst};

fn amount(token_nanos: i128) -> Amount {
    Amount { token_nanos, duration: S.into() }
}

#[test]
fn a_rate_that_is_used_to_the_last_token_is_proved() {
    let mut log = Log::new().pays(0, 1, "10 rate");
    for n in 2..50 {
        log = log.pays(i64::from(n - 1) * S / 10, n, "1 rate");
    }
    let report = log.proved();
    let rate = &report.budgets[0];
    assert_eq!((rate.budget.as_str(), rate.dispatches, rate.cost), ("rate", 49, 58));
    let Some(Worst::Interval(interval, _)) = rate.worst else { panic!("{rate:?}") };
    assert_eq!((interval.margin, interval.first.line, interval.last.line), (0, 5, 5));
}

#[test]
fn one_nanosecond_too_early_is_refuted_with_the_interval() {
    let log = Log::new().pays(0, 1, "8 rate").pays(S, 2, "2 rate").pays(S, 3, "8 rate");
    log.proved();
    let faults = log.clone().pays(S + S / 10 - 1, 4, "1 rate").faults();
    let [Fault::OverCapacity { budget, interval, .. }, Fault::Unaffordable { cost: 1, level, .. }] = &*faults else {
        panic!("{faults:?}")
    };
    assert_eq!(budget, "rate");
    assert_eq!((interval.first.line, interval.last.line, interval.margin), (7, 11, -10));
    assert_eq!(*level, amount(i128::from(S) - 10));
    log.pays(S + S / 10, 4, "1 rate").proved();
}

#[test]
fn what_a_pool_holds_less_by_an_overrun_may_not_be_paid() {
    let log = Log::new().pays(0, 1, "1 rate").usage(0, "l001", 1, 6, -5 * i128::from(S)).ends(0, 1, "1 rate");
    log.clone().pays(0, 2, "4 rate").proved();
    let fault = log.pays(0, 2, "5 rate").refuted();
    assert_eq!(fault, Fault::Unaffordable { budget: "rate".into(), cost: 5, level: amount(4 * i128::from(S)) });
}

#[test]
fn an_overrun_is_debited_whole() {
    let log = Log::new().pays(0, 1, "1 rate");
    log.clone().usage(0, "l001", 1, 100, -99 * i128::from(S)).proved();
    let fault = log.usage(0, "l001", 1, 100, -98 * i128::from(S)).refuted();
    assert!(matches!(fault, Fault::Overrun { debited: 1, used: 100, .. }), "{fault}");
}

#[test]
fn a_refund_may_be_paid_again() {
    let log = Log::new().pays(0, 1, "10 rate").usage(0, "l001", 10, 4, 6 * i128::from(S)).ends(0, 1, "10 rate");
    let report = log.clone().pays(0, 2, "6 rate").proved();
    assert_eq!(report.budgets[0].refunded_milli, 6000);
    let faults = log.pays(0, 2, "7 rate").faults();
    assert!(matches!(&*faults, [Fault::OverCapacity { .. }, Fault::Unaffordable { .. }]), "{faults:?}");
}

#[test]
fn a_refund_is_no_more_than_was_not_used() {
    let log = Log::new().pays(0, 1, "10 rate");
    let fault = log.usage(0, "l001", 10, 4, 6 * i128::from(S) + 1).refuted();
    let allowed = amount(6 * i128::from(S));
    assert!(matches!(fault, Fault::Refund { allowed: found, .. } if found == allowed), "{fault}");
}

#[test]
fn a_refund_is_no_more_than_the_highest_level_since_leaves_room_for() {
    // The example of semantics 9.2, in tenths: at 0.9 s the pool holds 9 again, and the peak leaves room for one.
    let log = Log::new().pays(0, 1, "10 rate").pays(S * 9 / 10, 2, "8 rate");
    log.clone().usage(S * 9 / 10, "l001", 10, 0, i128::from(S)).proved();
    let fault = log.usage(S * 9 / 10, "l001", 10, 0, i128::from(S) + 1).refuted();
    assert!(matches!(fault, Fault::Refund { .. }), "{fault}");
}

#[test]
fn a_debit_is_refunded_once() {
    let half = 5 * i128::from(S);
    let log = Log::new().pays(0, 1, "10 rate").usage(0, "l001", 10, 5, half);
    let fault = log.usage(0, "l001", 10, 5, half).refuted();
    assert!(matches!(fault, Fault::Usage { problem: "reported before", .. }), "{fault}");
}

#[test]
fn use_counts_only_where_it_was_debited_from_a_rate() {
    let log = Log::new().pays(0, 1, "1 rate").pays(0, 2, "1 slots");
    let fault = log.clone().usage(0, "l002", 1, 0, 0).refuted();
    assert!(matches!(fault, Fault::Usage { .. }), "{fault}");
    let fault = log.usage(0, "l001", 2, 0, 0).refuted();
    assert!(matches!(fault, Fault::Usage { .. }), "{fault}");
}

const SLOWER: Told<'_> = Told {
    revision: 2,
    policy: r#""strategy":"time_based","allocation":1,"duration_ns":3000000000,"burst":20"#,
    level: Some(30_000_000_000),
    ..RATE
};

#[test]
fn a_change_carries_the_level_over_and_begins_a_stretch() {
    let log = Log::new().update(0, SLOWER);
    let report = log.clone().pays(0, 1, "10 rate").proved();
    assert_eq!(report.budgets[0].stretches, 2);
    let fault = log.pays(0, 1, "11 rate").refuted();
    assert!(matches!(fault, Fault::Unaffordable { .. }), "it may hold 20, and holds what was carried over: {fault}");
}

#[test]
fn a_level_that_was_carried_over_otherwise_is_refuted() {
    let told = Told { level: SLOWER.level.map(|level| level + 1), ..SLOWER };
    let fault = Log::new().update(0, told).refuted();
    assert!(matches!(fault, Fault::Level { .. }), "{fault}");
    let fault = Log::default().start(0, &[], &[]).create(0, RATE.holding(9)).refuted();
    assert!(matches!(fault, Fault::Level { rule: "2.3", .. }), "{fault}");
}

#[test]
fn intervals_over_a_change_are_not_promised() {
    let log = Log::new().pays(0, 1, "10 rate").ends(0, 1, "10 rate");
    let faster = Told {
        revision: 2,
        policy: r#""strategy":"time_based","allocation":1000,"duration_ns":1000000000,"burst":10"#,
        ..RATE
    };
    log.update(0, faster.holding(0)).pays(S / 100, 2, "10 rate").proved();
}

#[test]
fn a_change_that_is_not_told_shows_by_its_number() {
    let fault = Log::new().update(0, Told { revision: 3, ..RATE }).refuted();
    assert_eq!(fault, Fault::Revision { budget: "rate".into(), said: 3, expected: 2 });
}

#[test]
fn a_switch_takes_away_what_is_in_flight() {
    let drips = Told {
        key: "slots",
        revision: 2,
        policy: r#""strategy":"time_based","allocation":5,"duration_ns":1000000000"#,
        level: None,
    };
    let log = Log::new().pays(0, 1, "2 slots");
    log.clone().update(0, drips.holding(3)).pays(0, 2, "3 slots").proved();
    let fault = log.clone().update(0, drips.holding(5)).refuted();
    assert!(matches!(fault, Fault::Level { rule: "7.3", .. }), "{fault}");
    let back = log.update(0, drips.holding(3)).pays(0, 2, "3 slots").update(0, Told { revision: 3, ..SLOTS });
    let fault = back.pays(0, 3, "1 slots").refuted();
    assert!(matches!(fault, Fault::OverAllocation { in_flight: 6, .. }), "jobs in flight count: {fault}");
}

#[test]
fn what_an_operator_puts_in_may_be_paid_and_is_no_refund_of_what_was() {
    let log = Log::new().pays(0, 1, "10 rate").adjust(0, RATE.holding(7));
    log.clone().pays(0, 2, "7 rate").proved();
    let faults = log.clone().pays(0, 2, "8 rate").faults();
    assert!(matches!(&*faults, [Fault::OverCapacity { .. }, Fault::Unaffordable { .. }]), "{faults:?}");
    let fault = log.usage(0, "l001", 10, 9, 1).refuted();
    assert!(matches!(fault, Fault::Refund { .. }), "{fault}");
    let fault = Log::new().adjust(0, RATE.holding(11)).refuted();
    assert!(matches!(fault, Fault::Level { rule: "9.5", .. }), "{fault}");
}
