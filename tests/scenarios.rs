//! The stories of `tests/scenarios/*.scn`, or of the folder that `SCENARIO_DIR` names: one test each.
//!
//! `cargo test --test scenarios` runs them all, `cargo test --test scenarios drip` those with that name.

mod promises;
mod scenario;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};

/// The stories that tell of what the scheduler can't do yet, and what that is. Each must fail; one that passes is to be
/// taken off the list.
const COMING: &[(&str, &str)] = &[("14-bounded-waiting", "setting aside for the passed-over (semantics 4.4)")];

fn main() {
    let arguments = Arguments::from_args();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let trials = match env::var_os("SCENARIO_DIR") {
        Some(dir) => stories(Path::new(&dir), &[]),
        None => {
            let mut trials = scenario::selftest::trials();
            trials.extend(stories(&own, COMING));
            trials
        }
    };
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test for each story in `dir`; those of `coming` must fail.
fn stories(dir: &Path, coming: &[(&str, &str)]) -> Vec<Trial> {
    let files = match scenario_files(dir) {
        Ok(files) => files,
        Err(problem) => {
            let name = dir.display().to_string();
            return vec![Trial::test(name, move || Err(Failed::from(problem)))];
        }
    };
    let missing = |(name, _): &&(&str, &str)| files.iter().all(|file| stem(file) != *name);
    let stale = coming.iter().filter(missing).map(|(name, _)| {
        let problem = format!("COMING names {name}, and there is no such story");
        Trial::test(*name, move || Err(Failed::from(problem)))
    });
    let mut trials: Vec<_> = stale.collect();
    for file in files {
        let name = stem(&file);
        let why = coming.iter().find(|(coming, _)| *coming == name);
        let why = why.map(|(_, why)| (*why).to_owned());
        trials.push(Trial::test(name, move || verdict(&file, why.as_deref())));
    }
    trials
}

fn scenario_files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |error| format!("{} can't be read: {error}", dir.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.extension() == Some(OsStr::new("scn")) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(format!("{} holds no .scn file", dir.display()));
    }
    Ok(files)
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn verdict(file: &Path, coming: Option<&str>) -> Result<(), Failed> {
    let text = fs::read_to_string(file).map_err(|error| format!("{} can't be read: {error}", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let failures = scenario::run::play(&text);
    match coming {
        None if failures.is_empty() => Ok(()),
        None => {
            let told: Vec<_> = failures.iter().map(|failure| failure.located(&name)).collect();
            Err(told.join("\n").into())
        }
        Some(_) if !failures.is_empty() => Ok(()),
        Some(why) => {
            Err(format!("{name} passes, and COMING in tests/scenarios.rs lists it ({why}): take it off the list")
                .into())
        }
    }
}
