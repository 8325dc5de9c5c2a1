//! What can be said on the command line.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::NonEmptyStringValueParser;

use crate::quota::{Mode, Plan};
use crate::shared::built_beside;

/// Calls a hosted model with a limit on tokens through a Sluicegate, in several modes side by side, and says what came of each
///
/// Each mode has an endpoint of its own, a process that knows nothing of Sluicegate and answers 429 beyond 4 requests a
/// second, 40,000 tokens a minute, and 4 calls at once. The jobs are the same in all modes. Their costs are estimates that are
/// wrong by up to 3 times either way.
#[derive(Parser)]
pub struct Arguments {
    /// What to show [default: all of them]
    #[arg(value_enum)]
    modes: Vec<Mode>,
    /// How many jobs. Each takes about a second of the endpoint's time
    #[arg(long, default_value_t = 240, value_parser = clap::value_parser!(u32).range(200..=10_000))]
    jobs: u32,
    /// How many times as fast as life everything goes, minutes, waits and the model included. A machine that is slow or busy
    /// can't follow a high one: its own delays then count as many times
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    speed: u32,
    /// Draws the same jobs again [default: others each time]
    #[arg(long)]
    seed: Option<u64>,
    /// The sluicegate program [default: the one built beside this one]
    #[arg(long, value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    sluicegate: Option<String>,
}

impl Arguments {
    /// The plan that they describe.
    pub fn plan(self) -> anyhow::Result<Plan> {
        let modes = if self.modes.is_empty() { Mode::all() } else { self.modes };
        let sluicegate = self.sluicegate.map(PathBuf::from).map_or_else(built_beside, Ok)?;
        let seed = self.seed.unwrap_or_else(rand::random);
        Ok(Plan { modes, jobs: self.jobs, speed: self.speed, seed, sluicegate })
    }
}
