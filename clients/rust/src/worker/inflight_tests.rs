//! The life of leases in a worker's hand, without a stream, a handler or a clock.

use super::*;
use crate::binding::Binding;

const LEASE: Duration = Duration::from_secs(30);
const MANY: usize = 1000;

fn inflight() -> Inflight {
    Inflight::new(None, 7)
}

fn job(lease_id: &str) -> LeasedJob {
    let wire = wire::LeasedJob {
        lease: Some(wire::Lease {
            id: lease_id.into(),
            duration: Some(crate::convert::duration_to_wire(LEASE)),
            ..Default::default()
        }),
        job: Some(wire::Job::default()),
    };
    let mut job = LeasedJob::from_wire(wire).expect("it has a lease and a job");
    job.bindings = vec![Binding::new("api"), Binding::new("rate").cost(3)];
    job
}

/// Pushes a job and starts its handler.
fn start(inflight: &mut Inflight, lease_id: &str, now: Instant) -> LeaseId {
    let id = inflight.pushed(&job(lease_id), now).expect("a new lease");
    assert!(inflight.start(&id));
    id
}

fn settled(lease_id: &str, status: wire::SettleStatus) -> wire::SettleResult {
    wire::SettleResult { lease_id: lease_id.into(), status: status.into(), ..Default::default() }
}

fn extended(lease_id: &str, status: wire::ExtendStatus) -> wire::ExtendResult {
    wire::ExtendResult { lease_id: lease_id.into(), status: status.into(), ..Default::default() }
}

fn take(inflight: &mut Inflight) -> Vec<String> {
    inflight.take_settlements(MANY, usize::MAX).into_iter().map(|outcome| outcome.lease_id).collect()
}

#[test]
fn a_lease_is_held_until_its_settlement_is_confirmed() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let id = start(&mut inflight, "a", now);
    assert_eq!((inflight.len(), inflight.started()), (1, 1));

    assert!(inflight.settle(&id, Settlement::success("a"), now));
    assert!(!inflight.settle(&id, Settlement::release("a", None), now), "the first outcome counts");
    assert_eq!((inflight.len(), inflight.started()), (1, 0));
    assert_eq!(take(&mut inflight), ["a"]);
    assert_eq!(inflight.lease_ids(), ["a"], "unconfirmed: a Hello must still name it");

    assert_eq!(inflight.confirmed(&settled("a", wire::SettleStatus::Settled), now), Confirmation::Settled);
    assert!(inflight.is_empty());
    assert_eq!(inflight.confirmed(&settled("a", wire::SettleStatus::Settled), now), Confirmation::Unknown);
}

#[test]
fn a_push_that_is_held_already_is_ignored() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let id = start(&mut inflight, "a", now);
    assert_eq!(inflight.pushed(&job("a"), now), None);
    assert!(!inflight.start(&id));
    assert_eq!(inflight.started(), 1);
}

#[test]
fn the_first_settlement_goes_at_once_and_the_next_are_gathered_until_it_is_answered() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let ids: Vec<LeaseId> = (0..3).map(|i| start(&mut inflight, &format!("l{i}"), now)).collect();
    assert_eq!(inflight.settle_due(), None);

    inflight.settle(&ids[0], Settlement::success("l0"), now);
    assert_eq!(inflight.settle_due(), Some(now));
    assert_eq!(take(&mut inflight), ["l0"]);
    assert_eq!(inflight.settle_due(), None);

    inflight.settle(&ids[1], Settlement::success("l1"), now);
    inflight.settle(&ids[2], Settlement::success("l2"), now + Duration::from_millis(3));
    assert_eq!(inflight.settle_due(), Some(now + GATHER));

    inflight.confirmed(&settled("l0", wire::SettleStatus::Settled), now);
    assert_eq!(inflight.settle_due(), Some(now), "nothing is on its way: no reason to wait");
    assert_eq!(take(&mut inflight), ["l1", "l2"]);
}

#[test]
fn a_hundred_settlements_are_not_gathered_any_longer() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let first = start(&mut inflight, "first", now);
    inflight.settle(&first, Settlement::success("first"), now);
    assert_eq!(take(&mut inflight), ["first"]);
    for i in 0..GATHERED_MAX {
        assert_ne!(inflight.settle_due(), Some(now));
        let id = start(&mut inflight, &format!("l{i}"), now);
        inflight.settle(&id, Settlement::success(id.as_str()), now);
    }
    assert_eq!(inflight.settle_due(), Some(now));
}

#[test]
fn frames_are_bounded_in_number_and_bytes_and_never_empty() {
    let (mut inflight, now) = (inflight(), Instant::now());
    for i in 0..5 {
        let id = start(&mut inflight, &format!("l{i}"), now);
        inflight.settle(&id, Settlement::success_with(id.as_str(), vec![0; 1000]), now);
    }
    assert_eq!(inflight.take_settlements(2, usize::MAX).len(), 2);
    assert_eq!(inflight.take_settlements(MANY, 2100).len(), 2);
    assert!(inflight.settle_due().is_some());
    assert_eq!(inflight.take_settlements(MANY, 1).len(), 1, "one goes, however large it is");
    assert_eq!(inflight.settle_due(), None);
    assert!(inflight.take_settlements(MANY, 1).is_empty());
}

#[test]
fn after_a_reconnect_all_unconfirmed_settlements_are_sent_again() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let ids: Vec<LeaseId> = (0..3).map(|i| start(&mut inflight, &format!("l{i}"), now)).collect();
    inflight.settle(&ids[0], Settlement::success("l0"), now);
    assert_eq!(take(&mut inflight), ["l0"]);
    inflight.settle(&ids[1], Settlement::success("l1"), now);

    assert_eq!(inflight.lease_ids(), ["l0", "l1", "l2"]);
    let later = now + Duration::from_secs(1);
    let lost = ["l0".to_owned()];
    assert_eq!(inflight.welcomed(&lost, later), [], "what is being settled has no handler to stop");
    assert_eq!(inflight.settle_due(), Some(later));
    assert_eq!(take(&mut inflight), ["l0", "l1"]);

    assert_eq!(inflight.confirmed(&settled("l0", wire::SettleStatus::Gone), later), Confirmation::TooLate);
    let again = settled("l1", wire::SettleStatus::AlreadySettled);
    assert_eq!(inflight.confirmed(&again, later), Confirmation::Settled);
    assert_eq!(inflight.lease_ids(), ["l2"]);
    assert_eq!(inflight.settle_due(), None);
}

#[test]
fn a_reconnect_stops_the_handlers_of_lost_leases_and_extends_the_others_at_once() {
    let (mut inflight, now) = (inflight(), Instant::now());
    start(&mut inflight, "kept", now);
    let lost = start(&mut inflight, "lost", now);
    let waiting = inflight.pushed(&job("waiting"), now).expect("a new lease");
    let stops = inflight.welcomed(&["lost".into(), "waiting".into(), "never".into()], now);
    assert_eq!(stops, [(lost.clone(), CancelReason::LeaseLost), (waiting, CancelReason::LeaseLost)]);
    assert!(!inflight.settle(&lost, Settlement::success("lost"), now), "its outcome is dropped");
    assert_eq!((inflight.len(), inflight.started()), (1, 1));
    assert_eq!(inflight.extend_due(), Some(now));
    assert_eq!(inflight.take_extensions(now, MANY), ["kept"]);
    assert_eq!(inflight.receipts_due(), None, "the Hello has confirmed it");
}

#[test]
fn an_invalid_settlement_is_sent_again_bare_and_then_given_up() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let id = start(&mut inflight, "a", now);
    inflight.settle(&id, Settlement::success_with("a", "result").usage("other", 1), now);
    take(&mut inflight);

    let invalid = settled("a", wire::SettleStatus::Invalid);
    assert_eq!(inflight.confirmed(&invalid, now), Confirmation::Retried);
    let bare = inflight.take_settlements(MANY, usize::MAX);
    assert_eq!(bare, [Settlement::success("a").into_wire()]);
    assert_eq!(inflight.confirmed(&invalid, now), Confirmation::Abandoned);
    assert!(inflight.is_empty());
}

#[test]
fn leases_are_extended_together_after_a_third_and_never_while_settling() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let ids: Vec<LeaseId> = (0..20).map(|i| start(&mut inflight, &format!("l{i:02}"), now)).collect();
    let due = inflight.extend_due().expect("leases are held");
    assert!(due >= now + LEASE / 3 / 5 * 4 && due <= now + LEASE / 3, "{:?}", due - now);
    assert!(inflight.take_extensions(now, MANY).is_empty(), "nothing is due yet");

    inflight.settle(&ids[3], Settlement::success("l03"), now);
    let taken = inflight.take_extensions(due, MANY);
    assert_eq!(taken.len(), 19, "one timer takes all that are nearly due");
    assert!(!taken.contains(&"l03".to_owned()));
    let next = inflight.extend_due().expect("leases are held");
    assert!(next >= due + LEASE / 3 / 5 * 4 && next <= due + LEASE / 3);
}

#[test]
fn extensions_beyond_a_frame_stay_due() {
    let (mut inflight, now) = (inflight(), Instant::now());
    for i in 0..5 {
        start(&mut inflight, &format!("l{i}"), now);
    }
    let late = now + LEASE;
    let mut taken = inflight.take_extensions(late, 3);
    assert!(inflight.extend_due().expect("two are left") <= late);
    taken.extend(inflight.take_extensions(late, 3));
    taken.sort();
    assert_eq!(taken, ["l0", "l1", "l2", "l3", "l4"]);
}

#[test]
fn a_lease_is_not_extended_beyond_its_total() {
    let (mut inflight, now) = (Inflight::new(Some(LEASE / 2), 7), Instant::now());
    start(&mut inflight, "a", now);
    let due = inflight.extend_due().expect("the first third is within the total");
    assert_eq!(inflight.take_extensions(due, MANY), ["a"]);
    assert_eq!(inflight.extend_due(), None, "the second third would be beyond it");
    assert_eq!(inflight.len(), 1);
    inflight.welcomed(&[], now + LEASE);
    assert_eq!(inflight.extend_due(), None);
}

#[test]
fn an_extension_that_fails_stops_the_handler() {
    let now = Instant::now();
    for status in [wire::ExtendStatus::Lost, wire::ExtendStatus::Gone, wire::ExtendStatus::AlreadySettled] {
        let mut inflight = inflight();
        let id = start(&mut inflight, "a", now);
        let fine = extended("a", wire::ExtendStatus::Extended);
        assert_eq!(inflight.extended(&fine, now), None);
        let stop = inflight.extended(&extended("a", status), now);
        assert_eq!(stop, Some((id, CancelReason::LeaseLost)));
        assert_eq!((inflight.len(), inflight.started(), inflight.extend_due()), (0, 0, None));
        assert_eq!(inflight.extended(&extended("a", status), now), None);
    }
}

#[test]
fn a_cancelled_job_is_asked_to_stop_or_given_back_and_its_lease_lives_on() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let started = start(&mut inflight, "started", now);
    let waiting = inflight.pushed(&job("waiting"), now).expect("a new lease");

    let cancelled = wire::ExtendResult { cancel_requested: true, ..extended("started", wire::ExtendStatus::Extended) };
    assert_eq!(inflight.extended(&cancelled, now), Some((started.clone(), CancelReason::CancelRequested)));
    let stop = inflight.revoked("waiting", RevokeReason::CancelRequested, now);
    assert_eq!(stop, Some((waiting, CancelReason::CancelRequested)));
    assert_eq!(inflight.len(), 2);
    assert_eq!(take(&mut inflight), ["waiting"]);
    assert!(inflight.settle(&started, Settlement::release("started", None), now));
    assert_eq!(inflight.revoked("started", RevokeReason::CancelRequested, now), None);
}

#[test]
fn a_revoked_lease_is_lost_unless_it_is_being_settled() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let lost = start(&mut inflight, "lost", now);
    let settling = start(&mut inflight, "settling", now);
    inflight.settle(&settling, Settlement::success("settling"), now);
    assert_eq!(inflight.revoked("settling", RevokeReason::Expired, now), None);
    assert_eq!(inflight.revoked("lost", RevokeReason::Unspecified, now), Some((lost, CancelReason::LeaseLost)));
    assert_eq!(inflight.revoked("nobody", RevokeReason::Expired, now), None);
    assert_eq!(inflight.lease_ids(), ["settling"], "its answer is still to come");
}

#[test]
fn what_was_never_started_is_released_with_nothing_used() {
    let (mut inflight, now) = (inflight(), Instant::now());
    start(&mut inflight, "started", now);
    let waiting = inflight.pushed(&job("waiting"), now).expect("a new lease");
    assert_eq!(inflight.release_waiting(now), std::slice::from_ref(&waiting));
    assert!(!inflight.start(&waiting));

    let outcomes = inflight.take_settlements(MANY, usize::MAX);
    let expected = Settlement::release("waiting", None).usage("api", 0).usage("rate", 0);
    assert_eq!(outcomes, [expected.into_wire()]);
    assert_eq!(inflight.release_waiting(now), []);
}

#[test]
fn receipts_are_gathered_and_a_settlement_spares_its_own() {
    let (mut inflight, now) = (inflight(), Instant::now());
    let ids: Vec<LeaseId> = (0..4).map(|i| start(&mut inflight, &format!("l{i}"), now)).collect();
    assert_eq!(inflight.receipts_due(), Some(now + GATHER));
    inflight.settle(&ids[1], Settlement::success("l1"), now);
    inflight.revoked("l2", RevokeReason::Expired, now);
    assert_eq!(inflight.take_receipts(MANY), ["l0", "l3"]);
    assert_eq!(inflight.receipts_due(), None);

    for i in 0..GATHERED_MAX {
        start(&mut inflight, &format!("m{i}"), now);
    }
    assert_eq!(inflight.receipts_due(), Some(now));
    assert_eq!(inflight.take_receipts(60).len(), 60);
    assert_eq!(inflight.take_receipts(60).len(), 40);
}
