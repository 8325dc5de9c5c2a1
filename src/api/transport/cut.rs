//! The work for one HTTP/2 stream, and its end where the peer lets it wait.
//!
//! The transport's own work for a stream waits without limit for a peer that takes nothing. It runs here under a time limit
//! that whoever answers the call may set; when the limit is over, the work is dropped, which resets the stream.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use hyper::rt::Executor;
use pin_project_lite::pin_project;
use tokio::task::futures::TaskLocalFuture;
use tokio::time::{Instant, Sleep, sleep_until};

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
        tokio::spawn(Serving { work: CURRENT.scope(cut.clone(), stream), cut, timer: None });
    }
}

pin_project! {
    /// The work for one stream, until it is done or its time is over.
    struct Serving<F> {
        #[pin]
        work: TaskLocalFuture<Cut, F>,
        cut: Cut,
        // Made when there is something to wait for: most streams are done as soon as they are answered.
        timer: Option<Pin<Box<Sleep>>>,
    }
}

impl<F: Future> Future for Serving<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        // What the work itself says in this step is looked at below, and needs to wake nobody.
        this.cut.limit().waker = None;
        if this.work.poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let Some(at) = this.cut.watch(cx) else { return Poll::Pending };
        let timer = this.timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if timer.deadline() != at {
            timer.as_mut().reset(at);
        }
        ready!(timer.as_mut().poll(cx));
        tracing::debug!("a stream is reset: its peer takes nothing");
        Poll::Ready(())
    }
}

/// When a stream ends even if its peer hasn't taken all of the answer. Never, unless somebody says so.
#[derive(Clone, Debug, Default)]
pub struct Cut(Arc<Mutex<Limit>>);

#[derive(Debug, Default)]
struct Limit {
    at: Option<Instant>,
    /// Of the stream's task, while it sleeps.
    waker: Option<Waker>,
}

impl Cut {
    /// That of the stream whose call is being answered here. Outside of one: of none, and without effect.
    pub fn current() -> Self {
        CURRENT.try_with(Self::clone).unwrap_or_default()
    }

    /// The stream ends after this time. A later word replaces an earlier one.
    pub fn after(&self, time: Duration) {
        let waker = {
            let mut limit = self.limit();
            limit.at = Some(Instant::now() + time);
            limit.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The limit, of which a change wakes this task.
    fn watch(&self, cx: &Context<'_>) -> Option<Instant> {
        let mut limit = self.limit();
        limit.waker = Some(cx.waker().clone());
        limit.at
    }

    fn limit(&self) -> MutexGuard<'_, Limit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    async fn what_the_work_says_of_itself_counts_too() {
        let (work, _begin, end) = endless();
        let start = Instant::now();
        StreamExecutor.execute(async {
            Cut::current().after(Duration::from_secs(3));
            work.await;
        });
        assert!(end.await.is_err(), "the work is dropped");
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_it_lasts() {
        let (work, begin, end) = endless();
        StreamExecutor.execute(work);
        let _cut = begin.await.expect("the work begins");
        assert!(tokio::time::timeout(Duration::from_secs(86_400), end).await.is_err());
    }
}
