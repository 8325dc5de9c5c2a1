//! Changing jobs: those named by id, or all that `--where` selects, the latter after a look at what would change and a question.
//!
//! Owns who is asked what, and how the outcome is told. What a change does is the server's.

use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

use anyhow::{Context, bail};
use clap::{ArgGroup, Args};
use sluicegate_client::{Apply, BindingOperation, CancelMode, Changed, Client, JobFilter, JobPatch, JobState, JobView};

use super::PAGE_SIZE_MAX;
use super::selection::{IDS_MAX, Selection, WhereArgs};
use crate::cli::confirm;
use crate::cli::connect::ServerArgs;
use crate::cli::json::ChangedJson;
use crate::cli::output::{self, Output, OutputArgs};
use crate::cli::usage;

/// How many ids a question or an error names.
const IDS_SHOWN_MAX: usize = 10;

/// Which jobs to change, and how surely.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("jobs").args(["ids", "conditions"]).required(true))]
pub(in crate::cli) struct ChangeArgs {
    /// The jobs, by their ids
    #[arg(value_name = "JOB")]
    pub ids: Vec<String>,
    #[command(flatten)]
    selected: WhereArgs,
    /// Says what would change, and changes nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Doesn't ask before it changes what --where selects
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What is done to jobs.
pub(super) enum Change {
    Cancel(CancelMode),
    Retry,
    Delete,
    Update(Box<JobPatch>),
    Bindings(BindingOperation),
}

impl Change {
    async fn call(&self, client: &Client, filter: JobFilter, apply: Apply) -> sluicegate_client::Result<Changed> {
        match self {
            Change::Cancel(mode) => client.cancel_jobs(filter, *mode, apply).await,
            Change::Retry => client.retry_jobs(filter, apply).await,
            Change::Delete => client.delete_jobs(filter, apply).await,
            Change::Update(patch) => client.update_jobs(filter, JobPatch::clone(patch), apply).await,
            Change::Bindings(operation) => client.modify_bindings_of(filter, operation.clone(), apply).await,
        }
    }

    /// What becomes of a job.
    fn done(&self) -> &'static str {
        match self {
            Change::Cancel(_) => "cancelled",
            Change::Retry => "retried",
            Change::Delete => "deleted",
            Change::Update(_) | Change::Bindings(_) => "changed",
        }
    }

    /// Why jobs are blocked.
    fn blocked(&self) -> &'static str {
        match self {
            Change::Cancel(_) => "in flight until the worker settles or the lease expires; --force doesn't wait",
            Change::Retry => "another job holds the unique key by now",
            Change::Delete | Change::Update(_) | Change::Bindings(_) => "in flight",
        }
    }
}

/// The jobs that are meant.
enum Target {
    Named(Vec<String>),
    Selected(Selection),
}

impl ChangeArgs {
    fn apply(&self) -> Apply {
        if self.dry_run { Apply::ValidateOnly } else { Apply::Commit }
    }

    fn target(&self) -> anyhow::Result<Target> {
        if !self.ids.is_empty() {
            if self.ids.len() > IDS_MAX {
                return Err(usage(format!("{} jobs are named; {IDS_MAX} is the most", self.ids.len())));
            }
            return Ok(Target::Named(self.ids.clone()));
        }
        let selection = self.selected.selection(SystemTime::now())?;
        if selection.is_unconditional() {
            return Err(usage("--where: names no condition; all selects every job"));
        }
        Ok(Target::Selected(selection))
    }
}

/// Changes jobs, and says what became of it. Fails if some couldn't be changed, or don't exist.
pub(super) async fn run(change: Change, args: ChangeArgs) -> anyhow::Result<()> {
    match args.target()? {
        Target::Named(ids) => change_named(&change, &ids, &args).await,
        Target::Selected(selection) => change_selected(&change, &selection, &args).await,
    }
}

async fn change_named(change: &Change, ids: &[String], args: &ChangeArgs) -> anyhow::Result<()> {
    let client = args.server.connect().await?;
    let named = Named::look(&client, ids).await?;
    let changed = call(change, &client, JobFilter::new().ids(ids), args.apply()).await?;
    if changed == Changed::default() && !named.states.is_empty() {
        eprintln!("nothing to do: {}", named.summary());
    }
    report(change, &changed, &named.missing, args)
}

async fn change_selected(change: &Change, selection: &Selection, args: &ChangeArgs) -> anyhow::Result<()> {
    let asks = !args.yes && !args.dry_run;
    if asks && !confirm::somebody_is_there() {
        return Err(usage(
            "--where asks before it changes anything, and there is no terminal to ask on: --yes doesn't ask, \
             --dry-run says what would change",
        ));
    }
    let client = args.server.connect().await?;
    if asks {
        let preview = call(change, &client, selection.filter(), Apply::ValidateOnly).await?;
        if preview.changed == 0 {
            return report(change, &preview, &[], args);
        }
        if !confirm::ask(&question(change, &preview, selection)).await? {
            bail!("nothing was changed");
        }
    }
    let changed = call(change, &client, selection.filter(), args.apply()).await?;
    report(change, &changed, &[], args)
}

async fn call(change: &Change, client: &Client, filter: JobFilter, apply: Apply) -> anyhow::Result<Changed> {
    let what = if apply == Apply::Commit { "changing jobs" } else { "looking at jobs" };
    match confirm::patiently(what, change.call(client, filter, apply)).await {
        Err(error) if apply == Apply::Commit && error.is_retryable() => {
            Err(error).context("some of the jobs may be changed; the same command again changes the rest")
        }
        outcome => Ok(outcome?),
    }
}

/// The jobs that were named, as they were before.
struct Named {
    states: HashMap<String, JobState>,
    missing: Vec<String>,
}

impl Named {
    async fn look(client: &Client, ids: &[String]) -> anyhow::Result<Self> {
        let filter = JobFilter::new().ids(ids);
        let found = client.list_jobs_in(filter, JobView::Basic, Some(PAGE_SIZE_MAX)).all().await?;
        let states: HashMap<_, _> = found.into_iter().map(|job| (job.id, job.state)).collect();
        let missing = ids.iter().filter(|id| !states.contains_key(*id)).cloned().collect();
        Ok(Self { states, missing })
    }

    /// How many there were of each state, such as `2 completed, 1 dead`.
    fn summary(&self) -> String {
        let mut counts = BTreeMap::new();
        for state in self.states.values() {
            *counts.entry(state.to_string()).or_insert(0) += 1;
        }
        let texts: Vec<_> = counts.into_iter().map(|(state, count)| format!("{count} {state}")).collect();
        texts.join(", ")
    }
}

/// What the person at the terminal is asked.
fn question(change: &Change, preview: &Changed, selection: &Selection) -> String {
    let mut text = format!("{} would be {}, where {selection}\n", jobs(preview.changed), change.done());
    match change {
        Change::Cancel(_) if preview.blocked_count > 0 => {
            let asked = "in flight: their workers are asked, and they end when these settle";
            text += &format!("{} {asked}: {}\n", jobs(preview.blocked_count), some_ids(preview));
        }
        _ if preview.blocked_count > 0 => {
            text += &format!("{} can't be, {}: {}\n", jobs(preview.blocked_count), change.blocked(), some_ids(preview));
        }
        _ => {}
    }
    text + "Go on?"
}

fn jobs(count: u64) -> String {
    if count == 1 { "1 job".to_owned() } else { format!("{count} jobs") }
}

fn some_ids(changed: &Changed) -> String {
    ids(&changed.blocked[..changed.blocked.len().min(IDS_SHOWN_MAX)], changed.blocked_count)
}

/// Ids, and how many there are besides.
fn ids(listed: &[String], total: u64) -> String {
    match total.saturating_sub(listed.len() as u64) {
        0 => listed.join(" "),
        more => format!("{} and {more} more", listed.join(" ")),
    }
}

/// Says what became of the jobs, and fails where that isn't all that was asked for.
fn report(change: &Change, changed: &Changed, missing: &[String], args: &ChangeArgs) -> anyhow::Result<()> {
    match args.output.output {
        Output::Json => output::json(&ChangedJson::from(changed))?,
        Output::Table => {
            let would = if args.dry_run { "would change" } else { "changed" };
            output::line(format_args!("{would} {}", changed.changed))?;
            if changed.blocked_count > 0 {
                output::line(format_args!("blocked {}: {}", changed.blocked_count, changed.blocked.join(" ")))?;
            }
        }
    }
    let mut problems = Vec::new();
    if changed.blocked_count > 0 {
        let is_cut = changed.blocked.len() as u64 != changed.blocked_count;
        let listed = if is_cut { format!(", the first {} listed", changed.blocked.len()) } else { String::new() };
        problems.push(format!("{} blocked{listed}: {}", jobs(changed.blocked_count), change.blocked()));
    }
    if !missing.is_empty() {
        let shown = &missing[..missing.len().min(IDS_SHOWN_MAX)];
        problems.push(format!("there is no job {}", ids(shown, missing.len() as u64)));
    }
    if problems.is_empty() { Ok(()) } else { bail!(problems.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_cut_and_counted() {
        let listed = ["a".to_owned(), "b".to_owned()];
        assert_eq!(ids(&listed, 2), "a b");
        assert_eq!(ids(&listed, 5), "a b and 3 more");
        assert_eq!(ids(&[], 0), "");
        assert_eq!((jobs(1), jobs(2)), ("1 job".to_owned(), "2 jobs".to_owned()));
    }

    #[test]
    fn a_question_says_what_and_where() {
        let mut preview = Changed::default();
        preview.changed = 12;
        let selection = Selection::default();
        let text = question(&Change::Retry, &preview, &selection);
        assert!(text.starts_with("12 jobs would be retried, where ") && text.ends_with("Go on?"), "{text}");
        preview.blocked = vec!["j1".to_owned(); 20];
        preview.blocked_count = 1500;
        let text = question(&Change::Delete, &preview, &selection);
        assert!(text.contains("1500 jobs can't be, in flight: j1 ") && text.contains(" and 1490 more\n"), "{text}");
        let text = question(&Change::Cancel(CancelMode::Ask), &preview, &selection);
        assert!(text.contains("1500 jobs in flight: their workers are asked"), "{text}");
    }
}
