//! How long to wait before the next attempt to connect: exponential, with full jitter, for ever. Reads no clock.

use std::time::Duration;

use rand::RngExt;

/// The most that the first delay may be.
const INITIAL: Duration = Duration::from_millis(100);

/// The most that any delay may be.
const MAX: Duration = Duration::from_secs(10);

/// Delays drawn evenly from 0 to a bound that doubles, so that workers which lost one server don't come back as one.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The next delay.
    pub fn next_delay(&mut self, rng: &mut impl RngExt) -> Duration {
        let bound = self.bound();
        self.failures = self.failures.saturating_add(1);
        rng.random_range(Duration::ZERO..=bound)
    }

    /// Starts anew, after a connection that worked.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    fn bound(&self) -> Duration {
        INITIAL.saturating_mul(2_u32.saturating_pow(self.failures)).min(MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn the_bound_doubles_up_to_the_cap_and_stays_there() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut backoff = Backoff::default();
        let mut bounds = Vec::new();
        for _ in 0..9 {
            bounds.push(backoff.bound().as_millis());
            backoff.next_delay(&mut rng);
        }
        assert_eq!(bounds, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);

        backoff.failures = u32::MAX;
        assert_eq!(backoff.bound(), MAX);
        assert!(backoff.next_delay(&mut rng) <= MAX);
        assert_eq!(backoff.failures, u32::MAX);

        backoff.reset();
        assert_eq!(backoff.bound(), INITIAL);
    }

    #[test]
    fn delays_use_the_whole_range_and_never_leave_it() {
        let mut rng = StdRng::seed_from_u64(2);
        let mut backoff = Backoff { failures: 30 };
        let delays: Vec<Duration> = (0..1000).map(|_| backoff.next_delay(&mut rng)).collect();
        assert!(delays.iter().all(|delay| *delay <= MAX));
        assert!(delays.iter().any(|delay| *delay < MAX / 10));
        assert!(delays.iter().any(|delay| *delay > MAX / 10 * 9));
    }
}
