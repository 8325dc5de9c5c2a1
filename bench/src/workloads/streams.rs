//! (d) Jobs that wait, pushed and settled one by one.

use anyhow::Result;

use super::{Bench, Cases};
use crate::floors::grpc;
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::results::{Results, Run};

const STREAMS: usize = 4;
const WINDOW: u64 = 256;
/// Jobs a call while they are enqueued.
const BATCH: u64 = 1000;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let size = bench.size;
    Ok(vec![
        ("d: one job a message".to_owned(), server(bench, &[]).await?),
        ("d: one job a message, null store".to_owned(), server(bench, &["--null-store"]).await?),
        ("d: bare stream".to_owned(), grpc::stream(&bench.place, STREAMS, size.warm, size.length).await?),
    ])
}

async fn server(bench: &Bench, flags: &[&str]) -> Result<Run> {
    let server = bench.server(flags)?;
    let address = server.process().address;
    fill(&mut load::jobs(load::connect(address).await?), bench.size.cycle_jobs).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    for (number, channel) in load::connections(address, STREAMS).await?.into_iter().enumerate() {
        let shape =
            Shape { name: format!("worker-{number}"), queue: QUEUE.to_owned(), window: WINDOW, one_by_one: true };
        load.add(load::work(channel, shape, settled.clone(), load::success));
    }
    let jobs = bench.size.cycle_jobs;
    let done = settled.reaches(jobs);
    let span = load.measure_until(server.process(), &settled, done).await?;
    drop(load);
    Ok(span.run_with(&server.stop()?))
}

async fn fill(client: &mut load::Jobs, jobs: u64) -> Result<()> {
    for first in (0..jobs).step_by(BATCH as usize) {
        let count = BATCH.min(jobs - first);
        load::enqueue(client, vec![load::job(QUEUE, Vec::new()); count as usize]).await?;
    }
    Ok(())
}
