//! Policies, budgets and bindings.

use super::time::{span, wire_end, wire_instant, wire_span};
use super::{At, Invalid, name, required};
use crate::api::proto as pb;
use crate::scheduler::command::{BindingOperation, NewBinding};
use crate::scheduler::job::Name;
use crate::scheduler::policy::{Policy, ReserveAfter, Strategy};
use crate::scheduler::units::Tokens;
use crate::scheduler::view::{BudgetStatus, BudgetView};

/// A whole policy.
pub fn policy(at: &At<'_>, policy: Option<pb::BudgetPolicy>) -> Result<Policy, Invalid> {
    use pb::budget_policy::Strategy as Wire;

    let policy = required(at, policy)?;
    let strategy = match required(&at.field("strategy"), policy.strategy)? {
        Wire::WhileInFlight(pb::WhileInFlight {}) => Strategy::WhileInFlight,
        Wire::TimeBased(pb::TimeBased { duration, burst }) => {
            let at = at.field("time_based");
            let at = at.field("duration");
            Strategy::TimeBased { duration: span(&at, required(&at, duration)?)?, burst: burst.map(Tokens) }
        }
    };
    Ok(Policy {
        allocation: Tokens(policy.allocation),
        strategy,
        reserve_after: reserve_after(at, policy.reserve_after)?.unwrap_or_default(),
    })
}

/// When a budget's passed-over jobs are protected, if the policy says so.
pub fn reserve_after(
    at: &At<'_>,
    reserve_after: Option<pb::budget_policy::ReserveAfter>,
) -> Result<Option<ReserveAfter>, Invalid> {
    use pb::budget_policy::ReserveAfter as Wire;

    Ok(match reserve_after {
        None => None,
        Some(Wire::After(duration)) => Some(ReserveAfter::After(span(&at.field("after"), duration)?)),
        Some(Wire::Never(pb::Never {})) => Some(ReserveAfter::Never),
    })
}

/// A policy for the wire, as it was set.
pub fn wire_policy(policy: &Policy) -> pb::BudgetPolicy {
    use pb::budget_policy as wire;

    let strategy = match policy.strategy {
        Strategy::WhileInFlight => wire::Strategy::WhileInFlight(pb::WhileInFlight {}),
        Strategy::TimeBased { duration, burst } => wire::Strategy::TimeBased(pb::TimeBased {
            duration: Some(wire_span(duration)),
            burst: burst.map(|tokens| tokens.0),
        }),
    };
    let reserve_after = match policy.reserve_after {
        ReserveAfter::Default => None,
        ReserveAfter::After(span) => Some(wire::ReserveAfter::After(wire_span(span))),
        ReserveAfter::Never => Some(wire::ReserveAfter::Never(pb::Never {})),
    };
    pb::BudgetPolicy { allocation: policy.allocation.0, strategy: Some(strategy), reserve_after }
}

/// A budget for the wire.
pub fn wire_budget(view: BudgetView) -> pb::Budget {
    let capacity = view.record.policy.capacity();
    pb::Budget {
        key: view.record.key.to_string(),
        policy: Some(wire_policy(&view.record.policy)),
        create_time: Some(wire_instant(view.record.create_time)),
        update_time: Some(wire_instant(view.record.update_time)),
        etag: view.etag,
        status: Some(wire_status(&view.status, capacity)),
    }
}

fn wire_status(status: &BudgetStatus, capacity: Tokens) -> pb::BudgetStatus {
    pb::BudgetStatus {
        available: wire_available(status.available),
        capacity: capacity.0,
        in_flight_cost: status.in_flight_cost,
        in_flight_jobs: status.in_flight_jobs,
        parked_jobs: status.parked_jobs,
        bound_jobs: status.bound_jobs,
        next_token_time: status.next_token_time.map(wire_instant),
        blocked: status.blocked_until.is_some(),
        blocked_until: wire_end(status.blocked_until),
    }
}

/// Whole tokens for the wire; a debt beyond what it can say is shown as the largest it can.
pub fn wire_available(available: i128) -> i64 {
    i64::try_from(available).unwrap_or(if available < 0 { i64::MIN } else { i64::MAX })
}

/// A job's bindings as asked for.
pub fn bindings(at: &At<'_>, list: &'static str, bindings: Vec<pb::Binding>) -> Result<Vec<NewBinding>, Invalid> {
    bindings.into_iter().enumerate().map(|(index, wire)| binding(&at.item(list, index), wire)).collect()
}

fn binding(at: &At<'_>, binding: pb::Binding) -> Result<NewBinding, Invalid> {
    let create_with = match binding.create_with {
        None => None,
        some => Some(policy(&at.field("create_with"), some)?),
    };
    Ok(NewBinding {
        budget: name(&at.field("budget"), binding.budget)?,
        cost: binding.cost.map_or(Tokens::ONE, Tokens),
        create_with,
    })
}

/// A job's bindings for the wire.
pub fn wire_bindings(bindings: Vec<(Name, Tokens)>) -> Vec<pb::Binding> {
    bindings
        .into_iter()
        .map(|(budget, cost)| pb::Binding { budget: budget.to_string(), cost: Some(cost.0), create_with: None })
        .collect()
}

/// A change of one job's bindings.
pub fn operation(at: &At<'_>, operation: Option<pb::BindingOperation>) -> Result<BindingOperation, Invalid> {
    use pb::binding_operation::Operation as Wire;

    let operation = required(at, operation)?.operation;
    Ok(match required(at, operation)? {
        Wire::Bind(wire) => BindingOperation::Bind(binding(&at.field("bind"), wire)?),
        Wire::Rebind(wire) => BindingOperation::Rebind(binding(&at.field("rebind"), wire)?),
        Wire::SetCost(pb::SetBindingCost { budget, cost }) => {
            let at = at.field("set_cost");
            BindingOperation::SetCost(name(&at.field("budget"), budget)?, Tokens(cost))
        }
        Wire::Unbind(pb::Unbind { budget }) => {
            let at = at.field("unbind");
            BindingOperation::Unbind(name(&at.field("budget"), budget)?)
        }
        Wire::UnbindAll(pb::UnbindAll {}) => BindingOperation::UnbindAll,
        Wire::ReplaceAll(pb::ReplaceBindings { bindings: wire }) => {
            BindingOperation::ReplaceAll(bindings(&at.field("replace_all"), "bindings", wire)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::Nanos;

    fn convert(wire: pb::BudgetPolicy) -> Result<Policy, Invalid> {
        policy(&At::Root.field("policy"), Some(wire))
    }

    #[test]
    fn policies_come_back_as_they_were_set() {
        let minute = Nanos::from_secs(60);
        let policies = [
            Policy::while_in_flight(5),
            Policy::time_based(100, minute, None),
            Policy::time_based(100, minute, Some(Tokens(7))),
            Policy { reserve_after: ReserveAfter::After(Nanos::ZERO), ..Policy::while_in_flight(1) },
            Policy { reserve_after: ReserveAfter::Never, ..Policy::time_based(1, Nanos(1), None) },
        ];
        for policy in policies {
            assert_eq!(convert(wire_policy(&policy)), Ok(policy));
        }
    }

    #[test]
    fn what_a_policy_lacks_is_named() {
        use pb::budget_policy::{ReserveAfter as WireReserve, Strategy as WireStrategy};

        assert_eq!(policy(&At::Root.field("policy"), None).unwrap_err().field, "policy");
        let empty = pb::BudgetPolicy::default();
        assert_eq!(convert(empty).unwrap_err().field, "policy.strategy");
        let no_duration = pb::BudgetPolicy {
            allocation: 1,
            strategy: Some(WireStrategy::TimeBased(pb::TimeBased::default())),
            reserve_after: None,
        };
        assert_eq!(convert(no_duration).unwrap_err().field, "policy.time_based.duration");
        let negative = pb::BudgetPolicy {
            allocation: 1,
            strategy: Some(WireStrategy::WhileInFlight(pb::WhileInFlight {})),
            reserve_after: Some(WireReserve::After(prost_types::Duration { seconds: -1, nanos: 0 })),
        };
        assert_eq!(convert(negative).unwrap_err().field, "policy.after");
    }

    #[test]
    fn a_binding_costs_one_unless_it_says_so() {
        let wire = |cost| vec![pb::Binding { budget: "api".to_owned(), cost, create_with: None }];
        let at = At::Root.field("job");
        for (asked, cost) in [(None, 1), (Some(0), 0), (Some(u64::MAX), u64::MAX)] {
            let bindings = bindings(&at, "bindings", wire(asked)).unwrap();
            assert_eq!(bindings[0].cost, Tokens(cost));
        }
        let nameless = vec![pb::Binding::default()];
        assert_eq!(bindings(&at, "bindings", nameless).unwrap_err().field, "job.bindings[0].budget");
        let incomplete =
            vec![pb::Binding { budget: "api".to_owned(), cost: None, create_with: Some(pb::BudgetPolicy::default()) }];
        assert_eq!(bindings(&at, "bindings", incomplete).unwrap_err().field, "job.bindings[0].create_with.strategy");
    }

    #[test]
    fn operations_name_what_they_lack() {
        use pb::binding_operation::Operation as Wire;

        let convert = |operation| operation_error(Some(pb::BindingOperation { operation }));
        assert_eq!(operation_error(None), "operation");
        assert_eq!(convert(None), "operation");
        assert_eq!(convert(Some(Wire::Bind(pb::Binding::default()))), "operation.bind.budget");
        assert_eq!(convert(Some(Wire::Unbind(pb::Unbind::default()))), "operation.unbind.budget");
        assert_eq!(convert(Some(Wire::SetCost(pb::SetBindingCost::default()))), "operation.set_cost.budget");
        let nameless = pb::ReplaceBindings { bindings: vec![pb::Binding::default()] };
        assert_eq!(convert(Some(Wire::ReplaceAll(nameless))), "operation.replace_all.bindings[0].budget");
    }

    fn operation_error(wire: Option<pb::BindingOperation>) -> String {
        operation(&At::Root.field("operation"), wire).unwrap_err().field
    }

    #[test]
    fn a_debt_beyond_the_wire_saturates() {
        assert_eq!(wire_available(-3), -3);
        assert_eq!(wire_available(i128::from(i64::MIN)), i64::MIN);
        assert_eq!(wire_available(i128::from(i64::MIN) - 1), i64::MIN);
        assert_eq!(wire_available(i128::from(i64::MAX) + 1), i64::MAX);
    }
}
