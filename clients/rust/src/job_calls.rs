//! Calls about a job that is at hand: what [`Client`] does by id. Each change answers with the job as it is then, and leaves the
//! value it was asked of as it was.

use crate::binding::{Binding, BindingOperation, Changed};
use crate::client::{CancelMode, Client};
use crate::error::Result;
use crate::explain::Explanation;
use crate::stored_job::StoredJob;

impl StoredJob {
    /// Adds a binding; [`AlreadyBound`](crate::Error::AlreadyBound) if it is bound to the budget (semantics 8.1).
    ///
    /// ```no_run
    /// # use sluicegate_client::{Binding, Client, Error};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let job = client.get_job("some id").await?;
    /// let job = job.bind_budget(&client, Binding::new("smtp").cost(2)).await?;
    /// println!("{:?}", job.bindings);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn bind_budget(&self, client: &Client, binding: Binding) -> Result<StoredJob> {
        client.modify_bindings(&self.id, BindingOperation::Bind(binding)).await
    }

    /// Replaces the binding to a budget whole, or adds it.
    pub async fn rebind_budget(&self, client: &Client, binding: Binding) -> Result<StoredJob> {
        client.modify_bindings(&self.id, BindingOperation::Rebind(binding)).await
    }

    /// Changes what a binding costs, in tokens (1..=10^12); [`NotBound`](crate::Error::NotBound) if it isn't bound.
    pub async fn set_cost(&self, client: &Client, budget: impl Into<String>, cost: u64) -> Result<StoredJob> {
        client.set_cost(&self.id, budget, cost).await
    }

    /// Takes a binding away; [`NotBound`](crate::Error::NotBound) if it isn't bound.
    pub async fn unbind_budget(&self, client: &Client, budget: impl Into<String>) -> Result<StoredJob> {
        client.unbind_budget(&self.id, budget).await
    }

    /// Takes all bindings away.
    pub async fn unbind_all(&self, client: &Client) -> Result<StoredJob> {
        client.unbind_all(&self.id).await
    }

    /// Puts these bindings in place of all there are.
    pub async fn replace_bindings(&self, client: &Client, bindings: Vec<Binding>) -> Result<StoredJob> {
        client.replace_bindings(&self.id, bindings).await
    }

    /// Cancels it (semantics 6.1).
    pub async fn cancel(&self, client: &Client, mode: CancelMode) -> Result<Changed> {
        client.jobs().by_ids([&self.id]).cancel(mode).await
    }

    /// Makes it ready if it is dead, cancelled or waits for its backoff (semantics 6.5).
    pub async fn retry(&self, client: &Client) -> Result<Changed> {
        client.jobs().by_ids([&self.id]).retry().await
    }

    /// Deletes it unless it is in flight.
    pub async fn delete(&self, client: &Client) -> Result<Changed> {
        client.jobs().by_ids([&self.id]).delete().await
    }

    /// Says why it isn't being dispatched (semantics 12).
    pub async fn explain(&self, client: &Client) -> Result<Explanation> {
        client.explain_job(&self.id).await
    }

    /// It, in full, as it stands now.
    pub async fn refreshed(&self, client: &Client) -> Result<StoredJob> {
        client.get_job(&self.id).await
    }
}
