//! Durations and instants of the wire, to the nanosecond; nothing is rounded.

use prost_types::{Duration, Timestamp as WireTimestamp};

use super::{At, Invalid};
use crate::scheduler::units::{Nanos, Timestamp};

const NANOS_PER_SEC: i64 = 1_000_000_000;
/// What `google.protobuf.Timestamp` can say: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z, in seconds since the epoch.
const TIMESTAMP_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// A span of time. Longer ones than 584 years saturate: every field's bound is far below.
pub fn span(at: &At<'_>, duration: Duration) -> Result<Nanos, Invalid> {
    let Duration { seconds, nanos } = duration;
    if !(0..NANOS_PER_SEC).contains(&i64::from(nanos).abs()) || (seconds > 0 && nanos < 0) {
        return Err(
            at.invalid(format!("has {nanos} nanos; -999999999..=999999999 of the sign of its seconds are valid"))
        );
    }
    let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u64::try_from(nanos)) else {
        return Err(at.invalid("is negative"));
    };
    Ok(Nanos(seconds.saturating_mul(NANOS_PER_SEC as u64).saturating_add(nanos)))
}

/// A span of time, if there is one.
pub fn optional_span(at: &At<'_>, duration: Option<Duration>) -> Result<Option<Nanos>, Invalid> {
    duration.map(|duration| span(at, duration)).transpose()
}

/// An instant. Those before 1677 and after 2262 saturate (semantics 2.5).
pub fn instant(at: &At<'_>, timestamp: WireTimestamp) -> Result<Timestamp, Invalid> {
    let WireTimestamp { seconds, nanos } = timestamp;
    if !TIMESTAMP_SECONDS.contains(&seconds) || !(0..NANOS_PER_SEC).contains(&i64::from(nanos)) {
        return Err(
            at.invalid(format!("has {seconds} seconds and {nanos} nanos, which is outside the years 1 to 9999"))
        );
    }
    Ok(Timestamp(seconds.saturating_mul(NANOS_PER_SEC).saturating_add(i64::from(nanos))))
}

/// An instant, if there is one.
pub fn optional_instant(at: &At<'_>, timestamp: Option<WireTimestamp>) -> Result<Option<Timestamp>, Invalid> {
    timestamp.map(|timestamp| instant(at, timestamp)).transpose()
}

/// A span for the wire.
pub fn wire_span(span: Nanos) -> Duration {
    let per_sec = NANOS_PER_SEC as u64;
    Duration {
        seconds: i64::try_from(span.0 / per_sec).expect("u64 nanoseconds are few enough seconds"),
        nanos: i32::try_from(span.0 % per_sec).expect("a remainder below 10⁹"),
    }
}

/// An instant for the wire.
pub fn wire_instant(instant: Timestamp) -> WireTimestamp {
    WireTimestamp {
        seconds: instant.0.div_euclid(NANOS_PER_SEC),
        nanos: i32::try_from(instant.0.rem_euclid(NANOS_PER_SEC)).expect("a remainder below 10⁹"),
    }
}

/// The end of a block for the wire; one without an end is left out.
pub fn wire_end(until: Option<Timestamp>) -> Option<WireTimestamp> {
    until.filter(|until| *until < Timestamp::MAX).map(wire_instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_field<T>(check: impl FnOnce(&At<'_>) -> T) -> T {
        check(&At::Root.field("timeout"))
    }

    #[test]
    fn spans_are_exact_and_never_negative() {
        let good = [
            (0, 0, 0),
            (0, 1, 1),
            (0, 999_999_999, 999_999_999),
            (1, 0, 1_000_000_000),
            (86_400, 1, 86_400_000_000_001),
            (18_446_744_073, 709_551_615, u64::MAX),
            (18_446_744_073, 709_551_616, u64::MAX),
            (i64::MAX, 999_999_999, u64::MAX),
        ];
        for (seconds, nanos, expected) in good {
            let duration = Duration { seconds, nanos };
            assert_eq!(at_field(|at| span(at, duration)), Ok(Nanos(expected)), "{duration:?}");
        }
        let bad = [(0, -1), (-1, 0), (-1, 1), (i64::MIN, 0), (0, 1_000_000_000), (0, i32::MIN), (1, -1)];
        for (seconds, nanos) in bad {
            let duration = Duration { seconds, nanos };
            let invalid = at_field(|at| span(at, duration)).unwrap_err();
            assert_eq!(invalid.field, "timeout", "{duration:?}");
        }
    }

    #[test]
    fn instants_are_exact_and_saturate() {
        let good = [
            (0, 0, 0),
            (0, 1, 1),
            (-1, 999_999_999, -1),
            (-1, 0, -1_000_000_000),
            (1_700_000_000, 5, 1_700_000_000_000_000_005),
            (9_223_372_036, 854_775_806, i64::MAX - 1),
            (9_223_372_036, 854_775_807, i64::MAX),
            (9_223_372_036, 854_775_808, i64::MAX),
            (253_402_300_799, 999_999_999, i64::MAX),
        ];
        for (seconds, nanos, expected) in good {
            let timestamp = WireTimestamp { seconds, nanos };
            assert_eq!(at_field(|at| instant(at, timestamp)), Ok(Timestamp(expected)), "{timestamp:?}");
        }
        for (seconds, nanos) in
            [(0, -1), (0, 1_000_000_000), (253_402_300_800, 0), (-62_135_596_801, 0), (i64::MAX, 0), (i64::MIN, 0)]
        {
            let timestamp = WireTimestamp { seconds, nanos };
            assert!(at_field(|at| instant(at, timestamp)).is_err(), "{timestamp:?}");
        }
    }

    #[test]
    fn what_goes_out_comes_back() {
        for nanos in [0, 1, 999_999_999, 1_000_000_000, 1_000_000_001, u64::MAX - 1, u64::MAX] {
            let duration = wire_span(Nanos(nanos));
            assert_eq!(at_field(|at| span(at, duration)), Ok(Nanos(nanos)));
        }
        for nanos in [-1_000_000_001, -1, 0, 1, 1_000_000_000, i64::MAX - 1, i64::MAX] {
            let timestamp = wire_instant(Timestamp(nanos));
            assert_eq!(at_field(|at| instant(at, timestamp)), Ok(Timestamp(nanos)), "{timestamp:?}");
        }
        assert_eq!(wire_end(Some(Timestamp::MAX)), None);
        assert_eq!(wire_end(None), None);
        assert!(wire_end(Some(Timestamp(i64::MAX - 1))).is_some());
    }
}
