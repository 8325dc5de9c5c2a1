//! Programs that aren't ours: where they are, and what a test does where they are missing.

use std::env;
use std::path::{Path, PathBuf};

/// The program that a variable names, or that is on the path. Missing, it skips the test, or fails it where CI says that all is
/// there.
pub fn tool(variable: &str, name: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from);
    let found = named.or_else(|| {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
    });
    if found.is_none() {
        missing(&format!("{name} is neither on the path nor named by {variable}"));
    }
    found
}

/// Skips the test, saying why, or fails it under CI.
pub fn missing(what: &str) {
    let is_ci = env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1");
    assert!(!is_ci, "{what}");
    println!("SKIPPED: {what}");
}

/// The contract's folder.
pub fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("proto")
}
