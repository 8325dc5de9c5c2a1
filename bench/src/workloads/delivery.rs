//! (e) How long a job takes from the instant at which it should be enqueued until a worker has it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::results::{Results, Run};
use crate::wire::job_spec::Payload;
use crate::wire::{self, lean};

const RATES: [u32; 3] = [200, 1000, 5000];
const WINDOW: u64 = 1024;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let mut cases = Vec::new();
    for rate in RATES {
        cases.push((format!("e: {rate} a second"), server(bench, rate).await?));
    }
    Ok(cases)
}

async fn server(bench: &Bench, rate: u32) -> Result<Run> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    let (mut load, delivered) = (Load::new(), Meter::new());
    deliver(&mut load, address, QUEUE, rate, &delivered).await?;
    let span = load.measure(server.process(), &delivered, bench.size.warm, bench.size.length).await?;
    Ok(span.run_with(&server.stop()?))
}

/// Jobs of `queue` at a steady pace, and a worker that gets them; the meter's times are from the instant at which a job was
/// due to its delivery.
pub(super) async fn deliver(
    load: &mut Load,
    address: SocketAddr,
    queue: &'static str,
    rate: u32,
    delivered: &Meter,
) -> Result<()> {
    let (producer, worker) = (load::connect(address).await?, load::connect(address).await?);
    let began = Instant::now();
    load.add(async move {
        let mut due = load::pace(rate);
        let mut calls = Load::new();
        while let Some(at) = due.recv().await {
            let mut client = load::jobs(producer.clone());
            calls.add(async move {
                let nanos = u64::try_from(at.duration_since(began).as_nanos())?;
                let payload = Some(Payload::Binary(load::stamped(nanos).into()));
                let job = wire::JobSpec { payload, ..load::job(queue, Vec::new()) };
                client.enqueue(lean::EnqueueRequest { job: load::encoded(&job) }).await?;
                Ok(())
            });
            calls.check()?;
        }
        Ok(())
    });
    let shape = Shape { name: format!("worker-{queue}"), queue: queue.to_owned(), window: WINDOW, one_by_one: false };
    let delivered = delivered.clone();
    load.add(load::work(worker, shape, Meter::new(), move |job| {
        let sent = load::payload(&job).and_then(load::stamp).map(|nanos| began + Duration::from_nanos(nanos));
        delivered.add_time(sent.expect("the payload that was sent"));
        delivered.add_jobs(1);
        load::success(job)
    }));
    Ok(())
}
