//! (h) Jobs no two of which are alike, on budgets that all are short, while another queue wants to be served.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::{Bench, Cases, delivery, many};
use crate::load::{self, Load, QUEUE, Workers};
use crate::meter::{Meter, Reading};
use crate::process::Server;
use crate::results::{Figure, Results, Run};
use crate::stock;

/// So few that most jobs have to wait for several of them.
const BUDGETS: u64 = 1024;
const ALLOCATION: u64 = 3;
/// Together as much as the budgets allow. Larger ones would only make this process slower to see the other queue's jobs.
const WORKERS: Workers = Workers { window: 512, ..Workers::FOUR };
const OTHER_QUEUE: &str = "other";
/// Jobs a second of the other queue.
const OTHER_RATE: u32 = 200;
/// After which jobs of the other queue that still aren't delivered count as stalled since the beginning.
const PATIENCE: Duration = Duration::from_secs(10);
/// Of all bindings: every run is given the same.
const SEED: u64 = 0x616c_696b;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let channel = load::connect(server.process().address).await?;
    stock::create(&channel, (0..BUDGETS).map(|number| (many::key(number), stock::while_in_flight(ALLOCATION)))).await?;
    let random = RefCell::new(StdRng::seed_from_u64(SEED));
    let bindings = |_| load::job(QUEUE, many::bindings(&mut random.borrow_mut(), BUDGETS, ALLOCATION));
    stock::fill(&channel, bench.size.waiting_jobs, bindings).await?;
    let (span, delivered) = work(bench, &server).await?;
    let jobs = bench.size.waiting_jobs as f64;
    let other = Run::default().with_times(&delivered.times);
    Ok(vec![
        ("h: all bindings random".to_owned(), span.run_with(&server.stop()?).with(Figure::Own("jobs waiting"), jobs)),
        ("h: another queue meanwhile".to_owned(), other),
    ])
}

async fn work(bench: &Bench, server: &Server) -> Result<(load::Span, Reading)> {
    let address = server.process().address;
    let (mut load, settled, delivered) = (Load::new(), Meter::new(), Meter::new());
    delivery::deliver(&mut load, address, OTHER_QUEUE, OTHER_RATE, &delivered).await?;
    load.until(tokio::time::sleep(bench.size.warm)).await?;
    load.add_workers(address, WORKERS, &settled, load::success).await?;
    delivered.open();
    let began = Instant::now();
    let ((), span) = load.measure_until(server.process(), &settled, tokio::time::sleep(bench.size.length)).await?;
    // What was due meanwhile and is still to come has waited longest.
    let due = (f64::from(OTHER_RATE) * bench.size.length.as_secs_f64()) as u64;
    if load.until(tokio::time::timeout(PATIENCE, delivered.reaches(due))).await?.is_err() {
        delivered.add_time(began);
    }
    Ok((span, delivered.close()))
}
