//! How values are written on the command line and in JSON lines: durations, instants, bindings and pairs.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sluicegate_client::Binding;

/// The farthest from now that an instant may be written relatively: beyond it a typing error is likelier.
const OFFSET_MAX: Duration = Duration::from_secs(100 * 366 * 86_400);

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

/// An instant as it is written: absolute (`2030-01-31T12:00:00Z`), or from now (`now`, `+5m`, `-1h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Whenever now is.
    At(SystemTime),
    /// This much later than now.
    Later(Duration),
    /// This much earlier than now.
    Earlier(Duration),
}

impl When {
    /// The instant, for this `now`.
    pub fn instant(self, now: SystemTime) -> SystemTime {
        match self {
            When::At(time) => time,
            When::Later(offset) => now + offset,
            When::Earlier(offset) => now - offset,
        }
    }
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "now" {
            return Ok(When::Later(Duration::ZERO));
        }
        let (offset, when): (_, fn(Duration) -> When) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
            (Some(offset), _) => (offset, When::Later),
            (None, Some(offset)) => (offset, When::Earlier),
            (None, None) => {
                return instant(text).map(When::At).map_err(|problem| format!("{problem}, nor now, +5m or -1h"));
            }
        };
        match duration(offset)? {
            offset if offset <= OFFSET_MAX => Ok(when(offset)),
            _ => Err(format!("`{text}` is more than 100 years from now")),
        }
    }
}

/// Reads a binding: `KEY` costs 1, `KEY=COST`, `KEY:COST`.
pub(super) fn binding(text: &str) -> Result<Binding, String> {
    let (key, cost) = key_and_cost(text)?;
    Ok(Binding::new(key).cost(cost.unwrap_or(1)))
}

/// Reads a binding that says what it costs: `KEY=COST`, `KEY:COST`.
pub(super) fn costed_binding(text: &str) -> Result<Binding, String> {
    match key_and_cost(text)? {
        (key, Some(cost)) => Ok(Binding::new(key).cost(cost)),
        (key, None) => Err(format!("`{text}` says no cost; {key}=COST does")),
    }
}

/// Reads several bindings, each of another budget: `KEY[=COST],…`.
pub(super) fn binding_list(text: &str) -> Result<Vec<Binding>, String> {
    let mut bindings: Vec<Binding> = Vec::new();
    for part in text.split(',') {
        let binding = binding(part)?;
        if bindings.iter().any(|other| other.budget == binding.budget) {
            return Err(format!("`{}` is named twice", binding.budget));
        }
        bindings.push(binding);
    }
    Ok(bindings)
}

/// Reads a budget's key, and what follows it as its cost.
///
/// A colon is also part of keys. What follows the last one is the cost if it is a number, so a key that itself ends in one
/// needs its cost: `tenant:7=1`.
fn key_and_cost(text: &str) -> Result<(&str, Option<u64>), String> {
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
    let cost = cost.map(|cost| cost.parse().map_err(|_| format!("`{cost}` is no cost; a whole number of tokens is")));
    Ok((key, cost.transpose()?))
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

/// An instant for people who act on it: their clock's time, and how far it is from `now`.
pub(super) fn local(instant: SystemTime, now: SystemTime) -> String {
    in_zone(instant, now, TimeZone::system())
}

/// Rounded down to the second: what isn't to happen before it doesn't.
fn in_zone(instant: SystemTime, now: SystemTime, zone: TimeZone) -> String {
    match Timestamp::try_from(instant) {
        Ok(time) => {
            format!("{} ({})", time.to_zoned_datetime(zone).strftime("%Y-%m-%d %H:%M:%S %:z"), relative(instant, now))
        }
        Err(_) => relative(instant, now),
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
    fn a_cost_may_be_required_and_bindings_may_come_in_lists() {
        assert_eq!(costed_binding("tenant:7:2"), Ok(Binding::new("tenant:7").cost(2)));
        assert!(costed_binding("smtp").expect_err("no cost").contains("smtp=COST"));
        assert_eq!(binding_list("a=2,b"), Ok(vec![Binding::new("a").cost(2), Binding::new("b")]));
        assert!(binding_list("a=2,a").expect_err("twice").contains("twice"));
        assert!(binding_list("").is_err() && binding_list("a,").is_err());
    }

    #[test]
    fn instants_may_be_told_from_now() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let at = |text: &str| text.parse::<When>().map(|when| when.instant(now));
        assert_eq!(at("now"), Ok(now));
        assert_eq!(at("+1m30s"), Ok(now + Duration::from_secs(90)));
        assert_eq!(at("-1h"), Ok(now - Duration::from_secs(3600)));
        assert_eq!(at("1970-01-01T00:00:00Z"), Ok(SystemTime::UNIX_EPOCH));
        for text in ["", "5m", "+", "-", "+5", "+-5m", "tomorrow", "+200years"] {
            assert!(at(text).is_err(), "{text}");
        }
        assert!(at("5m").expect_err("no sign").contains("+5m"));
    }

    #[test]
    fn people_see_their_own_clock() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400);
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let later = now + Duration::from_millis(5_999);
        assert_eq!(in_zone(later, now, zone), "1970-01-02 02:00:05 +02:00 (in 5s)");
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
