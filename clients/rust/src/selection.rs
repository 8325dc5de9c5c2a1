//! Calls over a selection of jobs, put together step by step. Owns that a change of every job must be said outright; what the
//! calls do is the client's.

use std::time::SystemTime;

use crate::binding::{Apply, Binding, BindingOperation, Changed};
use crate::client::{CancelMode, Client};
use crate::error::{Error, Result};
use crate::filter::{JobFilter, JobPatch};
use crate::listing::Listing;
use crate::stored_job::{JobState, JobView, StoredJob};

/// The jobs that meet all conditions that are set; of conditions of one kind, any. From [`Client::jobs`].
///
/// Without a condition it shows and counts all jobs. Calls that change jobs refuse that with [`Error::Config`], unless
/// [`Selection::all`] was said.
///
/// ```no_run
/// # use sluicegate_client::{Binding, Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let waiting = client.jobs().by_queue("emails").by_budgets_key("stripe");
/// let bound = waiting.bind_budget(Binding::new("smtp").cost(2)).await?;
/// println!("{} changed, {} are in flight: {:?}", bound.changed, bound.blocked_count, bound.blocked);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a selection does nothing by itself"]
pub struct Selection {
    client: Client,
    filter: JobFilter,
    apply: Apply,
}

impl Client {
    /// Selects jobs, to show, count or change them.
    pub fn jobs(&self) -> Selection {
        Selection { client: self.clone(), filter: JobFilter::new(), apply: Apply::Commit }
    }
}

impl Selection {
    /// Every job, said outright. Stands alone: the server refuses it beside a condition.
    pub fn all(self) -> Self {
        self.narrowed(JobFilter::every)
    }

    /// The jobs with these ids, at most 10,000; none of them selects none.
    pub fn by_ids<I: Into<String>>(self, ids: impl IntoIterator<Item = I>) -> Self {
        self.narrowed(|filter| filter.ids(ids))
    }

    /// In this queue, or one named before. At most 100.
    pub fn by_queue(self, name: impl Into<String>) -> Self {
        self.narrowed(|filter| filter.queue(name))
    }

    /// Of this type, or one named before; empty: without one. At most 100.
    pub fn by_type(self, job_type: impl Into<String>) -> Self {
        self.narrowed(|filter| filter.job_type(job_type))
    }

    /// In this state, or one named before.
    pub fn by_state(self, state: JobState) -> Self {
        self.narrowed(|filter| filter.state(state))
    }

    /// Bound to this budget, or one named before. At most 100.
    pub fn by_budgets_key(self, key: impl Into<String>) -> Self {
        self.narrowed(|filter| filter.budget(key))
    }

    /// Of a priority from `min`, the more urgent end, to `max`, both included.
    pub fn by_priority(self, min: u16, max: u16) -> Self {
        self.by_priority_min(min).by_priority_max(max)
    }

    /// Of this priority, or less urgent.
    pub fn by_priority_min(self, priority: u16) -> Self {
        self.narrowed(|filter| filter.priority_min(priority))
    }

    /// Of this priority, or more urgent.
    pub fn by_priority_max(self, priority: u16) -> Self {
        self.narrowed(|filter| filter.priority_max(priority))
    }

    /// Enqueued at or after `from` and before `until`.
    pub fn by_create_time(self, from: SystemTime, until: SystemTime) -> Self {
        self.narrowed(|filter| filter.created_from(from).created_until(until))
    }

    /// Ready at or after `from` and before `until`.
    pub fn by_run_time(self, from: SystemTime, until: SystemTime) -> Self {
        self.narrowed(|filter| filter.run_from(from).run_until(until))
    }

    /// Makes the calls that follow change nothing, and answer or refuse as if they had.
    pub fn validate_only(mut self) -> Self {
        self.apply = Apply::ValidateOnly;
        self
    }

    /// How many they are.
    pub async fn count(&self) -> Result<u64> {
        self.client.count_jobs(self.filter.clone()).await
    }

    /// Shows them in the order of their enqueues, in the basic view, page by page.
    pub fn list(&self) -> Listing<StoredJob> {
        self.list_in(JobView::Basic, None)
    }

    /// Shows them in a view, fetched this many (1..=1000) at a time; 100 by default.
    pub fn list_in(&self, view: JobView, page_size: Option<u32>) -> Listing<StoredJob> {
        self.client.list_jobs_in(self.filter.clone(), view, page_size)
    }

    /// Adds a binding to those that aren't bound to the budget.
    pub async fn bind_budget(&self, binding: Binding) -> Result<Changed> {
        self.modify_bindings(BindingOperation::Bind(binding)).await
    }

    /// Replaces the binding to a budget whole, or adds it.
    pub async fn rebind_budget(&self, binding: Binding) -> Result<Changed> {
        self.modify_bindings(BindingOperation::Rebind(binding)).await
    }

    /// Changes what a binding costs, in tokens (1..=10^12), of those that are bound to the budget.
    pub async fn set_cost(&self, budget: impl Into<String>, cost: u64) -> Result<Changed> {
        self.modify_bindings(BindingOperation::SetCost { budget: budget.into(), cost }).await
    }

    /// Takes a binding away from those that are bound to the budget.
    pub async fn unbind_budget(&self, budget: impl Into<String>) -> Result<Changed> {
        self.modify_bindings(BindingOperation::Unbind { budget: budget.into() }).await
    }

    /// Takes all bindings away.
    pub async fn unbind_all(&self) -> Result<Changed> {
        self.modify_bindings(BindingOperation::UnbindAll).await
    }

    /// Puts these bindings in place of all there are.
    pub async fn replace_bindings(&self, bindings: Vec<Binding>) -> Result<Changed> {
        self.modify_bindings(BindingOperation::ReplaceAll(bindings)).await
    }

    /// Changes their bindings (semantics 8.2). `blocked`: those in flight.
    pub async fn modify_bindings(&self, operation: BindingOperation) -> Result<Changed> {
        self.client.modify_bindings_of(self.chosen()?, operation, self.apply).await
    }

    /// Cancels them (semantics 6.1). `blocked`: those in flight that have been asked to end.
    pub async fn cancel(&self, mode: CancelMode) -> Result<Changed> {
        self.client.cancel_jobs(self.chosen()?, mode, self.apply).await
    }

    /// Makes those that are dead, cancelled or wait for their backoff ready. `blocked`: those whose unique key another holds.
    pub async fn retry(&self) -> Result<Changed> {
        self.client.retry_jobs(self.chosen()?, self.apply).await
    }

    /// Deletes those that aren't in flight. `blocked`: those that are.
    pub async fn delete(&self) -> Result<Changed> {
        self.client.delete_jobs(self.chosen()?, self.apply).await
    }

    /// Changes those that are scheduled or ready. `blocked`: those in flight.
    pub async fn update(&self, patch: JobPatch) -> Result<Changed> {
        self.client.update_jobs(self.chosen()?, patch, self.apply).await
    }

    fn narrowed(mut self, by: impl FnOnce(JobFilter) -> JobFilter) -> Self {
        self.filter = by(self.filter);
        self
    }

    /// The filter of a change.
    fn chosen(&self) -> Result<JobFilter> {
        if self.filter.is_empty() {
            let message = "the selection has no condition; say `all()` to change every job".to_owned();
            return Err(Error::Config { message });
        }
        Ok(self.filter.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection() -> Selection {
        Client::connect_lazy("http://127.0.0.1:1").expect("a URI").jobs()
    }

    #[tokio::test]
    async fn a_change_of_everything_must_be_said() {
        assert!(matches!(selection().chosen(), Err(Error::Config { .. })));
        let refused = selection().cancel(CancelMode::Ask).await;
        assert!(matches!(refused, Err(Error::Config { .. })), "nothing is sent: {refused:?}");
        assert_eq!(selection().all().chosen().expect("said outright"), JobFilter::all());
    }

    #[tokio::test]
    async fn each_condition_narrows() {
        let chosen = |selection: Selection| selection.chosen().expect("a condition");
        assert_eq!(chosen(selection().by_ids(Vec::<String>::new())), JobFilter::new().ids(Vec::<String>::new()));
        let narrow = selection().by_queue("q").by_type("t").by_state(JobState::Dead).by_budgets_key("b");
        let filter = JobFilter::new().queue("q").job_type("t").state(JobState::Dead).budget("b");
        assert_eq!(chosen(narrow.by_priority(1, 2)), filter.priority_min(1).priority_max(2));
    }
}
