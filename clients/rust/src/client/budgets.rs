//! Calls about budgets.

use std::time::Duration;

use super::Client;
use crate::budget::{Budget, Policy};
use crate::budget_patch::PolicyPatch;
use crate::convert::{duration_to_wire, required};
use crate::error::Result;
use crate::listing::Listing;
use crate::wire;

/// On what terms a budget is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplaceOptions {
    /// Creates the budget if it doesn't exist.
    pub allow_missing: bool,
    /// The etag the policy must have; `None`: whatever it has.
    pub etag: Option<String>,
}

/// On what terms a budget is deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Is content if there is no such budget, whatever the etag.
    pub allow_missing: bool,
    /// The etag the policy must have; `None`: whatever it has.
    pub etag: Option<String>,
}

impl Client {
    /// Creates a budget; a `time_based` one starts full. [`BudgetAlreadyExists`](crate::Error::BudgetAlreadyExists) changes
    /// nothing, so that every instance of an application may declare its budgets on boot (semantics 7.1).
    pub async fn create_budget(&self, key: impl Into<String>, policy: Policy) -> Result<Budget> {
        let request = wire::CreateBudgetRequest { key: key.into(), policy: Some(policy.to_wire()) };
        answered(self.budget_service().create_budget(request).await?.into_inner().budget)
    }

    /// Overwrites the whole policy and keeps the create time.
    pub async fn replace_budget(
        &self,
        key: impl Into<String>,
        policy: Policy,
        options: ReplaceOptions,
    ) -> Result<Budget> {
        let request = wire::ReplaceBudgetRequest {
            key: key.into(),
            policy: Some(policy.to_wire()),
            allow_missing: options.allow_missing,
            etag: options.etag.unwrap_or_default(),
        };
        answered(self.budget_service().replace_budget(request).await?.into_inner().budget)
    }

    /// Changes the named fields of the policy, and keeps the rest. With an etag only a policy that still has it. An empty patch
    /// is sent and, by the contract, changes nothing.
    pub async fn update_budget(
        &self,
        key: impl Into<String>,
        patch: PolicyPatch,
        etag: Option<&str>,
    ) -> Result<Budget> {
        let (policy, mask) = patch.to_wire();
        let request = wire::UpdateBudgetRequest {
            key: key.into(),
            policy: Some(policy),
            update_mask: Some(mask),
            etag: etag.unwrap_or_default().to_owned(),
        };
        answered(self.budget_service().update_budget(request).await?.into_inner().budget)
    }

    /// Shows one budget.
    pub async fn get_budget(&self, key: impl Into<String>) -> Result<Budget> {
        let request = wire::GetBudgetRequest { key: key.into() };
        answered(self.budget_service().get_budget(request).await?.into_inner().budget)
    }

    /// Shows all budgets, in the order of their keys.
    pub fn list_budgets(&self) -> Listing<Budget> {
        self.list_budgets_by(None)
    }

    /// The same, fetched this many (1..=1000) at a time; 100 by default.
    pub fn list_budgets_by(&self, page_size: Option<u32>) -> Listing<Budget> {
        let service = self.budget_service();
        Listing::new(move |page_token| {
            let mut service = service.clone();
            async move {
                let request = wire::ListBudgetsRequest { page_size: page_size.unwrap_or_default(), page_token };
                let page = service.list_budgets(request).await?.into_inner();
                Ok((page.budgets.into_iter().map(Budget::from_wire).collect(), page.next_page_token))
            }
        })
    }

    /// Deletes a budget to which nothing unfinished is bound.
    pub async fn delete_budget(&self, key: impl Into<String>, options: DeleteOptions) -> Result<()> {
        let request = wire::DeleteBudgetRequest {
            key: key.into(),
            allow_missing: options.allow_missing,
            etag: options.etag.unwrap_or_default(),
        };
        self.budget_service().delete_budget(request).await?;
        Ok(())
    }

    /// Lets a budget dispatch nothing for this long (1 ns..=366 d), or until it is unblocked (semantics 9.4).
    pub async fn block_budget(&self, key: impl Into<String>, duration: Option<Duration>) -> Result<Budget> {
        let request = wire::BlockBudgetRequest { key: key.into(), duration: duration.map(duration_to_wire) };
        answered(self.budget_service().block_budget(request).await?.into_inner().budget)
    }

    /// Ends a block, and whatever workers reported as throttled.
    pub async fn unblock_budget(&self, key: impl Into<String>) -> Result<Budget> {
        let request = wire::UnblockBudgetRequest { key: key.into() };
        answered(self.budget_service().unblock_budget(request).await?.into_inner().budget)
    }

    /// Sets the level of a `time_based` pool, in tokens: 0..=capacity (semantics 9.5).
    pub async fn adjust_budget(&self, key: impl Into<String>, level: u64) -> Result<Budget> {
        let request = wire::AdjustBudgetRequest { key: key.into(), level: Some(level) };
        answered(self.budget_service().adjust_budget(request).await?.into_inner().budget)
    }
}

fn answered(budget: Option<wire::Budget>) -> Result<Budget> {
    required(budget, "budget").map(Budget::from_wire)
}
