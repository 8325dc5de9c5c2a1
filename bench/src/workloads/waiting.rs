//! (m) Jobs that wait: what they take, and how soon a server with them is back.

use anyhow::Result;

use super::{Bench, Cases};
use crate::load::{self, Load, QUEUE, Shape};
use crate::meter::Meter;
use crate::process::{End, Server};
use crate::results::{Figure, Results, Run};

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let jobs = bench.size.waiting_jobs;
    // A small cache of pages: it is bounded, and no part of what a job takes.
    let mut server = bench.server(&["--cache-mb=1"])?;
    let job = load::job(QUEUE, Vec::new());
    let empty = server.process().memory_bytes()?;
    load::fill(server.process().address, jobs, |_| job.clone()).await?;
    let filled = server.process().memory_bytes()?;
    let stored = server.stored_bytes()?;
    let mut run = Run::default()
        .with(Figure::Own("bytes of memory a job, as filled"), filled.saturating_sub(empty) as f64 / jobs as f64)
        .with(Figure::Own("bytes of disk a job"), stored as f64 / jobs as f64);
    for (end, ready, first) in [
        (End::Clean, "s until ready, clean", "s until the first job, clean"),
        (End::Killed, "s until ready, killed", "s until the first job, killed"),
    ] {
        server.restart(end)?;
        run = run.with(Figure::Own(ready), server.process().ready_after.as_secs_f64());
        first_job(&server).await?;
        run = run.with(Figure::Own(first), server.process().started.elapsed().as_secs_f64());
        let memory = server.process().memory_bytes()?.saturating_sub(empty) as f64 / jobs as f64;
        if end == End::Clean {
            run = run.with(Figure::Own("bytes of memory a job, after a start"), memory);
        }
    }
    Ok(vec![("m: jobs that wait".to_owned(), run)])
}

/// Waits for one job.
async fn first_job(server: &Server) -> Result<()> {
    let (mut load, settled) = (Load::new(), Meter::new());
    let shape = Shape { name: "first".to_owned(), queue: QUEUE.to_owned(), window: 1, one_by_one: true };
    let arrived = Meter::new();
    arrived.open();
    let noted = arrived.clone();
    load.add(load::work(load::connect(server.process().address).await?, shape, settled, move |job| {
        noted.add_jobs(1);
        load::success(job)
    }));
    load.until(arrived.reaches(1)).await
}
