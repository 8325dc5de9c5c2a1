//! (g) Many budgets of both kinds, many sets of bindings, many jobs; beside it few of all.

use std::time::Duration;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::seq::index;
use rand::{RngExt, SeedableRng};
use tonic::transport::Channel;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Workers};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results};
use crate::stock;
use crate::wire::{Binding, BudgetPolicy, JobSpec};

/// What a server takes without being told otherwise.
const BUDGETS_MAX: u64 = 8192;
const SETS_MAX: u64 = 20_000;
/// On average this many jobs are alike, where there aren't more jobs than that times [`SETS_MAX`].
const JOBS_A_SET: u64 = 10;
const BINDINGS_MAX: u64 = 4;
const COST_MAX: u64 = 2;
/// Tokens a second of all `time_based` budgets together: less than the workers could use.
const TOKENS_A_SECOND: u64 = 80_000;
/// Tokens of all `while_in_flight` budgets together, as far as each has enough for one job.
const TOKENS: u64 = 400;
const FEW: Count = Count { budgets: 10, sets: 24, jobs: 1000, is_kept: true };
/// Of all that is drawn at random: every run is given the same.
const SEED: u64 = 0x6d61_6e79;

/// How many of everything.
#[derive(Clone, Copy)]
struct Count {
    budgets: u64,
    sets: u64,
    jobs: u64,
    /// Whether those that are taken are replaced; otherwise there are more than can be taken.
    is_kept: bool,
}

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let jobs = bench.size.waiting_jobs;
    let sets = SETS_MAX.min(jobs / JOBS_A_SET);
    let many = Count { budgets: BUDGETS_MAX.min(sets / 2), sets, jobs, is_kept: false };
    let mut cases = Vec::new();
    for (name, count) in [("g: many budgets", many), ("g: 10 budgets, 1000 jobs", FEW)] {
        let server = bench.server(&[])?;
        let channel = load::connect(server.process().address).await?;
        stock::create(&channel, (0..count.budgets).map(|number| (key(number), policy(number, count)))).await?;
        let span = work(bench, &server, channel, count).await?;
        let run = span.run_with(&server.stop()?);
        let run = run.with(Figure::Own("budgets"), count.budgets as f64);
        let run = run.with(Figure::Own("binding sets"), count.sets as f64);
        cases.push((name.to_owned(), run.with(Figure::Own("jobs waiting"), count.jobs as f64)));
    }
    Ok(cases)
}

async fn work(bench: &Bench, server: &Server, channel: Channel, count: Count) -> Result<load::Span> {
    let sets = sets(count);
    let make = move |number: u64| -> JobSpec { load::job(QUEUE, sets[(number % count.sets) as usize].clone()) };
    let (mut load, taken, settled) = (Load::new(), Meter::new(), Meter::new());
    taken.open();
    if count.is_kept {
        stock::keep(&mut load, channel, count.jobs, taken.clone(), Meter::new(), make);
    } else {
        stock::fill(&channel, count.jobs, make).await?;
    }
    let done = move |job| {
        taken.add_jobs(1);
        load::success(job)
    };
    load.add_workers(server.process().address, Workers::FOUR, &settled, done).await?;
    load.measure(server.process(), &settled, bench.size.warm, bench.size.length).await
}

pub(super) fn key(number: u64) -> String {
    format!("budget-{number}")
}

/// Those of even numbers limit a rate, those of odd ones what is in flight. Together they allow as much, however many there are.
fn policy(number: u64, count: Count) -> BudgetPolicy {
    let of_a_kind = count.budgets / 2;
    if number.is_multiple_of(2) {
        let rate = (TOKENS_A_SECOND / of_a_kind).max(1);
        stock::time_based(rate, Duration::from_secs(1), (rate / 10).max(2 * COST_MAX))
    } else {
        stock::while_in_flight((TOKENS / of_a_kind).max(2 * COST_MAX))
    }
}

fn sets(count: Count) -> Vec<Vec<Binding>> {
    let mut random = StdRng::seed_from_u64(SEED);
    (0..count.sets).map(|_| bindings(&mut random, count.budgets, COST_MAX)).collect()
}

/// One to four bindings to different ones of so many budgets.
pub(super) fn bindings(random: &mut StdRng, budgets: u64, cost_max: u64) -> Vec<Binding> {
    let bindings = random.random_range(1..=BINDINGS_MAX) as usize;
    let chosen = index::sample(random, budgets as usize, bindings);
    chosen.iter().map(|number| load::binding(key(number as u64), random.random_range(1..=cost_max))).collect()
}
