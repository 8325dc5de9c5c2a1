//! (n) Jobs that come and go for a long time, while many wait.

use std::time::Duration;

use anyhow::Result;

use super::{Bench, Cases, delivery};
use crate::load::{self, Load, QUEUE};
use crate::meter::Meter;
use crate::results::{Figure, Results, Run};

/// Jobs that wait meanwhile, as a share of those that wait elsewhere.
const SHARE: u64 = 10;
const PER_SECOND: u32 = 2000;
const CHURNED: &str = "churned";

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    let waiting = load::job(QUEUE, Vec::new());
    load::fill(address, bench.size.waiting_jobs / SHARE, |_| waiting.clone()).await?;
    let mut load = Load::new();
    let (producer, worker, delivered) = (load::connect(address).await?, load::connect(address).await?, Meter::new());
    delivery::deliver(&mut load, producer, worker, CHURNED, PER_SECOND, &delivered);
    let third: Duration = bench.size.churn / 3;
    // What a process takes to run at all is taken by then.
    load.until(tokio::time::sleep(third)).await?;
    let before = (server.process().memory_bytes()?, server.stored_bytes()?);
    let early = load.measure(server.process(), &delivered, Duration::ZERO, third).await?;
    delivered.forget();
    let late = load.measure(server.process(), &delivered, Duration::ZERO, third).await?;
    let after = (server.process().memory_bytes()?, server.stored_bytes()?);
    let p99 = |span: &load::Span| span.reading.times.value_at_quantile(0.99) as f64;
    let run: Run = late
        .run()
        .with(Figure::Own("memory, late over early"), after.0 as f64 / before.0 as f64)
        .with(Figure::Own("disk, late over early"), after.1 as f64 / before.1 as f64)
        .with(Figure::Own("p99, late over early"), p99(&late) / p99(&early));
    Ok(vec![("n: churn".to_owned(), run)])
}
