//! What one step does and leaves to the next, and what many that wait do to each other.

use super::command::{Command, JobsChange, NewBinding, NewJob, OpenSession, Part, SessionMode, Window};
use super::job::{JobState, Name};
use super::policy::{Policy, ReserveAfter};
use super::testing::{enqueue, open_session, plain_job, serve, stored};
use super::units::{JobId, LeaseId, Nanos, SessionId, Tokens};
use super::view::JobFilter;
use super::*;

const NOW: Timestamp = Timestamp(1_000);
const SECOND: Nanos = Nanos::from_secs(1);

fn bound(priority: u16, bindings: &[(&str, u64)]) -> NewJob {
    let binding =
        |(budget, cost): &(&str, u64)| NewBinding { budget: (*budget).into(), cost: Tokens(*cost), create_with: None };
    NewJob { priority, bindings: bindings.iter().map(binding).collect(), ..plain_job() }
}

fn create(scheduler: &mut Scheduler, key: &str, policy: Policy, reserve_after: Nanos) {
    let policy = Policy { reserve_after: ReserveAfter::After(reserve_after), ..policy };
    scheduler.apply(NOW, Command::CreateBudget { key: key.into(), policy }).unwrap();
}

fn state(scheduler: &Scheduler, job: JobId) -> JobState {
    scheduler.job(job).unwrap().state
}

/// Goes on until nothing is to be done any more.
fn rest(scheduler: &mut Scheduler, now: Timestamp) {
    for _ in 0..100 {
        scheduler.advance(now);
        if scheduler.next_deadline().is_none_or(|next| next > now) {
            scheduler.check_invariants(now);
            return;
        }
    }
    panic!("there is no end to it");
}

fn cancel_by_force(scheduler: &mut Scheduler, job: JobId) {
    let filter = JobFilter { ids: Some(vec![job]), ..JobFilter::default() };
    let (change, part) = (JobsChange::Cancel { force: true }, Part::Whole { apply: true });
    scheduler.apply(NOW, Command::ChangeJobs { filter, change, part }).unwrap();
}

/// Leases that are pushed, by session.
fn pushes(scheduler: &mut Scheduler) -> Vec<(SessionId, Vec<LeaseId>)> {
    let pushes = scheduler.take_effects().into_iter().filter_map(|effect| match effect {
        Effect::Push(session, leases) => Some((session, leases)),
        _ => None,
    });
    pushes.collect()
}

#[test]
fn nothing_is_dispatched_or_given_up_before_all_deadlines_are_met() {
    let mut scheduler = Scheduler::new(Config::default());
    let due = NOW + SECOND;
    let many = Config::DEADLINES_PER_STEP;
    // The most urgent is the last to become ready.
    let jobs: Vec<JobId> = (0..=many)
        .map(|number| {
            let priority = u16::from(number < many);
            enqueue(&mut scheduler, NOW, NewJob { priority, run_time: Some(due), ..plain_job() })
        })
        .collect();
    let mode = SessionMode::Once { until: due - Nanos(1), request: None };
    let call = OpenSession { window: Window { jobs: 1, bytes: 1 << 20 }, mode, ..open_session(SessionId(1)) };
    scheduler.apply(NOW, Command::OpenSession(call)).unwrap();
    scheduler.advance(due);
    let ready = jobs.iter().filter(|job| state(&scheduler, **job) == JobState::Ready).count();
    assert_eq!(ready + 1, many as usize, "a step meets so many deadlines, that of the call among them");
    assert_eq!((pushes(&mut scheduler), scheduler.next_deadline()), (vec![], Some(due)));
    scheduler.advance(due);
    let lease = scheduler.job(jobs[many as usize]).unwrap().lease.expect("the most urgent goes first");
    assert_eq!(pushes(&mut scheduler), [(SessionId(1), vec![lease.id])]);
}

#[test]
fn a_lease_that_ends_before_it_is_sent_is_not_sent() {
    let mut scheduler = Scheduler::new(Config::default());
    let (first, second) = (enqueue(&mut scheduler, NOW, plain_job()), enqueue(&mut scheduler, NOW, plain_job()));
    serve(&mut scheduler, NOW);
    cancel_by_force(&mut scheduler, first);
    let lease = scheduler.job(second).unwrap().lease.expect("it is in flight").id;
    assert_eq!(pushes(&mut scheduler), [(SessionId(1), vec![lease])]);
}

#[test]
fn all_that_were_passed_over_count_from_then_on_however_many() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "pool", Policy::while_in_flight(300), Nanos::from_secs(10));
    serve(&mut scheduler, NOW);
    enqueue(&mut scheduler, NOW, bound(0, &[("pool", 200)]));
    // More than are marked in one step, and no two alike.
    let large: Vec<JobId> =
        (0..80).map(|more| enqueue(&mut scheduler, NOW, bound(0, &[("pool", 101 + more)]))).collect();
    rest(&mut scheduler, NOW);
    for (seconds, small) in [(1, bound(1, &[("pool", 1)])), (2, bound(1, &[("pool", 1)]))] {
        let now = NOW + Nanos::from_secs(seconds);
        let small = enqueue(&mut scheduler, now, small);
        scheduler.advance(now);
        assert_eq!(state(&scheduler, small), JobState::InFlight, "it passes them over");
    }
    rest(&mut scheduler, NOW + Nanos::from_secs(2));
    let protected = |scheduler: &mut Scheduler, now: Timestamp| {
        rest(scheduler, now);
        large.iter().filter(|job| scheduler.explain(now, **job).unwrap().budgets[0].protected).count()
    };
    let ripe = NOW + Nanos::from_secs(11);
    assert_eq!((protected(&mut scheduler, ripe - Nanos(1)), protected(&mut scheduler, ripe)), (0, large.len()));
}

#[test]
fn marks_that_are_left_to_be_made_keep_it_awake() {
    let mut scheduler = Scheduler::new(Config::default());
    ["a", "b", "c"].into_iter().for_each(|key| {
        create(&mut scheduler, key, Policy::while_in_flight(9), Nanos::from_secs(10));
    });
    serve(&mut scheduler, NOW);
    enqueue(&mut scheduler, NOW, bound(0, &[("a", 1), ("c", 1)]));
    let gone = enqueue(&mut scheduler, NOW, bound(0, &[("a", 9), ("b", 1)]));
    let stays = enqueue(&mut scheduler, NOW, bound(0, &[("c", 9)]));
    rest(&mut scheduler, NOW);
    // It passes over the one on two budgets, and over the other on a third; a step that dispatches marks one of these.
    enqueue(&mut scheduler, NOW, bound(1, &[("a", 1), ("b", 1), ("c", 1)]));
    scheduler.advance(NOW);
    cancel_by_force(&mut scheduler, gone);
    enqueue(&mut scheduler, NOW, plain_job());
    scheduler.advance(NOW);
    assert_eq!(scheduler.next_deadline(), Some(NOW));
    rest(&mut scheduler, NOW);
    let ripe = NOW + Nanos::from_secs(10);
    rest(&mut scheduler, ripe);
    assert!(scheduler.explain(ripe, stays).unwrap().budgets[0].protected);
}

#[test]
fn a_set_aside_is_found_behind_any_number_of_jobs_whose_turn_is_over() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "rate", Policy::time_based(100, Nanos::from_secs(100), None), Nanos::ZERO);
    create(&mut scheduler, "slots", Policy::while_in_flight(2), Nanos::ZERO);
    serve(&mut scheduler, NOW);
    let holders = [(); 2].map(|()| enqueue(&mut scheduler, NOW, bound(0, &[("slots", 1)])));
    for priority in 1..100 {
        enqueue(&mut scheduler, NOW, bound(priority, &[("rate", 1), ("slots", 2)]));
    }
    let large = enqueue(&mut scheduler, NOW, bound(200, &[("slots", 2)]));
    let small = enqueue(&mut scheduler, NOW, bound(300, &[("slots", 1)]));
    rest(&mut scheduler, NOW);
    scheduler.apply(NOW, Command::AdjustBudget { key: "rate".into(), level: Tokens(0) }).unwrap();
    rest(&mut scheduler, NOW);
    cancel_by_force(&mut scheduler, holders[0]);
    rest(&mut scheduler, NOW);
    assert_eq!(state(&scheduler, small), JobState::Ready, "the free slot is set aside for the large one");
    cancel_by_force(&mut scheduler, holders[1]);
    rest(&mut scheduler, NOW);
    assert_eq!(state(&scheduler, large), JobState::InFlight);
}

#[test]
fn ten_of_those_that_hold_a_budget_are_named_the_first_dispatched_first() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "slots", Policy::while_in_flight(11), Nanos::from_secs(30));
    let holders: Vec<JobId> =
        (0..11).map(|number| enqueue(&mut scheduler, NOW, bound(11 - number, &[("slots", 1)]))).collect();
    let waits = enqueue(&mut scheduler, NOW, bound(99, &[("slots", 1)]));
    let open = OpenSession { window: Window { jobs: 99, bytes: 1 << 20 }, ..open_session(SessionId(1)) };
    scheduler.apply(NOW, Command::OpenSession(open)).unwrap();
    rest(&mut scheduler, NOW);
    let explained = &scheduler.explain(NOW, waits).unwrap().budgets[0];
    let first: Vec<JobId> = holders.into_iter().rev().take(10).collect();
    assert_eq!((&explained.held_by, explained.held_by_total), (&first, 11));
}

#[test]
fn ten_of_those_that_a_capacity_is_too_small_for_are_named() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "slots", Policy::while_in_flight(5), Nanos::from_secs(30));
    for cost in [4, 5] {
        (0..6).for_each(|_| _ = enqueue(&mut scheduler, NOW, bound(0, &[("slots", cost)])));
    }
    let policy = Policy::while_in_flight(3);
    let replace = Command::ReplaceBudget { key: "slots".into(), policy, allow_missing: false, etag: None };
    let Err(Rejection::CostExceedsCapacity(facts)) = scheduler.apply(NOW, replace) else { panic!("it is too small") };
    assert_eq!((facts.jobs.len(), facts.total, facts.cost), (10, 12, Tokens(5)));
}

#[test]
fn a_smaller_limit_of_budgets_stops_those_to_come_only() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "a", Policy::while_in_flight(1), Nanos::from_secs(30));
    create(&mut scheduler, "b", Policy::while_in_flight(1), Nanos::from_secs(30));
    let config = Config { budgets_max: 1, ..Config::default() };
    let mut scheduler = Scheduler::restore(config, NOW, stored(&mut scheduler)).unwrap();
    enqueue(&mut scheduler, NOW, bound(0, &[("a", 1), ("b", 1)]));
    let create = Command::CreateBudget { key: "c".into(), policy: Policy::while_in_flight(1) };
    assert_eq!(scheduler.apply(NOW, create), Err(Rejection::BudgetLimitReached { limit: 1 }));
}

#[test]
fn a_set_aside_ends_with_the_call_that_alone_would_take_its_job() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "slots", Policy::while_in_flight(2), Nanos::ZERO);
    serve(&mut scheduler, NOW);
    enqueue(&mut scheduler, NOW, bound(0, &[("slots", 1)]));
    let call = OpenSession {
        worker: "v".into(),
        queues: vec!["large".into()],
        window: Window { jobs: 1, bytes: 1 << 20 },
        mode: SessionMode::Once { until: NOW + Nanos::from_secs(30), request: None },
        ..open_session(SessionId(2))
    };
    scheduler.apply(NOW, Command::OpenSession(call)).unwrap();
    enqueue(&mut scheduler, NOW, NewJob { queue: "large".into(), ..bound(0, &[("slots", 2)]) });
    rest(&mut scheduler, NOW);
    let small = enqueue(&mut scheduler, NOW, bound(1, &[("slots", 1)]));
    rest(&mut scheduler, NOW);
    assert_eq!(state(&scheduler, small), JobState::Ready, "a slot is set aside");
    enqueue(&mut scheduler, NOW, NewJob { queue: "large".into(), ..plain_job() });
    rest(&mut scheduler, NOW);
    assert_eq!(state(&scheduler, small), JobState::InFlight);
}

#[test]
fn whose_turn_has_come_is_asked_of_any_number_of_queues() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "rate", Policy::time_based(100, Nanos::from_days(300), None), Nanos::from_secs(30));
    create(&mut scheduler, "slots", Policy::while_in_flight(3), Nanos::ZERO);
    create(&mut scheduler, "turn", Policy::while_in_flight(1), Nanos::from_secs(30));
    let queues: Vec<Name> = (0..30).map(|number| format!("q{number}").into()).collect();
    let open = OpenSession { queues: queues.clone(), ..open_session(SessionId(1)) };
    scheduler.apply(NOW, Command::OpenSession(open)).unwrap();
    let mut enqueue_in = |queue: &Name, job: NewJob| {
        let job = enqueue(&mut scheduler, NOW, NewJob { queue: Name::clone(queue), ..job });
        rest(&mut scheduler, NOW);
        job
    };
    enqueue_in(&queues[0], bound(0, &[("turn", 1)]));
    // Each is more urgent than those before it, and the last one is dear.
    for (priority, queue) in (1..30).rev().zip(&queues) {
        enqueue_in(queue, bound(priority, &[("rate", 1), ("slots", 2), ("turn", 1)]));
    }
    enqueue_in(&queues[29], bound(0, &[("rate", 10), ("slots", 3), ("turn", 1)]));
    let small = enqueue_in(&queues[0], bound(99, &[("slots", 1)]));
    assert_eq!(state(&scheduler, small), JobState::Ready, "all slots are set aside for the dear one");
    scheduler.apply(NOW, Command::AdjustBudget { key: "rate".into(), level: Tokens(5) }).unwrap();
    rest(&mut scheduler, NOW);
    assert_eq!(state(&scheduler, small), JobState::InFlight, "it waits for the rate now");
}
