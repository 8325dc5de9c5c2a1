//! Fetches a thousand files from a site that allows 50 requests a second and 4 at a time, with workers that would go far
//! faster: see the README beside this file.

mod fetch;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use fetch::{Mode, Plan};

/// Fetches files from an nginx with limits, through a Sluicegate with budgets that match them, and says what came of it
#[derive(Parser)]
struct Arguments {
    /// What to show
    #[arg(value_enum, default_value_t = Mode::WithBudgets)]
    mode: Mode,
    /// The folder whose files are served and fetched
    #[arg(default_value = "/usr/share/doc")]
    folder: PathBuf,
    /// How many files
    #[arg(long, default_value_t = 1000)]
    files: usize,
    /// The sluicegate program [default: the one built beside this one]
    #[arg(long, value_name = "PATH")]
    sluicegate: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match show(Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn show(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { mode, folder, files, sluicegate } = arguments;
    let sluicegate = sluicegate.map_or_else(built_beside, Ok)?;
    let plan = Plan { mode, folder, files, sluicegate };
    let dir = tempfile::Builder::new().prefix("polite-fetch-").tempdir()?;
    let mut terminated = signal(SignalKind::terminate())?;
    // Leaving the run, in whichever way, ends its processes.
    let outcome = tokio::select! {
        outcome = fetch::run(&plan, dir.path()) => outcome,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminated.recv() => bail!("terminated"),
    };
    let figures = match outcome {
        Ok(figures) => figures,
        Err(error) => return Err(error.context(format!("no result; the logs are in {}", dir.keep().display()))),
    };
    println!("{figures}");
    let missed = figures.missed();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    missed.iter().for_each(|promise| println!("MISSED      {promise}"));
    println!("logs        {}", dir.keep().display());
    Ok(ExitCode::FAILURE)
}

/// The program in the folder above that of the examples, which is where cargo puts it.
fn built_beside() -> anyhow::Result<PathBuf> {
    let example = std::env::current_exe()?;
    let folder = example.ancestors().nth(2).context("this program isn't where cargo puts it: name --sluicegate")?;
    let program = folder.join("sluicegate");
    if !program.is_file() {
        bail!("{} isn't there: build it first, or name --sluicegate", program.display());
    }
    Ok(program)
}
