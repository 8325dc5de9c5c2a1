//! Calls that change the bindings of jobs (semantics 8).

use super::Client;
use crate::binding::{Apply, Binding, BindingOperation, Changed};
use crate::convert::required;
use crate::error::Result;
use crate::filter::JobFilter;
use crate::stored_job::StoredJob;
use crate::wire;

impl Client {
    /// Changes the bindings of one scheduled or ready job, and answers with the job as it is then. It is tried again at once, at
    /// its old rank.
    pub async fn modify_bindings(&self, job_id: impl Into<String>, operation: BindingOperation) -> Result<StoredJob> {
        let request = wire::ModifyBindingsRequest { job_id: job_id.into(), operation: Some(operation.into_wire()) };
        let answer = self.job_service().modify_bindings(request).await?.into_inner();
        required(answer.job, "job").map(StoredJob::from_wire)
    }

    /// Adds a binding; [`AlreadyBound`](crate::Error::AlreadyBound) if the job is bound to the budget.
    pub async fn bind_budget(&self, job_id: impl Into<String>, binding: Binding) -> Result<StoredJob> {
        self.modify_bindings(job_id, BindingOperation::Bind(binding)).await
    }

    /// Replaces the binding to a budget whole, or adds it.
    pub async fn rebind_budget(&self, job_id: impl Into<String>, binding: Binding) -> Result<StoredJob> {
        self.modify_bindings(job_id, BindingOperation::Rebind(binding)).await
    }

    /// Changes what a binding costs, in tokens; [`NotBound`](crate::Error::NotBound) if the job isn't bound to the budget.
    pub async fn set_cost(&self, job_id: impl Into<String>, budget: impl Into<String>, cost: u64) -> Result<StoredJob> {
        self.modify_bindings(job_id, BindingOperation::SetCost { budget: budget.into(), cost }).await
    }

    /// Takes a binding away; [`NotBound`](crate::Error::NotBound) if the job isn't bound to the budget.
    pub async fn unbind_budget(&self, job_id: impl Into<String>, budget: impl Into<String>) -> Result<StoredJob> {
        self.modify_bindings(job_id, BindingOperation::Unbind { budget: budget.into() }).await
    }

    /// Takes all bindings away.
    pub async fn unbind_all(&self, job_id: impl Into<String>) -> Result<StoredJob> {
        self.modify_bindings(job_id, BindingOperation::UnbindAll).await
    }

    /// Puts these bindings in place of all there are.
    pub async fn replace_bindings(&self, job_id: impl Into<String>, bindings: Vec<Binding>) -> Result<StoredJob> {
        self.modify_bindings(job_id, BindingOperation::ReplaceAll(bindings)).await
    }

    /// Changes the bindings of all jobs that a filter selects (semantics 8.2). `blocked`: those in flight.
    pub async fn modify_bindings_of(
        &self,
        filter: JobFilter,
        operation: BindingOperation,
        apply: Apply,
    ) -> Result<Changed> {
        let request = wire::BulkModifyBindingsRequest {
            filter: Some(filter.into_wire()),
            operation: Some(operation.into_wire()),
            validate_only: apply.is_validate_only(),
        };
        let answer = self.job_service().bulk_modify_bindings(request).await?.into_inner();
        let wire::BulkModifyBindingsResponse { changed, blocked, blocked_count } = answer;
        Ok(Changed { changed, blocked, blocked_count })
    }
}
