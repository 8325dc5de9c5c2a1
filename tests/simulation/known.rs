//! Runs that once failed, each with the fewest steps that showed it.

use super::counts::Counts;

/// One of them.
pub struct Known {
    /// What it showed.
    pub what: &'static str,
    seed: u64,
    steps: &'static [u64],
}

pub const RUNS: &[Known] = &[];

impl Known {
    /// Plays it again.
    pub fn run(&self) -> Result<Counts, String> {
        super::play(self.seed, self.steps, true).map(|(counts, _)| counts).map_err(|broken| broken.told)
    }
}
