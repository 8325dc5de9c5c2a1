//! The crash simulation: a scheduler on a real redb over a disk that forgets, tears, fails and fills up, with callers and
//! workers that know only what they were told. Nothing that was told may turn out untrue, whatever happens.
//!
//! One seed is one run, and decides all of it. `SIM_RUNS` asks for another number of runs, `SIM_SEED` for one run alone, told
//! step by step: the one that a failure names. `cargo xtask sim` sets both.

mod agree;
mod books;
mod bytes;
mod clients;
#[path = "../counts/mod.rs"]
mod counts;
mod disk;
#[path = "../draws/mod.rs"]
mod draws;
mod flushes;
mod kinds;
mod known;
mod ledger;
mod live;
#[path = "../../src/store/tests/operation.rs"]
mod operation;
#[path = "../promises/mod.rs"]
mod promises;
mod quiesce;
#[path = "../model/rows.rs"]
mod rows;
#[path = "../shrinking/mod.rs"]
mod shrinking;
mod sim;
mod troubles;
mod workers;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, thread};

use libtest_mimic::{Arguments, Failed, Trial};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use counts::Counts;
use sim::Sim;

const STEPS: usize = 60;
const RUNS: u64 = 1000;
/// How often each kind of place and trouble must be met, over all runs.
const LEAST: u64 = RUNS / 20;

fn main() {
    // What panics is told with the run that it ended; and redb's panics about torn pages are errors to us.
    panic::set_hook(Box::new(|_| {}));
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("nothing_that_was_told_is_ever_untrue", all_runs)];
    trials.extend(known::RUNS.iter().map(|known| Trial::test(known.what, move || Ok(known.run().map(drop)?))));
    libtest_mimic::run(&arguments, trials).exit();
}

fn all_runs() -> Result<(), Failed> {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse().expect("a number"));
    if let Some(seed) = number("SIM_SEED") {
        let (counts, told) = told(seed)?;
        println!("{told}\n{}", counts.shown());
        return Ok(());
    }
    let (first, runs) = (rand::random::<u32>().into(), number("SIM_RUNS").unwrap_or(RUNS));
    println!("simulation: seeds {first}..{}", first + runs);
    let (next, total) = (AtomicU64::new(first), Mutex::new(Ok(Counts::default())));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + runs || total.lock().expect("no run panics").is_err() {
                        return;
                    }
                    let outcome = run(seed);
                    let mut total = total.lock().expect("no run panics");
                    match (&mut *total, outcome) {
                        (Ok(sum), Ok(counts)) => sum.merge(&counts),
                        (Ok(_), Err(problem)) => *total = Err(problem),
                        (Err(_), _) => {}
                    }
                }
            });
        }
    });
    let counts = total.into_inner().expect("no run panics")?;
    println!("{}", counts.shown());
    let too_rare = counts.too_rare(&kinds::WANTED, LEAST);
    if runs >= RUNS && !too_rare.is_empty() {
        return Err(format!("met fewer than {LEAST} times: {too_rare:?}").into());
    }
    Ok(())
}

/// The steps of one run; each decides by itself what happens in it.
fn steps(seed: u64) -> Vec<u64> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..STEPS).map(|_| rng.random()).collect()
}

/// One run; a failure is told with the fewest steps that still show it.
pub fn run(seed: u64) -> Result<Counts, String> {
    let steps = steps(seed);
    let failed = match play(seed, &steps, false) {
        Ok((counts, _)) => return Ok(counts),
        Err(failed) => failed,
    };
    let steps = shrinking::fewest(steps[..failed.steps.min(STEPS)].to_vec(), |steps| play(seed, steps, false).is_err());
    let script = script(&steps);
    match play(seed, &steps, true) {
        Err(failed) => Err(format!("SIM_SEED={seed} fails; {} steps show it:\n{}\n{script}", steps.len(), failed.told)),
        Ok(_) => Err(format!("SIM_SEED={seed} fails by turns: {}", failed.told)),
    }
}

/// The steps as a known run names them.
fn script(steps: &[u64]) -> String {
    format!("steps: &{steps:?}")
}

/// One run, with all that was done.
fn told(seed: u64) -> Result<(Counts, String), String> {
    play(seed, &steps(seed), true).or_else(|_| run(seed).map(|counts| (counts, String::new())))
}

/// How a run failed.
struct Broken {
    /// How many steps were begun.
    steps: usize,
    told: String,
}

fn play(seed: u64, steps: &[u64], telling: bool) -> Result<(Counts, String), Broken> {
    let (mut begun, mut sim) = (0, None);
    let played = panic::catch_unwind(AssertUnwindSafe(|| {
        let sim = sim.insert(Sim::new(seed, telling)?);
        for step in steps {
            begun += 1;
            sim.step(*step)?;
        }
        sim.finish()
    }));
    let problem = match played {
        Ok(Ok(())) => None,
        Ok(Err(problem)) => Some(problem),
        Err(panicked) => Some(shrinking::words(&*panicked)),
    };
    let (counts, mut told) = sim.map_or_else(Default::default, |sim| (sim.counts, sim.told.unwrap_or_default()));
    match problem {
        None => Ok((counts, told.join("\n"))),
        Some(problem) => {
            told.push(problem);
            Err(Broken { steps: begun, told: told.join("\n") })
        }
    }
}
