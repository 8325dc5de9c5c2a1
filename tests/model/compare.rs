//! What must be equal, and what each is free in: the words of a refusal, and whose turn it was to park.

use sluicegate::scheduler::command::{Ended, Reply, Unsettled};
use sluicegate::scheduler::effect::{Effect, PoolRecord, RequestRecord};
use sluicegate::scheduler::job::{JobState, Name};
use sluicegate::scheduler::lease::LeaseRecord;
use sluicegate::scheduler::rejection::CostExceedsCapacity;
use sluicegate::scheduler::view::{Depth, JobFilter, Page, QueueView};
use sluicegate::scheduler::{Config, Rejection};

use super::duel::{Agreed, Duel};
use super::naive::{Answer, Job, Naive, Request};

/// The answers to one command.
pub fn answers(duel: &Duel, mut answer: Answer, mut expected: Answer) -> Agreed<()> {
    match (&mut answer, &mut expected) {
        (Ok(answer), Ok(expected)) => {
            without_words(answer);
            depths(&duel.naive, answer)?;
            forget(&duel.naive, answer, expected);
        }
        (Err(Rejection::InvalidField { problem, .. }), _) => problem.clear(),
        (Err(Rejection::CostExceedsCapacity(named)), Err(Rejection::CostExceedsCapacity(all))) => {
            some_of(named, all)?;
        }
        _ => {}
    }
    if answer == expected {
        return Ok(());
    }
    Err(format!("the last answer: {}", differing(&answer, &expected)))
}

fn without_words(answer: &mut Reply) {
    match answer {
        Reply::Budget(view) => view.status.parked_jobs = 0,
        Reply::Settled(settled) => {
            for settled in settled {
                if let Err(Unsettled::Invalid { problem, .. }) = &mut settled.status {
                    problem.clear();
                }
            }
        }
        _ => {}
    }
}

/// Of a queue the jobs by state.
fn depths(naive: &Naive, answer: &mut Reply) -> Agreed<()> {
    if let Reply::Queue(view) = answer {
        for state in JobState::ALL {
            same(&format!("{state:?} jobs in the queue"), view.depth.of(state), naive.depth(&view.name, state))?;
        }
        view.depth = Depth::default();
    }
    Ok(())
}

/// What became of a lease may be forgotten after 10 min (semantics 5.4).
fn forget(naive: &Naive, answer: &Reply, expected: &mut Reply) {
    let is_old = |lease| naive.ended.get(lease).is_some_and(|(_, at)| *at + Config::ENDED_KEPT <= naive.now);
    match (answer, expected) {
        (Reply::Settled(answer), Reply::Settled(expected)) => {
            for (answer, expected) in answer.iter().zip(expected).filter(|(answer, _)| is_old(&answer.lease)) {
                if answer.status == Err(Unsettled::NotLive(Ended::Gone)) {
                    expected.status = Err(Unsettled::NotLive(Ended::Gone));
                }
            }
        }
        (Reply::Extended(answer), Reply::Extended(expected)) => {
            for (answer, expected) in answer.iter().zip(expected).filter(|(answer, _)| is_old(&answer.lease)) {
                if answer.status == Err(Ended::Gone) {
                    expected.status = Err(Ended::Gone);
                }
            }
        }
        _ => {}
    }
}

/// Ten of the jobs whose cost is too high are named, no matter which (semantics 7.4).
fn some_of(named: &mut CostExceedsCapacity, all: &mut CostExceedsCapacity) -> Agreed<()> {
    let count = all.jobs.len().min(10);
    if named.jobs.len() != count || named.jobs.iter().any(|job| !all.jobs.contains(job)) {
        return Err(format!("it names {:?} of {:?}", named.jobs, all.jobs));
    }
    named.jobs.clear();
    all.jobs.clear();
    Ok(())
}

/// What both send, and which jobs that pushes.
pub fn effects(duel: &Duel, effects: &[Effect], expected: &[Effect]) -> Agreed<()> {
    if effects != expected {
        return Err(format!("it sends {effects:?}\nand should send {expected:?}"));
    }
    for effect in effects {
        let Effect::Push(_, leases) = effect else { continue };
        for id in leases {
            let job = duel.real.leased(*id).map(|(lease, _)| lease.job);
            let expected = duel.naive.find_lease(*id).map(|lease| lease.record.job);
            same(&format!("the job of lease {id}"), job, expected)?;
        }
    }
    Ok(())
}

/// Rows, pools and states; with `in_full`, also each job as it is shown.
pub fn state(duel: &Duel, in_full: bool) -> Agreed<()> {
    let next = duel.real.next_deadline();
    if next.is_some_and(|next| next <= duel.now()) {
        return Err(format!("it is at rest and wants to be woken at {next:?}"));
    }
    budgets(duel)?;
    jobs(duel)?;
    leases(duel)?;
    others(duel)?;
    waits(duel)?;
    if in_full {
        jobs_in_full(duel)?;
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Agreed<()> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: {}", differing(&found, &expected)))
}

/// Two values, the lines that differ marked where both have as many.
fn differing<T: std::fmt::Debug>(found: &T, expected: &T) -> String {
    let (found, expected) = (format!("{found:#?}"), format!("{expected:#?}"));
    if found.lines().count() != expected.lines().count() {
        return format!("there is {found}\nand should be {expected}");
    }
    let lines = found.lines().zip(expected.lines()).map(|(found, expected)| {
        if found == expected { found.into() } else { format!("{found}  <-- should be {}", expected.trim()) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn budgets(duel: &Duel) -> Agreed<()> {
    let Duel { real, naive, rows, .. } = duel;
    same("budget rows", rows.budgets.len(), naive.budgets.len())?;
    same("pool rows", rows.pools.len(), naive.budgets.len())?;
    for budget in &naive.budgets {
        let key = &*budget.key;
        same("a budget's row", rows.budgets.get(&budget.id), Some(&budget.record()))?;
        if !budget.is_deleted {
            let mut view = real.budget(duel.now(), key);
            view.iter_mut().for_each(|view| view.status.parked_jobs = 0);
            same("a budget", view, Some(naive.budget_view(budget.id)))?;
        }
        let row = rows.pools.get(&budget.id).copied();
        let (level, at, blocked_until) = budget.pool.row;
        let expected = PoolRecord { budget: budget.id, level, at, blocked_until };
        same(&format!("the pool row of {key}"), row, Some(expected))?;
    }
    Ok(())
}

fn jobs(duel: &Duel) -> Agreed<()> {
    let Duel { real, naive, rows, .. } = duel;
    same("job rows", rows.jobs.len(), naive.jobs.len())?;
    for job in &naive.jobs {
        same("a job's row", rows.jobs.get(&job.record.id), Some(&job.row))?;
    }
    let depth = real.count_jobs(&JobFilter::default()).map_err(|refused| format!("counting: {refused:?}"))?;
    for state in JobState::ALL {
        let expected = naive.jobs.iter().filter(|job| job.state == state).count() as u64;
        same(&format!("{state:?} jobs"), depth.of(state), expected)?;
    }
    Ok(())
}

fn leases(duel: &Duel) -> Agreed<()> {
    let Duel { naive, rows, .. } = duel;
    same("lease rows", rows.leases.len(), naive.leases.len())?;
    for lease in &naive.leases {
        // Extensions aren't stored (semantics 10.2).
        let without_expiry = |row: &LeaseRecord| LeaseRecord { expire_time: lease.row.expire_time, ..row.clone() };
        let row = rows.leases.get(&lease.record.id).map(without_expiry);
        same("a lease's row", row.as_ref(), Some(&lease.row))?;
    }
    Ok(())
}

fn others(duel: &Duel) -> Agreed<()> {
    let Duel { naive, rows, .. } = duel;
    same("paused queues", rows.queues.keys().cloned().collect(), naive.paused.clone())?;
    let stored = |request: &Request| RequestRecord { time: request.stored_time, ..request.record.clone() };
    if !rows.requests.values().cloned().eq(naive.requests.iter().map(stored)) {
        return Err(format!("remembered are {:?}\nand should be {:?}", rows.requests, naive.requests));
    }
    Ok(())
}

/// Why each ready job waits, by each of its budgets: whether it is protected there, what is set aside from it for whom,
/// and when it may go. While nothing is dispatched any more, nobody keeps count of that.
fn waits(duel: &Duel) -> Agreed<()> {
    if duel.naive.draining {
        return Ok(());
    }
    for job in duel.naive.jobs.iter().filter(|job| job.state == JobState::Ready) {
        let explained = duel.real.explain(duel.now(), job.record.id);
        let explained = explained.map_err(|refused| format!("explaining: {refused:?}"))?;
        same("what is explained", explained, duel.naive.explain(job))?;
    }
    Ok(())
}

/// The pages of some jobs, and of all budgets and queues, with at most `limit` on each.
pub fn pages(duel: &Duel, filter: &JobFilter, limit: usize) -> Agreed<()> {
    let Duel { real, naive, .. } = duel;
    let refused = |refused| format!("listing: {refused:?}");
    let listed = all_pages(limit, |after| real.list_jobs(filter, after.copied(), limit).map_err(refused))?;
    let mut expected: Vec<&Job> = naive.jobs.iter().filter(|job| naive.selects(filter, job)).collect();
    expected.sort_by_key(|job| job.record.id);
    let counted = real.count_jobs(filter).map_err(refused)?;
    for state in JobState::ALL {
        let count = expected.iter().filter(|job| job.state == state).count() as u64;
        same(&format!("{state:?} jobs that {filter:?} selects"), counted.of(state), count)?;
    }
    let expected = expected.iter().filter_map(|job| naive.job_view(job.record.id)).collect();
    same(&format!("the jobs that {filter:?} selects"), listed, expected)?;
    let budgets =
        all_pages(limit, |after: Option<&Name>| Ok(real.list_budgets(duel.now(), after.map(|key| &**key), limit)))?;
    same("listed budgets", budgets.into_iter().map(|view| view.record.key).collect(), naive.budget_keys())?;
    let queues = all_pages(limit, |after: Option<&Name>| Ok(real.list_queues(after.map(|name| &**name), limit)))?;
    let shown = queues.into_iter().map(|view| QueueView { depth: Depth::default(), ..view }).collect();
    same("listed queues", shown, naive.queues())
}

/// What all pages hold together, each of which goes on where the one before ended.
fn all_pages<T, C>(limit: usize, page: impl Fn(Option<&C>) -> Agreed<Page<T, C>>) -> Agreed<Vec<T>> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = page(after.as_ref())?;
        let is_needless = page.items.is_empty() && (after.is_some() || page.next_after.is_some());
        if page.items.len() > limit || is_needless {
            return Err(format!("a page holds {} and should hold 1 to {limit}", page.items.len()));
        }
        all.extend(page.items);
        after = page.next_after;
        if after.is_none() {
            return Ok(all);
        }
    }
}

fn jobs_in_full(duel: &Duel) -> Agreed<()> {
    let page = duel.real.list_jobs(&JobFilter::default(), None, 1000);
    let page = page.map_err(|refused| format!("listing: {refused:?}"))?;
    same("jobs", page.items.len(), duel.naive.jobs.len())?;
    for view in page.items {
        let expected = duel.naive.job_view(view.record.id);
        same("a job", Some(view), expected)?;
    }
    Ok(())
}
