//! The stories of `tests/scenarios/*.scn`, or of the folder that `SCENARIO_DIR` names: one test each.
//!
//! `cargo test --test scenarios` runs them all, `cargo test --test scenarios drip` those with that name.

mod promises;
mod scenario;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let trials = match env::var_os("SCENARIO_DIR") {
        Some(dir) => stories(Path::new(&dir)),
        None => {
            let mut trials = scenario::selftest::trials();
            trials.extend(stories(&own));
            trials
        }
    };
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test for each story in `dir`.
fn stories(dir: &Path) -> Vec<Trial> {
    match scenario_files(dir) {
        Ok(files) => files.into_iter().map(|file| Trial::test(stem(&file), move || verdict(&file))).collect(),
        Err(problem) => {
            let name = dir.display().to_string();
            vec![Trial::test(name, move || Err(Failed::from(problem)))]
        }
    }
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

fn verdict(file: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(file).map_err(|error| format!("{} can't be read: {error}", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let told: Vec<_> = scenario::run::play(&text).iter().map(|failure| failure.located(&name)).collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("\n").into()) }
}
