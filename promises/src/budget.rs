//! One budget: what it may pay, what it paid, and what it came nearest to.

use crate::account::{Account, Since};
use crate::breach::Fault;
use crate::line::{self, Policy};
use crate::report::{BudgetReport, Instant, Worst};
use crate::spend::{Mark, Spend};
use crate::tokens::Terms;

/// Where and when something is judged.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    pub mark: Mark,
    /// Nanoseconds since the log's beginning; never goes back.
    pub elapsed: i128,
}

/// One budget, from its creation on.
#[derive(Debug)]
pub struct Budget {
    pub created_at: i64,
    pub revision: u64,
    pub policy: Policy,
    pub pool: Pool,
    /// The summed cost of the live leases.
    pub held: i128,
    pub holds: u64,
    report: BudgetReport,
}

/// What is judged under one policy.
#[derive(Debug)]
pub enum Pool {
    WhileInFlight { allocation: u64, worst: Option<Instant> },
    TimeBased(Box<Account>, Spend),
}

impl Policy {
    /// The terms of a `time_based` policy.
    pub fn terms(&self) -> Option<Terms> {
        match *self {
            Self::WhileInFlight { .. } => None,
            Self::TimeBased { allocation, duration_ns, burst } => {
                Some(Terms::new(allocation, duration_ns, burst.unwrap_or(allocation)))
            }
        }
    }
}

impl Pool {
    fn new(policy: &Policy, level: i128, now: Now) -> Self {
        match (policy, policy.terms()) {
            (_, Some(terms)) => Self::TimeBased(Box::new(Account::new(terms, level, now.elapsed)), Spend::new(terms)),
            (Policy::WhileInFlight { allocation } | Policy::TimeBased { allocation, .. }, None) => {
                Self::WhileInFlight { allocation: *allocation, worst: None }
            }
        }
    }

    /// When and at what level it was last touched isn't told, nor whether the clock was set back since.
    pub fn touched_unseen(&mut self) {
        if let Self::TimeBased(account, _) = self {
            account.touched_unseen();
            account.set_back();
        }
    }

    fn worst(&self) -> Option<Worst> {
        match self {
            Self::WhileInFlight { worst, .. } => worst.map(Worst::Instant),
            Self::TimeBased(account, spend) => spend.worst().map(|interval| Worst::Interval(interval, account.terms())),
        }
    }
}

impl Budget {
    /// A budget as a line tells it, at the level that the line tells.
    pub fn new(told: &line::Budget, now: Now) -> Self {
        Self {
            created_at: told.created_at,
            revision: told.revision,
            policy: told.policy.clone(),
            pool: Pool::new(&told.policy, told.level.unwrap_or(0), now),
            held: 0,
            holds: 0,
            report: BudgetReport {
                budget: told.budget.clone(),
                stretches: 1,
                dispatches: 0,
                cost: 0,
                refunded_milli: 0,
                overrun: 0,
                worst: None,
            },
        }
    }

    /// A budget as a start tells it that no line before has told of.
    pub fn standing(told: &line::Budget, now: Now) -> Self {
        let mut budget = Self::new(told, now);
        budget.pool.touched_unseen();
        budget
    }

    pub fn key(&self) -> &str {
        &self.report.budget
    }

    /// What it came to.
    pub fn report(mut self) -> BudgetReport {
        self.report.worst = Worst::nearer(self.report.worst, self.pool.worst());
        self.report
    }

    /// A dispatch debits it. `Since` is what a refund will be measured from.
    pub fn dispatch(&mut self, now: Now, cost: u64, faults: &mut Vec<Fault>) -> Option<Since> {
        self.hold(cost);
        self.count(cost);
        let budget = || self.report.budget.clone();
        match &mut self.pool {
            Pool::WhileInFlight { allocation, worst } => {
                if worst.is_none_or(|worst| worst.in_flight < self.held) {
                    *worst = Some(Instant { mark: now.mark, in_flight: self.held, allocation: *allocation });
                }
                if self.held > i128::from(*allocation) {
                    let (in_flight, allocation) = (self.held, *allocation);
                    faults.push(Fault::OverAllocation { budget: budget(), in_flight, allocation, holders: Vec::new() });
                }
                None
            }
            Pool::TimeBased(account, spend) => {
                let terms = account.terms();
                if let Some(interval) = spend.pay(now.mark, now.elapsed, cost) {
                    faults.push(Fault::OverCapacity { budget: budget(), interval, terms });
                }
                let level = account.level(now.elapsed);
                if level < terms.worth(cost) {
                    faults.push(Fault::Unaffordable { budget: budget(), cost, level: terms.amount(level) });
                }
                Some(account.debit(now.elapsed, cost))
            }
        }
    }

    /// One dispatch more, of this cost.
    pub fn count(&mut self, cost: u64) {
        self.report.dispatches += 1;
        self.report.cost += u128::from(cost);
    }

    /// A live lease holds it.
    pub fn hold(&mut self, cost: u64) {
        self.held += i128::from(cost);
        self.holds += 1;
    }

    /// It no longer does.
    pub fn release(&mut self, cost: u64) {
        self.held -= i128::from(cost);
        // A log may say anything: that an end was one too many is told elsewhere.
        self.holds = self.holds.saturating_sub(1);
    }

    /// A worker reports what it used of a debit (semantics 9.2).
    pub fn usage(&mut self, now: Now, told: &line::Use, since: Option<Since>, faults: &mut Vec<Fault>) {
        let Pool::TimeBased(account, spend) = &mut self.pool else {
            let (budget, debited) = (told.budget.clone(), told.debited);
            faults.push(Fault::Usage { budget, debited, problem: "of a budget that isn't time_based" });
            return;
        };
        let (terms, moved) = (account.terms(), told.moved.unwrap_or(0));
        let (budget, debited, used) = (|| told.budget.clone(), told.debited, told.used);
        if used > debited {
            let owed = account.overrun(now.elapsed, used - debited);
            if moved != owed {
                let (moved, owed) = (terms.amount(moved), terms.amount(owed));
                faults.push(Fault::Overrun { budget: budget(), debited, used, moved, owed });
            }
            self.report.overrun += u128::from(used - debited);
        } else {
            let allowed = account.refund_max(now.elapsed, since, debited - used);
            if !(0..=allowed).contains(&moved) {
                let (refunded, allowed) = (terms.amount(moved), terms.amount(allowed));
                faults.push(Fault::Refund { budget: budget(), debited, used, refunded, allowed });
            }
            spend.refund(moved);
            self.report.refunded_milli += terms.amount(moved).milli();
        }
        account.shift_by(now.elapsed, moved);
    }

    /// Another policy is in force (semantics 7.2, 7.3).
    pub fn change(&mut self, now: Now, told: &line::Budget, faults: &mut Vec<Fault>) {
        if told.created_at != self.created_at || told.revision != self.revision + 1 {
            let (said, expected) = (told.revision, self.revision + 1);
            faults.push(Fault::Revision { budget: told.budget.clone(), said, expected });
        }
        self.revision = told.revision;
        let (old, new) = (self.policy.terms(), told.policy.terms());
        if let (Some(old), Some(new), Pool::TimeBased(account, spend)) = (old, new, &mut self.pool) {
            account.change(now.elapsed, new);
            let expected = account.level(now.elapsed);
            check_level(told, new, expected, "7.2 or 2.2", faults);
            account.correct(now.elapsed, told.level.unwrap_or(expected));
            if old != new {
                let worst = spend.worst().map(|interval| Worst::Interval(interval, old));
                self.report.worst = Worst::nearer(self.report.worst, worst);
                self.report.stretches += 1;
                *spend = Spend::new(new);
            }
        } else if told.policy != self.policy {
            if let Some(new) = new {
                let free = (new.capacity - self.held).max(0);
                check_level(told, new, free * new.duration, "7.3", faults);
            }
            self.begin_stretch(now, told);
        }
        self.policy = told.policy.clone();
    }

    /// It is as a line tells it, whatever it was, and judged anew from here.
    pub fn begin_stretch(&mut self, now: Now, told: &line::Budget) {
        self.report.worst = Worst::nearer(self.report.worst, self.pool.worst());
        self.report.stretches += 1;
        self.revision = told.revision;
        self.policy = told.policy.clone();
        self.pool = Pool::new(&told.policy, told.level.unwrap_or(0), now);
    }

    /// An operator has set the level (semantics 9.5): what was put in counts as a refund does.
    pub fn adjust(&mut self, now: Now, told: &line::Budget, faults: &mut Vec<Fault>) {
        let (Pool::TimeBased(account, spend), Some(said)) = (&mut self.pool, told.level) else {
            faults.push(Fault::NoBudget { budget: format!("{}, time_based", told.budget) });
            return;
        };
        let terms = account.terms();
        if !(0..=terms.full()).contains(&said) || said % terms.duration != 0 {
            let nearest = (said - said.rem_euclid(terms.duration)).clamp(0, terms.full());
            check_level(told, terms, nearest, "9.5", faults);
        }
        spend.refund((said - account.level(now.elapsed)).max(0));
        account.set(now.elapsed, said);
    }
}

/// A level that a line tells is the one that a rule makes it.
pub fn check_level(told: &line::Budget, terms: Terms, expected: i128, rule: &'static str, faults: &mut Vec<Fault>) {
    let said = told.level.unwrap_or(0);
    if said != expected {
        let (said, expected) = (terms.amount(said), terms.amount(expected));
        faults.push(Fault::Level { budget: told.budget.clone(), said, expected, rule });
    }
}
