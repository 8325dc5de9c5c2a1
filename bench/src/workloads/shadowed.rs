//! (i) A queue nine tenths of which can't go, and come first.

use anyhow::Result;

use super::{Bench, Cases, cycle};
use crate::budgets::{self, binding, key};
use crate::load::{self, QUEUE};
use crate::results::Results;
use crate::wire;

/// One token an hour.
const SECONDS: i64 = 3600;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    budgets::create(address, 1, |_| budgets::time_based(1, SECONDS, 1)).await?;
    let spec = load::spec(QUEUE, vec![binding(key(0), 1)]);
    let parked = load::encoded(&wire::JobSpec { priority: Some(0), ..spec });
    load::fill(address, bench.size.cycle_jobs * 9, |_| parked.clone()).await?;
    let span = cycle::cycle(&server, bench.size.cycle_jobs).await?;
    Ok(vec![("i: whole cycle below 90 % that is parked".to_owned(), span.run_with(&server.stop()?))])
}
