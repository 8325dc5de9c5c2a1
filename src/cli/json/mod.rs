//! What programs read: the client's types in the names and forms of protobuf's JSON mapping, as grpcurl prints them too.
//!
//! Names are lowerCamelCase, 64-bit numbers are strings, durations are seconds (`"1.500s"`), instants RFC 3339, enums the names of
//! their values, bytes base64. What is unset is left out; numbers, flags and lists are always there.

mod explained;
mod stored;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Serialize, Serializer};
use sluicegate_client::{
    AttemptError, Backoff, Binding, Budget, BudgetExplanation, BudgetStatus, Changed, Explanation, HoldUp, JobState,
    Lease, Payload, Policy, Queue, QueueExplanation, ReserveAfter, Retention, StoredJob, Strategy, TimeBased, Unique,
    UniqueScope,
};

use super::values::rfc3339;

pub(super) use explained::ExplanationJson;
pub(super) use stored::JobJson;

/// A 64-bit number.
#[derive(Clone, Copy, Debug)]
struct Int64<T>(T);

impl<T: std::fmt::Display> Serialize for Int64<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// An instant.
struct Instant(SystemTime);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&rfc3339(self.0))
    }
}

/// A span of time.
struct Span(Duration);

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seconds = self.0.as_secs();
        match self.0.subsec_nanos() {
            0 => serializer.collect_str(&format_args!("{seconds}s")),
            nanos if nanos % 1_000_000 == 0 => {
                serializer.collect_str(&format_args!("{seconds}.{:03}s", nanos / 1_000_000))
            }
            nanos if nanos % 1_000 == 0 => serializer.collect_str(&format_args!("{seconds}.{:06}s", nanos / 1_000)),
            nanos => serializer.collect_str(&format_args!("{seconds}.{nanos:09}s")),
        }
    }
}

/// A message without fields.
#[derive(Serialize)]
struct Empty {}

fn instant(time: Option<SystemTime>) -> Option<Instant> {
    time.map(Instant)
}

/// Its name in `JobState`.
fn state(state: JobState) -> String {
    match state {
        JobState::Unknown(number) => number.to_string(),
        known => format!("JOB_STATE_{}", known.to_string().to_uppercase()),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PolicyJson {
    allocation: Int64<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    while_in_flight: Option<Empty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_based: Option<TimeBasedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    never: Option<Empty>,
}

#[derive(Serialize)]
struct TimeBasedJson {
    duration: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<Int64<u64>>,
}

impl From<Policy> for PolicyJson {
    fn from(policy: Policy) -> Self {
        let (while_in_flight, time_based) = match policy.strategy {
            Strategy::WhileInFlight => (Some(Empty {}), None),
            Strategy::TimeBased(TimeBased { duration, burst }) => {
                (None, Some(TimeBasedJson { duration: Span(duration), burst: burst.map(Int64) }))
            }
        };
        let (after, never) = match policy.reserve_after {
            ReserveAfter::ServerDefault => (None, None),
            ReserveAfter::After(after) => (Some(Span(after)), None),
            ReserveAfter::Never => (None, Some(Empty {})),
        };
        Self { allocation: Int64(policy.allocation), while_in_flight, time_based, after, never }
    }
}

/// A budget: `Budget` of the contract.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BudgetJson {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<PolicyJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    create_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_time: Option<Instant>,
    etag: String,
    status: BudgetStatusJson,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BudgetStatusJson {
    available: Int64<i64>,
    capacity: Int64<u64>,
    in_flight_cost: Int64<u64>,
    in_flight_jobs: Int64<u64>,
    parked_jobs: Int64<u64>,
    bound_jobs: Int64<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token_time: Option<Instant>,
    blocked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_until: Option<Instant>,
}

impl From<Budget> for BudgetJson {
    fn from(budget: Budget) -> Self {
        Self {
            key: budget.key,
            policy: budget.policy.map(PolicyJson::from),
            create_time: instant(budget.create_time),
            update_time: instant(budget.update_time),
            etag: budget.etag,
            status: budget.status.into(),
        }
    }
}

impl From<BudgetStatus> for BudgetStatusJson {
    fn from(status: BudgetStatus) -> Self {
        Self {
            available: Int64(status.available),
            capacity: Int64(status.capacity),
            in_flight_cost: Int64(status.in_flight_cost),
            in_flight_jobs: Int64(status.in_flight_jobs),
            parked_jobs: Int64(status.parked_jobs),
            bound_jobs: Int64(status.bound_jobs),
            next_token_time: instant(status.next_token_time),
            blocked: status.blocked,
            blocked_until: instant(status.blocked_until),
        }
    }
}

/// A queue: `Queue` of the contract.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueueJson {
    name: String,
    paused: bool,
    scheduled: Int64<u64>,
    ready: Int64<u64>,
    in_flight: Int64<u64>,
    completed: Int64<u64>,
    dead: Int64<u64>,
    cancelled: Int64<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_ready_age: Option<Span>,
    workers: u32,
}

impl From<Queue> for QueueJson {
    fn from(queue: Queue) -> Self {
        Self {
            name: queue.name,
            paused: queue.paused,
            scheduled: Int64(queue.scheduled),
            ready: Int64(queue.ready),
            in_flight: Int64(queue.in_flight),
            completed: Int64(queue.completed),
            dead: Int64(queue.dead),
            cancelled: Int64(queue.cancelled),
            oldest_ready_age: queue.oldest_ready_age.map(Span),
            workers: queue.workers,
        }
    }
}

/// What a change of jobs did: `CancelJobsResponse` of the contract, and its likes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangedJson<'a> {
    changed: Int64<u64>,
    blocked: &'a [String],
    blocked_count: Int64<u64>,
}

impl<'a> From<&'a Changed> for ChangedJson<'a> {
    fn from(changed: &'a Changed) -> Self {
        Self { changed: Int64(changed.changed), blocked: &changed.blocked, blocked_count: Int64(changed.blocked_count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_have_the_forms_of_protobufs_json() {
        let value = |value| serde_json::to_value(value).expect("JSON");
        assert_eq!(value(Span(Duration::from_secs(60))), json!("60s"));
        assert_eq!(value(Span(Duration::from_millis(1_500))), json!("1.500s"));
        assert_eq!(value(Span(Duration::from_micros(1))), json!("0.000001s"));
        assert_eq!(value(Span(Duration::from_nanos(1))), json!("0.000000001s"));
        let epoch = serde_json::to_value(Instant(SystemTime::UNIX_EPOCH)).expect("JSON");
        assert_eq!(epoch, json!("1970-01-01T00:00:00Z"));
        assert_eq!(state(JobState::InFlight), "JOB_STATE_IN_FLIGHT");
        assert_eq!(state(JobState::Unknown(9)), "9");
    }

    #[test]
    fn a_policy_is_what_the_contract_calls_it() {
        let value = |policy: Policy| serde_json::to_value(PolicyJson::from(policy)).expect("JSON");
        assert_eq!(value(Policy::while_in_flight(5)), json!({ "allocation": "5", "whileInFlight": {} }));
        let drip = TimeBased::per(Duration::from_secs(60)).burst(8);
        let policy = Policy::time_based(u64::MAX, drip).reserve_after(ReserveAfter::Never);
        let full = json!({
            "allocation": "18446744073709551615",
            "timeBased": { "duration": "60s", "burst": "8" },
            "never": {},
        });
        assert_eq!(value(policy), full);
    }
}
