//! Tokens, exactly: terms of a `time_based` budget, and amounts in token·nanoseconds.

use std::fmt;

/// The deepest debt that a pool keeps, in tokens (docs/design.md).
const DEBT_MAX: i128 = 1 << 70;

/// How tokens drip: one token is as many token·nanoseconds as the duration has nanoseconds, and each nanosecond drips as
/// many as the allocation has tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// N: tokens per duration.
    pub allocation: i128,
    /// D: the duration in nanoseconds.
    pub duration: i128,
    /// C: the most tokens that the pool holds.
    pub capacity: i128,
}

impl Terms {
    /// Terms of a policy.
    pub fn new(allocation: u64, duration_ns: u64, capacity: u64) -> Self {
        Self { allocation: allocation.into(), duration: duration_ns.into(), capacity: capacity.into() }
    }

    /// The level of a full pool.
    pub fn full(self) -> i128 {
        self.capacity * self.duration
    }

    /// The deepest debt.
    pub fn floor(self) -> i128 {
        -DEBT_MAX * self.duration
    }

    /// Token·nanoseconds of so many tokens.
    pub fn worth(self, tokens: u64) -> i128 {
        i128::from(tokens) * self.duration
    }

    /// What drips in so many nanoseconds.
    pub fn drip(self, elapsed: i128) -> i128 {
        self.allocation * elapsed
    }

    /// A level of a pool with these terms, under other ones: the same whole tokens, and the fraction rounded down
    /// (semantics 7.2).
    pub fn carry(self, level: i128, other: Self) -> i128 {
        let (tokens, rest) = (level.div_euclid(self.duration), level.rem_euclid(self.duration));
        let carried = tokens * other.duration + rest * other.duration / self.duration;
        carried.clamp(other.floor(), other.full())
    }

    /// An amount of these token·nanoseconds.
    pub fn amount(self, token_nanos: i128) -> Amount {
        Amount { token_nanos, duration: self.duration }
    }
}

/// So many tokens, as a fraction; written with three decimals, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The numerator.
    pub token_nanos: i128,
    /// The denominator: token·nanoseconds of one token.
    pub duration: i128,
}

impl Amount {
    /// Thousandths of a token, rounded down.
    pub fn milli(self) -> i128 {
        let (tokens, rest) = (self.token_nanos.div_euclid(self.duration), self.token_nanos.rem_euclid(self.duration));
        tokens * 1000 + rest * 1000 / self.duration
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milli = self.milli();
        let sign = if milli < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:03}", milli.unsigned_abs() / 1000, milli.unsigned_abs() % 1000);
        f.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_down_also_below_zero() {
        let text = |token_nanos| Amount { token_nanos, duration: 3000 }.to_string();
        let texts = [0, 3000, 4500, 2, 3, -1, -3000, -3001].map(text);
        assert_eq!(texts, ["0", "1", "1.5", "0", "0.001", "-0.001", "-1", "-1.001"]);
    }

    #[test]
    fn a_level_is_carried_over_by_whole_tokens_and_a_fraction_rounded_down() {
        let (old, new) = (Terms::new(1, 10, 5), Terms::new(1, 7, 3));
        assert_eq!(old.carry(25, new), 2 * 7 + 3);
        assert_eq!(old.carry(-25, new), -3 * 7 + 3);
        assert_eq!(old.carry(50, new), 21);
        assert_eq!(old.carry(29, Terms::new(1, 1, 3)), 2);
    }
}
