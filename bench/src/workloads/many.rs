//! (g) Many jobs bound to many budgets, in many ways; beside it the same of few.

use anyhow::Result;
use rand::rngs::SmallRng;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};

use super::cycle::{WINDOW, WORKERS};
use super::{Bench, Cases};
use crate::budgets::{self, binding, key};
use crate::load::{self, Load, QUEUE};
use crate::meter::Meter;
use crate::results::{Results, Run};
use crate::wire::queue_service_client::QueueServiceClient;
use crate::wire::{PauseQueueRequest, ResumeQueueRequest};

/// As many as a server takes.
const BUDGETS: u64 = 8192;
/// The most that one job is bound to.
const BINDINGS_MAX: usize = 4;
/// Jobs that share a set of bindings.
const JOBS_A_SET: u64 = 50;
const IN_FLIGHT: u64 = 4;
const PER_SECOND: u64 = 100;

const FEW_BUDGETS: u64 = 10;
const FEW_JOBS: u64 = 1000;
/// How often the few are done: each time makes as many decisions as there are jobs.
const FEW_TIMES: u32 = 20;

pub(super) async fn run(bench: &Bench, _: &Results) -> Result<Cases> {
    Ok(vec![
        ("g: 8192 budgets".to_owned(), many(bench).await?),
        ("g: 10 budgets, 1000 jobs".to_owned(), few(bench).await?),
    ])
}

/// Half of each kind.
fn policy(number: u64) -> crate::wire::BudgetPolicy {
    if number.is_multiple_of(2) {
        budgets::while_in_flight(IN_FLIGHT)
    } else {
        budgets::time_based(PER_SECOND, 1, PER_SECOND)
    }
}

/// The bindings of jobs of the set with this number: one to four of so many budgets.
pub(super) fn bindings(set: u64, budgets: u64) -> Vec<crate::wire::Binding> {
    let mut rng = SmallRng::seed_from_u64(set);
    let count = rng.random_range(1..=BINDINGS_MAX);
    let chosen = sample(&mut rng, usize::try_from(budgets).expect("few budgets"), count);
    chosen.into_iter().map(|budget| binding(key(budget as u64), 1)).collect()
}

async fn many(bench: &Bench) -> Result<Run> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    budgets::create(address, BUDGETS, policy).await?;
    let sets = (bench.size.waiting_jobs / JOBS_A_SET).max(1);
    let job = |number| load::job(QUEUE, bindings(number % sets, BUDGETS));
    load::fill(address, bench.size.waiting_jobs, job).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    load::add_workers(&mut load, address, WORKERS, WINDOW, &settled).await?;
    let span = load.measure(server.process(), &settled, bench.size.warm, bench.size.length).await?;
    drop(load);
    Ok(span.run_with(&server.stop()?))
}

async fn few(bench: &Bench) -> Result<Run> {
    let server = bench.server(&[])?;
    let address = server.process().address;
    budgets::create(address, FEW_BUDGETS, |_| budgets::while_in_flight(IN_FLIGHT)).await?;
    let (mut load, settled) = (Load::new(), Meter::new());
    let mut queues = QueueServiceClient::new(load::connect(address).await?);
    let filling = async {
        for _ in 0..FEW_TIMES {
            // So that decisions are measured and not the enqueueing between them.
            queues.pause_queue(PauseQueueRequest { name: QUEUE.to_owned() }).await?;
            let before = settled.jobs();
            let job = |number| load::job(QUEUE, bindings(number % (FEW_JOBS / JOBS_A_SET), FEW_BUDGETS));
            load::fill(address, FEW_JOBS, job).await?;
            queues.resume_queue(ResumeQueueRequest { name: QUEUE.to_owned() }).await?;
            settled.reaches(before + FEW_JOBS).await;
        }
        anyhow::Ok(())
    };
    load::add_workers(&mut load, address, WORKERS, WINDOW, &settled).await?;
    let (filled, span) = load.measure_until(server.process(), &settled, filling).await?;
    filled?;
    drop(load);
    Ok(span.run_with(&server.stop()?))
}
