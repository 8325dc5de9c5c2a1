//! Explanations and queues as they are shown.

use super::budget::wire_available;
use super::job_wire::{wire_lease, wire_state};
use super::time::{wire_end, wire_instant, wire_span};
use crate::api::proto as pb;
use crate::ids;
use crate::scheduler::job::JobState;
use crate::scheduler::units::Timestamp;
use crate::scheduler::view::{BudgetExplanation, Explanation, QueueView};

/// Why a job isn't being dispatched, as of `now` (semantics 12.1).
pub fn explanation(explanation: Explanation, now: Timestamp) -> pb::JobExplanation {
    let not_before = not_before(&explanation, now);
    let hold_ups = hold_ups(&explanation).into_iter().map(i32::from).collect();
    let waits = waits(explanation.job.state);
    let budgets = explanation.budgets.into_iter().map(|budget| wire_budget(budget, waits)).collect();
    let job = explanation.job;
    pb::JobExplanation {
        job_id: ids::job_text(job.record.id),
        state: wire_state(job.state).into(),
        explain_time: Some(wire_instant(now)),
        ready_time: Some(wire_instant(job.record.ready_at)),
        hold_ups,
        budgets: if job.state.is_terminal() { Vec::new() } else { budgets },
        not_before: not_before.map(wire_instant),
        queue: Some(pb::QueueExplanation {
            name: job.record.queue.to_string(),
            paused: explanation.queue_paused,
            workers: explanation.workers,
            workers_with_room: explanation.workers_with_room,
            workers_too_small: explanation.workers_too_small,
        }),
        lease: job.lease.as_ref().map(wire_lease),
    }
}

/// A queue, as of `now`.
pub fn queue(view: QueueView, now: Timestamp) -> pb::Queue {
    let depth = view.depth;
    pb::Queue {
        name: view.name.to_string(),
        paused: view.paused,
        scheduled: depth.of(JobState::Scheduled),
        ready: depth.of(JobState::Ready),
        in_flight: depth.of(JobState::InFlight),
        completed: depth.of(JobState::Completed),
        dead: depth.of(JobState::Dead),
        cancelled: depth.of(JobState::Cancelled),
        oldest_ready_age: view.oldest_ready_at.map(|at| wire_span(now.since(at))),
        workers: view.workers,
    }
}

/// Whether a job in this state is still to be dispatched.
fn waits(state: JobState) -> bool {
    matches!(state, JobState::Scheduled | JobState::Ready)
}

fn hold_ups(explanation: &Explanation) -> Vec<pb::HoldUp> {
    if !waits(explanation.job.state) {
        return Vec::new();
    }
    let workers = explanation.workers;
    let too_small = explanation.workers_too_small;
    let no_room = workers > too_small && explanation.workers_with_room == 0;
    [
        (explanation.job.state == JobState::Scheduled, pb::HoldUp::NotReady),
        (explanation.queue_paused, pb::HoldUp::QueuePaused),
        (workers == 0, pb::HoldUp::NoWorker),
        (no_room, pb::HoldUp::NoRoom),
        (workers > 0 && too_small >= workers, pb::HoldUp::TooLarge),
        (explanation.budgets.iter().any(holds_up), pb::HoldUp::Budget),
    ]
    .into_iter()
    .filter_map(|(holds, hold_up)| holds.then_some(hold_up))
    .collect()
}

fn holds_up(budget: &BudgetExplanation) -> bool {
    budget.blocked_until.is_some() || !budget.can_pay
}

/// When the job could first go, where the clock alone decides.
fn not_before(explanation: &Explanation, now: Timestamp) -> Option<Timestamp> {
    let by_clock =
        hold_ups(explanation).iter().all(|hold_up| matches!(hold_up, pb::HoldUp::NotReady | pb::HoldUp::Budget));
    if !waits(explanation.job.state) || !by_clock {
        return None;
    }
    let run_at = explanation.job.record.run_at;
    explanation.budgets.iter().try_fold(run_at.max(now), |earliest, budget| Some(earliest.max(pays_from(budget, now)?)))
}

/// When the clock alone makes this budget able to pay the job; `None` where something else has to happen.
fn pays_from(budget: &BudgetExplanation, now: Timestamp) -> Option<Timestamp> {
    if budget.blocked_until == Some(Timestamp::MAX) {
        return None;
    }
    let unblocked = budget.blocked_until.unwrap_or(now);
    let pays = if budget.can_pay { Some(now) } else { budget.not_before };
    pays.map(|at| at.max(unblocked))
}

fn wire_budget(budget: BudgetExplanation, waits: bool) -> pb::BudgetExplanation {
    let holds_up = waits && holds_up(&budget);
    let (set_aside, set_aside_for_job_id) = match budget.set_aside {
        Some((tokens, job)) => (tokens.0, ids::job_text(job)),
        None => (0, String::new()),
    };
    pb::BudgetExplanation {
        budget: budget.key.to_string(),
        cost: budget.need.0,
        available: wire_available(budget.available),
        holds_up,
        blocked: budget.blocked_until.is_some(),
        blocked_until: wire_end(budget.blocked_until),
        held_by_job_ids: budget.held_by.into_iter().map(ids::job_text).collect(),
        held_by_total: budget.held_by_total,
        waiters_ahead: budget.waiters_ahead,
        set_aside,
        set_aside_for_job_id,
        protected: budget.protected,
        not_before: budget.not_before.map(wire_instant),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scheduler::effect::PoolRecord;
    use crate::scheduler::job::{JobOptions, JobRecord, Name, Phase, ReadyBy};
    use crate::scheduler::policy::Policy;
    use crate::scheduler::units::{BudgetId, JobId, Nanos, Tokens};
    use crate::scheduler::view::JobView;
    use pb::HoldUp::{Budget, NoRoom, NoWorker, NotReady, QueuePaused, TooLarge};

    const NOW: Timestamp = Timestamp(100);

    fn record() -> JobRecord {
        JobRecord {
            id: JobId(1),
            queue: Name::from("q"),
            kind: Name::from(""),
            priority: 0,
            bindings: Arc::from([]),
            options: JobOptions::default(),
            unique: None,
            create_time: Timestamp(1),
            ready_at: Timestamp(150),
            ready_by: ReadyBy::Now,
            run_at: Timestamp(150),
            attempts: 0,
            releases: 0,
            unconfirmed: 0,
            failures: 0,
            phase: Phase::Live,
            body_bytes: 0,
        }
    }

    fn waiting(state: JobState) -> Explanation {
        Explanation {
            job: JobView { record: record(), state, bindings: Vec::new(), lease: None },
            queue_paused: false,
            workers: 2,
            workers_with_room: 1,
            workers_too_small: 0,
            budgets: Vec::new(),
        }
    }

    fn budget(policy: Policy, can_pay: bool) -> BudgetExplanation {
        BudgetExplanation {
            key: Name::from("b"),
            policy,
            pool: PoolRecord { budget: BudgetId(0), level: 0, at: NOW, blocked_until: None },
            need: Tokens(1),
            available: i128::from(can_pay),
            can_pay,
            blocked_until: None,
            held_by: Vec::new(),
            held_by_total: 0,
            waiters_ahead: 0,
            set_aside: None,
            protected: false,
            not_before: (policy.is_time_based() && !can_pay).then_some(Timestamp(500)),
        }
    }

    fn drip(can_pay: bool) -> BudgetExplanation {
        budget(Policy::time_based(1, Nanos(1_000_000), None), can_pay)
    }

    fn slots(can_pay: bool) -> BudgetExplanation {
        budget(Policy::while_in_flight(1), can_pay)
    }

    #[test]
    fn everything_that_holds_a_job_up_is_named_in_order() {
        let everything = Explanation {
            queue_paused: true,
            workers_with_room: 0,
            workers_too_small: 1,
            budgets: vec![slots(false)],
            ..waiting(JobState::Scheduled)
        };
        assert_eq!(hold_ups(&everything), [NotReady, QueuePaused, NoRoom, Budget]);
        let nobody = Explanation { workers: 0, workers_with_room: 0, ..waiting(JobState::Ready) };
        assert_eq!(hold_ups(&nobody), [NoWorker]);
        let too_large = Explanation { workers_with_room: 0, workers_too_small: 2, ..waiting(JobState::Ready) };
        assert_eq!(hold_ups(&too_large), [TooLarge]);
        let in_flight = Explanation { budgets: vec![slots(false)], ..waiting(JobState::InFlight) };
        assert!(hold_ups(&in_flight).is_empty());
        assert!(!explanation(in_flight, NOW).budgets[0].holds_up);
        let over = Explanation { budgets: vec![slots(false)], ..waiting(JobState::Completed) };
        assert!(explanation(over, NOW).budgets.is_empty());
    }

    #[test]
    fn not_before_is_there_only_where_the_clock_decides() {
        let of = |budgets| {
            let explanation = Explanation { budgets, ..waiting(JobState::Scheduled) };
            not_before(&explanation, NOW)
        };
        assert_eq!(of(Vec::new()), Some(Timestamp(150)));
        assert_eq!(of(vec![drip(false)]), Some(Timestamp(500)));
        assert_eq!(of(vec![drip(true)]), Some(Timestamp(150)));
        assert_eq!(of(vec![drip(false), slots(true)]), Some(Timestamp(500)));
        assert_eq!(of(vec![drip(false), slots(false)]), None);
        let blocked_for = |until| BudgetExplanation { blocked_until: Some(until), ..drip(true) };
        assert_eq!(of(vec![blocked_for(Timestamp(900))]), Some(Timestamp(900)));
        assert_eq!(of(vec![blocked_for(Timestamp::MAX)]), None);
        let no_room = Explanation { workers_with_room: 0, ..waiting(JobState::Scheduled) };
        assert_eq!(not_before(&no_room, NOW), None);
        assert_eq!(not_before(&waiting(JobState::InFlight), NOW), None);
    }

    #[test]
    fn a_block_without_an_end_has_none() {
        let for_ever = BudgetExplanation { blocked_until: Some(Timestamp::MAX), ..slots(true) };
        let wire = wire_budget(for_ever, true);
        assert!(wire.blocked && wire.holds_up);
        assert_eq!(wire.blocked_until, None);
    }
}
