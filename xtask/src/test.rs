//! `cargo xtask test`: all tests, as CI runs them.

use std::env;
use std::path::Path;

use anyhow::Result;

use crate::process;

/// What the conformance script is run with, the Rust runner among it.
const CONFORMANCE: [&str; 3] = ["sluicegate", "sluicegate-conformance", "sluicegate-client-conformance"];

/// Runs `cargo test --release --workspace`, with backtraces unless the caller has set them otherwise. Then, unless the caller
/// asks for some tests alone, puts every client through the conformance script.
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
    if args.is_empty() { conformance(root) } else { Ok(()) }
}

fn conformance(root: &Path) -> Result<()> {
    let packages = CONFORMANCE.iter().flat_map(|package| ["--package", package]);
    process::run(process::cargo(root).args(["build", "--release"]).args(packages))?;
    let run = ["run", "--release", "--package", CONFORMANCE[1], "--"];
    process::run(process::cargo(root).args(run))?;
    process::run(process::cargo(root).args(run).arg("--together"))
}
