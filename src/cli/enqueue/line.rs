//! One job as a JSON line. Owns the format's names and forms; bounds are the server's to check.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use sluicegate_client::{Backoff, Binding, Job, Policy, ReserveAfter, Retention, Strategy, TimeBased, UniqueScope};

use crate::cli::{policy, values};

/// What a line leaves to the command's flags.
#[derive(Clone, Debug, Default)]
pub(super) struct Defaults {
    pub queue: Option<String>,
    pub job_type: String,
}

/// Reads a job from a line.
pub(super) fn parse(line: &str, defaults: &Defaults) -> Result<Job, String> {
    let spec: Line = serde_json::from_str(line).map_err(|error| without_line_number(&error))?;
    spec.job(defaults)
}

/// The error's own line is always the first: the command knows which one of the file that is.
fn without_line_number(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line 1 column ") {
        Some((problem, column)) if column != "0" => format!("{problem}, at column {column}"),
        Some((problem, _)) => problem.to_owned(),
        None => text,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    queue: Option<String>,
    #[serde(rename = "type")]
    job_type: Option<String>,
    #[serde(default, deserialize_with = "as_written")]
    payload: Option<Box<RawValue>>,
    binary: Option<String>,
    priority: Option<u16>,
    #[serde(alias = "run_time", default, deserialize_with = "instant")]
    run_time: Option<SystemTime>,
    #[serde(alias = "run_in", default, deserialize_with = "duration")]
    run_in: Option<Duration>,
    #[serde(default)]
    bindings: Vec<LineBinding>,
    #[serde(alias = "max_attempts")]
    max_attempts: Option<u32>,
    backoff: Option<LineBackoff>,
    retention: Option<LineRetention>,
    #[serde(default, deserialize_with = "duration")]
    timeout: Option<Duration>,
    unique: Option<LineUnique>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

impl Line {
    fn job(self, defaults: &Defaults) -> Result<Job, String> {
        let queue = self.queue.or_else(|| defaults.queue.clone());
        let queue = queue.ok_or("no `queue`, and no --queue for lines without one")?;
        let mut job = Job::new(queue, self.job_type.unwrap_or_else(|| defaults.job_type.clone()));
        job = match (self.payload, self.binary) {
            (None, None) => job,
            (Some(json), None) => job.json_text(json.get()),
            (None, Some(text)) => {
                job.bytes(BASE64_STANDARD.decode(text).map_err(|error| format!("`binary` isn't base64: {error}"))?)
            }
            (Some(_), Some(_)) => return Err("`payload` and `binary`: a job has one of them".to_owned()),
        };
        job = match (self.run_time, self.run_in) {
            (None, None) => job,
            (Some(time), None) => job.run_at(time),
            (None, Some(delay)) => {
                let time = SystemTime::now().checked_add(delay).ok_or("`runIn` is too far in the future")?;
                job.run_at(time)
            }
            (Some(_), Some(_)) => return Err("`runTime` and `runIn`: a job has one of them".to_owned()),
        };
        job = self.priority.into_iter().fold(job, Job::priority);
        job = self.max_attempts.into_iter().fold(job, Job::max_attempts);
        job = self.timeout.into_iter().fold(job, Job::timeout);
        job = self.bindings.into_iter().fold(job, |job, LineBinding(binding)| job.binding(binding));
        job = self.backoff.into_iter().fold(job, |job, backoff| job.backoff(backoff.into()));
        job = self.retention.into_iter().fold(job, |job, retention| job.retention(retention.into()));
        job = self.unique.into_iter().fold(job, |job, LineUnique { key, scope }| job.unique_in(key, scope));
        Ok(self.metadata.into_iter().fold(job, |job, (key, value)| job.metadata(key, value)))
    }
}

/// A binding: `"smtp"`, `"smtp=2"`, or an object.
struct LineBinding(Binding);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BindingObject {
    budget: String,
    #[serde(default, deserialize_with = "tokens")]
    cost: Option<u64>,
    #[serde(alias = "create_with")]
    create_with: Option<LinePolicy>,
}

impl<'de> Deserialize<'de> for LineBinding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let binding = text_or_object(deserializer, values::binding, |object: BindingObject| {
            let mut binding = Binding::new(object.budget);
            binding.cost = object.cost.unwrap_or(binding.cost);
            binding.create_with = object.create_with.map(|LinePolicy(policy)| policy);
            Ok(binding)
        })?;
        Ok(Self(binding))
    }
}

/// A policy: `"100/1m,burst=8"`, or `BudgetPolicy` of the contract.
struct LinePolicy(Policy);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PolicyObject {
    #[serde(deserialize_with = "tokens")]
    allocation: Option<u64>,
    #[serde(alias = "while_in_flight")]
    while_in_flight: Option<Empty>,
    #[serde(alias = "time_based")]
    time_based: Option<TimeBasedObject>,
    #[serde(default, deserialize_with = "duration")]
    after: Option<Duration>,
    never: Option<Empty>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeBasedObject {
    #[serde(deserialize_with = "duration")]
    duration: Option<Duration>,
    #[serde(default, deserialize_with = "tokens")]
    burst: Option<u64>,
}

impl<'de> Deserialize<'de> for LinePolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_object(deserializer, policy::policy, PolicyObject::policy).map(Self)
    }
}

impl PolicyObject {
    fn policy(self) -> Result<Policy, String> {
        let allocation = self.allocation.ok_or("`allocation` is null")?;
        let strategy = match (self.while_in_flight, self.time_based) {
            (Some(Empty {}), None) => Strategy::WhileInFlight,
            (None, Some(drip)) => {
                let duration = drip.duration.ok_or("`timeBased.duration` is null")?;
                Strategy::TimeBased(TimeBased { duration, burst: drip.burst })
            }
            (None, None) | (Some(_), Some(_)) => return Err("a policy has `whileInFlight` or `timeBased`".to_owned()),
        };
        let reserve_after = match (self.after, self.never) {
            (None, None) => ReserveAfter::ServerDefault,
            (Some(after), None) => ReserveAfter::After(after),
            (None, Some(Empty {})) => ReserveAfter::Never,
            (Some(_), Some(_)) => return Err("a policy has `after` or `never`, not both".to_owned()),
        };
        Ok(Policy::new(allocation, strategy).reserve_after(reserve_after))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LineBackoff {
    #[serde(default, deserialize_with = "duration")]
    initial: Option<Duration>,
    #[serde(default, deserialize_with = "duration")]
    max: Option<Duration>,
    #[serde(alias = "multiplier_percent")]
    multiplier_percent: Option<u32>,
    #[serde(alias = "jitter_percent")]
    jitter_percent: Option<u32>,
}

impl From<LineBackoff> for Backoff {
    fn from(line: LineBackoff) -> Self {
        let LineBackoff { initial, max, multiplier_percent, jitter_percent } = line;
        Self { initial, max, multiplier_percent, jitter_percent }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineRetention {
    #[serde(default, deserialize_with = "duration")]
    completed: Option<Duration>,
    #[serde(default, deserialize_with = "duration")]
    dead: Option<Duration>,
    #[serde(default, deserialize_with = "duration")]
    cancelled: Option<Duration>,
}

impl From<LineRetention> for Retention {
    fn from(line: LineRetention) -> Self {
        let LineRetention { completed, dead, cancelled } = line;
        Self { completed, dead, cancelled }
    }
}

/// A unique key: text, or an object with its scope.
struct LineUnique {
    key: String,
    scope: UniqueScope,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UniqueObject {
    key: String,
    scope: Option<String>,
}

impl<'de> Deserialize<'de> for LineUnique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let plain = |key: &str| Ok(Self { key: key.to_owned(), scope: UniqueScope::default() });
        text_or_object(deserializer, plain, |object: UniqueObject| {
            let scope = object.scope.as_deref().map_or(Ok(UniqueScope::default()), unique_scope)?;
            Ok(Self { key: object.key, scope })
        })
    }
}

/// Reads a scope, by its short name or that of the contract.
pub(super) fn unique_scope(text: &str) -> Result<UniqueScope, String> {
    match text.strip_prefix("UNIQUE_SCOPE_").unwrap_or(text).to_ascii_lowercase().as_str() {
        "queued" => Ok(UniqueScope::Queued),
        "unfinished" | "unspecified" => Ok(UniqueScope::Unfinished),
        "retained" => Ok(UniqueScope::Retained),
        _ => Err(format!("`{text}` is no scope: queued, unfinished or retained")),
    }
}

/// Reads a value that has a short form in text and a long one as an object, with the errors of whichever was meant.
fn text_or_object<'de, D, T, O>(
    deserializer: D,
    text: impl FnOnce(&str) -> Result<T, String>,
    object: impl FnOnce(O) -> Result<T, String>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    O: DeserializeOwned,
{
    match Value::deserialize(deserializer)? {
        Value::String(written) => text(&written).map_err(D::Error::custom),
        other => {
            O::deserialize(other).map_err(D::Error::custom).and_then(|read| object(read).map_err(D::Error::custom))
        }
    }
}

/// Any JSON, `null` included.
fn as_written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| values::duration(&text)).transpose().map_err(D::Error::custom)
}

fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SystemTime>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| values::instant(&text)).transpose().map_err(D::Error::custom)
}

/// A number of tokens, which protobuf's JSON mapping writes as text.
fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let problem = |found: &Value| D::Error::custom(format!("`{found}` is no whole number of tokens"));
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => text.parse().map(Some).map_err(|_| problem(&Value::String(text))),
        value => value.as_u64().map(Some).ok_or_else(|| problem(&value)),
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
