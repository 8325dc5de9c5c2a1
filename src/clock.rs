//! The time: the only place that reads it.
//!
//! Owns what `now` is, and that it never goes back (semantics 11.1). Refuses to know what anybody does at which
//! instant: the scheduler is told (semantics 11.2), and whoever sleeps computes how long from [`Clock::now`].

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use crate::scheduler::units::{Nanos, Timestamp};

/// Where time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The time now. No call, on any thread, answers less than one that had returned before (semantics 11.1).
    fn now(&self) -> Timestamp;
}

/// The machine's time (semantics 11.1): the wall clock at its making plus a monotonic clock, stepping forward to a
/// wall clock more than a second ahead, as it is after a suspend or a correction. A wall clock that is set back,
/// or is ahead by less, changes nothing.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
    steps: Steps,
}

impl SystemClock {
    /// A clock that starts at the wall clock's time.
    pub fn new() -> Self {
        Self { start: Instant::now(), steps: Steps::new(wall_clock()) }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let passed = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.steps.now(Nanos(passed), wall_clock())
    }
}

/// The wall clock's time, which may jump either way. It saturates 292 years from 1970.
fn wall_clock() -> Timestamp {
    match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => Timestamp(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)),
        Err(before) => {
            let until = i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX);
            Timestamp(-until)
        }
    }
}

/// The rule of semantics 11.1, without the two clocks it is about.
#[derive(Debug)]
struct Steps {
    /// What the monotonic clock's reading is counted from; grows with each step.
    base: AtomicI64,
    /// The latest answer. Two threads may read the monotonic clock in one order and answer in the other.
    latest: AtomicI64,
}

impl Steps {
    /// A wall clock this far ahead is ordinary drift; one nanosecond more is a step.
    const DRIFT_MAX: Nanos = Nanos::from_secs(1);

    fn new(wall: Timestamp) -> Self {
        Self { base: AtomicI64::new(wall.0), latest: AtomicI64::new(wall.0) }
    }

    /// The time when the monotonic clock had counted `passed` and the wall clock showed `wall`.
    fn now(&self, passed: Nanos, wall: Timestamp) -> Timestamp {
        let mut now = Timestamp(self.base.load(Ordering::Acquire)) + passed;
        if wall > now + Self::DRIFT_MAX {
            self.base.fetch_max((wall - passed).0, Ordering::AcqRel);
            now = wall;
        }
        let latest = self.latest.fetch_max(now.0, Ordering::AcqRel);
        now.max(Timestamp(latest))
    }
}

/// A clock that stands still until it is moved. For tests. Whoever sleeps until a deadline looks at its clock at least
/// once a second, so moving it wakes nobody by itself.
#[derive(Debug, Default)]
pub struct ManualClock {
    now: Mutex<Timestamp>,
}

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self { now: Mutex::new(start) }
    }

    /// Moves the time forward. Saturates.
    pub fn advance(&self, span: Nanos) {
        let mut now = self.hand();
        *now = *now + span;
    }

    /// A hand is never half moved, so a panic elsewhere leaves it usable.
    fn hand(&self) -> MutexGuard<'_, Timestamp> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.hand()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_000_000_000_000);
    const S: u64 = 1_000_000_000;

    #[test]
    fn time_is_the_wall_clock_at_the_start_plus_what_has_passed() {
        let steps = Steps::new(START);
        assert_eq!(steps.now(Nanos(0), START), START);
        assert_eq!(steps.now(Nanos(7), START + Nanos(7)), START + Nanos(7));
    }

    #[test]
    fn a_wall_clock_one_second_ahead_is_drift_and_one_tick_more_is_a_step() {
        let steps = Steps::new(START);
        let passed = Nanos(5 * S);
        let now = START + passed;

        assert_eq!(steps.now(passed, now + Nanos(S)), now);
        assert_eq!(steps.now(passed, now + Nanos(S + 1)), now + Nanos(S + 1));
    }

    #[test]
    fn a_step_lasts() {
        let steps = Steps::new(START);
        let after_suspend = START + Nanos(3600 * S);
        assert_eq!(steps.now(Nanos(S), after_suspend), after_suspend);
        assert_eq!(steps.now(Nanos(S + 1), after_suspend + Nanos(1)), after_suspend + Nanos(1));
        assert_eq!(
            steps.now(Nanos(2 * S), START),
            after_suspend + Nanos(S),
            "a wall clock set back again undoes nothing"
        );
    }

    #[test]
    fn a_wall_clock_set_back_changes_nothing() {
        let steps = Steps::new(START);
        assert_eq!(steps.now(Nanos(1), Timestamp(i64::MIN)), START + Nanos(1));
    }

    #[test]
    fn a_late_answer_is_no_earlier_than_those_before_it() {
        let steps = Steps::new(START);
        assert_eq!(steps.now(Nanos(10), START), START + Nanos(10));
        assert_eq!(steps.now(Nanos(9), START), START + Nanos(10), "read before the one above, answered after it");
    }

    #[test]
    fn the_end_of_time_saturates() {
        let steps = Steps::new(Timestamp(i64::MAX - 1));
        assert_eq!(steps.now(Nanos(u64::MAX), Timestamp::MAX), Timestamp::MAX);
    }

    #[test]
    fn no_thread_sees_time_go_back() {
        let clock = SystemClock::new();
        let seen = AtomicI64::new(i64::MIN);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        let before = seen.load(Ordering::Acquire);
                        let now = clock.now().0;
                        assert!(now >= before, "{now} came after {before}");
                        seen.fetch_max(now, Ordering::AcqRel);
                    }
                });
            }
        });
    }

    #[test]
    fn the_system_clock_starts_at_the_wall_clock() {
        let before = wall_clock();
        let now = SystemClock::new().now();
        assert!(now >= before, "{now:?} is before {before:?}");
    }

    #[test]
    fn a_manual_clock_moves_when_told() {
        let clock = ManualClock::new(START);
        assert_eq!(clock.now(), START);
        clock.advance(Nanos(3));
        assert_eq!(clock.now(), START + Nanos(3));
        clock.advance(Nanos(u64::MAX));
        assert_eq!(clock.now(), Timestamp::MAX);
    }
}
