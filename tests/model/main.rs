//! The model test: random commands against a naive scheduler that rescans everything after each of them. Answers, what
//! is sent, rows, pools and jobs must be equal throughout; and what the event log would tell proves the promises of
//! semantics 13.
//!
//! `cargo test --release --test model` makes 10,000 runs of 200 commands. `MODEL_RUNS` asks for another number of runs;
//! `MODEL_SEED` for one run alone, the one that a failure names.

mod compare;
#[path = "../counts/mod.rs"]
mod counts;
#[path = "../draws/mod.rs"]
mod draws;
mod duel;
mod flaws;
mod generate;
mod met;
mod naive;
#[path = "../promises/mod.rs"]
mod promises;
mod rows;
mod selection;
#[path = "../shrinking/mod.rs"]
mod shrinking;

use std::env;
use std::panic::{self, AssertUnwindSafe};

use libtest_mimic::{Arguments, Failed, Trial};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use counts::Counts;
use duel::Duel;

const COMMANDS: usize = 200;
/// A build without optimisation makes a tenth of the runs, and may meet all a tenth as often.
const RUNS: u64 = if cfg!(debug_assertions) { 1000 } else { 10_000 };
/// How often each command, each refusal and each rare rule must be met, over all runs.
const LEAST: u64 = RUNS / 100;

fn main() {
    let arguments = Arguments::from_args();
    let trial = Trial::test("a_naive_scheduler_decides_the_same", all_runs);
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

fn all_runs() -> Result<(), Failed> {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse().expect("a number"));
    if let Some(seed) = number("MODEL_SEED") {
        return run(seed).map(|counts| println!("{}", counts.shown())).map_err(Failed::from);
    }
    let (first, runs) = (rand::random::<u32>().into(), number("MODEL_RUNS").unwrap_or(RUNS));
    println!("model: seeds {first}..{}", first + runs);
    let mut counts = Counts::default();
    for seed in first..first + runs {
        counts.merge(&run(seed)?);
    }
    println!("{}", counts.shown());
    let too_rare = counts.too_rare(&met::WANTED, LEAST);
    if runs >= RUNS && !too_rare.is_empty() {
        return Err(format!("met fewer than {LEAST} times: {too_rare:?}").into());
    }
    Ok(())
}

/// One run; a divergence is told with the fewest commands that still show it.
fn run(seed: u64) -> Result<Counts, String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let steps: Vec<u64> = (0..COMMANDS).map(|_| rng.random()).collect();
    let (at, _) = match play(seed, &steps, false) {
        Ok(counts) => return Ok(counts),
        Err(divergence) => divergence,
    };
    let steps = steps[..=at.min(COMMANDS - 1)].to_vec();
    panic::set_hook(Box::new(|_| {}));
    let steps = shrinking::fewest(steps, |steps| play(seed, steps, false).is_err());
    let _ = panic::take_hook();
    let Err((_, told)) = play(seed, &steps, true) else { return Err(format!("MODEL_SEED={seed} fails by turns")) };
    Err(format!("MODEL_SEED={seed} diverges; {} commands show it:\n{told}", steps.len()))
}

/// Where a run diverged, and what there is to say of it.
type Divergence = (usize, String);

fn play(seed: u64, steps: &[u64], telling: bool) -> Result<Counts, Divergence> {
    let mut duel = Duel::new(&mut SmallRng::seed_from_u64(seed), telling);
    let mut at = 0;
    let played = panic::catch_unwind(AssertUnwindSafe(|| {
        for step in steps {
            duel.step(*step)?;
            at += 1;
        }
        duel.finish()
    }));
    let problem = match played {
        Ok(Ok(())) => return Ok(duel.counts),
        Ok(Err(problem)) => problem,
        Err(panicked) => shrinking::words(&*panicked),
    };
    let told = duel.told.unwrap_or_default().join("\n");
    Err((at, format!("{told}\n{problem}\n\nBy the model, at {:?}:\n{}", duel.naive.now, duel.naive)))
}
