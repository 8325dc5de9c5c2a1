//! Fetches a thousand files from a site that allows 50 requests a second and 4 at a time, with workers that would go far
//! faster: see the README beside this file.

mod fetch;
#[path = "../shared/mod.rs"]
mod shared;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use fetch::{Mode, Plan};
use shared::{built_beside, until_told_to_end};

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
    let figures = match until_told_to_end(fetch::run(&plan, dir.path())).await? {
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
