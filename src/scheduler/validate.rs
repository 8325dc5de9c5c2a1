//! The bounds of everything a command may say (semantics 2.5), checked before anything changes.

use std::collections::BTreeSet;

use super::command::{BindingOperation, NewBinding, NewJob, OpenSession, Outcome, Unsettled, Verdict, Window};
use super::job::{Body, JobOptions, Payload};
use super::policy::{Policy, ReserveAfter, Strategy};
use super::queue::SizeClass;
use super::rejection::Rejection;
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

fn between<T: PartialOrd + std::fmt::Display>(field: String, value: T, min: T, max: T) -> Checked {
    if value < min || value > max {
        return Err(Rejection::invalid(field, format!("is {value}; {min}..={max} is right")));
    }
    Ok(())
}

fn tokens(field: String, value: Tokens) -> Checked {
    between(field, value.0, 1, Tokens::MAX.0)
}

fn span(field: String, value: Nanos, min: Nanos, max: Nanos) -> Checked {
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

/// A policy whose path is `field`.
pub fn policy(field: &str, policy: &Policy) -> Checked {
    tokens(format!("{field}.allocation"), policy.allocation)?;
    if let Strategy::TimeBased { duration, burst } = policy.strategy {
        span(format!("{field}.time_based.duration"), duration, Nanos::from_millis(1), YEAR)?;
        if let Some(burst) = burst {
            tokens(format!("{field}.time_based.burst"), burst)?;
        }
    }
    if let ReserveAfter::After(after) = policy.reserve_after {
        span(format!("{field}.after"), after, Nanos::ZERO, YEAR)?;
    }
    Ok(())
}

/// How long an operator blocks a budget.
pub fn block(block: Nanos) -> Checked {
    span("duration".into(), block, Nanos::ZERO, YEAR)
}

/// The level an operator sets.
pub fn level(level: Tokens, capacity: Tokens) -> Checked {
    between("level".into(), level.0, 0, capacity.0)
}

/// The jobs of one enqueue.
pub fn jobs(jobs: &[NewJob], now: Timestamp, payload_bytes_max: u32) -> Checked {
    if jobs.is_empty() || jobs.len() > JOBS_MAX {
        return Err(Rejection::invalid("jobs", format!("has {}; 1..={JOBS_MAX} are right", jobs.len())));
    }
    for (index, job) in jobs.iter().enumerate() {
        new_job(&format!("jobs[{index}]"), job, now, payload_bytes_max)?;
    }
    Ok(())
}

fn new_job(field: &str, job: &NewJob, now: Timestamp, payload_bytes_max: u32) -> Checked {
    name(&format!("{field}.queue"), &job.queue)?;
    if !job.kind.is_empty() {
        name(&format!("{field}.type"), &job.kind)?;
    }
    body(field, &job.body, payload_bytes_max)?;
    if job.run_time.is_some_and(|run_time| run_time > now + YEAR) {
        return Err(Rejection::invalid(format!("{field}.run_time"), "is more than 366 d from now"));
    }
    bindings(&format!("{field}.bindings"), &job.bindings)?;
    options(field, &job.options)?;
    if let Some(unique) = &job.unique {
        let (len, has_nul) = (unique.key.len(), unique.key.contains('\0'));
        if len == 0 || len > UNIQUE_BYTES_MAX || has_nul {
            let problem = format!("has {len} bytes; 1..={UNIQUE_BYTES_MAX} without NUL are right");
            return Err(Rejection::invalid(format!("{field}.unique.key"), problem));
        }
    }
    Ok(())
}

fn body(field: &str, body: &Body, payload_bytes_max: u32) -> Checked {
    let (part, bytes) = match &body.payload {
        Payload::Json(text) => ("json", text.len()),
        Payload::Binary(bytes) => ("binary", bytes.len()),
    };
    if bytes > payload_bytes_max as usize {
        let problem = format!("has {bytes} bytes; the server takes at most {payload_bytes_max}");
        return Err(Rejection::invalid(format!("{field}.{part}"), problem));
    }
    let metadata = &body.metadata;
    let bytes: usize = metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
    if metadata.len() > METADATA_MAX || bytes > METADATA_BYTES_MAX {
        let problem = format!(
            "has {} pairs of {bytes} bytes together; at most {METADATA_MAX} of {METADATA_BYTES_MAX} are right",
            metadata.len()
        );
        return Err(Rejection::invalid(format!("{field}.metadata"), problem));
    }
    metadata.iter().try_for_each(|(key, _)| name(&format!("{field}.metadata"), key))
}

fn options(field: &str, options: &JobOptions) -> Checked {
    between(format!("{field}.max_attempts"), options.max_attempts, 1, ATTEMPTS_MAX)?;
    let backoff = &options.backoff;
    span(format!("{field}.backoff.initial"), backoff.initial, Nanos::ZERO, DAY)?;
    span(format!("{field}.backoff.max"), backoff.max, backoff.initial, DAY)?;
    between(format!("{field}.backoff.multiplier_percent"), backoff.multiplier_percent, 100, 1000)?;
    between(format!("{field}.backoff.jitter_percent"), backoff.jitter_percent, 0, 100)?;
    let retention = &options.retention;
    span(format!("{field}.retention.completed"), retention.completed, Nanos::ZERO, YEAR)?;
    span(format!("{field}.retention.dead"), retention.dead, Nanos::ZERO, YEAR)?;
    span(format!("{field}.retention.cancelled"), retention.cancelled, Nanos::ZERO, YEAR)?;
    match options.timeout {
        Some(timeout) => span(format!("{field}.timeout"), timeout, Nanos::from_millis(1), DAY),
        None => Ok(()),
    }
}

/// The bindings of one job, whose path is `field`.
fn bindings(field: &str, bindings: &[NewBinding]) -> Checked {
    if bindings.len() > BINDINGS_MAX {
        let problem = format!("has {}; at most {BINDINGS_MAX} are right", bindings.len());
        return Err(Rejection::invalid(field, problem));
    }
    let mut keys = BTreeSet::new();
    for (index, new) in bindings.iter().enumerate() {
        let field = format!("{field}[{index}]");
        binding(&field, new)?;
        if !keys.insert(&*new.budget) {
            let problem = format!("{:?} is bound twice; one binding to a budget is right", new.budget);
            return Err(Rejection::invalid(format!("{field}.budget"), problem));
        }
    }
    Ok(())
}

fn binding(field: &str, new: &NewBinding) -> Checked {
    name(&format!("{field}.budget"), &new.budget)?;
    tokens(format!("{field}.cost"), new.cost)?;
    match &new.create_with {
        Some(create_with) => policy(&format!("{field}.create_with"), create_with),
        None => Ok(()),
    }
}

/// A change of one job's bindings.
pub fn operation(operation: &BindingOperation) -> Checked {
    match operation {
        BindingOperation::Bind(new) => binding("operation.bind", new),
        BindingOperation::Rebind(new) => binding("operation.rebind", new),
        BindingOperation::SetCost(key, cost) => {
            name("operation.set_cost.budget", key)?;
            tokens("operation.set_cost.cost".into(), *cost)
        }
        BindingOperation::Unbind(key) => name("operation.unbind.budget", key),
        BindingOperation::UnbindAll => Ok(()),
        BindingOperation::ReplaceAll(all) => bindings("operation.replace_all.bindings", all),
    }
}

/// What a caller names a call, so that its repeat gets the same answer.
pub fn request_id(request: &str) -> Checked {
    if request.is_empty() || request.len() > NAME_BYTES_MAX || request.contains('\0') {
        let problem = format!("has {} bytes; 1..={NAME_BYTES_MAX} without NUL are right", request.len());
        return Err(Rejection::invalid("request_id", problem));
    }
    Ok(())
}

/// A worker that takes jobs.
pub fn session(open: &OpenSession) -> Checked {
    name("worker_id", &open.worker)?;
    if open.queues.is_empty() || open.queues.len() > QUEUES_MAX {
        let problem = format!("has {}; 1..={QUEUES_MAX} are right", open.queues.len());
        return Err(Rejection::invalid("queues", problem));
    }
    let mut names = BTreeSet::new();
    for (index, queue) in open.queues.iter().enumerate() {
        name(&format!("queues[{index}]"), queue)?;
        if !names.insert(queue) {
            return Err(Rejection::invalid(format!("queues[{index}]"), format!("{queue:?} is named twice")));
        }
    }
    window(open.window)?;
    span("lease_duration".into(), open.lease, Nanos::from_secs(1), DAY)?;
    between("max_message_bytes".into(), open.body_bytes_max, SizeClass::BYTES_MIN, u32::MAX)?;
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
    between("window.max_jobs".into(), window.jobs, 0, WINDOW_JOBS_MAX)?;
    between("window.max_bytes".into(), window.bytes, 0, WINDOW_BYTES_MAX)
}

/// How many leases one command names.
pub fn batch(field: &str, len: usize) -> Checked {
    between(field.into(), len, 1, LEASES_MAX)
        .map_err(|_| Rejection::invalid(field, format!("has {len}; 1..={LEASES_MAX} are right")))
}

/// One outcome of a settle; whether its budgets are bound is for the lease to say.
pub fn outcome(outcome: &Outcome) -> Result<(), Unsettled> {
    let checked = match &outcome.verdict {
        Verdict::Success { result: Some(result) } if result.len() > RESULT_BYTES_MAX => {
            let problem = format!("has {} bytes; at most {RESULT_BYTES_MAX} are right", result.len());
            Err(Rejection::invalid("success.result", problem))
        }
        Verdict::Failure { retry_after: Some(after), .. } => {
            span("failure.retry_after".into(), *after, Nanos::ZERO, DAY)
        }
        Verdict::Release { delay } => span("release.delay".into(), *delay, Nanos::ZERO, DAY),
        Verdict::Success { .. } | Verdict::Failure { .. } => Ok(()),
    };
    let reports = checked.and_then(|()| reports(outcome));
    reports.map_err(|rejection| match rejection {
        Rejection::InvalidField { field, problem } => Unsettled::Invalid { field, problem },
        other => unreachable!("an outcome breaks bounds only: {other:?}"),
    })
}

fn reports(outcome: &Outcome) -> Checked {
    let mut keys = BTreeSet::new();
    for (index, (budget, used)) in outcome.usage.iter().enumerate() {
        between(format!("usage[{index}].cost"), used.0, 0, Tokens::MAX.0)?;
        if !keys.insert(budget) {
            return Err(Rejection::invalid(format!("usage[{index}].budget"), format!("{budget:?} is named twice")));
        }
    }
    let mut keys = BTreeSet::new();
    for (index, (budget, after)) in outcome.throttled.iter().enumerate() {
        span(format!("throttled[{index}].retry_after"), *after, Nanos::ZERO, DAY)?;
        if !keys.insert(budget) {
            return Err(Rejection::invalid(format!("throttled[{index}].budget"), format!("{budget:?} is named twice")));
        }
    }
    Ok(())
}
