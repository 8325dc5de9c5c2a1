//! `cargo xtask bench`: the server, built as it is handed out, and the bench that is put on it.

use std::path::Path;

use anyhow::Result;

use crate::process;

/// What is handed out: optimized at link time.
const PROFILE: [&str; 2] = ["--profile", "dist"];

/// Builds both, and runs the bench, which finds the server beside itself.
pub fn run(root: &Path, args: &[String]) -> Result<()> {
    process::run(process::cargo(root).arg("build").args(PROFILE).args(["--bin", "sluicegate"]))?;
    let mut bench = process::cargo(root);
    bench.arg("run").args(PROFILE).args(["--package", "sluicegate-bench", "--"]).args(args);
    process::run(&mut bench)
}
