//! The environment variables of the command line: one rule for all flags.

use std::ffi::OsString;

use clap::builder::FalseyValueParser;
use clap::{Arg, ArgAction, Command};

/// Gives every flag, of subcommands too, the variable `SLUICEGATE_` and its own name: `--max-budgets` is
/// `SLUICEGATE_MAX_BUDGETS`. A switch is on unless its variable says no, false, off, 0 or nothing.
pub(super) fn name_flags(command: Command) -> Command {
    command.mut_args(name_flag).mut_subcommands(name_flags)
}

fn name_flag(flag: Arg) -> Arg {
    let Some(long) = flag.get_long() else { return flag };
    let variable = variable(long);
    let flag = flag.env(OsString::from(variable)).hide_env_values(true);
    match flag.get_action() {
        ArgAction::SetTrue => flag.value_parser(FalseyValueParser::new()),
        _ => flag,
    }
}

fn variable(long: &str) -> String {
    format!("SLUICEGATE_{}", long.to_uppercase().replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of all flags that have no variable, or another's.
    fn misnamed(path: &str, command: &Command, wrong: &mut Vec<String>) {
        for flag in command.get_arguments() {
            let Some(long) = flag.get_long() else { continue };
            if flag.get_env() != Some(variable(long).as_ref()) {
                wrong.push(format!("{path} --{long}"));
            }
        }
        for subcommand in command.get_subcommands() {
            misnamed(&format!("{path} {}", subcommand.get_name()), subcommand, wrong);
        }
    }

    #[test]
    fn every_flag_has_its_variable() {
        let mut wrong = Vec::new();
        misnamed("sluicegate", &super::super::command(), &mut wrong);
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(variable("max-budgets"), "SLUICEGATE_MAX_BUDGETS");
        assert_eq!(variable("log"), "SLUICEGATE_LOG");
    }
}
