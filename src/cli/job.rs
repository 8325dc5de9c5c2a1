//! `job`: jobs as the server has them, and why one isn't being dispatched.

mod shown;

use std::time::SystemTime;

use clap::{Args, Subcommand};
use sluicegate_client::{JobFilter, JobState, JobView};

use super::connect::ServerArgs;
use super::json::{ExplanationJson, JobJson};
use super::output::{self, Output, OutputArgs, Rows};
use super::values;

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate job list --queue emails --state dead
  sluicegate job get JOB
  sluicegate job explain JOB                 why it isn't being dispatched, and until when
  sluicegate job count --budget smtp --state ready
  sluicegate job list --state dead --limit 0 --output json | jq -r .id

With --output json each job is one line: `Job` of the contract in protobuf's JSON mapping, and for explain \
`JobExplanation`.";

/// The largest page a server gives.
const PAGE_SIZE_MAX: u32 = 1000;

#[derive(Debug, Subcommand)]
pub(super) enum JobCommand {
    /// Shows a job in full
    Get {
        /// Its id
        id: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Shows jobs in the order of their enqueues
    List {
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
        #[command(flatten)]
        filter: Box<FilterArgs>,
    },
    /// Counts jobs, and prints the number
    Count {
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        filter: Box<FilterArgs>,
    },
    /// Says why a job isn't being dispatched
    Explain {
        /// Its id
        id: String,
        #[command(flatten)]
        server: ServerArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
}

/// Which jobs: those that meet all that is named; of a flag named several times, any.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Which jobs")]
pub(super) struct FilterArgs {
    /// With this id, or one named before
    #[arg(long = "id", value_name = "JOB", value_delimiter = ',')]
    ids: Vec<String>,
    /// In this queue, or one named before
    #[arg(long = "queue", value_name = "QUEUE", value_delimiter = ',')]
    queues: Vec<String>,
    /// Of this type, or one named before
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<String>,
    /// In this state, or one named before: scheduled, ready, in_flight, completed, dead, cancelled
    #[arg(long = "state", value_name = "STATE", value_delimiter = ',')]
    states: Vec<JobState>,
    /// Bound to this budget, or one named before
    #[arg(long = "budget", value_name = "KEY", value_delimiter = ',')]
    budgets: Vec<String>,
    /// Of this priority or less urgent: 0 is the most urgent, 65535 the least
    #[arg(long, value_name = "N")]
    priority_min: Option<u16>,
    /// Of this priority or more urgent
    #[arg(long, value_name = "N")]
    priority_max: Option<u16>,
    /// Enqueued at or after this instant, such as 2030-01-31T12:00:00Z
    #[arg(long, value_name = "INSTANT", value_parser = values::instant)]
    created_from: Option<SystemTime>,
    /// Enqueued before this instant
    #[arg(long, value_name = "INSTANT", value_parser = values::instant)]
    created_until: Option<SystemTime>,
    /// Ready at or after this instant
    #[arg(long, value_name = "INSTANT", value_parser = values::instant)]
    run_from: Option<SystemTime>,
    /// Ready before this instant
    #[arg(long, value_name = "INSTANT", value_parser = values::instant)]
    run_until: Option<SystemTime>,
}

impl FilterArgs {
    fn filter(self) -> JobFilter {
        let mut filter = JobFilter::new();
        if !self.ids.is_empty() {
            filter = filter.ids(self.ids);
        }
        filter = self.queues.into_iter().fold(filter, JobFilter::queue);
        filter = self.types.into_iter().fold(filter, JobFilter::job_type);
        filter = self.states.into_iter().fold(filter, JobFilter::state);
        filter = self.budgets.into_iter().fold(filter, JobFilter::budget);
        filter = self.priority_min.into_iter().fold(filter, JobFilter::priority_min);
        filter = self.priority_max.into_iter().fold(filter, JobFilter::priority_max);
        filter = self.created_from.into_iter().fold(filter, JobFilter::created_from);
        filter = self.created_until.into_iter().fold(filter, JobFilter::created_until);
        filter = self.run_from.into_iter().fold(filter, JobFilter::run_from);
        self.run_until.into_iter().fold(filter, JobFilter::run_until)
    }
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
        }
        JobCommand::List { filter, limit, full, server, output } => {
            let view = match (full, output.output) {
                (false, _) => JobView::Basic,
                (true, Output::Json) => JobView::Full,
                (true, Output::Table) => {
                    return Err(super::usage("--full needs --output json: a table has no room for it"));
                }
            };
            list(filter.filter(), limit, view, &server, output.output).await?;
        }
        JobCommand::Count { filter, server } => {
            output::line(server.connect().await?.count_jobs(filter.filter()).await?)?;
        }
        JobCommand::Explain { id, server, output } => {
            let explanation = server.connect().await?.explain_job(id).await?;
            match output.output {
                Output::Json => output::json(&ExplanationJson::from(explanation))?,
                Output::Table => shown::explain(&explanation)?,
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: FilterArgs,
    }

    fn filter(flags: &str) -> JobFilter {
        let line = format!("x {flags}");
        Line::try_parse_from(line.split_whitespace()).expect("valid flags").args.filter()
    }

    #[test]
    fn flags_make_a_filter() {
        assert_eq!(filter(""), JobFilter::new());
        let expected = JobFilter::new()
            .ids(["j1", "j2"])
            .queue("a")
            .queue("b")
            .job_type("t")
            .state(JobState::InFlight)
            .state(JobState::Dead)
            .budget("tenant:7")
            .priority_min(1)
            .priority_max(2)
            .run_until(SystemTime::UNIX_EPOCH);
        let flags = "--id j1,j2 --queue a --queue b --type t --state in_flight,dead --budget tenant:7 \
                     --priority-min 1 --priority-max 2 --run-until 1970-01-01T00:00:00Z";
        assert_eq!(filter(flags), expected);
        assert!(Line::try_parse_from(["x", "--state", "parked"]).is_err());
    }
}
