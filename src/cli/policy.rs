//! Policies of budgets as they are written: by flags, and in one word where a binding carries one.

use std::fmt;
use std::time::Duration;

use clap::Args;
use sluicegate_client::{Binding, Policy, PolicyPatch, ReserveAfter, Strategy, TimeBased};

use super::values;

/// The flags of a whole policy.
#[derive(Args, Clone, Debug)]
pub(super) struct PolicyArgs {
    /// Tokens: at most this many in flight at once, or granted per duration with --per. 1 to 10^12
    #[arg(long, value_name = "TOKENS")]
    pub allocation: u64,

    /// The duration in which the allocation drips in: makes the budget a limit on the rate. 1ms to 366d
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub per: Option<Duration>,

    /// The most tokens a rate may save up, 1 to 10^12, or none for as many as the allocation. Needs --per
    #[arg(long, value_name = "TOKENS|none", default_value = "none", value_parser = burst)]
    pub burst: Burst,

    /// When a job that smaller ones have passed over here is protected: a duration up to 366d, never, or default for the server's
    #[arg(long, value_name = "DURATION|never|default", default_value = "default", value_parser = reserve_after)]
    pub reserve_after: ReserveAfter,
}

/// The flags of a change: what isn't named stays.
#[derive(Args, Clone, Debug)]
pub(super) struct PatchArgs {
    /// Tokens: at most this many in flight at once, or granted per duration. 1 to 10^12
    #[arg(long, value_name = "TOKENS")]
    pub allocation: Option<u64>,

    /// The duration in which the allocation drips in, 1ms to 366d. Makes a limit on what is in flight one on the rate
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub per: Option<Duration>,

    /// The most tokens a rate may save up, 1 to 10^12, or none for as many as the allocation
    #[arg(long, value_name = "TOKENS|none", value_parser = burst)]
    pub burst: Option<Burst>,

    /// Makes a limit on the rate one on what is in flight
    #[arg(long, conflicts_with_all = ["per", "burst"])]
    pub while_in_flight: bool,

    /// When a job that smaller ones have passed over here is protected: a duration up to 366d, never, or default for the server's
    #[arg(long, value_name = "DURATION|never|default", value_parser = reserve_after)]
    pub reserve_after: Option<ReserveAfter>,
}

/// The most tokens a rate may save up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Burst {
    /// As many as the allocation.
    None,
    /// This many.
    Tokens(u64),
}

impl PolicyArgs {
    /// The policy; refused where it has a burst without a rate.
    pub fn policy(&self) -> anyhow::Result<Policy> {
        let strategy = match (self.per, self.burst) {
            (None, Burst::None) => Strategy::WhileInFlight,
            (None, Burst::Tokens(_)) => {
                return Err(super::usage("--burst is for limits on the rate: it needs --per"));
            }
            (Some(per), Burst::None) => TimeBased::per(per).into(),
            (Some(per), Burst::Tokens(burst)) => TimeBased::per(per).burst(burst).into(),
        };
        Ok(Policy::new(self.allocation, strategy).reserve_after(self.reserve_after))
    }
}

impl PatchArgs {
    /// The change; refused where it changes nothing.
    pub fn patch(&self) -> anyhow::Result<PolicyPatch> {
        let mut patch = PolicyPatch::new();
        if let Some(allocation) = self.allocation {
            patch = patch.allocation(allocation);
        }
        if self.while_in_flight {
            patch = patch.strategy(Strategy::WhileInFlight);
        }
        if let Some(per) = self.per {
            patch = patch.duration(per);
        }
        patch = match self.burst {
            None => patch,
            Some(Burst::None) => patch.clear_burst(),
            Some(Burst::Tokens(burst)) => patch.burst(burst),
        };
        if let Some(reserve_after) = self.reserve_after {
            patch = patch.reserve_after(reserve_after);
        }
        if patch.is_empty() {
            return Err(super::usage(
                "nothing to change: name --allocation, --per, --burst, --while-in-flight or --reserve-after",
            ));
        }
        Ok(patch)
    }
}

fn burst(text: &str) -> Result<Burst, String> {
    match text {
        "none" => Ok(Burst::None),
        _ => text.parse().map(Burst::Tokens).map_err(|_| "neither a whole number of tokens nor none".to_owned()),
    }
}

fn reserve_after(text: &str) -> Result<ReserveAfter, String> {
    match text {
        "never" => Ok(ReserveAfter::Never),
        "default" => Ok(ReserveAfter::ServerDefault),
        _ => values::duration(text).map(ReserveAfter::After),
    }
}

/// Reads a policy in one word: `5` (in flight), `100/1m` (a rate), `100/1m,burst=8,reserve-after=never`.
pub(super) fn policy(text: &str) -> Result<Policy, String> {
    let mut parts = text.split(',');
    let terms = parts.next().unwrap_or_default();
    let (allocation, per) = match terms.split_once('/') {
        None => (terms, None),
        Some((allocation, per)) => (allocation, Some(values::duration(per)?)),
    };
    let allocation =
        allocation.parse().map_err(|_| format!("`{text}` is no policy such as 5, 100/1m or 100/1m,burst=8"))?;
    let mut drip = per.map(TimeBased::per);
    let mut protection = ReserveAfter::ServerDefault;
    for part in parts {
        match (part.split_once('='), &mut drip) {
            (Some(("burst", tokens)), Some(drip)) => {
                drip.burst = match burst(tokens)? {
                    Burst::None => None,
                    Burst::Tokens(tokens) => Some(tokens),
                };
            }
            (Some(("burst", _)), None) => return Err(format!("`{text}`: a burst needs a rate such as 100/1m")),
            (Some(("reserve-after", after)), _) => protection = reserve_after(after)?,
            _ => return Err(format!("`{part}` is neither burst=TOKENS nor reserve-after=DURATION")),
        }
    }
    let strategy = drip.map_or(Strategy::WhileInFlight, Strategy::TimeBased);
    Ok(Policy::new(allocation, strategy).reserve_after(protection))
}

/// Reads a budget with its policy: `KEY=POLICY`.
pub(super) fn named_policy(text: &str) -> Result<(String, Policy), String> {
    match text.split_once('=') {
        Some((key, terms)) if !key.is_empty() => Ok((key.to_owned(), policy(terms)?)),
        _ => Err(format!("`{text}` is no budget with its policy such as smtp=100/1m")),
    }
}

/// Gives the binding to `key` the policy under which its budget is to be created. Says whether there is such a binding.
///
/// # Errors
/// It has one already: the budget is named twice.
pub(super) fn create_with(bindings: &mut [Binding], key: &str, policy: Policy) -> anyhow::Result<bool> {
    match bindings.iter_mut().find(|binding| binding.budget == key) {
        Some(binding) if binding.create_with.is_none() => {
            binding.create_with = Some(policy);
            Ok(true)
        }
        Some(_) => Err(super::usage(format!("--create-budget names {key} twice"))),
        None => Ok(false),
    }
}

/// A policy for people: `5 in flight`, `100 per 1m, burst 8`.
pub(super) struct Terms(pub Policy);

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Policy { allocation, strategy, reserve_after } = self.0;
        match strategy {
            Strategy::WhileInFlight => write!(f, "{allocation} in flight")?,
            Strategy::TimeBased(TimeBased { duration, burst }) => {
                write!(f, "{allocation} per {}", humantime::format_duration(duration))?;
                if let Some(burst) = burst {
                    write!(f, ", burst {burst}")?;
                }
            }
        }
        match reserve_after {
            ReserveAfter::ServerDefault => Ok(()),
            ReserveAfter::After(after) => write!(f, ", reserve after {}", humantime::format_duration(after)),
            ReserveAfter::Never => write!(f, ", never reserve"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    const MINUTE: Duration = Duration::from_secs(60);

    #[derive(Parser)]
    struct Whole {
        #[command(flatten)]
        args: PolicyArgs,
    }

    #[derive(Parser)]
    struct Change {
        #[command(flatten)]
        args: PatchArgs,
    }

    fn whole(flags: &str) -> Result<Policy, String> {
        let line = Whole::try_parse_from(format!("x {flags}").split_whitespace()).map_err(|error| error.to_string())?;
        line.args.policy().map_err(|error| error.to_string())
    }

    fn change(flags: &str) -> Result<PolicyPatch, String> {
        let line =
            Change::try_parse_from(format!("x {flags}").split_whitespace()).map_err(|error| error.to_string())?;
        line.args.patch().map_err(|error| error.to_string())
    }

    #[test]
    fn flags_make_a_policy() {
        assert_eq!(whole("--allocation 5"), Ok(Policy::while_in_flight(5)));
        assert_eq!(whole("--allocation 100 --per 1m"), Ok(Policy::time_based(100, MINUTE)));
        assert_eq!(whole("--allocation 100 --per 1m --burst none"), Ok(Policy::time_based(100, MINUTE)));
        let full = Policy::time_based(100, TimeBased::per(MINUTE).burst(8)).reserve_after(ReserveAfter::After(MINUTE));
        assert_eq!(whole("--allocation 100 --per 1m --burst 8 --reserve-after 1m"), Ok(full));
        let never = Policy::while_in_flight(5).reserve_after(ReserveAfter::Never);
        assert_eq!(whole("--allocation 5 --reserve-after never"), Ok(never));
        for flags in
            ["", "--allocation 5 --burst 8", "--allocation -1", "--allocation 5 --per x", "--allocation 5 --burst x"]
        {
            assert!(whole(flags).is_err(), "{flags}");
        }
    }

    #[test]
    fn a_change_names_what_it_changes() {
        let new = PolicyPatch::new;
        assert_eq!(change("--allocation 7"), Ok(new().allocation(7)));
        assert_eq!(change("--per 1m --burst none"), Ok(new().duration(MINUTE).clear_burst()));
        assert_eq!(change("--burst 3"), Ok(new().burst(3)));
        assert_eq!(change("--while-in-flight"), Ok(new().strategy(Strategy::WhileInFlight)));
        assert_eq!(change("--reserve-after default"), Ok(new().reserve_after(ReserveAfter::ServerDefault)));
        for flags in ["", "--while-in-flight --per 1m", "--while-in-flight --burst 1"] {
            assert!(change(flags).is_err(), "{flags}");
        }
    }

    #[test]
    fn a_policy_fits_one_word() {
        assert_eq!(policy("5"), Ok(Policy::while_in_flight(5)));
        assert_eq!(policy("100/1m"), Ok(Policy::time_based(100, MINUTE)));
        let full = Policy::time_based(100, TimeBased::per(MINUTE).burst(8)).reserve_after(ReserveAfter::Never);
        assert_eq!(policy("100/1m,burst=8,reserve-after=never"), Ok(full));
        assert_eq!(named_policy("tenant:7=5"), Ok(("tenant:7".into(), Policy::while_in_flight(5))));
        for text in ["", "x", "5/", "5/x", "5,burst=1", "5/1m,burst=x", "5,", "5,turbo=1"] {
            assert!(policy(text).is_err(), "{text}");
        }
        assert!(named_policy("5").is_err() && named_policy("=5").is_err());
    }

    #[test]
    fn terms_read_as_people_say_them() {
        for text in ["5 in flight", "100 per 1m", "100 per 1m, burst 8", "5 in flight, never reserve"] {
            let word = text.replace(" in flight", "").replace(" per ", "/").replace(", burst ", ",burst=");
            let word = word.replace(", never reserve", ",reserve-after=never");
            assert_eq!(Terms(policy(&word).expect("a policy")).to_string(), text);
        }
    }
}
