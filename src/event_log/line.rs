//! An event as a line of JSON.
//!
//! Instants and spans are numbers of nanoseconds. Token·nanoseconds are strings of digits: most readers of JSON would
//! round such numbers.

use serde::{Serialize, Serializer};

use crate::ids;
use crate::scheduler::Event;
use crate::scheduler::event::{Happened, How, PolicyChange, StandingBudget, StandingLease, Use};
use crate::scheduler::job::{JobState, Name};
use crate::scheduler::policy::{Policy, ReserveAfter, Strategy};
use crate::scheduler::units::Tokens;

/// The form of the lines, in each `start`; another number is another form.
const FORMAT: u32 = 1;

/// One line of the log.
#[derive(Debug, Serialize)]
pub struct Line<'a> {
    at: i64,
    #[serde(flatten)]
    entry: Entry<'a>,
}

impl<'a> Line<'a> {
    /// The line that tells this event.
    pub fn of(event: &'a Event) -> Self {
        Self { at: event.at.0, entry: Entry::of(&event.what) }
    }

    /// Appends the line, and its end.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        serde_json::to_writer(&mut *bytes, self).expect("a line is made of strings and numbers, and memory takes it");
        bytes.push(b'\n');
    }
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Entry<'a> {
    Start { format: u32, budgets: Vec<BudgetEntry<'a>>, leases: Vec<LeaseEntry<'a>> },
    Stop,
    Create(BudgetEntry<'a>),
    Replace(BudgetEntry<'a>),
    Update(BudgetEntry<'a>),
    Adjust(BudgetEntry<'a>),
    Delete { budget: &'a str },
    Enqueue { job: String, queue: &'a str, bindings: Vec<CostEntry<'a>> },
    Bind { job: String, bindings: Vec<CostEntry<'a>> },
    Dispatch(DispatchEntry<'a>),
    Usage { lease: String, job: String, usage: Vec<UseEntry<'a>> },
    End { lease: String, job: String, how: &'static str, state: &'static str, released: Vec<CostEntry<'a>> },
}

#[derive(Debug, Serialize)]
struct DispatchEntry<'a> {
    lease: String,
    job: String,
    queue: &'a str,
    worker: &'a str,
    attempt: u32,
    debits: Vec<CostEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct BudgetEntry<'a> {
    budget: &'a str,
    created_at: i64,
    revision: u64,
    policy: PolicyEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Digits>,
}

#[derive(Debug, Serialize)]
struct PolicyEntry {
    strategy: &'static str,
    allocation: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reserve_after_ns: Option<ReserveAfterEntry>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ReserveAfterEntry {
    After(u64),
    Never(&'static str),
}

#[derive(Debug, Serialize)]
struct LeaseEntry<'a> {
    lease: String,
    job: String,
    worker: &'a str,
    dispatched_at: i64,
    debits: Vec<CostEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct CostEntry<'a> {
    budget: &'a str,
    cost: u64,
}

#[derive(Debug, Serialize)]
struct UseEntry<'a> {
    budget: &'a str,
    debited: u64,
    used: u64,
    moved: Digits,
}

/// A number as a string.
#[derive(Debug)]
struct Digits(i128);

impl Serialize for Digits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'a> Entry<'a> {
    fn of(what: &'a Happened) -> Self {
        match what {
            Happened::Started(standing) => Self::Start {
                format: FORMAT,
                budgets: standing.budgets.iter().map(BudgetEntry::of).collect(),
                leases: standing.leases.iter().map(LeaseEntry::of).collect(),
            },
            Happened::Stopped => Self::Stop,
            Happened::BudgetCreated(budget) => Self::Create(BudgetEntry::of(budget)),
            Happened::BudgetChanged(PolicyChange::Replaced, budget) => Self::Replace(BudgetEntry::of(budget)),
            Happened::BudgetChanged(PolicyChange::Updated, budget) => Self::Update(BudgetEntry::of(budget)),
            Happened::BudgetAdjusted(budget) => Self::Adjust(BudgetEntry::of(budget)),
            Happened::BudgetDeleted(key) => Self::Delete { budget: key },
            Happened::Enqueued { job, queue, bindings } => {
                Self::Enqueue { job: ids::job_text(*job), queue, bindings: costs(bindings) }
            }
            Happened::Rebound { job, bindings } => Self::Bind { job: ids::job_text(*job), bindings: costs(bindings) },
            Happened::Dispatched { lease, job, queue, worker, attempt, debits } => Self::Dispatch(DispatchEntry {
                lease: ids::lease_text(*lease),
                job: ids::job_text(*job),
                queue,
                worker,
                attempt: *attempt,
                debits: costs(debits),
            }),
            Happened::Used { lease, job, usage } => Self::Usage {
                lease: ids::lease_text(*lease),
                job: ids::job_text(*job),
                usage: usage.iter().map(UseEntry::of).collect(),
            },
            Happened::Ended { lease, job, how, state, released } => Self::End {
                lease: ids::lease_text(*lease),
                job: ids::job_text(*job),
                how: how_word(*how),
                state: state_word(*state),
                released: costs(released),
            },
        }
    }
}

impl<'a> BudgetEntry<'a> {
    fn of(budget: &'a StandingBudget) -> Self {
        Self {
            budget: &budget.key,
            created_at: budget.create_time.0,
            revision: budget.revision,
            policy: PolicyEntry::of(&budget.policy),
            level: budget.level.map(Digits),
        }
    }
}

impl PolicyEntry {
    fn of(policy: &Policy) -> Self {
        let (strategy, duration_ns, burst) = match policy.strategy {
            Strategy::WhileInFlight => ("while_in_flight", None, None),
            Strategy::TimeBased { duration, burst } => ("time_based", Some(duration.0), burst.map(|burst| burst.0)),
        };
        let reserve_after_ns = match policy.reserve_after {
            ReserveAfter::Default => None,
            ReserveAfter::After(after) => Some(ReserveAfterEntry::After(after.0)),
            ReserveAfter::Never => Some(ReserveAfterEntry::Never("never")),
        };
        Self { strategy, allocation: policy.allocation.0, duration_ns, burst, reserve_after_ns }
    }
}

impl<'a> LeaseEntry<'a> {
    fn of(lease: &'a StandingLease) -> Self {
        Self {
            lease: ids::lease_text(lease.lease),
            job: ids::job_text(lease.job),
            worker: &lease.worker,
            dispatched_at: lease.dispatch_time.0,
            debits: costs(&lease.debits),
        }
    }
}

impl<'a> UseEntry<'a> {
    fn of(one: &'a Use) -> Self {
        Self { budget: &one.budget, debited: one.debited.0, used: one.used.0, moved: Digits(one.moved) }
    }
}

fn costs(costs: &[(Name, Tokens)]) -> Vec<CostEntry<'_>> {
    costs.iter().map(|(budget, cost)| CostEntry { budget, cost: cost.0 }).collect()
}

fn how_word(how: How) -> &'static str {
    match how {
        How::Success => "success",
        How::Failure => "failure",
        How::Release => "release",
        How::Throttled => "throttled",
        How::Expired => "expired",
        How::TimedOut => "timed_out",
        How::Unconfirmed => "unconfirmed",
        How::WorkerRestarted => "worker_restarted",
        How::WorkerLeft => "worker_left",
        How::ForceCancelled => "force_cancelled",
    }
}

fn state_word(state: Option<JobState>) -> &'static str {
    match state {
        None => "removed",
        Some(JobState::Scheduled) => "scheduled",
        Some(JobState::Ready) => "ready",
        Some(JobState::InFlight) => "in_flight",
        Some(JobState::Completed) => "completed",
        Some(JobState::Dead) => "dead",
        Some(JobState::Cancelled) => "cancelled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::event::Standing;
    use crate::scheduler::units::{JobId, LeaseId, Nanos, Timestamp};

    fn written(what: Happened) -> String {
        let mut bytes = Vec::new();
        Line::of(&Event { at: Timestamp(7), what }).append_to(&mut bytes);
        String::from_utf8(bytes).expect("JSON is text")
    }

    fn standing(policy: Policy, level: Option<i128>) -> StandingBudget {
        StandingBudget { key: "k".into(), create_time: Timestamp(3), revision: 2, policy, level }
    }

    #[test]
    fn every_kind_of_line_has_its_form() {
        let slots = || standing(Policy::while_in_flight(5), None);
        let rate =
            Policy { reserve_after: ReserveAfter::Never, ..Policy::time_based(9, Nanos(1_000_000), Some(Tokens(4))) };
        let costs = || vec![("k".into(), Tokens(2))];
        let (lease, job) = (LeaseId(2), JobId(1));
        let slots_text =
            r#""budget":"k","created_at":3,"revision":2,"policy":{"strategy":"while_in_flight","allocation":5}"#;
        let rate_text = concat!(
            r#""budget":"k","created_at":3,"revision":2,"policy":{"strategy":"time_based","allocation":9,"#,
            r#""duration_ns":1000000,"burst":4,"reserve_after_ns":"never"},"level":"-170141183460469231731687303715884105728""#
        );
        let lease_text = r#""lease":"l0000000000004000","job":"j0000000000002000""#;
        let live = StandingLease { lease, job, worker: "w".into(), dispatch_time: Timestamp(5), debits: costs() };
        let cases = [
            (
                Happened::Started(Standing { budgets: vec![slots()], leases: vec![live] }),
                format!(
                    r#""start","format":1,"budgets":[{{{slots_text}}}],"leases":[{{{lease_text},"worker":"w","dispatched_at":5,"debits":[{{"budget":"k","cost":2}}]}}]"#
                ),
            ),
            (Happened::Stopped, r#""stop""#.to_owned()),
            (Happened::BudgetCreated(slots()), format!(r#""create",{slots_text}"#)),
            (Happened::BudgetChanged(PolicyChange::Replaced, slots()), format!(r#""replace",{slots_text}"#)),
            (
                Happened::BudgetChanged(PolicyChange::Updated, standing(rate, Some(i128::MIN))),
                format!(r#""update",{rate_text}"#),
            ),
            (Happened::BudgetAdjusted(standing(rate, Some(i128::MIN))), format!(r#""adjust",{rate_text}"#)),
            (Happened::BudgetDeleted("k".into()), r#""delete","budget":"k""#.to_owned()),
            (
                Happened::Enqueued { job, queue: "q".into(), bindings: costs() },
                r#""enqueue","job":"j0000000000002000","queue":"q","bindings":[{"budget":"k","cost":2}]"#.to_owned(),
            ),
            (
                Happened::Rebound { job, bindings: Vec::new() },
                r#""bind","job":"j0000000000002000","bindings":[]"#.to_owned(),
            ),
            (
                Happened::Dispatched { lease, job, queue: "q".into(), worker: "w".into(), attempt: 3, debits: costs() },
                format!(
                    r#""dispatch",{lease_text},"queue":"q","worker":"w","attempt":3,"debits":[{{"budget":"k","cost":2}}]"#
                ),
            ),
            (
                Happened::Used {
                    lease,
                    job,
                    usage: vec![Use { budget: "k".into(), debited: Tokens(2), used: Tokens(1), moved: -8 }],
                },
                format!(r#""usage",{lease_text},"usage":[{{"budget":"k","debited":2,"used":1,"moved":"-8"}}]"#),
            ),
            (
                Happened::Ended { lease, job, how: How::TimedOut, state: None, released: costs() },
                format!(
                    r#""end",{lease_text},"how":"timed_out","state":"removed","released":[{{"budget":"k","cost":2}}]"#
                ),
            ),
        ];
        for (what, expected) in cases {
            assert_eq!(written(what), format!("{{\"at\":7,\"event\":{expected}}}\n"));
        }
    }
}
