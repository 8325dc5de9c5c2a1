//! The command line: a server, a worker, and everything an operator does by hand.
//!
//! Owns the commands, what they print and with which code they exit. Every command but `serve` and `demo` is a client like any
//! other: it knows the Rust client, never the server's inside.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | done |
//! | 1 | it didn't work, or not wholly: the reason is on standard error |
//! | 2 | the command line or an environment variable is wrong: nothing was done |

mod budget;
mod confirm;
mod connect;
mod demo;
mod enqueue;
mod environment;
mod host;
mod job;
mod json;
mod output;
mod policy;
mod queue;
mod serve;
mod signals;
mod values;
mod work;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::{ConfigError, ServeArgs};
use crate::telemetry::{self, FilterError, LogArgs};

const AFTER_HELP: &str = "\
Examples:
  sluicegate demo                                        see limits at work, with nothing to set up
  sluicegate serve                                       a durable server on 127.0.0.1:7654
  sluicegate budget create smtp --allocation 100 --per 1m
  sluicegate enqueue --queue emails --budget smtp --json '{\"to\": \"ada@example.com\"}'
  sluicegate work --queue emails --window 8 -- ./send-mail {to}
  sluicegate queue list
  sluicegate job explain JOB
  sluicegate job retry --where 'queue=emails state=dead'

Every flag can be set by an environment variable as well: SLUICEGATE_ and the flag's name, as the help of each shows.

Exit codes: 0 done; 1 it didn't work, or not wholly; 2 the command line is wrong, and nothing was done.";

/// A job server that holds the limits itself: a job is dispatched the moment every budget it presses on can pay
#[derive(Debug, Parser)]
#[command(name = "sluicegate", version, propagate_version = true, after_help = AFTER_HELP, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    logs: LogArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the server
    #[command(after_help = serve::AFTER_HELP)]
    Serve(ServeArgs),
    /// Enqueues one job from flags, or many from JSON lines
    #[command(after_help = enqueue::AFTER_HELP)]
    Enqueue(Box<enqueue::EnqueueArgs>),
    /// Works jobs off: runs a program for each
    #[command(after_help = work::AFTER_HELP)]
    Work(work::WorkArgs),
    /// Creates, changes, blocks, shows and deletes budgets
    #[command(subcommand, after_help = budget::AFTER_HELP)]
    Budget(budget::BudgetCommand),
    /// Shows jobs, says why one isn't being dispatched, and changes, cancels, retries and deletes them
    #[command(subcommand, after_help = job::AFTER_HELP)]
    Job(job::JobCommand),
    /// Shows queues, pauses and resumes them
    #[command(subcommand, after_help = queue::AFTER_HELP)]
    Queue(queue::QueueCommand),
    /// Shows two budgets at work on some hundred jobs, with a server of its own that is gone afterwards
    #[command(after_help = demo::AFTER_HELP)]
    Demo(demo::DemoArgs),
}

/// A command line that can't be meant: it contradicts itself. Exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// Makes a [`UsageError`] of what is wrong, and of what would be right.
fn usage(problem: impl Into<String>) -> anyhow::Error {
    UsageError(problem.into()).into()
}

/// Reads the process's command line and does what it says.
pub fn main() -> ExitCode {
    let matches = command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command()).exit());
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

/// The command line with the environment variables of its flags.
fn command() -> clap::Command {
    environment::name_flags(Cli::command())
}

impl Cli {
    fn run(self) -> anyhow::Result<()> {
        let filter = if matches!(self.command, Command::Serve(_)) { "info" } else { "warn" };
        telemetry::start(&self.logs, filter)?;
        match self.command {
            Command::Serve(args) => serve::run(args),
            Command::Enqueue(args) => block_on(enqueue::run(*args)),
            Command::Work(args) => block_on(work::run(args)),
            Command::Budget(command) => block_on(budget::run(command)),
            Command::Job(command) => block_on(job::run(command)),
            Command::Queue(command) => block_on(queue::run(command)),
            Command::Demo(args) => demo::run(args),
        }
    }
}

/// Does one command on a runtime of its own.
fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(work);
    // A thread that is blocked reading a terminal would keep the runtime, and the process, from ending.
    runtime.shutdown_background();
    outcome
}

/// Says what went wrong, and which exit code that is.
fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // Whoever reads the output has seen enough, as `head` does.
        return ExitCode::SUCCESS;
    }
    eprintln!("{}", explained(error));
    let is_usage = error.is::<UsageError>() || error.is::<ConfigError>() || error.is::<FilterError>();
    ExitCode::from(if is_usage { 2 } else { 1 })
}

/// The error and its causes, but for those whose words stand there already.
fn explained(error: &anyhow::Error) -> String {
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text += &format!("\n  caused by: {cause}");
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_command_teaches_by_example() {
        for subcommand in command().get_subcommands() {
            let help = subcommand.get_after_help().expect("help that teaches").to_string();
            assert!(help.contains(&format!("sluicegate {}", subcommand.get_name())), "{}", subcommand.get_name());
            assert_fits(&help);
        }
        for subcommand in command().find_subcommand("job").expect("it is there").get_subcommands() {
            let help = subcommand.get_after_help().expect("help that teaches").to_string();
            assert!(help.contains(&format!("sluicegate job {} ", subcommand.get_name())), "{}", subcommand.get_name());
            assert_fits(&help);
            for flag in subcommand.get_arguments().filter_map(clap::Arg::get_long_help) {
                // It is indented by ten columns.
                assert_fits(&flag.to_string().replace("\n  ", "\n            "));
            }
        }
    }

    /// Prose is wrapped when it is shown; what is set in columns has to fit.
    fn assert_fits(help: &str) {
        let too_wide = help.lines().find(|line| line.starts_with(' ') && line.chars().count() > 98);
        assert_eq!(too_wide, None);
    }

    #[test]
    fn a_cause_is_named_once() {
        let error = anyhow::anyhow!("refused").context("connecting: refused").context("no server");
        assert_eq!(explained(&error), "error: no server\n  caused by: connecting: refused");
    }

    #[test]
    fn wrong_usage_has_its_own_exit_code() {
        let code = |error| format!("{:?}", report(&error));
        assert_eq!(code(usage("no")), format!("{:?}", ExitCode::from(2)));
        assert_eq!(code(anyhow::anyhow!("no")), format!("{:?}", ExitCode::from(1)));
        let pipe = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(code(pipe.into()), format!("{:?}", ExitCode::SUCCESS));
    }
}
