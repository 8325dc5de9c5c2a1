//! What the runs showed: every figure of every case, over all rounds.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

/// What is measured, each in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Figure {
    /// Jobs a second.
    Rate,
    /// Half of all times are at most this, in µs.
    P50,
    /// 99 of 100 times are at most this, in µs.
    P99,
    /// The longest time, in µs.
    Max,
    /// Processor time of the server, in µs a job.
    Cpu,
    /// Processor time of the load, in µs a job.
    LoadCpu,
    /// Resident memory of the server, in MiB.
    Memory,
    /// Syncs a commit.
    Syncs,
    /// Jobs a commit.
    Jobs,
    /// 99 of 100 decisions of the scheduler took at most this, in µs.
    Decision,
    /// The longest turn of the server's owner thread, in ms.
    Turn,
    /// What one case alone has.
    Own(&'static str),
}

impl Figure {
    /// Those that have a column of their own.
    pub const COLUMNS: [Self; 10] = [
        Self::Rate,
        Self::P50,
        Self::P99,
        Self::Max,
        Self::Cpu,
        Self::Memory,
        Self::Syncs,
        Self::Jobs,
        Self::Decision,
        Self::Turn,
    ];

    /// Its name, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate => "jobs/s",
            Self::P50 => "p50 µs",
            Self::P99 => "p99 µs",
            Self::Max => "max µs",
            Self::Cpu => "CPU µs/job",
            Self::LoadCpu => "load CPU µs/job",
            Self::Memory => "RSS MiB",
            Self::Syncs => "syncs/commit",
            Self::Jobs => "jobs/commit",
            Self::Decision => "decision p99 µs",
            Self::Turn => "longest turn ms",
            Self::Own(name) => name,
        }
    }
}

/// Bytes in MiB.
pub fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// What one run of a case showed.
#[derive(Debug, Default)]
pub struct Run(Vec<(Figure, f64)>);

impl Run {
    /// With one more figure.
    #[must_use]
    pub fn with(mut self, figure: Figure, value: f64) -> Self {
        self.0.push((figure, value));
        self
    }

    /// With the resident memory of the server.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        self.with(Figure::Memory, mib(bytes))
    }

    /// One of its figures.
    pub fn value(&self, figure: Figure) -> Option<f64> {
        self.0.iter().find(|(of, _)| *of == figure).map(|(_, value)| *value)
    }

    /// With the times of a histogram of nanoseconds.
    #[must_use]
    pub fn with_times(self, times: &Histogram<u64>) -> Self {
        let us = |nanos: u64| nanos as f64 / 1e3;
        self.with(Figure::P50, us(times.value_at_quantile(0.5)))
            .with(Figure::P99, us(times.value_at_quantile(0.99)))
            .with(Figure::Max, us(times.max()))
    }
}

/// The median of a figure, and how far its rounds were apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// All figures of all rounds.
#[derive(Debug, Default)]
pub struct Results {
    is_full: bool,
    /// In the order in which they were first met.
    cases: Vec<String>,
    values: BTreeMap<(String, Figure), Vec<f64>>,
}

impl Results {
    /// None yet. `is_full`: of runs at full size.
    pub fn new(is_full: bool) -> Self {
        Self { is_full, ..Self::default() }
    }

    /// Whether the runs have full size.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds what a run showed.
    pub fn add(&mut self, case: &str, run: Run) {
        if !self.cases.iter().any(|known| known == case) {
            self.cases.push(case.to_owned());
        }
        for (figure, value) in run.0 {
            self.values.entry((case.to_owned(), figure)).or_default().push(value);
        }
    }

    /// The cases that were run.
    pub fn cases(&self) -> &[String] {
        &self.cases
    }

    /// The figures of a case that have no column.
    pub fn own(&self, case: &str) -> Vec<Figure> {
        let figures = self.values.keys().filter(|(of, _)| of == case).map(|(_, figure)| *figure);
        figures.filter(|figure| matches!(figure, Figure::Own(_))).collect()
    }

    /// A figure of a case over all rounds, if it was measured.
    pub fn summary(&self, case: &str, figure: Figure) -> Option<Summary> {
        let mut values = self.values.get(&(case.to_owned(), figure))?.clone();
        values.sort_by(f64::total_cmp);
        let (lower, upper) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        Some(Summary { median: (lower + upper) / 2.0, min: values[0], max: values[values.len() - 1] })
    }

    /// The median alone.
    pub fn median(&self, case: &str, figure: Figure) -> Option<f64> {
        self.summary(case, figure).map(|summary| summary.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle_value_or_the_mean_of_both() {
        let mut results = Results::default();
        for value in [3.0, 1.0, 10.0] {
            results.add("a", Run::default().with(Figure::Rate, value));
        }
        let expected = Summary { median: 3.0, min: 1.0, max: 10.0 };
        assert_eq!(results.summary("a", Figure::Rate), Some(expected));
        results.add("a", Run::default().with(Figure::Rate, 5.0));
        assert_eq!(results.median("a", Figure::Rate), Some(4.0));
        assert_eq!(results.median("a", Figure::P50), None);
    }
}
