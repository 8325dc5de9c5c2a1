//! (a) Jobs enqueued one a call.

use anyhow::Result;

use super::{Bench, Cases};
use crate::floors::grpc;
use crate::load::{self, Load, QUEUE};
use crate::meter::Meter;
use crate::process::NULL_STORE;
use crate::results::{Results, Run};
use crate::wire::lean;

const CALLERS: [usize; 4] = [1, 16, 64, 256];
/// Those beside whom the floors are measured.
const COMPARED: [usize; 2] = [64, 256];

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let size = bench.size;
    let mut cases = Vec::new();
    for callers in CALLERS {
        cases.push((format!("a: {callers} callers"), server(bench, callers, &[]).await?));
        if COMPARED.contains(&callers) {
            let null = server(bench, callers, &[NULL_STORE]).await?;
            cases.push((format!("a: {callers} callers, null store"), null));
            let echo = grpc::echo(&bench.place, callers, size.warm, size.length).await?;
            cases.push((format!("a: {callers} callers, bare echo"), echo));
        }
    }
    Ok(cases)
}

async fn server(bench: &Bench, callers: usize, flags: &[&str]) -> Result<Run> {
    let server = bench.server(flags)?;
    let channels = load::connections(server.process().address, load::CONNECTIONS.min(callers)).await?;
    let (mut load, meter) = (Load::new(), Meter::new());
    let client = |number: usize| load::jobs(channels[number % channels.len()].clone());
    let job = load::encoded(&load::job(QUEUE, Vec::new()));
    load.add_callers(callers, &meter, client, async move |client| {
        client.enqueue(lean::EnqueueRequest { job: job.clone() }).await?;
        Ok(1)
    });
    let span = load.measure(server.process(), &meter, bench.size.warm, bench.size.length).await?;
    Ok(span.run_with(&server.stop()?))
}
