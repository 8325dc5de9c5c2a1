//! Random changes of all jobs that a random filter selects: mostly of few, and now and then of all.

use rand::RngExt;
use rand::rngs::SmallRng;
use sluicegate::scheduler::command::{BindingOperation, Command, JobPatch, JobsChange, Part};
use sluicegate::scheduler::job::{JobState, Name};
use sluicegate::scheduler::units::Timestamp;
use sluicegate::scheduler::view::JobFilter;

use super::draws::queue;
use super::generate::{budget, creating, job, operation, options, span};
use super::naive::Naive;

pub fn command(rng: &mut SmallRng, state: &Naive) -> Command {
    let mut change = match rng.random_range(0..20) {
        0..5 => JobsChange::Cancel { force: rng.random_bool(0.3) },
        5..10 => JobsChange::Retry,
        10..12 => JobsChange::Delete,
        12..16 => JobsChange::Update(Box::new(patch(rng, state))),
        _ => JobsChange::Bindings(operation(rng, state)),
    };
    let apply = rng.random_bool(0.9);
    let after = |rng: &mut SmallRng| rng.random_bool(0.3).then(|| job(rng, state));
    let filter = match &mut change {
        JobsChange::Cancel { force: false } if rng.random_bool(0.5) => in_flight(rng, state),
        JobsChange::Retry if rng.random_bool(0.6) => finished(rng),
        JobsChange::Bindings(operation) if rng.random_bool(0.2) => {
            *operation = BindingOperation::Rebind(creating(rng));
            in_flight(rng, state)
        }
        _ => filter(rng, state),
    };
    let part = if rng.random_bool(0.8) { Part::Whole { apply } } else { Part::Step { after: after(rng), apply } };
    Command::ChangeJobs { filter, change, part }
}

/// One job in flight.
fn in_flight(rng: &mut SmallRng, state: &Naive) -> JobFilter {
    let ids = state.leases.iter().map(|lease| lease.record.job).nth(rng.random_range(0..4));
    JobFilter { ids: Some(ids.into_iter().collect()), ..JobFilter::default() }
}

/// All that a retry is for.
fn finished(rng: &mut SmallRng) -> JobFilter {
    let states = Some(vec![JobState::Dead, JobState::Cancelled]);
    JobFilter { states, queues: rng.random_bool(0.5).then(|| few(rng, queue)), ..JobFilter::default() }
}

pub fn filter(rng: &mut SmallRng, state: &Naive) -> JobFilter {
    let kinds = ["", "mail", "image"].map(Name::from);
    JobFilter {
        ids: rng.random_bool(0.5).then(|| few(rng, |rng| job(rng, state))),
        queues: rng.random_bool(0.3).then(|| few(rng, queue)),
        kinds: rng.random_bool(0.15).then(|| few(rng, |rng| kinds[rng.random_range(0..3)].clone())),
        states: rng.random_bool(0.3).then(|| few(rng, |rng| JobState::ALL[rng.random_range(0..6)])),
        budgets: rng.random_bool(0.3).then(|| few(rng, |rng| budget_shown(rng, state))),
        priority: rng.random_bool(0.1).then(|| (rng.random_range(0..=1), rng.random_range(1..=2))),
        create_time: rng.random_bool(0.1).then(|| range(rng, state)),
        run_time: rng.random_bool(0.1).then(|| range(rng, state)),
    }
}

fn few<T>(rng: &mut SmallRng, mut one: impl FnMut(&mut SmallRng) -> T) -> Vec<T> {
    (0..[0, 1, 1, 1, 1, 1, 2, 2, 3, 4][rng.random_range(0..10)]).map(|_| one(rng)).collect()
}

/// One that a job names, deleted or not, half of the time.
fn budget_shown(rng: &mut SmallRng, state: &Naive) -> Name {
    let shown: Vec<Name> = state.budgets.iter().map(|budget| Name::clone(&budget.key)).collect();
    if shown.is_empty() || rng.random() {
        return budget(rng, state);
    }
    shown[rng.random_range(0..shown.len())].clone()
}

/// Around now, and mostly with something between its ends.
fn range(rng: &mut SmallRng, state: &Naive) -> (Timestamp, Timestamp) {
    let from = if rng.random_bool(0.7) { state.now - span(rng) } else { state.now + span(rng) };
    (from, from + span(rng))
}

fn patch(rng: &mut SmallRng, state: &Naive) -> JobPatch {
    let options = options(rng);
    let run_time = match rng.random_range(0..10) {
        0 => Some(None),
        1 => Some(Some(state.now - span(rng))),
        2 | 3 => Some(Some(state.now + span(rng))),
        _ => None,
    };
    JobPatch {
        queue: rng.random_bool(0.3).then(|| queue(rng)),
        kind: rng.random_bool(0.2).then(|| "mail".into()),
        priority: rng.random_bool(0.3).then(|| rng.random_range(0..=2)),
        run_time,
        max_attempts: rng.random_bool(0.2).then_some(options.max_attempts),
        backoff: rng.random_bool(0.2).then_some(options.backoff),
        retention: rng.random_bool(0.2).then_some(options.retention),
        timeout: rng.random_bool(0.2).then_some(options.timeout),
    }
}
