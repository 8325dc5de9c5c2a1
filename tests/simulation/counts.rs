//! How often a simulation met each kind of place and trouble.

use std::collections::BTreeMap;

/// What all runs together must meet often enough.
const WANTED: [&str; 41] = [
    "commits",
    "dispatches",
    "refusals",
    "jobs that came to an end",
    "settled",
    "settled too late",
    "usage reported",
    "throttles reported",
    "leases extended",
    "leases taken over",
    "streams opened",
    "streams dropped",
    "workers that said goodbye",
    "workers that forgot all",
    "clean restarts",
    "clocks set back",
    "kills",
    "power losses",
    "ends at a sync",
    "ends at a write",
    "ends at a change of the length",
    "ends between two commits",
    "ends after a commit, before anything is told",
    "ends after the events, before the answers",
    "ends after the answers, before the pushes",
    "ends while the store is opened",
    "ends under relaxed durability",
    "commits found that nobody was told of",
    "commits lost that nobody was told of",
    "relaxed commits lost with the power",
    "writes lost",
    "writes torn",
    "writes kept unsynced",
    "writes failed",
    "syncs failed",
    "changes of the length failed",
    "reads failed",
    "questions for the length failed",
    "writes refused by a full disk",
    "full disks freed",
    "commits that failed",
];

/// Numbers by name.
#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub fn note(&mut self, name: &'static str) {
        self.add(name, 1);
    }

    pub fn add(&mut self, name: &'static str, more: u64) {
        *self.0.entry(name).or_default() += more;
    }

    /// All of `other`'s too.
    pub fn merge(&mut self, other: &Self) {
        for (name, count) in &other.0 {
            self.add(name, *count);
        }
    }

    /// A line each.
    pub fn shown(&self) -> String {
        self.0.iter().map(|(name, count)| format!("{count:>10} {name}\n")).collect()
    }

    /// What was met fewer than `least` times.
    pub fn too_rare(&self, least: u64) -> Vec<&'static str> {
        WANTED.into_iter().filter(|name| self.0.get(name).copied().unwrap_or(0) < least).collect()
    }
}
