//! Random commands for the state at hand: few names, little room, and costs near the capacities, so that all collide.

use rand::RngExt;
use rand::rngs::SmallRng;
use sluicegate::scheduler::command::{
    BindingOperation, Command, NewBinding, NewJob, OpenSession, Outcome, SessionMode, Verdict, Window,
};
use sluicegate::scheduler::job::{Backoff, Body, JobOptions, Name, Payload, Retention, Unique, UniqueScope};
use sluicegate::scheduler::policy::{Policy, PolicyPatch, Strategy, StrategyPatch};
use sluicegate::scheduler::units::{JobId, LeaseId, Nanos, SessionId, Timestamp, Tokens};

use super::draws::{named, queue, reserve_after};
use super::naive::Naive;
use super::selection;

const KEPT_LONG: Nanos = Nanos::from_secs(600);

/// How the workers of one run behave.
#[derive(Clone, Copy, Debug)]
pub struct Temper {
    /// They hand back nearly all they get.
    pub releases: bool,
    /// They confirm nothing in words.
    pub silent: bool,
}

impl Temper {
    /// Leases last and jobs are few, so that one goes back and forth without failing.
    pub fn is_patient(self) -> bool {
        self.releases || self.silent
    }
}

/// The next command; `session` is a number that no session had before.
pub fn command(rng: &mut SmallRng, state: &Naive, temper: Temper, session: SessionId) -> Command {
    match rng.random_range(0..100) {
        35..64 if state.leases.is_empty() && rng.random_bool(0.8) => enqueue(rng, state, temper),
        40..64 if temper.silent => Command::OpenSession(open(rng, state, temper, session)),
        0..26 => enqueue(rng, state, temper),
        26..35 => Command::OpenSession(open(rng, state, temper, session)),
        35..57 => settle(rng, state, temper),
        57..61 => Command::Extend { leases: some(rng, 3, |rng| lease(rng, state)) },
        61..64 => Command::Received { leases: some(rng, 3, |rng| lease(rng, state)) },
        64..67 => Command::SetWindow { session: a_session(rng, state), window: window(rng) },
        67..69 => Command::CloseSession { session: a_session(rng, state) },
        69..70 => Command::Leave { session: a_session(rng, state) },
        70..76 => Command::ModifyBindings { job: job(rng, state), operation: operation(rng, state) },
        76..83 => selection::command(rng, state),
        83..84 => Command::PauseQueue { queue: queue(rng) },
        84..86 => Command::ResumeQueue { queue: queue(rng) },
        86 if rng.random_bool(0.2) => Command::Drain,
        _ => budget_command(rng, state),
    }
}

fn budget_command(rng: &mut SmallRng, state: &Naive) -> Command {
    let key = budget(rng, state);
    let etag = match rng.random_range(0..10) {
        0 => Some("1-0".into()),
        1 | 2 => state.find_budget(&key).map(|budget| budget.etag()),
        _ => None,
    };
    match rng.random_range(0..16) {
        0..3 => Command::CreateBudget { key, policy: policy(rng) },
        3..6 => Command::ReplaceBudget { key, policy: policy(rng), allow_missing: rng.random(), etag },
        6..9 => Command::UpdateBudget { key, patch: patch(rng), etag },
        9 => Command::DeleteBudget { key, allow_missing: rng.random_bool(0.3), etag },
        10 => Command::DeleteBudget { key: unbound(rng, state).unwrap_or(key), allow_missing: false, etag: None },
        11 => Command::BlockBudget { key, span: rng.random_bool(0.8).then(|| span(rng).max(Nanos(1))) },
        12..14 => Command::UnblockBudget { key },
        _ => {
            let capacity = state.find_budget(&key).map_or(1, |budget| budget.pool.policy.capacity().0);
            Command::AdjustBudget { key, level: Tokens(rng.random_range(0..=capacity + 1)) }
        }
    }
}

/// One thing most of the time, and sometimes a few.
fn some<T>(rng: &mut SmallRng, most: usize, mut one: impl FnMut(&mut SmallRng) -> T) -> Vec<T> {
    let count = if rng.random_bool(0.6) { 1 } else { rng.random_range(1..=most) };
    (0..count).map(|_| one(rng)).collect()
}

fn worker(rng: &mut SmallRng) -> Name {
    named("w", rng.random_range(0..3))
}

/// One that exists, most of the time.
pub fn budget(rng: &mut SmallRng, state: &Naive) -> Name {
    if !state.budgets.is_empty() && rng.random_bool(0.8) {
        return Name::clone(&state.budgets[rng.random_range(0..state.budgets.len())].key);
    }
    named("b", rng.random_range(0..8))
}

/// A budget that only finished jobs are bound to.
fn unbound(rng: &mut SmallRng, state: &Naive) -> Option<Name> {
    let named = |id| state.jobs.iter().any(|job| job.cost_to(id).is_some());
    let unbound = state.budgets.iter().filter(|budget| named(budget.id) && state.bound(budget.id).next().is_none());
    let unbound: Vec<&Name> = unbound.map(|budget| &budget.key).collect();
    (!unbound.is_empty()).then(|| Name::clone(unbound[rng.random_range(0..unbound.len())]))
}

fn request(rng: &mut SmallRng) -> Option<Name> {
    rng.random_bool(0.15).then(|| named("r", rng.random_range(0..5)))
}

pub fn job(rng: &mut SmallRng, state: &Naive) -> JobId {
    if state.jobs.is_empty() || rng.random_bool(0.03) {
        return JobId(rng.random_range(0..state.next_id + 1));
    }
    state.jobs[rng.random_range(0..state.jobs.len())].record.id
}

/// A live one, most of the time; or one that has ended, or none.
fn lease(rng: &mut SmallRng, state: &Naive) -> LeaseId {
    if !state.leases.is_empty() && rng.random_bool(0.93) {
        return state.leases[rng.random_range(0..state.leases.len())].record.id;
    }
    let ended = state.ended.len();
    let ended = if ended == 0 { None } else { state.ended.keys().nth(rng.random_range(0..ended)) };
    ended.copied().filter(|_| rng.random_bool(0.8)).unwrap_or(LeaseId(rng.random_range(0..state.next_id + 1)))
}

fn a_session(rng: &mut SmallRng, state: &Naive) -> SessionId {
    if state.sessions.is_empty() || rng.random_bool(0.05) {
        return SessionId(0);
    }
    state.sessions[rng.random_range(0..state.sessions.len())].id
}

/// Spans at which something here may end: from nothing over the drip of a token to longer than anything is kept.
pub fn span(rng: &mut SmallRng) -> Nanos {
    let scale = [1, 1_000_000, 1_000_000, 1_000_000, 100_000_000, 1_000_000_000][rng.random_range(0..6)];
    Nanos(scale * rng.random_range(0..=8) + if rng.random_bool(0.1) { rng.random_range(0..1_000_000) } else { 0 })
}

pub fn policy(rng: &mut SmallRng) -> Policy {
    let few = |rng: &mut SmallRng| Tokens(rng.random_range(1..=8));
    let mut policy = Policy::while_in_flight(rng.random_range(1..=6));
    if rng.random_bool(0.6) {
        let duration = duration(rng);
        let burst = rng.random_bool(0.4).then(|| few(rng));
        policy.strategy = Strategy::TimeBased { duration, burst };
    }
    if rng.random_bool(0.01) {
        policy.allocation = Tokens::MAX;
    }
    policy.reserve_after = reserve_after(rng, span);
    policy
}

fn duration(rng: &mut SmallRng) -> Nanos {
    match rng.random_range(0..20) {
        0 => Nanos::from_days(366),
        1 => Nanos(rng.random_range(1_000_000..50_000_000)),
        _ => Nanos::from_millis([1, 2, 3, 7, 20, 50, 300, 1000][rng.random_range(0..8)]),
    }
}

fn patch(rng: &mut SmallRng) -> PolicyPatch {
    let burst = |rng: &mut SmallRng| Tokens(rng.random_range(1..=8));
    let strategy = match rng.random_range(0..6) {
        0 => Some(StrategyPatch::WhileInFlight),
        1 => {
            Some(StrategyPatch::TimeBased { duration: duration(rng), burst: rng.random_bool(0.5).then(|| burst(rng)) })
        }
        2..5 => {
            let duration = rng.random_bool(0.6).then(|| duration(rng));
            let burst = rng.random_bool(0.6).then(|| rng.random_bool(0.6).then(|| burst(rng)));
            Some(StrategyPatch::Fields { duration, burst })
        }
        _ => None,
    };
    let allocation = rng.random_bool(0.5).then(|| Tokens(rng.random_range(1..=7)));
    PolicyPatch { allocation, strategy, reserve_after: rng.random_bool(0.2).then(|| reserve_after(rng, span)) }
}

fn new_binding(rng: &mut SmallRng, key: Name) -> NewBinding {
    let cost = Tokens(if rng.random_bool(0.5) { 1 } else { rng.random_range(1..=5) });
    NewBinding { budget: key, cost, create_with: rng.random_bool(0.2).then(|| policy(rng)) }
}

/// To a budget that it creates, if need be.
pub fn creating(rng: &mut SmallRng) -> NewBinding {
    let budget = named("b", rng.random_range(0..8));
    NewBinding { budget, cost: Tokens::ONE, create_with: Some(policy(rng)) }
}

/// Up to three, each to another budget.
fn bindings(rng: &mut SmallRng, state: &Naive) -> Vec<NewBinding> {
    let count = [0, 1, 1, 1, 2, 2, 3][rng.random_range(0..7)];
    let mut keys: Vec<Name> = (0..count).map(|_| budget(rng, state)).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().map(|key| new_binding(rng, key)).collect()
}

fn enqueue(rng: &mut SmallRng, state: &Naive, temper: Temper) -> Command {
    Command::Enqueue { request: request(rng), jobs: some(rng, 5, |rng| new_job(rng, state, temper)) }
}

fn new_job(rng: &mut SmallRng, state: &Naive, temper: Temper) -> NewJob {
    let scope = [UniqueScope::Queued, UniqueScope::Unfinished, UniqueScope::Retained][rng.random_range(0..3)];
    let unique = rng.random_bool(0.3).then(|| Unique { key: named("u", rng.random_range(0..2)), scope });
    let past = |rng: &mut SmallRng| state.now - span(rng);
    let run_time = match rng.random_range(0..10) {
        0 => Some(past(rng)),
        1 | 2 => Some(state.now + span(rng)),
        _ => None,
    };
    let is_simple = temper.is_patient() && rng.random_bool(0.7);
    let mut options = options(rng);
    if unique.is_some() && rng.random() {
        // Several that had the same key are kept.
        (options.retention.dead, options.retention.cancelled) = (KEPT_LONG, KEPT_LONG);
    }
    NewJob {
        queue: queue(rng),
        kind: ["", "mail", "image"][rng.random_range(0..3)].into(),
        body: body(rng),
        priority: [0, 1, 1, 1, 2][rng.random_range(0..5)],
        run_time,
        bindings: if is_simple { Vec::new() } else { bindings(rng, state) },
        options: if is_simple { JobOptions { timeout: None, ..options } } else { options },
        unique,
    }
}

/// Of sizes around those that make a worker's window, or its messages, too small.
fn body(rng: &mut SmallRng) -> Body {
    let bytes = match rng.random_range(0..30) {
        0 => 32 * 1024 + rng.random_range(0..=1),
        1 => 64 * 1024 + rng.random_range(0..=1),
        _ => rng.random_range(0..100),
    };
    Body { payload: Payload::Binary(vec![0; bytes].into()), metadata: Vec::new() }
}

pub fn options(rng: &mut SmallRng) -> JobOptions {
    let kept = |rng: &mut SmallRng| if rng.random_bool(0.4) { Nanos::ZERO } else { span(rng) };
    let initial = span(rng);
    let backoff = Backoff {
        initial,
        max: Nanos(initial.0 + span(rng).0),
        multiplier_percent: [100, 200, 300][rng.random_range(0..3)],
        jitter_percent: 0,
    };
    JobOptions {
        max_attempts: [1, 2, 3, 4, 25][rng.random_range(0..5)],
        backoff,
        retention: Retention { completed: kept(rng), dead: kept(rng), cancelled: kept(rng) },
        timeout: rng.random_bool(0.15).then(|| Nanos(1_000_000 + span(rng).0)),
    }
}

pub fn operation(rng: &mut SmallRng, state: &Naive) -> BindingOperation {
    let key = budget(rng, state);
    match rng.random_range(0..7) {
        0 | 1 => BindingOperation::Bind(new_binding(rng, key)),
        2 => BindingOperation::Rebind(new_binding(rng, key)),
        3 => BindingOperation::SetCost(key, Tokens(rng.random_range(1..=5))),
        4 => BindingOperation::Unbind(key),
        5 => BindingOperation::UnbindAll,
        _ => BindingOperation::ReplaceAll(bindings(rng, state)),
    }
}

fn window(rng: &mut SmallRng) -> Window {
    let jobs = [0, 1, 1, 2, 3, 5][rng.random_range(0..6)];
    Window { jobs, bytes: [0, 60, 150, 1 << 20][rng.random_range(0..4)] }
}

fn open(rng: &mut SmallRng, state: &Naive, temper: Temper, session: SessionId) -> OpenSession {
    let mut queues = some(rng, 3, queue);
    queues.sort();
    queues.dedup();
    let asked = state.leases.iter().find(|lease| lease.record.cancelled && rng.random_bool(0.3));
    let worker = match asked {
        _ if temper.silent => named("w", 0),
        Some(lease) => Name::clone(&lease.record.worker),
        None => worker(rng),
    };
    let mode = if temper.silent || rng.random_bool(0.75) {
        let of_worker = state.leases.iter().filter(|lease| lease.record.worker == worker);
        let named = if temper.silent { 0.1 } else { 0.8 };
        let mut held: Vec<_> = of_worker.map(|lease| lease.record.id).filter(|_| rng.random_bool(named)).collect();
        if rng.random_bool(0.2) {
            held.push(lease(rng, state));
        }
        SessionMode::Stream {
            confirms_receipt: temper.silent || rng.random(),
            held: rng.random_bool(0.6).then_some(held),
        }
    } else {
        SessionMode::Once { until: state.now + span(rng), request: request(rng) }
    };
    OpenSession {
        session,
        worker,
        queues,
        window: window(rng),
        lease: if temper.is_patient() { Nanos::from_secs(60) } else { Nanos::from_secs(rng.random_range(1..=8)) },
        body_bytes_max: [32 * 1024, 64 * 1024, 65 * 1024, 4 << 20][rng.random_range(0..4)],
        mode,
    }
}

/// By the stream that has the first of them in hand, by another one, or by a call.
fn settle(rng: &mut SmallRng, state: &Naive, temper: Temper) -> Command {
    let outcomes = some(rng, 3, |rng| outcome(rng, state, temper));
    let from = match rng.random_range(0..10) {
        0..3 => None,
        3 => Some(a_session(rng, state)),
        _ => state.find_lease(outcomes[0].lease).and_then(|lease| lease.session),
    };
    Command::Settle { from, outcomes }
}

/// Reports mostly of the budgets that the lease debited, with uses around what it did.
fn outcome(rng: &mut SmallRng, state: &Naive, temper: Temper) -> Outcome {
    let lease = lease(rng, state);
    let live = state.find_lease(lease);
    let debited = live.map(|lease| lease.record.debits.clone()).unwrap_or_default();
    let mut usage = Vec::new();
    let mut throttled = Vec::new();
    for debit in debited {
        let key = &state.budget(debit.budget).key;
        if rng.random_bool(0.5) {
            usage.push((Name::clone(key), Tokens(rng.random_range(0..=debit.cost.0 + 2))));
        }
        if rng.random_bool(0.05) {
            throttled.push((Name::clone(key), span(rng)));
        }
    }
    if rng.random_bool(0.02) {
        usage.push((named("b", 8), Tokens(1)));
    }
    if rng.random_bool(0.02) {
        throttled.push((named("b", 9), Nanos(1)));
    }
    let verdict = match rng.random_range(0..10) {
        _ if temper.releases && rng.random_bool(0.97) => Verdict::Release { delay: Nanos::ZERO },
        0..4 => Verdict::Success { result: rng.random_bool(0.3).then(|| Box::from([1, 2])) },
        4..7 => Verdict::Failure {
            error: "it failed".into(),
            retry_after: rng.random_bool(0.3).then(|| span(rng)),
            discard: rng.random_bool(0.15),
        },
        _ => Verdict::Release { delay: if rng.random() { Nanos::ZERO } else { span(rng) } },
    };
    Outcome { lease, verdict, usage, throttled }
}

/// Where the clock goes next: mostly nowhere, else some span on, or exactly to what is due next, or one tick before.
pub fn clock(rng: &mut SmallRng, now: Timestamp, next: Option<Timestamp>) -> Timestamp {
    let next = next.unwrap_or(now + Nanos(1)).max(now);
    match rng.random_range(0..20) {
        0..10 => now,
        10..15 => now + span(rng),
        15..17 => next,
        17..19 => (next - Nanos(1)).max(now),
        _ if rng.random_bool(0.1) => now + Nanos::from_secs(rng.random_range(590..=610)),
        _ => now + Nanos::from_secs(rng.random_range(1..=12)),
    }
}
