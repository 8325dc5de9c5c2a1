//! The work that servers are measured at, each piece on a server of its own.

mod adversarial;
mod batch;
mod churn;
mod cycle;
mod delivery;
mod idle;
mod llm;
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
    /// Streams on which nothing happens.
    pub idle_streams: usize,
    /// How long jobs come and go.
    pub churn: Duration,
}

impl Size {
    /// Enough to see that it works.
    pub const TINY: Self = Self {
        warm: Duration::from_millis(50),
        length: Duration::from_millis(250),
        cycle_jobs: 2000,
        waiting_jobs: 2000,
        idle_streams: 200,
        churn: Duration::from_millis(900),
    };
    /// About two minutes for all of it.
    pub const QUICK: Self = Self {
        warm: Duration::from_millis(300),
        length: Duration::from_secs(1),
        cycle_jobs: 200_000,
        waiting_jobs: 200_000,
        idle_streams: 2000,
        churn: Duration::from_secs(9),
    };
    /// About a quarter of an hour.
    pub const FULL: Self = Self {
        warm: Duration::from_secs(1),
        length: Duration::from_secs(3),
        cycle_jobs: 500_000,
        waiting_jobs: 1_000_000,
        idle_streams: 10_000,
        churn: Duration::from_secs(60),
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
    workload!("f", "many jobs parked on one budget that frees one token at a time", parked::run),
    workload!(
        "g",
        "many jobs bound in many ways to 8192 budgets of both kinds; beside it 1000 jobs on 10 budgets",
        many::run
    ),
    workload!(
        "h",
        "every job bound differently, three tokens a budget; another queue goes on at 200 a second",
        adversarial::run
    ),
    workload!("i", "the whole cycle in a queue nine tenths of which are parked and come first", shadowed::run),
    workload!("j", "the whole cycle beside 1000 idle streams on other queues", idle::beside),
    workload!("k", "idle streams over 100 connections: memory and processor time", idle::at_rest),
    workload!("l", "costs of 1 to 100,000 tokens that all differ, settled with other values", llm::run),
    workload!("m", "jobs that wait: memory, disk, and a start after a clean end and after a kill", waiting::run),
    workload!("n", "jobs that come and go at 2000 a second while others wait: what grows with time", churn::run),
];

async fn disk(bench: &Bench, _: &Results) -> Result<Cases> {
    Ok(vec![("disk".to_owned(), floors::disk::run(&bench.place)?)])
}
