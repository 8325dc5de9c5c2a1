//! Whether a worker has anything to do, and since when it hasn't.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Counts the jobs at work.
#[derive(Debug)]
pub(super) struct Activity {
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    busy: usize,
    /// When a job last began or ended.
    since: Instant,
}

/// A job at work, as long as it is there.
#[derive(Debug)]
pub(super) struct Working<'a>(&'a Activity);

impl Default for Activity {
    fn default() -> Self {
        Self { state: watch::Sender::new(State { busy: 0, since: Instant::now() }) }
    }
}

impl Activity {
    /// A job begins.
    pub fn begin(&self) -> Working<'_> {
        self.change(|busy| busy + 1);
        Working(self)
    }

    /// Completes once no job has been at work for this long, all the time of which `is_connected` could have brought one.
    pub async fn idle_for(&self, idle: Duration, is_connected: impl Fn() -> bool) {
        let mut changes = self.state.subscribe();
        let mut connected_since = Instant::now();
        loop {
            let State { busy, since } = *changes.borrow_and_update();
            let until = since.max(connected_since) + idle;
            tokio::select! {
                changed = changes.changed() => changed.expect("the sender is borrowed meanwhile"),
                () = sleep_until(until), if busy == 0 => {
                    if is_connected() {
                        return;
                    }
                    connected_since = Instant::now();
                }
            }
        }
    }

    fn change(&self, change: impl FnOnce(usize) -> usize) {
        self.state.send_modify(|state| *state = State { busy: change(state.busy), since: Instant::now() });
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.change(|busy| busy - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use tokio::time::sleep;

    const IDLE: Duration = Duration::from_secs(5);
    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn idleness_is_counted_from_the_end_of_the_last_job() {
        let activity = Activity::default();
        let start = Instant::now();
        let work = async {
            sleep(3 * SECOND).await;
            let first = activity.begin();
            let second = activity.begin();
            sleep(20 * SECOND).await;
            drop(first);
            sleep(20 * SECOND).await;
            drop(second);
        };
        tokio::join!(work, activity.idle_for(IDLE, || true));
        assert_eq!(start.elapsed(), 43 * SECOND + IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_connection_nobody_is_idle() {
        let activity = Activity::default();
        let start = Instant::now();
        let asked = Cell::new(0);
        let connected_at_the_third_time = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        activity.idle_for(IDLE, connected_at_the_third_time).await;
        assert_eq!(start.elapsed(), 3 * IDLE);
    }
}
