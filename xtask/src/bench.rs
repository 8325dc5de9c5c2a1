//! `cargo xtask bench`: the server and the bench, both built as they are handed out, and the one put on the other.

use std::path::Path;

use anyhow::Result;

use crate::process;

/// Builds the server, and runs the bench, which finds it beside itself.
pub fn run(root: &Path, args: &[String]) -> Result<()> {
    process::run(process::cargo(root).args(["build", "--release", "--bin", "sluicegate"]))?;
    process::run(process::cargo(root).args(["run", "--release", "--package", "sluicegate-bench", "--"]).args(args))
}
