//! What the project holds itself to: ratios of medians, each with the bound that it is to keep.

use crate::results::{Figure, Results};

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
        ALL.iter().map(|line| Some(Judged { what: line.what, bound: line.bound, value: (line.value)(results)? }));
    judged.flatten().collect()
}

/// The lines that lack a figure.
pub fn left_out(results: &Results) -> Vec<&'static str> {
    ALL.iter().filter(|line| (line.value)(results).is_none()).map(|line| line.what).collect()
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
    Line { what, bound: Bound::AtLeast(bound), value }
}

const fn at_most(what: &'static str, bound: f64, value: fn(&Results) -> Option<f64>) -> Line {
    Line { what, bound: Bound::AtMost(bound), value }
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
    at_most("one token at a time, decision p99, µs", 5.0, |r| r.median("f: one token at a time", Figure::Decision)),
    at_most("8192 budgets, decision p99, µs", 5.0, |r| r.median("g: 8192 budgets", Figure::Decision)),
    at_most("8192 budgets, decision p99 over that of 10 budgets", 4.0, |r| {
        ratio(r, "g: 8192 budgets", "g: 10 budgets, 1000 jobs", Figure::Decision)
    }),
    at_most("every job bound differently: longest delivery in another queue, µs", 10_000.0, |r| {
        r.median("h: every job bound differently; times of another queue", Figure::Max)
    }),
    at_least("whole cycle below 90 % that is parked, over the bare cycle", 0.9, |r| {
        ratio(r, "i: whole cycle below 90 % that is parked", "c: whole cycle", Figure::Rate)
    }),
    at_least("whole cycle beside 1000 idle streams, over the bare cycle", 0.95, |r| {
        ratio(r, "j: whole cycle beside 1000 idle streams", "c: whole cycle", Figure::Rate)
    }),
    at_most("an idle stream, KiB", 24.4, |r| r.median("k: idle streams", Figure::Own("KiB a stream"))),
    at_most("idle streams, CPU %", 1.0, |r| r.median("k: idle streams", Figure::Own("CPU %"))),
    at_least("a pool in constant demand, % of its rate", 99.0, |r| {
        r.median("l: costs 1 to 100,000, limited", Figure::Own("% of the rate used"))
    }),
    at_most("a job that waits, bytes of memory", 150.0, |r| {
        r.median("m: jobs that wait", Figure::Own("bytes of memory a job, after a start"))
    }),
    at_most("first job after a clean end, s", 1.0, |r| {
        r.median("m: jobs that wait", Figure::Own("s until the first job, clean"))
    }),
    at_most("first job after a kill, s", 2.0, |r| {
        r.median("m: jobs that wait", Figure::Own("s until the first job, killed"))
    }),
    at_most("churn: memory, late over early", 1.1, |r| r.median("n: churn", Figure::Own("memory, late over early"))),
    at_most("churn: disk, late over early", 1.1, |r| r.median("n: churn", Figure::Own("disk, late over early"))),
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
}
