//! How often each command, each refusal, and some of what matters besides, was met.

use sluicegate::scheduler::command::{Ended, JobsChange, Part, Reply, Unsettled};
use sluicegate::scheduler::effect::Effect;
use sluicegate::scheduler::{Command, Rejection};

use super::counts::Counts;
use super::naive::Answer;

/// What every run must meet often enough.
pub const WANTED: [&str; 77] = [
    "jobs passed over",
    "dispatches of a job that was passed over",
    "jobs held up by what is set aside alone",
    "CreateBudget",
    "ReplaceBudget",
    "UpdateBudget",
    "DeleteBudget",
    "BlockBudget",
    "UnblockBudget",
    "AdjustBudget",
    "PauseQueue",
    "ResumeQueue",
    "Enqueue",
    "ModifyBindings",
    "CancelJobs",
    "CancelJobs by force",
    "RetryJobs",
    "DeleteJobs",
    "UpdateJobs",
    "BulkModifyBindings",
    "OpenSession",
    "SetWindow",
    "Received",
    "Settle",
    "Extend",
    "Leave",
    "CloseSession",
    "Drain",
    "refused: InvalidField",
    "refused: BudgetAlreadyExists",
    "refused: BudgetNotFound",
    "refused: CostExceedsCapacity",
    "refused: BudgetInUse",
    "refused: EtagMismatch",
    "refused: BudgetLimitReached",
    "refused: Overloaded",
    "refused: JobNotFound",
    "refused: AlreadyBound",
    "refused: NotBound",
    "refused: JobInFlight",
    "refused: JobFinished",
    "unsettled: AlreadySettled",
    "unsettled: Lost",
    "unsettled: Gone",
    "unsettled: NotBound",
    "unsettled: Invalid",
    "dispatches",
    "leases revoked",
    "restarts",
    "streams superseded",
    "leases taken over",
    "overruns",
    "refunds",
    "refunds that are cut",
    "refunds that are refused",
    "throttles",
    "tenth releases",
    "third unconfirmed pushes",
    "workers without bytes for the next job",
    "settled past their worker's stream",
    "jobs cancelled",
    "jobs cancelled by force",
    "workers asked to end",
    "cancelled leases taken over",
    "finished jobs retried",
    "backoffs ended",
    "retries of a key that is held",
    "jobs deleted",
    "jobs updated",
    "jobs rebound by a filter",
    "budgets not created for what is in flight",
    "jobs blocked",
    "retries refused",
    "changes refused",
    "changes only validated",
    "budgets kept for finished jobs",
    "clocks set right",
];

impl Counts {
    pub fn command(&mut self, command: &Command, answer: &Answer) {
        self.note(command_name(command));
        match answer {
            Err(rejection) => self.note(rejection_name(rejection)),
            Ok(Reply::Settled(settled)) => {
                for settled in settled {
                    self.note(settled.status.as_ref().map_or_else(unsettled_name, |_| "settled"));
                }
            }
            Ok(Reply::Changed(changed)) => self.add("jobs blocked", changed.blocked.len() as u64),
            Ok(_) => {}
        }
        if let Command::ChangeJobs { change, part, .. } = command {
            let (Part::Whole { apply } | Part::Step { apply, .. }) = part;
            self.add("changes only validated", (answer.is_ok() && !apply).into());
            self.add("changes refused", answer.is_err().into());
            self.add("retries refused", (answer.is_err() && *change == JobsChange::Retry).into());
        }
    }

    pub fn effects(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Push(_, leases) => self.add("dispatches", leases.len() as u64),
                Effect::Revoke(_, leases, _) => self.add("leases revoked", leases.len() as u64),
                Effect::Supersede(_) => self.note("streams superseded"),
            }
        }
    }
}

fn command_name(command: &Command) -> &'static str {
    match command {
        Command::CreateBudget { .. } => "CreateBudget",
        Command::ReplaceBudget { .. } => "ReplaceBudget",
        Command::UpdateBudget { .. } => "UpdateBudget",
        Command::DeleteBudget { .. } => "DeleteBudget",
        Command::BlockBudget { .. } => "BlockBudget",
        Command::UnblockBudget { .. } => "UnblockBudget",
        Command::AdjustBudget { .. } => "AdjustBudget",
        Command::PauseQueue { .. } => "PauseQueue",
        Command::ResumeQueue { .. } => "ResumeQueue",
        Command::Enqueue { .. } => "Enqueue",
        Command::ModifyBindings { .. } => "ModifyBindings",
        Command::ChangeJobs { change: JobsChange::Cancel { force: false }, .. } => "CancelJobs",
        Command::ChangeJobs { change: JobsChange::Cancel { force: true }, .. } => "CancelJobs by force",
        Command::ChangeJobs { change: JobsChange::Retry, .. } => "RetryJobs",
        Command::ChangeJobs { change: JobsChange::Delete, .. } => "DeleteJobs",
        Command::ChangeJobs { change: JobsChange::Update(_), .. } => "UpdateJobs",
        Command::ChangeJobs { change: JobsChange::Bindings(_), .. } => "BulkModifyBindings",
        Command::OpenSession(_) => "OpenSession",
        Command::SetWindow { .. } => "SetWindow",
        Command::Received { .. } => "Received",
        Command::Settle { .. } => "Settle",
        Command::Extend { .. } => "Extend",
        Command::Leave { .. } => "Leave",
        Command::CloseSession { .. } => "CloseSession",
        Command::Drain => "Drain",
    }
}

fn rejection_name(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::InvalidField { .. } => "refused: InvalidField",
        Rejection::BudgetAlreadyExists { .. } => "refused: BudgetAlreadyExists",
        Rejection::BudgetNotFound { .. } => "refused: BudgetNotFound",
        Rejection::CostExceedsCapacity(_) => "refused: CostExceedsCapacity",
        Rejection::BudgetInUse { .. } => "refused: BudgetInUse",
        Rejection::EtagMismatch { .. } => "refused: EtagMismatch",
        Rejection::BudgetLimitReached { .. } => "refused: BudgetLimitReached",
        Rejection::Overloaded { .. } => "refused: Overloaded",
        Rejection::JobNotFound { .. } => "refused: JobNotFound",
        Rejection::AlreadyBound { .. } => "refused: AlreadyBound",
        Rejection::NotBound { .. } => "refused: NotBound",
        Rejection::JobInFlight { .. } => "refused: JobInFlight",
        Rejection::JobFinished { .. } => "refused: JobFinished",
    }
}

fn unsettled_name(unsettled: &Unsettled) -> &'static str {
    match unsettled {
        Unsettled::NotLive(Ended::AlreadySettled) => "unsettled: AlreadySettled",
        Unsettled::NotLive(Ended::Lost) => "unsettled: Lost",
        Unsettled::NotLive(Ended::Gone) => "unsettled: Gone",
        Unsettled::NotBound { .. } => "unsettled: NotBound",
        Unsettled::Invalid { .. } => "unsettled: Invalid",
    }
}
