//! What the project holds itself to: ratios of medians, each with the bound that it is to keep.

use crate::results::{Figure, Results};
use crate::workloads::llm;

/// A bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

/// One line.
pub struct Line {
    /// What it compares.
    pub what: &'static str,
    /// What it is to keep.
    pub bound: Bound,
    /// Means nothing at less than full size.
    is_of_full_size: bool,
    value: fn(&Results) -> Option<f64>,
}

/// A line that could be judged.
pub struct Judged {
    /// What it compares.
    pub what: &'static str,
    /// What it is to keep.
    pub bound: Bound,
    /// What was measured.
    pub value: f64,
}

impl Judged {
    /// Whether the bound is kept.
    pub fn is_kept(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.value >= bound,
            Bound::AtMost(bound) => self.value <= bound,
        }
    }
}

/// All lines whose figures were measured.
pub fn judge(results: &Results) -> Vec<Judged> {
    let judged =
        lines(results).map(|line| Some(Judged { what: line.what, bound: line.bound, value: (line.value)(results)? }));
    judged.flatten().collect()
}

fn lines(results: &Results) -> impl Iterator<Item = &'static Line> {
    let is_full = results.is_full();
    ALL.iter().filter(move |line| is_full || !line.is_of_full_size)
}

/// The lines that lack a figure.
pub fn left_out(results: &Results) -> Vec<&'static str> {
    lines(results).filter(|line| (line.value)(results).is_none()).map(|line| line.what).collect()
}

/// A figure of one case over that of another.
fn ratio(results: &Results, case: &str, floor: &str, figure: Figure) -> Option<f64> {
    Some(results.median(case, figure)? / results.median(floor, figure)?)
}

/// A time of a case over the median time of a sync.
fn in_syncs(results: &Results, case: &str, figure: Figure) -> Option<f64> {
    Some(results.median(case, figure)? / results.median("disk", Figure::P50)?)
}

const fn at_least(what: &'static str, bound: f64, value: fn(&Results) -> Option<f64>) -> Line {
    Line { what, bound: Bound::AtLeast(bound), is_of_full_size: false, value }
}

const fn at_most(what: &'static str, bound: f64, value: fn(&Results) -> Option<f64>) -> Line {
    Line { what, bound: Bound::AtMost(bound), is_of_full_size: false, value }
}

/// A line that is judged at full size only.
const fn full(line: Line) -> Line {
    Line { is_of_full_size: true, ..line }
}

/// What one decision took, over what it takes with few jobs and budgets.
fn decision_growth(results: &Results, case: &str) -> Option<f64> {
    ratio(results, case, "g: 10 budgets, 1000 jobs", Figure::Decision)
}

const ALL: &[Line] = &[
    at_most("syncs a commit, unary, 64 callers", 1.005, |r| r.median("a: 64 callers", Figure::Syncs)),
    at_least("jobs a commit over callers, unary, 64 callers", 0.4, |r| {
        Some(r.median("a: 64 callers", Figure::Jobs)? / 64.0)
    }),
    at_least("jobs a commit over callers, unary, 256 callers", 0.4, |r| {
        Some(r.median("a: 256 callers", Figure::Jobs)? / 256.0)
    }),
    at_most("unary, 1 caller, p50, in syncs", 3.5, |r| in_syncs(r, "a: 1 callers", Figure::P50)),
    at_least("unary, 64 callers, over the null store", 0.55, |r| {
        ratio(r, "a: 64 callers", "a: 64 callers, null store", Figure::Rate)
    }),
    at_least("unary, 256 callers, over the null store", 0.7, |r| {
        ratio(r, "a: 256 callers", "a: 256 callers, null store", Figure::Rate)
    }),
    at_least("null store, unary, 64 callers, over the bare echo", 0.65, |r| {
        ratio(r, "a: 64 callers, null store", "a: 64 callers, bare echo", Figure::Rate)
    }),
    at_least("null store, unary, 256 callers, over the bare echo", 0.65, |r| {
        ratio(r, "a: 256 callers, null store", "a: 256 callers, bare echo", Figure::Rate)
    }),
    at_least("whole cycle over its rows straight to redb", 0.6, |r| {
        ratio(r, "c: whole cycle", "c: its rows straight to redb", Figure::Rate)
    }),
    at_most("whole cycle, server CPU, µs a job", 7.0, |r| r.median("c: whole cycle", Figure::Cpu)),
    at_least("one job a message, over the null store", 0.4, |r| {
        ratio(r, "d: one job a message", "d: one job a message, null store", Figure::Rate)
    }),
    at_most("delivered at 1000 a second, p50, in syncs", 5.0, |r| in_syncs(r, "e: 1000 a second", Figure::P50)),
    at_most("delivered at 1000 a second, p99, in syncs", 15.0, |r| in_syncs(r, "e: 1000 a second", Figure::P99)),
    at_most("parked on one token, decision p99, µs", 5.0, |r| r.median("f: parked on 1 tokens", Figure::Decision)),
    at_most("parked on 64 tokens, decision p99, µs", 5.0, |r| r.median("f: parked on 64 tokens", Figure::Decision)),
    at_most("many budgets, decision p99, µs", 5.0, |r| r.median("g: many budgets", Figure::Decision)),
    at_most("parked on one token, decision p99, over 10 budgets and 1000 jobs", 4.0, |r| {
        decision_growth(r, "f: parked on 1 tokens")
    }),
    at_most("parked on 64 tokens, decision p99, over 10 budgets and 1000 jobs", 4.0, |r| {
        decision_growth(r, "f: parked on 64 tokens")
    }),
    at_most("many budgets, decision p99, over 10 budgets and 1000 jobs", 4.0, |r| {
        decision_growth(r, "g: many budgets")
    }),
    at_most("beside random bindings, longest delivery of another queue, ms", 10.0, |r| {
        Some(r.median("h: another queue meanwhile", Figure::Max)? / 1e3)
    }),
    at_most("random bindings, longest turn, ms", 10.0, |r| r.median("h: all bindings random", Figure::Turn)),
    at_least("behind parked jobs, over the whole cycle", 0.9, |r| {
        ratio(r, "i: behind parked jobs", "c: whole cycle", Figure::Rate)
    }),
    at_least("beside idle streams, over the whole cycle", 0.95, |r| {
        ratio(r, "j: beside idle streams", "c: whole cycle", Figure::Rate)
    }),
    at_most("idle streams, RSS, kB a stream", 25.0, |r| r.median("k: idle streams", Figure::Own("RSS kB a stream"))),
    at_most("idle streams, CPU, %", 1.0, |r| r.median("k: idle streams", Figure::Own("CPU %"))),
    at_least("tokens a minute in constant demand, used of their rate", 0.99, |r| {
        r.median("l: tokens short", llm::USED)
    }),
    at_least("requests a second in constant demand, used of their rate", 0.99, |r| {
        r.median("l: requests short", llm::USED)
    }),
    full(at_most("1,000,000 jobs waiting, RSS, bytes a job", 150.0, |r| {
        r.median("m: jobs waiting", Figure::Own("RSS bytes a job"))
    })),
    full(at_most("1,000,000 jobs waiting, first job after a clean end, s", 1.0, |r| {
        r.median("m: start after a clean end", Figure::Own("first job after s"))
    })),
    full(at_most("1,000,000 jobs waiting, first job after a kill, s", 2.0, |r| {
        r.median("m: start after a kill", Figure::Own("first job after s"))
    })),
    full(at_most("steady churn, RSS, end over first third", 1.1, |r| {
        r.median("n: steady churn", Figure::Own("RSS growth"))
    })),
    full(at_most("steady churn, file, end over first third", 1.1, |r| {
        r.median("n: steady churn", Figure::Own("file growth"))
    })),
    full(at_most("steady churn, p99, last third over first", 1.5, |r| {
        r.median("n: steady churn", Figure::Own("p99 growth"))
    })),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Run;

    #[test]
    fn a_line_is_judged_once_all_its_figures_are_there() {
        let mut results = Results::default();
        results.add("a: 1 callers", Run::default().with(Figure::P50, 350.0));
        assert!(judge(&results).is_empty());
        results.add("disk", Run::default().with(Figure::P50, 100.0));
        let kept: Vec<bool> = judge(&results).iter().map(Judged::is_kept).collect();
        assert_eq!(kept, [true]);
        results.add("disk", Run::default().with(Figure::P50, 98.0));
        assert!(!judge(&results)[0].is_kept(), "3.5 is the most");
    }

    #[test]
    fn what_means_nothing_at_a_smaller_size_is_judged_at_full_size_only() {
        let judged = |is_full| {
            let mut results = Results::new(is_full);
            results.add("n: steady churn", Run::default().with(Figure::Own("RSS growth"), 1.2));
            judge(&results).iter().map(Judged::is_kept).collect::<Vec<_>>()
        };
        assert!(judged(false).is_empty());
        assert_eq!(judged(true), [false]);
    }
}
