//! The clients in other languages: which there are, what they need, and their own scripts.
//!
//! Owns the choice of the clients that take part. What a client's `check`, `test` and `generate` do is the client's affair; each can
//! be run without this program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::process;

/// What names the clients, and the programs that each needs.
const RUNNERS: &str = "clients/conformance/runners.json";

/// The end of the line of a client's `.gitattributes` that names the folder of its generated code.
const GENERATED: &str = "/** linguist-generated";

/// A client with scripts of its own.
#[derive(Debug)]
pub struct Client {
    /// The language.
    pub name: String,
    /// From the root.
    folder: String,
    root: PathBuf,
    needs: Vec<String>,
}

/// What this program reads of an entry.
#[derive(Deserialize)]
struct Entry {
    folder: String,
    needs: Vec<String>,
}

/// All clients that have scripts. The Rust client is a package of the workspace, and cargo's.
pub fn all(root: &Path) -> Result<Vec<Client>> {
    let text = fs::read_to_string(root.join(RUNNERS)).with_context(|| format!("cannot read {RUNNERS}"))?;
    let entries: BTreeMap<String, Entry> =
        serde_json::from_str(&text).with_context(|| format!("cannot read {RUNNERS}"))?;
    let client = |(name, entry): (String, Entry)| Client {
        name,
        folder: entry.folder,
        root: root.to_owned(),
        needs: entry.needs,
    };
    Ok(entries.into_iter().map(client).filter(|client| client.script("check").is_file()).collect())
}

/// The clients whose toolchain is here, and of the others what is missing. Under CI nothing may be.
pub fn present(root: &Path) -> Result<(Vec<Client>, Vec<String>)> {
    let (mut present, mut absent) = (Vec::new(), Vec::new());
    for client in all(root)? {
        match client.needs.iter().find(|program| process::find(root, program).is_none()) {
            None => present.push(client),
            Some(program) => absent.push(format!("{}: `{program}` isn't on PATH", client.name)),
        }
    }
    if process::is_ci() && !absent.is_empty() {
        bail!("a toolchain is missing: {}", absent.join(", "));
    }
    Ok((present, absent))
}

/// Runs one script of each client that is [`present`], all of them whatever fails, and says which weren't run.
pub fn run_each(root: &Path, script: &str, with: impl Fn(&mut Command)) -> Result<Vec<String>> {
    let (present, absent) = present(root)?;
    let mut failed = Vec::new();
    for client in present {
        println!("── {}/{script}", client.folder);
        let mut command = client.command(script);
        with(&mut command);
        if let Err(error) = process::run(&mut command) {
            println!("── {}/{script}: FAILED: {error:#}", client.folder);
            failed.push(client.name);
        }
    }
    if !failed.is_empty() {
        bail!("{script} failed in {}", failed.join(", "));
    }
    Ok(absent)
}

impl Client {
    /// One of its scripts, to be run.
    pub fn command(&self, script: &str) -> Command {
        let mut command = Command::new(self.script(script));
        command.current_dir(self.root.join(&self.folder));
        command
    }

    /// Where its generated code lies, and nothing else, from the root.
    pub fn generated(&self) -> Result<String> {
        let path = self.root.join(&self.folder).join(".gitattributes");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let folder = text.lines().find_map(|line| line.strip_suffix(GENERATED));
        let folder = folder.with_context(|| format!("{} names no folder of generated code", path.display()))?;
        Ok(format!("{}/{folder}", self.folder))
    }

    fn script(&self, name: &str) -> PathBuf {
        self.root.join(&self.folder).join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace_root;

    #[test]
    fn every_client_has_its_scripts_and_a_folder_of_generated_code() {
        let clients = all(workspace_root()).expect("the clients are listed");
        assert!(clients.len() >= 4, "{clients:?}");
        for client in clients {
            for script in ["check", "test", "generate"] {
                assert!(client.script(script).is_file(), "{} has no {script}", client.folder);
            }
            let generated = client.generated().expect("it is named");
            assert!(workspace_root().join(&generated).is_dir(), "{generated}");
        }
    }
}
