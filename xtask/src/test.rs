//! `cargo xtask test`: all tests, as CI runs them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{clients, process};

/// Runs `cargo test --release --workspace`, with backtraces unless the caller has set them otherwise. Then, unless the caller
/// asks for some tests alone, runs every client's own tests, follows its quickstart, and puts it through the conformance script.
pub fn run(root: &Path, args: &[String]) -> Result<()> {
    let mut command = process::cargo(root);
    command.args(["test", "--release", "--workspace"]);
    if !args.is_empty() {
        command.arg("--").args(args);
    }
    if env::var_os("RUST_BACKTRACE").is_none() {
        command.env("RUST_BACKTRACE", "1");
    }
    process::run(&mut command)?;
    if args.is_empty() { test_clients(root) } else { Ok(()) }
}

fn test_clients(root: &Path) -> Result<()> {
    // With the tests, so that what they were built of is built no second time for other features.
    process::run(process::cargo(root).args(["build", "--release", "--workspace", "--bins", "--tests"]))?;
    let programs = programs(root)?;
    let server = programs.join("sluicegate");
    let absent = clients::run_each(root, "test", |command| _ = command.env("SLUICEGATE_BIN", &server))?;
    absent.iter().for_each(|why| println!("skipped: {why}"));
    for instead in [None, Some("--quickstart"), Some("--together")] {
        process::run(Command::new(programs.join("conformance")).args(instead).current_dir(root))?;
    }
    Ok(())
}

/// The folder of what cargo builds for a release.
fn programs(root: &Path) -> Result<PathBuf> {
    let output = process::cargo(root).args(["metadata", "--format-version=1", "--no-deps"]).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(Path::new(target).join("release"))
}
