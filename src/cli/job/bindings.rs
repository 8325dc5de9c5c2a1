//! `job bind`, `rebind`, `cost`, `unbind`, `unbind-all`, `replace-bindings`: the six changes of a job's bindings.
//!
//! Jobs that are named are changed one by one, each with its own answer; what `--where` selects is changed in one call.

use std::time::SystemTime;

use anyhow::bail;
use clap::{Args, Subcommand};
use sluicegate_client::{Binding, BindingOperation, Error, Policy};

use super::change::{self, Change, ChangeArgs};
use super::help;
use super::shown;
use crate::cli::json::JobJson;
use crate::cli::output::{self, Output, Rows, printable};
use crate::cli::policy;
use crate::cli::usage;
use crate::cli::values;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum BindingCommand {
    /// Binds scheduled and ready jobs to a budget
    #[command(after_help = help::BIND, override_usage = help::usage!("bind KEY[=COST]"))]
    Bind {
        #[command(flatten)]
        binding: BindingArgs,
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Replaces the binding to a budget, or binds to it
    #[command(after_help = help::REBIND, override_usage = help::usage!("rebind KEY[=COST]"))]
    Rebind {
        #[command(flatten)]
        binding: BindingArgs,
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Changes what a binding costs
    #[command(after_help = help::COST, override_usage = help::usage!("cost KEY=COST"))]
    Cost {
        /// The budget, and what one dispatch is to cost it: tokens, 1 to 10^12
        #[arg(value_name = "KEY=COST", value_parser = values::costed_binding)]
        binding: Binding,
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Takes the binding to a budget away
    #[command(after_help = help::UNBIND, override_usage = help::usage!("unbind KEY"))]
    Unbind {
        /// The budget
        #[arg(value_name = "KEY")]
        budget: String,
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Takes all bindings away
    #[command(after_help = help::UNBIND_ALL, override_usage = help::usage!("unbind-all"))]
    UnbindAll {
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
    /// Puts other bindings in place of all there are
    #[command(after_help = help::REPLACE_BINDINGS, override_usage = help::usage!("replace-bindings KEY[=COST],…"))]
    ReplaceBindings {
        /// The budgets, each at a cost of 1 or what follows; at most 16
        #[arg(value_name = "KEY[=COST],…", value_parser = BindingList::read)]
        bindings: BindingList,
        /// Creates a budget of these if it doesn't exist: KEY=5 (in flight), KEY=100/1m (a rate), KEY=100/1m,burst=8
        #[arg(long = "create-budget", value_name = "KEY=POLICY", value_parser = policy::named_policy)]
        create_budgets: Vec<(String, Policy)>,
        #[command(flatten)]
        change: Box<ChangeArgs>,
    },
}

/// A budget that jobs are to be bound to.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct BindingArgs {
    /// The budget, at a cost of 1 or what follows: tokens, 1 to 10^12. A key that itself ends in a colon and a number needs its
    /// cost: tenant:7=1
    #[arg(value_name = "KEY[=COST]", value_parser = values::binding)]
    binding: Binding,
    /// Creates the budget if it doesn't exist: KEY=5 (in flight), KEY=100/1m (a rate), KEY=100/1m,burst=8
    #[arg(long = "create-budget", value_name = "KEY=POLICY", value_parser = policy::named_policy)]
    create_budgets: Vec<(String, Policy)>,
}

impl BindingArgs {
    fn binding(self) -> anyhow::Result<Binding> {
        let mut bindings = with_policies(vec![self.binding], self.create_budgets)?;
        Ok(bindings.pop().expect("as many come back as went in"))
    }
}

/// Bindings in one word.
#[derive(Clone, Debug)]
pub(in crate::cli) struct BindingList(Vec<Binding>);

impl BindingList {
    fn read(text: &str) -> Result<Self, String> {
        values::binding_list(text).map(Self)
    }
}

impl BindingCommand {
    /// The change that it asks for, and of which jobs.
    fn operation(self) -> anyhow::Result<(BindingOperation, ChangeArgs)> {
        let (operation, change) = match self {
            BindingCommand::Bind { binding, change } => (BindingOperation::Bind(binding.binding()?), change),
            BindingCommand::Rebind { binding, change } => (BindingOperation::Rebind(binding.binding()?), change),
            BindingCommand::Cost { binding, change } => {
                (BindingOperation::SetCost { budget: binding.budget, cost: binding.cost }, change)
            }
            BindingCommand::Unbind { budget, change } => (BindingOperation::Unbind { budget }, change),
            BindingCommand::UnbindAll { change } => (BindingOperation::UnbindAll, change),
            BindingCommand::ReplaceBindings { bindings, create_budgets, change } => {
                (BindingOperation::ReplaceAll(with_policies(bindings.0, create_budgets)?), change)
            }
        };
        Ok((operation, *change))
    }
}

/// Gives each of the bindings the policy under which its budget is to be created.
fn with_policies(mut bindings: Vec<Binding>, policies: Vec<(String, Policy)>) -> anyhow::Result<Vec<Binding>> {
    for (key, policy) in policies {
        if !policy::create_with(&mut bindings, &key, policy)? {
            return Err(usage(format!("--create-budget names {key}, to which nothing is bound here")));
        }
    }
    Ok(bindings)
}

/// Changes the bindings of jobs, and shows those that were named as they then are.
pub(super) async fn run(command: BindingCommand) -> anyhow::Result<()> {
    let (operation, args) = command.operation()?;
    if args.ids.is_empty() || args.dry_run {
        return change::run(Change::Bindings(operation), args).await;
    }
    let client = args.server.connect().await?;
    let now = SystemTime::now();
    let mut rows = Rows::new(shown::COLUMNS);
    let mut refused = Vec::new();
    let mut fatal = None;
    for id in &args.ids {
        match client.modify_bindings(id, operation.clone()).await {
            Ok(job) if args.output.output == Output::Json => output::json(&JobJson::from(job))?,
            Ok(job) => rows.add(shown::row(&job, now)),
            Err(error) if is_about_this_job(&error) => refused.push(error),
            Err(error) => {
                fatal = Some(error);
                break;
            }
        }
    }
    if args.output.output == Output::Table && !rows.is_empty() {
        rows.print("")?;
    }
    if let Some(error) = fatal {
        return Err(error.into());
    }
    match refused.len() {
        0 => Ok(()),
        1 => Err(refused.remove(0).into()),
        jobs => {
            for error in refused {
                eprintln!("{}", printable(&error.to_string()));
            }
            bail!("{jobs} jobs were left as they are");
        }
    }
}

/// Whether another job could have been changed.
fn is_about_this_job(error: &Error) -> bool {
    matches!(
        error,
        Error::JobNotFound { .. }
            | Error::JobInFlight { .. }
            | Error::JobFinished { .. }
            | Error::AlreadyBound { .. }
            | Error::NotBound { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_go_to_the_bindings_that_they_name() {
        let policy = Policy::while_in_flight(5);
        let bind = |keys: &[&str]| {
            let create_budgets = keys.iter().map(|key| ((*key).to_owned(), policy)).collect();
            BindingArgs { binding: Binding::new("a"), create_budgets }.binding().map_err(|error| error.to_string())
        };
        assert_eq!(bind(&[]), Ok(Binding::new("a")));
        assert_eq!(bind(&["a"]), Ok(Binding::new("a").create_with(policy)));
        assert!(bind(&["b"]).expect_err("b isn't bound").contains("names b"));
        assert!(bind(&["a", "a"]).expect_err("one policy").contains("twice"));
    }
}
