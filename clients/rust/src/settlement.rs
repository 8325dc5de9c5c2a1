//! How leases end, and what became of ending and extending them (semantics 5.4).

use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::convert::{duration_to_wire, time_from_wire};
use crate::wire::{self, settle_outcome::Outcome};

/// How one lease is to end.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    wire: wire::SettleOutcome,
}

impl Settlement {
    /// The job is done.
    pub fn success(lease_id: impl Into<String>) -> Self {
        Self::success_with(lease_id, Bytes::new())
    }

    /// The job is done, and this is kept with it as long as it is retained. At most 64 KiB.
    pub fn success_with(lease_id: impl Into<String>, result: impl Into<Bytes>) -> Self {
        let result = result.into();
        Self::new(lease_id, Outcome::Success(wire::JobSuccess { result }))
    }

    /// The attempt failed and is used up; the job is retried after its backoff, or after `retry_after` (0..=24 h).
    pub fn failure(lease_id: impl Into<String>, error: impl Into<String>, retry_after: Option<Duration>) -> Self {
        let retry_after = retry_after.map(duration_to_wire);
        let error = error.into();
        Self::new(lease_id, Outcome::Failure(wire::JobFailure { error, retry_after, discard: false }))
    }

    /// The job is dead at once, whatever attempts are left.
    pub fn discard(lease_id: impl Into<String>, error: impl Into<String>) -> Self {
        let error = error.into();
        let failure = wire::JobFailure { error, retry_after: None, discard: true };
        Self::new(lease_id, Outcome::Failure(failure))
    }

    /// The job goes back at its old rank, for at least `delay` (0..=24 h); no attempt is used.
    pub fn release(lease_id: impl Into<String>, delay: Option<Duration>) -> Self {
        let delay = delay.map(duration_to_wire);
        Self::new(lease_id, Outcome::Release(wire::JobRelease { delay }))
    }

    /// Reports what was used of a budget, in tokens (semantics 9.1). The last report for a budget counts.
    pub fn usage(mut self, budget: impl Into<String>, cost: u64) -> Self {
        let budget = budget.into();
        self.wire.usage.retain(|usage| usage.budget != budget);
        self.wire.usage.push(wire::BudgetUsage { budget, cost });
        self
    }

    /// Reports a limit of the far side: the budget dispatches nothing for this long (semantics 9.3). 0..=24 h. The last report
    /// for a budget counts.
    pub fn throttled(mut self, budget: impl Into<String>, retry_after: Duration) -> Self {
        let budget = budget.into();
        self.wire.throttled.retain(|throttle| throttle.budget != budget);
        let retry_after = Some(duration_to_wire(retry_after));
        self.wire.throttled.push(wire::BudgetThrottle { budget, retry_after });
        self
    }

    /// The lease it ends.
    pub fn lease_id(&self) -> &str {
        &self.wire.lease_id
    }

    fn new(lease_id: impl Into<String>, outcome: Outcome) -> Self {
        let wire = wire::SettleOutcome {
            lease_id: lease_id.into(),
            outcome: Some(outcome),
            usage: Vec::new(),
            throttled: Vec::new(),
        };
        Self { wire }
    }

    pub(crate) fn into_wire(self) -> wire::SettleOutcome {
        self.wire
    }
}

/// What became of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettleResult {
    /// The lease.
    pub lease_id: String,
    /// Settled, or why nothing changed.
    pub status: SettleStatus,
    /// Whether a result was sent and not kept, since the job's retention wouldn't keep it.
    pub result_dropped: bool,
    /// With [`SettleStatus::Invalid`]: what was wrong.
    pub error: Option<LeaseError>,
}

/// Whether a lease was settled (semantics 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettleStatus {
    /// The lease has ended as the settlement says, and that is on disk.
    Settled,
    /// It was settled before: a harmless repeat.
    AlreadySettled,
    /// It ended otherwise.
    Lost,
    /// It isn't live, and what became of it is no longer known.
    Gone,
    /// The settlement breaks a bound; the lease is live still.
    Invalid,
    /// Something that this client doesn't know, by its number.
    Unknown(i32),
}

impl SettleStatus {
    fn from_wire(number: i32) -> Self {
        match wire::SettleStatus::try_from(number) {
            Ok(wire::SettleStatus::Settled) => SettleStatus::Settled,
            Ok(wire::SettleStatus::AlreadySettled) => SettleStatus::AlreadySettled,
            Ok(wire::SettleStatus::Lost) => SettleStatus::Lost,
            Ok(wire::SettleStatus::Gone) => SettleStatus::Gone,
            Ok(wire::SettleStatus::Invalid) => SettleStatus::Invalid,
            Ok(wire::SettleStatus::Unspecified) | Err(_) => SettleStatus::Unknown(number),
        }
    }
}

/// Why a settlement was invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseError {
    /// The field of the outcome, such as `usage[0].cost`.
    pub field: String,
    /// For people.
    pub message: String,
}

impl SettleResult {
    pub(crate) fn from_wire(result: wire::SettleResult) -> Self {
        Self {
            lease_id: result.lease_id,
            status: SettleStatus::from_wire(result.status),
            result_dropped: result.result_dropped,
            error: result.error.map(|error| LeaseError { field: error.field, message: error.message }),
        }
    }
}

/// What became of one lease's extension.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtendResult {
    /// The lease.
    pub lease_id: String,
    /// Extended, or why nothing changed.
    pub status: ExtendStatus,
    /// When it ends unless it is extended again.
    pub expire_time: Option<SystemTime>,
    /// Whether the job was cancelled, so that its handler should stop and settle.
    pub cancel_requested: bool,
}

/// Whether a lease was extended (semantics 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtendStatus {
    /// It was.
    Extended,
    /// It was settled before.
    AlreadySettled,
    /// It ended otherwise: the handler should stop.
    Lost,
    /// It isn't live, and what became of it is no longer known.
    Gone,
    /// Something that this client doesn't know, by its number.
    Unknown(i32),
}

impl ExtendStatus {
    fn from_wire(number: i32) -> Self {
        match wire::ExtendStatus::try_from(number) {
            Ok(wire::ExtendStatus::Extended) => ExtendStatus::Extended,
            Ok(wire::ExtendStatus::AlreadySettled) => ExtendStatus::AlreadySettled,
            Ok(wire::ExtendStatus::Lost) => ExtendStatus::Lost,
            Ok(wire::ExtendStatus::Gone) => ExtendStatus::Gone,
            Ok(wire::ExtendStatus::Unspecified) | Err(_) => ExtendStatus::Unknown(number),
        }
    }
}

impl ExtendResult {
    pub(crate) fn from_wire(result: wire::ExtendResult) -> Self {
        Self {
            lease_id: result.lease_id,
            status: ExtendStatus::from_wire(result.status),
            expire_time: time_from_wire(result.expire_time),
            cancel_requested: result.cancel_requested,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_reported_once_and_the_last_report_counts() {
        let second = Duration::from_secs(1);
        let settlement = Settlement::success("l")
            .usage("a", 1)
            .usage("b", 2)
            .usage("a", 0)
            .throttled("a", second)
            .throttled("a", second * 2)
            .into_wire();
        let usage: Vec<_> = settlement.usage.iter().map(|usage| (usage.budget.as_str(), usage.cost)).collect();
        assert_eq!(usage, [("b", 2), ("a", 0)]);
        assert_eq!(settlement.throttled.len(), 1);
        assert_eq!(settlement.throttled[0].retry_after, Some(duration_to_wire(second * 2)));
    }

    #[test]
    fn a_discard_is_a_failure_without_retry() {
        let Some(Outcome::Failure(failure)) = Settlement::discard("l", "no").into_wire().outcome else {
            panic!("a discard is a failure");
        };
        assert!(failure.discard);
        assert_eq!((failure.error.as_str(), failure.retry_after), ("no", None));
    }

    #[test]
    fn statuses_of_a_newer_server_are_no_error() {
        let settled = wire::SettleResult { status: 42, ..Default::default() };
        assert_eq!(SettleResult::from_wire(settled).status, SettleStatus::Unknown(42));
        let extended = wire::ExtendResult { status: 42, ..Default::default() };
        assert_eq!(ExtendResult::from_wire(extended).status, ExtendStatus::Unknown(42));
    }
}
