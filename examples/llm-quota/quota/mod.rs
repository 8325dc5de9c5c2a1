//! The near side: a Sluicegate server, and in each mode the budgets, the jobs and the worker that face an endpoint.
//!
//! Owns what a run consists of. Of the endpoint it knows the documentation, and what its answers say.

pub mod budgets;
mod caller;
mod figures;
mod mode;
mod process;
mod report;
mod row;
mod workload;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use futures_util::future::try_join_all;
use sluicegate_client::Client;
use tokio::process::Command;

pub use figures::Figures;
pub use mode::Mode;
use process::Process;
pub use report::Report;
use row::Row;
pub use workload::{Call, draw};

/// At the start the pool is full, and what is saved up in it is spent first. In so much of the endpoint's time it is: in less
/// than half of it where this machine has the time, and a busy one stretches that.
pub const WARM_UP: Duration = Duration::from_secs(90);
/// Until the first job is due: so long everything may take to get ready.
const LEAD: Duration = Duration::from_secs(1);
/// What a run may take on top of twice the time that the slowest mode needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How, side by side.
    pub modes: Vec<Mode>,
    /// Jobs in each mode.
    pub jobs: u32,
    /// How many times as fast as life.
    pub speed: u32,
    /// Draws the jobs.
    pub seed: u64,
    /// The `sluicegate` program.
    pub sluicegate: PathBuf,
}

/// Runs the plan with all files of its processes in `dir`, and returns what it came to, mode by mode.
///
/// # Errors
/// Something couldn't be started, ended by itself, or took far too long. That the run doesn't show what it should isn't one:
/// [`Report::missed`] says so.
pub async fn run(plan: &Plan, dir: &Path) -> anyhow::Result<Vec<Figures>> {
    let calls = draw(plan.seed, plan.jobs);
    let costs = |mode: &Mode| mode.of(&calls).iter().map(|call| mode.cost(call)).sum();
    let slowest = budgets::time_for(plan.modes.iter().map(costs).max().unwrap_or(0)) / plan.speed;
    let limit = slowest * 2 + PATIENCE;
    let run = tokio::time::timeout(limit, run_unbounded(plan, &calls, dir)).await;
    run.with_context(|| format!("not done after {limit:?}"))?
}

async fn run_unbounded(plan: &Plan, calls: &[Call], dir: &Path) -> anyhow::Result<Vec<Figures>> {
    let mut serve = Command::new(&plan.sluicegate);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(dir.join("store"));
    let mut server = Process::start("the server", &mut serve, File::create(dir.join("server.log"))?).await?;
    let client = Client::connect(format!("http://{}", server.address)).await?;
    let start = SystemTime::now() + LEAD;
    let rows = plan.modes.iter().map(|&mode| {
        let row = Row { mode, speed: plan.speed, start, client: client.clone(), dir };
        row.run(mode.of(calls))
    });
    let figures = tokio::select! {
        figures = try_join_all(rows) => figures?,
        error = server.ended() => return Err(error),
    };
    server.stop().await?;
    Ok(figures)
}
