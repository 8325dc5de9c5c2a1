//! The load's own watch: what was done between two instants, and how long each piece of it took.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

/// The longest time that a histogram tells from longer ones.
const LONGEST: Duration = Duration::from_secs(600);

/// Between two looks at how many jobs are done.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A histogram of nanoseconds.
pub fn times() -> Histogram<u64> {
    let longest = u64::try_from(LONGEST.as_nanos()).expect("ten minutes are less than 2^64 ns");
    Histogram::new_with_bounds(1, longest, 3).expect("the bounds are in order")
}

/// Counts while it is open. Cheap to clone; clones count together.
#[derive(Clone)]
pub struct Meter(Rc<RefCell<Open>>);

struct Open {
    is_open: bool,
    jobs: u64,
    times: Histogram<u64>,
}

/// What a meter has counted.
pub struct Reading {
    /// Jobs done.
    pub jobs: u64,
    /// How long each call or delivery took, in ns.
    pub times: Histogram<u64>,
}

impl Meter {
    /// One that is closed.
    pub fn new() -> Self {
        Self(Rc::new(RefCell::new(Open { is_open: false, jobs: 0, times: times() })))
    }

    /// Counts from now on.
    pub fn open(&self) {
        self.0.borrow_mut().is_open = true;
    }

    /// Counts no more, and says what was counted.
    pub fn close(&self) -> Reading {
        let mut open = self.0.borrow_mut();
        open.is_open = false;
        Reading { jobs: open.jobs, times: open.times.clone() }
    }

    /// Jobs counted so far.
    pub fn jobs(&self) -> u64 {
        self.0.borrow().jobs
    }

    /// Waits until so many jobs are counted.
    pub async fn reaches(&self, jobs: u64) {
        while self.jobs() < jobs {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Counts jobs.
    pub fn add_jobs(&self, jobs: u64) {
        let mut open = self.0.borrow_mut();
        if open.is_open {
            open.jobs += jobs;
        }
    }

    /// Counts one time, from `since` to now.
    pub fn add_time(&self, since: Instant) {
        let mut open = self.0.borrow_mut();
        if open.is_open {
            let nanos = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
            open.times.saturating_record(nanos);
        }
    }
}
