//! The conformance harness: one script of behaviour, as data, against every client and a real server.
//!
//! `README.md` beside this crate describes the script's format and the runners' protocol.
//!
//! | part | owns |
//! | --- | --- |
//! | `script`, `value`, `matching` | the script: its form, what its values stand for, what an expectation matches |
//! | `languages`, `runner`, `events` | the clients: how they are built and started, commands, answers, events |
//! | `server`, `link`, `gateway` | a server process, and what can be put between it and a client |
//! | `stage`, `steps` | one case: who takes part in it, and the steps it goes through |
//! | `suite`, `table` | all cases with all languages, and the table of them |
//! | `quickstart` | what each client's README says to do first, done |
//! | `together`, `endpoint` | workers of all languages at once, counted by what their handlers call |

mod endpoint;
mod events;
mod failure;
mod gateway;
mod languages;
mod link;
mod matching;
mod quickstart;
mod runner;
mod script;
mod server;
mod stage;
mod steps;
mod suite;
mod table;
mod together;
mod value;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use failure::Outcome;
use languages::Language;
use script::Script;

/// Runs the conformance script against the clients
#[derive(Parser)]
struct Arguments {
    /// Only this language; may be said more than once
    #[arg(long, value_name = "NAME")]
    language: Vec<String>,

    /// Only cases whose `area/name` contains this; may be said more than once
    #[arg(long, value_name = "TEXT")]
    case: Vec<String>,

    /// Names the cases, and runs none
    #[arg(long)]
    list: bool,

    /// Lets a worker of each language work at once on one budget, without faults and with the server killed, in place of the
    /// cases
    #[arg(long)]
    together: bool,

    /// Does what each client's README says to do first, in an empty folder, in place of the cases
    #[arg(long, conflicts_with = "together")]
    quickstart: bool,

    /// How many cases run at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,

    /// The repository
    #[arg(long, value_name = "DIR", default_value = env!("CARGO_MANIFEST_DIR"), hide = true)]
    folder: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("conformance: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is as it should be.
async fn run(arguments: Arguments) -> Outcome<bool> {
    let script = Script::load(&arguments.folder.join("script"))?.matching(&arguments.case);
    if arguments.list {
        script.cases.iter().for_each(|case| println!("{}", case.title()));
        return Ok(true);
    }
    if script.cases.is_empty() {
        return Err("no case has such a name".into());
    }
    let languages = languages::load(&arguments.folder, &arguments.language)?;
    let is_ci = std::env::var_os("CI").is_some_and(|ci| !ci.is_empty());
    let (ready, absent) = ready(languages, is_ci);
    let is_complete = absent.iter().all(|absent| absent.why == SKIPPED);
    if arguments.together {
        return Ok(together::run(&ready).await? && is_complete);
    }
    if arguments.quickstart {
        return Ok(quickstart::run(&ready).await && is_complete);
    }
    let results = suite::run(&script, &ready, usize::from(arguments.jobs)).await;
    table::print(&script, &ready, &absent, &results);
    Ok(is_complete && results.values().all(Result::is_ok))
}

/// A language that takes no part.
struct Absent {
    name: String,
    /// In the table's words.
    why: &'static str,
}

/// Of a language whose toolchain isn't here, where that is no failure.
const SKIPPED: &str = "skipped";

/// The languages that are built, and those that aren't. A toolchain that isn't here is a skip, which CI doesn't take.
fn ready(languages: Vec<Language>, is_ci: bool) -> (Vec<Language>, Vec<Absent>) {
    let (mut ready, mut absent) = (Vec::new(), Vec::new());
    for language in languages {
        let name = language.name.clone();
        if let Some(tool) = language.missing() {
            let why = if is_ci { "MISSING" } else { SKIPPED };
            eprintln!("{name}: {why}: `{tool}` isn't on this machine");
            absent.push(Absent { name, why });
            continue;
        }
        match language.build() {
            Ok(()) => ready.push(language),
            Err(failure) => {
                eprintln!("{name}: {failure}");
                absent.push(Absent { name, why: "NOT BUILT" });
            }
        }
    }
    (ready, absent)
}
