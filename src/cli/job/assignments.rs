//! `--set`: what is to become of jobs, in words. Owns the words; bounds are the server's to check.

use std::str::FromStr;
use std::time::{Duration, SystemTime};

use sluicegate_client::{Backoff, JobPatch, Retention};

use crate::cli::values::{When, duration};

const FIELDS: &str = "queue, type, priority, run-time, max-attempts, timeout, backoff or retention";

pub(super) const LONG_HELP: &str = "\
What to change: one field in each --set. `default` in place of a value sets what an enqueue that says nothing sets.

  queue=NAME           moves them to this queue
  type=TYPE            gives them this type; type= takes it away
  priority=N           0 is the most urgent, 65535 the least
  run-time=INSTANT     2030-01-31T12:00:00Z, now or +5m; at most 366d from now. Ends a
                       backoff or delay; the rank is a new one
  max-attempts=N       1 to 1000 failed attempts after which they are dead
  timeout=DURATION     the longest one attempt may take, 1ms to 24h, or none
  backoff=DURATION     the same delay before each retry, up to 24h, or its parts:
                       initial:1s,max:1h,multiplier:200,jitter:20 (percent)
  retention=PARTS      how long they are kept once they are over, up to 366d each:
                       completed:1h,dead:7d,cancelled:1d

Backoff and retention are set whole: a part that isn't named is set to its default.";

/// The change that assignments `FIELD=VALUE` make together; instants are told from `now`.
pub(super) fn patch(assignments: &[String], now: SystemTime) -> Result<JobPatch, String> {
    let mut fields: Vec<&str> = Vec::new();
    let mut patch = JobPatch::new();
    for assignment in assignments {
        let (field, value) = assignment
            .split_once('=')
            .ok_or_else(|| format!("`{assignment}` is no assignment such as priority=5; the fields are {FIELDS}"))?;
        if fields.contains(&field) {
            return Err(format!("{field} is set twice"));
        }
        fields.push(field);
        patch = set(patch, field, value, now).map_err(|problem| format!("{field}: {problem}"))?;
    }
    Ok(patch)
}

fn set(patch: JobPatch, field: &str, value: &str, now: SystemTime) -> Result<JobPatch, String> {
    let value = Some(value).filter(|value| *value != "default");
    Ok(match field {
        "queue" => patch.queue(value.ok_or("there is no default")?),
        "type" => patch.job_type(value.unwrap_or_default()),
        "priority" => patch.priority(value.map(|text| number(text, 0..=u16::MAX)).transpose()?),
        "run-time" => patch.run_at(value.map(|text| text.parse::<When>()).transpose()?.map(|when| when.instant(now))),
        "max-attempts" => patch.max_attempts(value.map(|text| number(text, 1..=1000)).transpose()?),
        "timeout" => patch.timeout(value.filter(|text| *text != "none").map(duration).transpose()?),
        "backoff" => patch.backoff(value.map(backoff).transpose()?),
        "retention" => patch.retention(value.map(retention).transpose()?),
        _ => return Err(format!("no field that can be set; these are: {FIELDS}")),
    })
}

fn number<N>(text: &str, bounds: std::ops::RangeInclusive<N>) -> Result<N, String>
where
    N: FromStr + PartialOrd + std::fmt::Display,
{
    let number = text.parse().ok().filter(|number| bounds.contains(number));
    number.ok_or_else(|| format!("`{text}` is no number from {} to {}", bounds.start(), bounds.end()))
}

fn backoff(text: &str) -> Result<Backoff, String> {
    if !text.contains(':') {
        return duration(text).map(Backoff::constant);
    }
    let mut backoff = Backoff::default();
    for (part, value) in parts(text)? {
        match part {
            "initial" => once(&mut backoff.initial, part, duration(value)?)?,
            "max" => once(&mut backoff.max, part, duration(value)?)?,
            "multiplier" => once(&mut backoff.multiplier_percent, part, number(value, 100..=1000)?)?,
            "jitter" => once(&mut backoff.jitter_percent, part, number(value, 0..=100)?)?,
            _ => return Err(format!("`{part}` is neither initial, max, multiplier nor jitter")),
        }
    }
    Ok(backoff)
}

fn retention(text: &str) -> Result<Retention, String> {
    let mut retention = Retention::default();
    for (part, value) in parts(text)? {
        let kept: Duration = duration(value)?;
        match part {
            "completed" => once(&mut retention.completed, part, kept)?,
            "dead" => once(&mut retention.dead, part, kept)?,
            "cancelled" => once(&mut retention.cancelled, part, kept)?,
            _ => return Err(format!("`{part}` is neither completed, dead nor cancelled")),
        }
    }
    Ok(retention)
}

/// `NAME:VALUE,NAME:VALUE` as pairs.
fn parts(text: &str) -> Result<Vec<(&str, &str)>, String> {
    text.split(',')
        .map(|part| part.split_once(':').ok_or_else(|| format!("`{part}` is no pair such as NAME:VALUE")))
        .collect()
}

fn once<T>(slot: &mut Option<T>, name: &str, value: T) -> Result<(), String> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("{name} is named twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;
    const SECOND: Duration = Duration::from_secs(1);

    fn made(assignments: &[&str]) -> Result<JobPatch, String> {
        let assignments: Vec<String> = assignments.iter().map(|text| (*text).to_owned()).collect();
        patch(&assignments, NOW)
    }

    #[test]
    fn assignments_make_a_patch() {
        let all = [
            "queue=q",
            "type=",
            "priority=0",
            "run-time=+1s",
            "max-attempts=3",
            "timeout=1s",
            "backoff=initial:1s,multiplier:150",
            "retention=completed:1h,dead:0s",
        ];
        let backoff = Backoff { initial: Some(SECOND), multiplier_percent: Some(150), ..Backoff::default() };
        let hour = Some(SECOND * 3600);
        let expected = JobPatch::new()
            .queue("q")
            .job_type("")
            .priority(0)
            .run_at(NOW + SECOND)
            .max_attempts(3)
            .timeout(SECOND)
            .backoff(backoff)
            .retention(Retention { completed: hour, dead: Some(Duration::ZERO), cancelled: None });
        assert_eq!(made(&all), Ok(expected));
        assert_eq!(made(&["backoff=1s"]), Ok(JobPatch::new().backoff(Backoff::constant(SECOND))));
    }

    #[test]
    fn defaults_come_back_by_name() {
        let all = ["priority", "run-time", "max-attempts", "backoff", "retention"];
        let assignments: Vec<String> = all.iter().map(|field| format!("{field}=default")).collect();
        let expected = JobPatch::new().priority(None).run_at(None).max_attempts(None).backoff(None).retention(None);
        assert_eq!(patch(&assignments, NOW), Ok(expected));
        for none in ["timeout=none", "timeout=default"] {
            assert_eq!(made(&[none]), Ok(JobPatch::new().timeout(None)));
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_field() {
        let cases: [(&[&str], &str); 11] = [
            (&["priority"], "priority=5"),
            (&["payload=1"], "payload: no field"),
            (&["priority=1", "priority=2"], "priority is set twice"),
            (&["priority=65536"], "0 to 65535"),
            (&["max-attempts=0"], "1 to 1000"),
            (&["queue=default"], "no default"),
            (&["run-time=5m"], "run-time: "),
            (&["timeout=5"], "timeout: "),
            (&["backoff=initial:1s,initial:2s"], "initial is named twice"),
            (&["backoff=jitter:101"], "0 to 100"),
            (&["retention=1h"], "NAME:VALUE"),
        ];
        for (assignments, part) in cases {
            let problem = made(assignments).expect_err(part);
            assert!(problem.contains(part), "{assignments:?}: {problem}");
        }
    }
}
