//! How long a failed job waits for its next attempt (semantics 6.3).
//!
//! Knows a backoff, a job's id and an attempt's number; nothing of jobs, leases or the clock. The
//! jitter is a hash of job and attempt, so a replay waits exactly as long as the first run did.

use super::job::Backoff;
use super::mix::mix;
use super::units::{JobId, Nanos};

/// Fractional bits of a nanosecond that growth is computed with.
const FRACTION_BITS: u32 = 32;

/// The delay after failed attempt number `attempt`, from 1 (0 counts as 1):
/// `min(initial · (multiplier_percent / 100)^(attempt − 1), max)`, rounded down, less a share of it
/// from `0..=jitter_percent` percent, whose upper end is rounded down too (semantics 6.3).
///
/// The share depends on `job` and `attempt` alone, and is spread evenly. Any input is fine: shares
/// above 100 percent count as 100, and nothing overflows.
pub fn delay(backoff: &Backoff, job: JobId, attempt: u32) -> Nanos {
    let Nanos(longest) = grown(backoff, attempt);
    let cut_max = u128::from(longest) * u128::from(backoff.jitter_percent.min(100)) / 100;
    let hash = mix(mix(job.0) ^ u64::from(attempt));
    // The high half of a product maps the hash onto 0..=cut_max, rounding down, without a division.
    let cut = (u128::from(hash) * (cut_max + 1)) >> 64;
    Nanos(longest - u64::try_from(cut).expect("a share is at most the whole"))
}

/// The delay before jitter.
///
/// Each step rounds down, at 2⁻³² ns: far below a nanosecond, so that small delays grow at all. The
/// loop ends early at the cap or where a step changes nothing; between the two lie at most some
/// thousand steps, at one percent of growth from one nanosecond to a day.
fn grown(backoff: &Backoff, attempt: u32) -> Nanos {
    // No step overflows: value ≤ max < 2⁶⁴ ns is below 2⁹⁶ in this unit, and a multiplier below 2³².
    let fixed = |span: Nanos| u128::from(span.0) << FRACTION_BITS;
    let max = fixed(backoff.max);
    let mut value = fixed(backoff.initial).min(max);
    for _ in 1..attempt {
        let next = (value * u128::from(backoff.multiplier_percent) / 100).min(max);
        if next == value {
            break;
        }
        value = next;
    }
    Nanos(u64::try_from(value >> FRACTION_BITS).expect("a delay is at most the cap"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const DAY: u64 = Nanos::from_days(1).0;

    fn backoff(initial: u64, max: u64, multiplier_percent: u32, jitter_percent: u32) -> Backoff {
        Backoff { initial: Nanos(initial), max: Nanos(max), multiplier_percent, jitter_percent }
    }

    #[test]
    fn grows_to_the_cap() {
        let s = Nanos::from_secs(1).0;
        // (initial, max, multiplier, attempt) → delay without jitter
        let table = [
            ((s, 3600 * s, 200, 0), s),
            ((s, 3600 * s, 200, 1), s),
            ((s, 3600 * s, 200, 2), 2 * s),
            ((s, 3600 * s, 200, 12), 2048 * s),
            ((s, 3600 * s, 200, 13), 3600 * s),
            ((s, 3600 * s, 200, u32::MAX), 3600 * s),
            ((s, 4 * s, 200, 3), 4 * s),
            ((s, 4 * s - 1, 200, 3), 4 * s - 1),
            ((s, 4 * s + 1, 200, 3), 4 * s),
            ((s, 3600 * s, 110, 10), 2_357_947_691),
            ((s, 3600 * s, 150, 4), 3_375_000_000),
            // Rounded down: 3·1.5 = 4.5 and 3·1.5² = 6.75, not 1.5·4 = 6.
            ((3, s, 150, 2), 4),
            ((3, s, 150, 3), 6),
            ((3, s, 150, 4), 10),
            // One nanosecond isn't stuck at one.
            ((1, DAY, 150, 2), 1),
            ((1, DAY, 150, 3), 2),
            ((1, DAY, 101, 71), 2),
            ((s, 3600 * s, 100, u32::MAX), s),
            ((5 * s, 2 * s, 200, 1), 2 * s),
            ((0, 3600 * s, 1000, 1000), 0),
            ((s, 0, 200, 5), 0),
            ((u64::MAX, u64::MAX, u32::MAX, u32::MAX), u64::MAX),
        ];
        for ((initial, max, multiplier, attempt), expected) in table {
            let backoff = backoff(initial, max, multiplier, 0);
            assert_eq!(delay(&backoff, JobId(7), attempt), Nanos(expected), "{backoff:?} at {attempt}");
        }
    }

    #[test]
    fn jitter_reaches_both_ends_and_nothing_beyond() {
        // Ten values are possible: 91..=100.
        let backoff = backoff(100, 100, 100, 9);
        let seen: BTreeSet<u64> = (0..1000).map(|job| delay(&backoff, JobId(job), 1).0).collect();
        assert_eq!(seen, (91..=100).collect());
        // Nine percent of 99 is 8.91: rounded down, the shortest is 91.
        let odd = Backoff { initial: Nanos(99), ..backoff };
        let seen: BTreeSet<u64> = (0..1000).map(|job| delay(&odd, JobId(job), 1).0).collect();
        assert_eq!(seen, (91..=99).collect());
    }

    #[test]
    fn jitter_differs_by_job_and_by_attempt_and_repeats() {
        let backoff = backoff(DAY, DAY, 100, 100);
        let all: BTreeSet<Nanos> =
            (0..100).flat_map(|job| (1..=10).map(move |attempt| delay(&backoff, JobId(job), attempt))).collect();
        assert_eq!(all.len(), 1000, "a hash of 64 bits meets itself in a thousand draws");
        assert_eq!(delay(&backoff, JobId(3), 4), delay(&backoff, JobId(3), 4));
    }

    proptest! {
        #[test]
        fn stays_within_its_bounds(
            initial in 0..=DAY,
            max in 0..=DAY,
            multiplier in 100..=1000_u32,
            jitter in 0..=100_u32,
            job: u64,
            attempt in 1..=1000_u32,
        ) {
            let longest = delay(&backoff(initial, max, multiplier, 0), JobId(job), attempt).0;
            let jittered = delay(&backoff(initial, max, multiplier, jitter), JobId(job), attempt).0;
            let share = u128::from(longest) * u128::from(jitter) / 100;
            prop_assert!(jittered <= longest);
            prop_assert!(u128::from(longest - jittered) <= share);
            prop_assert!(longest <= max);
            prop_assert!(longest >= initial.min(max));
        }

        #[test]
        fn is_the_exact_power_rounded_down(
            initial in Nanos::from_millis(10).0..=DAY,
            multiplier in 100..=1000_u32,
            attempt in 1..=9_u32,
        ) {
            let power = |base: u32| u128::from(base).pow(attempt - 1);
            let exact = u128::from(initial) * power(multiplier) / power(100);
            let exact = u64::try_from(exact).unwrap_or(u64::MAX).min(DAY);
            let computed = delay(&backoff(initial, DAY, multiplier, 0), JobId(0), attempt).0;
            // Where the exact delay lies within the lost fraction above a whole nanosecond, one less.
            prop_assert!(computed == exact || computed + 1 == exact, "{computed} for {exact}");
        }

        #[test]
        fn takes_any_input(initial: u64, max: u64, multiplier: u32, jitter: u32, job: u64, attempt: u32) {
            let delay = delay(&backoff(initial, max, multiplier, jitter), JobId(job), attempt);
            prop_assert!(delay <= Nanos(max));
        }
    }
}
