//! (c) Jobs from their enqueueing to their end.

use std::cell::Cell;
use std::future::pending;
use std::rc::Rc;

use anyhow::Result;

use super::batch::CALLERS;
use super::{Bench, Cases};
use crate::floors::rows;
use crate::load::{self, Load, QUEUE, Span, Workers};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results};

/// Jobs a call.
pub const BATCH: u64 = 100;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let span = cycle(&server, bench.size.cycle_jobs).await?;
    let run = span.run_with(&server.stop()?);
    let jobs_per_commit = run.value(Figure::Jobs).unwrap_or(1.0);
    let relaxed = bench.server(&["--durability=relaxed"])?;
    let span = cycle(&relaxed, bench.size.cycle_jobs).await?;
    let relaxed = span.run_with(&relaxed.stop()?);
    let rows = rows::run(&bench.place, bench.size.cycle_jobs, jobs_per_commit.round() as u64)?;
    Ok(vec![
        ("c: whole cycle".to_owned(), run),
        ("c: whole cycle, relaxed".to_owned(), relaxed),
        ("c: its rows straight to redb".to_owned(), rows),
    ])
}

/// Enqueues so many jobs, and measures until the last of them is settled.
pub(super) async fn cycle(server: &Server, jobs: u64) -> Result<Span> {
    let address = server.process().address;
    let (mut load, calls, settled) = (Load::new(), Meter::new(), Meter::new());
    load.add_workers(address, Workers::FOUR, &settled, load::success).await?;
    let channels = load::connections(address, load::CONNECTIONS).await?;
    let job = load::encoded(&load::job(QUEUE, Vec::new()));
    let left = Rc::new(Cell::new(jobs));
    let client = |number: usize| load::jobs(channels[number % channels.len()].clone());
    load.add_callers(CALLERS, &calls, client, async move |client| {
        let count = BATCH.min(left.get());
        left.set(left.get() - count);
        if count == 0 {
            pending::<()>().await;
        }
        load::enqueue(client, vec![job.clone(); count as usize]).await?;
        Ok(count)
    });
    let ((), span) = load.measure_until(server.process(), &settled, settled.reaches(jobs)).await?;
    Ok(span)
}
