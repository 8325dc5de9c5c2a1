//! `budget`: the limits, as an operator sets and sees them.

use std::time::SystemTime;

use clap::{Args, Subcommand};
use sluicegate_client::{Budget, BudgetStatus, DeleteOptions, ReplaceOptions};

use super::connect::ServerArgs;
use super::json::BudgetJson;
use super::output::{self, Column, Facts, Output, OutputArgs, Rows};
use super::policy::{PatchArgs, PolicyArgs, Terms};
use super::values::relative;

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate budget create db --allocation 5                         at most 5 tokens in flight
  sluicegate budget create smtp --allocation 100 --per 1m            100 tokens a minute
  sluicegate budget create api --allocation 50 --per 1s --burst 8    50 a second, 8 at once
  sluicegate budget update api --burst 4                             changes the burst alone
  sluicegate budget list
  sluicegate budget get smtp --output json | jq -r .status.available

A change takes effect at once: raising a limit wakes the jobs that wait for it, lowering it ends nothing that \
is in flight.

With --output json each budget is one line: `Budget` of the contract in protobuf's JSON mapping.";

#[derive(Debug, Subcommand)]
pub(super) enum BudgetCommand {
    /// Creates a budget; one with --per starts full. Fails, and changes nothing, if it exists
    Create {
        /// Its name: 1 to 128 of A-Z a-z 0-9 . _ : / @ -
        key: String,
        #[command(flatten)]
        policy: PolicyArgs,
        /// Is content if the budget exists, and leaves its policy as it is
        #[arg(long)]
        if_missing: bool,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Overwrites the whole policy of a budget
    Replace {
        /// Its name
        key: String,
        #[command(flatten)]
        policy: PolicyArgs,
        /// Creates the budget if it doesn't exist
        #[arg(long)]
        allow_missing: bool,
        #[command(flatten)]
        etag: EtagArgs,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Changes what is named of a budget's policy, and leaves the rest
    Update {
        /// Its name
        key: String,
        #[command(flatten)]
        patch: PatchArgs,
        #[command(flatten)]
        etag: EtagArgs,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Shows a budget and what it is doing
    Get {
        /// Its name
        key: String,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Shows all budgets
    List {
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Deletes a budget. Fails while unfinished jobs are bound to it
    Delete {
        /// Its name
        key: String,
        /// Is content if there is no such budget
        #[arg(long)]
        allow_missing: bool,
        #[command(flatten)]
        etag: EtagArgs,
        #[command(flatten)]
        server: ServerArgs,
    },
}

#[derive(Args, Clone, Debug)]
pub(super) struct CommonArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Args, Clone, Debug)]
pub(super) struct EtagArgs {
    /// Only if the policy still is the one with this etag, as get and list show it
    #[arg(long)]
    etag: Option<String>,
}

/// Does what the command says, and shows the budget as it then is.
pub(super) async fn run(command: BudgetCommand) -> anyhow::Result<()> {
    match command {
        BudgetCommand::Create { key, policy, if_missing, common } => {
            let policy = policy.policy()?;
            let client = common.server.connect().await?;
            let budget = match client.create_budget(key.as_str(), policy).await {
                Err(sluicegate_client::Error::BudgetAlreadyExists { .. }) if if_missing => {
                    client.get_budget(key).await?
                }
                outcome => outcome?,
            };
            show(budget, common.output)
        }
        BudgetCommand::Replace { key, policy, allow_missing, etag, common } => {
            let policy = policy.policy()?;
            let options = ReplaceOptions { allow_missing, etag: etag.etag };
            show(common.server.connect().await?.replace_budget(key, policy, options).await?, common.output)
        }
        BudgetCommand::Update { key, patch, etag, common } => {
            let patch = patch.patch()?;
            let client = common.server.connect().await?;
            show(client.update_budget(key, patch, etag.etag.as_deref()).await?, common.output)
        }
        BudgetCommand::Get { key, common } => {
            show(common.server.connect().await?.get_budget(key).await?, common.output)
        }
        BudgetCommand::List { common } => list(common).await,
        BudgetCommand::Delete { key, allow_missing, etag, server } => {
            let options = DeleteOptions { allow_missing, etag: etag.etag };
            Ok(server.connect().await?.delete_budget(key, options).await?)
        }
    }
}

async fn list(CommonArgs { server, output }: CommonArgs) -> anyhow::Result<()> {
    let mut budgets = server.connect().await?.list_budgets();
    let now = SystemTime::now();
    let mut rows = Rows::new(COLUMNS);
    while let Some(budget) = budgets.next().await {
        match output.output {
            Output::Json => output::json(&BudgetJson::from(budget?))?,
            Output::Table => rows.add(row(&budget?, now)),
        }
    }
    if output.output == Output::Table {
        rows.print("no budgets")?;
    }
    Ok(())
}

const COLUMNS: &[Column] = &[
    Column::Left("BUDGET"),
    Column::Left("TERMS"),
    Column::Right("AVAILABLE"),
    Column::Right("OF"),
    Column::Right("IN FLIGHT"),
    Column::Right("PARKED"),
    Column::Right("BOUND"),
    Column::Left("NEXT TOKEN"),
    Column::Left("BLOCKED"),
];

fn row(budget: &Budget, now: SystemTime) -> [String; COLUMNS.len()] {
    let status = &budget.status;
    [
        budget.key.clone(),
        terms(budget),
        status.available.to_string(),
        status.capacity.to_string(),
        status.in_flight_cost.to_string(),
        status.parked_jobs.to_string(),
        status.bound_jobs.to_string(),
        status.next_token_time.map(|time| relative(time, now)).unwrap_or_default(),
        blocked(status, now),
    ]
}

fn show(budget: Budget, output: OutputArgs) -> anyhow::Result<()> {
    match output.output {
        Output::Json => output::json(&BudgetJson::from(budget))?,
        Output::Table => facts(&budget, SystemTime::now()).print()?,
    }
    Ok(())
}

fn facts(budget: &Budget, now: SystemTime) -> Facts {
    let status = &budget.status;
    let mut facts = Facts::default();
    facts.add("budget", &budget.key);
    facts.add("terms", terms(budget));
    facts.add("available", format_args!("{} of {} tokens", status.available, status.capacity));
    facts.add_if("next token", status.next_token_time.map(|time| relative(time, now)));
    facts.add_if("blocked", Some(blocked(status, now)).filter(|text| !text.is_empty()));
    facts.add("in flight", format_args!("{} tokens, {} jobs", status.in_flight_cost, status.in_flight_jobs));
    facts.add("parked", format_args!("{} jobs", status.parked_jobs));
    facts.add("bound", format_args!("{} unfinished jobs", status.bound_jobs));
    facts.add_if("created", budget.create_time.map(|time| relative(time, now)));
    facts.add_if("changed", budget.update_time.map(|time| relative(time, now)));
    facts.add("etag", &budget.etag);
    facts
}

fn terms(budget: &Budget) -> String {
    budget
        .policy
        .map_or_else(|| "a strategy that this program doesn't know".to_owned(), |policy| Terms(policy).to_string())
}

fn blocked(status: &BudgetStatus, now: SystemTime) -> String {
    match (status.blocked, status.blocked_until) {
        (false, _) => String::new(),
        (true, Some(until)) => format!("ends {}", relative(until, now)),
        (true, None) => "until unblocked".to_owned(),
    }
}
