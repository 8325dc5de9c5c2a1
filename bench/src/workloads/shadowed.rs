//! (i) The whole cycle in a queue whose head can't be paid for: nine of ten jobs that wait are parked before those that flow.

use std::time::Duration;

use anyhow::Result;

use super::{Bench, Cases, cycle};
use crate::load::{self, QUEUE};
use crate::results::{Figure, Results};
use crate::stock;
use crate::wire::{AdjustBudgetRequest, JobSpec};

/// As many kinds of jobs are looked at in vain before the first that flows.
const BUDGETS: u64 = 100;
/// In which an emptied pool gains its one token.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);
const MOST_URGENT: u32 = 0;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let channel = load::connect(server.process().address).await?;
    stock::create(&channel, (0..BUDGETS).map(|number| (key(number), stock::time_based(1, LONGEST, 1)))).await?;
    for number in 0..BUDGETS {
        let empty = AdjustBudgetRequest { key: key(number), level: Some(0) };
        load::budgets(channel.clone()).adjust_budget(empty).await?;
    }
    let parked = bench.size.waiting_jobs / 10 * 9;
    stock::fill(&channel, parked, |number| {
        let bindings = vec![load::binding(key(number % BUDGETS), 1)];
        JobSpec { priority: Some(MOST_URGENT), ..load::job(QUEUE, bindings) }
    })
    .await?;
    let span = cycle::cycle(&server, bench.size.cycle_jobs).await?;
    let run = span.run_with(&server.stop()?).with(Figure::Own("jobs parked"), parked as f64);
    Ok(vec![("i: behind parked jobs".to_owned(), run)])
}

fn key(number: u64) -> String {
    format!("empty-{number}")
}
