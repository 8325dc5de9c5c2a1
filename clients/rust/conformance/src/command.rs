//! The commands by name, and who does each.

use serde::Deserialize;
use serde_json::Value;

use crate::Runner;
use crate::failure::{Answer, Failure};
use crate::{bindings, budgets, handler, jobs, leases, resources, workers};

/// One command with its arguments.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub(crate) enum Command {
    DefineBudget(budgets::Define),
    GetBudget(budgets::Key),
    ListBudgets(budgets::List),
    UpdateBudget(budgets::Update),
    DeleteBudget(budgets::Delete),
    BlockBudget(budgets::Block),
    UnblockBudget(budgets::Key),
    AdjustBudget(budgets::Adjust),
    EncodePolicy(budgets::Encode),
    Enqueue(jobs::Enqueue),
    EnqueueMany(jobs::EnqueueMany),
    EncodeJob(jobs::Encode),
    GetJob(jobs::Id),
    ListJobs(jobs::List),
    CountJobs(jobs::Selected),
    Explain(jobs::Id),
    CancelJobs(jobs::Cancel),
    RetryJobs(jobs::Selected),
    DeleteJobs(jobs::Selected),
    UpdateJobs(jobs::Update),
    ListQueues(jobs::Queues),
    PauseQueue(jobs::Queue),
    ResumeQueue(jobs::Queue),
    Bind(bindings::One),
    Rebind(bindings::One),
    SetCost(bindings::OneCost),
    Unbind(bindings::OneKey),
    UnbindAll(jobs::Id),
    ReplaceBindings(bindings::OneAll),
    BulkBind(bindings::Many),
    BulkRebind(bindings::Many),
    BulkSetCost(bindings::ManyCost),
    BulkUnbind(bindings::ManyKey),
    BulkUnbindAll(jobs::Selected),
    BulkReplace(bindings::ManyAll),
    LeaseJobs(leases::Lease),
    SettleJobs(leases::Settle),
    ExtendLeases(leases::Extend),
    StartWorker(workers::Start),
    StopWorker(workers::Stop),
    Finish(handler::Finish),
    Resources(resources::Resources),
}

impl Command {
    /// Reads one; an unknown name is as little ours as arguments that make no sense.
    pub fn read(line: Value) -> Result<Self, Failure> {
        serde_json::from_value(line).map_err(|error| Failure::Unsupported(error.to_string()))
    }

    /// Does it.
    pub async fn run(self, runner: &Runner) -> Answer {
        let client = &runner.client;
        match self {
            Command::DefineBudget(args) => args.run(client).await,
            Command::GetBudget(args) => args.get(client).await,
            Command::ListBudgets(args) => args.run(client).await,
            Command::UpdateBudget(args) => args.run(client).await,
            Command::DeleteBudget(args) => args.run(client).await,
            Command::BlockBudget(args) => args.run(client).await,
            Command::UnblockBudget(args) => args.unblock(client).await,
            Command::AdjustBudget(args) => args.run(client).await,
            Command::EncodePolicy(args) => args.run(),
            Command::Enqueue(args) => args.run(client).await,
            Command::EnqueueMany(args) => args.run(client).await,
            Command::EncodeJob(args) => args.run(),
            Command::GetJob(args) => args.get(client).await,
            Command::ListJobs(args) => args.run(client).await,
            Command::CountJobs(args) => args.count(client).await,
            Command::Explain(args) => args.explain(client).await,
            Command::CancelJobs(args) => args.run(client).await,
            Command::RetryJobs(args) => args.retry(client).await,
            Command::DeleteJobs(args) => args.delete(client).await,
            Command::UpdateJobs(args) => args.run(client).await,
            Command::ListQueues(args) => args.run(client).await,
            Command::PauseQueue(args) => args.pause(client).await,
            Command::ResumeQueue(args) => args.resume(client).await,
            Command::Bind(args) => args.bind(client).await,
            Command::Rebind(args) => args.rebind(client).await,
            Command::SetCost(args) => args.run(client).await,
            Command::Unbind(args) => args.run(client).await,
            Command::UnbindAll(args) => args.unbind_all(client).await,
            Command::ReplaceBindings(args) => args.run(client).await,
            Command::BulkBind(args) => args.bind(client).await,
            Command::BulkRebind(args) => args.rebind(client).await,
            Command::BulkSetCost(args) => args.run(client).await,
            Command::BulkUnbind(args) => args.run(client).await,
            Command::BulkUnbindAll(args) => args.unbind_all(client).await,
            Command::BulkReplace(args) => args.run(client).await,
            Command::LeaseJobs(args) => args.run(client).await,
            Command::SettleJobs(args) => args.run(client).await,
            Command::ExtendLeases(args) => args.run(client).await,
            Command::StartWorker(args) => args.run(runner),
            Command::StopWorker(args) => args.run(&runner.workers).await,
            Command::Finish(args) => args.run(&runner.workers.waiting),
            Command::Resources(args) => args.run(),
        }
    }
}
