//! Jobs as they are asked for. Owns the builder and its mapping to the wire; bounds are the server's to check.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde::Serialize;

use crate::binding::{Binding, bindings_into_wire};
use crate::budget::Policy;
use crate::convert::{duration_from_wire, duration_to_wire, time_to_wire};
use crate::error::Result;
use crate::wire::{self, job_spec};

/// A handler's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Payload {
    /// No bytes.
    #[default]
    None,
    /// JSON text, checked at enqueue and kept as it was written.
    Json(String),
    /// Any bytes.
    Binary(Bytes),
}

impl Payload {
    /// The bytes, whatever they are.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Payload::None => &[],
            Payload::Json(text) => text.as_bytes(),
            Payload::Binary(bytes) => bytes,
        }
    }

    /// Whether it is JSON.
    pub fn is_json(&self) -> bool {
        matches!(self, Payload::Json(_))
    }

    fn into_wire(self) -> Option<job_spec::Payload> {
        match self {
            Payload::None => None,
            Payload::Json(text) => Some(job_spec::Payload::Json(text)),
            Payload::Binary(bytes) => Some(job_spec::Payload::Binary(bytes)),
        }
    }

    pub(crate) fn from_wire(payload: Option<job_spec::Payload>) -> Self {
        match payload {
            None => Payload::None,
            Some(job_spec::Payload::Json(text)) => Payload::Json(text),
            Some(job_spec::Payload::Binary(bytes)) => Payload::Binary(bytes),
        }
    }
}

/// Exponential backoff with jitter and a cap (semantics 6.3). `None` leaves a value to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    /// Before the first retry. 0..=24 h; 1 s by default.
    pub initial: Option<Duration>,
    /// The longest delay. 0..=24 h; the larger of 1 h and `initial` by default.
    pub max: Option<Duration>,
    /// Growth from one retry to the next, in percent. 100..=1000; 200 by default.
    pub multiplier_percent: Option<u32>,
    /// The largest share taken off at random, in percent. 0..=100; 20 by default.
    pub jitter_percent: Option<u32>,
}

impl Backoff {
    /// The same delay before each retry.
    pub fn constant(delay: Duration) -> Self {
        Self { initial: Some(delay), max: Some(delay), multiplier_percent: Some(100), jitter_percent: Some(0) }
    }

    pub(crate) fn to_wire(self) -> wire::Backoff {
        wire::Backoff {
            initial: self.initial.map(duration_to_wire),
            max: self.max.map(duration_to_wire),
            multiplier_percent: self.multiplier_percent,
            jitter_percent: self.jitter_percent,
        }
    }

    pub(crate) fn from_wire(backoff: wire::Backoff) -> Self {
        Self {
            initial: backoff.initial.map(duration_from_wire),
            max: backoff.max.map(duration_from_wire),
            multiplier_percent: backoff.multiplier_percent,
            jitter_percent: backoff.jitter_percent,
        }
    }
}

/// How long a job is kept once it is over (semantics 6.4). Each 0..=366 d; `None` leaves a value to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// After success. Not at all by default.
    pub completed: Option<Duration>,
    /// After its last failure. 7 d by default.
    pub dead: Option<Duration>,
    /// After it was cancelled. 1 d by default.
    pub cancelled: Option<Duration>,
}

impl Retention {
    pub(crate) fn to_wire(self) -> wire::Retention {
        wire::Retention {
            completed: self.completed.map(duration_to_wire),
            dead: self.dead.map(duration_to_wire),
            cancelled: self.cancelled.map(duration_to_wire),
        }
    }

    pub(crate) fn from_wire(retention: wire::Retention) -> Self {
        Self {
            completed: retention.completed.map(duration_from_wire),
            dead: retention.dead.map(duration_from_wire),
            cancelled: retention.cancelled.map(duration_from_wire),
        }
    }
}

/// The states in which a job holds its unique key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UniqueScope {
    /// While it is scheduled or ready.
    Queued,
    /// While it is scheduled, ready or in flight.
    #[default]
    Unfinished,
    /// Until it is removed, finished or not.
    Retained,
}

impl UniqueScope {
    fn to_wire(self) -> wire::UniqueScope {
        match self {
            UniqueScope::Queued => wire::UniqueScope::Queued,
            UniqueScope::Unfinished => wire::UniqueScope::Unfinished,
            UniqueScope::Retained => wire::UniqueScope::Retained,
        }
    }

    fn from_wire(scope: wire::UniqueScope) -> Self {
        match scope {
            wire::UniqueScope::Queued => UniqueScope::Queued,
            wire::UniqueScope::Unspecified | wire::UniqueScope::Unfinished => UniqueScope::Unfinished,
            wire::UniqueScope::Retained => UniqueScope::Retained,
        }
    }
}

/// A key that at most one job of the server holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unique {
    /// 1..=256 bytes, one space for the whole server.
    pub key: String,
    /// Until when the job holds it.
    pub scope: UniqueScope,
}

impl Unique {
    pub(crate) fn from_wire(unique: wire::UniqueKey) -> Self {
        Self { scope: UniqueScope::from_wire(unique.scope()), key: unique.key }
    }
}

/// The metadata under which a trace travels, as W3C Trace Context names them.
pub(crate) const TRACEPARENT: &str = "traceparent";
pub(crate) const TRACESTATE: &str = "tracestate";

/// A job to enqueue.
///
/// ```
/// # use sluicegate_client::{Job, Policy};
/// # use std::time::Duration;
/// # fn main() -> sluicegate_client::Result<()> {
/// let job = Job::new("emails", "welcome")
///     .json(&serde_json::json!({ "to": "ada@example.com" }))?
///     .bind("smtp", 1)
///     .bind_with("tenant:7", 2, Policy::while_in_flight(4))
///     .run_in(Duration::from_secs(60));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    queue: String,
    job_type: String,
    payload: Payload,
    priority: Option<u16>,
    run_time: Option<SystemTime>,
    bindings: Vec<Binding>,
    max_attempts: Option<u32>,
    backoff: Option<Backoff>,
    retention: Option<Retention>,
    timeout: Option<Duration>,
    unique: Option<Unique>,
    metadata: BTreeMap<String, String>,
}

impl Job {
    /// A job without payload. Queue and type: 1..=128 bytes of `[A-Za-z0-9._:/@-]`; the type may be empty.
    pub fn new(queue: impl Into<String>, job_type: impl Into<String>) -> Self {
        Self {
            queue: queue.into(),
            job_type: job_type.into(),
            payload: Payload::None,
            priority: None,
            run_time: None,
            bindings: Vec::new(),
            max_attempts: None,
            backoff: None,
            retention: None,
            timeout: None,
            unique: None,
            metadata: BTreeMap::new(),
        }
    }

    /// Sets the payload: this value as JSON.
    pub fn json(self, value: &(impl Serialize + ?Sized)) -> Result<Self> {
        Ok(self.json_text(serde_json::to_string(value)?))
    }

    /// Sets the payload: this text, which must be JSON.
    pub fn json_text(self, text: impl Into<String>) -> Self {
        self.payload(Payload::Json(text.into()))
    }

    /// Sets the payload: these bytes.
    pub fn bytes(self, bytes: impl Into<Bytes>) -> Self {
        self.payload(Payload::Binary(bytes.into()))
    }

    /// Sets the payload.
    pub fn payload(mut self, payload: Payload) -> Self {
        self.payload = payload;
        self
    }

    /// Sets the priority: 0 is the most urgent; 32768 by default.
    pub fn priority(mut self, priority: u16) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Dispatches it no earlier than this. At most 366 d from now.
    pub fn run_at(mut self, time: SystemTime) -> Self {
        self.run_time = Some(time);
        self
    }

    /// Dispatches it no earlier than this long from now, by this machine's clock.
    pub fn run_in(self, delay: Duration) -> Self {
        self.run_at(SystemTime::now() + delay)
    }

    /// Binds it to a budget at this cost in tokens. At most 16 bindings, each to another budget.
    pub fn bind(self, budget: impl Into<String>, cost: u64) -> Self {
        self.binding(Binding::new(budget).cost(cost))
    }

    /// Binds it to a budget, which is created with this policy if it doesn't exist (semantics 3.4).
    pub fn bind_with(self, budget: impl Into<String>, cost: u64, policy: Policy) -> Self {
        self.binding(Binding::new(budget).cost(cost).create_with(policy))
    }

    /// Adds a binding.
    pub fn binding(mut self, binding: Binding) -> Self {
        self.bindings.push(binding);
        self
    }

    /// Sets after how many failed attempts it is dead. 1..=1000; 25 by default.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sets the delay before a retry.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = Some(backoff);
        self
    }

    /// Sets how long it is kept once it is over.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = Some(retention);
        self
    }

    /// Sets the longest one attempt may take. 1 ms..=24 h; no limit by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Answers with the unfinished job that has the same key, if there is one.
    pub fn unique(self, key: impl Into<String>) -> Self {
        self.unique_in(key, UniqueScope::Unfinished)
    }

    /// Answers with the job that holds the same key, if there is one.
    pub fn unique_in(mut self, key: impl Into<String>, scope: UniqueScope) -> Self {
        self.unique = Some(Unique { key: key.into(), scope });
        self
    }

    /// Adds a pair that travels with it, such as `traceparent`. 4 KiB in all.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Carries a trace on to the handler: a `traceparent` as W3C Trace Context writes it, kept in the metadata.
    pub fn traceparent(self, traceparent: impl Into<String>) -> Self {
        self.metadata(TRACEPARENT, traceparent)
    }

    /// Carries what vendors say of the trace: a `tracestate`, kept in the metadata.
    pub fn tracestate(self, tracestate: impl Into<String>) -> Self {
        self.metadata(TRACESTATE, tracestate)
    }

    /// The bytes of the contract's `JobSpec` that an enqueue sends.
    pub fn encode_to_vec(&self) -> Vec<u8> {
        prost::Message::encode_to_vec(&self.clone().into_wire())
    }

    pub(crate) fn into_wire(self) -> wire::JobSpec {
        wire::JobSpec {
            queue: self.queue,
            r#type: self.job_type,
            priority: self.priority.map(u32::from),
            run_time: self.run_time.map(time_to_wire),
            bindings: bindings_into_wire(self.bindings),
            max_attempts: self.max_attempts,
            backoff: self.backoff.map(Backoff::to_wire),
            retention: self.retention.map(Retention::to_wire),
            timeout: self.timeout.map(duration_to_wire),
            unique: self.unique.map(|unique| wire::UniqueKey { scope: unique.scope.to_wire().into(), key: unique.key }),
            metadata: self.metadata.into_iter().collect(),
            payload: self.payload.into_wire(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_isnt_said_stays_unset() {
        let spec = Job::new("q", "t").into_wire();
        let bare = wire::JobSpec { queue: "q".into(), r#type: "t".into(), ..Default::default() };
        assert_eq!(spec, bare);
    }

    #[test]
    fn what_is_said_is_sent() {
        let run_at = SystemTime::UNIX_EPOCH + Duration::from_secs(9);
        let spec = Job::new("q", "t")
            .json(&[1, 2])
            .expect("numbers are JSON")
            .priority(0)
            .run_at(run_at)
            .bind("a", 3)
            .bind_with("b", 1, Policy::while_in_flight(2))
            .max_attempts(4)
            .backoff(Backoff::constant(Duration::ZERO))
            .timeout(Duration::from_secs(5))
            .unique_in("u", UniqueScope::Retained)
            .metadata("k", "v")
            .into_wire();
        assert_eq!(spec.payload, Some(job_spec::Payload::Json("[1,2]".into())));
        assert_eq!(spec.priority, Some(0));
        assert_eq!(spec.run_time, Some(time_to_wire(run_at)));
        assert_eq!(spec.bindings[0].cost, Some(3));
        assert_eq!(spec.bindings[0].create_with, None);
        assert_eq!(spec.bindings[1].create_with.map(|policy| policy.allocation), Some(2));
        assert_eq!(spec.backoff.map(Backoff::from_wire), Some(Backoff::constant(Duration::ZERO)));
        assert_eq!(spec.unique.as_ref().map(wire::UniqueKey::scope), Some(wire::UniqueScope::Retained));
        assert_eq!(spec.metadata["k"], "v");
    }

    #[test]
    fn a_payload_keeps_its_kind() {
        for payload in [
            Payload::None,
            Payload::Json("null".into()),
            Payload::Json(String::new()),
            Payload::Binary(Bytes::from_static(&[0xff, 0])),
        ] {
            assert_eq!(Payload::from_wire(payload.clone().into_wire()), payload);
        }
    }
}
