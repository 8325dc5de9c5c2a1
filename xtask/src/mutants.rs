//! `cargo xtask mutants`: breaks the scheduler in one place after another, and looks whether a test notices.
//!
//! Owns how cargo-mutants is found and started, and what is broken; what must notice is in `.cargo/mutants.toml`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use clap::Args;

use crate::process;

/// What `--help` says beyond the first line.
pub const LONG_ABOUT: &str = "\
Breaks the scheduler in one place after another, and looks whether a test notices

Each mutant is one small change of src/scheduler: a function that returns at once, another operator, a condition negated. \
The unit tests, the stories of tests/scenarios and a short run of the model test must fail with it. One that passes them all \
(MISSED) is a rule that nothing tests: kill it by a test, by simpler code in which it can't exist, or know why it changes \
nothing that can be seen.

It builds and tests a copy of the tree, with optimisation off, once for each mutant: half a minute each, and a night for all. \
`cargo xtask mutants src/scheduler/wake.rs` tries one file, `--shard 0/8` the first of eight parts, `--list` tries nothing. \
Tests that draw at random draw less: 32 cases each and 200 runs of the model, unless PROPTEST_CASES and MODEL_RUNS say \
otherwise.

Results are in mutants.out: caught.txt, missed.txt, timeout.txt (never ended: noticed too), unviable.txt (didn't compile), \
and log/ with the output of each. What follows `--` goes to cargo-mutants.

Exit code 0: every mutant was noticed. 1: some were not, or it couldn't run.";

/// How to get the tool.
const INSTALL: &str = "cargo install --locked cargo-mutants";

/// What is broken where no file is named.
const SCHEDULER: &str = "src/scheduler/**";

/// Draws of the tests that draw at random, where nothing else is asked for: most mutants die by the first few.
const DRAWS: [(&str, &str); 2] = [("PROPTEST_CASES", "32"), ("MODEL_RUNS", "200")];

/// What to break.
#[derive(Args)]
pub struct Selection {
    /// Files to break; all of the scheduler where none is named
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Only the k-th of n parts, counted from 0
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,

    /// Lists the mutants and tries none
    #[arg(long)]
    list: bool,

    /// Arguments for cargo-mutants
    #[arg(last = true)]
    args: Vec<String>,
}

/// Runs cargo-mutants over the selection.
pub fn run(root: &Path, selection: &Selection) -> Result<()> {
    let Some(tool) = process::find(root, "cargo-mutants") else {
        bail!("`cargo-mutants` is not on PATH; `{INSTALL}` brings it");
    };
    let mut command = Command::new(tool);
    command.current_dir(root).args(arguments(selection));
    command.envs(DRAWS.into_iter().filter(|(variable, _)| env::var_os(variable).is_none()));
    process::run(&mut command)
}

fn arguments(selection: &Selection) -> Vec<OsString> {
    let mut arguments = vec!["mutants".into()];
    let everything = [PathBuf::from(SCHEDULER)];
    let files = if selection.files.is_empty() { everything.as_slice() } else { &selection.files };
    for file in files {
        arguments.extend(["--file".into(), file.into()]);
    }
    if let Some(shard) = &selection.shard {
        arguments.extend(["--shard".into(), shard.into()]);
    }
    if selection.list {
        arguments.push("--list".into());
    }
    arguments.extend(selection.args.iter().map(OsString::from));
    arguments
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        selection: Selection,
    }

    #[test]
    fn all_of_the_scheduler_is_broken_or_what_is_named() {
        let of = |words: &[&str]| arguments(&Cli::parse_from(words).selection);
        assert_eq!(of(&["x"]), ["mutants", "--file", "src/scheduler/**"]);
        assert_eq!(
            of(&["x", "a.rs", "b.rs", "--shard", "1/8", "--list", "--", "--jobs", "2"]),
            ["mutants", "--file", "a.rs", "--file", "b.rs", "--shard", "1/8", "--list", "--jobs", "2"]
        );
    }
}
