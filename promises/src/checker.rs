//! Reads a log line by line, and keeps what later lines are judged by: budgets, live leases, and what jobs are bound to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::account::Since;
use crate::breach::{Breach, Fault};
use crate::budget::{Budget, Now, check_level};
use crate::line::{self, Cost, Entry, Line};
use crate::report::Report;
use crate::spend::Mark;

/// How many dispatches of what is in flight are told.
const HOLDERS_TOLD_MAX: usize = 10;

/// Judges one log.
#[derive(Debug, Default)]
pub struct Checker {
    pub(crate) phase: Phase,
    pub(crate) mark: Mark,
    pub(crate) elapsed: i128,
    pub(crate) budgets: BTreeMap<String, Budget>,
    pub(crate) leases: HashMap<String, Live>,
    /// The lease of each job in flight.
    pub(crate) in_flight: HashMap<String, String>,
    /// What jobs are bound to, and the line that says so.
    jobs: HashMap<String, (Rc<[Cost]>, u64)>,
    /// Each set of bindings once: many jobs share a few.
    bindings: BTreeSet<Rc<[Cost]>>,
    pub(crate) latest_lease: String,
    /// Before this line lines may be missing.
    pub(crate) gap: u64,
    /// The unreadable lines since the last readable one.
    unreadable: Vec<Breach>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) report: Report,
}

/// Where in a log a line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// At its beginning.
    #[default]
    Empty,
    /// After a start.
    Started,
    /// After a stop.
    Stopped,
}

/// A live lease.
#[derive(Debug)]
pub(crate) struct Live {
    pub job: String,
    /// The line of its dispatch, or of the start that told of it.
    pub line: u64,
    pub debits: Vec<Debit>,
}

/// What it took from one budget.
#[derive(Debug)]
pub(crate) struct Debit {
    pub cost: Cost,
    pub of: Of,
    is_used: bool,
}

/// What a debit was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// A `while_in_flight` budget.
    Slots,
    /// A `time_based` one, then.
    Rate(Since),
    /// The dispatch isn't told.
    Unknown,
}

impl Debit {
    pub fn new(cost: Cost, of: Of) -> Self {
        Self { cost, of, is_used: false }
    }
}

impl Live {
    /// Its debits in order.
    pub fn costs(&self) -> Vec<Cost> {
        sorted(self.debits.iter().map(|debit| debit.cost.clone()).collect())
    }
}

impl Checker {
    /// Nothing is read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next line, without its end.
    pub fn take(&mut self, text: &str) {
        self.mark.line += 1;
        self.report.lines += 1;
        if text.is_empty() {
            return;
        }
        match serde_json::from_str::<Line>(text) {
            Ok(line) => self.judge(line),
            Err(error) => {
                let fault = Fault::Unreadable { problem: error.to_string() };
                self.unreadable.push(Breach { line: self.mark.line, at: self.mark.at, fault });
            }
        }
    }

    /// The judgement. A log may end anywhere: its last line may be cut, and leases may be live.
    pub fn finish(mut self) -> Report {
        self.report.torn += self.unreadable.len().min(1) as u64;
        self.unreadable.drain(..).skip(1).for_each(|breach| self.report.refute(breach));
        if self.phase == Phase::Empty {
            self.refute(Fault::NoStart { place: "in it" });
        }
        self.report.in_flight = self.leases.len() as u64;
        self.report.budgets.extend(std::mem::take(&mut self.budgets).into_values().map(Budget::report));
        self.report.budgets.sort_by(|one, other| one.budget.cmp(&other.budget));
        self.report
    }

    fn judge(&mut self, line: Line) {
        let is_start = matches!(line.entry, Entry::Start(_));
        if is_start {
            // A kill cuts the last line of a run, and the first of the next.
            self.report.torn += self.unreadable.len() as u64;
            self.unreadable.clear();
        }
        self.unreadable.drain(..).for_each(|breach| self.report.refute(breach));
        let before = self.mark.at;
        self.mark.at = line.at;
        if self.phase == Phase::Empty && !is_start {
            self.phase = Phase::Started;
            self.refute(Fault::NoStart { place: "at the beginning" });
        } else if self.phase == Phase::Stopped && !is_start {
            self.phase = Phase::Started;
            self.refute(Fault::NoStart { place: "after a stop" });
        } else if self.phase != Phase::Empty {
            self.elapsed += (i128::from(line.at) - i128::from(before)).max(0);
            if line.at < before && !is_start {
                self.refute(Fault::TimeWentBack { from: before });
            }
        }
        self.judge_entry(before, line.entry);
        let faults = std::mem::take(&mut self.faults);
        faults.into_iter().for_each(|fault| self.refute(fault));
    }

    fn judge_entry(&mut self, before: i64, entry: Entry) {
        match entry {
            Entry::Start(standing) => self.start(before, standing),
            Entry::Stop => self.phase = Phase::Stopped,
            Entry::Create(told) => self.create(&told),
            Entry::Replace(told) | Entry::Update(told) => {
                self.on_budget(&told.budget, |budget, now, faults| budget.change(now, &told, faults));
            }
            Entry::Adjust(told) => {
                self.on_budget(&told.budget, |budget, now, faults| budget.adjust(now, &told, faults));
            }
            Entry::Delete { budget } => self.delete(&budget),
            Entry::Enqueue { job, bindings } | Entry::Bind { job, bindings } => self.know(job, bindings),
            Entry::Dispatch { lease, job, debits } => self.dispatch(lease, job, debits),
            Entry::Usage { lease, usage } => self.usage(&lease, &usage),
            Entry::End { lease, job, how, state, released } => self.end(&lease, &job, &how, &state, released),
        }
    }

    pub(crate) fn refute(&mut self, fault: Fault) {
        self.report.refute(Breach { line: self.mark.line, at: self.mark.at, fault });
    }

    pub(crate) fn now(&self) -> Now {
        Now { mark: self.mark, elapsed: self.elapsed }
    }

    fn on_budget(&mut self, key: &str, judge: impl FnOnce(&mut Budget, Now, &mut Vec<Fault>)) {
        let now = self.now();
        match self.budgets.get_mut(key) {
            Some(budget) => judge(budget, now, &mut self.faults),
            None => self.faults.push(Fault::NoBudget { budget: key.to_owned() }),
        }
    }

    fn create(&mut self, told: &line::Budget) {
        if let Some(terms) = told.policy.terms() {
            check_level(told, terms, terms.full(), "2.3", &mut self.faults);
        }
        if self.budgets.insert(told.budget.clone(), Budget::new(told, self.now())).is_some() {
            self.faults.push(Fault::BudgetExists { budget: told.budget.clone() });
        }
    }

    fn delete(&mut self, key: &str) {
        let Some(budget) = self.budgets.remove(key) else {
            self.faults.push(Fault::NoBudget { budget: key.to_owned() });
            return;
        };
        if budget.holds > 0 {
            self.faults.push(Fault::DeletedInUse { budget: key.to_owned(), holds: budget.holds });
        }
        self.report.budgets.push(budget.report());
    }

    /// The job is bound to this from now on.
    fn know(&mut self, job: String, bindings: Vec<Cost>) {
        let bindings = sorted(bindings);
        let shared = match self.bindings.get(&*bindings) {
            Some(shared) => Rc::clone(shared),
            None => {
                let shared = Rc::from(bindings);
                self.bindings.insert(Rc::clone(&shared));
                shared
            }
        };
        self.jobs.insert(job, (shared, self.mark.line));
    }

    fn dispatch(&mut self, lease: String, job: String, debits: Vec<Cost>) {
        if lease <= self.latest_lease {
            let latest = self.latest_lease.clone();
            self.faults.push(Fault::LeaseReused { lease: lease.clone(), latest });
        } else {
            self.latest_lease.clone_from(&lease);
        }
        if let Some(other) = self.in_flight.insert(job.clone(), lease.clone()) {
            self.faults.push(Fault::InFlight { job: job.clone(), lease: other });
        }
        self.check_debits(&job, &debits);
        let now = self.now();
        let mut made = Vec::with_capacity(debits.len());
        for cost in debits {
            let of = match self.budgets.get_mut(&cost.budget) {
                Some(budget) => budget.dispatch(now, cost.cost, &mut self.faults).map_or(Of::Slots, Of::Rate),
                None => {
                    self.faults.push(Fault::NoBudget { budget: cost.budget.clone() });
                    Of::Unknown
                }
            };
            made.push(Debit::new(cost, of));
        }
        self.leases.insert(lease, Live { job, line: self.mark.line, debits: made });
        self.name_holders();
    }

    /// Each binding is debited once, with the cost that the job is bound at.
    fn check_debits(&mut self, job: &str, debits: &[Cost]) {
        let debited = sorted(debits.to_vec());
        let is_twice = debited.windows(2).any(|pair| pair[0].budget == pair[1].budget);
        let (bound, is_judged) = match self.jobs.get(job) {
            Some((bound, line)) if **bound != *debited => (text(bound), *line > self.gap),
            Some((bound, _)) if is_twice => (text(bound), true),
            Some(_) => return,
            None if is_twice => ("what no line tells".to_owned(), true),
            None => {
                self.report.jobs_unknown += 1;
                return self.know(job.to_owned(), debited);
            }
        };
        if is_judged {
            self.faults.push(Fault::Debits { job: job.to_owned(), bound, debited: text(&debited) });
        } else {
            self.report.bindings_unknown += 1;
            self.know(job.to_owned(), debited);
        }
    }

    /// Tells who holds what is over its allocation: the latest dispatches of those that are in flight.
    fn name_holders(&mut self) {
        for fault in &mut self.faults {
            if let Fault::OverAllocation { budget, holders, .. } = fault {
                let holding =
                    self.leases.values().filter(|live| live.debits.iter().any(|debit| debit.cost.budget == *budget));
                *holders = holding.map(|live| live.line).collect();
                holders.sort_unstable();
                holders.drain(..holders.len().saturating_sub(HOLDERS_TOLD_MAX));
            }
        }
    }

    fn usage(&mut self, lease: &str, usage: &[line::Use]) {
        let now = self.now();
        let Some(live) = self.leases.get_mut(lease) else {
            self.faults.push(Fault::NotLive { lease: lease.to_owned() });
            return;
        };
        for told in usage {
            let debit = live.debits.iter_mut().find(|debit| debit.cost.budget == told.budget);
            let problem = match &debit {
                Some(debit) if debit.is_used => Some("reported before"),
                Some(debit) if debit.of == Of::Slots => Some("taken from a while_in_flight budget"),
                Some(debit) if debit.cost.cost == told.debited => None,
                _ => Some("which the lease doesn't hold"),
            };
            let (Some(debit), None, Some(budget)) = (debit, problem, self.budgets.get_mut(&told.budget)) else {
                let (budget, debited) = (told.budget.clone(), told.debited);
                let problem = problem.unwrap_or("of a budget that isn't there");
                self.faults.push(Fault::Usage { budget, debited, problem });
                continue;
            };
            debit.is_used = true;
            let since = match debit.of {
                Of::Rate(since) => Some(since),
                Of::Slots | Of::Unknown => None,
            };
            budget.usage(now, told, since, &mut self.faults);
        }
    }

    fn end(&mut self, lease: &str, job: &str, how: &str, state: &str, released: Vec<Cost>) {
        let Some(live) = self.leases.remove(lease) else {
            self.faults.push(Fault::NotLive { lease: lease.to_owned() });
            return;
        };
        if live.job != job {
            let (granted, said) = (live.job.clone(), format!("of {job}"));
            self.faults.push(Fault::LeaseChanged { lease: lease.to_owned(), granted, said });
        }
        let (held, released) = (live.costs(), sorted(released));
        if held != released {
            let (held, released) = (text(&held), text(&released));
            self.faults.push(Fault::Released { lease: lease.to_owned(), held, released });
        }
        self.report.force_cancelled += u64::from(how == "force_cancelled");
        if matches!(state, "completed" | "removed") {
            self.jobs.remove(job);
        }
        self.let_go(lease, live);
    }

    /// A lease holds nothing any more.
    pub(crate) fn let_go(&mut self, lease: &str, live: Live) {
        if self.in_flight.get(&live.job).is_some_and(|latest| latest == lease) {
            self.in_flight.remove(&live.job);
        }
        for debit in live.debits {
            if let Some(budget) = self.budgets.get_mut(&debit.cost.budget) {
                budget.release(debit.cost.cost);
            }
        }
    }
}

pub(crate) fn sorted(mut costs: Vec<Cost>) -> Vec<Cost> {
    costs.sort_unstable();
    costs
}

/// Costs for people.
pub(crate) fn text(costs: &[Cost]) -> String {
    match costs {
        [] => "nothing".to_owned(),
        _ => costs.iter().map(Cost::to_string).collect::<Vec<_>>().join(", "),
    }
}
