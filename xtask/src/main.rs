//! The project's chores, run as `cargo xtask …`: what a contributor or CI must run, written once and in Rust.
//!
//! Owns the order of the steps and how their results are told. It refuses to know what the project does: every step is a
//! tool or a test of its own, that can be run without this program.

mod bench;
mod check;
mod clients;
mod codegen;
mod mutants;
mod process;
mod promises;
mod sim;
mod test;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// The project's chores.
///
/// Before you push: `cargo xtask check && cargo xtask test`. After a change of proto/: `cargo xtask gen`.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Checks everything that needs no running server
    ///
    /// Formatting, clippy with warnings denied, `buf lint`, the tidy test, whether the checked-in generated code is what
    /// proto/ generates, and the linters of each client's language (`clients/*/check`). Runs all steps, whatever fails, and
    /// names the failed ones at the end.
    ///
    /// `buf` is looked for on PATH and in node_modules/.bin (`npm install @bufbuild/buf`). Without it, or without the toolchain
    /// of a client's language, that part is skipped, and says so; with CI=true it fails.
    Check,

    /// Runs all tests: those of the workspace, in release mode, and those of the clients
    ///
    /// After cargo's: each client's own tests (`clients/*/test`), the conformance script, each client's quickstart as its
    /// README has it, and workers in all languages at once. With arguments only cargo's.
    ///
    /// What follows `--` goes to the test binaries: `cargo xtask test -- --nocapture drip`.
    Test {
        /// Arguments for the test binaries
        #[arg(last = true)]
        args: Vec<String>,
    },

    /// Regenerates the checked-in code from proto/
    ///
    /// The Rust client's needs no protoc; those of other languages come from generators that their own `clients/*/generate`
    /// pins and installs, where the toolchain is there. The same bytes on every machine.
    Gen,

    /// Measures a server beside the floors it stands on; `cargo xtask bench --help` says more
    #[command(disable_help_flag = true)]
    Bench {
        /// Arguments for the bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },

    #[command(
        about = "Breaks the scheduler in one place after another, and looks whether a test notices",
        long_about = mutants::LONG_ABOUT
    )]
    Mutants(mutants::Selection),

    #[command(about = "Proves or refutes, from an event log alone, what is promised of budgets", long_about = promises::LONG_ABOUT)]
    Promises {
        /// The event log; `-` for standard input
        #[arg(value_name = "FILE")]
        log: PathBuf,
    },

    #[command(about = "Simulates a server on a failing disk, and looks for what it told and then took back", long_about = sim::LONG_ABOUT)]
    Sim {
        /// The one seed to play, told step by step
        seed: Option<u64>,

        /// How many seeds to play, from a random one on
        #[arg(long, value_name = "N", conflicts_with = "seed")]
        runs: Option<u64>,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without a backtrace: what failed is a tool, which has said why.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    let root = workspace_root();
    match chore {
        Chore::Bench { args } => bench::run(root, &args),
        Chore::Check => check::run(root),
        Chore::Test { args } => test::run(root, &args),
        Chore::Gen => codegen::write(root),
        Chore::Mutants(selection) => mutants::run(root, &selection),
        Chore::Promises { log } => promises::run(&log),
        Chore::Sim { seed, runs } => sim::run(root, seed, runs),
    }
}

/// The folder of the workspace, wherever the chore was started.
fn workspace_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the xtask crate lies one folder below the workspace")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
