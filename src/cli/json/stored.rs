//! Jobs for programs: `Job` of the contract.

use super::*;

/// A job: `Job` of the contract.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct JobJson {
    id: String,
    spec: SpecJson,
    state: String,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    create_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ready_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remove_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delayed_until: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease: Option<LeaseJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<AttemptErrorJson>,
    #[serde(skip_serializing_if = "String::is_empty")]
    result: String,
    body_bytes: Int64<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpecJson {
    queue: String,
    #[serde(rename = "type")]
    job_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binary: Option<String>,
    priority: u16,
    bindings: Vec<BindingJson>,
    max_attempts: u32,
    backoff: BackoffJson,
    retention: RetentionJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique: Option<UniqueJson>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct BindingJson {
    budget: String,
    cost: Int64<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BackoffJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiplier_percent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter_percent: Option<u32>,
}

#[derive(Serialize)]
struct RetentionJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    completed: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancelled: Option<Span>,
}

#[derive(Serialize)]
struct UniqueJson {
    key: String,
    scope: &'static str,
}

#[derive(Serialize)]
struct AttemptErrorJson {
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Instant>,
    message: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LeaseJson {
    id: String,
    job_id: String,
    worker_id: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_time: Option<Instant>,
    duration: Span,
    cancel_requested: bool,
}

impl From<StoredJob> for JobJson {
    fn from(job: StoredJob) -> Self {
        let (json, binary) = match job.payload {
            Payload::None => (None, None),
            Payload::Json(text) => (Some(text), None),
            Payload::Binary(bytes) => (None, Some(BASE64_STANDARD.encode(bytes))),
        };
        let spec = SpecJson {
            queue: job.queue,
            job_type: job.job_type,
            json,
            binary,
            priority: job.priority,
            bindings: job.bindings.into_iter().map(BindingJson::from).collect(),
            max_attempts: job.max_attempts,
            backoff: job.backoff.into(),
            retention: job.retention.into(),
            timeout: job.timeout.map(Span),
            unique: job.unique.map(UniqueJson::from),
            metadata: job.metadata,
        };
        Self {
            id: job.id,
            spec,
            state: state(job.state),
            attempts: job.attempts,
            create_time: instant(job.create_time),
            ready_time: instant(job.ready_time),
            finish_time: instant(job.finish_time),
            remove_time: instant(job.remove_time),
            delayed_until: instant(job.delayed_until),
            lease: job.lease.map(LeaseJson::from),
            errors: job.errors.into_iter().map(AttemptErrorJson::from).collect(),
            result: BASE64_STANDARD.encode(job.result),
            body_bytes: Int64(job.body_bytes),
        }
    }
}

impl From<Binding> for BindingJson {
    fn from(binding: Binding) -> Self {
        Self { budget: binding.budget, cost: Int64(binding.cost) }
    }
}

impl From<Backoff> for BackoffJson {
    fn from(backoff: Backoff) -> Self {
        Self {
            initial: backoff.initial.map(Span),
            max: backoff.max.map(Span),
            multiplier_percent: backoff.multiplier_percent,
            jitter_percent: backoff.jitter_percent,
        }
    }
}

impl From<Retention> for RetentionJson {
    fn from(retention: Retention) -> Self {
        Self {
            completed: retention.completed.map(Span),
            dead: retention.dead.map(Span),
            cancelled: retention.cancelled.map(Span),
        }
    }
}

impl From<Unique> for UniqueJson {
    fn from(unique: Unique) -> Self {
        let scope = match unique.scope {
            UniqueScope::Queued => "UNIQUE_SCOPE_QUEUED",
            UniqueScope::Unfinished => "UNIQUE_SCOPE_UNFINISHED",
            UniqueScope::Retained => "UNIQUE_SCOPE_RETAINED",
            _ => "UNIQUE_SCOPE_UNSPECIFIED",
        };
        Self { key: unique.key, scope }
    }
}

impl From<AttemptError> for AttemptErrorJson {
    fn from(error: AttemptError) -> Self {
        Self { attempt: error.attempt, time: instant(error.time), message: error.message }
    }
}

impl From<Lease> for LeaseJson {
    fn from(lease: Lease) -> Self {
        Self {
            id: lease.id,
            job_id: lease.job_id,
            worker_id: lease.worker_id,
            attempt: lease.attempt,
            dispatch_time: instant(lease.dispatch_time),
            expire_time: instant(lease.expire_time),
            duration: Span(lease.duration),
            cancel_requested: lease.cancel_requested,
        }
    }
}
