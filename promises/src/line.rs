//! The form of a line, as `docs/operations.md` describes it.
//!
//! Fields that no judgement needs are left out.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// The form that is understood.
pub const FORMAT: u32 = 1;

#[derive(Debug, Deserialize)]
pub struct Line {
    pub at: i64,
    #[serde(flatten)]
    pub entry: Entry,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Entry {
    Start(Standing),
    Stop,
    Create(Budget),
    Replace(Budget),
    Update(Budget),
    Adjust(Budget),
    Delete { budget: String },
    Enqueue { job: String, bindings: Vec<Cost> },
    Bind { job: String, bindings: Vec<Cost> },
    Dispatch { lease: String, job: String, debits: Vec<Cost> },
    Usage { lease: String, usage: Vec<Use> },
    End { lease: String, job: String, how: String, state: String, released: Vec<Cost> },
}

/// What stands at a start.
#[derive(Debug, Deserialize)]
pub struct Standing {
    pub format: u32,
    pub budgets: Vec<Budget>,
    pub leases: Vec<Lease>,
}

#[derive(Debug, Deserialize)]
pub struct Budget {
    pub budget: String,
    pub created_at: i64,
    pub revision: u64,
    pub policy: Policy,
    #[serde(default, deserialize_with = "digits")]
    pub level: Option<i128>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "strategy", rename_all = "snake_case")]
pub enum Policy {
    WhileInFlight { allocation: u64 },
    TimeBased { allocation: u64, duration_ns: u64, burst: Option<u64> },
}

#[derive(Debug, Deserialize)]
pub struct Lease {
    pub lease: String,
    pub job: String,
    pub debits: Vec<Cost>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Cost {
    pub budget: String,
    pub cost: u64,
}

#[derive(Debug, Deserialize)]
pub struct Use {
    pub budget: String,
    pub debited: u64,
    pub used: u64,
    #[serde(deserialize_with = "digits")]
    pub moved: Option<i128>,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.cost, self.budget)
    }
}

/// A number that is written as a string.
fn digits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i128>, D::Error> {
    let text = String::deserialize(deserializer)?;
    i128::from_str(&text).map(Some).map_err(|error| D::Error::custom(format!("{text:?}: {error}")))
}
