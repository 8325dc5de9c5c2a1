//! What a server measures of itself: counts and times of its owner thread, in lines of a tenth of a second each.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use serde::Deserialize;

use crate::meter::times;

/// Instants as the server writes them: nanoseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock isn't before 1970");
    u64::try_from(since.as_nanos()).expect("it is before 2554")
}

/// All lines of one server.
pub struct Measured {
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    at_ns: u64,
    commits: u64,
    syncs: u64,
    enqueued: u64,
    settled: u64,
    decision_ns: Vec<(u64, u64)>,
    turn_ns: Vec<(u64, u64)>,
}

/// The sum of some lines.
#[derive(Debug)]
pub struct Sums {
    /// Commits that wrote something.
    pub commits: u64,
    /// Syncs of the store's files.
    pub syncs: u64,
    /// Jobs enqueued.
    pub enqueued: u64,
    /// Leases settled.
    pub settled: u64,
    /// What the scheduler took for each dispatch.
    pub decision: Histogram<u64>,
    /// What each turn of the owner thread took.
    pub turn: Histogram<u64>,
}

impl Measured {
    /// Reads the lines that a server wrote. A line that a kill cut short is left out.
    ///
    /// # Errors
    /// There is no such file.
    pub fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("no measurements in {}", path.display()))?;
        let mut lines = Vec::new();
        for line in BufReader::new(file).lines() {
            lines.extend(serde_json::from_str::<Line>(&line?).ok());
        }
        Ok(Self { lines })
    }

    /// The lines that were written after `from` and not after `until`.
    pub fn between(&self, from: u64, until: u64) -> Sums {
        let mut sums = Sums { commits: 0, syncs: 0, enqueued: 0, settled: 0, decision: times(), turn: times() };
        for line in self.lines.iter().filter(|line| line.at_ns > from && line.at_ns <= until) {
            sums.commits += line.commits;
            sums.syncs += line.syncs;
            sums.enqueued += line.enqueued;
            sums.settled += line.settled;
            let histograms = [(&mut sums.decision, &line.decision_ns), (&mut sums.turn, &line.turn_ns)];
            for (histogram, pairs) in histograms {
                pairs.iter().for_each(|(nanos, count)| histogram.saturating_record_n(*nanos, *count));
            }
        }
        sums
    }
}
