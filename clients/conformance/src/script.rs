//! The script: areas of cases, cases of steps. Owns its form, and refuses what isn't of it; does nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value};

use crate::failure::{At, Outcome};

/// All cases, in the order of their files' names and then as they were written.
pub(crate) struct Script {
    pub cases: Vec<Case>,
}

/// What a client is put through.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// The file's, set when it is read.
    #[serde(skip)]
    pub area: String,
    pub name: String,
    /// Flags of `serve` beside those of the harness. `$dir` in them is the case's folder.
    #[serde(default)]
    pub flags: Vec<String>,
    /// How the runner `main` comes to the server.
    #[serde(default)]
    pub via: Via,
    /// More runners, by name, and how they come to the server.
    #[serde(default)]
    pub others: BTreeMap<String, Via>,
    pub steps: Vec<Step>,
}

/// What is between a runner and the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Via {
    /// Nothing.
    #[default]
    Direct,
    /// A proxy of connections, which may cut and mute them.
    Link,
    /// A proxy of calls, which may end streams and answer calls itself.
    Gateway,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Call(Call),
    Await(Await),
    WaitFor(WaitFor),
    Count(Count),
    Server(ServerStep),
    Proxy(ProxyStep),
    Check(Check),
    Repeat(Repeat),
}

/// A command to a runner.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Call {
    /// The command.
    pub r#do: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    pub on: Option<String>,
    pub expect: Option<Value>,
    pub expect_error: Option<Value>,
    pub save: Option<Save>,
    /// Does it again until the answer is this; errors that may pass are waited out.
    pub until: Option<Value>,
    /// Does it again until the error is this.
    pub until_error: Option<Value>,
    /// Does it again as long as the error is one that may pass.
    #[serde(default)]
    pub retry: bool,
    /// Goes on at once; the answer is awaited under this name.
    pub background: Option<String>,
}

/// Under what name an answer is saved, or which of its parts under which.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Save {
    Whole(String),
    Parts(BTreeMap<String, String>),
}

/// The answer of a command that was left in the background.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Await {
    pub r#await: String,
    pub expect: Option<Value>,
    pub expect_error: Option<Value>,
    pub save: Option<Save>,
}

/// An event that is to come, or has, and that no step has waited for before.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WaitFor {
    pub wait_for: Value,
    pub on: Option<String>,
    pub save: Option<Save>,
}

/// How many such events have come in all, waited for or not.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Count {
    pub count: Value,
    pub is: Value,
    pub on: Option<String>,
}

/// Something that happens to the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ServerStep {
    pub server: ServerAction,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ServerAction {
    /// Starts it again at its address, on its store.
    Start,
    /// Ends it without a warning.
    Kill,
    /// Asks it to shut down, and goes on.
    Terminate,
    /// Waits for its end.
    Ended,
    /// Kill, and start.
    Restart,
    /// Lets nothing more be written to its event log, so that commits fail. Needs the flag `--event-log=$dir/events`.
    BreakEventLog,
    /// Lets it be written again.
    MendEventLog,
}

/// Something that what is between a runner and the server does.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ProxyStep {
    pub proxy: ProxyAction,
    /// With `endStreams`: the status, as gRPC numbers it.
    #[serde(default)]
    pub code: i32,
    /// With `answer`: the method, such as `GetBudget`, and what its calls are answered with.
    pub method: Option<String>,
    pub refusal: Option<Refusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ProxyAction {
    /// Link: resets all connections.
    Cut,
    /// Link: keeps all connections, and carries nothing more over them.
    Mute,
    /// Link: resets all connections and those to come.
    Refuse,
    /// Link: takes connections again.
    Pass,
    /// Gateway: ends all Dispatch streams with a status.
    EndStreams,
    /// Gateway: answers calls of a method with a refusal; without one, lets the server answer again.
    Answer,
    /// Gateway: waits until a call of a method was answered so.
    Answered,
}

/// A status with its details, as the server writes them.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Refusal {
    pub code: i32,
    #[serde(default)]
    pub message: String,
    pub reason: Option<String>,
    pub domain: Option<String>,
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub fields: Vec<String>,
    pub retry_after_ms: Option<u64>,
}

/// Something about what was saved.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Check {
    pub check: Value,
    pub expect: Value,
}

/// Steps that are done again and again.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Repeat {
    pub repeat: u32,
    pub steps: Vec<Step>,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fn read<T: DeserializeOwned, E: serde::de::Error>(step: Value) -> Result<T, E> {
            let words = step.to_string();
            serde_json::from_value(step).map_err(|error| E::custom(format!("{error} in {words}")))
        }
        let step = Value::deserialize(deserializer)?;
        let verbs = ["do", "await", "waitFor", "count", "server", "proxy", "check", "repeat"];
        let verb = verbs.into_iter().find(|verb| step.get(verb).is_some());
        Ok(match verb {
            Some("do") => Step::Call(read(step)?),
            Some("await") => Step::Await(read(step)?),
            Some("waitFor") => Step::WaitFor(read(step)?),
            Some("count") => Step::Count(read(step)?),
            Some("server") => Step::Server(read(step)?),
            Some("proxy") => Step::Proxy(read(step)?),
            Some("check") => Step::Check(read(step)?),
            Some("repeat") => Step::Repeat(read(step)?),
            _ => return Err(D::Error::custom(format!("a step is one of {}: {step}", verbs.join(", ")))),
        })
    }
}

impl Case {
    /// The name by which people call it.
    pub fn title(&self) -> String {
        format!("{}/{}", self.area, self.name)
    }
}

impl Script {
    /// Reads all files of a folder.
    pub fn load(folder: &Path) -> Outcome<Self> {
        let entries = fs::read_dir(folder).at(folder.display())?;
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        let mut cases = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).at(path.display())?;
            let area: Vec<Case> = serde_json::from_str(&text).at(path.display())?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            cases.extend(area.into_iter().map(|case| Case { area: name.to_string(), ..case }));
        }
        Ok(Self { cases })
    }

    /// The cases whose titles contain one of these; all where there is none.
    pub fn matching(mut self, parts: &[String]) -> Self {
        let is_meant = |case: &Case| parts.is_empty() || parts.iter().any(|part| case.title().contains(part));
        self.cases.retain(is_meant);
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn script() -> Script {
        Script::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("script")).unwrap()
    }

    fn commands(steps: &[Step], into: &mut BTreeSet<String>) {
        for step in steps {
            match step {
                Step::Call(call) => _ = into.insert(call.r#do.clone()),
                Step::Repeat(repeat) => commands(&repeat.steps, into),
                _ => {}
            }
        }
    }

    #[test]
    fn the_script_is_well_formed_and_its_titles_differ() {
        let script = script();
        let titles: BTreeSet<_> = script.cases.iter().map(Case::title).collect();
        assert_eq!(titles.len(), script.cases.len());
        assert!(script.cases.iter().all(|case| !case.steps.is_empty()));
    }

    #[test]
    fn every_command_of_the_protocol_is_in_the_script() {
        let mut met = BTreeSet::new();
        script().cases.iter().for_each(|case| commands(&case.steps, &mut met));
        let readme = include_str!("../README.md");
        let table = readme.split("## Commands").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
        let named = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(['`', ' ']).next());
        let named: BTreeSet<_> = named.map(str::to_owned).collect();
        assert_eq!(met, named);
    }

    #[test]
    fn every_reason_of_the_contract_is_in_the_script() {
        let proto = include_str!("../../../proto/sluicegate/v1/error_reason.proto");
        let reasons = proto.lines().filter_map(|line| line.trim().strip_prefix("ERROR_REASON_")?.split(' ').next());
        let errors = include_str!("../script/errors.json");
        let missing: Vec<_> =
            reasons.filter(|it| *it != "UNSPECIFIED" && !errors.contains(&format!("\"{it}\""))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn what_isnt_of_its_form_is_refused() {
        for step in [r#"{"what":1}"#, r#"{"do":"x","expects":1}"#, r#"{"server":"explode"}"#] {
            assert!(serde_json::from_str::<Step>(step).is_err(), "{step}");
        }
    }
}
