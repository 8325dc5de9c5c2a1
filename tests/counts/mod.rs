//! How often tests that play random steps met each kind of thing.

use std::collections::BTreeMap;

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

    /// What of `wanted` was met fewer than `least` times.
    pub fn too_rare(&self, wanted: &[&'static str], least: u64) -> Vec<&'static str> {
        wanted.iter().filter(|name| self.0.get(*name).copied().unwrap_or(0) < least).copied().collect()
    }
}
