//! Which jobs a call is about, and what to change in them.

use std::time::{Duration, SystemTime};

use crate::convert::{duration_to_wire, time_to_wire};
use crate::job::{Backoff, Retention};
use crate::stored_job::JobState;
use crate::wire;

/// Selects the jobs that meet all conditions that are set; of a list, any entry.
///
/// Without a condition it selects all jobs for listing and counting, and is refused by calls that change jobs: these take
/// [`JobFilter::all`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFilter {
    wire: wire::JobFilter,
}

impl JobFilter {
    /// No condition.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every job, said outright.
    pub fn all() -> Self {
        Self { wire: wire::JobFilter { all: true, ..Default::default() } }
    }

    /// The jobs with these ids, at most 10,000; none of them selects none.
    pub fn ids<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        let list = self.wire.ids.get_or_insert_default();
        list.ids.extend(ids.into_iter().map(Into::into));
        self
    }

    /// In this queue, or one named before. At most 100.
    pub fn queue(mut self, name: impl Into<String>) -> Self {
        self.wire.queues.push(name.into());
        self
    }

    /// Of this type, or one named before; empty: without one. At most 100.
    pub fn job_type(mut self, job_type: impl Into<String>) -> Self {
        self.wire.types.push(job_type.into());
        self
    }

    /// In this state, or one named before.
    pub fn state(mut self, state: JobState) -> Self {
        self.wire.states.push(state.to_wire());
        self
    }

    /// Bound to this budget, or one named before. At most 100.
    pub fn budget(mut self, key: impl Into<String>) -> Self {
        self.wire.budgets.push(key.into());
        self
    }

    /// Of this priority, or less urgent.
    pub fn priority_min(mut self, priority: u16) -> Self {
        self.wire.priority_min = Some(priority.into());
        self
    }

    /// Of this priority, or more urgent.
    pub fn priority_max(mut self, priority: u16) -> Self {
        self.wire.priority_max = Some(priority.into());
        self
    }

    /// Enqueued at or after this.
    pub fn created_from(mut self, time: SystemTime) -> Self {
        self.wire.created_from = Some(time_to_wire(time));
        self
    }

    /// Enqueued before this.
    pub fn created_until(mut self, time: SystemTime) -> Self {
        self.wire.created_until = Some(time_to_wire(time));
        self
    }

    /// Ready at or after this.
    pub fn run_from(mut self, time: SystemTime) -> Self {
        self.wire.run_from = Some(time_to_wire(time));
        self
    }

    /// Ready before this.
    pub fn run_until(mut self, time: SystemTime) -> Self {
        self.wire.run_until = Some(time_to_wire(time));
        self
    }

    /// Whether it has no condition, and [`JobFilter::all`] wasn't said.
    pub fn is_empty(&self) -> bool {
        self.wire == wire::JobFilter::default()
    }

    /// Says that every job is meant, beside the conditions there are.
    pub(crate) fn every(mut self) -> Self {
        self.wire.all = true;
        self
    }

    pub(crate) fn into_wire(self) -> wire::JobFilter {
        self.wire
    }
}

/// What to change in scheduled and ready jobs. What isn't named stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobPatch {
    spec: wire::JobSpec,
    paths: Vec<String>,
}

impl JobPatch {
    /// Changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves them to this queue.
    pub fn queue(mut self, name: impl Into<String>) -> Self {
        self.spec.queue = name.into();
        self.named("queue")
    }

    /// Gives them this type.
    pub fn job_type(mut self, job_type: impl Into<String>) -> Self {
        self.spec.r#type = job_type.into();
        self.named("type")
    }

    /// Sets the priority; `None`: the default.
    pub fn priority(mut self, priority: impl Into<Option<u16>>) -> Self {
        self.spec.priority = priority.into().map(u32::from);
        self.named("priority")
    }

    /// Dispatches them no earlier than this, and ends a backoff or delay; `None`: as if they had been enqueued without it.
    pub fn run_at(mut self, time: impl Into<Option<SystemTime>>) -> Self {
        self.spec.run_time = time.into().map(time_to_wire);
        self.named("run_time")
    }

    /// Sets after how many failed attempts they are dead; `None`: the default.
    pub fn max_attempts(mut self, attempts: impl Into<Option<u32>>) -> Self {
        self.spec.max_attempts = attempts.into();
        self.named("max_attempts")
    }

    /// Sets the delay before a retry; `None`: the default.
    pub fn backoff(mut self, backoff: impl Into<Option<Backoff>>) -> Self {
        self.spec.backoff = backoff.into().map(Backoff::to_wire);
        self.named("backoff")
    }

    /// Sets how long they are kept once they are over; `None`: the default.
    pub fn retention(mut self, retention: impl Into<Option<Retention>>) -> Self {
        self.spec.retention = retention.into().map(Retention::to_wire);
        self.named("retention")
    }

    /// Sets the longest one attempt may take; `None`: no limit.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.spec.timeout = timeout.into().map(duration_to_wire);
        self.named("timeout")
    }

    fn named(mut self, path: &str) -> Self {
        if !self.paths.iter().any(|named| named == path) {
            self.paths.push(path.to_owned());
        }
        self
    }

    pub(crate) fn into_wire(self) -> (wire::JobSpec, prost_types::FieldMask) {
        (self.spec, prost_types::FieldMask { paths: self.paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ids_differs_from_an_empty_list_of_ids() {
        assert_eq!(JobFilter::new().into_wire().ids, None);
        let none = JobFilter::new().ids(Vec::<String>::new()).into_wire();
        assert_eq!(none.ids, Some(wire::JobIds { ids: Vec::new() }));
    }

    #[test]
    fn lists_add_up() {
        let filter = JobFilter::new().ids(["a"]).ids(["b"]).queue("q").queue("r").state(JobState::Ready);
        let filter = filter.into_wire();
        assert_eq!(filter.ids.map(|list| list.ids), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(filter.queues, ["q", "r"]);
        assert_eq!(filter.states, [i32::from(wire::JobState::Ready)]);
        assert!(!filter.all);
    }

    #[test]
    fn a_patch_names_each_field_once_and_resets_with_none() {
        let (spec, mask) = JobPatch::new().priority(5).priority(None).timeout(Duration::ZERO).into_wire();
        assert_eq!(mask.paths, ["priority", "timeout"]);
        assert_eq!(spec.priority, None);
        assert_eq!(spec.timeout, Some(prost_types::Duration::default()));
    }
}
