//! The work for one HTTP/2 stream, and its end where the peer lets it wait.
//!
//! The transport's own work for a stream waits without limit for a peer that takes nothing. It runs here under a time limit
//! that whoever answers the call may set; when the limit is over, the work is dropped, which resets the stream.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

tokio::task_local! {
    static CURRENT: Cut;
}

/// Carries out the transport's work, each stream's under a [`Cut`] of its own.
#[derive(Clone, Copy, Debug)]
pub struct StreamExecutor;

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let cut = Cut::default();
        let serving = CURRENT.scope(cut.clone(), stream);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                _ = serving => {}
                () = cut.due() => tracing::debug!("a stream is reset: its peer takes nothing"),
            }
        });
    }
}

/// When a stream ends even if its peer hasn't taken all of the answer. Never, unless somebody says so.
#[derive(Clone, Debug, Default)]
pub struct Cut(Arc<Limit>);

#[derive(Debug, Default)]
struct Limit {
    at: Mutex<Option<Instant>>,
    changed: Notify,
}

impl Cut {
    /// That of the stream whose call is being answered here. Outside of one: of none, and without effect.
    pub fn current() -> Self {
        CURRENT.try_with(Self::clone).unwrap_or_default()
    }

    /// The stream ends after this time. A later word replaces an earlier one.
    pub fn after(&self, time: Duration) {
        *self.0.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + time);
        self.0.changed.notify_one();
    }

    async fn due(&self) {
        loop {
            let at = *self.0.at.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(at) = at else {
                self.0.changed.notified().await;
                continue;
            };
            tokio::select! {
                () = sleep_until(at) => return,
                () = self.0.changed.notified() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    /// Work that never ends by itself, and tells when it is dropped.
    fn endless() -> (impl Future<Output = ()> + Send, oneshot::Receiver<Cut>, oneshot::Receiver<()>) {
        let (begun, begin) = oneshot::channel();
        let (alive, end) = oneshot::channel::<()>();
        let work = async move {
            let _alive = alive;
            let _ = begun.send(Cut::current());
            std::future::pending().await
        };
        (work, begin, end)
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_lasts_until_its_time_is_over() {
        let (work, begin, mut end) = endless();
        StreamExecutor.execute(work);
        let cut = begin.await.expect("the work begins");
        let start = Instant::now();
        cut.after(Duration::from_secs(5));
        tokio::time::sleep(Duration::from_secs(4)).await;
        cut.after(Duration::from_secs(5));
        assert!((&mut end).await.is_err(), "the work is dropped");
        assert_eq!(start.elapsed().as_secs(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_it_lasts() {
        let (work, begin, end) = endless();
        StreamExecutor.execute(work);
        let _cut = begin.await.expect("the work begins");
        assert!(tokio::time::timeout(Duration::from_secs(86_400), end).await.is_err());
    }
}
