//! What can go wrong, one variant a reason of the contract. Owns the decoding of a status' details; decides nothing by the
//! words of a status.

use std::error::Error as StdError;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::stored_job::JobState;
use crate::wire::ErrorReason;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// The `ErrorInfo.domain` under which the reasons of this contract stand.
const DOMAIN: &str = "sluicegate";

/// Why a call failed. Variants up to [`Error::Draining`] are the server's reasons, each with its facts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A field is missing or outside its bounds.
    #[error("{message}")]
    InvalidField {
        /// What the server said.
        message: String,
        /// Each field that was refused.
        fields: Vec<FieldViolation>,
    },
    /// The budget exists, and keeps its policy (semantics 7.1).
    #[error("budget `{budget}` exists already")]
    BudgetAlreadyExists {
        /// Its key.
        budget: String,
    },
    /// The job is bound to the budget already (semantics 8.1).
    #[error("job {job_id} is bound to budget `{budget}` already")]
    AlreadyBound {
        /// The budget's key.
        budget: String,
        /// The job.
        job_id: String,
    },
    /// There is no such budget, whether it was asked for or named by a binding (semantics 3.3).
    #[error("there is no budget `{budget}`")]
    BudgetNotFound {
        /// The key that was asked for.
        budget: String,
    },
    /// There is no such job; it may have been removed.
    #[error("there is no job {job_id}")]
    JobNotFound {
        /// The id that was asked for.
        job_id: String,
    },
    /// The job isn't bound to the budget (semantics 8.1).
    #[error("job {job_id} isn't bound to budget `{budget}`")]
    NotBound {
        /// The budget's key.
        budget: String,
        /// The job.
        job_id: String,
    },
    /// There is no such queue.
    #[error("there is no queue `{queue}`")]
    QueueNotFound {
        /// The name that was asked for.
        queue: String,
    },
    /// A cost is above the capacity of its budget (semantics 3.2, 7.4).
    #[error("cost {cost} is above the capacity {capacity} of budget `{budget}`{}", of_jobs(*total))]
    CostExceedsCapacity {
        /// The budget's key.
        budget: String,
        /// The largest cost above the capacity, in tokens.
        cost: u64,
        /// The capacity that is, or would be, in force, in tokens.
        capacity: u64,
        /// Of a policy change: up to 10 of the jobs that stand against it.
        job_ids: Vec<String>,
        /// Of a policy change: how many there are; else 0.
        total: u64,
    },
    /// Unfinished jobs are bound to the budget (semantics 7.5).
    #[error("budget `{budget}` has {total} unfinished jobs bound to it")]
    BudgetInUse {
        /// The budget's key.
        budget: String,
        /// How many jobs.
        total: u64,
    },
    /// The job is in flight, where its bindings never change (semantics 3.5).
    #[error("job {job_id} is in flight")]
    JobInFlight {
        /// The job.
        job_id: String,
    },
    /// The job is over.
    #[error("job {job_id} is over: {state}")]
    JobFinished {
        /// The job.
        job_id: String,
        /// How it ended.
        state: JobState,
    },
    /// The policy was changed since its etag was read.
    #[error("the policy of budget `{budget}` has changed: its etag is {etag}")]
    EtagMismatch {
        /// The budget's key.
        budget: String,
        /// The etag it has now.
        etag: String,
    },
    /// A newer stream with the same worker id took over.
    #[error("a newer worker took over the id `{worker_id}`")]
    SessionSuperseded {
        /// The id of both workers.
        worker_id: String,
    },
    /// The server has all the budgets it may have.
    #[error("the server has all the {limit} budgets it may have")]
    BudgetLimitReached {
        /// How many.
        limit: u64,
    },
    /// Too much is stored, open or waiting at once. Nothing was done.
    #[error("the server is overloaded: {what} (limit {limit})")]
    Overloaded {
        /// Of what there is too much.
        what: String,
        /// How much there may be.
        limit: u64,
        /// When to try again, where that helps.
        retry_after: Option<Duration>,
    },
    /// A commit failed. **Whether the call took effect is unknown**: repeat it with the same request id (semantics 10.3).
    #[error("{message}")]
    StoreUnavailable {
        /// What the server said.
        message: String,
    },
    /// The server is shutting down, and did nothing.
    #[error("the server is shutting down")]
    Draining {
        /// When to try again.
        retry_after: Option<Duration>,
    },
    /// The server couldn't be reached.
    #[error("{}", chain(.0))]
    Transport(#[from] tonic::transport::Error),
    /// Any other status: a reason that this client doesn't know, a proxy's words, a connection that broke.
    #[error("{}", describe(.0))]
    Status(Box<Status>),
    /// The server's answer lacks something that the contract promises.
    #[error("the server's answer lacks `{what}`")]
    UnexpectedAnswer {
        /// What is missing.
        what: &'static str,
    },
    /// A value can't be written as JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A worker or a selection was put together wrongly; nothing was sent.
    #[error("{message}")]
    Config {
        /// What is wrong, and what would be right.
        message: String,
    },
}

/// A field that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldViolation {
    /// Its path, such as `jobs[3].bindings[0].cost`.
    pub field: String,
    /// What is wrong with it.
    pub description: String,
}

impl Error {
    /// Whether the same call may succeed later. After [`Error::StoreUnavailable`] and a broken connection the call may have
    /// taken effect already: repeat an enqueue only with a request id.
    pub fn is_retryable(&self) -> bool {
        match self {
            Error::Overloaded { .. }
            | Error::StoreUnavailable { .. }
            | Error::Draining { .. }
            | Error::Transport(_) => true,
            Error::Status(status) => status.code() == Code::Unavailable || status.source().is_some(),
            _ => false,
        }
    }

    /// The name of the contract's `ErrorReason`, such as `BUDGET_NOT_FOUND`; `None` for what the server gave no reason for.
    pub fn reason(&self) -> Option<&'static str> {
        let reason = match self {
            Error::InvalidField { .. } => ErrorReason::InvalidField,
            Error::BudgetAlreadyExists { .. } => ErrorReason::BudgetAlreadyExists,
            Error::AlreadyBound { .. } => ErrorReason::AlreadyBound,
            Error::BudgetNotFound { .. } => ErrorReason::BudgetNotFound,
            Error::JobNotFound { .. } => ErrorReason::JobNotFound,
            Error::NotBound { .. } => ErrorReason::NotBound,
            Error::QueueNotFound { .. } => ErrorReason::QueueNotFound,
            Error::CostExceedsCapacity { .. } => ErrorReason::CostExceedsCapacity,
            Error::BudgetInUse { .. } => ErrorReason::BudgetInUse,
            Error::JobInFlight { .. } => ErrorReason::JobInFlight,
            Error::JobFinished { .. } => ErrorReason::JobFinished,
            Error::EtagMismatch { .. } => ErrorReason::EtagMismatch,
            Error::SessionSuperseded { .. } => ErrorReason::SessionSuperseded,
            Error::BudgetLimitReached { .. } => ErrorReason::BudgetLimitReached,
            Error::Overloaded { .. } => ErrorReason::Overloaded,
            Error::StoreUnavailable { .. } => ErrorReason::StoreUnavailable,
            Error::Draining { .. } => ErrorReason::Draining,
            Error::Transport(_)
            | Error::Status(_)
            | Error::UnexpectedAnswer { .. }
            | Error::Json(_)
            | Error::Config { .. } => return None,
        };
        reason.as_str_name().strip_prefix("ERROR_REASON_")
    }

    /// How long the server asks callers to wait before they try again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Overloaded { retry_after, .. } | Error::Draining { retry_after } => *retry_after,
            Error::Status(status) => status.get_details_retry_info()?.retry_delay,
            _ => None,
        }
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let details = status.get_error_details();
        let reason = match details.error_info() {
            Some(info) if info.domain == DOMAIN => ErrorReason::from_str_name(&format!("ERROR_REASON_{}", info.reason)),
            _ => None,
        };
        reason
            .and_then(|reason| from_reason(reason, &Facts(&details), status.message()))
            .unwrap_or_else(|| Error::Status(Box::new(status)))
    }
}

/// The variant of a reason; none for the one that says nothing.
fn from_reason(reason: ErrorReason, facts: &Facts<'_>, message: &str) -> Option<Error> {
    let budget = || facts.text("budget");
    let job_id = || facts.text("job_id");
    Some(match reason {
        ErrorReason::Unspecified => return None,
        ErrorReason::InvalidField => Error::InvalidField { message: message.to_owned(), fields: facts.fields(message) },
        ErrorReason::BudgetAlreadyExists => Error::BudgetAlreadyExists { budget: budget() },
        ErrorReason::AlreadyBound => Error::AlreadyBound { budget: budget(), job_id: job_id() },
        ErrorReason::BudgetNotFound => Error::BudgetNotFound { budget: budget() },
        ErrorReason::JobNotFound => Error::JobNotFound { job_id: job_id() },
        ErrorReason::NotBound => Error::NotBound { budget: budget(), job_id: job_id() },
        ErrorReason::QueueNotFound => Error::QueueNotFound { queue: facts.text("queue") },
        ErrorReason::CostExceedsCapacity => Error::CostExceedsCapacity {
            budget: budget(),
            cost: facts.number("cost"),
            capacity: facts.number("capacity"),
            job_ids: facts.list("job_ids"),
            total: facts.number("total"),
        },
        ErrorReason::BudgetInUse => Error::BudgetInUse { budget: budget(), total: facts.number("total") },
        ErrorReason::JobInFlight => Error::JobInFlight { job_id: job_id() },
        ErrorReason::JobFinished => {
            Error::JobFinished { job_id: job_id(), state: JobState::from_fact(&facts.text("state")) }
        }
        ErrorReason::EtagMismatch => Error::EtagMismatch { budget: budget(), etag: facts.text("etag") },
        ErrorReason::SessionSuperseded => Error::SessionSuperseded { worker_id: facts.text("worker_id") },
        ErrorReason::BudgetLimitReached => Error::BudgetLimitReached { limit: facts.number("limit") },
        ErrorReason::Overloaded => Error::Overloaded {
            what: facts.text("what"),
            limit: facts.number("limit"),
            retry_after: facts.retry_after(),
        },
        ErrorReason::StoreUnavailable => Error::StoreUnavailable { message: message.to_owned() },
        ErrorReason::Draining => Error::Draining { retry_after: facts.retry_after() },
    })
}

/// The details of a status, read leniently: a fact that an older or newer server leaves out is empty or zero.
struct Facts<'a>(&'a ErrorDetails);

impl Facts<'_> {
    fn text(&self, key: &str) -> String {
        self.0.error_info().and_then(|info| info.metadata.get(key)).cloned().unwrap_or_default()
    }

    fn number(&self, key: &str) -> u64 {
        self.text(key).parse().unwrap_or_default()
    }

    fn list(&self, key: &str) -> Vec<String> {
        self.text(key).split(',').filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }

    fn retry_after(&self) -> Option<Duration> {
        self.0.retry_info().and_then(|info| info.retry_delay)
    }

    /// All fields of BadRequest; else the one that the metadata name.
    fn fields(&self, message: &str) -> Vec<FieldViolation> {
        match self.0.bad_request() {
            Some(request) => request
                .field_violations
                .iter()
                .map(|violation| FieldViolation {
                    field: violation.field.clone(),
                    description: violation.description.clone(),
                })
                .collect(),
            None => vec![FieldViolation { field: self.text("field"), description: message.to_owned() }],
        }
    }
}

fn of_jobs(total: u64) -> String {
    if total == 0 { String::new() } else { format!(" ({total} unfinished jobs)") }
}

/// A status for people: its code, its words, and what the transport said below it.
fn describe(status: &Status) -> String {
    let code = format!("{:?}", status.code());
    let below = status.source().map(|source| format!(": {}", chain(source))).unwrap_or_default();
    match status.message() {
        "" => format!("{code}{below}"),
        message => format!("{code}: {message}{below}"),
    }
}

/// An error and what caused it, joined by colons. A cause whose words its effect repeats is named once.
pub(crate) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
