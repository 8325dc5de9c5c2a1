//! Whether what the scheduler shows is what the rows say, by the arithmetic of semantics 2 and nothing of the scheduler's.

use sluicegate::scheduler::effect::{PoolRecord, Snapshot};
use sluicegate::scheduler::event::Standing;
use sluicegate::scheduler::job::{JobRecord, JobState, Phase};
use sluicegate::scheduler::lease::LeaseRecord;
use sluicegate::scheduler::policy::{Policy, Strategy};
use sluicegate::scheduler::units::{BudgetId, JobId, Timestamp};
use sluicegate::scheduler::view::{BudgetView, JobFilter};
use sluicegate::scheduler::{Config, Scheduler};

use super::books::Books;
use super::sim::Agreed;

/// More than there ever are of anything.
const ALL: usize = 10_000;

/// How far what is shown may be from the rows: instants are brought back by a start whose clock was set back (semantics
/// 11.1), and rows are not written for that.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub now: Timestamp,
    /// Whether a clock was ever set back.
    pub was_set_back: bool,
}

/// Jobs, leases and budgets, as all of them are shown.
pub fn check(scheduler: &Scheduler, books: &Books, clock: Clock) -> Agreed<()> {
    let page = scheduler.list_jobs(&JobFilter::default(), None, ALL).expect("an empty filter is valid");
    same("the jobs", &ids(page.items.iter().map(|job| job.record.id)), &ids(books.rows.jobs.keys().copied()))?;
    for job in page.items {
        let row = &books.rows.jobs[&job.record.id];
        let lease = books.rows.leases.values().find(|lease| lease.job == row.id);
        let shown = job.lease.as_ref().map(|lease| brought_back(lease, clock));
        same("a job's lease", &shown, &lease.map(|lease| brought_back(lease, clock)))?;
        if clock.was_set_back {
            continue;
        }
        same("a job", &job.record, row)?;
        same("a job's state", &job.state, &state(row, lease.is_some(), clock.now))?;
    }
    budgets(scheduler, books, clock)
}

fn ids(jobs: impl Iterator<Item = JobId>) -> Vec<JobId> {
    jobs.collect()
}

/// A lease but for what memory alone knows.
fn brought_back(lease: &LeaseRecord, clock: Clock) -> LeaseRecord {
    let dispatch_time = if clock.was_set_back { clock.now } else { lease.dispatch_time };
    LeaseRecord { expire_time: clock.now, dispatch_time, ..lease.clone() }
}

fn state(row: &JobRecord, is_leased: bool, now: Timestamp) -> JobState {
    use sluicegate::scheduler::job::End;
    match row.phase {
        Phase::Over(End::Completed, _) => JobState::Completed,
        Phase::Over(End::Dead, _) => JobState::Dead,
        Phase::Over(End::Cancelled, _) => JobState::Cancelled,
        Phase::Live if is_leased => JobState::InFlight,
        Phase::Live if row.run_at > now => JobState::Scheduled,
        Phase::Live => JobState::Ready,
    }
}

fn budgets(scheduler: &Scheduler, books: &Books, clock: Clock) -> Agreed<()> {
    let rows = books.rows.budgets.values().filter(|row| !row.is_deleted);
    let shown = scheduler.list_budgets(clock.now, None, ALL).items;
    same("how many budgets there are", &shown.len(), &rows.clone().count())?;
    for row in rows {
        let view = scheduler.budget(clock.now, &row.key).ok_or_else(|| format!("the budget {} is gone", row.key))?;
        same("a budget", &view.record, row)?;
        let (cost, jobs) = held(books, row.id);
        let status = view.status;
        same("what is held", &(status.in_flight_cost, status.in_flight_jobs), &(cost, jobs))?;
        same("how many jobs are bound", &status.bound_jobs, &bound(books, row.id))?;
        let pool = books.rows.pools.get(&row.id).ok_or_else(|| format!("the budget {} has no pool row", row.key))?;
        let available = available(&row.policy, pool, cost, books.drips_since(pool), clock.now);
        same(&format!("what {} has available", row.key), &status.available, &available)?;
    }
    Ok(())
}

/// What the live leases have debited, and how many they are.
fn held(books: &Books, budget: BudgetId) -> (u64, u64) {
    let debits = books.rows.leases.values().flat_map(|lease| &lease.debits);
    let costs: Vec<u64> = debits.filter(|debit| debit.budget == budget).map(|debit| debit.cost.0).collect();
    (costs.iter().sum(), costs.len() as u64)
}

fn bound(books: &Books, budget: BudgetId) -> u64 {
    let unfinished = books.rows.jobs.values().filter(|job| job.phase == Phase::Live);
    unfinished.filter(|job| job.bindings.iter().any(|binding| binding.budget == budget)).count() as u64
}

fn available(policy: &Policy, pool: &PoolRecord, held: u64, since: Timestamp, now: Timestamp) -> i128 {
    match policy.strategy {
        Strategy::WhileInFlight => i128::from(policy.allocation.0) - i128::from(held),
        Strategy::TimeBased { duration, .. } => level(policy, pool, since, now).div_euclid(i128::from(duration.0)),
    }
}

/// `level(t) = min(C·D, level₀ + N·(t − t₀))`.
fn level(policy: &Policy, pool: &PoolRecord, since: Timestamp, now: Timestamp) -> i128 {
    let Strategy::TimeBased { duration, .. } = policy.strategy else { return 0 };
    let dripped = i128::from(policy.allocation.0) * i128::from(now.since(since).0);
    (i128::from(policy.capacity().0) * i128::from(duration.0)).min(pool.level + dripped)
}

/// At a start: each level to the last token·nanosecond, and each lease.
pub fn check_standing(standing: &Standing, books: &Books, clock: Clock) -> Agreed<()> {
    for budget in &standing.budgets {
        let rows = &books.rows;
        let row = rows.budgets.values().find(|row| row.key == budget.key && !row.is_deleted);
        let row = row.ok_or_else(|| format!("the budget {} stands and has no row", budget.key))?;
        let pool = &rows.pools[&row.id];
        let level = || level(&row.policy, pool, books.drips_since(pool), clock.now);
        let expected = row.policy.is_time_based().then(level);
        same(&format!("the level of {} at a start", budget.key), &budget.level, &expected)?;
    }
    let leases: Vec<_> = standing.leases.iter().map(|lease| (lease.lease, lease.job)).collect();
    let expected: Vec<_> = books.rows.leases.values().map(|lease| (lease.id, lease.job)).collect();
    same("the leases at a start", &leases, &expected)
}

/// A budget's view but for who has been tried: at a start nobody has.
fn untried(mut view: BudgetView) -> BudgetView {
    view.status.parked_jobs = 0;
    view
}

/// A scheduler that went on must show what one shows that never stopped.
pub fn check_survivor(restored: &Scheduler, survivor: &Scheduler, now: Timestamp) -> Agreed<()> {
    let budgets = |scheduler: &Scheduler| -> Vec<BudgetView> {
        scheduler.list_budgets(now, None, ALL).items.into_iter().map(untried).collect()
    };
    same("the budgets after a crash, and without it", &budgets(restored), &budgets(survivor))
}

/// A scheduler restored from a store must do what one does that is restored from a perfect copy of the rows.
pub fn check_twin(stored: Snapshot, books: &Books, config: &Config, now: Timestamp) -> Agreed<()> {
    let mut restored = Scheduler::restore(config.clone(), now, stored)?;
    let mut twin = Scheduler::restore(config.clone(), now, books.snapshot())?;
    for scheduler in [&mut twin, &mut restored] {
        scheduler.advance(now);
    }
    check_survivor(&restored, &twin, now)?;
    same("what comes next", &restored.next_deadline(), &twin.next_deadline())
}

pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Agreed<()> {
    if found == expected { Ok(()) } else { Err(format!("{what}: there is {found:?}\nand should be {expected:?}")) }
}
