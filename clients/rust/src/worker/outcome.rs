//! What handlers answer, and the settlement it becomes. Owns the mapping; starts and sends nothing.

use std::any::Any;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;

use super::stats::Ending;
use crate::error::{Result, chain};
use crate::settlement::Settlement;
use crate::wire::{self, SettleOutcome, settle_outcome::Outcome};

/// What a handler returns with success: kept with the job as long as it is retained. At most 64 KiB; `()` is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobResult(Bytes);

impl JobResult {
    /// This value as JSON.
    pub fn json(value: &(impl Serialize + ?Sized)) -> Result<Self> {
        Ok(Self(serde_json::to_vec(value)?.into()))
    }
}

impl From<()> for JobResult {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<Bytes> for JobResult {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl From<Vec<u8>> for JobResult {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<String> for JobResult {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// Why a handler didn't succeed, and what is to become of its job.
///
/// Any error converts into a failure, so that `?` works; its message names the error and its causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerError {
    /// The attempt failed, and is used up; the job is retried.
    Failure {
        /// What went wrong, for people. Cut beyond 4 KiB.
        message: String,
        /// The delay before the retry, in place of the backoff. 0..=24 h.
        retry_after: Option<Duration>,
    },
    /// The job is dead at once, whatever attempts are left.
    Discard {
        /// What went wrong, for people. Cut beyond 4 KiB.
        message: String,
    },
    /// Nothing is wrong with the job: it goes back at its old rank, no attempt is used.
    Release {
        /// Not dispatched again before this. 0..=24 h; `None`: at once.
        delay: Option<Duration>,
    },
    /// A limit of the far side was met: the job goes back, and the budget dispatches nothing for a while (semantics 9.3).
    Throttled {
        /// The budget's key; the job must be bound to it.
        budget: String,
        /// From now. 0..=24 h.
        retry_after: Duration,
    },
}

impl HandlerError {
    /// A failure that is retried after the job's backoff.
    pub fn failure(message: impl Into<String>) -> Self {
        HandlerError::Failure { message: message.into(), retry_after: None }
    }

    /// A failure that is never retried.
    pub fn discard(message: impl Into<String>) -> Self {
        HandlerError::Discard { message: message.into() }
    }

    /// Gives the job back.
    pub fn release() -> Self {
        HandlerError::Release { delay: None }
    }

    /// Gives the job back; not to be dispatched again before `delay` (0..=24 h).
    pub fn release_after(delay: Duration) -> Self {
        HandlerError::Release { delay: Some(delay) }
    }

    /// Gives the job back, and lets the budget dispatch nothing for `retry_after` (0..=24 h).
    pub fn throttled(budget: impl Into<String>, retry_after: Duration) -> Self {
        HandlerError::Throttled { budget: budget.into(), retry_after }
    }

    /// Sets when the job is dispatched again at the earliest: the retry of a failure, the delay of a release, the pause of a
    /// throttled budget. A discarded job is never dispatched again, whatever this says.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        match &mut self {
            HandlerError::Failure { retry_after, .. } => *retry_after = Some(wait),
            HandlerError::Release { delay } => *delay = Some(wait),
            HandlerError::Throttled { retry_after, .. } => *retry_after = wait,
            HandlerError::Discard { .. } => {}
        }
        self
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for HandlerError {
    fn from(error: E) -> Self {
        HandlerError::failure(chain(error.into().as_ref()))
    }
}

/// What a handler answers.
pub(crate) type HandlerOutcome = std::result::Result<JobResult, HandlerError>;

/// What a handler reports besides its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reports {
    /// Tokens used, by budget.
    pub usage: BTreeMap<String, u64>,
    /// For how long a budget is to dispatch nothing.
    pub throttled: BTreeMap<String, Duration>,
}

/// The settlement of an outcome, and how it counts.
///
/// A failure of a handler that was told to stop since its worker stops says nothing about the job: it is a release.
pub(crate) fn settlement(
    lease_id: &str,
    outcome: HandlerOutcome,
    reports: Reports,
    worker_stops: bool,
) -> (Settlement, Ending) {
    let (settlement, ending) = match outcome {
        Ok(JobResult(result)) => (Settlement::success_with(lease_id, result), Ending::Succeeded),
        Err(HandlerError::Failure { .. }) if worker_stops => (Settlement::release(lease_id, None), Ending::Released),
        Err(HandlerError::Failure { message, retry_after }) => {
            (Settlement::failure(lease_id, message, retry_after), Ending::Failed)
        }
        Err(HandlerError::Discard { message }) => (Settlement::discard(lease_id, message), Ending::Failed),
        Err(HandlerError::Release { delay }) => (Settlement::release(lease_id, delay), Ending::Released),
        Err(HandlerError::Throttled { budget, retry_after }) => {
            let release = Settlement::release(lease_id, None);
            (release.throttled(budget, retry_after), Ending::Released)
        }
    };
    let settlement = reports.usage.into_iter().fold(settlement, |it, (budget, cost)| it.usage(budget, cost));
    let settlement = reports.throttled.into_iter().fold(settlement, |it, (budget, wait)| it.throttled(budget, wait));
    (settlement, ending)
}

/// What the job's life depends on, without what the server may have refused.
pub(crate) fn without_options(outcome: &SettleOutcome) -> SettleOutcome {
    let bare = match &outcome.outcome {
        Some(Outcome::Success(_)) => Outcome::Success(wire::JobSuccess::default()),
        Some(Outcome::Failure(failure)) => Outcome::Failure(wire::JobFailure { retry_after: None, ..failure.clone() }),
        Some(Outcome::Release(_)) | None => Outcome::Release(wire::JobRelease::default()),
    };
    SettleOutcome { lease_id: outcome.lease_id.clone(), outcome: Some(bare), usage: Vec::new(), throttled: Vec::new() }
}

/// What a handler that panicked has answered.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> HandlerOutcome {
    let words = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without words");
    Err(HandlerError::failure(format!("handler panicked: {words}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{JobFailure, JobRelease, JobSuccess};

    fn settled(outcome: HandlerOutcome, worker_stops: bool) -> (Outcome, Ending) {
        let (settlement, ending) = settlement("l", outcome, Reports::default(), worker_stops);
        (settlement.into_wire().outcome.expect("every settlement has an outcome"), ending)
    }

    #[test]
    fn each_answer_has_its_outcome() {
        let second = Duration::from_secs(1);
        let success = Outcome::Success(JobSuccess { result: Bytes::from_static(b"1") });
        assert_eq!(settled(Ok(JobResult::json(&1).expect("JSON")), true), (success, Ending::Succeeded));

        let (Outcome::Failure(failure), Ending::Failed) =
            settled(Err(HandlerError::failure("why").retry_after(second)), false)
        else {
            panic!("a failure fails");
        };
        let JobFailure { error, retry_after, discard } = failure;
        assert_eq!((error.as_str(), retry_after.map(|wait| wait.seconds), discard), ("why", Some(1), false));

        let release = Outcome::Release(JobRelease { delay: None });
        assert_eq!(settled(Err(HandlerError::release()), false), (release.clone(), Ending::Released));
        assert_eq!(settled(Err(HandlerError::throttled("b", second)), false).0, release);
    }

    #[test]
    fn a_failure_of_a_stopping_worker_is_a_release_and_a_discard_is_not() {
        let release = Outcome::Release(JobRelease { delay: None });
        assert_eq!(settled(Err(HandlerError::failure("stopped")), true), (release, Ending::Released));
        let (Outcome::Failure(failure), Ending::Failed) = settled(Err(HandlerError::discard("bad")), true) else {
            panic!("a discard fails");
        };
        assert!(failure.discard);
    }

    #[test]
    fn reports_go_with_any_outcome() {
        let reports = Reports {
            usage: BTreeMap::from([("a".into(), 0)]),
            throttled: BTreeMap::from([("b".into(), Duration::from_secs(2))]),
        };
        let throttled = Err(HandlerError::throttled("a", Duration::from_secs(1)));
        let (settlement, _) = settlement("l", throttled, reports, false);
        let settlement = settlement.into_wire();
        assert_eq!(settlement.usage.len(), 1);
        let budgets: Vec<_> = settlement.throttled.iter().map(|it| it.budget.as_str()).collect();
        assert_eq!(budgets, ["a", "b"]);
    }

    #[test]
    fn any_error_converts_with_its_causes() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot send")]
        struct Outer(#[source] std::io::Error);

        fn fails() -> std::result::Result<(), HandlerError> {
            Err(Outer(std::io::Error::other("no route")))?;
            Ok(())
        }
        assert_eq!(fails(), Err(HandlerError::failure("cannot send: no route")));
        assert_eq!(HandlerError::from("words"), HandlerError::failure("words"));
        assert_eq!(HandlerError::from("words".to_owned()), HandlerError::failure("words"));
    }

    #[test]
    fn what_was_refused_keeps_its_kind_and_loses_what_is_optional() {
        let usage = |settlement: Settlement| settlement.usage("b", 1).throttled("b", Duration::ZERO).into_wire();
        for (full, bare) in [
            (Settlement::success_with("l", "result"), Settlement::success("l")),
            (Settlement::failure("l", "why", Some(Duration::MAX)), Settlement::failure("l", "why", None)),
            (Settlement::discard("l", "why"), Settlement::discard("l", "why")),
            (Settlement::release("l", Some(Duration::MAX)), Settlement::release("l", None)),
        ] {
            assert_eq!(without_options(&usage(full)), bare.into_wire());
        }
    }

    #[test]
    fn panics_are_failures_in_their_own_words() {
        let words = |panic: Box<dyn Any + Send>| panicked(panic.as_ref());
        assert_eq!(words(Box::new("str")), Err(HandlerError::failure("handler panicked: str")));
        let string = Box::new("string".to_owned());
        assert_eq!(words(string), Err(HandlerError::failure("handler panicked: string")));
        assert_eq!(words(Box::new(5)), Err(HandlerError::failure("handler panicked: without words")));
    }
}
