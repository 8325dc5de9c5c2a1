//! (f) Jobs parked on one budget that frees a token at a time.

use anyhow::Result;
use tonic::transport::Channel;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results, Run};
use crate::stock;
use crate::wire::UpdateBudgetRequest;

const BUDGET: &str = "slots";
/// One token: each job waits for the end of the one before. Several: each end frees one, while others are under way.
const ALLOCATIONS: [u64; 2] = [1, 64];
/// More than any of the allocations: the worker always has room.
const WINDOW: u64 = 1024;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let channel = load::connect(server.process().address).await?;
    stock::create(&channel, [(BUDGET.to_owned(), stock::while_in_flight(ALLOCATIONS[0]))]).await?;
    let bindings = || vec![load::binding(BUDGET.to_owned(), 1)];
    stock::fill(&channel, bench.size.waiting_jobs, |_| load::job(QUEUE, bindings())).await?;
    let mut spans = Vec::new();
    for allocation in ALLOCATIONS {
        allocate(&channel, allocation).await?;
        spans.push(span(bench, &server).await?);
    }
    let measured = server.stop()?;
    let jobs = bench.size.waiting_jobs as f64;
    let run = |span: &load::Span| -> Run { span.run_with(&measured).with(Figure::Own("jobs waiting"), jobs) };
    let name = |allocation: &u64| format!("f: parked on {allocation} tokens");
    Ok(ALLOCATIONS.iter().map(name).zip(spans.iter().map(run)).collect())
}

async fn span(bench: &Bench, server: &Server) -> Result<load::Span> {
    let (mut load, settled) = (Load::new(), Meter::new());
    let shape = Shape { name: "worker".to_owned(), queue: QUEUE.to_owned(), window: WINDOW, one_by_one: true };
    let channel = load::connect(server.process().address).await?;
    load.add(load::work(channel, shape, settled.clone(), load::success));
    load.measure(server.process(), &settled, bench.size.warm, bench.size.length).await
}

async fn allocate(channel: &Channel, allocation: u64) -> Result<()> {
    let policy = Some(stock::while_in_flight(allocation));
    let request = UpdateBudgetRequest { key: BUDGET.to_owned(), policy, ..Default::default() };
    load::budgets(channel.clone()).update_budget(request).await?;
    Ok(())
}
