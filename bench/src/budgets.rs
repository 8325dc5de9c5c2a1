//! The budgets of a workload: how they are made, and what is bound to them.

use std::net::SocketAddr;

use anyhow::Result;
use futures_util::{StreamExt, TryStreamExt, stream};
use tonic::transport::Channel;

use crate::load;
use crate::wire::budget_policy::Strategy;
use crate::wire::budget_service_client::BudgetServiceClient;
use crate::wire::{self, BudgetPolicy, TimeBased, WhileInFlight};

/// Calls that are under way while many budgets are made.
const CALLS: usize = 64;

/// So many tokens at a time.
pub fn while_in_flight(allocation: u64) -> BudgetPolicy {
    policy(allocation, Strategy::WhileInFlight(WhileInFlight {}))
}

/// So many tokens in so many seconds, and a pool that holds `burst`.
pub fn time_based(allocation: u64, seconds: i64, burst: u64) -> BudgetPolicy {
    let duration = Some(prost_types::Duration { seconds, nanos: 0 });
    policy(allocation, Strategy::TimeBased(TimeBased { duration, burst: Some(burst) }))
}

fn policy(allocation: u64, strategy: Strategy) -> BudgetPolicy {
    BudgetPolicy { allocation, strategy: Some(strategy), reserve_after: None }
}

/// The key of the budget with this number.
pub fn key(number: u64) -> String {
    format!("budget-{number}")
}

/// What a job costs one budget.
pub fn binding(budget: String, cost: u64) -> wire::Binding {
    wire::Binding { budget, cost: Some(cost), ..Default::default() }
}

/// Makes budgets 0 to `count`.
///
/// # Errors
/// One is refused.
pub async fn create(address: SocketAddr, count: u64, policy: impl Fn(u64) -> BudgetPolicy) -> Result<()> {
    let client = BudgetServiceClient::new(load::connect(address).await?);
    let calls = stream::iter(0..count).map(|number| {
        let mut client = client.clone();
        let request = wire::CreateBudgetRequest { key: key(number), policy: Some(policy(number)) };
        async move { client.create_budget(request).await.map(drop) }
    });
    Ok(calls.buffer_unordered(CALLS).try_collect().await?)
}

/// What a budget is doing.
///
/// # Errors
/// There is no such budget.
pub async fn status(channel: Channel, number: u64) -> Result<wire::BudgetStatus> {
    let request = wire::GetBudgetRequest { key: key(number) };
    let answer = BudgetServiceClient::new(channel).get_budget(request).await?.into_inner();
    Ok(answer.budget.and_then(|budget| budget.status).unwrap_or_default())
}
