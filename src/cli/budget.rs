//! `budget`: the limits, as an operator sets and sees them.

use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use sluicegate_client::{Budget, BudgetStatus, DeleteOptions, ReplaceOptions};

use super::connect::ServerArgs;
use super::json::BudgetJson;
use super::output::{self, Column, Facts, Output, OutputArgs, Rows};
use super::policy::{PatchArgs, PolicyArgs, Terms};
use super::usage;
use super::values::{self, When, relative};

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate budget create db --allocation 5                         at most 5 tokens in flight
  sluicegate budget create smtp --allocation 100 --per 1m            100 tokens a minute
  sluicegate budget create api --allocation 50 --per 1s --burst 8    50 a second, 8 at once
  sluicegate budget update api --burst 4                             changes the burst alone
  sluicegate budget list
  sluicegate budget get smtp --output json | jq -r .status.available
  sluicegate budget block smtp --for 10m                             dispatches nothing meanwhile
  sluicegate budget unblock smtp
  sluicegate budget adjust smtp --level 0                            empties the pool

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
    /// Lets a budget dispatch nothing for a while, or until it is unblocked
    #[command(after_help = BLOCK_HELP)]
    Block {
        /// Its name
        key: String,
        #[command(flatten)]
        block: BlockArgs,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Ends a block, and whatever workers reported as throttled
    #[command(after_help = UNBLOCK_HELP)]
    Unblock {
        /// Its name
        key: String,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Sets the level of a limit on the rate, to forgive a debt or to empty the pool
    #[command(after_help = ADJUST_HELP)]
    Adjust {
        /// Its name
        key: String,
        /// The level to set, in tokens: 0 to the capacity
        #[arg(long, value_name = "TOKENS")]
        level: u64,
        #[command(flatten)]
        common: CommonArgs,
    },
}

const BLOCK_HELP: &str = "\
Examples:
  sluicegate budget block smtp                                until it is unblocked
  sluicegate budget block smtp --for 10m
  sluicegate budget block smtp --until 2030-01-31T12:00:00Z

What is in flight goes on, and tokens go on dripping and coming back. Where it is blocked already, the later end holds.";

const UNBLOCK_HELP: &str = "\
Examples:
  sluicegate budget unblock smtp

A budget that isn't blocked is left as it is.";

const ADJUST_HELP: &str = "\
Examples:
  sluicegate budget adjust smtp --level 0         nothing but what drips from now on
  sluicegate budget adjust smtp --level 100       a full pool, where the capacity is 100

For budgets with --per alone. What was debited before is refunded nothing.";

/// The longest block that has an end, in days.
const BLOCK_DAYS_MAX: u64 = 366;

/// How long a budget is blocked; until it is unblocked where neither is there.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct BlockArgs {
    /// How long, from now; up to 366d [default: until it is unblocked]
    #[arg(long = "for", value_name = "DURATION", value_parser = values::duration, conflicts_with = "until")]
    duration: Option<Duration>,
    /// Until when, by this machine's clock: 2030-01-31T12:00:00Z or +5m; up to 366d from now
    #[arg(long, value_name = "INSTANT")]
    until: Option<When>,
}

impl BlockArgs {
    fn duration(self, now: SystemTime) -> anyhow::Result<Option<Duration>> {
        let (flag, duration) = match (self.duration, self.until) {
            (Some(duration), _) => ("--for", duration),
            (None, Some(until)) => match until.instant(now).duration_since(now) {
                Ok(duration) => ("--until", duration),
                Err(past) => return Err(usage(format!("--until: that was {} ago", values::short(past.duration())))),
            },
            (None, None) => return Ok(None),
        };
        if duration.is_zero() || duration > Duration::from_secs(BLOCK_DAYS_MAX * 86_400) {
            return Err(usage(format!("{flag}: more than 0s, and at most {BLOCK_DAYS_MAX}d from now")));
        }
        Ok(Some(duration))
    }
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
        BudgetCommand::Block { key, block, common } => {
            let duration = block.duration(SystemTime::now())?;
            show(common.server.connect().await?.block_budget(key, duration).await?, common.output)
        }
        BudgetCommand::Unblock { key, common } => {
            show(common.server.connect().await?.unblock_budget(key).await?, common.output)
        }
        BudgetCommand::Adjust { key, level, common } => {
            show(common.server.connect().await?.adjust_budget(key, level).await?, common.output)
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    #[test]
    fn a_block_ends_within_its_bounds() {
        let block = |duration, until| BlockArgs { duration, until }.duration(NOW).map_err(|error| error.to_string());
        let tick = Duration::from_nanos(1);
        let longest = Duration::from_secs(366 * 86_400);
        assert_eq!(block(None, None), Ok(None));
        assert_eq!(block(Some(tick), None), Ok(Some(tick)));
        assert_eq!(block(Some(longest), None), Ok(Some(longest)));
        assert_eq!(block(None, Some(When::At(NOW + longest))), Ok(Some(longest)));
        for wrong in [Duration::ZERO, longest + tick] {
            assert!(block(Some(wrong), None).expect_err("out of bounds").starts_with("--for: "));
            assert!(block(None, Some(When::Later(wrong))).expect_err("out of bounds").starts_with("--until: "));
        }
        let past = block(None, Some(When::Earlier(Duration::from_secs(60))));
        assert_eq!(past, Err("--until: that was 1m ago".to_owned()));
    }
}
