//! What is on a server before its load comes, and what keeps it stocked: budgets, and jobs that wait.

use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use tonic::transport::Channel;

use crate::load::{self, Load};
use crate::meter::Meter;
use crate::wire::budget_policy::Strategy;
use crate::wire::{self, BudgetPolicy, CreateBudgetRequest, JobSpec};

/// Jobs a call while a server is filled.
const BATCH: u64 = 1000;
/// Calls at a time while a server is filled.
const CALLS: usize = 4;
/// Calls at a time while budgets are created.
const CREATIONS: usize = 64;
/// Jobs a call while a server is kept stocked.
const TOP_UP: u64 = 100;

/// Enqueues so many jobs, each made from its number.
///
/// # Errors
/// A call is refused.
pub async fn fill(channel: &Channel, jobs: u64, make: impl Fn(u64) -> JobSpec) -> Result<()> {
    let batches = stream::iter((0..jobs).step_by(BATCH as usize)).map(|first| {
        let jobs = (first..jobs.min(first + BATCH)).map(|number| load::encoded(&make(number))).collect();
        let mut client = load::jobs(channel.clone());
        async move { load::enqueue(&mut client, jobs).await }
    });
    batches.buffered(CALLS).try_collect().await
}

/// Keeps so many jobs waiting, of which none is there yet. `taken` has to count, from now on, those that a worker got; `calls`
/// is told how long each call took.
pub fn keep(
    load: &mut Load,
    channel: Channel,
    waiting: u64,
    taken: Meter,
    calls: Meter,
    make: impl Fn(u64) -> JobSpec + 'static,
) {
    load.add(async move {
        let (mut client, mut enqueued) = (load::jobs(channel), 0);
        loop {
            let until = enqueued + TOP_UP.min(waiting);
            taken.reaches(until.saturating_sub(waiting)).await;
            let began = Instant::now();
            let jobs = (enqueued..until).map(|number| load::encoded(&make(number))).collect();
            load::enqueue(&mut client, jobs).await?;
            calls.add_time(began);
            calls.add_jobs(until - enqueued);
            enqueued = until;
        }
    });
}

/// Creates budgets by their keys.
///
/// # Errors
/// A call is refused.
pub async fn create(channel: &Channel, budgets: impl IntoIterator<Item = (String, BudgetPolicy)>) -> Result<()> {
    let calls = stream::iter(budgets).map(|(key, policy)| {
        let mut client = load::budgets(channel.clone());
        async move {
            client.create_budget(CreateBudgetRequest { key, policy: Some(policy) }).await?;
            Ok(())
        }
    });
    calls.buffer_unordered(CREATIONS).try_collect().await
}

/// So many tokens, each held from a dispatch to the end of its lease.
pub fn while_in_flight(allocation: u64) -> BudgetPolicy {
    let strategy = Some(Strategy::WhileInFlight(wire::WhileInFlight {}));
    BudgetPolicy { allocation, strategy, reserve_after: None }
}

/// So many tokens per duration, of which no more than `burst` gather.
pub fn time_based(allocation: u64, per: Duration, burst: u64) -> BudgetPolicy {
    let duration = prost_types::Duration::try_from(per).expect("it is less than an age");
    let strategy = Some(Strategy::TimeBased(wire::TimeBased { duration: Some(duration), burst: Some(burst) }));
    BudgetPolicy { allocation, strategy, reserve_after: None }
}
