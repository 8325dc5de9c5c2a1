//! Durations and instants between the wire's types and std's. Owns how values that one side can't express are bent; knows no
//! message of the contract.

use std::time::{Duration, SystemTime};

use crate::error::{Error, Result};

/// To the wire. Beyond the wire's range: its largest value, which the server refuses by name.
pub(crate) fn duration_to_wire(duration: Duration) -> prost_types::Duration {
    prost_types::Duration::try_from(duration).unwrap_or(prost_types::Duration { seconds: i64::MAX, nanos: 0 })
}

/// From the wire. The contract sends no negative durations; one is taken as zero.
pub(crate) fn duration_from_wire(duration: prost_types::Duration) -> Duration {
    Duration::try_from(duration).unwrap_or(Duration::ZERO)
}

/// To the wire.
pub(crate) fn time_to_wire(time: SystemTime) -> prost_types::Timestamp {
    prost_types::Timestamp::from(time)
}

/// From the wire. An instant that this platform can't express is as good as unset.
pub(crate) fn time_from_wire(time: Option<prost_types::Timestamp>) -> Option<SystemTime> {
    time.and_then(|time| SystemTime::try_from(time).ok())
}

/// What an answer must have, or [`Error::UnexpectedAnswer`] naming it.
pub(crate) fn required<T>(field: Option<T>, what: &'static str) -> Result<T> {
    field.ok_or(Error::UnexpectedAnswer { what })
}

/// Narrows a number that the contract bounds; a server that breaks the bound gets the largest value.
pub(crate) fn saturate_u16(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_survive_the_round_trip_to_the_nanosecond() {
        for duration in [Duration::ZERO, Duration::from_nanos(1), Duration::new(5, 999_999_999)] {
            assert_eq!(duration_from_wire(duration_to_wire(duration)), duration);
        }
    }

    #[test]
    fn durations_beyond_the_wire_saturate_and_negative_ones_are_zero() {
        assert_eq!(duration_to_wire(Duration::MAX).seconds, i64::MAX);
        assert_eq!(duration_from_wire(prost_types::Duration { seconds: 0, nanos: -1 }), Duration::ZERO);
    }

    #[test]
    fn times_survive_the_round_trip_before_the_epoch_too() {
        for time in [
            SystemTime::UNIX_EPOCH,
            SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 1),
            SystemTime::UNIX_EPOCH - Duration::from_nanos(1),
        ] {
            assert_eq!(time_from_wire(Some(time_to_wire(time))), Some(time));
        }
        assert_eq!(time_from_wire(None), None);
    }

    #[test]
    fn a_missing_field_is_named() {
        let error = required(None::<u8>, "budget").expect_err("nothing is there");
        assert!(error.to_string().contains("budget"));
        assert_eq!(saturate_u16(65_536), u16::MAX);
    }
}
