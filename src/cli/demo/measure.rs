//! What really happened, measured where the work was done: so that the board need not be believed.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::cli::output;

/// Counts what the budgets limit.
#[derive(Debug, Default)]
pub(super) struct Measured {
    at_once: AtomicU64,
    at_once_peak: AtomicU64,
    starts: Mutex<Vec<SystemTime>>,
}

/// A job that holds a slot, as long as it is there.
pub(super) struct Slot<'a>(&'a Measured);

impl Measured {
    /// A job that holds a slot begins.
    pub fn begin_slot(&self) -> Slot<'_> {
        let at_once = self.at_once.fetch_add(1, Relaxed) + 1;
        self.at_once_peak.fetch_max(at_once, Relaxed);
        Slot(self)
    }

    /// A job that counts against the rate was dispatched at this instant of the server's clock.
    pub fn started(&self, dispatch_time: Option<SystemTime>) {
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        starts.extend(dispatch_time);
    }

    /// Says what was measured, beside what was allowed.
    pub fn summary(&self, took: Duration, at_once_allowed: u64, per_second_allowed: u64) -> io::Result<()> {
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        starts.sort_unstable();
        let busiest = most_within(&starts, Duration::from_secs(1));
        output::line(format_args!("\nMeasured by the worker, in {:.1} s:", took.as_secs_f64()))?;
        output::line(format_args!(
            "  slots  most jobs at once        {:>3}, allowed {at_once_allowed:>3}",
            self.at_once_peak.load(Relaxed)
        ))?;
        output::line(format_args!(
            "  rate   most in any one second   {busiest:>3}, allowed {per_second_allowed:>3} (burst + 1 s of drip)"
        ))
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.at_once.fetch_sub(1, Relaxed);
    }
}

/// The most of the sorted instants that lie within any span of this length.
fn most_within(sorted: &[SystemTime], span: Duration) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, instant) in sorted.iter().enumerate() {
        while sorted[first] + span <= *instant {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_span_is_found() {
        let at = |ms: &[u64]| -> Vec<SystemTime> {
            ms.iter().map(|ms| SystemTime::UNIX_EPOCH + Duration::from_millis(*ms)).collect()
        };
        let second = Duration::from_secs(1);
        assert_eq!(most_within(&[], second), 0);
        assert_eq!(most_within(&at(&[5]), second), 1);
        assert_eq!(most_within(&at(&[0, 999, 1000, 1998]), second), 3);
        assert_eq!(most_within(&at(&[0, 1000, 2000]), second), 1);
    }

    #[test]
    fn slots_are_counted_while_they_are_held() {
        let measured = Measured::default();
        let first = measured.begin_slot();
        drop(measured.begin_slot());
        drop(first);
        drop(measured.begin_slot());
        assert_eq!(measured.at_once_peak.load(Relaxed), 2);
        assert_eq!(measured.at_once.load(Relaxed), 0);
    }
}
