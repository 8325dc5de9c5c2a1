//! The bounds of everything a command may say (semantics 2.5), checked before anything changes.

use super::command::{
    BindingOperation, JobPatch, JobsChange, NewBinding, NewJob, OpenSession, Outcome, Unsettled, Verdict, Window,
};
use super::job::{Body, JobOptions, Name, Payload};
use super::policy::{Policy, ReserveAfter, Strategy};
use super::queue::SizeClass;
use super::rejection::{Rejection, Within};
use super::units::{Nanos, Timestamp, Tokens};

/// The most bindings of a job.
pub const BINDINGS_MAX: usize = 16;
/// The longest key or name, in bytes.
pub const NAME_BYTES_MAX: usize = 128;
/// The most jobs in one enqueue.
pub const JOBS_MAX: usize = 10_000;
/// The most leases in one settle, extension or confirmation.
pub const LEASES_MAX: usize = 1000;

const UNIQUE_BYTES_MAX: usize = 256;
const METADATA_MAX: usize = 64;
const METADATA_BYTES_MAX: usize = 4096;
const RESULT_BYTES_MAX: usize = 64 * 1024;
const ATTEMPTS_MAX: u32 = 1000;
const WINDOW_JOBS_MAX: u32 = 100_000;
const WINDOW_BYTES_MAX: u64 = 1 << 30;
const QUEUES_MAX: usize = 64;
const HELD_MAX: usize = 100_000;
const DAY: Nanos = Nanos::from_hours(24);
const YEAR: Nanos = Nanos::from_days(366);

type Checked = Result<(), Rejection>;

/// A key, or the name of a queue, a type or a worker.
pub fn name(field: &str, name: &str) -> Checked {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._:/@-".contains(c);
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        let problem = format!("has {} bytes; 1..={NAME_BYTES_MAX} are right", name.len());
        return Err(Rejection::invalid(field, problem));
    }
    match name.chars().find(|c| !allowed(*c)) {
        Some(c) => Err(Rejection::invalid(field, format!("contains {c:?}; only [A-Za-z0-9._:/@-] may stand there"))),
        None => Ok(()),
    }
}

fn between<T: PartialOrd + std::fmt::Display>(field: &str, value: T, min: T, max: T) -> Checked {
    if value < min || value > max {
        return Err(Rejection::invalid(field, format!("is {value}; {min}..={max} is right")));
    }
    Ok(())
}

fn tokens(field: &str, value: Tokens) -> Checked {
    between(field, value.0, 1, Tokens::MAX.0)
}

fn span(field: &str, value: Nanos, min: Nanos, max: Nanos) -> Checked {
    if value < min || value > max {
        let problem = format!("is {}; {}..={} is right", Shown(value), Shown(min), Shown(max));
        return Err(Rejection::invalid(field, problem));
    }
    Ok(())
}

/// A span as people write it.
struct Shown(Nanos);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const UNITS: [(u64, &str); 5] =
            [(86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (1_000_000_000, "s"), (1_000_000, "ms"), (1, "ns")];
        let Nanos(nanos) = self.0;
        let (size, unit) = UNITS.into_iter().find(|(size, _)| nanos > 0 && nanos % size == 0).unwrap_or((1, "s"));
        write!(f, "{} {unit}", nanos / size)
    }
}

/// A policy.
pub fn policy(policy: &Policy) -> Checked {
    tokens("allocation", policy.allocation)?;
    if let Strategy::TimeBased { duration, burst } = policy.strategy {
        span("time_based.duration", duration, Nanos::from_millis(1), YEAR)?;
        if let Some(burst) = burst {
            tokens("time_based.burst", burst)?;
        }
    }
    if let ReserveAfter::After(after) = policy.reserve_after {
        span("after", after, Nanos::ZERO, YEAR)?;
    }
    Ok(())
}

/// How long an operator blocks a budget.
pub fn block(block: Nanos) -> Checked {
    span("duration", block, Nanos(1), YEAR)
}

/// The level an operator sets.
pub fn level(level: Tokens, capacity: Tokens) -> Checked {
    between("level", level.0, 0, capacity.0)
}

/// The jobs of one enqueue.
pub fn jobs(jobs: &[NewJob], now: Timestamp, payload_bytes_max: u32) -> Checked {
    if jobs.is_empty() || jobs.len() > JOBS_MAX {
        return Err(Rejection::invalid("jobs", format!("has {}; 1..={JOBS_MAX} are right", jobs.len())));
    }
    for (index, job) in jobs.iter().enumerate() {
        new_job(job, now, payload_bytes_max).within_item("jobs", index)?;
    }
    Ok(())
}

fn new_job(job: &NewJob, now: Timestamp, payload_bytes_max: u32) -> Checked {
    name("queue", &job.queue)?;
    if !job.kind.is_empty() {
        name("type", &job.kind)?;
    }
    body(&job.body, payload_bytes_max)?;
    job.run_time.map_or(Ok(()), |at| run_time(at, now))?;
    bindings(&job.bindings)?;
    options(&job.options)?;
    job.unique.as_ref().map_or(Ok(()), |unique| text("unique.key", &unique.key, UNIQUE_BYTES_MAX))
}

/// Any text of some length, without NUL.
fn text(field: &str, text: &str, bytes_max: usize) -> Checked {
    if text.is_empty() || text.len() > bytes_max || text.contains('\0') {
        let problem = format!("has {} bytes; 1..={bytes_max} without NUL are right", text.len());
        return Err(Rejection::invalid(field, problem));
    }
    Ok(())
}

fn body(body: &Body, payload_bytes_max: u32) -> Checked {
    let (part, bytes) = match &body.payload {
        Payload::Json(text) => ("json", text.len()),
        Payload::Binary(bytes) => ("binary", bytes.len()),
    };
    if bytes > payload_bytes_max as usize {
        let problem = format!("has {bytes} bytes; the server takes at most {payload_bytes_max}");
        return Err(Rejection::invalid(part, problem));
    }
    let metadata = &body.metadata;
    let bytes: usize = metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
    if metadata.len() > METADATA_MAX || bytes > METADATA_BYTES_MAX {
        let problem = format!(
            "has {} pairs of {bytes} bytes together; at most {METADATA_MAX} of {METADATA_BYTES_MAX} are right",
            metadata.len()
        );
        return Err(Rejection::invalid("metadata", problem));
    }
    metadata.iter().try_for_each(|(key, _)| name("metadata", key))
}

fn options(options: &JobOptions) -> Checked {
    between("max_attempts", options.max_attempts, 1, ATTEMPTS_MAX)?;
    let backoff = &options.backoff;
    span("backoff.initial", backoff.initial, Nanos::ZERO, DAY)?;
    span("backoff.max", backoff.max, backoff.initial, DAY)?;
    between("backoff.multiplier_percent", backoff.multiplier_percent, 100, 1000)?;
    between("backoff.jitter_percent", backoff.jitter_percent, 0, 100)?;
    let retention = &options.retention;
    span("retention.completed", retention.completed, Nanos::ZERO, YEAR)?;
    span("retention.dead", retention.dead, Nanos::ZERO, YEAR)?;
    span("retention.cancelled", retention.cancelled, Nanos::ZERO, YEAR)?;
    options.timeout.map_or(Ok(()), |timeout| span("timeout", timeout, Nanos::from_millis(1), DAY))
}

/// The bindings of one job.
fn bindings(bindings: &[NewBinding]) -> Checked {
    if bindings.len() > BINDINGS_MAX {
        let problem = format!("has {}; at most {BINDINGS_MAX} are right", bindings.len());
        return Err(Rejection::invalid("bindings", problem));
    }
    for (index, new) in bindings.iter().enumerate() {
        let before = bindings[..index].iter().map(|other| &other.budget);
        binding(new).and_then(|()| once("budget", &new.budget, before)).within_item("bindings", index)?;
    }
    Ok(())
}

/// Refuses a name that stands in the list before it.
fn once<'a>(field: &str, name: &str, before: impl IntoIterator<Item = &'a Name>) -> Checked {
    if before.into_iter().any(|other| **other == *name) {
        return Err(Rejection::invalid(field, format!("{name:?} is named twice; once is right")));
    }
    Ok(())
}

fn binding(new: &NewBinding) -> Checked {
    name("budget", &new.budget)?;
    tokens("cost", new.cost)?;
    new.create_with.as_ref().map_or(Ok(()), |create_with| policy(create_with).within(|| "create_with".into()))
}

/// A change of one job's bindings.
pub fn operation(operation: &BindingOperation) -> Checked {
    match operation {
        BindingOperation::Bind(new) => binding(new).within(|| "bind".into()),
        BindingOperation::Rebind(new) => binding(new).within(|| "rebind".into()),
        BindingOperation::SetCost(key, cost) => {
            name("budget", key).and_then(|()| tokens("cost", *cost)).within(|| "set_cost".into())
        }
        BindingOperation::Unbind(key) => name("unbind.budget", key),
        BindingOperation::UnbindAll => Ok(()),
        BindingOperation::ReplaceAll(all) => bindings(all).within(|| "replace_all".into()),
    }
}

/// A change of the jobs that a filter selects.
pub fn jobs_change(change: &JobsChange, now: Timestamp) -> Checked {
    match change {
        JobsChange::Cancel { .. } | JobsChange::Retry | JobsChange::Delete => Ok(()),
        JobsChange::Update(patch) => job_patch(patch, now).within(|| "job".into()),
        JobsChange::Bindings(change) => operation(change).within(|| "operation".into()),
    }
}

fn job_patch(patch: &JobPatch, now: Timestamp) -> Checked {
    patch.queue.as_ref().map_or(Ok(()), |queue| name("queue", queue))?;
    patch.kind.as_ref().filter(|kind| !kind.is_empty()).map_or(Ok(()), |kind| name("type", kind))?;
    patch.run_time.flatten().map_or(Ok(()), |at| run_time(at, now))?;
    options(&patch.apply(&JobOptions::default()))
}

fn run_time(at: Timestamp, now: Timestamp) -> Checked {
    if at > now + YEAR {
        return Err(Rejection::invalid("run_time", "is more than 366 d from now"));
    }
    Ok(())
}

/// What a caller names a call, so that its repeat gets the same answer.
pub fn request_id(request: &str) -> Checked {
    text("request_id", request, NAME_BYTES_MAX)
}

/// A worker that takes jobs.
pub fn session(open: &OpenSession) -> Checked {
    name("worker_id", &open.worker)?;
    if open.queues.is_empty() || open.queues.len() > QUEUES_MAX {
        let problem = format!("has {}; 1..={QUEUES_MAX} are right", open.queues.len());
        return Err(Rejection::invalid("queues", problem));
    }
    for (index, queue) in open.queues.iter().enumerate() {
        name("", queue).and_then(|()| once("", queue, &open.queues[..index])).within_item("queues", index)?;
    }
    window(open.window)?;
    span("lease_duration", open.lease, Nanos::from_secs(1), DAY)?;
    between("max_message_bytes", open.body_bytes_max, SizeClass::BYTES_MIN, u32::MAX)?;
    match &open.mode {
        super::command::SessionMode::Stream { held: Some(held), .. } if held.len() > HELD_MAX => {
            let problem = format!("has {}; at most {HELD_MAX} are right", held.len());
            Err(Rejection::invalid("held_leases.lease_ids", problem))
        }
        super::command::SessionMode::Once { request: Some(request), .. } => request_id(request),
        _ => Ok(()),
    }
}

/// A worker's window.
pub fn window(window: Window) -> Checked {
    between("window.max_jobs", window.jobs, 0, WINDOW_JOBS_MAX)?;
    between("window.max_bytes", window.bytes, 0, WINDOW_BYTES_MAX)
}

/// How many leases one command names.
pub fn batch(field: &str, len: usize) -> Checked {
    if len == 0 || len > LEASES_MAX {
        return Err(Rejection::invalid(field, format!("has {len}; 1..={LEASES_MAX} are right")));
    }
    Ok(())
}

/// One outcome of a settle; whether its budgets are bound is for the lease to say.
pub fn outcome(outcome: &Outcome) -> Result<(), Unsettled> {
    let checked = match &outcome.verdict {
        Verdict::Success { result: Some(result) } if result.len() > RESULT_BYTES_MAX => {
            let problem = format!("has {} bytes; at most {RESULT_BYTES_MAX} are right", result.len());
            Err(Rejection::invalid("success.result", problem))
        }
        Verdict::Failure { retry_after: Some(after), .. } => span("failure.retry_after", *after, Nanos::ZERO, DAY),
        Verdict::Release { delay } => span("release.delay", *delay, Nanos::ZERO, DAY),
        Verdict::Success { .. } | Verdict::Failure { .. } => Ok(()),
    };
    let reports = checked.and_then(|()| reports(outcome));
    reports.map_err(|rejection| match rejection {
        Rejection::InvalidField { field, problem } => Unsettled::Invalid { field, problem },
        other => unreachable!("an outcome breaks bounds only: {other:?}"),
    })
}

fn reports(outcome: &Outcome) -> Checked {
    for (index, (budget, used)) in outcome.usage.iter().enumerate() {
        let before = outcome.usage[..index].iter().map(|(other, _)| other);
        let checked = between("cost", used.0, 0, Tokens::MAX.0).and_then(|()| once("budget", budget, before));
        checked.within_item("usage", index)?;
    }
    for (index, (budget, after)) in outcome.throttled.iter().enumerate() {
        let before = outcome.throttled[..index].iter().map(|(other, _)| other);
        let checked = span("retry_after", *after, Nanos::ZERO, DAY).and_then(|()| once("budget", budget, before));
        checked.within_item("throttled", index)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
