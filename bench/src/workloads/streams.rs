//! (d) Jobs that wait, pushed and settled one by one.

use anyhow::Result;

use super::{Bench, Cases};
use crate::floors::grpc;
use crate::load::{self, Load, QUEUE, Workers};
use crate::meter::Meter;
use crate::process::NULL_STORE;
use crate::results::{Results, Run};
use crate::stock;

const WORKERS: Workers = Workers { window: 256, one_by_one: true, ..Workers::FOUR };

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let size = bench.size;
    Ok(vec![
        ("d: one job a message".to_owned(), server(bench, &[]).await?),
        ("d: one job a message, null store".to_owned(), server(bench, &[NULL_STORE]).await?),
        ("d: bare stream".to_owned(), grpc::stream(&bench.place, WORKERS.count, size.warm, size.length).await?),
    ])
}

async fn server(bench: &Bench, flags: &[&str]) -> Result<Run> {
    let server = bench.server(flags)?;
    let address = server.process().address;
    let channel = load::connect(address).await?;
    stock::fill(&channel, bench.size.cycle_jobs, |_| load::job(QUEUE, Vec::new())).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    load.add_workers(address, WORKERS, &settled, load::success).await?;
    let done = settled.reaches(bench.size.cycle_jobs);
    let ((), span) = load.measure_until(server.process(), &settled, done).await?;
    Ok(span.run_with(&server.stop()?))
}
