//! `cargo xtask check`: everything that can be judged without a running server.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::{clients, codegen, process};

/// How a step ended when nothing failed.
enum Done {
    Passed,
    /// Not done, and why.
    Skipped(String),
}

/// What a step is called, and what it does in the workspace's folder.
type Step = (&'static str, fn(&Path) -> Result<Done>);

/// Cheap ones first: whoever watches learns soonest what is quickest to fix.
const STEPS: &[Step] = &[
    ("fmt", fmt),
    ("buf lint", buf_lint),
    ("clippy", clippy),
    ("tidy", tidy),
    ("generated code", generated_code),
    ("clients", clients),
];

/// Runs all steps and fails at the end, naming those that failed.
pub fn run(root: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        println!("── {name}");
        let start = Instant::now();
        let outcome = step(root);
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(Done::Passed) => println!("── {name}: ok ({seconds:.1} s)"),
            Ok(Done::Skipped(why)) => println!("── {name}: SKIPPED ({seconds:.1} s): {why}"),
            Err(error) => {
                println!("── {name}: FAILED ({seconds:.1} s): {error:#}");
                failed.push(*name);
            }
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn fmt(root: &Path) -> Result<Done> {
    passes(process::cargo(root).args(["fmt", "--all", "--check"]))
}

fn clippy(root: &Path) -> Result<Done> {
    passes(process::cargo(root).args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn tidy(root: &Path) -> Result<Done> {
    passes(process::cargo(root).args(["test", "--package", "sluicegate", "--test", "tidy"]))
}

fn generated_code(root: &Path) -> Result<Done> {
    codegen::check(root).map(unless_left_out)
}

fn clients(root: &Path) -> Result<Done> {
    clients::run_each(root, "check", |_| {}).map(unless_left_out)
}

/// A language whose toolchain isn't here is a gap, by name; under CI it has failed before.
fn unless_left_out(absent: Vec<String>) -> Done {
    if absent.is_empty() { Done::Passed } else { Done::Skipped(absent.join(", ")) }
}

fn buf_lint(root: &Path) -> Result<Done> {
    match process::find(root, "buf") {
        Some(buf) => passes(Command::new(buf).arg("lint").current_dir(root)),
        None => without_tool("buf", "npm install @bufbuild/buf", process::is_ci()),
    }
}

fn passes(command: &mut Command) -> Result<Done> {
    process::run(command).map(|()| Done::Passed)
}

/// A missing tool is a failure where everything is supposed to be there, and a named gap elsewhere.
fn without_tool(tool: &str, install: &str, is_ci: bool) -> Result<Done> {
    let what = format!("`{tool}` is neither on PATH nor in node_modules/.bin; `{install}` brings it");
    if is_ci {
        bail!(what);
    }
    Ok(Done::Skipped(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_fails_under_ci_and_is_named_elsewhere() {
        let refusal = without_tool("buf", "npm install x", true).err().expect("CI refuses a gap");
        assert!(refusal.to_string().contains("`buf`"));

        let Ok(Done::Skipped(why)) = without_tool("buf", "npm install x", false) else {
            panic!("elsewhere a missing tool is a skip");
        };
        assert!(why.contains("npm install x"));
    }
}
