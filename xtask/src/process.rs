//! Starting other programs: finding them, and turning their exit into a result.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The cargo that started this program, or the one on PATH.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs a program to its end with the terminal's streams. Fails unless it exits with 0.
pub fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("{program} failed: {status}");
    }
    Ok(())
}

/// Where an npm-installed program is: on PATH, or in `node_modules/.bin` of the workspace.
pub fn find(root: &Path, program: &str) -> Option<PathBuf> {
    let on_path = env::var_os("PATH").unwrap_or_default();
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&on_path)
        .chain([root.join("node_modules/.bin")])
        .map(|folder| folder.join(&file))
        .find(|candidate| candidate.is_file())
}

/// Whether this is a run of CI, where a missing tool is a failure.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}
