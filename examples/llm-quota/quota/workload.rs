//! The calls that are to be made: what each was thought to cost, what it will cost, and when it is wanted.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::endpoint::terms::TOKENS_PER_MINUTE;

/// The smallest estimate, and the largest, in tokens.
pub const ESTIMATE_MIN: u32 = 200;
pub const ESTIMATE_MAX: u32 = 1000;
/// An estimate is wrong by a factor of up to this, either way.
pub const ERROR_MAX: u32 = 3;
/// Calls come faster than the endpoint's limit allows, in percent of it, so that always some wait …
const DEMAND_PERCENT: u64 = 150;
/// … after so many tokens' worth of them at the start.
const DEMAND_AT_START: u64 = TOKENS_PER_MINUTE as u64;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub number: u32,
    /// What its owner thinks that it costs, in tokens.
    pub estimate: u32,
    /// What it will cost.
    pub tokens: u32,
    /// When it is wanted, in the endpoint's time from the start.
    pub due: Duration,
}

/// What a job carries of a call: what is said to the model, and nothing of what that costs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Prompt {
    pub number: u32,
    pub text: String,
}

/// Draws calls from a seed, in the order in which they are wanted. As many are thought too cheap as too dear, by a factor that
/// is as likely to lie in 1..=2 as in 1/2..=1.
pub fn draw(seed: u64, count: u32) -> Vec<Call> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut demanded = 0_u64;
    let mut next = |number| {
        let estimate = random.random_range(ESTIMATE_MIN..=ESTIMATE_MAX);
        let factor = f64::from(ERROR_MAX).powf(random.random_range(-1.0..=1.0));
        // Rounded to the nearest; the factor is at most 3, and so is the outcome's, as three times an estimate is whole.
        let tokens = (f64::from(estimate) * factor).round() as u32;
        let beyond_start_percent = demanded.saturating_sub(DEMAND_AT_START) * 100;
        let due = Duration::from_mins(beyond_start_percent) / TOKENS_PER_MINUTE / DEMAND_PERCENT as u32;
        demanded += u64::from(tokens);
        Call { number, estimate, tokens, due }
    };
    (0..count).map(&mut next).collect()
}

impl Call {
    /// What is said to the model: as many words as it costs.
    pub fn prompt(&self) -> Prompt {
        Prompt { number: self.number, text: "word ".repeat(self.tokens as usize) }
    }
}
