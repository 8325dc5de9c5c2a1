//! What the examples have in common: where the server's program is, and how a run ends early.

use std::path::PathBuf;

use anyhow::{Context, bail};
use tokio::signal::unix::{SignalKind, signal};

/// The program in the folder above that of the examples, which is where cargo puts it.
pub fn built_beside() -> anyhow::Result<PathBuf> {
    let example = std::env::current_exe()?;
    let folder = example.ancestors().nth(2).context("this program isn't where cargo puts it: name --sluicegate")?;
    let program = folder.join("sluicegate");
    if !program.is_file() {
        bail!("{} isn't there: build it first, or name --sluicegate", program.display());
    }
    Ok(program)
}

/// What came of a run. Leaving it, in whichever way, ends its processes.
///
/// # Errors
/// This process was told to end before the run did.
pub async fn until_told_to_end<T>(run: impl Future<Output = T>) -> anyhow::Result<T> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        outcome = run => Ok(outcome),
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminated.recv() => bail!("terminated"),
    }
}
