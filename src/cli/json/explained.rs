//! Explanations for programs: `JobExplanation` of the contract.

use super::stored::LeaseJson;
use super::*;

/// An explanation: `JobExplanation` of the contract.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct ExplanationJson {
    job_id: String,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ready_time: Option<Instant>,
    hold_ups: Vec<String>,
    budgets: Vec<BudgetExplanationJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueueExplanationJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease: Option<LeaseJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QueueExplanationJson {
    name: String,
    paused: bool,
    workers: u32,
    workers_with_room: u32,
    workers_too_small: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BudgetExplanationJson {
    budget: String,
    cost: Int64<u64>,
    available: Int64<i64>,
    holds_up: bool,
    blocked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_until: Option<Instant>,
    held_by_job_ids: Vec<String>,
    held_by_total: Int64<u64>,
    waiters_ahead: Int64<u64>,
    set_aside: Int64<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    set_aside_for_job_id: String,
    protected: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<Instant>,
}

impl From<Explanation> for ExplanationJson {
    fn from(explanation: Explanation) -> Self {
        Self {
            job_id: explanation.job_id,
            state: state(explanation.state),
            explain_time: instant(explanation.explain_time),
            ready_time: instant(explanation.ready_time),
            hold_ups: explanation.hold_ups.into_iter().map(hold_up).collect(),
            budgets: explanation.budgets.into_iter().map(BudgetExplanationJson::from).collect(),
            not_before: instant(explanation.not_before),
            queue: explanation.queue.map(QueueExplanationJson::from),
            lease: explanation.lease.map(LeaseJson::from),
        }
    }
}

/// Its name in `HoldUp`; the number of one that this program doesn't know.
fn hold_up(hold_up: HoldUp) -> String {
    let name = match hold_up {
        HoldUp::NotReady => "HOLD_UP_NOT_READY",
        HoldUp::QueuePaused => "HOLD_UP_QUEUE_PAUSED",
        HoldUp::NoWorker => "HOLD_UP_NO_WORKER",
        HoldUp::NoRoom => "HOLD_UP_NO_ROOM",
        HoldUp::TooLarge => "HOLD_UP_TOO_LARGE",
        HoldUp::Budget => "HOLD_UP_BUDGET",
        HoldUp::Unknown(number) => return number.to_string(),
        _ => "HOLD_UP_UNSPECIFIED",
    };
    name.to_owned()
}

impl From<QueueExplanation> for QueueExplanationJson {
    fn from(queue: QueueExplanation) -> Self {
        Self {
            name: queue.name,
            paused: queue.paused,
            workers: queue.workers,
            workers_with_room: queue.workers_with_room,
            workers_too_small: queue.workers_too_small,
        }
    }
}

impl From<BudgetExplanation> for BudgetExplanationJson {
    fn from(budget: BudgetExplanation) -> Self {
        Self {
            budget: budget.budget,
            cost: Int64(budget.cost),
            available: Int64(budget.available),
            holds_up: budget.holds_up,
            blocked: budget.blocked,
            blocked_until: instant(budget.blocked_until),
            held_by_job_ids: budget.held_by_job_ids,
            held_by_total: Int64(budget.held_by_total),
            waiters_ahead: Int64(budget.waiters_ahead),
            set_aside: Int64(budget.set_aside),
            set_aside_for_job_id: budget.set_aside_for_job_id,
            protected: budget.protected,
            not_before: instant(budget.not_before),
        }
    }
}
