//! `cargo xtask sim`: runs the crash simulation, one seed told step by step, or many.

use std::path::Path;

use anyhow::Result;

use crate::process;

/// The one test that plays random seeds; the others of its kind are runs that once failed.
const TEST: &str = "nothing_that_was_told_is_ever_untrue";

/// What `--help` says beyond the first line.
pub const LONG_ABOUT: &str = "\
Simulates a server on a failing disk, and looks for what it told and then took back

One seed is one life of a server: callers and workers with random commands (workers confirm, extend, settle with reports of what was \
used, drop their streams, come back with what they hold, forget all, fall silent), steps of the clock, restarts, and a disk that \
fails, fills up, and ends with its process or with the power at any of its operations. What wasn't synced then is kept, lost or \
torn, in any combination. The store is the real one, the scheduler is the real one, and both are driven in the driver's order.

Looked at, after every commit and every start:
  - What is found is a state that was committed as a whole: the last one confirmed, or the one that was being tried. Under \
relaxed durability a power loss may take it back to the last sync, a kill never.
  - All that the scheduler shows is what the rows say, by an arithmetic of its own; pools to the last token·nanosecond.
  - Nothing that was told is untrue: leases that were pushed are known, what was settled stays settled, what was taken in is there.
  - The invariants of the scheduler hold, and the event log proves the promises (semantics 13).
  - Once the faults stop and the workers are well, every job comes to an end and all tokens are back.

  cargo xtask sim              1000 seeds from a random one on, with counts of all that was met
  cargo xtask sim --runs 50000 a long run
  cargo xtask sim 1963290378   that seed alone, told step by step

A seed that fails is told with the fewest steps that still show it, and a line `steps: …` for tests/simulation/known.rs, \
where such runs are kept as tests.

Exit code 0: all held. 1: something didn't, or a kind of trouble was met too rarely.";

/// Runs one seed, or so many.
pub fn run(root: &Path, seed: Option<u64>, runs: Option<u64>) -> Result<()> {
    let mut command = process::cargo(root);
    command.args(["test", "--release", "--test", "simulation", "--", "--exact", TEST]);
    command.env_remove("SIM_SEED").env_remove("SIM_RUNS");
    if let Some(seed) = seed {
        command.env("SIM_SEED", seed.to_string());
    }
    if let Some(runs) = runs {
        command.env("SIM_RUNS", runs.to_string());
    }
    process::run(&mut command)
}
