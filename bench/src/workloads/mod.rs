//! The work that servers are measured at, each piece on a server of its own.

mod adversarial;
pub mod batch;
mod churn;
pub mod cycle;
mod delivery;
mod idle;
pub mod llm;
mod many;
mod parked;
mod shadowed;
mod streams;
mod unary;
mod waiting;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use futures_util::future::{FutureExt, LocalBoxFuture};

use crate::floors;
use crate::process::Server;
use crate::results::{Results, Run};

/// Where and how large.
pub struct Bench {
    /// The server's program.
    pub program: PathBuf,
    /// The directory in which all data is kept, on the disk that is measured.
    pub place: PathBuf,
    /// How large.
    pub size: Size,
}

/// How much of everything.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Before a measurement begins.
    pub warm: Duration,
    /// Of a measurement.
    pub length: Duration,
    /// Jobs that go a whole cycle.
    pub cycle_jobs: u64,
    /// Jobs that wait.
    pub waiting_jobs: u64,
    /// Streams at rest.
    pub idle_streams: u64,
    /// Of steady churn.
    pub churn: Duration,
}

impl Size {
    /// Enough to see an order of magnitude.
    pub const TINY: Self = Self {
        warm: Duration::from_millis(50),
        length: Duration::from_millis(200),
        cycle_jobs: 2000,
        waiting_jobs: 2000,
        idle_streams: 100,
        churn: Duration::from_secs(2),
    };
    /// About two minutes for all of it.
    pub const QUICK: Self = Self {
        warm: Duration::from_millis(300),
        length: Duration::from_secs(1),
        cycle_jobs: 200_000,
        waiting_jobs: 200_000,
        idle_streams: 3000,
        churn: Duration::from_secs(10),
    };
    /// About a quarter of an hour.
    pub const FULL: Self = Self {
        warm: Duration::from_secs(1),
        length: Duration::from_secs(3),
        cycle_jobs: 1_000_000,
        waiting_jobs: 1_000_000,
        idle_streams: 10_000,
        churn: Duration::from_secs(180),
    };
}

impl Bench {
    /// A server on an empty store.
    ///
    /// # Errors
    /// It can't be started.
    pub fn server(&self, flags: &[&str]) -> Result<Server> {
        Server::start(&self.program, &self.place, flags)
    }
}

/// What was measured, by the names of the cases.
pub type Cases = Vec<(String, Run)>;

/// One piece of work.
pub struct Workload {
    /// Its letter, or the floor's name.
    pub name: &'static str,
    /// What it is, in a line.
    pub what: &'static str,
    run: for<'a> fn(&'a Bench, &'a Results) -> LocalBoxFuture<'a, Result<Cases>>,
}

impl Workload {
    /// Runs it once. What was measured before is there for those that build on it.
    ///
    /// # Errors
    /// A server failed, or a call did.
    pub async fn run(&self, bench: &Bench, before: &Results) -> Result<Cases> {
        (self.run)(bench, before).await
    }
}

macro_rules! workload {
    ($name:literal, $what:literal, $run:path) => {
        Workload { name: $name, what: $what, run: |bench, before| $run(bench, before).boxed_local() }
    };
}

/// All of them, in the order of a round.
pub const ALL: &[Workload] = &[
    workload!("disk", "fdatasync of one overwritten 4 KiB page", disk),
    workload!(
        "a",
        "unary Enqueue, 1, 16, 64 and 256 callers; beside it the null store and a bare tonic echo",
        unary::run
    ),
    workload!("b", "BatchEnqueue of 100 and of 1000, 16 callers", batch::run),
    workload!(
        "c",
        "the whole cycle: batches of 100 by 16 callers, 4 workers with a window of 1024; beside it the same rows straight to redb",
        cycle::run
    ),
    workload!(
        "d",
        "streams that settle one job a message; beside it the null store and a bare tonic stream",
        streams::run
    ),
    workload!(
        "e",
        "from Enqueue to delivery at 200, 1000 and 5000 jobs a second, whatever becomes of them",
        delivery::run
    ),
    workload!("f", "jobs parked on one budget that frees one token at a time", parked::run),
    workload!(
        "g",
        "8192 budgets, half of each kind, 20,000 sets of 1 to 4 bindings; beside it 10 budgets and 1000 jobs",
        many::run
    ),
    workload!(
        "h",
        "every job with random bindings of its own, all budgets short; beside it 200 jobs a second of another queue",
        adversarial::run
    ),
    workload!(
        "i",
        "the cycle of (c) in a queue where nine of ten waiting jobs are more urgent, and parked",
        shadowed::run
    ),
    workload!("j", "the cycle of (c) beside 1000 idle streams", idle::beside),
    workload!("k", "10,000 idle streams over 100 connections, without pings", idle::at_rest),
    workload!(
        "l",
        "costs of 1 to 100,000, all different, on budgets of tokens a minute and requests a second, settled with other values",
        llm::run
    ),
    workload!("m", "jobs that wait: memory, file, and the first job after a start", waiting::run),
    workload!("n", "steady churn at half the rate of (c), once for all rounds", churn::run),
];

async fn disk(bench: &Bench, _: &Results) -> Result<Cases> {
    Ok(vec![("disk".to_owned(), floors::disk::run(&bench.place)?)])
}
