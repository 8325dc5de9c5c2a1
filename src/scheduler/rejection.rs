//! Why a command was refused, as facts. A refused command has changed nothing.

use super::job::{JobState, Name};
use super::units::{JobId, Tokens};

/// A refusal. `api/errors.rs` maps each to a status without a wildcard arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// A field is outside its bounds, or contradicts another.
    InvalidField {
        /// The field's path, with the contract's names: `policy.allocation`, `jobs[3].bindings[0].cost`.
        field: String,
        /// What is wrong with which value, and what would be right.
        problem: String,
    },
    /// Create met an existing budget (semantics 7.1).
    BudgetAlreadyExists {
        /// Its key.
        key: Name,
    },
    /// No budget has this key.
    BudgetNotFound {
        /// The key.
        key: Name,
        /// The path of the binding that names it; `None` where the call itself names the budget.
        binding: Option<String>,
    },
    /// A cost is above a capacity (semantics 3.2, 7.4).
    CostExceedsCapacity(CostExceedsCapacity),
    /// Something unfinished is bound to the budget (semantics 7.5).
    BudgetInUse {
        /// Its key.
        key: Name,
        /// How many jobs.
        jobs: u64,
    },
    /// The policy is not the one the caller had seen.
    EtagMismatch {
        /// The budget's key.
        key: Name,
        /// The etag it has now.
        current: String,
    },
    /// There are as many budgets as `--max-budgets` allows.
    BudgetLimitReached {
        /// That many.
        limit: u64,
    },
    /// A bound of the server is reached.
    Overloaded {
        /// Of what there is too much: `jobs`, `sessions`, …
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// No job has this id.
    JobNotFound {
        /// The id.
        id: JobId,
    },
    /// Bind met an existing binding (semantics 8.1).
    AlreadyBound {
        /// The job.
        job: JobId,
        /// The budget.
        budget: Name,
    },
    /// Unbind or set cost met no binding (semantics 8.1).
    NotBound {
        /// The job.
        job: JobId,
        /// The budget.
        budget: Name,
    },
    /// The job is in flight and can't be changed so (semantics 3.5).
    JobInFlight {
        /// The job.
        job: JobId,
    },
    /// The job is over and can't be changed so (semantics 3.5).
    JobFinished {
        /// The job.
        job: JobId,
        /// How it ended.
        state: JobState,
    },
}

/// The facts of a cost that can never be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostExceedsCapacity {
    /// The path of the cost; `None` where a change of the budget was refused.
    pub field: Option<String>,
    /// The budget's key.
    pub budget: Name,
    /// The largest such cost.
    pub cost: Tokens,
    /// The capacity it exceeds.
    pub capacity: Tokens,
    /// Up to 10 of the jobs that have such a cost.
    pub jobs: Vec<JobId>,
    /// How many have.
    pub total: u64,
}

impl Rejection {
    /// An [`Rejection::InvalidField`].
    pub fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidField { field: field.into(), problem: problem.into() }
    }

    /// The same, with the path of its field inside the value that `path` names.
    fn within(mut self, path: &str) -> Self {
        let inner = match &mut self {
            Self::InvalidField { field, .. } => field,
            Self::BudgetNotFound { binding: Some(field), .. } => field,
            Self::CostExceedsCapacity(CostExceedsCapacity { field: Some(field), .. }) => field,
            _ => return self,
        };
        let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        *inner = format!("{path}{dot}{inner}");
        self
    }
}

/// Says where a refused value stands, in words that are made up only where it was refused.
pub trait Within {
    /// The path of the value that was looked at.
    fn within(self, path: impl FnOnce() -> String) -> Self;

    /// The same, where it is the `index`-th of a list.
    fn within_item(self, list: &str, index: usize) -> Self;
}

impl<T> Within for Result<T, Rejection> {
    fn within(self, path: impl FnOnce() -> String) -> Self {
        self.map_err(|rejection| rejection.within(&path()))
    }

    fn within_item(self, list: &str, index: usize) -> Self {
        self.within(|| format!("{list}[{index}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_grows_from_the_inside() {
        let refused: Result<(), _> = Err(Rejection::invalid("cost", "is 0"));
        let refused = refused.within_item("bindings", 2).within_item("jobs", 1);
        assert_eq!(refused, Err(Rejection::invalid("jobs[1].bindings[2].cost", "is 0")));
        let whole: Result<(), _> = Err(Rejection::invalid("", "is missing"));
        assert_eq!(whole.within(|| "policy".into()), Err(Rejection::invalid("policy", "is missing")));
    }
}
