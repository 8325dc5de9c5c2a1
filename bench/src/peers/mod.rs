//! Other job servers, put to some of the workloads in the same rounds, where they are installed.
//!
//! Owns which work that is, and who takes part in it. Refuses to know how any of them is spoken to.

mod beanstalkd;
mod bullmq;
pub mod report;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use futures_util::future::LocalBoxFuture;

use crate::results::Run;
use crate::workloads::{Bench, Cases};

/// The names of all of them.
pub const NAMES: [&str; 2] = [beanstalkd::NAME, bullmq::NAME];
/// The environment variable that stands for `--bullmq`.
pub const BULLMQ_VARIABLE: &str = "SLUICEGATE_BENCH_BULLMQ";

/// Of the jobs that go a whole cycle of ours, so many times fewer go one of theirs, which would take minutes otherwise.
const CYCLE_JOBS_DIVISOR: u64 = 10;

/// What they are put to, by the names of the cases of ours that are the same work.
const WORKS: [(&str, Work); 4] = [
    ("a: 1 callers", Work::Unary { callers: 1 }),
    ("a: 64 callers", Work::Unary { callers: 64 }),
    ("c: whole cycle", Work::Cycle),
    ("e: 1000 a second", Work::Delivery { per_second: 1000 }),
];

/// One piece of work.
#[derive(Clone, Copy)]
enum Work {
    /// Jobs enqueued one a call, by so many callers.
    Unary { callers: usize },
    /// Jobs from their enqueueing, many a call, to their end.
    Cycle,
    /// Jobs enqueued at a steady pace, and how long they take until a worker has them.
    Delivery { per_second: u32 },
}

/// A server that is installed.
trait Server {
    /// What it is, how it keeps what it is told, and how it is spoken to: in words, as Markdown.
    fn description(&self) -> String;

    /// Starts it on an empty directory, puts the work on it, and ends it.
    fn run<'a>(&'a self, bench: &'a Bench, work: Work) -> LocalBoxFuture<'a, Result<Run>>;
}

/// One that takes part, or would if it could.
pub struct Peer {
    name: &'static str,
    /// What it takes to start it, or why it can't be.
    server: Result<Box<dyn Server>>,
}

impl Peer {
    /// Looks for the one of this name. `bullmq` is the directory in which npm has installed BullMQ.
    ///
    /// # Panics
    /// The name isn't one of [`NAMES`].
    pub fn find(name: &str, bullmq: Option<&Path>) -> Self {
        match name {
            beanstalkd::NAME => Self { name: beanstalkd::NAME, server: boxed(beanstalkd::Beanstalkd::find()) },
            bullmq::NAME => Self { name: bullmq::NAME, server: boxed(bullmq::BullMq::find(bullmq)) },
            _ => panic!("no peer is called {name}"),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Puts it to all of the work once. Of one that isn't there, nothing comes.
    ///
    /// # Errors
    /// It is there and fails.
    pub async fn run(&self, bench: &Bench) -> Result<Cases> {
        let Ok(server) = &self.server else { return Ok(Vec::new()) };
        let mut cases = Vec::new();
        for (case, work) in WORKS {
            let run = server.run(bench, work).await.with_context(|| case.to_owned())?;
            cases.push((named(case, self.name), run));
        }
        Ok(cases)
    }
}

fn boxed(found: Result<impl Server + 'static>) -> Result<Box<dyn Server>> {
    Ok(Box::new(found?))
}

/// The case of a peer that is the same work as a case of ours.
fn named(case: &str, peer: &str) -> String {
    format!("{case}, {peer}")
}

/// How many jobs go a whole cycle.
fn cycle_jobs(bench: &Bench) -> u64 {
    bench.size.cycle_jobs / CYCLE_JOBS_DIVISOR
}

/// Where a program is that can be started by its name.
fn on_path(program: &str) -> Result<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file());
    found.with_context(|| format!("`{program}` isn't on PATH"))
}

/// What a program says when it is asked for its version.
fn version(program: &Path, flag: &str) -> Result<String> {
    let output =
        Command::new(program).arg(flag).output().with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(output.status.success(), "{} {flag} ended with {}", program.display(), output.status);
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
