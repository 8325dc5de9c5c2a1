//! Those who enqueue, and those who operate: random commands about a few names, so that all collide.

use rand::RngExt;
use rand::rngs::SmallRng;
use sluicegate::scheduler::Command;
use sluicegate::scheduler::command::{BindingOperation, JobPatch, JobsChange, NewBinding, NewJob, Part};
use sluicegate::scheduler::job::{Backoff, Body, JobOptions, JobState, Name, Payload, Retention, Unique, UniqueScope};
use sluicegate::scheduler::policy::{Policy, PolicyPatch, Strategy, StrategyPatch};
use sluicegate::scheduler::units::{JobId, Nanos, Timestamp, Tokens};
use sluicegate::scheduler::view::JobFilter;

use super::draws::{named, queue, reserve_after};
use super::ledger::Ledger;

pub fn command(rng: &mut SmallRng, now: Timestamp, ledger: &Ledger) -> Command {
    match rng.random_range(0..100) {
        0..58 => enqueue(rng, now),
        58..66 => Command::ModifyBindings { job: job(rng, ledger), operation: operation(rng) },
        66..75 => change(rng, now, ledger),
        75..77 => Command::PauseQueue { queue: queue(rng) },
        77..81 => Command::ResumeQueue { queue: queue(rng) },
        _ => of_budget(rng),
    }
}

fn budget(rng: &mut SmallRng) -> Name {
    named("b", rng.random_range(0..5))
}

/// From nothing over the drip of a token to longer than a lease.
pub fn span(rng: &mut SmallRng) -> Nanos {
    let scale = [1, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000][rng.random_range(0..5)];
    Nanos(scale * rng.random_range(0..=8))
}

/// Every one of them pays any job in the end, within simulated minutes.
fn policy(rng: &mut SmallRng) -> Policy {
    let mut policy = Policy::while_in_flight(rng.random_range(2..=5));
    if rng.random_bool(0.6) {
        policy.strategy = Strategy::TimeBased { duration: duration(rng), burst: burst(rng) };
    }
    policy.reserve_after = reserve_after(rng, span);
    policy
}

fn duration(rng: &mut SmallRng) -> Nanos {
    Nanos::from_millis([1, 7, 20, 300, 1000, 5000][rng.random_range(0..6)])
}

fn burst(rng: &mut SmallRng) -> Option<Tokens> {
    rng.random_bool(0.5).then(|| Tokens(rng.random_range(2..=8)))
}

fn of_budget(rng: &mut SmallRng) -> Command {
    let key = budget(rng);
    match rng.random_range(0..16) {
        0..4 => Command::CreateBudget { key, policy: policy(rng) },
        4..6 => Command::ReplaceBudget { key, policy: policy(rng), allow_missing: true, etag: None },
        6..10 => Command::UpdateBudget { key, patch: patch(rng), etag: None },
        10..12 => Command::DeleteBudget { key, allow_missing: false, etag: None },
        12 => Command::BlockBudget { key, span: rng.random_bool(0.8).then(|| span(rng).max(Nanos(1))) },
        13 | 14 => Command::UnblockBudget { key },
        _ => Command::AdjustBudget { key, level: Tokens(rng.random_range(0..=4)) },
    }
}

fn patch(rng: &mut SmallRng) -> PolicyPatch {
    let strategy = match rng.random_range(0..6) {
        0 => Some(StrategyPatch::WhileInFlight),
        1 => Some(StrategyPatch::TimeBased { duration: duration(rng), burst: burst(rng) }),
        2 | 3 => Some(StrategyPatch::Fields { duration: Some(duration(rng)), burst: None }),
        _ => None,
    };
    let allocation = rng.random_bool(0.6).then(|| Tokens(rng.random_range(1..=6)));
    PolicyPatch { allocation, strategy, reserve_after: rng.random_bool(0.2).then(|| reserve_after(rng, span)) }
}

fn binding(rng: &mut SmallRng, budget: Name) -> NewBinding {
    let cost = Tokens(if rng.random_bool(0.6) { 1 } else { rng.random_range(1..=3) });
    NewBinding { budget, cost, create_with: rng.random_bool(0.85).then(|| policy(rng)) }
}

/// Up to three, each to another budget.
fn bindings(rng: &mut SmallRng) -> Vec<NewBinding> {
    let count = [0, 1, 1, 1, 2, 3][rng.random_range(0..6)];
    let mut keys: Vec<Name> = (0..count).map(|_| budget(rng)).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().map(|key| binding(rng, key)).collect()
}

fn enqueue(rng: &mut SmallRng, now: Timestamp) -> Command {
    let request = rng.random_bool(0.15).then(|| named("r", rng.random_range(0..5)));
    let count = [1, 1, 1, 2, 4][rng.random_range(0..5)];
    Command::Enqueue { request, jobs: (0..count).map(|_| new_job(rng, now)).collect() }
}

fn new_job(rng: &mut SmallRng, now: Timestamp) -> NewJob {
    let scope = [UniqueScope::Queued, UniqueScope::Unfinished, UniqueScope::Retained][rng.random_range(0..3)];
    NewJob {
        queue: queue(rng),
        kind: "".into(),
        body: body(rng),
        priority: [0, 1, 1, 2][rng.random_range(0..4)],
        run_time: rng.random_bool(0.2).then(|| now + span(rng)),
        bindings: bindings(rng),
        options: options(rng),
        unique: rng.random_bool(0.1).then(|| Unique { key: named("u", rng.random_range(0..3)), scope }),
    }
}

/// Mostly within a page of the store, sometimes over several.
fn body(rng: &mut SmallRng) -> Body {
    let bytes = if rng.random_bool(0.1) { rng.random_range(1000..9000) } else { rng.random_range(0..100) };
    let payload = Payload::Binary(vec![rng.random(); bytes].into());
    let metadata = if rng.random_bool(0.2) { vec![("trace".into(), "a-1".into())] } else { Vec::new() };
    Body { payload, metadata }
}

fn options(rng: &mut SmallRng) -> JobOptions {
    let kept = |rng: &mut SmallRng| if rng.random() { Nanos::ZERO } else { Nanos(span(rng).0 * 10) };
    let initial = span(rng);
    let backoff = Backoff { initial, max: Nanos(initial.0 * 2), ..Backoff::default() };
    JobOptions {
        max_attempts: [1, 2, 3, 25][rng.random_range(0..4)],
        backoff,
        retention: Retention { completed: kept(rng), dead: kept(rng), cancelled: kept(rng) },
        timeout: rng.random_bool(0.1).then(|| Nanos(1_000_000 + span(rng).0)),
    }
}

/// One of the latest, or any.
fn job(rng: &mut SmallRng, ledger: &Ledger) -> JobId {
    let known = ledger.enqueued.len();
    if known == 0 {
        return JobId(1);
    }
    let back = if rng.random_bool(0.8) { rng.random_range(0..known.min(8)) } else { rng.random_range(0..known) };
    *ledger.enqueued.iter().rev().nth(back).expect("fewer than there are")
}

fn operation(rng: &mut SmallRng) -> BindingOperation {
    let key = budget(rng);
    match rng.random_range(0..7) {
        0 | 1 => BindingOperation::Bind(binding(rng, key)),
        2 => BindingOperation::Rebind(binding(rng, key)),
        3 => BindingOperation::SetCost(key, Tokens(rng.random_range(1..=3))),
        4 => BindingOperation::Unbind(key),
        5 => BindingOperation::UnbindAll,
        _ => BindingOperation::ReplaceAll(bindings(rng)),
    }
}

fn change(rng: &mut SmallRng, now: Timestamp, ledger: &Ledger) -> Command {
    let change = match rng.random_range(0..10) {
        0..3 => JobsChange::Cancel { force: rng.random_bool(0.3) },
        3..6 => JobsChange::Retry,
        6 => JobsChange::Delete,
        7 => JobsChange::Bindings(operation(rng)),
        _ => JobsChange::Update(Box::new(JobPatch {
            queue: rng.random_bool(0.4).then(|| queue(rng)),
            priority: rng.random_bool(0.4).then(|| rng.random_range(0..=2)),
            run_time: rng.random_bool(0.3).then(|| Some(now + span(rng))),
            ..JobPatch::default()
        })),
    };
    let filter = match rng.random_range(0..4) {
        0 | 1 => JobFilter { ids: Some(vec![job(rng, ledger), job(rng, ledger)]), ..JobFilter::default() },
        2 => JobFilter { budgets: Some(vec![budget(rng)]), ..JobFilter::default() },
        _ => JobFilter {
            states: Some(vec![JobState::ALL[rng.random_range(0..6)]]),
            queues: Some(vec![queue(rng)]),
            ..JobFilter::default()
        },
    };
    Command::ChangeJobs { filter, change, part: Part::Whole { apply: true } }
}
