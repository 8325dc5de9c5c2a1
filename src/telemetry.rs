//! Logs: who hears them and in which form, and the names under which things are said.
//!
//! Owns the subscriber. Refuses to carry what a job carries: payloads, results and metadata are in no event and no span.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal};
use std::panic::{self, PanicHookInfo};
use std::thread;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

/// The target of what happens to single jobs: one line an event, at debug.
pub const JOB_TARGET: &str = "sluicegate::job";

/// The span of one call, which knows its method and nothing of what it carries.
pub const RPC_SPAN: &str = "rpc";

/// The flags that say what is logged, and how.
#[derive(Args, Clone, Debug)]
pub struct LogArgs {
    /// What is logged: error, warn, info, debug or trace, also by target, such as info,sluicegate::job=debug for a line per job
    /// event [default: info for serve, else warn]
    #[arg(long, value_name = "FILTER", global = true, help_heading = "Logs")]
    pub log: Option<String>,

    /// How it is written to standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Human, global = true, help_heading = "Logs")]
    pub log_format: LogFormat,
}

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// A line for people, coloured on a terminal
    Human,
    /// A JSON object a line
    Json,
}

/// A filter that isn't one.
#[derive(Debug, thiserror::Error)]
#[error("--log {filter}: {problem}; a filter is, say, info or info,sluicegate::job=debug")]
pub struct FilterError {
    filter: String,
    problem: String,
}

/// Starts logging, to standard error, for the rest of the process. `default` is the filter where the flags have none.
///
/// # Errors
/// [`FilterError`] where the filter can't be read.
pub fn start(args: &LogArgs, default: &str) -> Result<(), FilterError> {
    let filter = filter(args.log.as_deref().unwrap_or(default))?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    // Only a test harness has started logging before, and then it is to stay as it is.
    let _ = match args.log_format {
        LogFormat::Human => subscriber.with_ansi(io::stderr().is_terminal()).finish().try_init(),
        LogFormat::Json => subscriber.json().flatten_event(true).finish().try_init(),
    };
    log_panics();
    Ok(())
}

/// Makes panics events like others: some are caught and handled, and all of them are to be found where everything else is.
fn log_panics() {
    let unlogged = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if tracing::enabled!(tracing::Level::ERROR) {
            log_panic(info);
        } else {
            unlogged(info);
        }
    }));
}

fn log_panic(info: &PanicHookInfo<'_>) {
    let words = info.payload_as_str().unwrap_or("it said nothing");
    let location = info.location().map(ToString::to_string);
    tracing::error!(location, thread = thread::current().name(), "panicked: {words}");
    // Captured only where RUST_BACKTRACE asks for it.
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        tracing::error!("{backtrace}");
    }
}

fn filter(text: &str) -> Result<EnvFilter, FilterError> {
    EnvFilter::builder()
        .parse(text)
        .map_err(|error| FilterError { filter: text.to_owned(), problem: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_levels_and_targets() {
        for good in ["info", "warn,h2=error", &format!("{JOB_TARGET}=debug"), "off"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        let error = filter("info,sluicegate=loud").expect_err("loud is no level");
        assert!(error.to_string().contains("sluicegate=loud"), "{error}");
    }
}
