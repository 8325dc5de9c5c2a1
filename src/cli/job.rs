//! `job`: jobs as the server has them, why one isn't being dispatched, and changing them.

mod assignments;
mod bindings;
mod change;
mod explained;
mod help;
mod selection;
mod shown;

use std::time::SystemTime;

use clap::Subcommand;
use sluicegate_client::{CancelMode, Error, JobFilter, JobView};

use super::connect::ServerArgs;
use super::json::{ExplanationJson, JobJson};
use super::output::{self, Output, OutputArgs, Rows};
use super::usage;
use bindings::BindingCommand;
use change::{Change, ChangeArgs};
use selection::WhereArgs;

pub(super) use help::AFTER_HELP;

/// The largest page a server gives.
const PAGE_SIZE_MAX: u32 = 1000;

#[derive(Debug, Subcommand)]
pub(super) enum JobCommand {
    /// Shows a job in full
    #[command(after_help = help::GET)]
    Get {
        /// Its id
        id: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Shows jobs in the order of their enqueues
    #[command(after_help = help::LIST)]
    List {
        #[command(flatten)]
        selected: WhereArgs,
        /// The most jobs to show; 0 for all
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: u64,
        /// Shows payloads, metadata, errors and results as well. Needs --output json
        #[arg(long)]
        full: bool,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Counts jobs, and prints the number
    #[command(after_help = help::COUNT)]
    Count {
        #[command(flatten)]
        selected: WhereArgs,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Says why a job isn't being dispatched, and how its attempts failed
    #[command(after_help = help::EXPLAIN)]
    Explain {
        /// Its id
        id: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Cancels jobs: those that wait at once, those in flight by asking their workers
    #[command(after_help = help::CANCEL, override_usage = help::usage!("cancel"))]
    Cancel {
        #[command(flatten)]
        change: Box<ChangeArgs>,
        /// Ends the leases of those in flight and frees what they hold, though their handlers may still be at work
        #[arg(long)]
        force: bool,
    },
    /// Makes dead and cancelled jobs ready with their attempts reset, and those that wait for their backoff
    #[command(after_help = help::RETRY, override_usage = help::usage!("retry"))]
    Retry {
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Deletes jobs that aren't in flight, with their payloads and results
    #[command(after_help = help::DELETE, override_usage = help::usage!("delete"))]
    Delete {
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Changes scheduled and ready jobs: priority, run time, queue and more
    #[command(after_help = help::UPDATE, override_usage = help::usage!("update --set FIELD=VALUE…"))]
    Update {
        /// What to change, one field each: priority=5, run-time=+5m, …
        #[arg(long = "set", value_name = "FIELD=VALUE", required = true, long_help = assignments::LONG_HELP)]
        assignments: Vec<String>,
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    #[command(flatten)]
    Bindings(BindingCommand),
}

/// Does what the command says.
pub(super) async fn run(command: JobCommand) -> anyhow::Result<()> {
    match command {
        JobCommand::Get { id, server, output } => {
            let job = server.connect().await?.get_job(id).await?;
            match output.output {
                Output::Json => output::json(&JobJson::from(job))?,
                Output::Table => shown::facts(&job, SystemTime::now()).print()?,
            }
            Ok(())
        }
        JobCommand::List { selected, limit, full, server, output } => {
            let filter = selected.selection(SystemTime::now())?.filter();
            let view = match (full, output.output) {
                (false, _) => JobView::Basic,
                (true, Output::Json) => JobView::Full,
                (true, Output::Table) => return Err(usage("--full needs --output json: a table has no room for it")),
            };
            list(filter, limit, view, &server, output.output).await
        }
        JobCommand::Count { selected, server } => {
            let filter = selected.selection(SystemTime::now())?.filter();
            Ok(output::line(server.connect().await?.count_jobs(filter).await?)?)
        }
        JobCommand::Explain { id, server, output } => explain(id, &server, output.output).await,
        JobCommand::Cancel { change, force } => {
            let mode = if force { CancelMode::Force } else { CancelMode::Ask };
            change::run(Change::Cancel(mode), *change).await
        }
        JobCommand::Retry { change } => change::run(Change::Retry, *change).await,
        JobCommand::Delete { change } => change::run(Change::Delete, *change).await,
        JobCommand::Update { assignments, change } => {
            let patch = assignments::patch(&assignments, SystemTime::now());
            let patch = patch.map_err(|problem| usage(format!("--set: {problem}")))?;
            change::run(Change::Update(Box::new(patch)), *change).await
        }
        JobCommand::Bindings(command) => bindings::run(command).await,
    }
}

async fn explain(id: String, server: &ServerArgs, output: Output) -> anyhow::Result<()> {
    let client = server.connect().await?;
    let explanation = client.explain_job(id.as_str()).await?;
    if output == Output::Json {
        return Ok(output::json(&ExplanationJson::from(explanation))?);
    }
    let job = match client.get_job(id).await {
        // It may have ended, and been removed, in between.
        Err(Error::JobNotFound { .. }) => None,
        outcome => Some(outcome?),
    };
    for line in explained::lines(&explanation, job.as_ref()) {
        output::line(line)?;
    }
    Ok(())
}
/// Shows up to `limit` jobs, all for 0, and says whether there are more.
async fn list(filter: JobFilter, limit: u64, view: JobView, server: &ServerArgs, output: Output) -> anyhow::Result<()> {
    let client = server.connect().await?;
    // One more than is shown: it tells whether there are more.
    let page_size = match u32::try_from(limit) {
        Ok(0) | Err(_) => PAGE_SIZE_MAX,
        Ok(limit) => limit.saturating_add(1).min(PAGE_SIZE_MAX),
    };
    let mut jobs = client.list_jobs_in(filter, view, Some(page_size));
    let now = SystemTime::now();
    let mut rows = Rows::new(shown::COLUMNS);
    let mut shown = 0;
    let mut more = false;
    while let Some(job) = jobs.next().await {
        let job = job?;
        more = limit > 0 && shown == limit;
        if more {
            break;
        }
        match output {
            Output::Json => output::json(&JobJson::from(job))?,
            Output::Table => rows.add(shown::row(&job, now)),
        }
        shown += 1;
    }
    if output == Output::Table {
        rows.print("no jobs")?;
    }
    if more {
        eprintln!("there are more: --limit says how many are shown, 0 means all");
    }
    Ok(())
}
