//! `sluicegate.v1.BudgetService`.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use super::context::Context;
use super::convert::budget::{policy, wire_budget};
use super::convert::patch::policy_patch;
use super::convert::time::optional_span;
use super::convert::{At, etag, name, page_size, required};
use super::proto as pb;
use super::proto::budget_service_server::BudgetService;
use super::{errors, page_token};
use crate::scheduler::units::Tokens;
use crate::scheduler::{Command, Reply};

/// Creates, changes, blocks and shows budgets.
pub struct BudgetApi(pub Arc<Context>);

impl BudgetApi {
    /// Applies a command that is answered with the budget.
    async fn change(&self, command: Command) -> Result<pb::Budget, Status> {
        match self.0.handle.apply(command).await? {
            Reply::Budget(view) => Ok(wire_budget(view)),
            other => unreachable!("a change of a budget is answered with it, not with {other:?}"),
        }
    }
}

#[tonic::async_trait]
impl BudgetService for BudgetApi {
    async fn create_budget(
        &self,
        request: Request<pb::CreateBudgetRequest>,
    ) -> Result<Response<pb::CreateBudgetResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let command = Command::CreateBudget {
            key: name(&At::Root.field("key"), wire.key)?,
            policy: policy(&At::Root.field("policy"), wire.policy)?,
        };
        let budget = Some(self.change(command).await?);
        Ok(Response::new(pb::CreateBudgetResponse { budget }))
    }

    async fn replace_budget(
        &self,
        request: Request<pb::ReplaceBudgetRequest>,
    ) -> Result<Response<pb::ReplaceBudgetResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let command = Command::ReplaceBudget {
            key: name(&At::Root.field("key"), wire.key)?,
            policy: policy(&At::Root.field("policy"), wire.policy)?,
            allow_missing: wire.allow_missing,
            etag: etag(wire.etag),
        };
        let budget = Some(self.change(command).await?);
        Ok(Response::new(pb::ReplaceBudgetResponse { budget }))
    }

    async fn update_budget(
        &self,
        request: Request<pb::UpdateBudgetRequest>,
    ) -> Result<Response<pb::UpdateBudgetResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let command = Command::UpdateBudget {
            key: name(&At::Root.field("key"), wire.key)?,
            patch: policy_patch(&At::Root.field("policy"), wire.policy, wire.update_mask)?,
            etag: etag(wire.etag),
        };
        let budget = Some(self.change(command).await?);
        Ok(Response::new(pb::UpdateBudgetResponse { budget }))
    }

    async fn get_budget(
        &self,
        request: Request<pb::GetBudgetRequest>,
    ) -> Result<Response<pb::GetBudgetResponse>, Status> {
        let key = name(&At::Root.field("key"), request.into_inner().key)?;
        let wanted = key.clone();
        let found = self.0.handle.read(move |view| view.scheduler.budget(view.now, &wanted)).await?;
        let view = found.ok_or_else(|| errors::budget_not_found(&key, None))?;
        let budget = Some(wire_budget(view));
        Ok(Response::new(pb::GetBudgetResponse { budget }))
    }

    async fn list_budgets(
        &self,
        request: Request<pb::ListBudgetsRequest>,
    ) -> Result<Response<pb::ListBudgetsResponse>, Status> {
        let wire = request.into_inner();
        let limit = page_size(&At::Root.field("page_size"), wire.page_size)?;
        let after = page_token::budget(&wire.page_token)?;
        let page = self
            .0
            .handle
            .read(move |view| {
                let after = after.as_deref();
                view.scheduler.list_budgets(view.now, after, limit)
            })
            .await?;
        let next = page.next_after.as_deref().map(page_token::after_budget);
        Ok(Response::new(pb::ListBudgetsResponse {
            budgets: page.items.into_iter().map(wire_budget).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }

    async fn delete_budget(
        &self,
        request: Request<pb::DeleteBudgetRequest>,
    ) -> Result<Response<pb::DeleteBudgetResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let command = Command::DeleteBudget {
            key: name(&At::Root.field("key"), wire.key)?,
            allow_missing: wire.allow_missing,
            etag: etag(wire.etag),
        };
        self.0.handle.apply(command).await?;
        Ok(Response::new(pb::DeleteBudgetResponse {}))
    }

    async fn block_budget(
        &self,
        request: Request<pb::BlockBudgetRequest>,
    ) -> Result<Response<pb::BlockBudgetResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let command = Command::BlockBudget {
            key: name(&At::Root.field("key"), wire.key)?,
            span: optional_span(&At::Root.field("duration"), wire.duration)?,
        };
        let budget = Some(self.change(command).await?);
        Ok(Response::new(pb::BlockBudgetResponse { budget }))
    }

    async fn unblock_budget(
        &self,
        request: Request<pb::UnblockBudgetRequest>,
    ) -> Result<Response<pb::UnblockBudgetResponse>, Status> {
        self.0.accepting()?;
        let command = Command::UnblockBudget { key: name(&At::Root.field("key"), request.into_inner().key)? };
        let budget = Some(self.change(command).await?);
        Ok(Response::new(pb::UnblockBudgetResponse { budget }))
    }

    async fn adjust_budget(
        &self,
        request: Request<pb::AdjustBudgetRequest>,
    ) -> Result<Response<pb::AdjustBudgetResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let (key, level) = (name(&At::Root.field("key"), wire.key)?, required(&At::Root.field("level"), wire.level)?);
        let command = Command::AdjustBudget { key: key.clone(), level: Tokens(level) };
        let budget = Some(self.change(command).await?);
        tracing::info!(budget = %key, level, "an operator has set the level");
        Ok(Response::new(pb::AdjustBudgetResponse { budget }))
    }
}
