//! The names a story uses for refusals, settle statuses and states.
//!
//! Its own map, without a wildcard arm: a new refusal has to be named here as well as in the server.

use sluicegate::scheduler::Rejection;
use sluicegate::scheduler::command::{Ended, Unsettled};
use sluicegate::scheduler::job::JobState;

use super::words::Problem;

/// Each state and its name.
pub const STATES: [(JobState, &str); 6] = [
    (JobState::Scheduled, "scheduled"),
    (JobState::Ready, "ready"),
    (JobState::InFlight, "in_flight"),
    (JobState::Completed, "completed"),
    (JobState::Dead, "dead"),
    (JobState::Cancelled, "cancelled"),
];

/// The name of a state.
pub fn of_state(state: JobState) -> &'static str {
    let named = STATES.iter().find(|(named, _)| *named == state);
    named.map(|(_, name)| *name).expect("every state is named")
}

/// All that a step may be refused for: the reasons of the contract that a command can meet, and the settle statuses.
const KNOWN: [&str; 17] = [
    "INVALID_FIELD",
    "BUDGET_ALREADY_EXISTS",
    "ALREADY_BOUND",
    "BUDGET_NOT_FOUND",
    "JOB_NOT_FOUND",
    "NOT_BOUND",
    "COST_EXCEEDS_CAPACITY",
    "BUDGET_IN_USE",
    "JOB_IN_FLIGHT",
    "JOB_FINISHED",
    "ETAG_MISMATCH",
    "BUDGET_LIMIT_REACHED",
    "OVERLOADED",
    "ALREADY_SETTLED",
    "LOST",
    "GONE",
    "INVALID",
];

/// A reason as a story writes it, if it is one.
pub fn known(word: &str) -> Result<&'static str, Problem> {
    KNOWN.into_iter().find(|reason| *reason == word).ok_or_else(|| format!("unknown reason `{word}`"))
}

/// The reason of a refusal.
pub fn of_rejection(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::InvalidField { .. } => "INVALID_FIELD",
        Rejection::BudgetAlreadyExists { .. } => "BUDGET_ALREADY_EXISTS",
        Rejection::BudgetNotFound { .. } => "BUDGET_NOT_FOUND",
        Rejection::CostExceedsCapacity(_) => "COST_EXCEEDS_CAPACITY",
        Rejection::BudgetInUse { .. } => "BUDGET_IN_USE",
        Rejection::EtagMismatch { .. } => "ETAG_MISMATCH",
        Rejection::BudgetLimitReached { .. } => "BUDGET_LIMIT_REACHED",
        Rejection::Overloaded { .. } => "OVERLOADED",
        Rejection::JobNotFound { .. } => "JOB_NOT_FOUND",
        Rejection::AlreadyBound { .. } => "ALREADY_BOUND",
        Rejection::NotBound { .. } => "NOT_BOUND",
        Rejection::JobInFlight { .. } => "JOB_IN_FLIGHT",
        Rejection::JobFinished { .. } => "JOB_FINISHED",
    }
}

/// The status of a settle that changed nothing.
pub fn of_unsettled(unsettled: &Unsettled) -> &'static str {
    match unsettled {
        Unsettled::NotLive(ended) => of_ended(*ended),
        Unsettled::Invalid { .. } | Unsettled::NotBound { .. } => "INVALID",
    }
}

/// The status of a settle or an extension of a lease that isn't live.
pub fn of_ended(ended: Ended) -> &'static str {
    match ended {
        Ended::AlreadySettled => "ALREADY_SETTLED",
        Ended::Lost => "LOST",
        Ended::Gone => "GONE",
    }
}
