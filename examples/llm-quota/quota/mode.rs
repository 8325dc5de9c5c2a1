//! The modes: which limits the server holds, and what the worker reports.

use std::fmt;

use clap::ValueEnum;

use super::Call;
use super::workload::ERROR_MAX;

/// What holds the jobs back, besides a budget for the requests a second, which all modes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// A cap on concurrency, and nothing for the tokens
    CapOnly,
    /// A budget for the tokens, and no cap
    TokensOnly,
    /// Both; the worker settles with what was really used
    Both,
    /// Both; nobody corrects the estimates
    BothUnsettled,
    /// Both; nobody corrects the costs, so they are the worst case: 3 times the estimates. A third of the jobs
    BothReserved,
}

impl Mode {
    pub fn all() -> Vec<Self> {
        Self::value_variants().to_vec()
    }

    pub fn has_cap(self) -> bool {
        self != Mode::TokensOnly
    }

    pub fn has_tokens(self) -> bool {
        self != Mode::CapOnly
    }

    /// Whether the worker reports what was really used.
    pub fn settles(self) -> bool {
        matches!(self, Mode::TokensOnly | Mode::Both)
    }

    /// Those of all calls that this mode makes: in the last one the first third, which takes as long there as all do elsewhere.
    pub fn of(self, calls: &[Call]) -> &[Call] {
        let parts = if self == Mode::BothReserved { ERROR_MAX as usize } else { 1 };
        &calls[..calls.len() / parts]
    }

    /// What a call costs when it is dispatched, in tokens.
    pub fn cost(self, call: &Call) -> u64 {
        let worst = if self == Mode::BothReserved { ERROR_MAX } else { 1 };
        u64::from(call.estimate) * u64::from(worst)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_possible_value().expect("no mode is skipped").get_name())
    }
}
