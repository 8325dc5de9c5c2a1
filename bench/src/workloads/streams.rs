//! (d) Jobs that wait, pushed and settled one by one.

use anyhow::Result;

use super::{Bench, Cases};
use crate::floors::grpc;
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::process::NULL_STORE;
use crate::results::{Results, Run};
use crate::stock;

const STREAMS: usize = 4;
const WINDOW: u64 = 256;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let size = bench.size;
    Ok(vec![
        ("d: one job a message".to_owned(), server(bench, &[]).await?),
        ("d: one job a message, null store".to_owned(), server(bench, &[NULL_STORE]).await?),
        ("d: bare stream".to_owned(), grpc::stream(&bench.place, STREAMS, size.warm, size.length).await?),
    ])
}

async fn server(bench: &Bench, flags: &[&str]) -> Result<Run> {
    let server = bench.server(flags)?;
    let address = server.process().address;
    let channel = load::connect(address).await?;
    stock::fill(&channel, bench.size.cycle_jobs, |_| load::job(QUEUE, Vec::new())).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    for (number, channel) in load::connections(address, STREAMS).await?.into_iter().enumerate() {
        let shape =
            Shape { name: format!("worker-{number}"), queue: QUEUE.to_owned(), window: WINDOW, one_by_one: true };
        load.add(load::work(channel, shape, settled.clone(), load::success));
    }
    let jobs = bench.size.cycle_jobs;
    let done = settled.reaches(jobs);
    let ((), span) = load.measure_until(server.process(), &settled, done).await?;
    drop(load);
    Ok(span.run_with(&server.stop()?))
}
