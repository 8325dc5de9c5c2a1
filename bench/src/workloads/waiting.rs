//! (m) Jobs that wait: the memory and the disk that they take, and how soon the first is delivered after a start.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::process::{End, Server};
use crate::results::{Figure, Results, Run};
use crate::stock;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let jobs = bench.size.waiting_jobs;
    let mut server = bench.server(&[])?;
    let (empty_bytes, empty_stored_bytes) = (server.process().memory_bytes()?, server.stored_bytes()?);
    let channel = load::connect(server.process().address).await?;
    stock::fill(&channel, jobs, |_| load::job(QUEUE, Vec::new())).await?;
    drop(channel);
    tokio::time::sleep(bench.size.warm).await;
    let a_job = |bytes: u64, empty: u64| bytes.saturating_sub(empty) as f64 / jobs as f64;
    let run = Run::default()
        .with_memory(server.process().memory_bytes()?)
        .with(Figure::Own("jobs waiting"), jobs as f64)
        .with(Figure::Own("RSS bytes a job"), a_job(server.process().memory_bytes()?, empty_bytes))
        .with(Figure::Own("file bytes a job"), a_job(server.stored_bytes()?, empty_stored_bytes));
    let mut cases = vec![("m: jobs waiting".to_owned(), run)];
    for (name, end) in [("m: start after a clean end", End::Clean), ("m: start after a kill", End::Killed)] {
        server.restart(end)?;
        let ready_after = server.process().ready_after;
        let first_after = ready_after + first_job(&server).await?;
        let run = Run::default()
            .with(Figure::Own("RSS bytes a job"), a_job(server.process().memory_bytes()?, empty_bytes))
            .with(Figure::Own("ready after s"), ready_after.as_secs_f64())
            .with(Figure::Own("first job after s"), first_after.as_secs_f64());
        cases.push((name.to_owned(), run));
    }
    Ok(cases)
}

/// From a server's first line to the first job that a worker has.
async fn first_job(server: &Server) -> Result<Duration> {
    let began = Instant::now();
    let (mut load, delivered) = (Load::new(), Meter::new());
    delivered.open();
    let shape = Shape { name: "worker".to_owned(), queue: QUEUE.to_owned(), window: 1, one_by_one: false };
    let channel = load::connect(server.process().address).await?;
    let counted = delivered.clone();
    load.add(load::work(channel, shape, Meter::new(), move |job| {
        counted.add_time(began);
        counted.add_jobs(1);
        load::success(job)
    }));
    load.until(delivered.reaches(1)).await?;
    Ok(Duration::from_nanos(delivered.close().times.min()))
}
