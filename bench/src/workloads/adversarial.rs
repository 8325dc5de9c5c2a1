//! (h) Jobs that are all bound differently, while another queue goes on.

use anyhow::Result;

use super::cycle::{WINDOW, WORKERS};
use super::{Bench, Cases, delivery, many};
use crate::budgets;
use crate::load::{self, Load, QUEUE};
use crate::meter::Meter;
use crate::results::Results;

const BUDGETS: u64 = 1000;
const ALLOCATION: u64 = 3;
/// Of the jobs that wait elsewhere: each has bindings of its own here.
const SHARE: u64 = 4;
const OTHER_QUEUE: &str = "other";
const OTHER_PER_SECOND: u32 = 200;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    budgets::create(address, BUDGETS, |_| budgets::while_in_flight(ALLOCATION)).await?;
    let job = |number| load::job(QUEUE, many::bindings(number, BUDGETS));
    load::fill(address, bench.size.waiting_jobs / SHARE, job).await?;
    let (mut load, settled, delivered) = (Load::new(), Meter::new(), Meter::new());
    load::add_workers(&mut load, address, WORKERS, WINDOW, &settled).await?;
    let (producer, worker) = (load::connect(address).await?, load::connect(address).await?);
    delivery::deliver(&mut load, producer, worker, OTHER_QUEUE, OTHER_PER_SECOND, &delivered);
    load.until(tokio::time::sleep(bench.size.warm)).await?;
    delivered.open();
    let done = tokio::time::sleep(bench.size.length);
    let ((), span) = load.measure_until(server.process(), &settled, done).await?;
    let others = delivered.close();
    drop(load);
    let run = span.run_with(&server.stop()?).with_times(&others.times);
    Ok(vec![("h: every job bound differently; times of another queue".to_owned(), run)])
}
