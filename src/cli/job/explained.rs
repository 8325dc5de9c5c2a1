//! `job explain` for people: what the job waits for, in the order in which it has to happen, and what it went through.

use std::time::SystemTime;

use sluicegate_client::{BudgetExplanation, Explanation, HoldUp, JobState, QueueExplanation, StoredJob};

use super::shown;
use crate::cli::output::printable;
use crate::cli::values::{local, relative};

/// An explanation and, where it wasn't removed meanwhile, the job: as lines to print.
pub(super) fn lines(explanation: &Explanation, job: Option<&StoredJob>) -> Vec<String> {
    let now = explanation.explain_time.unwrap_or_else(SystemTime::now);
    let mut lines = vec![headline(explanation, job, now)];
    let is_waiting = matches!(explanation.state, JobState::Scheduled | JobState::Ready);
    if is_waiting {
        lines.extend(hold_ups(explanation, job, now));
    }
    if let Some(lease) = &explanation.lease {
        lines.push(format!("  under lease {}", shown::lease(lease, now)));
    }
    for budget in &explanation.budgets {
        lines.push(format!("  {}", of_budget(budget, is_waiting, now)));
    }
    if let Some(time) = explanation.not_before.filter(|_| is_waiting) {
        lines.push(format!("  not before {}", local(time, now)));
    }
    if let Some(job) = job {
        lines.extend(past(job, now));
    }
    lines.iter().map(|line| printable(line)).collect()
}

/// The job, its state, and since when it has been in it where that is known.
fn headline(explanation: &Explanation, job: Option<&StoredJob>, now: SystemTime) -> String {
    let Explanation { job_id, state, .. } = explanation;
    let since = match (state, job) {
        (JobState::Ready, _) => explanation.ready_time,
        (state, Some(job)) if state.is_terminal() => job.finish_time,
        _ => None,
    };
    let since = since.map(|time| format!(" since {}", local(time, now))).unwrap_or_default();
    format!("job {job_id} is {state}{since}")
}

/// What holds it up but budgets, which have lines of their own.
fn hold_ups(explanation: &Explanation, job: Option<&StoredJob>, now: SystemTime) -> Vec<String> {
    if explanation.hold_ups.is_empty() {
        return vec!["  nothing holds it up: it is about to be dispatched".to_owned()];
    }
    let due = explanation.ready_time.max(job.and_then(|job| job.delayed_until));
    let queue = explanation.queue.clone().unwrap_or_default();
    let others = explanation.hold_ups.iter().filter(|hold_up| **hold_up != HoldUp::Budget);
    others.map(|hold_up| format!("  waits: {}", of_hold_up(*hold_up, &queue, due, now))).collect()
}

fn of_hold_up(hold_up: HoldUp, queue: &QueueExplanation, due: Option<SystemTime>, now: SystemTime) -> String {
    let QueueExplanation { name, workers, workers_too_small: small, .. } = queue;
    match (hold_up, due) {
        (HoldUp::NotReady, Some(time)) => format!("its time is {}", local(time, now)),
        (HoldUp::QueuePaused, _) => format!("queue {name} is paused, until `sluicegate queue resume {name}`"),
        (HoldUp::NoWorker, _) => format!("no connected worker serves queue {name}"),
        (HoldUp::NoRoom, _) => {
            let too_small = if *small == 0 { String::new() } else { format!("; it is too large for {small} more") };
            match workers.saturating_sub(*small) {
                1 => format!("the worker of queue {name} has no room for it{too_small}"),
                large => format!("none of the {large} workers of queue {name} has room for it{too_small}"),
            }
        }
        (HoldUp::TooLarge, _) if *workers == 1 => format!("it is too large for the worker of queue {name}"),
        (HoldUp::TooLarge, _) => format!("it is too large for each of the {workers} workers of queue {name}"),
        (other, _) => other.to_string(),
    }
}

fn of_budget(budget: &BudgetExplanation, is_waiting: bool, now: SystemTime) -> String {
    let BudgetExplanation { budget: key, cost, available, .. } = budget;
    let mut text = match (is_waiting, budget.holds_up) {
        (true, true) => format!("waits: budget {key} needs {cost}, {available} available"),
        (true, false) => format!("budget {key} can pay: needs {cost}, {available} available"),
        (false, _) => format!("budget {key}: costs {cost}, {available} available"),
    };
    match (budget.blocked, budget.blocked_until) {
        (true, Some(until)) => text += &format!("; blocked until {}", local(until, now)),
        (true, None) => text += &format!("; blocked until `sluicegate budget unblock {key}`"),
        (false, _) => {}
    }
    if budget.set_aside > 0 {
        text += &format!("; {} set aside for job {}", budget.set_aside, budget.set_aside_for_job_id);
    }
    if budget.protected {
        text += "; protected: its cost is set aside when its turn comes";
    }
    match budget.waiters_ahead {
        0 => {}
        1 => text += "; 1 waiter ahead",
        waiters => text += &format!("; {waiters} waiters ahead"),
    }
    if budget.held_by_total > 0 {
        let listed = budget.held_by_job_ids.len() as u64;
        let more = match budget.held_by_total.saturating_sub(listed) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        text += &format!("; held by {}{more}", budget.held_by_job_ids.join(", "));
    }
    if let Some(time) = budget.not_before {
        text += &format!("; not before {}", local(time, now));
    }
    text
}

/// What it went through: its attempts, and when it is removed.
fn past(job: &StoredJob, now: SystemTime) -> Vec<String> {
    let mut lines = Vec::new();
    if job.attempts > 0 || !job.errors.is_empty() {
        lines.push(format!("  {} of {} attempts used", job.attempts, job.max_attempts));
    }
    lines
        .extend(job.errors.iter().map(|error| format!("    {}", shown::failure(error, now).replace('\n', "\n      "))));
    if let Some(time) = job.remove_time {
        lines.push(format!("  removed {}", relative(time, now)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn budget() -> BudgetExplanation {
        let mut budget = BudgetExplanation::default();
        budget.budget = "smtp".to_owned();
        budget.cost = 5;
        budget.available = 2;
        budget
    }

    #[test]
    fn a_budget_says_all_that_it_is_short_of() {
        assert_eq!(of_budget(&budget(), true, NOW), "budget smtp can pay: needs 5, 2 available");
        assert_eq!(of_budget(&budget(), false, NOW), "budget smtp: costs 5, 2 available");
        let mut short = budget();
        short.holds_up = true;
        short.blocked = true;
        short.set_aside = 2;
        short.set_aside_for_job_id = "j9".to_owned();
        short.protected = true;
        short.waiters_ahead = 3;
        short.held_by_job_ids = vec!["j1".to_owned(), "j2".to_owned()];
        short.held_by_total = 12;
        let text = of_budget(&short, true, NOW);
        let parts = [
            "waits: budget smtp needs 5, 2 available",
            "blocked until `sluicegate budget unblock smtp`",
            "2 set aside for job j9",
            "protected: its cost is set aside when its turn comes",
            "3 waiters ahead",
            "held by j1, j2 and 10 more",
        ];
        assert_eq!(text, parts.join("; "));
        short.blocked_until = Some(NOW + Duration::from_secs(9));
        short.not_before = Some(NOW + Duration::from_secs(60));
        let text = of_budget(&short, true, NOW);
        assert!(text.contains("; blocked until ") && text.contains("(in 9s)"), "{text}");
        assert!(text.contains("; not before ") && text.ends_with("(in 1m)"), "{text}");
    }

    #[test]
    fn a_queue_says_what_its_workers_lack() {
        let mut queue = QueueExplanation::default();
        queue.name = "q".to_owned();
        queue.workers = 3;
        let text = |hold_up, queue: &QueueExplanation| of_hold_up(hold_up, queue, None, NOW);
        assert_eq!(text(HoldUp::NoRoom, &queue), "none of the 3 workers of queue q has room for it");
        queue.workers_too_small = 1;
        let room = text(HoldUp::NoRoom, &queue);
        assert_eq!(room, "none of the 2 workers of queue q has room for it; it is too large for 1 more");
        assert_eq!(text(HoldUp::TooLarge, &queue), "it is too large for each of the 3 workers of queue q");
        queue.workers_too_small = 2;
        let room = text(HoldUp::NoRoom, &queue);
        assert_eq!(room, "the worker of queue q has no room for it; it is too large for 2 more");
        assert!(text(HoldUp::QueuePaused, &queue).contains("queue resume q"));
        assert_eq!(text(HoldUp::NotReady, &queue), "its time is still to come");
        let due = of_hold_up(HoldUp::NotReady, &queue, Some(NOW + Duration::from_secs(5)), NOW);
        assert!(due.ends_with("(in 5s)"), "{due}");
    }
}
