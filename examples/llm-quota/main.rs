//! Calls a hosted model with jobs whose costs are badly estimated, and is never refused: see the README beside this file.

mod arguments;
mod endpoint;
mod quota;
#[path = "../shared/mod.rs"]
mod shared;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use quota::Report;
use shared::until_told_to_end;

fn main() -> ExitCode {
    let outcome = match endpoint::serve_if_asked() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => show(Arguments::parse()),
        Err(error) => Err(error),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

#[tokio::main(flavor = "current_thread")]
async fn show(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let plan = arguments.plan()?;
    let dir = tempfile::Builder::new().prefix("llm-quota-").tempdir()?;
    let report = match until_told_to_end(quota::run(&plan, dir.path())).await? {
        Ok(rows) => Report { plan, rows },
        Err(error) => return Err(error.context(format!("no result; the logs are in {}", dir.keep().display()))),
    };
    println!("{report}");
    let missed = report.missed();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    missed.iter().for_each(|promise| println!("MISSED  {promise}"));
    println!("logs    {}", dir.keep().display());
    Ok(ExitCode::FAILURE)
}
