//! What a handler gets: its job, whether it should stop, and where to report what it used.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::outcome::Reports;
use crate::error::Result;
use crate::job::{TRACEPARENT, TRACESTATE};
use crate::lease::LeasedJob;

/// Why a handler should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelReason {
    /// The lease has ended without it: another worker may have the job. Whatever the handler answers is dropped.
    LeaseLost,
    /// The job was cancelled (semantics 6.1). Success still completes it; any other answer cancels it.
    CancelRequested,
    /// The worker stops, and waits no longer. A failure now counts as a release.
    WorkerStopping,
}

/// A handler's job and its surroundings. Cheap to clone.
#[derive(Clone, Debug)]
pub struct JobContext {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    job: LeasedJob,
    stop: StopSignal,
    reports: Mutex<Reports>,
}

/// Tells a handler to stop, and why. The first reason stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopSignal {
    token: CancellationToken,
    reason: Arc<OnceLock<CancelReason>>,
}

impl StopSignal {
    pub fn stop(&self, reason: CancelReason) {
        self.reason.get_or_init(|| reason);
        self.token.cancel();
    }

    pub fn reason(&self) -> Option<CancelReason> {
        self.reason.get().copied()
    }
}

impl JobContext {
    pub(crate) fn new(job: LeasedJob, stop: StopSignal) -> Self {
        Self { inner: Arc::new(Inner { job, stop, reports: Mutex::default() }) }
    }

    /// The job with its lease.
    pub fn job(&self) -> &LeasedJob {
        &self.inner.job
    }

    /// The job's id.
    pub fn id(&self) -> &str {
        &self.job().id
    }

    /// The job's queue.
    pub fn queue(&self) -> &str {
        &self.job().queue
    }

    /// The job's type; may be empty.
    pub fn job_type(&self) -> &str {
        &self.job().job_type
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.job().attempt
    }

    /// Free pairs that travel with the job, such as `traceparent`.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.job().metadata
    }

    /// The trace that the producer carried on with [`Job::traceparent`](crate::Job::traceparent), if it did.
    pub fn traceparent(&self) -> Option<&str> {
        self.metadata().get(TRACEPARENT).map(String::as_str)
    }

    /// What vendors say of that trace, if the producer carried it on.
    pub fn tracestate(&self) -> Option<&str> {
        self.metadata().get(TRACESTATE).map(String::as_str)
    }

    /// The bytes of the payload.
    pub fn payload(&self) -> &[u8] {
        self.job().payload.as_bytes()
    }

    /// Reads the payload as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        self.job().json()
    }

    /// Ends when the handler should stop; see [`JobContext::cancel_reason`].
    pub async fn cancelled(&self) {
        self.inner.stop.token.cancelled().await;
    }

    /// Whether the handler should stop.
    pub fn is_cancelled(&self) -> bool {
        self.inner.stop.token.is_cancelled()
    }

    /// The token behind [`JobContext::cancelled`], to hand on.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.inner.stop.token
    }

    /// Why the handler should stop; `None` as long as it shouldn't.
    pub fn cancel_reason(&self) -> Option<CancelReason> {
        self.inner.stop.reason()
    }

    /// Reports what this attempt has used of a budget in all, in tokens (0..=10^12), with whatever outcome follows (semantics
    /// 9.1). The last report for a budget counts. The job must be bound to it.
    pub fn report_usage(&self, budget: impl Into<String>, used: u64) {
        self.with_reports(|reports| _ = reports.usage.insert(budget.into(), used));
    }

    /// Reports a limit of the far side, with whatever outcome follows: the budget dispatches nothing for this long (0..=24 h;
    /// semantics 9.3). The last report for a budget counts. The job must be bound to it.
    pub fn report_throttled(&self, budget: impl Into<String>, retry_after: Duration) {
        self.with_reports(|reports| _ = reports.throttled.insert(budget.into(), retry_after));
    }

    /// What was reported so far, for the settlement.
    pub(crate) fn take_reports(&self) -> Reports {
        self.with_reports(std::mem::take)
    }

    fn with_reports<T>(&self, change: impl FnOnce(&mut Reports) -> T) -> T {
        change(&mut self.inner.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_to_stop_stays() {
        let stop = StopSignal::default();
        assert_eq!(stop.reason(), None);
        stop.stop(CancelReason::CancelRequested);
        stop.stop(CancelReason::LeaseLost);
        assert_eq!(stop.reason(), Some(CancelReason::CancelRequested));
        assert!(stop.token.is_cancelled());
    }
}
