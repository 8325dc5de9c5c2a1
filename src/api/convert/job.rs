//! Jobs as they are asked for.

use serde::de::IgnoredAny;

use super::budget::bindings;
use super::time::{optional_instant, optional_span};
use super::{At, Invalid, name, required};
use crate::api::proto as pb;
use crate::scheduler::command::NewJob;
use crate::scheduler::job::{Backoff, Body, JobOptions, Name, Payload, Retention, Unique, UniqueScope};

/// The most jobs in one BatchEnqueue.
pub const BATCH_JOBS_MAX: usize = 10_000;
/// The priority of a job that names none.
pub const PRIORITY_DEFAULT: u16 = 32_768;

/// A job to be enqueued. A payload is at most `payload_bytes_max` bytes.
pub fn new_job(at: &At<'_>, spec: Option<pb::JobSpec>, payload_bytes_max: u32) -> Result<NewJob, Invalid> {
    let spec = required(at, spec)?;
    let body =
        Body { payload: payload(at, spec.payload, payload_bytes_max)?, metadata: spec.metadata.into_iter().collect() };
    let options = JobOptions {
        max_attempts: spec.max_attempts.unwrap_or(JobOptions::default().max_attempts),
        backoff: backoff(&at.field("backoff"), spec.backoff.unwrap_or_default())?,
        retention: retention(&at.field("retention"), spec.retention.unwrap_or_default())?,
        timeout: optional_span(&at.field("timeout"), spec.timeout)?,
    };
    Ok(NewJob {
        queue: name(&at.field("queue"), spec.queue)?,
        kind: Name::from(spec.r#type),
        body,
        priority: optional_priority(&at.field("priority"), spec.priority)?.unwrap_or(PRIORITY_DEFAULT),
        run_time: optional_instant(&at.field("run_time"), spec.run_time)?,
        bindings: bindings(at, "bindings", spec.bindings)?,
        options,
        unique: unique(&at.field("unique"), spec.unique)?,
    })
}

/// A priority, if there is one.
pub fn optional_priority(at: &At<'_>, priority: Option<u32>) -> Result<Option<u16>, Invalid> {
    priority
        .map(|priority| u16::try_from(priority).map_err(|_| at.invalid(format!("is {priority}; 0..=65535 is taken"))))
        .transpose()
}

fn payload(at: &At<'_>, payload: Option<pb::job_spec::Payload>, bytes_max: u32) -> Result<Payload, Invalid> {
    use pb::job_spec::Payload as Wire;

    let fits = |at: At<'_>, len: usize| {
        if len > bytes_max as usize {
            return Err(at.invalid(format!("has {len} bytes; this server takes payloads of at most {bytes_max}")));
        }
        Ok(())
    };
    match payload {
        None => Ok(Payload::default()),
        Some(Wire::Binary(bytes)) => {
            fits(at.field("binary"), bytes.len())?;
            Ok(Payload::Binary(bytes.into_boxed_slice()))
        }
        Some(Wire::Json(text)) => {
            let at = at.field("json");
            fits(at, text.len())?;
            // Skipping a value needs no recursion, however deep it is.
            serde_json::from_str::<IgnoredAny>(&text).map_err(|error| at.invalid(format!("is not JSON: {error}")))?;
            Ok(Payload::Json(text.into_boxed_str()))
        }
    }
}

/// A backoff, with what is unset filled in so that it agrees with the rest.
pub fn backoff(at: &At<'_>, wire: pb::Backoff) -> Result<Backoff, Invalid> {
    let defaults = Backoff::default();
    let initial = optional_span(&at.field("initial"), wire.initial)?;
    let max = optional_span(&at.field("max"), wire.max)?;
    let (initial, max) = match (initial, max) {
        (None, None) => (defaults.initial, defaults.max),
        (Some(initial), None) => (initial, defaults.max.max(initial)),
        (None, Some(max)) => (defaults.initial.min(max), max),
        (Some(initial), Some(max)) if initial <= max => (initial, max),
        (Some(_), Some(_)) => return Err(at.field("max").invalid("is less than `initial`")),
    };
    Ok(Backoff {
        initial,
        max,
        multiplier_percent: wire.multiplier_percent.unwrap_or(defaults.multiplier_percent),
        jitter_percent: wire.jitter_percent.unwrap_or(defaults.jitter_percent),
    })
}

/// Retentions, with the defaults filled in.
pub fn retention(at: &At<'_>, wire: pb::Retention) -> Result<Retention, Invalid> {
    let defaults = Retention::default();
    let completed = optional_span(&at.field("completed"), wire.completed)?;
    let dead = optional_span(&at.field("dead"), wire.dead)?;
    let cancelled = optional_span(&at.field("cancelled"), wire.cancelled)?;
    Ok(Retention {
        completed: completed.unwrap_or(defaults.completed),
        dead: dead.unwrap_or(defaults.dead),
        cancelled: cancelled.unwrap_or(defaults.cancelled),
    })
}

fn unique(at: &At<'_>, unique: Option<pb::UniqueKey>) -> Result<Option<Unique>, Invalid> {
    let Some(pb::UniqueKey { key, scope }) = unique else {
        return Ok(None);
    };
    let scope = match pb::UniqueScope::try_from(scope) {
        Ok(pb::UniqueScope::Queued) => UniqueScope::Queued,
        Ok(pb::UniqueScope::Unspecified | pb::UniqueScope::Unfinished) => UniqueScope::Unfinished,
        Ok(pb::UniqueScope::Retained) => UniqueScope::Retained,
        Err(_) => {
            let at = at.field("scope");
            return Err(at.invalid(format!("{scope} is no scope that this server knows")));
        }
    };
    let key = name(&at.field("key"), key)?;
    Ok(Some(Unique { key, scope }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::Nanos;
    use pb::job_spec::Payload as WirePayload;

    const PAYLOAD_BYTES_MAX: u32 = 1 << 20;

    fn spec() -> pb::JobSpec {
        pb::JobSpec { queue: "mail".to_owned(), ..pb::JobSpec::default() }
    }

    fn convert(spec: pb::JobSpec) -> Result<NewJob, Invalid> {
        new_job(&At::Root.field("job"), Some(spec), PAYLOAD_BYTES_MAX)
    }

    fn seconds(seconds: i64) -> Option<prost_types::Duration> {
        Some(prost_types::Duration { seconds, nanos: 0 })
    }

    #[test]
    fn defaults_are_filled_in() {
        let job = convert(spec()).unwrap();
        assert_eq!(job.priority, 32_768);
        assert_eq!(job.options, JobOptions::default());
        assert_eq!(job.body, Body::default());
        assert_eq!(job.run_time, None);
        assert_eq!(&*job.kind, "");
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        let cases: [(pb::JobSpec, &str); 6] = [
            (pb::JobSpec::default(), "job.queue"),
            (pb::JobSpec { priority: Some(65_536), ..spec() }, "job.priority"),
            (pb::JobSpec { timeout: seconds(-1), ..spec() }, "job.timeout"),
            (
                pb::JobSpec { unique: Some(pb::UniqueKey { key: "k".to_owned(), scope: 99 }), ..spec() },
                "job.unique.scope",
            ),
            (pb::JobSpec { unique: Some(pb::UniqueKey::default()), ..spec() }, "job.unique.key"),
            (
                pb::JobSpec {
                    retention: Some(pb::Retention { dead: seconds(-5), ..pb::Retention::default() }),
                    ..spec()
                },
                "job.retention.dead",
            ),
        ];
        for (spec, field) in cases {
            assert_eq!(convert(spec).unwrap_err().field, field);
        }
        let missing = new_job(&At::Root.field("job"), None, PAYLOAD_BYTES_MAX);
        assert_eq!(missing.unwrap_err().field, "job");
    }

    #[test]
    fn payloads_are_measured_and_json_is_checked() {
        let with = |payload| convert(pb::JobSpec { payload: Some(payload), ..spec() });
        let max = PAYLOAD_BYTES_MAX as usize;
        assert!(with(WirePayload::Binary(vec![0; max])).is_ok());
        let large = with(WirePayload::Binary(vec![0; max + 1])).unwrap_err();
        assert_eq!(large.field, "job.binary");
        let quoted = |len: usize| WirePayload::Json(format!("\"{}\"", "x".repeat(len - 2)));
        assert!(with(quoted(max)).is_ok());
        assert_eq!(with(quoted(max + 1)).unwrap_err().field, "job.json");
        for good in ["null", " {\"a\": [1, 2.5e3, \"\\u00e9\"]} ", "0", "\"\""] {
            assert!(with(WirePayload::Json(good.to_owned())).is_ok(), "{good}");
        }
        for bad in ["", "{", "{} {}", "{a: 1}", "01", "nul", "\"\n\"", "[1,]"] {
            let invalid = with(WirePayload::Json(bad.to_owned())).unwrap_err();
            assert_eq!(invalid.field, "job.json", "{bad}");
        }
    }

    #[test]
    fn deep_json_needs_no_stack() {
        let depth = PAYLOAD_BYTES_MAX as usize / 2;
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        let job = convert(pb::JobSpec { payload: Some(WirePayload::Json(deep)), ..spec() });
        assert!(job.is_ok());
    }

    #[test]
    fn a_backoff_fills_in_what_agrees_with_the_rest() {
        let of = |initial, max| {
            convert(pb::JobSpec { backoff: Some(pb::Backoff { initial, max, ..pb::Backoff::default() }), ..spec() })
                .map(|job| (job.options.backoff.initial, job.options.backoff.max))
        };
        let hour = Nanos::from_hours(1);
        let span = Nanos::from_secs;
        assert_eq!(of(None, None), Ok((span(1), hour)));
        assert_eq!(of(seconds(7200), None), Ok((span(7200), span(7200))));
        assert_eq!(of(seconds(3600), None), Ok((hour, hour)));
        assert_eq!(of(None, seconds(0)), Ok((Nanos::ZERO, Nanos::ZERO)));
        assert_eq!(of(None, seconds(9)), Ok((span(1), span(9))));
        assert_eq!(of(seconds(5), seconds(5)), Ok((span(5), span(5))));
        let crossed = of(seconds(6), seconds(5)).unwrap_err();
        assert_eq!(crossed.field, "job.backoff.max");
    }
}
