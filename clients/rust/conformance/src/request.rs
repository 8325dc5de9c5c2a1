//! Values as the protocol writes them, read into the client's types.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use sluicegate_client::{
    Backoff, Binding, Client, Job, JobPatch, JobState, Payload, Policy, PolicyPatch, ReserveAfter, Retention,
    Selection, Strategy, TimeBased, UniqueScope,
};

/// A 64-bit number: decimal digits in a string.
#[derive(Clone, Copy)]
pub(crate) struct Number(pub u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Number).map_err(D::Error::custom)
    }
}

/// Bytes in base64.
#[derive(Clone, Default)]
pub(crate) struct Bytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BASE64_STANDARD.decode(String::deserialize(deserializer)?).map(Bytes).map_err(D::Error::custom)
    }
}

/// Milliseconds.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Millis(u64);

impl From<Millis> for Duration {
    fn from(millis: Millis) -> Self {
        Duration::from_millis(millis.0)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyIn {
    allocation: Number,
    strategy: StrategyIn,
    reserve_after: Option<ReserveAfterIn>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum StrategyIn {
    WhileInFlight,
    TimeBased { duration_ms: Millis, burst: Option<Number> },
}

#[derive(Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum ReserveAfterIn {
    After { after_ms: Millis },
    Word(ReserveAfterWord),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReserveAfterWord {
    Never,
}

impl From<PolicyIn> for Policy {
    fn from(policy: PolicyIn) -> Self {
        let base = Policy::new(policy.allocation.0, policy.strategy);
        match policy.reserve_after {
            Some(reserve_after) => base.reserve_after(reserve_after.into()),
            None => base,
        }
    }
}

impl From<StrategyIn> for Strategy {
    fn from(strategy: StrategyIn) -> Self {
        match strategy {
            StrategyIn::WhileInFlight => Strategy::WhileInFlight,
            StrategyIn::TimeBased { duration_ms, burst } => {
                Strategy::TimeBased(TimeBased { duration: duration_ms.into(), burst: burst.map(|burst| burst.0) })
            }
        }
    }
}

impl From<ReserveAfterIn> for ReserveAfter {
    fn from(reserve_after: ReserveAfterIn) -> Self {
        match reserve_after {
            ReserveAfterIn::After { after_ms } => ReserveAfter::After(after_ms.into()),
            ReserveAfterIn::Word(ReserveAfterWord::Never) => ReserveAfter::Never,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyPatchIn {
    allocation: Option<Number>,
    strategy: Option<StrategyPatchIn>,
    reserve_after: Option<ReserveAfterIn>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StrategyPatchIn {
    r#type: Option<String>,
    duration_ms: Option<Millis>,
    /// Absent differs from null, which clears it.
    #[serde(default, deserialize_with = "present")]
    burst: Option<Option<Number>>,
}

/// A field that is there, be it null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Number>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl From<PolicyPatchIn> for PolicyPatch {
    fn from(patch: PolicyPatchIn) -> Self {
        let mut base = PolicyPatch::new();
        if let Some(allocation) = patch.allocation {
            base = base.allocation(allocation.0);
        }
        if let Some(strategy) = patch.strategy {
            if strategy.r#type.as_deref() == Some("while_in_flight") {
                base = base.strategy(Strategy::WhileInFlight);
            }
            if let Some(duration) = strategy.duration_ms {
                let duration = duration.into();
                base = match strategy.r#type {
                    Some(_) => base.strategy(TimeBased::per(duration)),
                    None => base.duration(duration),
                };
            }
            base = match strategy.burst {
                Some(Some(burst)) => base.burst(burst.0),
                Some(None) => base.clear_burst(),
                None => base,
            };
        }
        match patch.reserve_after {
            Some(reserve_after) => base.reserve_after(reserve_after.into()),
            None => base,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BindingIn {
    key: String,
    cost: Option<Number>,
    create_with: Option<PolicyIn>,
}

impl From<BindingIn> for Binding {
    fn from(binding: BindingIn) -> Self {
        let mut base = Binding::new(binding.key);
        if let Some(cost) = binding.cost {
            base = base.cost(cost.0);
        }
        match binding.create_with {
            Some(policy) => base.create_with(policy.into()),
            None => base,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum PayloadIn {
    Json(String),
    Base64(Bytes),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BackoffIn {
    initial_ms: Option<Millis>,
    max_ms: Option<Millis>,
    multiplier: Option<f64>,
    jitter: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RetentionIn {
    completed_ms: Option<Millis>,
    dead_ms: Option<Millis>,
    cancelled_ms: Option<Millis>,
}

#[derive(Deserialize)]
struct UniqueIn {
    key: String,
    scope: Option<ScopeIn>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum ScopeIn {
    Queued,
    Unfinished,
    Retained,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobIn {
    queue: String,
    #[serde(default)]
    r#type: String,
    payload: Option<PayloadIn>,
    priority: Option<u16>,
    run_in_ms: Option<Millis>,
    max_attempts: Option<u32>,
    backoff: Option<BackoffIn>,
    retention: Option<RetentionIn>,
    timeout_ms: Option<Millis>,
    unique: Option<UniqueIn>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
    #[serde(default)]
    budgets: Vec<BindingIn>,
}

impl From<JobIn> for Job {
    fn from(spec: JobIn) -> Self {
        let mut job = Job::new(spec.queue, spec.r#type);
        job = match spec.payload {
            Some(PayloadIn::Json(text)) => job.json_text(text),
            Some(PayloadIn::Base64(bytes)) => job.payload(Payload::Binary(bytes.0.into())),
            None => job,
        };
        job = set(job, spec.priority, Job::priority);
        job = set(job, spec.run_in_ms.map(Duration::from), Job::run_in);
        job = set(job, spec.max_attempts, Job::max_attempts);
        job = set(job, spec.backoff.map(Backoff::from), Job::backoff);
        job = set(job, spec.retention.map(Retention::from), Job::retention);
        job = set(job, spec.timeout_ms.map(Duration::from), Job::timeout);
        if let Some(UniqueIn { key, scope }) = spec.unique {
            job = match scope {
                None => job.unique(key),
                Some(ScopeIn::Queued) => job.unique_in(key, UniqueScope::Queued),
                Some(ScopeIn::Unfinished) => job.unique_in(key, UniqueScope::Unfinished),
                Some(ScopeIn::Retained) => job.unique_in(key, UniqueScope::Retained),
            };
        }
        let job = spec.metadata.into_iter().fold(job, |job, (key, value)| job.metadata(key, value));
        spec.budgets.into_iter().fold(job, |job, binding| job.binding(binding.into()))
    }
}

/// Applies a setting where there is one.
fn set<T, V>(base: T, value: Option<V>, setting: impl FnOnce(T, V) -> T) -> T {
    match value {
        Some(value) => setting(base, value),
        None => base,
    }
}

impl From<BackoffIn> for Backoff {
    fn from(backoff: BackoffIn) -> Self {
        Backoff {
            initial: backoff.initial_ms.map(Duration::from),
            max: backoff.max_ms.map(Duration::from),
            multiplier_percent: backoff.multiplier.map(percent),
            jitter_percent: backoff.jitter.map(percent),
        }
    }
}

/// Rounded; the script's factors are small.
fn percent(factor: f64) -> u32 {
    (factor * 100.0).round() as u32
}

impl From<RetentionIn> for Retention {
    fn from(retention: RetentionIn) -> Self {
        Retention {
            completed: retention.completed_ms.map(Duration::from),
            dead: retention.dead_ms.map(Duration::from),
            cancelled: retention.cancelled_ms.map(Duration::from),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FilterIn {
    #[serde(default)]
    all: bool,
    ids: Option<Vec<String>>,
    #[serde(default)]
    queues: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    states: Vec<String>,
    #[serde(default)]
    budgets: Vec<String>,
    priority_min: Option<u16>,
    priority_max: Option<u16>,
}

impl FilterIn {
    /// The selection it stands for.
    pub fn of(self, client: &Client) -> Selection {
        let mut jobs = client.jobs();
        if self.all {
            jobs = jobs.all();
        }
        jobs = set(jobs, self.ids, Selection::by_ids);
        jobs = self.queues.into_iter().fold(jobs, Selection::by_queue);
        jobs = self.types.into_iter().fold(jobs, Selection::by_type);
        // A state that nobody knows is the server's to refuse.
        let states = self.states.iter().map(|name| name.to_lowercase().parse().unwrap_or(JobState::Unknown(0)));
        jobs = states.fold(jobs, Selection::by_state);
        jobs = self.budgets.into_iter().fold(jobs, Selection::by_budgets_key);
        jobs = set(jobs, self.priority_min, Selection::by_priority_min);
        set(jobs, self.priority_max, Selection::by_priority_max)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobPatchIn {
    queue: Option<String>,
    r#type: Option<String>,
    priority: Option<u16>,
    run_in_ms: Option<Millis>,
    max_attempts: Option<u32>,
}

impl From<JobPatchIn> for JobPatch {
    fn from(patch: JobPatchIn) -> Self {
        let mut base = JobPatch::new();
        base = set(base, patch.queue, JobPatch::queue);
        base = set(base, patch.r#type, JobPatch::job_type);
        base = set(base, patch.priority, JobPatch::priority);
        let run_time = patch.run_in_ms.map(|wait| std::time::SystemTime::now() + Duration::from(wait));
        base = set(base, run_time, JobPatch::run_at);
        set(base, patch.max_attempts, JobPatch::max_attempts)
    }
}

/// What one attempt used of a budget.
#[derive(Deserialize)]
pub(crate) struct UsageIn {
    pub key: String,
    pub cost: Number,
}

/// How a lease, or a handler, is to end.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum OutcomeIn {
    Success {
        #[serde(default)]
        result_base64: Bytes,
    },
    Failure {
        message: String,
        retry_after_ms: Option<Millis>,
    },
    Discard {
        message: String,
    },
    Release {
        delay_ms: Option<Millis>,
    },
    Throttled {
        budget: String,
        retry_after_ms: Millis,
    },
    Raise {
        message: String,
    },
}
