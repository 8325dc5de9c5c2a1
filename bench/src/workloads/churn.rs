//! (n) Steady work for a long time: whether memory, file and times stay as they are.

use std::time::Duration;

use anyhow::Result;
use hdrhistogram::Histogram;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Workers};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results, Run, mib};
use crate::stock;

const CASE: &str = "n: steady churn";
/// The budget that keeps the pace.
const BUDGET: &str = "pace";
/// Half of what the whole cycle reached, or this where it wasn't measured: jobs a second.
const RATE: u64 = 20_000;
/// Jobs alive are as many as those that wait elsewhere, over this.
const WAITING_OVER_LIVE: u64 = 10;

/// How it stood at one instant.
struct Look {
    memory_bytes: u64,
    stored_bytes: u64,
    jobs: u64,
    times: Histogram<u64>,
}

/// Once in all rounds: its thirds are compared with each other.
pub(super) async fn run(bench: &Bench, before: &Results) -> Result<Cases> {
    if before.cases().iter().any(|case| case == CASE) {
        return Ok(Vec::new());
    }
    let rate = before.median("c: whole cycle", Figure::Rate).map_or(RATE, |rate| (rate / 2.0) as u64);
    let live = bench.size.waiting_jobs / WAITING_OVER_LIVE;
    let server = bench.server(&[])?;
    let calls = Meter::new();
    let mut load = put(&server, rate, live, &calls).await?;
    let third = bench.size.churn / 3;
    load.until(tokio::time::sleep(bench.size.warm)).await?;
    calls.open();
    let first = look_after(third, &mut load, &server, &calls).await?;
    let second = look_after(third, &mut load, &server, &calls).await?;
    let last = look_after(third, &mut load, &server, &calls).await?;
    server.stop()?;
    let mut last_times = last.times.clone();
    last_times.subtract(&second.times)?;
    let p99 = |times: &Histogram<u64>| times.value_at_quantile(0.99).max(1) as f64;
    let run = Run::default()
        .with(Figure::Rate, last.jobs as f64 / bench.size.churn.as_secs_f64())
        .with_times(&last.times)
        .with_memory(last.memory_bytes)
        .with(Figure::Own("minutes"), bench.size.churn.as_secs_f64() / 60.0)
        .with(Figure::Own("jobs alive"), live as f64)
        .with(Figure::Own("file MiB"), mib(last.stored_bytes))
        .with(Figure::Own("RSS growth"), last.memory_bytes as f64 / first.memory_bytes as f64)
        .with(Figure::Own("file growth"), last.stored_bytes as f64 / first.stored_bytes as f64)
        .with(Figure::Own("p99 growth"), p99(&last_times) / p99(&first.times));
    Ok(vec![(CASE.to_owned(), run)])
}

/// A budget lets so many jobs a second go, and as many are enqueued.
async fn put(server: &Server, rate: u64, live: u64, calls: &Meter) -> Result<Load> {
    let address = server.process().address;
    let channel = load::connect(address).await?;
    let policy = stock::time_based(rate, Duration::from_secs(1), (rate / 10).max(1));
    stock::create(&channel, [(BUDGET.to_owned(), policy)]).await?;
    let (mut load, taken) = (Load::new(), Meter::new());
    taken.open();
    let make = |_| load::job(QUEUE, vec![load::binding(BUDGET.to_owned(), 1)]);
    stock::keep(&mut load, channel, live, taken.clone(), calls.clone(), make);
    let done = move |job| {
        taken.add_jobs(1);
        load::success(job)
    };
    load.add_workers(address, Workers::FOUR, &Meter::new(), done).await?;
    Ok(load)
}

async fn look_after(length: Duration, load: &mut Load, server: &Server, calls: &Meter) -> Result<Look> {
    load.until(tokio::time::sleep(length)).await?;
    let reading = calls.close();
    calls.open();
    Ok(Look {
        memory_bytes: server.process().memory_bytes()?,
        stored_bytes: server.stored_bytes()?,
        jobs: reading.jobs,
        times: reading.times,
    })
}
