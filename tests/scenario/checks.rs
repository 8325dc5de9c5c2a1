//! What must be so: each check looks at the scheduler as a caller of the server could, and says what is so instead.

use sluicegate::scheduler::job::{JobState, Name};
use sluicegate::scheduler::units::{Nanos, Tokens};
use sluicegate::scheduler::view::{BudgetExplanation, BudgetView, JobView};

use super::run::Stage;
use super::story::{Check, PoolWords};
use super::words::show;
use super::{Trouble, reasons};

impl Stage {
    pub(super) fn check(&mut self, check: &Check) -> Result<(), Trouble> {
        match check {
            Check::Dispatched(expected) => self.check_dispatched(expected),
            Check::State { job, state, attempts } => self.check_state(job, *state, *attempts),
            Check::Parked { job, budget } => self.check_parked(job, budget),
            Check::Pool(key, expected) => self.check_pool(key, expected),
            Check::Next { budget, span } => self.check_next(budget, *span),
            Check::Held { job, bindings } => self.check_held(job, bindings),
            Check::Why { job, budgets, not_before } => self.check_why(job, budgets, *not_before),
        }
    }

    fn job(&self, name: &str) -> Result<JobView, Trouble> {
        let id = self.jobs.id(name)?;
        let job = self.world.scheduler().job(id);
        job.ok_or_else(|| Trouble::mismatch("the job is kept", "it was removed"))
    }

    fn budget_view(&self, key: &str) -> Result<BudgetView, Trouble> {
        let budget = self.world.scheduler().budget(self.world.now(), key);
        budget.ok_or_else(|| Trouble::mismatch("the budget exists", "there is none with this key"))
    }

    /// The budgets of a job that can't pay for it, sorted by key.
    fn hold_ups(&self, name: &str) -> Result<Vec<BudgetExplanation>, Trouble> {
        let id = self.jobs.id(name)?;
        let explained = self.world.scheduler().explain(self.world.now(), id);
        let mut budgets = explained
            .map_err(|rejection| {
                let reason = reasons::of_rejection(&rejection);
                Trouble::mismatch("the job is explained", format!("that is refused: {reason}"))
            })?
            .budgets;
        budgets.retain(|budget| !budget.can_pay);
        budgets.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(budgets)
    }

    fn check_dispatched(&mut self, expected: &[String]) -> Result<(), Trouble> {
        let ids = expected.iter().map(|name| self.jobs.id(name));
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        let pushed = std::mem::take(&mut self.pushed);
        let so = || self.jobs.show(&pushed);
        equal(pushed == ids, || self.jobs.show(&ids), so)
    }

    fn check_state(&self, name: &str, state: JobState, attempts: Option<u32>) -> Result<(), Trouble> {
        let job = self.job(name)?;
        let used = job.record.attempts;
        equal(
            job.state == state && attempts.is_none_or(|attempts| attempts == used),
            || show_state(state, attempts),
            || show_state(job.state, Some(used)),
        )
    }

    fn check_parked(&self, name: &str, budget: &str) -> Result<(), Trouble> {
        let state = self.job(name)?.state;
        let held_up = self.hold_ups(name)?;
        let parked = state == JobState::Ready && held_up.iter().any(|by| &*by.key == budget);
        equal(
            parked,
            || format!("ready, and held up by {budget}"),
            || format!("{}, and held up by {}", reasons::of_state(state), keys(&held_up)),
        )
    }

    fn check_pool(&self, key: &str, expected: &PoolWords) -> Result<(), Trouble> {
        let status = self.budget_view(key)?.status;
        let so = PoolWords {
            available: expected.available.map(|_| status.available),
            in_flight: expected.in_flight.map(|_| status.in_flight_cost),
            parked: expected.parked.map(|_| status.parked_jobs),
            bound: expected.bound.map(|_| status.bound_jobs),
        };
        equal(so == *expected, || show_pool(expected), || show_pool(&so))
    }

    fn check_next(&self, key: &str, expected: Option<Nanos>) -> Result<(), Trouble> {
        let next = self.budget_view(key)?.status.next_token_time;
        let span = next.map(|instant| instant.since(self.world.now()));
        equal(span == expected, || show_span(expected), || show_span(span))
    }

    fn check_held(&self, name: &str, expected: &[(Name, Tokens)]) -> Result<(), Trouble> {
        let mut expected = expected.to_vec();
        expected.sort();
        let mut held = self.job(name)?.bindings;
        held.sort();
        equal(held == expected, || show_bindings(&expected), || show_bindings(&held))
    }

    fn check_why(&self, name: &str, expected: &[Name], not_before: Option<Nanos>) -> Result<(), Trouble> {
        let held_up = self.hold_ups(name)?;
        let latest = held_up.iter().filter_map(|by| by.not_before).max();
        let at = latest.map(|instant| instant.since(self.world.now()));
        let named = expected.iter().eq(held_up.iter().map(|by| &by.key));
        let timed = not_before.is_none_or(|_| at == not_before);
        let expected_keys = match expected {
            [] => "-".to_owned(),
            keys => keys.join(","),
        };
        equal(named && timed, || show_why(&expected_keys, not_before), || show_why(&keys(&held_up), at))
    }
}

fn equal(is_so: bool, expected: impl FnOnce() -> String, so: impl FnOnce() -> String) -> Result<(), Trouble> {
    if is_so {
        return Ok(());
    }
    Err(Trouble::mismatch(expected(), so()))
}

fn keys(budgets: &[BudgetExplanation]) -> String {
    if budgets.is_empty() {
        return "-".to_owned();
    }
    let keys: Vec<_> = budgets.iter().map(|budget| &*budget.key).collect();
    keys.join(",")
}

fn show_state(state: JobState, attempts: Option<u32>) -> String {
    let name = reasons::of_state(state);
    attempts.map_or_else(|| name.to_owned(), |attempts| format!("{name} attempts={attempts}"))
}

fn show_pool(pool: &PoolWords) -> String {
    let words = [
        pool.available.map(|n| format!("available={n}")),
        pool.in_flight.map(|n| format!("in_flight={n}")),
        pool.parked.map(|n| format!("parked={n}")),
        pool.bound.map(|n| format!("bound={n}")),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn show_span(span: Option<Nanos>) -> String {
    span.map_or_else(|| "-".to_owned(), show)
}

fn show_bindings(bindings: &[(Name, Tokens)]) -> String {
    if bindings.is_empty() {
        return "-".to_owned();
    }
    let shown: Vec<_> = bindings.iter().map(|(key, cost)| format!("{key}:{}", cost.0)).collect();
    shown.join(",")
}

fn show_why(keys: &str, at: Option<Nanos>) -> String {
    at.map_or_else(|| keys.to_owned(), |at| format!("{keys} at={}", show(at)))
}
