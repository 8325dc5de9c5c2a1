//! How values are written on the command line and in JSON lines: durations, instants, bindings and pairs.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use sluicegate_client::Binding;

/// Reads a duration: `30s`, `1h 30m`, `1.5s`, `0`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("`{text}` is no duration such as 30s or 1h 30m: {error}"))
}

/// Reads an instant with its zone: `2030-01-31T12:00:00Z`, `2030-01-31T12:00:00+02:00`.
pub(super) fn instant(text: &str) -> Result<SystemTime, String> {
    text.parse::<Timestamp>()
        .and_then(SystemTime::try_from)
        .map_err(|_| format!("`{text}` is no instant such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00+02:00"))
}

/// Reads a binding: `KEY` costs 1, `KEY=COST`, `KEY:COST`.
///
/// A colon is also part of keys. What follows the last one is the cost if it is a number, so a key that itself ends in one
/// needs its cost: `tenant:7=1`.
pub(super) fn binding(text: &str) -> Result<Binding, String> {
    let (key, cost) = match text.rsplit_once('=') {
        Some((key, cost)) => (key, Some(cost)),
        None => match text.rsplit_once(':') {
            Some((key, cost)) if !cost.is_empty() && cost.bytes().all(|byte| byte.is_ascii_digit()) => {
                (key, Some(cost))
            }
            _ => (text, None),
        },
    };
    if key.is_empty() {
        return Err(format!("`{text}` names no budget; KEY or KEY=COST does"));
    }
    let binding = Binding::new(key);
    match cost {
        None => Ok(binding),
        Some(cost) => match cost.parse() {
            Ok(cost) => Ok(binding.cost(cost)),
            Err(_) => Err(format!("`{cost}` is no cost; a whole number of tokens is")),
        },
    }
}

/// Reads a pair: `KEY=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is no pair such as KEY=VALUE")),
    }
}

/// A budget and for how long it is to dispatch nothing: `BUDGET:DURATION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Throttle {
    pub budget: String,
    pub retry_after: Duration,
}

impl FromStr for Throttle {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once(':') {
            Some((budget, wait)) if !budget.is_empty() => {
                Ok(Self { budget: budget.to_owned(), retry_after: duration(wait)? })
            }
            _ => Err(format!("`{text}` is no budget with a duration such as smtp:30s")),
        }
    }
}

/// A duration for people: two units at most, so that it can be taken in at a glance.
pub(super) fn short(duration: Duration) -> impl fmt::Display {
    let rounded = match duration.as_secs() {
        0 => Duration::from_millis(u64::from(duration.subsec_millis())),
        1..3600 => Duration::from_secs(duration.as_secs()),
        secs @ 3600..86_400 => Duration::from_secs(secs - secs % 60),
        secs => Duration::from_secs(secs - secs % 3600),
    };
    humantime::format_duration(rounded)
}

/// An instant for people: how far it is from `now`.
pub(super) fn relative(instant: SystemTime, now: SystemTime) -> String {
    match instant.duration_since(now) {
        Ok(ahead) if ahead < Duration::from_millis(1) => "now".to_owned(),
        Ok(ahead) => format!("in {}", short(ahead)),
        Err(before) if before.duration() < Duration::from_millis(1) => "now".to_owned(),
        Err(before) => format!("{} ago", short(before.duration())),
    }
}

/// An instant for programs: RFC 3339, in UTC.
pub(super) fn rfc3339(instant: SystemTime) -> String {
    match Timestamp::try_from(instant) {
        Ok(instant) => instant.to_string(),
        // No server has such an instant; and if one did, it would be this far off.
        Err(_) => if instant < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX }.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_keys_with_or_without_a_cost() {
        let good = [
            ("smtp", "smtp", 1),
            ("smtp:3", "smtp", 3),
            ("smtp=3", "smtp", 3),
            ("tenant:7=2", "tenant:7", 2),
            ("tenant:7:2", "tenant:7", 2),
            ("tenant:seven", "tenant:seven", 1),
            ("a:", "a:", 1),
            ("a:b7", "a:b7", 1),
        ];
        for (text, key, cost) in good {
            assert_eq!(binding(text), Ok(Binding::new(key).cost(cost)), "{text}");
        }
        for text in ["", "=3", ":3", "a=", "a=x", "a=-1", "a=1.5", "a:99999999999999999999"] {
            assert!(binding(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_throttle_is_a_budget_and_a_duration() {
        let throttle = |budget: &str, secs| Throttle { budget: budget.into(), retry_after: Duration::from_secs(secs) };
        assert_eq!("smtp:30s".parse(), Ok(throttle("smtp", 30)));
        assert_eq!("tenant:7:1m".parse(), Ok(throttle("tenant:7", 60)));
        for text in ["smtp", ":30s", "smtp:", "smtp:30", "smtp:x"] {
            assert!(text.parse::<Throttle>().is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_units_and_instants_have_zones() {
        assert_eq!(duration("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        for text in ["", "5", "-1s", "soon"] {
            assert!(duration(text).is_err(), "{text}");
        }
        let noon = instant("1970-01-01T12:00:00Z").expect("an instant");
        assert_eq!(noon, SystemTime::UNIX_EPOCH + Duration::from_secs(43_200));
        assert_eq!(instant("1970-01-01T14:00:00+02:00"), Ok(noon));
        assert_eq!(instant(&rfc3339(noon)), Ok(noon));
        for text in ["", "1970-01-01", "1970-01-01T12:00:00", "noon"] {
            assert!(instant(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pairs_are_split_at_their_first_sign() {
        assert_eq!(pair("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert_eq!(pair("a="), Ok(("a".into(), String::new())));
        assert!(pair("=b").is_err() && pair("a").is_err());
    }

    #[test]
    fn people_see_two_units_at_most() {
        let cases = [
            (Duration::from_nanos(5_100_000), "5ms"),
            (Duration::from_millis(1_999), "1s"),
            (Duration::from_secs(3_725), "1h 2m"),
            (Duration::from_secs(90_061), "1day 1h"),
        ];
        for (duration, text) in cases {
            assert_eq!(short(duration).to_string(), text);
        }
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
        assert_eq!(relative(now, now), "now");
        assert_eq!(relative(now + Duration::from_secs(2), now), "in 2s");
        assert_eq!(relative(now - Duration::from_secs(61), now), "1m 1s ago");
    }
}
