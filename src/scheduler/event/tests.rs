//! What is told of each thing that happens, and that nothing is while nobody asked.

use super::*;
use crate::scheduler::command::{BindingOperation, JobsChange, NewBinding, NewJob, Outcome, Part};
use crate::scheduler::policy::PolicyPatch;
use crate::scheduler::testing::{enqueue, plain_job, serve, stored};
use crate::scheduler::units::{Nanos, SessionId};
use crate::scheduler::view::JobFilter;
use crate::scheduler::{Command, Config};

const NOW: Timestamp = Timestamp(1_000);
const SECOND: Nanos = Nanos::from_secs(1);
/// One token per second.
const TOKEN: i128 = 10 * 1_000_000_000;

fn bound(bindings: &[(&str, u64)]) -> NewJob {
    let binding =
        |(budget, cost): &(&str, u64)| NewBinding { budget: (*budget).into(), cost: Tokens(*cost), create_with: None };
    NewJob { bindings: bindings.iter().map(binding).collect(), ..plain_job() }
}

fn costs(costs: &[(&str, u64)]) -> Costs {
    costs.iter().map(|(budget, cost)| (Name::from(*budget), Tokens(*cost))).collect()
}

/// With a rate of 10 in 10 s and a slot.
fn limited() -> Scheduler {
    let mut scheduler = Scheduler::new(Config::default());
    let rate = Policy::time_based(10, Nanos::from_secs(10), None);
    for (key, policy) in [("rate", rate), ("slots", Policy::while_in_flight(3))] {
        scheduler.apply(NOW, Command::CreateBudget { key: key.into(), policy }).unwrap();
    }
    scheduler
}

fn settle(scheduler: &mut Scheduler, now: Timestamp, lease: LeaseId, verdict: Verdict, usage: &[(&str, u64)]) {
    let outcome = Outcome { lease, verdict, usage: costs(usage), throttled: Vec::new() };
    scheduler.apply(now, Command::Settle { from: None, outcomes: vec![outcome] }).unwrap();
}

fn happened(scheduler: &mut Scheduler) -> Vec<Happened> {
    scheduler.take_events().into_iter().map(|event| event.what).collect()
}

fn only_lease(scheduler: &Scheduler) -> LeaseId {
    let leases: Vec<_> = scheduler.leases.iter().map(|(id, _)| id).collect();
    assert_eq!(leases.len(), 1);
    leases[0]
}

#[test]
fn nothing_is_built_until_somebody_asks() {
    let mut scheduler = limited();
    enqueue(&mut scheduler, NOW, bound(&[("rate", 4)]));
    serve(&mut scheduler, NOW);
    assert_eq!(scheduler.take_events(), []);
    scheduler.journal.note(NOW, || unreachable!("nobody asked"));
}

#[test]
fn the_first_event_says_what_stands() {
    let mut scheduler = limited();
    let job = enqueue(&mut scheduler, NOW, bound(&[("rate", 4), ("slots", 1)]));
    serve(&mut scheduler, NOW);
    let lease = only_lease(&scheduler);
    let after = NOW + SECOND;
    let mut scheduler = Scheduler::restore(Config::default(), after, stored(&mut scheduler)).unwrap();
    scheduler.keep_events();
    let events = scheduler.take_events();
    assert_eq!(events[0].at, after);
    let Happened::Started(standing) = &events[0].what else { panic!("{events:?}") };
    let levels: Vec<_> = standing.budgets.iter().map(|budget| (&*budget.key, budget.level)).collect();
    assert_eq!(levels, [("rate", Some(7 * TOKEN)), ("slots", None)]);
    let debits = costs(&[("rate", 4), ("slots", 1)]);
    assert_eq!(standing.leases, [StandingLease { lease, job, worker: "w".into(), dispatch_time: NOW, debits }]);
    assert_eq!(scheduler.take_events(), []);
}

#[test]
fn an_attempt_is_told_from_its_enqueue_to_its_end() {
    let mut scheduler = limited();
    scheduler.keep_events();
    scheduler.take_events();
    let job = enqueue(&mut scheduler, NOW, bound(&[("slots", 1), ("rate", 4)]));
    let bindings = costs(&[("rate", 4), ("slots", 1)]);
    let queue = Name::from("q");
    assert_eq!(happened(&mut scheduler), [Happened::Enqueued { job, queue, bindings: bindings.clone() }]);

    serve(&mut scheduler, NOW);
    let lease = only_lease(&scheduler);
    let (queue, worker, debits) = (Name::from("q"), Name::from("w"), bindings.clone());
    assert_eq!(happened(&mut scheduler), [Happened::Dispatched { lease, job, queue, worker, attempt: 1, debits }]);

    let settled = NOW + SECOND;
    settle(&mut scheduler, settled, lease, Verdict::Success { result: None }, &[("rate", 2), ("slots", 7)]);
    let usage = vec![Use { budget: "rate".into(), debited: Tokens(4), used: Tokens(2), moved: 2 * TOKEN }];
    let events = scheduler.take_events();
    assert!(events.iter().all(|event| event.at == settled), "{events:?}");
    let events: Vec<_> = events.into_iter().map(|event| event.what).collect();
    let end = Happened::Ended { lease, job, how: How::Success, state: None, released: bindings };
    assert_eq!(events, [Happened::Used { lease, job, usage }, end]);
}

#[test]
fn the_ways_of_an_end_are_told_apart() {
    let mut scheduler = limited();
    scheduler.keep_events();
    let job = enqueue(&mut scheduler, NOW, bound(&[("slots", 1)]));
    serve(&mut scheduler, NOW);
    let all = || JobFilter { ids: Some(vec![job]), ..JobFilter::default() };
    let failure = Verdict::Failure { error: "".into(), retry_after: Some(Nanos::ZERO), discard: false };
    let change = |change| Command::ChangeJobs { filter: all(), change, part: Part::Whole { apply: true } };
    let ends = |scheduler: &mut Scheduler, now: Timestamp| {
        scheduler.advance(now);
        let ended = happened(scheduler).into_iter().filter_map(|what| match what {
            Happened::Ended { how, state, .. } => Some((how, state)),
            _ => None,
        });
        ended.collect::<Vec<_>>()
    };
    let lease = only_lease(&scheduler);
    settle(&mut scheduler, NOW, lease, failure, &[]);
    assert_eq!(ends(&mut scheduler, NOW), [(How::Failure, Some(JobState::Ready))]);
    let lease = only_lease(&scheduler);
    settle(&mut scheduler, NOW, lease, Verdict::Release { delay: SECOND }, &[]);
    let now = NOW + SECOND;
    assert_eq!(ends(&mut scheduler, now), [(How::Release, Some(JobState::Scheduled))]);
    scheduler.apply(now, Command::Leave { session: SessionId(1) }).unwrap();
    assert_eq!(ends(&mut scheduler, now), [(How::WorkerLeft, Some(JobState::Ready))]);
    serve(&mut scheduler, now);
    let (lease, verdict) = (only_lease(&scheduler), Verdict::Release { delay: Nanos::ZERO });
    let throttled = vec![("slots".into(), Nanos::ZERO)];
    let outcome = Outcome { lease, verdict, usage: Vec::new(), throttled };
    scheduler.apply(now, Command::Settle { from: None, outcomes: vec![outcome] }).unwrap();
    assert_eq!(ends(&mut scheduler, now), [(How::Throttled, Some(JobState::Ready))]);
    scheduler.apply(now, change(JobsChange::Cancel { force: true })).unwrap();
    assert_eq!(ends(&mut scheduler, now), [(How::ForceCancelled, Some(JobState::Cancelled))]);
    scheduler.apply(now, change(JobsChange::Retry)).unwrap();
    scheduler.advance(now);
    let expiry = now + Nanos::from_secs(30);
    assert_eq!(ends(&mut scheduler, expiry), [(How::Expired, Some(JobState::Scheduled))]);
}

#[test]
fn changes_of_budgets_and_bindings_are_told_with_what_stands_then() {
    let mut scheduler = limited();
    scheduler.keep_events();
    scheduler.take_events();
    let job = enqueue(&mut scheduler, NOW, NewJob { run_time: Some(NOW + SECOND), ..bound(&[("rate", 4)]) });
    scheduler.take_events();

    let operation = BindingOperation::SetCost("rate".into(), Tokens(5));
    scheduler.apply(NOW, Command::ModifyBindings { job, operation: operation.clone() }).unwrap();
    assert_eq!(happened(&mut scheduler), [Happened::Rebound { job, bindings: costs(&[("rate", 5)]) }]);
    scheduler.apply(NOW, Command::ModifyBindings { job, operation }).unwrap();
    assert_eq!(happened(&mut scheduler), [], "the same again changes nothing");

    let patch = PolicyPatch { allocation: Some(Tokens(6)), ..PolicyPatch::default() };
    let update = || Command::UpdateBudget { key: "rate".into(), patch, etag: None };
    scheduler.apply(NOW, update()).unwrap();
    scheduler.apply(NOW, update()).unwrap();
    scheduler.apply(NOW, Command::AdjustBudget { key: "rate".into(), level: Tokens(1) }).unwrap();
    scheduler.apply(NOW, Command::DeleteBudget { key: "slots".into(), allow_missing: false, etag: None }).unwrap();
    let policy = Policy::time_based(6, Nanos::from_secs(10), None);
    let standing =
        |level| StandingBudget { key: "rate".into(), create_time: NOW, revision: 2, policy, level: Some(level) };
    assert_eq!(
        happened(&mut scheduler),
        [
            Happened::BudgetChanged(PolicyChange::Updated, standing(6 * TOKEN)),
            Happened::BudgetAdjusted(standing(TOKEN)),
            Happened::BudgetDeleted("slots".into()),
        ]
    );
    let policy = Policy::while_in_flight(1);
    let replace = Command::ReplaceBudget { key: "rate".into(), policy, allow_missing: false, etag: None };
    scheduler
        .apply(NOW, Command::ReplaceBudget { key: "new".into(), policy, allow_missing: true, etag: None })
        .unwrap();
    let created = StandingBudget { key: "new".into(), create_time: NOW, revision: 1, policy, level: None };
    assert_eq!(happened(&mut scheduler), [Happened::BudgetCreated(created)]);
    let too_small = scheduler.apply(NOW, replace);
    assert!(too_small.is_err(), "{too_small:?}");
    assert_eq!(happened(&mut scheduler), [], "what is refused has not happened");
}
