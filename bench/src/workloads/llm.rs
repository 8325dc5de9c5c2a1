//! (l) Jobs as a hosted model has them: costs that all differ, on a budget of tokens and one of requests, and settled with other
//! values than were estimated.

use std::cell::Cell;
use std::rc::Rc;

use anyhow::Result;

use super::cycle::{WINDOW, WORKERS};
use super::{Bench, Cases};
use crate::budgets::{self, binding, key};
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::results::{Figure, Results, Run};
use crate::wire::lean;

/// Estimates are 1 to this many tokens, each of them once.
const COSTS: u64 = 100_000;
/// Coprime to them, so that their order is mixed.
const STRIDE: u64 = 61_803;
/// What the pool grants a second where it is the limit.
const TOKENS_PER_SECOND: u64 = 30_000_000;
/// What it grants where it is none.
const UNLIMITED: u64 = 1_000_000_000_000;
const REQUESTS_PER_SECOND: u64 = 10_000;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    Ok(vec![
        ("l: costs 1 to 100,000, limited".to_owned(), limited(bench, TOKENS_PER_SECOND, REQUESTS_PER_SECOND).await?),
        ("l: costs 1 to 100,000, unlimited".to_owned(), limited(bench, UNLIMITED, UNLIMITED).await?),
    ])
}

fn estimate(number: u64) -> u64 {
    1 + number * STRIDE % COSTS
}

/// Half of the estimate to one and a half times it.
fn used(number: u64) -> u64 {
    estimate(number) * (50 + number % 101) / 100
}

async fn limited(bench: &Bench, tokens: u64, requests: u64) -> Result<Run> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    // A burst of twice the largest job: none is larger than the pool.
    let burst = |per_second: u64| (per_second / 10).max(2 * COSTS);
    let policy = |number| if number == 0 { (tokens, burst(tokens)) } else { (requests, burst(requests)) };
    budgets::create(address, 2, |number| budgets::time_based(policy(number).0, 1, policy(number).1)).await?;
    let job = |number| {
        let spec = load::spec(QUEUE, vec![binding(key(0), estimate(number)), binding(key(1), 1)]);
        load::encoded(&numbered(spec, number))
    };
    load::fill(address, bench.size.waiting_jobs, job).await?;
    let (mut load, settled, spent) = (Load::new(), Meter::new(), Rc::new(Cell::new(0)));
    for (number, channel) in load::connections(address, WORKERS).await?.into_iter().enumerate() {
        let shape =
            Shape { name: format!("worker-{number}"), queue: QUEUE.to_owned(), window: WINDOW, one_by_one: false };
        let spent = Rc::clone(&spent);
        load.add(load::work(channel, shape, settled.clone(), move |job| {
            let used = used(number_of(&job));
            spent.set(spent.get() + used);
            let usage = vec![lean::BudgetUsage { budget: key(0), cost: used }];
            lean::SettleOutcome { usage, ..load::success(job) }
        }));
    }
    let channel = load::connect(address).await?;
    load.until(tokio::time::sleep(bench.size.warm)).await?;
    let (spent_before, before) = (spent.get(), budgets::status(channel.clone(), 0).await?);
    let done = tokio::time::sleep(bench.size.length);
    let ((), span) = load.measure_until(server.process(), &settled, done).await?;
    let (spent, after) = (spent.get() - spent_before, budgets::status(channel, 0).await?);
    drop(load);
    let granted = tokens as f64 * span.elapsed.as_secs_f64() - (after.available - before.available) as f64;
    Ok(span.run_with(&server.stop()?).with(Figure::Own("% of the rate used"), spent as f64 / granted * 100.0))
}

/// The job with a payload that says its number.
fn numbered(spec: crate::wire::JobSpec, number: u64) -> crate::wire::JobSpec {
    let payload = Some(crate::wire::job_spec::Payload::Binary(load::stamped(number).into()));
    crate::wire::JobSpec { payload, ..spec }
}

fn number_of(job: &lean::LeasedJob) -> u64 {
    load::stamp(job).expect("the payload that was sent")
}
