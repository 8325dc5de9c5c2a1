//! The exact level of the one `time_based` budget, replayed from its dispatches (semantics 2.2).

use prost_types::Timestamp;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// Tokens per second, and the most that a pool holds.
#[derive(Clone, Copy)]
pub struct Terms {
    pub per_second: u64,
    pub burst: u64,
}

/// An instant, in nanoseconds of wall time.
pub fn nanos(time: &Timestamp) -> i128 {
    i128::from(time.seconds) * NANOS_PER_SECOND + i128::from(time.nanos)
}

/// Debits a pool that is full at `from`, and returns its level at `until` in whole tokens, rounded down.
///
/// # Errors
/// The first debit that the pool could not pay, with the level in token·nanoseconds that it then had.
pub fn replay(terms: Terms, from: i128, debits: &[(i128, u64)], until: i128) -> Result<i128, String> {
    let full = i128::from(terms.burst) * NANOS_PER_SECOND;
    let drip = |level: i128, nanos: i128| full.min(level + i128::from(terms.per_second) * nanos.max(0));
    let (mut level, mut at) = (full, from);
    for &(time, cost) in debits {
        level = drip(level, time - at);
        at = at.max(time);
        let cost_level = i128::from(cost) * NANOS_PER_SECOND;
        if cost_level > level {
            return Err(format!("a cost of {cost} at {time} ns, when the pool held {level} token·ns"));
        }
        level -= cost_level;
    }
    Ok(drip(level, until - at).div_euclid(NANOS_PER_SECOND))
}

#[test]
fn a_pool_pays_what_it_holds_and_no_token_more() {
    let terms = Terms { per_second: 2, burst: 5 };
    let second = NANOS_PER_SECOND;
    assert_eq!(replay(terms, 0, &[], 0), Ok(5));
    assert_eq!(replay(terms, 0, &[(0, 5)], second / 2), Ok(1));
    assert_eq!(replay(terms, 0, &[(0, 5)], second / 2 - 1), Ok(0));
    assert_eq!(replay(terms, 0, &[(0, 5), (second / 2, 1)], 100 * second), Ok(5));
    assert!(replay(terms, 0, &[(0, 5), (second / 2 - 1, 1)], second).is_err());
    assert!(replay(terms, 0, &[(100 * second, 6)], 100 * second).is_err());
}
