//! The last value inside each bound of a length, and the first one outside; and how bounds are worded.

use super::super::command::SessionMode;
use super::super::job::{Unique, UniqueScope};
use super::super::testing::{open_session, plain_job};
use super::super::units::{LeaseId, SessionId};
use super::*;

const NOW: Timestamp = Timestamp(1_000);
const PAYLOAD_MAX: u32 = 1000;

fn long(bytes: usize) -> Name {
    "x".repeat(bytes).into()
}

/// The field that is refused.
fn refused(checked: Checked) -> Option<String> {
    match checked {
        Ok(()) => None,
        Err(Rejection::InvalidField { field, .. }) => Some(field),
        Err(other) => panic!("{other:?}"),
    }
}

/// `of(max)` is right, and `of(max + 1)` breaks the bound of this field.
fn bounded(field: &str, max: usize, of: impl Fn(usize) -> Checked) {
    assert_eq!(of(max), Ok(()), "{max} of {field}");
    assert_eq!(refused(of(max + 1)).as_deref(), Some(field), "one more than {max}");
}

fn job(change: impl Fn(&mut NewJob)) -> Checked {
    let mut new = plain_job();
    change(&mut new);
    new_job(&new, NOW, PAYLOAD_MAX)
}

fn open(change: impl Fn(&mut OpenSession)) -> Checked {
    let mut open = open_session(SessionId(1));
    change(&mut open);
    session(&open)
}

#[test]
fn what_a_job_carries_is_bounded() {
    bounded("queue", 128, |bytes| job(|job| job.queue = long(bytes)));
    bounded("json", 1000, |bytes| job(|job| job.body.payload = Payload::Json((*long(bytes)).into())));
    let pairs = |pairs: usize, bytes: usize| vec![("k".to_owned(), "v".repeat(bytes)); pairs];
    bounded("metadata", 64, |count| job(|job| job.body.metadata = pairs(count, 1)));
    bounded("metadata", 4096 - 2, |bytes| job(|job| job.body.metadata = vec![("ke".into(), "v".repeat(bytes))]));
    bounded("unique.key", 256, |bytes| {
        job(|job| job.unique = Some(Unique { key: long(bytes), scope: UniqueScope::Unfinished }))
    });
    let latest = (NOW + YEAR).0 as usize;
    bounded("run_time", latest, |at| job(|job| job.run_time = Some(Timestamp(at as i64))));
}

#[test]
fn what_one_command_names_is_bounded() {
    bounded("jobs", 10_000, |count| jobs(&vec![plain_job(); count], NOW, PAYLOAD_MAX));
    bounded("outcomes", 1000, |count| batch("outcomes", count));
    assert_eq!(refused(batch("outcomes", 0)).as_deref(), Some("outcomes"));
    bounded("queues", 64, |count| {
        open(|open| open.queues = (0..count).map(|number| number.to_string().into()).collect())
    });
    bounded("held_leases.lease_ids", 100_000, |count| {
        let held = Some(vec![LeaseId(1); count]);
        open(|open| open.mode = SessionMode::Stream { confirms_receipt: false, held: held.clone() })
    });
    let settled = |bytes: usize| {
        let verdict = Verdict::Success { result: Some(Box::from(vec![0; bytes])) };
        outcome(&Outcome { lease: LeaseId(1), verdict, usage: Vec::new(), throttled: Vec::new() })
    };
    assert_eq!(settled(64 * 1024), Ok(()));
    assert!(matches!(settled(64 * 1024 + 1), Err(Unsettled::Invalid { field, .. }) if &*field == "success.result"));
}

#[test]
fn a_span_is_shown_in_the_largest_unit_that_it_is_whole_in() {
    let shown = [
        (Nanos::ZERO, "0 s"),
        (Nanos(1), "1 ns"),
        (Nanos(1_500_000), "1500000 ns"),
        (Nanos::from_millis(1), "1 ms"),
        (Nanos::from_millis(1500), "1500 ms"),
        (Nanos::from_secs(90), "90 s"),
        (Nanos::from_hours(23), "23 h"),
        (Nanos::from_hours(24), "1 d"),
        (YEAR, "366 d"),
    ];
    for (nanos, text) in shown {
        assert_eq!(Shown(nanos).to_string(), text);
    }
}
