//! The units everything is counted in: ids, tokens, instants and durations.
//!
//! All are integers; nothing here reads a clock or rounds. Instants saturate instead of overflowing (semantics 2.5).

use std::fmt;
use std::ops::{Add, Sub};

/// Tokens of a budget: a cost, an allocation, a burst or a reported use. At most [`Tokens::MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub u64);

impl Tokens {
    /// The largest allocation, burst, cost or use (semantics 2.5).
    pub const MAX: Self = Self(1_000_000_000_000);
    /// The cost of a binding that names none.
    pub const ONE: Self = Self(1);
}

/// An instant: nanoseconds since the Unix epoch. Arithmetic saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Later than every deadline.
    pub const MAX: Self = Self(i64::MAX);

    /// Nanoseconds from `earlier` to `self`; zero where `earlier` is the later one.
    pub fn since(self, earlier: Self) -> Nanos {
        Nanos(u64::try_from(i128::from(self.0) - i128::from(earlier.0)).unwrap_or(0))
    }
}

impl Add<Nanos> for Timestamp {
    type Output = Self;

    fn add(self, span: Nanos) -> Self {
        Self(self.0.saturating_add_unsigned(span.0))
    }
}

impl Sub<Nanos> for Timestamp {
    type Output = Self;

    fn sub(self, span: Nanos) -> Self {
        Self(self.0.saturating_sub_unsigned(span.0))
    }
}

/// A span of time in nanoseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of whole milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// A span of whole hours.
    pub const fn from_hours(h: u64) -> Self {
        Self::from_secs(h * 3600)
    }

    /// A span of whole days.
    pub const fn from_days(d: u64) -> Self {
        Self::from_hours(d * 24)
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A job's id, which is also its sequence: later enqueues have larger ones, and none is ever used twice.
    JobId(u64)
}
id! {
    /// A lease's id, the fencing token of one attempt: later dispatches have larger ones, and none is ever used twice.
    LeaseId(u64)
}
id! {
    /// The number under which a budget's policy and pool are stored; its key maps to it. None is ever used twice.
    BudgetId(u64)
}
id! {
    /// One open `Dispatch` stream or one waiting `LeaseJobs` call. Lives as long as it is open, never stored.
    SessionId(u64)
}
id! {
    /// A queue's number in memory. Never stored.
    QueueId(u32)
}
id! {
    /// A gate's number in memory: the jobs of one queue that the same workers can be sent. Never stored.
    GateId(u32)
}
id! {
    /// A lane's number in memory. Never stored.
    LaneId(u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Timestamp = Timestamp(i64::MIN);
    const TICK: Nanos = Nanos(1);

    #[test]
    fn instants_saturate_at_both_ends() {
        let table = [
            (Timestamp::MAX - TICK + TICK, Timestamp::MAX),
            (Timestamp::MAX + TICK, Timestamp::MAX),
            (Timestamp(1) + Nanos(u64::MAX), Timestamp::MAX),
            // The widest span reaches from one end to the other, and no farther.
            (FIRST + Nanos(u64::MAX), Timestamp::MAX),
            (FIRST + Nanos(u64::MAX - 1), Timestamp(i64::MAX - 1)),
            (FIRST - TICK, FIRST),
            (FIRST + TICK - TICK, FIRST),
            (Timestamp(-2) - Nanos(u64::MAX), FIRST),
            (Timestamp::MAX - Nanos(u64::MAX), FIRST),
            (Timestamp::MAX - Nanos(u64::MAX - 1), Timestamp(i64::MIN + 1)),
        ];
        for (line, (computed, expected)) in table.into_iter().enumerate() {
            assert_eq!(computed, expected, "line {line}");
        }
    }

    #[test]
    fn a_span_is_exact_and_never_negative() {
        let table = [
            (Timestamp(5), Timestamp(3), Nanos(2)),
            (Timestamp(5), Timestamp(5), Nanos::ZERO),
            (Timestamp(5), Timestamp(6), Nanos::ZERO),
            (Timestamp(1), Timestamp(-1), Nanos(2)),
            (Timestamp::MAX, FIRST, Nanos(u64::MAX)),
            (Timestamp::MAX - TICK, FIRST, Nanos(u64::MAX - 1)),
            (FIRST, Timestamp::MAX, Nanos::ZERO),
        ];
        for (later, earlier, span) in table {
            assert_eq!(later.since(earlier), span, "from {earlier:?} to {later:?}");
        }
    }

    #[test]
    fn spans_convert_exactly() {
        assert_eq!(Nanos::from_millis(1000), Nanos::from_secs(1));
        assert_eq!(Nanos::from_secs(3600), Nanos::from_hours(1));
        assert_eq!(Nanos::from_hours(24), Nanos::from_days(1));
        assert_eq!(Nanos::from_days(366), Nanos(31_622_400_000_000_000));
    }
}
