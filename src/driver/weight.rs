//! How much memory a command takes while it waits: near enough to bound the mailbox and a batch by.

use crate::scheduler::Command;
use crate::scheduler::command::{
    BindingOperation, JobPatch, JobsChange, NewBinding, NewJob, OpenSession, Outcome, SessionMode, Verdict,
};
use crate::scheduler::job::Name;
use crate::scheduler::units::LeaseId;
use crate::scheduler::view::JobFilter;

/// About the bytes that `command` holds on to, beyond a small constant.
pub(super) fn of_command(command: &Command) -> usize {
    match command {
        Command::Enqueue { jobs, .. } => jobs.iter().map(of_job).sum(),
        Command::Settle { outcomes, .. } => outcomes.iter().map(of_outcome).sum(),
        Command::ModifyBindings { operation, .. } => of_operation(operation),
        Command::ChangeJobs { filter, change, .. } => of_filter(filter) + of_change(change),
        Command::OpenSession(open) => of_session(open),
        Command::Received { leases } | Command::Extend { leases } => of_leases(leases),
        Command::CreateBudget { .. }
        | Command::ReplaceBudget { .. }
        | Command::UpdateBudget { .. }
        | Command::DeleteBudget { .. }
        | Command::BlockBudget { .. }
        | Command::UnblockBudget { .. }
        | Command::AdjustBudget { .. }
        | Command::PauseQueue { .. }
        | Command::ResumeQueue { .. }
        | Command::SetWindow { .. }
        | Command::Leave { .. }
        | Command::CloseSession { .. }
        | Command::Drain => 0,
    }
}

/// About the bytes of a session's opening.
pub(super) fn of_session(open: &OpenSession) -> usize {
    let held = match &open.mode {
        SessionMode::Stream { held, .. } => held.as_deref().map_or(0, of_leases),
        SessionMode::Once { .. } => 0,
    };
    held + open.queues.iter().map(of_name).sum::<usize>()
}

fn of_filter(filter: &JobFilter) -> usize {
    let ids = filter.ids.as_ref().map_or(0, |ids| size_of_val(&ids[..]));
    let names = [&filter.queues, &filter.kinds, &filter.budgets].into_iter().flatten().flatten();
    ids + names.map(of_name).sum::<usize>()
}

fn of_change(change: &JobsChange) -> usize {
    match change {
        JobsChange::Bindings(operation) => of_operation(operation),
        JobsChange::Update(_) => size_of::<JobPatch>(),
        JobsChange::Cancel { .. } | JobsChange::Retry | JobsChange::Delete => 0,
    }
}

fn of_job(job: &NewJob) -> usize {
    let names = of_name(&job.queue) + of_name(&job.kind);
    let unique = job.unique.as_ref().map_or(0, |unique| unique.key.len());
    size_of::<NewJob>() + names + unique + job.body.bytes() as usize + of_bindings(&job.bindings)
}

fn of_bindings(bindings: &[NewBinding]) -> usize {
    let names: usize = bindings.iter().map(|binding| binding.budget.len()).sum();
    names + size_of_val(bindings)
}

fn of_operation(operation: &BindingOperation) -> usize {
    match operation {
        BindingOperation::ReplaceAll(bindings) => of_bindings(bindings),
        BindingOperation::Bind(_)
        | BindingOperation::Rebind(_)
        | BindingOperation::SetCost(..)
        | BindingOperation::Unbind(_)
        | BindingOperation::UnbindAll => 0,
    }
}

fn of_outcome(outcome: &Outcome) -> usize {
    let verdict = match &outcome.verdict {
        Verdict::Success { result } => result.as_ref().map_or(0, |result| result.len()),
        Verdict::Failure { error, .. } => error.len(),
        Verdict::Release { .. } => 0,
    };
    let names = outcome.usage.iter().map(|(budget, _)| budget.len());
    let throttled = outcome.throttled.iter().map(|(budget, _)| budget.len());
    let reports = size_of_val(&*outcome.usage) + size_of_val(&*outcome.throttled);
    size_of::<Outcome>() + verdict + names.chain(throttled).sum::<usize>() + reports
}

fn of_leases(leases: &[LeaseId]) -> usize {
    size_of_val(leases)
}

fn of_name(name: &Name) -> usize {
    size_of::<Name>() + name.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::job::{Body, JobOptions, Payload};
    use crate::scheduler::units::Nanos;

    fn job(payload_bytes: usize) -> NewJob {
        NewJob {
            queue: "q".into(),
            kind: "k".into(),
            body: Body { payload: Payload::Binary(vec![0; payload_bytes].into()), metadata: Vec::new() },
            priority: 0,
            run_time: None,
            bindings: Vec::new(),
            options: JobOptions::default(),
            unique: None,
        }
    }

    #[test]
    fn payloads_weigh_what_they_are_long() {
        let light = of_job(&job(0));
        assert_eq!(of_job(&job(1_000_000)), light + 1_000_000);
    }

    #[test]
    fn many_jobs_without_payloads_weigh_something_too() {
        let jobs = vec![job(0); 10_000];
        let weight = of_command(&Command::Enqueue { request: None, jobs });
        assert!(weight > 10_000 * size_of::<NewJob>(), "{weight}");
    }

    #[test]
    fn results_and_errors_weigh_what_they_are_long() {
        let settle = |verdict| {
            of_command(&Command::Settle {
                from: None,
                outcomes: vec![Outcome { lease: LeaseId(1), verdict, usage: Vec::new(), throttled: Vec::new() }],
            })
        };
        let nothing = settle(Verdict::Release { delay: Nanos::ZERO });
        let result = Some(vec![0; 4096].into());
        assert_eq!(settle(Verdict::Success { result }), nothing + 4096);
        let failure = Verdict::Failure { error: "x".repeat(77).into(), retry_after: None, discard: false };
        assert_eq!(settle(failure), nothing + 77);
    }
}
