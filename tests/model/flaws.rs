//! Breaks one bound of a command that was right, and says which (semantics 2.5).

use rand::RngExt;
use rand::rngs::SmallRng;
use sluicegate::scheduler::Command;
use sluicegate::scheduler::command::{
    BindingOperation, JobPatch, JobsChange, NewBinding, NewJob, OpenSession, Outcome, SessionMode, Verdict,
};
use sluicegate::scheduler::job::{Body, JobOptions, Name, Payload, Unique, UniqueScope};
use sluicegate::scheduler::policy::{Policy, PolicyPatch, ReserveAfter, Strategy, StrategyPatch};
use sluicegate::scheduler::units::{JobId, LeaseId, Nanos, Timestamp, Tokens};
use sluicegate::scheduler::view::JobFilter;

/// The field that breaks its bound.
#[derive(Clone, Debug)]
pub enum Flaw {
    /// Seen before anything else.
    Early(String),
    /// Seen once the budget is found and is the one the caller had seen.
    Late(String),
    /// Seen in one outcome of a settle, once its lease is found to be live.
    Outcome(usize, String),
}

const TOO_MANY: Tokens = Tokens(Tokens::MAX.0 + 1);
const OVER_A_YEAR: Nanos = Nanos(Nanos::from_days(366).0 + 1);
const OVER_A_DAY: Nanos = Nanos(Nanos::from_days(1).0 + 1);

/// Breaks a bound of `command`; `None` where it has none.
pub fn plant(rng: &mut SmallRng, command: &mut Command, now: Timestamp, body_bytes_max: u32) -> Option<Flaw> {
    Some(match command {
        Command::CreateBudget { key, policy } | Command::ReplaceBudget { key, policy, .. } => {
            if rng.random_bool(0.3) {
                return Some(Flaw::Early(bad_name(rng, key, "key")));
            }
            Flaw::Early(format!("policy.{}", bad_policy(rng, policy)))
        }
        Command::UpdateBudget { key, patch, .. } => {
            if rng.random_bool(0.3) {
                return Some(Flaw::Early(bad_name(rng, key, "key")));
            }
            Flaw::Late(format!("policy.{}", bad_patch(rng, patch)))
        }
        Command::BlockBudget { span, .. } if rng.random() => {
            *span = Some([Nanos::ZERO, OVER_A_YEAR][rng.random_range(0..2)]);
            Flaw::Late("duration".into())
        }
        Command::DeleteBudget { key, .. }
        | Command::BlockBudget { key, .. }
        | Command::UnblockBudget { key }
        | Command::AdjustBudget { key, .. } => Flaw::Early(bad_name(rng, key, "key")),
        Command::PauseQueue { queue } | Command::ResumeQueue { queue } => Flaw::Early(bad_name(rng, queue, "name")),
        Command::Enqueue { request, jobs } => Flaw::Early(match rng.random_range(0..8) {
            0 => {
                jobs.clear();
                "jobs".into()
            }
            1 => {
                *request = Some("x".repeat(129).into());
                "request_id".into()
            }
            _ => {
                let index = rng.random_range(0..jobs.len());
                format!("jobs[{index}].{}", bad_job(rng, &mut jobs[index], now, body_bytes_max))
            }
        }),
        Command::ModifyBindings { operation, .. } => {
            Flaw::Early(format!("operation.{}", bad_operation(rng, operation)?))
        }
        Command::ChangeJobs { filter, change, .. } => Flaw::Early(match change {
            JobsChange::Update(patch) if rng.random() => format!("job.{}", bad_job_patch(rng, patch, now)),
            JobsChange::Bindings(operation) if rng.random() => format!("operation.{}", bad_operation(rng, operation)?),
            _ => format!("filter.{}", bad_filter(rng, filter)),
        }),
        Command::OpenSession(open) => Flaw::Early(bad_session(rng, open)),
        Command::SetWindow { window, .. } if rng.random() => {
            window.jobs = 100_001;
            Flaw::Early("window.max_jobs".into())
        }
        Command::SetWindow { window, .. } => {
            window.bytes = (1 << 30) + 1;
            Flaw::Early("window.max_bytes".into())
        }
        Command::Received { leases } | Command::Extend { leases } => {
            let len = if rng.random() { 0 } else { 1001 };
            leases.resize(len, LeaseId(1));
            Flaw::Early("lease_ids".into())
        }
        Command::Settle { outcomes, .. } if rng.random_bool(0.1) => {
            outcomes.clear();
            Flaw::Early("outcomes".into())
        }
        Command::Settle { outcomes, .. } => {
            let index = rng.random_range(0..outcomes.len());
            Flaw::Outcome(index, bad_outcome(rng, &mut outcomes[index]))
        }
        Command::Leave { .. } | Command::CloseSession { .. } | Command::Drain => return None,
    })
}

fn bad_name(rng: &mut SmallRng, name: &mut Name, field: &str) -> String {
    let long = "x".repeat(129);
    *name = ["", "two words", "nul\0", "ünicode", &long][rng.random_range(0..5)].into();
    field.into()
}

fn bad_policy(rng: &mut SmallRng, policy: &mut Policy) -> String {
    let field = match rng.random_range(0..4) {
        0 => {
            policy.allocation = [Tokens(0), TOO_MANY][rng.random_range(0..2)];
            "allocation"
        }
        1 => {
            let duration = [Nanos(999_999), OVER_A_YEAR][rng.random_range(0..2)];
            policy.strategy = Strategy::TimeBased { duration, burst: None };
            "time_based.duration"
        }
        2 => {
            let burst = Some([Tokens(0), TOO_MANY][rng.random_range(0..2)]);
            policy.strategy = Strategy::TimeBased { duration: Nanos::from_millis(1), burst };
            "time_based.burst"
        }
        _ => {
            policy.reserve_after = ReserveAfter::After(OVER_A_YEAR);
            "after"
        }
    };
    field.into()
}

fn bad_patch(rng: &mut SmallRng, patch: &mut PolicyPatch) -> String {
    let mut policy = Policy::while_in_flight(1);
    let field = bad_policy(rng, &mut policy);
    let strategy = match policy.strategy {
        Strategy::TimeBased { duration, burst } => Some(StrategyPatch::TimeBased { duration, burst }),
        Strategy::WhileInFlight => None,
    };
    let reserve_after = Some(policy.reserve_after);
    *patch = PolicyPatch { allocation: Some(policy.allocation), strategy, reserve_after };
    field
}

fn bad_job(rng: &mut SmallRng, job: &mut NewJob, now: Timestamp, body_bytes_max: u32) -> String {
    let field = match rng.random_range(0..9) {
        0 => return bad_name(rng, &mut job.queue, "queue"),
        1 => return bad_bindings(rng, &mut job.bindings),
        2..5 => return bad_options(rng, &mut job.options),
        5 => return bad_body(rng, &mut job.body, body_bytes_max),
        6 => {
            job.kind = "a kind".into();
            "type"
        }
        7 => {
            job.run_time = Some(now + OVER_A_YEAR);
            "run_time"
        }
        _ => {
            let key = ["".into(), "u".repeat(257), "nul\0".into()][rng.random_range(0..3)].as_str().into();
            job.unique = Some(Unique { key, scope: UniqueScope::Retained });
            "unique.key"
        }
    };
    field.into()
}

fn bad_body(rng: &mut SmallRng, body: &mut Body, bytes_max: u32) -> String {
    let field = match rng.random_range(0..5) {
        0 => {
            body.payload = Payload::Binary(vec![0; bytes_max as usize + 1].into());
            "binary"
        }
        1 => {
            body.payload = Payload::Json(" ".repeat(bytes_max as usize + 1).into());
            "json"
        }
        2 => {
            body.metadata = vec![("k".into(), String::new()); 65];
            "metadata"
        }
        3 => {
            body.metadata = vec![("k".into(), "v".repeat(4096))];
            "metadata"
        }
        _ => {
            body.metadata = vec![("a key".into(), String::new())];
            "metadata"
        }
    };
    field.into()
}

fn bad_options(rng: &mut SmallRng, options: &mut JobOptions) -> String {
    let (backoff, retention) = (&mut options.backoff, &mut options.retention);
    let field = match rng.random_range(0..9) {
        0 => {
            options.max_attempts = [0, 1001][rng.random_range(0..2)];
            "max_attempts"
        }
        1 => {
            backoff.initial = OVER_A_DAY;
            "backoff.initial"
        }
        2 => {
            backoff.initial = Nanos(2);
            backoff.max = [Nanos(1), OVER_A_DAY][rng.random_range(0..2)];
            "backoff.max"
        }
        3 => {
            backoff.multiplier_percent = [99, 1001][rng.random_range(0..2)];
            "backoff.multiplier_percent"
        }
        4 => {
            backoff.jitter_percent = 101;
            "backoff.jitter_percent"
        }
        5 => {
            retention.completed = OVER_A_YEAR;
            "retention.completed"
        }
        6 => {
            retention.dead = OVER_A_YEAR;
            "retention.dead"
        }
        7 => {
            retention.cancelled = OVER_A_YEAR;
            "retention.cancelled"
        }
        _ => {
            options.timeout = Some([Nanos(999_999), OVER_A_DAY][rng.random_range(0..2)]);
            "timeout"
        }
    };
    field.into()
}

fn bad_bindings(rng: &mut SmallRng, bindings: &mut Vec<NewBinding>) -> String {
    let new = |key: String| NewBinding { budget: key.into(), cost: Tokens::ONE, create_with: None };
    match rng.random_range(0..3) {
        0 => {
            *bindings = (0..17).map(|i| new(format!("b{i}"))).collect();
            "bindings".into()
        }
        1 => {
            *bindings = vec![new("b0".into()), new("b0".into())];
            "bindings[1].budget".into()
        }
        _ => {
            *bindings = vec![new("b0".into()), new("b1".into())];
            format!("bindings[1].{}", bad_binding(rng, &mut bindings[1]))
        }
    }
}

fn bad_binding(rng: &mut SmallRng, binding: &mut NewBinding) -> String {
    match rng.random_range(0..3) {
        0 => bad_name(rng, &mut binding.budget, "budget"),
        1 => {
            binding.cost = [Tokens(0), TOO_MANY][rng.random_range(0..2)];
            "cost".into()
        }
        _ => {
            let policy = binding.create_with.insert(Policy::while_in_flight(1));
            format!("create_with.{}", bad_policy(rng, policy))
        }
    }
}

fn bad_operation(rng: &mut SmallRng, operation: &mut BindingOperation) -> Option<String> {
    Some(match operation {
        BindingOperation::Bind(new) => format!("bind.{}", bad_binding(rng, new)),
        BindingOperation::Rebind(new) => format!("rebind.{}", bad_binding(rng, new)),
        BindingOperation::SetCost(key, _) if rng.random() => bad_name(rng, key, "set_cost.budget"),
        BindingOperation::SetCost(_, cost) => {
            *cost = Tokens(0);
            "set_cost.cost".into()
        }
        BindingOperation::Unbind(key) => bad_name(rng, key, "unbind.budget"),
        BindingOperation::UnbindAll => return None,
        BindingOperation::ReplaceAll(all) => format!("replace_all.{}", bad_bindings(rng, all)),
    })
}

fn bad_job_patch(rng: &mut SmallRng, patch: &mut JobPatch, now: Timestamp) -> String {
    match rng.random_range(0..4) {
        0 => bad_name(rng, patch.queue.insert("".into()), "queue"),
        1 => {
            patch.kind = Some("a kind".into());
            "type".into()
        }
        2 => {
            patch.run_time = Some(Some(now + OVER_A_YEAR));
            "run_time".into()
        }
        _ => {
            let mut options = JobOptions::default();
            let field = bad_options(rng, &mut options);
            (patch.max_attempts, patch.timeout) = (Some(options.max_attempts), Some(options.timeout));
            (patch.backoff, patch.retention) = (Some(options.backoff), Some(options.retention));
            field
        }
    }
}

fn bad_filter(rng: &mut SmallRng, filter: &mut JobFilter) -> String {
    let names = Some(if rng.random() { vec!["a name".into()] } else { vec!["name".into(); 101] });
    let field = match rng.random_range(0..4) {
        0 => {
            filter.queues = names;
            "queues"
        }
        1 => {
            filter.kinds = names;
            "types"
        }
        2 => {
            filter.budgets = names;
            "budgets"
        }
        _ => {
            filter.ids = Some(vec![JobId(1); 10_001]);
            "ids"
        }
    };
    field.into()
}

fn bad_session(rng: &mut SmallRng, open: &mut OpenSession) -> String {
    let field = match rng.random_range(0..8) {
        0 => return bad_name(rng, &mut open.worker, "worker_id"),
        1 => {
            open.queues = [vec![], (0..65).map(|i| format!("q{i}").into()).collect()][rng.random_range(0..2)].clone();
            "queues"
        }
        2 => {
            open.queues = vec!["q0".into(), "q1".into(), "q0".into()];
            "queues[2]"
        }
        3 => return bad_name(rng, &mut open.queues[0], "queues[0]"),
        4 => {
            open.window.jobs = 100_001;
            "window.max_jobs"
        }
        5 => {
            open.lease = [Nanos(Nanos::from_secs(1).0 - 1), OVER_A_DAY][rng.random_range(0..2)];
            "lease_duration"
        }
        6 => {
            open.body_bytes_max = 32 * 1024 - 1;
            "max_message_bytes"
        }
        _ => {
            open.mode = SessionMode::Once { until: Timestamp::MAX, request: Some("".into()) };
            "request_id"
        }
    };
    field.into()
}

fn bad_outcome(rng: &mut SmallRng, outcome: &mut Outcome) -> String {
    let key = Name::from("b0");
    let field = match rng.random_range(0..7) {
        0 => {
            outcome.verdict = Verdict::Success { result: Some(vec![0; 64 * 1024 + 1].into()) };
            "success.result"
        }
        1 => {
            outcome.verdict = Verdict::Failure { error: "".into(), retry_after: Some(OVER_A_DAY), discard: false };
            "failure.retry_after"
        }
        2 => {
            outcome.verdict = Verdict::Release { delay: OVER_A_DAY };
            "release.delay"
        }
        3 => {
            outcome.usage = vec![(key, TOO_MANY)];
            "usage[0].cost"
        }
        4 => {
            outcome.usage = vec![(Name::clone(&key), Tokens(1)), (key, Tokens(2))];
            "usage[1].budget"
        }
        5 => {
            outcome.throttled = vec![(key, OVER_A_DAY)];
            "throttled[0].retry_after"
        }
        _ => {
            outcome.throttled = vec![(Name::clone(&key), Nanos(1)), (key, Nanos(2))];
            "throttled[1].budget"
        }
    };
    field.into()
}
