//! (b) Jobs enqueued many a call.

use anyhow::Result;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE};
use crate::meter::Meter;
use crate::results::{Results, Run};

const BATCHES: [usize; 2] = [100, 1000];
/// At a time.
pub const CALLERS: usize = 16;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let mut cases = Vec::new();
    for jobs in BATCHES {
        cases.push((format!("b: batches of {jobs}"), server(bench, jobs).await?));
    }
    Ok(cases)
}

async fn server(bench: &Bench, batch: usize) -> Result<Run> {
    let server = bench.server(&[])?;
    let channels = load::connections(server.process().address, load::CONNECTIONS).await?;
    let (mut load, meter) = (Load::new(), Meter::new());
    let client = |number: usize| load::jobs(channels[number % channels.len()].clone());
    let jobs = vec![load::encoded(&load::job(QUEUE, Vec::new())); batch];
    load.add_callers(CALLERS, &meter, client, async move |client| {
        load::enqueue(client, jobs.clone()).await?;
        Ok(batch as u64)
    });
    let span = load.measure(server.process(), &meter, bench.size.warm, bench.size.length).await?;
    Ok(span.run_with(&server.stop()?))
}
