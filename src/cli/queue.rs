//! `queue`: how deep the queues are, who serves them, and pausing them.

use clap::Subcommand;
use sluicegate_client::Queue;

use super::connect::ServerArgs;
use super::json::QueueJson;
use super::output::{self, Column, Output, OutputArgs, Rows};
use super::values::short;

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate queue list
  sluicegate queue list --output json | jq -r 'select(.workers == 0) | .name'
  sluicegate queue pause emails
  sluicegate queue resume emails

A queue exists as soon as a job names it. With --output json each queue is one line: `Queue` of the contract in \
protobuf's JSON mapping.";

#[derive(Debug, Subcommand)]
pub(super) enum QueueCommand {
    /// Shows the queues that have jobs or are paused
    List {
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Dispatches nothing from a queue until it is resumed
    #[command(after_help = PAUSE_HELP)]
    Pause {
        /// Its name; it needs no jobs yet
        name: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Dispatches from a queue again
    #[command(after_help = RESUME_HELP)]
    Resume {
        /// Its name
        name: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
}

const PAUSE_HELP: &str = "\
Examples:
  sluicegate queue pause emails

What is in flight goes on, and jobs may be enqueued. A queue that is paused already stays so.";

const RESUME_HELP: &str = "\
Examples:
  sluicegate queue resume emails

A queue that isn't paused is left as it is.";

/// Does what the command says.
pub(super) async fn run(command: QueueCommand) -> anyhow::Result<()> {
    match command {
        QueueCommand::List { server, output } => list(&server, output).await,
        QueueCommand::Pause { name, server, output } => show(server.connect().await?.pause_queue(name).await?, output),
        QueueCommand::Resume { name, server, output } => {
            show(server.connect().await?.resume_queue(name).await?, output)
        }
    }
}

fn show(queue: Queue, output: OutputArgs) -> anyhow::Result<()> {
    match output.output {
        Output::Json => output::json(&QueueJson::from(queue))?,
        Output::Table => {
            let mut rows = Rows::new(COLUMNS);
            rows.add(row(queue));
            rows.print("")?;
        }
    }
    Ok(())
}

async fn list(server: &ServerArgs, output: OutputArgs) -> anyhow::Result<()> {
    let mut queues = server.connect().await?.list_queues();
    let mut rows = Rows::new(COLUMNS);
    while let Some(queue) = queues.next().await {
        match output.output {
            Output::Json => output::json(&QueueJson::from(queue?))?,
            Output::Table => rows.add(row(queue?)),
        }
    }
    if output.output == Output::Table {
        rows.print("no queues")?;
    }
    Ok(())
}

const COLUMNS: &[Column] = &[
    Column::Left("QUEUE"),
    Column::Right("SCHEDULED"),
    Column::Right("READY"),
    Column::Right("IN FLIGHT"),
    Column::Right("COMPLETED"),
    Column::Right("DEAD"),
    Column::Right("CANCELLED"),
    Column::Right("OLDEST READY"),
    Column::Right("WORKERS"),
    Column::Left("STATE"),
];

fn row(queue: Queue) -> [String; COLUMNS.len()] {
    [
        queue.name,
        queue.scheduled.to_string(),
        queue.ready.to_string(),
        queue.in_flight.to_string(),
        queue.completed.to_string(),
        queue.dead.to_string(),
        queue.cancelled.to_string(),
        queue.oldest_ready_age.map(|age| short(age).to_string()).unwrap_or_default(),
        queue.workers.to_string(),
        if queue.paused { "paused".to_owned() } else { String::new() },
    ]
}
