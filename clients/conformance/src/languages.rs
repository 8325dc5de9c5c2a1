//! The clients by language: how each runner is built and started, from `runners.json`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::failure::{At, Failure, Outcome};

/// In a command of `runners.json`: the folder of the programs that cargo has built, this one among them.
const PROGRAMS: &str = "{programs}";

/// One language.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    pub name: String,
    /// The repository.
    root: PathBuf,
    /// Where the commands of its entry are run.
    folder: PathBuf,
    entry: Entry,
}

/// What `runners.json` says of one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// From the repository's root.
    folder: String,
    /// Programs that must be on the path.
    needs: Vec<String>,
    /// Commands that build the runner, in the folder.
    build: Vec<Vec<String>>,
    /// What starts it, in the folder; `--address IP:PORT` is appended.
    run: Vec<String>,
}

/// Reads the entries; of these names, or all.
pub(crate) fn load(conformance: &Path, names: &[String]) -> Outcome<Vec<Language>> {
    let path = conformance.join("runners.json");
    let text = fs::read_to_string(&path).at(path.display())?;
    let mut entries: BTreeMap<String, Entry> = serde_json::from_str(&text).at(path.display())?;
    if let Some(unknown) = names.iter().find(|name| !entries.contains_key(*name)) {
        let known: Vec<_> = entries.into_keys().collect();
        return Err(format!("there is no client in `{unknown}`; there are {}", known.join(", ")).into());
    }
    entries.retain(|name, _| names.is_empty() || names.contains(name));
    let root = conformance.join("../..");
    let language =
        |(name, entry): (String, Entry)| Language { name, root: root.clone(), folder: root.join(&entry.folder), entry };
    Ok(entries.into_iter().map(language).collect())
}

impl Language {
    /// A program that it needs and that isn't here.
    pub fn missing(&self) -> Option<&str> {
        let path = env::var_os("PATH").unwrap_or_default();
        let is_here = |tool: &String| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
        self.entry.needs.iter().find(|tool| !is_here(tool)).map(String::as_str)
    }

    /// Builds its runner. Shows what the build says only where it fails.
    pub fn build(&self) -> Outcome<()> {
        if !self.folder.is_dir() {
            return Err(format!("there is no folder {}", self.entry.folder).into());
        }
        for words in &self.entry.build {
            let mut command = self.command(words)?;
            let output = command.output().at(words.join(" "))?;
            if !output.status.success() {
                let said = [output.stdout, output.stderr].concat();
                let failed = Failure::from(format!("`{}` failed: {}", words.join(" "), output.status));
                return Err(failed.with(String::from_utf8_lossy(&said)));
            }
        }
        Ok(())
    }

    /// What starts its runner.
    pub fn runner(&self) -> Outcome<Command> {
        self.command(&self.entry.run)
    }

    /// The client's folder, whose README and examples users read.
    pub fn client_folder(&self) -> Outcome<PathBuf> {
        let above = self.folder.ancestors().find(|folder| folder.join("README.md").is_file());
        above.ok_or("there is no README")?.canonicalize().at("the client's folder")
    }

    /// Commands of a shell, which know where this checkout is.
    pub fn shell(&self, commands: &str) -> Outcome<Command> {
        let mut command = self.command(&["bash".to_owned(), "-euc".to_owned(), commands.to_owned()])?;
        command.env("SLUICEGATE", self.root.canonicalize().at("the repository")?);
        Ok(command)
    }

    fn command(&self, words: &[String]) -> Outcome<Command> {
        let programs = programs()?;
        let replaced: Vec<_> = words.iter().map(|word| word.replace(PROGRAMS, &programs.to_string_lossy())).collect();
        let [program, arguments @ ..] = replaced.as_slice() else {
            return Err("a command of runners.json is empty".into());
        };
        // A program of the folder is named from there, as a shell would take it.
        let local = self.folder.join(program);
        let is_local = program.contains('/') && local.is_file();
        let mut command =
            if is_local { Command::new(local.canonicalize().at(program)?) } else { Command::new(program) };
        command.args(arguments).current_dir(&self.folder);
        // Whatever cargo builds then lies beside this program, wherever that was built.
        if let Some(target) = programs.parent() {
            command.env("CARGO_TARGET_DIR", target);
        }
        Ok(command)
    }
}

/// The folder of this program, where cargo leaves the others too.
pub(crate) fn programs() -> Outcome<PathBuf> {
    let program = env::current_exe().at("this program's path")?;
    let folder = program.parent().ok_or("this program has no folder")?;
    // A test's program lies one below.
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    Ok(folder.to_path_buf())
}
