//! (l) Calls of a language model: costs that are all different on a budget of tokens a minute, one request each on one of
//! requests a second, and another use than was estimated.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Span, Workers};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results, Run};
use crate::stock;
use crate::wire::lean::{BudgetUsage, LeasedJob, SettleOutcome};
use crate::wire::{BudgetPolicy, JobSpec};

const TOKENS: &str = "tokens-a-minute";
const REQUESTS: &str = "requests-a-second";
const COST_MAX: u64 = 100_000;
/// Has no divisor in common with [`COST_MAX`]: its multiples come to all costs before one comes again.
const STRIDE: u64 = 7919;
/// What the figure of a pool in constant demand is called: what was used of its rate.
pub const USED: Figure = Figure::Own("used of the pool's rate");

/// What both pools gain in a second.
#[derive(Clone, Copy)]
struct Rates {
    tokens: u64,
    requests: u64,
}

const TOKENS_SHORT: Rates = Rates { tokens: 10_000_000, requests: 1_000_000 };
const REQUESTS_SHORT: Rates = Rates { tokens: 10_000_000_000, requests: 2000 };
const PLENTY: Rates = Rates { tokens: 10_000_000_000, requests: 100_000_000 };

/// What workers have used since they began.
#[derive(Clone, Default)]
struct Used {
    tokens: Rc<Cell<u64>>,
    requests: Rc<Cell<u64>>,
}

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    Ok(vec![
        ("l: tokens short".to_owned(), short(bench, TOKENS_SHORT).await?),
        ("l: requests short".to_owned(), short(bench, REQUESTS_SHORT).await?),
        ("l: plenty of both".to_owned(), plenty(bench).await?),
    ])
}

/// One of the pools is what all jobs wait for. They are more than can be paid for meanwhile.
async fn short(bench: &Bench, rates: Rates) -> Result<Run> {
    let server = stocked(bench, rates).await?;
    let (mut load, settled, used) = (Load::new(), Meter::new(), Used::default());
    load.add_workers(server.process().address, Workers::FOUR, &settled, outcome(&used)).await?;
    load.until(tokio::time::sleep(bench.size.warm)).await?;
    let before = (used.tokens.get(), used.requests.get());
    let ((), span) = load.measure_until(server.process(), &settled, tokio::time::sleep(bench.size.length)).await?;
    let share = |used: u64, rate: u64| used as f64 / (rate as f64 * span.elapsed.as_secs_f64());
    let tokens = share(used.tokens.get() - before.0, rates.tokens);
    let requests = share(used.requests.get() - before.1, rates.requests);
    Ok(finish(bench, &span, server)?.with(USED, tokens.max(requests)))
}

/// Neither is: all that wait are done as fast as they can be.
async fn plenty(bench: &Bench) -> Result<Run> {
    let server = stocked(bench, PLENTY).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    load.add_workers(server.process().address, Workers::FOUR, &settled, outcome(&Used::default())).await?;
    let done = settled.reaches(bench.size.waiting_jobs);
    let ((), span) = load.measure_until(server.process(), &settled, done).await?;
    finish(bench, &span, server)
}

fn finish(bench: &Bench, span: &Span, server: Server) -> Result<Run> {
    Ok(span.run_with(&server.stop()?).with(Figure::Own("jobs waiting"), bench.size.waiting_jobs as f64))
}

async fn stocked(bench: &Bench, rates: Rates) -> Result<Server> {
    let server = bench.server(&[])?;
    let channel = load::connect(server.process().address).await?;
    let minute = stock::time_based(rates.tokens * 60, Duration::from_secs(60), burst(rates.tokens, COST_MAX));
    let second = stock::time_based(rates.requests, Duration::from_secs(1), burst(rates.requests, 1));
    let budgets: [(String, BudgetPolicy); 2] = [(TOKENS.to_owned(), minute), (REQUESTS.to_owned(), second)];
    stock::create(&channel, budgets).await?;
    stock::fill(&channel, bench.size.waiting_jobs, spec).await?;
    Ok(server)
}

/// A twentieth of a second beyond the largest cost: a pool that can't hold more than a waiter needs is never used up
/// (semantics 13).
fn burst(rate: u64, cost_max: u64) -> u64 {
    rate / 20 + cost_max
}

fn spec(number: u64) -> JobSpec {
    let cost = number * STRIDE % COST_MAX + 1;
    load::job(QUEUE, vec![load::binding(TOKENS.to_owned(), cost), load::binding(REQUESTS.to_owned(), 1)])
}

/// Between half of what was estimated and a tenth more was used.
fn outcome(used: &Used) -> impl FnMut(LeasedJob) -> SettleOutcome + Clone + 'static {
    let used = used.clone();
    move |job| {
        let cost = estimate(&job).expect("a job comes with its bindings");
        let tokens = cost * (50 + cost % 61) / 100;
        used.tokens.set(used.tokens.get() + tokens);
        used.requests.set(used.requests.get() + 1);
        let usage = vec![BudgetUsage { budget: TOKENS.to_owned(), cost: tokens }];
        SettleOutcome { usage, ..load::success(job) }
    }
}

fn estimate(job: &LeasedJob) -> Option<u64> {
    let spec = job.job.as_ref()?.spec.as_ref()?;
    spec.bindings.iter().find(|binding| binding.budget == TOKENS).map(|binding| binding.cost)
}
