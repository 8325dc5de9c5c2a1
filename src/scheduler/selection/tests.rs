//! What a change of many jobs leaves alone.

use super::super::Config;
use super::super::command::{Command, NewBinding, NewJob, Outcome, Verdict};
use super::super::job::{Backoff, JobOptions, JobState, Phase, Retention, Unique, UniqueScope};
use super::super::policy::Policy;
use super::super::testing::{enqueue, plain_job, serve, stored};
use super::super::units::{LeaseId, Nanos, Tokens};
use super::*;

const NOW: Timestamp = Timestamp(1);
const HOUR: Nanos = Nanos::from_hours(1);
const DAY: Nanos = Nanos::from_days(1);

fn new_job(bindings: &[&str]) -> NewJob {
    let backoff = Backoff { initial: HOUR, max: HOUR, multiplier_percent: 100, jitter_percent: 0 };
    let retention = Retention { completed: DAY, dead: DAY, cancelled: DAY };
    NewJob {
        bindings: bindings.iter().map(|key| bind(key, None)).collect(),
        options: JobOptions { max_attempts: 5, backoff, retention, timeout: None },
        ..plain_job()
    }
}

fn bind(key: &str, create_with: Option<Policy>) -> NewBinding {
    NewBinding { budget: key.into(), cost: Tokens(1), create_with }
}

fn create(scheduler: &mut Scheduler, key: &str) {
    let create = Command::CreateBudget { key: key.into(), policy: Policy::while_in_flight(9) };
    scheduler.apply(NOW, create).unwrap();
}

fn settle(scheduler: &mut Scheduler, now: Timestamp, job: JobId, verdict: Verdict) {
    let lease: LeaseId = scheduler.job(job).unwrap().lease.unwrap().id;
    let outcome = Outcome { lease, verdict, usage: Vec::new(), throttled: Vec::new() };
    scheduler.apply(now, Command::Settle { from: None, outcomes: vec![outcome] }).unwrap();
}

fn fail(scheduler: &mut Scheduler, job: JobId) {
    settle(scheduler, NOW, job, Verdict::Failure { error: "no".into(), retry_after: None, discard: false });
}

fn change(scheduler: &mut Scheduler, filter: JobFilter, change: JobsChange) -> Changed {
    let part = Part::Whole { apply: true };
    match scheduler.apply(NOW, Command::ChangeJobs { filter, change, part }) {
        Ok(Reply::Changed(changed)) => changed,
        other => panic!("{other:?}"),
    }
}

fn run_time(at: Option<Timestamp>) -> JobsChange {
    JobsChange::Update(Box::new(JobPatch { run_time: Some(at), ..JobPatch::default() }))
}

/// Starts anew from what a store would hold.
fn restarted(scheduler: &mut Scheduler) -> Scheduler {
    Scheduler::restore(Config::default(), NOW, stored(scheduler)).unwrap()
}

#[test]
fn a_retry_leaves_those_that_wait_for_something_else_than_their_backoff() {
    let mut scheduler = Scheduler::new(Config::default());
    serve(&mut scheduler, NOW);
    let delayed = enqueue(&mut scheduler, NOW, new_job(&[]));
    let put_off = enqueue(&mut scheduler, NOW, new_job(&[]));
    scheduler.advance(NOW);
    [delayed, put_off].into_iter().for_each(|job| fail(&mut scheduler, job));
    assert_eq!(change(&mut scheduler, JobFilter::default(), JobsChange::Retry).changed, 2);
    scheduler.advance(NOW);
    settle(&mut scheduler, NOW, delayed, Verdict::Release { delay: HOUR });
    fail(&mut scheduler, put_off);
    let only = |job| JobFilter { ids: Some(vec![job]), ..JobFilter::default() };
    assert_eq!(change(&mut scheduler, only(put_off), run_time(Some(NOW + DAY))).changed, 1);
    assert_eq!(change(&mut scheduler, JobFilter::default(), JobsChange::Retry).changed, 0);
    assert_eq!(scheduler.job(delayed).unwrap().record.ready_at, NOW, "a delay keeps the rank");
    scheduler.check_invariants(NOW);
}

#[test]
fn a_run_time_that_a_caller_chose_outlasts_a_restart_whatever_the_attempts() {
    let mut scheduler = Scheduler::new(Config::default());
    serve(&mut scheduler, NOW);
    let job = enqueue(&mut scheduler, NOW, new_job(&[]));
    scheduler.advance(NOW);
    fail(&mut scheduler, job);
    let next_week = NOW + Nanos::from_days(7);
    assert_eq!(change(&mut scheduler, JobFilter::default(), run_time(Some(next_week))).changed, 1);
    assert_eq!(scheduler.job(job).unwrap().record.run_at, next_week);
    let again = restarted(&mut scheduler);
    assert_eq!(again.job(job).unwrap().record.run_at, next_week);
}

#[test]
fn one_that_has_its_run_time_is_not_changed_by_it() {
    let mut scheduler = Scheduler::new(Config::default());
    serve(&mut scheduler, NOW);
    let job = enqueue(&mut scheduler, NOW, new_job(&[]));
    scheduler.advance(NOW);
    settle(&mut scheduler, NOW + HOUR, job, Verdict::Release { delay: Nanos::ZERO });
    let record = scheduler.job(job).unwrap().record;
    assert_eq!(record.run_at, record.ready_at, "no release put it off");
    assert_eq!(change(&mut scheduler, JobFilter::default(), run_time(None)).changed, 0);
    scheduler.advance(NOW);
    settle(&mut scheduler, NOW + HOUR, job, Verdict::Release { delay: HOUR });
    assert_eq!(change(&mut scheduler, JobFilter::default(), run_time(None)).changed, 1);
    assert_eq!(scheduler.job(job).unwrap().state, JobState::Ready);
}

#[test]
fn of_finished_jobs_with_one_key_a_retry_takes_the_oldest() {
    let mut scheduler = Scheduler::new(Config::default());
    let unique = || Some(Unique { key: "k".into(), scope: UniqueScope::Unfinished });
    let mut finished = || {
        let job = enqueue(&mut scheduler, NOW, NewJob { unique: unique(), ..new_job(&[]) });
        assert_eq!(change(&mut scheduler, JobFilter::default(), JobsChange::Cancel { force: false }).changed, 1);
        job
    };
    let (older, younger) = (finished(), finished());
    let changed = change(&mut scheduler, JobFilter::default(), JobsChange::Retry);
    assert_eq!((changed.changed, changed.blocked), (1, vec![younger]));
    assert_eq!(scheduler.job(older).unwrap().record.phase, Phase::Live);
}

#[test]
fn no_budget_is_created_for_what_is_in_flight() {
    let mut scheduler = Scheduler::new(Config::default());
    serve(&mut scheduler, NOW);
    let job = enqueue(&mut scheduler, NOW, new_job(&[]));
    scheduler.advance(NOW);
    let new = bind("new", Some(Policy::while_in_flight(1)));
    let bind = JobsChange::Bindings(BindingOperation::Bind(new));
    let changed = change(&mut scheduler, JobFilter::default(), bind.clone());
    assert_eq!((changed.changed, changed.blocked), (0, vec![job]));
    assert_eq!(scheduler.budget(NOW, "new"), None);
    let waits = enqueue(&mut scheduler, NOW, new_job(&[]));
    let changed = change(&mut scheduler, JobFilter::default(), bind);
    assert_eq!((changed.changed, changed.blocked), (1, vec![job]));
    assert_eq!(scheduler.job(waits).unwrap().bindings, [("new".into(), Tokens(1))]);
}

#[test]
fn a_filter_by_budget_selects_what_shows_its_key() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "api");
    let job = enqueue(&mut scheduler, NOW, new_job(&["api"]));
    let cancel = JobsChange::Cancel { force: false };
    assert_eq!(change(&mut scheduler, JobFilter::default(), cancel).changed, 1);
    scheduler.apply(NOW, Command::DeleteBudget { key: "api".into(), allow_missing: false, etag: None }).unwrap();
    create(&mut scheduler, "api");
    assert_eq!(scheduler.job(job).unwrap().bindings, [("api".into(), Tokens(1))]);
    let filter = JobFilter { budgets: Some(vec!["api".into()]), ..JobFilter::default() };
    assert_eq!(change(&mut scheduler, filter, JobsChange::Retry).changed, 1);
    scheduler.check_invariants(NOW);
}

#[test]
fn of_many_that_are_blocked_some_are_named_and_all_counted() {
    let named = BLOCKED_NAMED_MAX as u64;
    let blocked = |ids: std::ops::Range<u64>| {
        let mut changed = Changed { changed: 1, next_after: Some(JobId(ids.end)), ..Changed::default() };
        ids.for_each(|id| changed.count(JobId(id), &Deed::Blocked));
        changed
    };
    let mut sum = blocked(0..named - 2);
    sum.add(blocked(named..named + 5));
    assert_eq!((sum.changed, sum.blocked_count, sum.next_after), (2, named + 3, Some(JobId(named + 5))));
    assert!(sum.blocked.iter().map(|id| id.0).eq((0..named - 2).chain([named, named + 1])));
    assert_eq!(blocked(0..named + 1).blocked.len(), BLOCKED_NAMED_MAX);
}

#[test]
fn a_step_says_where_the_next_goes_on() {
    let mut scheduler = Scheduler::new(Config::default());
    let ids: Vec<JobId> = (0..=STEP_JOBS).map(|_| enqueue(&mut scheduler, NOW, plain_job())).collect();
    let mut step = |after| {
        let part = Part::Step { after, apply: true };
        let (filter, change) = (JobFilter::default(), JobsChange::Delete);
        match scheduler.apply(NOW, Command::ChangeJobs { filter, change, part }) {
            Ok(Reply::Changed(changed)) => (changed.changed, changed.next_after),
            other => panic!("{other:?}"),
        }
    };
    let last = Some(ids[STEP_JOBS - 1]);
    assert_eq!((step(None), step(last)), ((STEP_JOBS as u64, last), (1, None)));
}

#[test]
fn a_deleted_budget_stays_deleted_over_a_restart() {
    let mut scheduler = Scheduler::new(Config::default());
    create(&mut scheduler, "gone");
    let job = enqueue(&mut scheduler, NOW, new_job(&["gone"]));
    change(&mut scheduler, JobFilter::default(), JobsChange::Cancel { force: false });
    scheduler.apply(NOW, Command::DeleteBudget { key: "gone".into(), allow_missing: false, etag: None }).unwrap();
    let scheduler = restarted(&mut scheduler);
    assert_eq!(scheduler.job(job).unwrap().bindings, [("gone".into(), Tokens(1))]);
    assert!(scheduler.budget(NOW, "gone").is_none());
}
