//! Jobs for people.

use std::time::SystemTime;

use sluicegate_client::{AttemptError, Binding, Lease, Payload, StoredJob, UniqueScope};

use crate::cli::output::{Column, Facts};
use crate::cli::values::{relative, short};

/// The columns of a list of jobs.
pub(super) const COLUMNS: &[Column] = &[
    Column::Left("JOB"),
    Column::Left("QUEUE"),
    Column::Left("TYPE"),
    Column::Left("STATE"),
    Column::Right("PRIORITY"),
    Column::Right("ATTEMPTS"),
    Column::Left("READY"),
    Column::Right("BYTES"),
    Column::Left("BUDGETS"),
];

/// The row of a job.
pub(super) fn row(job: &StoredJob, now: SystemTime) -> [String; COLUMNS.len()] {
    [
        job.id.clone(),
        job.queue.clone(),
        job.job_type.clone(),
        job.state.to_string(),
        job.priority.to_string(),
        format!("{}/{}", job.attempts, job.max_attempts),
        job.ready_time.map(|time| relative(time, now)).unwrap_or_default(),
        job.body_bytes.to_string(),
        bindings(&job.bindings),
    ]
}

/// All about a job, one fact a line.
pub(super) fn facts(job: &StoredJob, now: SystemTime) -> Facts {
    let mut facts = Facts::default();
    facts.add("job", &job.id);
    facts.add("queue", &job.queue);
    facts.add_if("type", Some(&job.job_type).filter(|text| !text.is_empty()));
    facts.add("state", job.state);
    facts.add("priority", job.priority);
    facts.add("attempts", format_args!("{} of {} used", job.attempts, job.max_attempts));
    facts.add_if("budgets", Some(bindings(&job.bindings)).filter(|text| !text.is_empty()));
    facts.add_if("enqueued", job.create_time.map(|time| relative(time, now)));
    facts.add_if("ready", job.ready_time.map(|time| relative(time, now)));
    facts.add_if("delayed", job.delayed_until.map(|time| format!("ends {}", relative(time, now))));
    facts.add_if("finished", job.finish_time.map(|time| relative(time, now)));
    facts.add_if("removed", job.remove_time.map(|time| relative(time, now)));
    facts.add_if("timeout", job.timeout.map(short));
    facts.add_if("unique", job.unique.as_ref().map(|unique| format!("{} ({})", unique.key, scope(unique.scope))));
    facts.add_if("lease", job.lease.as_ref().map(|it| lease(it, now)));
    for (key, value) in &job.metadata {
        facts.add("metadata", format_args!("{key}={value}"));
    }
    facts.add_if("payload", payload(&job.payload));
    facts.add_if("result", Some(bytes(&job.result)).filter(|_| !job.result.is_empty()));
    for error in &job.errors {
        facts.add("error", failure(error, now));
    }
    facts
}

/// A failed attempt: which, when, and why.
pub(super) fn failure(error: &AttemptError, now: SystemTime) -> String {
    let when = error.time.map(|time| relative(time, now)).unwrap_or_default();
    format!("attempt {}, {when}: {}", error.attempt, error.message.trim_end())
}

fn bindings(bindings: &[Binding]) -> String {
    let texts: Vec<String> = bindings.iter().map(|binding| format!("{}={}", binding.budget, binding.cost)).collect();
    texts.join(" ")
}

fn scope(scope: UniqueScope) -> &'static str {
    match scope {
        UniqueScope::Queued => "while queued",
        UniqueScope::Unfinished => "while unfinished",
        UniqueScope::Retained => "while retained",
        _ => "in a scope that this program doesn't know",
    }
}

/// A lease: whose, and until when.
pub(super) fn lease(lease: &Lease, now: SystemTime) -> String {
    let expiry = lease.expire_time.map(|time| format!(", expires {}", relative(time, now))).unwrap_or_default();
    let asked = if lease.cancel_requested { ", asked to cancel" } else { "" };
    format!("{} of worker {}, attempt {}{expiry}{asked}", lease.id, lease.worker_id, lease.attempt)
}

fn payload(payload: &Payload) -> Option<String> {
    match payload {
        Payload::None => None,
        Payload::Json(text) => Some(text.clone()),
        Payload::Binary(binary) => Some(bytes(binary)),
    }
}

/// Text as it is, other bytes by their number.
fn bytes(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("{} bytes", bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_text_where_they_are() {
        assert_eq!(bytes(b"{\"a\":1}"), "{\"a\":1}");
        assert_eq!(bytes(&[0xff, 0]), "2 bytes");
        assert_eq!(payload(&Payload::None), None);
    }

    #[test]
    fn bindings_read_as_they_are_written() {
        let both = [Binding::new("tenant:7"), Binding::new("smtp").cost(3)];
        assert_eq!(bindings(&both), "tenant:7=1 smtp=3");
    }
}
