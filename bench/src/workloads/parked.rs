//! (f) Many jobs parked on one budget that frees one token at a time.

use anyhow::Result;

use super::{Bench, Cases};
use crate::budgets::{self, binding, key};
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::results::Results;

/// Tokens of the budget: that many jobs are in flight, and each that ends frees one token.
const ALLOCATION: u64 = 16;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    budgets::create(address, 1, |_| budgets::while_in_flight(ALLOCATION)).await?;
    let job = load::job(QUEUE, vec![binding(key(0), 1)]);
    load::fill(address, bench.size.waiting_jobs, |_| job.clone()).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    let shape = Shape { name: "worker".to_owned(), queue: QUEUE.to_owned(), window: 1024, one_by_one: true };
    load.add(load::work(load::connect(address).await?, shape, settled.clone(), load::success));
    let span = load.measure(server.process(), &settled, bench.size.warm, bench.size.length).await?;
    drop(load);
    Ok(vec![("f: one token at a time".to_owned(), span.run_with(&server.stop()?))])
}
