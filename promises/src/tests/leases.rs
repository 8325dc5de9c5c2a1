//! Leases and bindings: each hold begins and ends once, at the cost that was bound.

use super::*;

#[test]
fn a_hold_that_is_released_twice_is_refuted() {
    let log = Log::new().pays(1, 1, "2 slots").ends(2, 1, "2 slots");
    let fault = log.clone().ends(3, 1, "2 slots").refuted();
    assert_eq!(fault, Fault::NotLive { lease: "l001".into() });
    let fault = Log::new().pays(1, 1, "2 slots").ends(2, 1, "2 slots, 2 slots").refuted();
    assert!(matches!(fault, Fault::Released { .. }), "{fault}");
    let fault = log.usage(3, "l001", 1, 0, 0).refuted();
    assert_eq!(fault, Fault::NotLive { lease: "l001".into() });
}

#[test]
fn an_end_of_what_never_began_is_refuted() {
    let fault = Log::new().ends(1, 1, "").refuted();
    assert_eq!(fault, Fault::NotLive { lease: "l001".into() });
}

#[test]
fn a_hold_that_is_not_released_is_refuted() {
    let fault = Log::new().pays(1, 1, "2 slots, 1 rate").ends(2, 1, "1 rate").refuted();
    assert_eq!(fault.to_string(), "the lease l001 holds 1 of rate, 2 of slots, and released 1 of rate (semantics 5.5)");
}

#[test]
fn an_end_is_of_the_job_that_was_dispatched() {
    let fault = Log::new().pays(1, 1, "2 slots").end(2, "l001", "j002", "2 slots").refuted();
    assert!(matches!(fault, Fault::LeaseChanged { .. }), "{fault}");
}

#[test]
fn a_job_is_in_flight_once() {
    let log = Log::new().pays(1, 1, "1 slots");
    let fault = log.clone().dispatch(2, "l002", "j001", "1 slots").refuted();
    assert_eq!(fault, Fault::InFlight { job: "j001".into(), lease: "l001".into() });
    let released = log.end_by(2, "release", "l001", "j001", "1 slots");
    released.dispatch(2, "l002", "j001", "1 slots").proved();
}

#[test]
fn a_lease_id_is_used_once() {
    let log = Log::new().pays(1, 2, "1 slots").ends(2, 2, "1 slots").enqueue(3, "j", "1 slots");
    for lease in ["l001", "l002"] {
        let fault = log.clone().dispatch(3, lease, "j", "1 slots").refuted();
        assert!(matches!(fault, Fault::LeaseReused { .. }), "{fault}");
    }
}

#[test]
fn each_binding_is_debited_once_at_its_cost() {
    let log = Log::new().enqueue(1, "j", "2 slots, 1 rate");
    log.clone().dispatch(1, "l", "j", "1 rate, 2 slots").proved();
    for debits in ["2 slots", "1 slots, 1 rate", "2 slots, 1 rate, 1 rate", ""] {
        let fault = log.clone().dispatch(1, "l", "j", debits).refuted();
        assert!(matches!(fault, Fault::Debits { .. }), "{fault}");
    }
    let rebound = log.bind(1, "j", "3 slots");
    rebound.clone().dispatch(1, "l", "j", "3 slots").proved();
    let fault = rebound.dispatch(1, "l", "j", "2 slots, 1 rate").refuted();
    assert_eq!(
        fault.to_string(),
        "the job j is bound to 3 of slots, and was debited 1 of rate, 2 of slots (semantics 3.1)"
    );
}

#[test]
fn what_a_job_that_is_not_told_of_is_bound_to_is_learnt_from_its_first_dispatch() {
    let log = Log::new().dispatch(1, "l1", "j", "1 slots").end_by(2, "release", "l1", "j", "1 slots");
    assert_eq!(log.proved().jobs_unknown, 1);
    let end = Log::new().dispatch(1, "l1", "j", "1 slots, 1 slots").refuted();
    assert!(matches!(end, Fault::Debits { .. }), "{end}");
    let kept = Log { lines: log.lines.iter().map(|line| line.replace("completed", "ready")).collect() };
    let fault = kept.dispatch(3, "l2", "j", "2 slots").refuted();
    assert!(matches!(fault, Fault::Debits { .. }), "{fault}");
}
