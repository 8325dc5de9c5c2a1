//! Rows of jobs, and of what the store alone keeps of them: bodies, results and failures.

use serde::{Deserialize, Serialize};

use super::{Bytes, Kind, decode, encode};
use crate::scheduler::job::{
    Backoff, Binding, Body, End, Failure, JobOptions, JobRecord, Payload, Phase, ReadyBy, Retention, Unique,
    UniqueScope,
};
use crate::scheduler::units::{BudgetId, JobId, Nanos, Timestamp, Tokens};
use crate::store::error::RowError;
use crate::store::intern::Interner;
use crate::store::tables::{Table, read_number};

const JOB: Kind = Kind { table: Table::Jobs, expected: "a job, version 1" };
const BODY: Kind = Kind { table: Table::Bodies, expected: "a job's body, version 1" };
const RESULT: Kind = Kind { table: Table::Results, expected: "a job's result, version 1" };
const FAILURE: Kind = Kind { table: Table::Failures, expected: "a job's failure, version 1" };

#[derive(Serialize, Deserialize)]
struct JobRow<'a> {
    queue: &'a str,
    kind: &'a str,
    priority: u16,
    bindings: Vec<(u64, u64)>,
    /// None stands for [`OptionsRow::USUAL`].
    options: Option<OptionsRow>,
    #[serde(borrow)]
    unique: Option<UniqueRow<'a>>,
    create_time: i64,
    ready_at: i64,
    ready_by: ReadyByRow,
    run_at: i64,
    attempts: u32,
    releases: u32,
    unconfirmed: u32,
    failures: u32,
    phase: PhaseRow,
    body_bytes: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct OptionsRow {
    max_attempts: u32,
    backoff_initial: u64,
    backoff_max: u64,
    backoff_multiplier_percent: u32,
    backoff_jitter_percent: u32,
    retention_completed: u64,
    retention_dead: u64,
    retention_cancelled: u64,
    timeout: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct UniqueRow<'a> {
    key: &'a str,
    scope: ScopeRow,
}

#[derive(Serialize, Deserialize)]
enum ScopeRow {
    Queued,
    Unfinished,
    Retained,
}

#[derive(Serialize, Deserialize)]
enum ReadyByRow {
    Now,
    Caller,
    Backoff,
}

#[derive(Serialize, Deserialize)]
enum PhaseRow {
    Live,
    Completed(i64),
    Dead(i64),
    Cancelled(i64),
}

#[derive(Serialize, Deserialize)]
struct BodyRow<'a> {
    #[serde(borrow)]
    payload: PayloadRow<'a>,
    #[serde(borrow)]
    metadata: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize, Deserialize)]
enum PayloadRow<'a> {
    Json(&'a str),
    Binary(#[serde(borrow)] Bytes<'a>),
}

#[derive(Serialize, Deserialize)]
struct FailureRow<'a> {
    attempt: u32,
    time: i64,
    error: &'a str,
}

impl OptionsRow {
    /// What most jobs have, in numbers of its own: the format doesn't change when the defaults do.
    const USUAL: Self = Self {
        max_attempts: 25,
        backoff_initial: 1_000_000_000,
        backoff_max: 3_600_000_000_000,
        backoff_multiplier_percent: 200,
        backoff_jitter_percent: 20,
        retention_completed: 0,
        retention_dead: 604_800_000_000_000,
        retention_cancelled: 86_400_000_000_000,
        timeout: None,
    };
}

impl From<JobOptions> for OptionsRow {
    fn from(options: JobOptions) -> Self {
        Self {
            max_attempts: options.max_attempts,
            backoff_initial: options.backoff.initial.0,
            backoff_max: options.backoff.max.0,
            backoff_multiplier_percent: options.backoff.multiplier_percent,
            backoff_jitter_percent: options.backoff.jitter_percent,
            retention_completed: options.retention.completed.0,
            retention_dead: options.retention.dead.0,
            retention_cancelled: options.retention.cancelled.0,
            timeout: options.timeout.map(|span| span.0),
        }
    }
}

impl From<OptionsRow> for JobOptions {
    fn from(row: OptionsRow) -> Self {
        Self {
            max_attempts: row.max_attempts,
            backoff: Backoff {
                initial: Nanos(row.backoff_initial),
                max: Nanos(row.backoff_max),
                multiplier_percent: row.backoff_multiplier_percent,
                jitter_percent: row.backoff_jitter_percent,
            },
            retention: Retention {
                completed: Nanos(row.retention_completed),
                dead: Nanos(row.retention_dead),
                cancelled: Nanos(row.retention_cancelled),
            },
            timeout: row.timeout.map(Nanos),
        }
    }
}

impl<'a> From<&'a Unique> for UniqueRow<'a> {
    fn from(unique: &'a Unique) -> Self {
        let scope = match unique.scope {
            UniqueScope::Queued => ScopeRow::Queued,
            UniqueScope::Unfinished => ScopeRow::Unfinished,
            UniqueScope::Retained => ScopeRow::Retained,
        };
        Self { key: &unique.key, scope }
    }
}

impl From<UniqueRow<'_>> for Unique {
    fn from(row: UniqueRow<'_>) -> Self {
        let scope = match row.scope {
            ScopeRow::Queued => UniqueScope::Queued,
            ScopeRow::Unfinished => UniqueScope::Unfinished,
            ScopeRow::Retained => UniqueScope::Retained,
        };
        Self { key: row.key.into(), scope }
    }
}

impl From<ReadyBy> for ReadyByRow {
    fn from(by: ReadyBy) -> Self {
        match by {
            ReadyBy::Now => Self::Now,
            ReadyBy::Caller => Self::Caller,
            ReadyBy::Backoff => Self::Backoff,
        }
    }
}

impl From<ReadyByRow> for ReadyBy {
    fn from(row: ReadyByRow) -> Self {
        match row {
            ReadyByRow::Now => Self::Now,
            ReadyByRow::Caller => Self::Caller,
            ReadyByRow::Backoff => Self::Backoff,
        }
    }
}

impl From<Phase> for PhaseRow {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Live => Self::Live,
            Phase::Over(End::Completed, since) => Self::Completed(since.0),
            Phase::Over(End::Dead, since) => Self::Dead(since.0),
            Phase::Over(End::Cancelled, since) => Self::Cancelled(since.0),
        }
    }
}

impl From<PhaseRow> for Phase {
    fn from(row: PhaseRow) -> Self {
        match row {
            PhaseRow::Live => Self::Live,
            PhaseRow::Completed(since) => Self::Over(End::Completed, Timestamp(since)),
            PhaseRow::Dead(since) => Self::Over(End::Dead, Timestamp(since)),
            PhaseRow::Cancelled(since) => Self::Over(End::Cancelled, Timestamp(since)),
        }
    }
}

pub(in crate::store) fn encode_job(job: &JobRecord, out: &mut Vec<u8>) {
    let options = OptionsRow::from(job.options);
    let row = JobRow {
        queue: &job.queue,
        kind: &job.kind,
        priority: job.priority,
        bindings: job.bindings.iter().map(|binding| (binding.budget.0, binding.cost.0)).collect(),
        options: (options != OptionsRow::USUAL).then_some(options),
        unique: job.unique.as_ref().map(UniqueRow::from),
        create_time: job.create_time.0,
        ready_at: job.ready_at.0,
        ready_by: job.ready_by.into(),
        run_at: job.run_at.0,
        attempts: job.attempts,
        releases: job.releases,
        unconfirmed: job.unconfirmed,
        failures: job.failures,
        phase: job.phase.into(),
        body_bytes: job.body_bytes,
    };
    encode(&row, out);
}

pub(in crate::store) fn decode_job(key: &[u8], value: &[u8], interner: &mut Interner) -> Result<JobRecord, RowError> {
    let id = JobId(read_number(Table::Jobs, key)?);
    let row: JobRow<'_> = decode(JOB, key, value)?;
    let bindings: Vec<Binding> =
        row.bindings.iter().map(|&(budget, cost)| Binding { budget: BudgetId(budget), cost: Tokens(cost) }).collect();
    Ok(JobRecord {
        id,
        queue: interner.name(row.queue),
        kind: interner.name(row.kind),
        priority: row.priority,
        bindings: interner.bindings(&bindings),
        options: row.options.unwrap_or(OptionsRow::USUAL).into(),
        unique: row.unique.map(Unique::from),
        create_time: Timestamp(row.create_time),
        ready_at: Timestamp(row.ready_at),
        ready_by: row.ready_by.into(),
        run_at: Timestamp(row.run_at),
        attempts: row.attempts,
        releases: row.releases,
        unconfirmed: row.unconfirmed,
        failures: row.failures,
        phase: row.phase.into(),
        body_bytes: row.body_bytes,
    })
}

pub(in crate::store) fn encode_body(body: &Body, out: &mut Vec<u8>) {
    let row = BodyRow {
        payload: match &body.payload {
            Payload::Json(text) => PayloadRow::Json(text),
            Payload::Binary(bytes) => PayloadRow::Binary(Bytes(bytes)),
        },
        metadata: body.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect(),
    };
    encode(&row, out);
}

pub(in crate::store) fn decode_body(key: &[u8], value: &[u8]) -> Result<Body, RowError> {
    let row: BodyRow<'_> = decode(BODY, key, value)?;
    Ok(Body {
        payload: match row.payload {
            PayloadRow::Json(text) => Payload::Json(text.into()),
            PayloadRow::Binary(Bytes(bytes)) => Payload::Binary(bytes.into()),
        },
        metadata: row.metadata.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    })
}

pub(in crate::store) fn encode_result(result: &[u8], out: &mut Vec<u8>) {
    encode(&Bytes(result), out);
}

pub(in crate::store) fn decode_result(key: &[u8], value: &[u8]) -> Result<Box<[u8]>, RowError> {
    let Bytes(result) = decode(RESULT, key, value)?;
    Ok(result.into())
}

pub(in crate::store) fn encode_failure(failure: &Failure, out: &mut Vec<u8>) {
    encode(&FailureRow { attempt: failure.attempt, time: failure.time.0, error: &failure.error }, out);
}

pub(in crate::store) fn decode_failure(key: &[u8], value: &[u8]) -> Result<Failure, RowError> {
    let row: FailureRow<'_> = decode(FAILURE, key, value)?;
    Ok(Failure { attempt: row.attempt, time: Timestamp(row.time), error: row.error.into() })
}
