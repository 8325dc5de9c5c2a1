//! `UpdateBudget`: a policy and a field mask as a merge patch (semantics 7.1).

use super::budget::reserve_after;
use super::time::{optional_span, span};
use super::{At, Invalid, required};
use crate::api::proto as pb;
use crate::scheduler::policy::{PolicyPatch, StrategyPatch};
use crate::scheduler::units::Tokens;

const PATHS: &str = "`allocation`, `while_in_flight`, `time_based`, `time_based.duration`, `time_based.burst` and \
                     `reserve_after` are taken";

/// What is to change: the masked fields, or without a mask those that are set.
pub fn policy_patch(
    at: &At<'_>,
    policy: Option<pb::BudgetPolicy>,
    mask: Option<prost_types::FieldMask>,
) -> Result<PolicyPatch, Invalid> {
    let policy = required(at, policy)?;
    match mask {
        Some(mask) if !mask.paths.is_empty() => masked(at, policy, &mask.paths),
        _ => set_fields(at, policy),
    }
}

fn set_fields(at: &At<'_>, policy: pb::BudgetPolicy) -> Result<PolicyPatch, Invalid> {
    use pb::budget_policy::Strategy as Wire;

    let strategy = match policy.strategy {
        None => None,
        Some(Wire::WhileInFlight(pb::WhileInFlight {})) => Some(StrategyPatch::WhileInFlight),
        Some(Wire::TimeBased(pb::TimeBased { duration, burst })) => {
            let at = at.field("time_based");
            Some(StrategyPatch::Fields {
                duration: optional_span(&at.field("duration"), duration)?,
                burst: burst.map(|burst| Some(Tokens(burst))),
            })
        }
    };
    Ok(PolicyPatch {
        allocation: (policy.allocation != 0).then_some(Tokens(policy.allocation)),
        strategy,
        reserve_after: reserve_after(at, policy.reserve_after)?,
    })
}

/// Which parts of the policy a mask names.
#[derive(Default)]
struct Named {
    allocation: bool,
    while_in_flight: bool,
    time_based: bool,
    duration: bool,
    burst: bool,
    reserve_after: bool,
}

impl Named {
    fn of(paths: &[String]) -> Result<Self, Invalid> {
        let mask = At::Root.field("update_mask");
        let mut named = Self::default();
        for (index, path) in paths.iter().enumerate() {
            let flag = match path.as_str() {
                "allocation" => &mut named.allocation,
                "while_in_flight" => &mut named.while_in_flight,
                "time_based" => &mut named.time_based,
                "time_based.duration" => &mut named.duration,
                "time_based.burst" => &mut named.burst,
                "reserve_after" => &mut named.reserve_after,
                _ => {
                    let at = mask.item("paths", index);
                    return Err(at.invalid(format!("`{path}` can't be updated; {PATHS}")));
                }
            };
            *flag = true;
        }
        if named.while_in_flight && (named.time_based || named.duration || named.burst) {
            return Err(mask.invalid("names both strategies; one of them is taken"));
        }
        Ok(named)
    }
}

fn masked(at: &At<'_>, policy: pb::BudgetPolicy, paths: &[String]) -> Result<PolicyPatch, Invalid> {
    let named = Named::of(paths)?;
    let reserve =
        if named.reserve_after { Some(reserve_after(at, policy.reserve_after)?.unwrap_or_default()) } else { None };
    Ok(PolicyPatch {
        allocation: named.allocation.then_some(Tokens(policy.allocation)),
        strategy: masked_strategy(at, policy.strategy, &named)?,
        reserve_after: reserve,
    })
}

fn masked_strategy(
    at: &At<'_>,
    strategy: Option<pb::budget_policy::Strategy>,
    named: &Named,
) -> Result<Option<StrategyPatch>, Invalid> {
    use pb::budget_policy::Strategy as Wire;

    if named.while_in_flight {
        let at = at.field("while_in_flight");
        return match strategy {
            Some(Wire::WhileInFlight(pb::WhileInFlight {})) => Ok(Some(StrategyPatch::WhileInFlight)),
            Some(Wire::TimeBased(_)) | None => Err(at.required()),
        };
    }
    if !(named.time_based || named.duration || named.burst) {
        return Ok(None);
    }
    let at = at.field("time_based");
    let time_based = match strategy {
        Some(Wire::TimeBased(time_based)) => Some(time_based),
        Some(Wire::WhileInFlight(_)) | None => None,
    };
    if named.time_based {
        let pb::TimeBased { duration, burst } = required(&at, time_based)?;
        let at = at.field("duration");
        return Ok(Some(StrategyPatch::TimeBased {
            duration: span(&at, required(&at, duration)?)?,
            burst: burst.map(Tokens),
        }));
    }
    let pb::TimeBased { duration, burst } = time_based.unwrap_or_default();
    let duration = if named.duration {
        let at = at.field("duration");
        Some(span(&at, required(&at, duration)?)?)
    } else {
        None
    };
    Ok(Some(StrategyPatch::Fields { duration, burst: named.burst.then_some(burst.map(Tokens)) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::policy::ReserveAfter;
    use crate::scheduler::units::Nanos;
    use pb::budget_policy::{ReserveAfter as WireReserve, Strategy as WireStrategy};

    const SECOND: prost_types::Duration = prost_types::Duration { seconds: 1, nanos: 0 };

    fn time_based(duration: Option<prost_types::Duration>, burst: Option<u64>) -> Option<WireStrategy> {
        Some(WireStrategy::TimeBased(pb::TimeBased { duration, burst }))
    }

    fn while_in_flight() -> Option<WireStrategy> {
        Some(WireStrategy::WhileInFlight(pb::WhileInFlight {}))
    }

    fn patch(
        allocation: u64,
        strategy: Option<WireStrategy>,
        reserve_after: Option<WireReserve>,
        paths: &[&str],
    ) -> Result<PolicyPatch, Invalid> {
        let policy = pb::BudgetPolicy { allocation, strategy, reserve_after };
        let mask = prost_types::FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() };
        policy_patch(&At::Root.field("policy"), Some(policy), Some(mask))
    }

    #[test]
    fn without_a_mask_what_is_set_changes() {
        assert_eq!(patch(0, None, None, &[]), Ok(PolicyPatch::default()));
        let all = patch(5, time_based(Some(SECOND), Some(9)), Some(WireReserve::Never(pb::Never {})), &[]);
        assert_eq!(
            all,
            Ok(PolicyPatch {
                allocation: Some(Tokens(5)),
                strategy: Some(StrategyPatch::Fields {
                    duration: Some(Nanos::from_secs(1)),
                    burst: Some(Some(Tokens(9))),
                }),
                reserve_after: Some(ReserveAfter::Never),
            })
        );
        assert_eq!(
            patch(0, time_based(None, None), None, &[]).unwrap().strategy,
            Some(StrategyPatch::Fields { duration: None, burst: None })
        );
        assert_eq!(policy_patch(&At::Root.field("policy"), None, None).unwrap_err().field, "policy");
    }

    #[test]
    fn a_mask_names_what_changes_and_what_is_cleared() {
        let only_allocation = patch(5, while_in_flight(), None, &["allocation"]);
        assert_eq!(only_allocation, Ok(PolicyPatch { allocation: Some(Tokens(5)), ..PolicyPatch::default() }));
        let cleared = patch(0, None, None, &["time_based.burst", "reserve_after"]);
        assert_eq!(
            cleared,
            Ok(PolicyPatch {
                allocation: None,
                strategy: Some(StrategyPatch::Fields { duration: None, burst: Some(None) }),
                reserve_after: Some(ReserveAfter::Default),
            })
        );
        let whole = patch(0, time_based(Some(SECOND), None), None, &["time_based.burst", "time_based"]);
        assert_eq!(
            whole.unwrap().strategy,
            Some(StrategyPatch::TimeBased { duration: Nanos::from_secs(1), burst: None })
        );
        let zero = patch(0, None, None, &["allocation"]).unwrap();
        assert_eq!(zero.allocation, Some(Tokens(0)));
    }

    #[test]
    fn masks_that_say_nothing_clear_are_refused() {
        let cases: [(&[&str], Option<WireStrategy>, &str); 7] = [
            (&["allocation", "burst"], None, "update_mask.paths[1]"),
            (&[""], None, "update_mask.paths[0]"),
            (&["while_in_flight", "time_based"], None, "update_mask"),
            (&["while_in_flight"], time_based(None, None), "policy.while_in_flight"),
            (&["time_based"], while_in_flight(), "policy.time_based"),
            (&["time_based"], time_based(None, Some(1)), "policy.time_based.duration"),
            (&["time_based.duration"], None, "policy.time_based.duration"),
        ];
        for (paths, strategy, field) in cases {
            assert_eq!(patch(1, strategy, None, paths).unwrap_err().field, field, "{paths:?}");
        }
    }
}
