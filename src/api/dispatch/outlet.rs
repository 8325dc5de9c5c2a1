//! Where a stream's frames leave its task for the transport, and how the stream ends.
//!
//! The end travels apart from the frames, so that it needs no room among those that a slow worker hasn't taken.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tonic::Status;

use crate::api::proto as pb;

/// How many frames wait for the transport. Few: what waits longer is gathered into larger ones.
const FRAMES_WAITING_MAX: usize = 2;

/// Where frames go. They are boxed, as a channel has room for 32 at once, however few may wait in it.
pub type FrameSender = mpsc::Sender<Box<pb::DispatchResponse>>;

/// The task's side.
pub struct Inlet {
    /// Takes frames as the transport takes them. Closed once the worker is gone.
    pub frames: FrameSender,
    end: oneshot::Sender<Status>,
}

impl Inlet {
    /// Ends the stream with a status, after the frames that wait. An inlet that is dropped ends it with OK.
    pub fn end_with(self, status: Status) {
        // A worker that is gone needs no status.
        let _ = self.end.send(status);
    }
}

/// The transport's side: frames, then the end.
pub struct Outlet {
    frames: mpsc::Receiver<Box<pb::DispatchResponse>>,
    end: Option<oneshot::Receiver<Status>>,
}

/// Both sides.
pub fn outlet() -> (Inlet, Outlet) {
    let (frames, waiting) = mpsc::channel(FRAMES_WAITING_MAX);
    let (end, ended) = oneshot::channel();
    let outlet = Outlet { frames: waiting, end: Some(ended) };
    (Inlet { frames, end }, outlet)
}

impl Stream for Outlet {
    type Item = Result<pb::DispatchResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(frame) = ready!(self.frames.poll_recv(cx)) {
            return Poll::Ready(Some(Ok(*frame)));
        }
        let Some(end) = &mut self.end else {
            return Poll::Ready(None);
        };
        let status = ready!(Pin::new(end).poll(cx)).ok();
        self.end = None;
        Poll::Ready(status.map(Err))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_stream::StreamExt;

    #[tokio::test]
    async fn the_end_comes_after_the_frames_that_wait() {
        let (inlet, mut outlet) = outlet();
        for _ in 0..FRAMES_WAITING_MAX {
            let sent = inlet.frames.try_send(Box::default());
            assert!(sent.is_ok());
        }
        let full = inlet.frames.try_send(Box::default());
        assert!(full.is_err());
        inlet.end_with(Status::aborted("x"));
        for _ in 0..FRAMES_WAITING_MAX {
            assert!(matches!(outlet.next().await, Some(Ok(_))));
        }
        let end = outlet.next().await;
        assert_eq!(end.unwrap().unwrap_err().code(), tonic::Code::Aborted);
        assert!(outlet.next().await.is_none());
    }

    #[tokio::test]
    async fn a_dropped_inlet_ends_with_ok() {
        let (inlet, mut outlet) = outlet();
        drop(inlet);
        assert!(outlet.next().await.is_none());
        assert!(outlet.next().await.is_none());
    }
}
