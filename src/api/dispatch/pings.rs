//! Stream pings: when this side has to say that it is there, and when the other has been silent for too long.

use std::future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// After how many intervals without a sound a side is taken as gone.
const SILENT_INTERVALS: u32 = 3;

/// The pings of one stream; of one without, nothing is ever due.
pub struct Pings(Option<Timers>);

struct Timers {
    interval: Duration,
    ping: Pin<Box<Sleep>>,
    silence: Pin<Box<Sleep>>,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing was sent for an interval.
    Ping,
    /// Nothing was heard for three.
    Silence,
}

impl Pings {
    /// Pings at this interval, from now; `None`: none.
    pub fn new(interval: Option<Duration>) -> Self {
        Self(interval.map(|interval| Timers {
            interval,
            ping: Box::pin(sleep(interval)),
            silence: Box::pin(sleep(interval * SILENT_INTERVALS)),
        }))
    }

    /// Something was sent.
    pub fn sent(&mut self) {
        if let Some(timers) = &mut self.0 {
            timers.ping.set(sleep(timers.interval));
        }
    }

    /// Something was heard, or nobody listened.
    pub fn heard(&mut self) {
        if let Some(timers) = &mut self.0 {
            timers.silence.set(sleep(timers.interval * SILENT_INTERVALS));
        }
    }

    /// Waits until something is due. It is due again at once unless [`Pings::sent`] or [`Pings::heard`] is told.
    pub async fn due(&mut self) -> Due {
        let Some(timers) = &mut self.0 else {
            return future::pending().await;
        };
        tokio::select! {
            biased;
            () = &mut timers.silence => Due::Silence,
            () = &mut timers.ping => Due::Ping,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn whoever_asked_for_none_gets_none() {
        let mut pings = Pings::new(None);
        pings.sent();
        pings.heard();
        assert_eq!(pings.due().now_or_never(), None);
    }

    #[tokio::test]
    async fn nothing_is_due_within_the_interval() {
        let mut pings = Pings::new(Some(Duration::from_secs(600)));
        assert_eq!(pings.due().now_or_never(), None);
    }

    #[tokio::test]
    async fn silence_ends_what_a_ping_would_prolong() {
        let mut pings = Pings::new(Some(Duration::ZERO));
        assert_eq!(pings.due().await, Due::Silence);
        assert_eq!(pings.due().await, Due::Silence);
    }
}
