//! Settling and extending: outcomes in, results out, each lease for itself (semantics 5.4).
//!
//! What only the wire can get wrong with one outcome is answered here and never reaches the scheduler; its answers are put
//! back in the order in which they were asked for.

use std::iter::Peekable;

use super::time::{optional_span, span, wire_instant};
use super::{At, Invalid, count, cut, name, required};
use crate::api::proto as pb;
use crate::ids;
use crate::scheduler::command::{Ended, Extended, ExtendedTo, Outcome, Settled, SettledAs, Unsettled, Verdict};
use crate::scheduler::job::Name;
use crate::scheduler::units::{LeaseId, Nanos, Tokens};

/// The most leases in one frame or call that settles, extends or confirms.
pub const LEASES_MAX: usize = 1000;
/// What of a lease id that is no lease id is sent back.
const ECHO_BYTES_MAX: usize = 64;
/// What of a problem's text is sent back.
const PROBLEM_BYTES_MAX: usize = 512;
/// A job has no more bindings than these, so neither has its usage.
const BINDINGS_MAX: usize = 16;

/// Outcomes on their way to the scheduler.
#[derive(Debug)]
pub struct Settles {
    /// One for each outcome: its result if it is known already.
    slots: Vec<Option<pb::SettleResult>>,
}

impl Settles {
    /// The outcomes that the scheduler is to judge, and what puts the results together afterwards.
    pub fn new(at: &At<'_>, outcomes: Vec<pb::SettleOutcome>) -> Result<(Self, Vec<Outcome>), Invalid> {
        count(at, outcomes.len(), LEASES_MAX)?;
        let mut asked = Vec::with_capacity(outcomes.len());
        let mut slots = Vec::with_capacity(outcomes.len());
        for wire in outcomes {
            let Some(lease) = ids::parse_lease(&wire.lease_id) else {
                slots.push(Some(unknown(&wire.lease_id)));
                continue;
            };
            match outcome(lease, wire) {
                Ok(outcome) => {
                    asked.push(outcome);
                    slots.push(None);
                }
                Err(invalid) => slots.push(Some(settle_result(
                    lease,
                    pb::SettleStatus::Invalid,
                    Some(lease_error(pb::ErrorReason::InvalidField, invalid)),
                ))),
            }
        }
        Ok((Self { slots }, asked))
    }

    /// How many outcomes there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Those of `later` follow, as their outcomes follow in the command.
    pub fn append(&mut self, mut later: Self) {
        self.slots.append(&mut later.slots);
    }

    /// A result for each outcome, in order, given the scheduler's answers to those it judged.
    pub fn results(self, settled: Vec<Settled>) -> Vec<pb::SettleResult> {
        let settled = settled.into_iter().map(wire_settled);
        fill(self.slots, settled.peekable())
    }
}

/// Extensions on their way to the scheduler.
#[derive(Debug)]
pub struct Extensions {
    slots: Vec<Option<pb::ExtendResult>>,
}

impl Extensions {
    /// The leases that the scheduler is to extend, and what puts the results together afterwards.
    pub fn new(at: &At<'_>, texts: Vec<String>) -> Result<(Self, Vec<LeaseId>), Invalid> {
        count(at, texts.len(), LEASES_MAX)?;
        let mut asked = Vec::with_capacity(texts.len());
        let mut slots = Vec::with_capacity(texts.len());
        for text in texts {
            match ids::parse_lease(&text) {
                Some(lease) => {
                    asked.push(lease);
                    slots.push(None);
                }
                None => slots.push(Some(pb::ExtendResult {
                    lease_id: cut(&text, ECHO_BYTES_MAX).to_owned(),
                    status: pb::ExtendStatus::Gone.into(),
                    expire_time: None,
                    cancel_requested: false,
                })),
            }
        }
        Ok((Self { slots }, asked))
    }

    /// How many leases there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Those of `later` follow, as their leases follow in the command.
    pub fn append(&mut self, mut later: Self) {
        self.slots.append(&mut later.slots);
    }

    /// A result for each lease, in order, given the scheduler's answers.
    pub fn results(self, extended: Vec<Extended>) -> Vec<pb::ExtendResult> {
        let extended = extended.into_iter().map(wire_extended);
        fill(self.slots, extended.peekable())
    }
}

/// The leases whose receipt is confirmed; text that names none is ignored.
pub fn received(at: &At<'_>, texts: &[String]) -> Result<Vec<LeaseId>, Invalid> {
    count(at, texts.len(), LEASES_MAX)?;
    Ok(texts.iter().filter_map(|text| ids::parse_lease(text)).collect())
}

fn fill<T>(slots: Vec<Option<T>>, mut answers: Peekable<impl Iterator<Item = T>>) -> Vec<T> {
    let results: Vec<T> = slots
        .into_iter()
        .map(|known| known.or_else(|| answers.next()).expect("an answer for each lease that was asked for"))
        .collect();
    assert!(answers.peek().is_none(), "no answer without a lease that was asked for");
    results
}

fn outcome(lease: LeaseId, wire: pb::SettleOutcome) -> Result<Outcome, Invalid> {
    use pb::settle_outcome::Outcome as Wire;

    let at = At::Root;
    let verdict = match required(&at.field("outcome"), wire.outcome)? {
        Wire::Success(pb::JobSuccess { result }) => {
            Verdict::Success { result: (!result.is_empty()).then(|| result.into_boxed_slice()) }
        }
        Wire::Failure(pb::JobFailure { error, retry_after, discard }) => {
            let at = at.field("failure");
            Verdict::Failure {
                error: error.into_boxed_str(),
                retry_after: optional_span(&at.field("retry_after"), retry_after)?,
                discard,
            }
        }
        Wire::Release(pb::JobRelease { delay }) => {
            let at = at.field("release");
            Verdict::Release { delay: optional_span(&at.field("delay"), delay)?.unwrap_or(Nanos::ZERO) }
        }
    };
    Ok(Outcome {
        lease,
        verdict,
        usage: per_budget("usage", wire.usage, |at, usage| {
            Ok((name(&at.field("budget"), usage.budget)?, Tokens(usage.cost)))
        })?,
        throttled: per_budget("throttled", wire.throttled, |at, throttle| {
            let budget = name(&at.field("budget"), throttle.budget)?;
            let at = at.field("retry_after");
            Ok((budget, span(&at, required(&at, throttle.retry_after)?)?))
        })?,
    })
}

/// A list whose entries are about budgets.
fn per_budget<W, T>(
    list: &'static str,
    wire: Vec<W>,
    convert: impl Fn(&At<'_>, W) -> Result<(Name, T), Invalid>,
) -> Result<Vec<(Name, T)>, Invalid> {
    super::at_most(&At::Root.field(list), wire.len(), BINDINGS_MAX)?;
    let entries = wire.into_iter().enumerate();
    entries.map(|(index, entry)| convert(&At::Root.item(list, index), entry)).collect()
}

/// The result for what is no lease id: it was never granted, and where it is empty it was forgotten.
fn unknown(text: &str) -> pb::SettleResult {
    let (status, error) = if text.is_empty() {
        let missing = At::Root.field("lease_id").required();
        (pb::SettleStatus::Invalid, Some(lease_error(pb::ErrorReason::InvalidField, missing)))
    } else {
        (pb::SettleStatus::Gone, None)
    };
    pb::SettleResult {
        lease_id: cut(text, ECHO_BYTES_MAX).to_owned(),
        status: status.into(),
        result_dropped: false,
        error,
    }
}

fn settle_result(lease: LeaseId, status: pb::SettleStatus, error: Option<pb::LeaseError>) -> pb::SettleResult {
    pb::SettleResult { lease_id: ids::lease_text(lease), status: status.into(), result_dropped: false, error }
}

fn lease_error(reason: pb::ErrorReason, invalid: Invalid) -> pb::LeaseError {
    pb::LeaseError {
        reason: reason.into(),
        message: cut(&invalid.problem, PROBLEM_BYTES_MAX).to_owned(),
        field: invalid.field,
    }
}

fn wire_settled(settled: Settled) -> pb::SettleResult {
    use pb::SettleStatus as Wire;

    let lease = settled.lease;
    match settled.status {
        Ok(SettledAs { result_dropped }) => {
            pb::SettleResult { result_dropped, ..settle_result(lease, Wire::Settled, None) }
        }
        Err(Unsettled::NotLive(Ended::AlreadySettled)) => settle_result(lease, Wire::AlreadySettled, None),
        Err(Unsettled::NotLive(Ended::Lost)) => settle_result(lease, Wire::Lost, None),
        Err(Unsettled::NotLive(Ended::Gone)) => settle_result(lease, Wire::Gone, None),
        Err(Unsettled::NotBound { field, budget }) => {
            let problem = format!("the job isn't bound to budget `{budget}`");
            let error = lease_error(pb::ErrorReason::NotBound, Invalid { field, problem });
            settle_result(lease, Wire::Invalid, Some(error))
        }
        Err(Unsettled::Invalid { field, problem }) => {
            let error = lease_error(pb::ErrorReason::InvalidField, Invalid { field, problem });
            settle_result(lease, Wire::Invalid, Some(error))
        }
    }
}

fn wire_extended(extended: Extended) -> pb::ExtendResult {
    use pb::ExtendStatus as Wire;

    let result = |status: Wire| pb::ExtendResult {
        lease_id: ids::lease_text(extended.lease),
        status: status.into(),
        expire_time: None,
        cancel_requested: false,
    };
    match extended.status {
        Ok(ExtendedTo { expire_time, cancelled }) => pb::ExtendResult {
            expire_time: Some(wire_instant(expire_time)),
            cancel_requested: cancelled,
            ..result(Wire::Extended)
        },
        Err(Ended::AlreadySettled) => result(Wire::AlreadySettled),
        Err(Ended::Lost) => result(Wire::Lost),
        Err(Ended::Gone) => result(Wire::Gone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::Timestamp;
    use pb::settle_outcome::Outcome as WireOutcome;

    fn success(lease_id: String) -> pb::SettleOutcome {
        pb::SettleOutcome {
            lease_id,
            outcome: Some(WireOutcome::Success(pb::JobSuccess::default())),
            ..pb::SettleOutcome::default()
        }
    }

    fn usage(budget: &str) -> pb::BudgetUsage {
        pb::BudgetUsage { budget: budget.to_owned(), cost: 1 }
    }

    #[test]
    fn one_bad_outcome_never_fails_its_neighbours() {
        let good = ids::lease_text(LeaseId(1));
        let unset = ids::lease_text(LeaseId(2));
        let last = ids::lease_text(LeaseId(3));
        let outcomes = vec![
            success("x".repeat(100)),
            success(good.clone()),
            pb::SettleOutcome { lease_id: unset.clone(), ..pb::SettleOutcome::default() },
            success(String::new()),
            success(last.clone()),
        ];
        let (settles, asked) = Settles::new(&At::Root.field("outcomes"), outcomes).unwrap();
        assert_eq!(asked.iter().map(|outcome| outcome.lease).collect::<Vec<_>>(), [LeaseId(1), LeaseId(3)]);
        let answers = vec![
            Settled { lease: LeaseId(1), status: Ok(SettledAs { result_dropped: true }) },
            Settled { lease: LeaseId(3), status: Err(Unsettled::NotLive(Ended::Lost)) },
        ];
        let results = settles.results(answers);
        let brief: Vec<_> = results.iter().map(|result| (result.lease_id.as_str(), result.status())).collect();
        let echo = "x".repeat(64);
        assert_eq!(
            brief,
            [
                (echo.as_str(), pb::SettleStatus::Gone),
                (good.as_str(), pb::SettleStatus::Settled),
                (unset.as_str(), pb::SettleStatus::Invalid),
                ("", pb::SettleStatus::Invalid),
                (last.as_str(), pb::SettleStatus::Lost),
            ]
        );
        assert!(results[1].result_dropped);
        assert_eq!(results[2].error.as_ref().unwrap().field, "outcome");
        assert_eq!(results[3].error.as_ref().unwrap().field, "lease_id");
    }

    #[test]
    fn outcomes_are_counted() {
        let at = At::Root.field("outcomes");
        assert!(Settles::new(&at, Vec::new()).is_err());
        assert!(Settles::new(&at, vec![pb::SettleOutcome::default(); 1000]).is_ok());
        let many = Settles::new(&at, vec![pb::SettleOutcome::default(); 1001]);
        assert_eq!(many.unwrap_err().field, "outcomes");
        let at = At::Root.field("lease_ids");
        assert!(Extensions::new(&at, vec![String::new(); 1001]).is_err());
        assert!(received(&at, &[]).is_err());
    }

    #[test]
    fn reports_name_their_budgets() {
        let field_of = |usage: Vec<pb::BudgetUsage>| {
            let wire = pb::SettleOutcome { usage, ..success(ids::lease_text(LeaseId(1))) };
            outcome(LeaseId(1), wire).map_err(|invalid| invalid.field)
        };
        assert!(field_of(vec![usage("a"), usage("b")]).is_ok());
        assert_eq!(field_of(vec![usage("")]), Err("usage[0].budget".to_owned()));
        let many = (0..17).map(|n| usage(&n.to_string())).collect();
        assert_eq!(field_of(many), Err("usage".to_owned()));
        let throttled = pb::SettleOutcome {
            throttled: vec![pb::BudgetThrottle { budget: "a".to_owned(), retry_after: None }],
            ..success(ids::lease_text(LeaseId(1)))
        };
        assert_eq!(outcome(LeaseId(1), throttled).unwrap_err().field, "throttled[0].retry_after");
    }

    #[test]
    fn a_refused_outcome_says_why() {
        let error = |unsettled| {
            let result = wire_settled(Settled { lease: LeaseId(1), status: Err(unsettled) });
            assert_eq!(result.status(), pb::SettleStatus::Invalid);
            result.error.unwrap()
        };
        let not_bound = error(Unsettled::NotBound {
            field: "throttled[1].budget".to_owned(),
            budget: Name::from("b".repeat(2000)),
        });
        assert_eq!(not_bound.reason(), pb::ErrorReason::NotBound);
        assert_eq!(not_bound.field, "throttled[1].budget");
        assert_eq!(not_bound.message.len(), PROBLEM_BYTES_MAX);
        let bound = error(Unsettled::Invalid { field: "usage[0].cost".to_owned(), problem: "is 0".to_owned() });
        assert_eq!(bound.reason(), pb::ErrorReason::InvalidField);
        assert_eq!((&*bound.field, &*bound.message), ("usage[0].cost", "is 0"));
    }

    #[test]
    fn extensions_answer_in_order() {
        let live = ids::lease_text(LeaseId(5));
        let texts = vec!["?".to_owned(), live.clone()];
        let (extensions, asked) = Extensions::new(&At::Root.field("lease_ids"), texts).unwrap();
        assert_eq!(asked, [LeaseId(5)]);
        let results = extensions.results(vec![Extended {
            lease: LeaseId(5),
            status: Ok(ExtendedTo { expire_time: Timestamp(9), cancelled: true }),
        }]);
        assert_eq!(results[0].status(), pb::ExtendStatus::Gone);
        assert_eq!(results[1].status(), pb::ExtendStatus::Extended);
        assert_eq!(results[1].lease_id, live);
        assert!(results[1].cancel_requested);
    }
}
