//! Calls a hosted model with jobs whose costs are badly estimated, and is never refused: see the README beside this file.

mod arguments;
mod endpoint;
mod quota;

use std::process::ExitCode;

use anyhow::bail;
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use arguments::Arguments;
use quota::Report;

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
    let mut terminated = signal(SignalKind::terminate())?;
    // Leaving the run, in whichever way, ends its processes.
    let outcome = tokio::select! {
        outcome = quota::run(&plan, dir.path()) => outcome,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminated.recv() => bail!("terminated"),
    };
    let report = match outcome {
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
