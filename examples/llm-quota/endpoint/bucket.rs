//! A token bucket, exact to the nanosecond.

use std::time::Duration;

/// Tokens that drip in at a rate, up to a capacity. Counted in token·nanoseconds, so that nothing is rounded.
#[derive(Clone, Debug)]
pub struct Bucket {
    allocation: u128,
    period_ns: u128,
    full: u128,
    level: u128,
    at: Duration,
}

impl Bucket {
    /// A full one that gets `allocation` tokens (1 or more) per `period`.
    pub fn full(allocation: u32, period: Duration, capacity: u32) -> Self {
        let full = u128::from(capacity) * period.as_nanos();
        Self { allocation: allocation.into(), period_ns: period.as_nanos(), full, level: full, at: Duration::ZERO }
    }

    /// Lets drip what has come by `now`, the time since the bucket was made.
    pub fn drip(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at).as_nanos();
        self.level = self.full.min(self.level + self.allocation * passed);
        self.at = self.at.max(now);
    }

    /// How long until there are so many tokens, rounded up to the nanosecond; zero if there are. What the bucket can't hold is
    /// waited for all the same.
    pub fn wait_for(&self, tokens: u32) -> Duration {
        let missing = self.cost(tokens).saturating_sub(self.level);
        Duration::from_nanos(u64::try_from(missing.div_ceil(self.allocation)).unwrap_or(u64::MAX))
    }

    /// Takes out tokens that are there.
    pub fn take(&mut self, tokens: u32) {
        self.level = self.level.checked_sub(self.cost(tokens)).expect("only what is there is taken");
    }

    fn cost(&self, tokens: u32) -> u128 {
        u128::from(tokens) * self.period_ns
    }
}
