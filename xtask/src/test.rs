//! `cargo xtask test`: all tests, as CI runs them.

use std::env;
use std::path::Path;

use anyhow::Result;

use crate::process;

/// Runs `cargo test --release --workspace`, with backtraces unless the caller has set them otherwise.
pub fn run(root: &Path, args: &[String]) -> Result<()> {
    let mut command = process::cargo(root);
    command.args(["test", "--release", "--workspace"]);
    if !args.is_empty() {
        command.arg("--").args(args);
    }
    if env::var_os("RUST_BACKTRACE").is_none() {
        command.env("RUST_BACKTRACE", "1");
    }
    process::run(&mut command)
}
