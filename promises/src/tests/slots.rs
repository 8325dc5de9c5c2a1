//! `while_in_flight` budgets, and what ends with them.

use super::*;
use crate::{Instant, Worst};

#[test]
fn slots_that_are_all_held_at_every_instant_are_proved() {
    let log = Log::new().pays(1, 1, "3 slots").pays(2, 2, "2 slots").ends(3, 1, "3 slots").pays(3, 3, "3 slots");
    let report = log.proved();
    let Some(Worst::Instant(Instant { mark, in_flight: 5, allocation: 5 })) = report.budgets[1].worst else {
        panic!("{report:?}")
    };
    assert_eq!((mark.line, report.in_flight), (7, 2));
}

#[test]
fn one_too_many_at_one_instant_is_refuted_with_those_who_hold_it() {
    let log = Log::new().pays(1, 1, "3 slots").pays(2, 2, "2 slots").pays(3, 3, "1 slots").ends(3, 1, "3 slots");
    let report = log.report();
    assert_eq!(report.breaches_total, 1);
    let fault = &report.breaches[0].fault;
    let Fault::OverAllocation { in_flight: 6, allocation: 5, holders, .. } = fault else { panic!("{fault}") };
    assert_eq!(*holders, [5, 7, 9]);
}

#[test]
fn a_shrink_lets_nothing_in_until_it_has_drained() {
    let three = Told { revision: 2, policy: r#""strategy":"while_in_flight","allocation":3"#, ..SLOTS };
    let log = Log::new().pays(1, 1, "2 slots").pays(1, 2, "2 slots").update(2, three);
    log.clone().ends(3, 1, "2 slots").pays(3, 3, "1 slots").proved();
    let fault = log.pays(3, 3, "1 slots").refuted();
    assert!(matches!(fault, Fault::OverAllocation { in_flight: 5, allocation: 3, .. }), "{fault}");
}

#[test]
fn what_was_cancelled_by_force_is_apart() {
    let log = Log::new().pays(1, 1, "5 slots").end_by(2, "force_cancelled", "l001", "j001", "5 slots");
    assert_eq!(log.pays(2, 2, "5 slots").proved().force_cancelled, 1);
}

#[test]
fn a_deleted_budget_has_nothing_in_flight() {
    let log = Log::new().pays(1, 1, "5 slots");
    log.clone().ends(2, 1, "5 slots").delete(2, "slots").create(2, SLOTS).proved();
    let fault = log.delete(2, "slots").refuted();
    assert_eq!(fault, Fault::DeletedInUse { budget: "slots".into(), holds: 1 });
}

#[test]
fn budgets_are_there_once() {
    let fault = Log::new().create(1, SLOTS).refuted();
    assert!(matches!(fault, Fault::BudgetExists { .. }), "{fault}");
    for log in [
        Log::new().delete(1, "other"),
        Log::new().update(1, Told { key: "other", ..SLOTS }),
        Log::new().adjust(1, Told { key: "other", ..RATE }),
        Log::new().pays(1, 1, "1 other"),
        Log::new().delete(1, "rate").pays(1, 1, "1 rate"),
    ] {
        assert!(matches!(log.refuted(), Fault::NoBudget { .. }));
    }
}
