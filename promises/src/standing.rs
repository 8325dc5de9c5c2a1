//! A start: what it says is the truth from there on, and is judged by what the lines before lead to.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::breach::Fault;
use crate::budget::{Budget, Now, Pool};
use crate::checker::{Checker, Debit, Live, Of, Phase, sorted, text};
use crate::line::{self, Lease, Standing};
use crate::report::Gap;
use crate::tokens::Terms;

/// What may have happened before a start without being told.
struct Untold {
    /// The log begins here.
    is_first: bool,
    /// The server has said all, and stopped.
    is_nothing: bool,
    /// The clock was set back between the runs: a pool keeps its level, and may keep what had dripped since.
    is_set_back: bool,
    /// What the leases that are gone had debited, by budget: so much may have been refunded.
    freed: BTreeMap<String, u64>,
    /// What was held before, by budget.
    held: BTreeMap<String, i128>,
    gap: Gap,
}

impl Checker {
    pub(crate) fn start(&mut self, before: i64, standing: Standing) {
        if standing.format != line::FORMAT {
            let problem = format!("form {}; {} is known", standing.format, line::FORMAT);
            self.faults.push(Fault::Unreadable { problem });
            return;
        }
        self.report.starts += 1;
        let phase = std::mem::replace(&mut self.phase, Phase::Started);
        let (line, from, to) = (self.mark.line, before, self.mark.at);
        let mut untold = Untold {
            is_first: phase == Phase::Empty,
            is_nothing: phase == Phase::Stopped,
            is_set_back: phase != Phase::Empty && to < from,
            freed: BTreeMap::new(),
            held: self.budgets.iter().map(|(key, budget)| (key.clone(), budget.held)).collect(),
            gap: Gap { line, from, to, ended: 0, dispatched: 0, levels: 0, changed: 0 },
        };
        self.end_untold(&standing.leases, &mut untold);
        let known = self.stand_budgets(&standing.budgets, &mut untold);
        self.stand_leases(standing.leases, &mut untold);
        for told in standing.budgets.iter().filter(|told| known.contains(&*told.budget)) {
            self.resume(told, &mut untold);
        }
        if !untold.is_first && !untold.is_nothing {
            self.gap = line;
            self.report.gaps.push(untold.gap);
        }
    }

    /// Something stands that no line tells, or the reverse.
    fn untold(&mut self, untold: &Untold, what: impl FnOnce() -> String) {
        if untold.is_nothing {
            self.faults.push(Fault::Start { what: what() });
        }
    }

    /// Leases that are gone.
    fn end_untold(&mut self, standing: &[Lease], untold: &mut Untold) {
        let standing: HashSet<&str> = standing.iter().map(|lease| &*lease.lease).collect();
        let mut gone: Vec<String> = self.leases.keys().filter(|lease| !standing.contains(&***lease)).cloned().collect();
        gone.sort_unstable();
        for lease in gone {
            let live = self.leases.remove(&lease).expect("it was found there");
            untold.gap.ended += 1;
            for debit in live.debits.iter().filter(|debit| debit.of != Of::Slots) {
                *untold.freed.entry(debit.cost.budget.clone()).or_default() += debit.cost.cost;
            }
            self.untold(untold, || format!("the lease {lease} is gone"));
            self.let_go(&lease, live);
        }
    }

    /// Budgets that are new or gone. Returns the keys of the others.
    fn stand_budgets(&mut self, standing: &[line::Budget], untold: &mut Untold) -> HashSet<String> {
        let told: HashMap<&str, i64> = standing.iter().map(|told| (&*told.budget, told.created_at)).collect();
        let is_same = |budget: &Budget| told.get(budget.key()) == Some(&budget.created_at);
        let gone: Vec<String> =
            self.budgets.values().filter(|budget| !is_same(budget)).map(|budget| budget.key().to_owned()).collect();
        for key in gone {
            untold.gap.changed += 1;
            self.untold(untold, || format!("the budget {key} is gone"));
            self.report.budgets.extend(self.budgets.remove(&key).map(Budget::report));
        }
        let known = self.budgets.keys().cloned().collect();
        for told in standing {
            if self.budgets.contains_key(&told.budget) {
                continue;
            }
            if !untold.is_first {
                untold.gap.changed += 1;
                self.untold(untold, || format!("the budget {} is there", told.budget));
            }
            self.budgets.insert(told.budget.clone(), Budget::standing(told, self.now()));
        }
        known
    }

    /// Leases that are new, or should be as they were.
    fn stand_leases(&mut self, standing: Vec<Lease>, untold: &mut Untold) {
        for Lease { lease, job, debits } in standing {
            if let Some(live) = self.leases.get(&lease) {
                let granted = format!("{} for {}", live.job, text(&live.costs()));
                let said = format!("of {job} for {}", text(&sorted(debits)));
                if format!("of {granted}") != said {
                    self.faults.push(Fault::LeaseChanged { lease, granted, said });
                }
                continue;
            }
            if !untold.is_first {
                untold.gap.dispatched += 1;
                self.untold(untold, || format!("the lease {lease} is live"));
            }
            if let Some(other) = self.in_flight.insert(job.clone(), lease.clone()) {
                self.faults.push(Fault::InFlight { job: job.clone(), lease: other });
            }
            for cost in &debits {
                match self.budgets.get_mut(&cost.budget) {
                    Some(budget) => {
                        budget.hold(cost.cost);
                        if !untold.is_first {
                            budget.count(cost.cost);
                        }
                    }
                    None => self.faults.push(Fault::NoBudget { budget: cost.budget.clone() }),
                }
            }
            let debits = debits.into_iter().map(|cost| Debit::new(cost, Of::Unknown)).collect();
            self.latest_lease = lease.clone().max(std::mem::take(&mut self.latest_lease));
            self.leases.insert(lease, Live { job, line: self.mark.line, debits });
        }
    }

    /// A budget that was there before goes on.
    fn resume(&mut self, told: &line::Budget, untold: &mut Untold) {
        let now = self.now();
        let budget = self.budgets.get_mut(&told.budget).expect("it is known");
        if budget.revision != told.revision || budget.policy != told.policy {
            untold.gap.changed += 1;
            if untold.is_nothing {
                let (said, expected) = (told.revision, budget.revision);
                self.faults.push(Fault::Revision { budget: told.budget.clone(), said, expected });
            }
            budget.begin_stretch(now, told);
            budget.pool.touched_unseen();
            return;
        }
        let held_before = untold.held.get(&told.budget).copied().unwrap_or(0);
        match (&budget.pool, told.policy.terms()) {
            (Pool::TimeBased(..), Some(terms)) => resume_level(budget, told, terms, now, untold, &mut self.faults),
            (Pool::WhileInFlight { allocation, .. }, _) => {
                let (in_flight, allocation) = (budget.held, *allocation);
                if in_flight > held_before.max(allocation.into()) {
                    self.faults.push(Fault::HeldAtStart { budget: told.budget.clone(), in_flight, allocation });
                }
            }
            (Pool::TimeBased(..), None) => unreachable!("a pool is of its policy"),
        }
    }
}

/// A `time_based` pool goes on with the level that is told, if it can have come to that.
fn resume_level(
    budget: &mut Budget,
    told: &line::Budget,
    terms: Terms,
    now: Now,
    untold: &mut Untold,
    faults: &mut Vec<Fault>,
) {
    let Pool::TimeBased(account, spend) = &mut budget.pool else { return };
    let said = told.level.unwrap_or(0);
    let replayed = account.level(now.elapsed);
    if untold.is_set_back {
        account.set_back();
    }
    let kept = account.least_kept(now.elapsed);
    let freed = untold.freed.get(&told.budget).copied().unwrap_or(0);
    let (least, most) = match (untold.is_nothing, untold.is_set_back) {
        (true, _) => (kept, replayed),
        // For how long it dripped after the last line isn't told.
        (false, true) => (terms.floor(), terms.full()),
        (false, false) => (terms.floor(), (replayed + terms.worth(freed)).min(terms.full())),
    };
    if !(least..=most).contains(&said) {
        let [said, least, most] = [said, least, most].map(|level| terms.amount(level));
        faults.push(Fault::LevelAtStart { budget: told.budget.clone(), said, least, most });
    }
    if said < kept {
        spend.pay_unseen(now.mark, now.elapsed, kept - said);
    } else if said > replayed {
        spend.refund(said - replayed);
    }
    untold.gap.levels += u64::from(!(kept..=replayed).contains(&said));
    account.correct(now.elapsed, said);
    if !untold.is_nothing {
        account.touched_unseen();
    }
}
