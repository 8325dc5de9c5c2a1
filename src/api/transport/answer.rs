//! What is being sent: in small pieces, taken within a time, and bounded as a whole.
//!
//! HTTP/2 keeps what it was given until the peer takes it, so it is given little at a time. What answers hold beyond that is
//! counted; while clients leave too much of it untaken, no more calls are answered.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tonic::Status;

use super::cut::Cut;
use crate::api::errors;

/// How much of an answer is given to HTTP/2 at once, in bytes.
const PIECE_BYTES: usize = 16 << 10;
/// How long the peer of an answer that is complete may take nothing of it.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);
/// What answers may hold that isn't taken, all together, in bytes.
const UNTAKEN_BYTES_MAX: usize = 256 << 20;

/// What the answers of one server hold.
#[derive(Clone, Debug, Default)]
pub struct Untaken(Arc<AtomicUsize>);

impl Untaken {
    /// Refuses a call while too much waits to be taken.
    pub fn accepting(&self) -> Result<(), Status> {
        if self.0.load(Ordering::Relaxed) > UNTAKEN_BYTES_MAX {
            return Err(errors::overloaded("bytes of answers that nobody reads", UNTAKEN_BYTES_MAX as u64));
        }
        Ok(())
    }

    /// The body of an answer. `cut` ends its stream where the answer is complete and its peer takes nothing of it; `None`
    /// where more may come at any time.
    pub fn send<B>(&self, inner: B, cut: Option<Cut>) -> Pieces<B> {
        let pieces = Pieces { inner, cut, rest: Bytes::new(), untaken: self.clone() };
        pieces.expect_progress();
        pieces
    }
}

/// A response body in pieces.
pub struct Pieces<B> {
    inner: B,
    cut: Option<Cut>,
    /// What is to be given out.
    rest: Bytes,
    untaken: Untaken,
}

impl<B> Pieces<B> {
    fn expect_progress(&self) {
        if let Some(cut) = &self.cut {
            cut.after(TAKEN_WITHIN);
        }
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        self.expect_progress();
        let piece = self.rest.split_to(PIECE_BYTES.min(self.rest.len()));
        self.untaken.0.fetch_sub(piece.len(), Ordering::Relaxed);
        Frame::data(piece)
    }
}

impl<B> Drop for Pieces<B> {
    fn drop(&mut self) {
        self.untaken.0.fetch_sub(self.rest.len(), Ordering::Relaxed);
    }
}

impl<B> Body for Pieces<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if self.rest.is_empty() {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(cx)?) else { return Poll::Ready(None) };
            match frame.into_data() {
                Ok(data) => {
                    self.untaken.0.fetch_add(data.len(), Ordering::Relaxed);
                    self.rest = data;
                }
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        Poll::Ready(Some(Ok(self.next_piece())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;
    use http_body_util::{BodyStream, StreamBody};

    fn body(sizes: &'static [usize]) -> impl Body<Data = Bytes, Error = std::convert::Infallible> + Unpin {
        let data = sizes.iter().map(|bytes| Ok(Frame::data(Bytes::from(vec![7; *bytes]))));
        StreamBody::new(futures_util::stream::iter(data))
    }

    #[tokio::test]
    async fn an_answer_comes_in_pieces_and_whole() {
        let untaken = Untaken::default();
        let mut pieces = BodyStream::new(untaken.send(body(&[1, 2 * PIECE_BYTES, PIECE_BYTES + 1, 0]), None));
        let mut sizes = Vec::new();
        while let Some(Ok(frame)) = pieces.next().await {
            sizes.push(frame.into_data().expect("data").len());
        }
        assert_eq!(sizes, [1, PIECE_BYTES, PIECE_BYTES, PIECE_BYTES, 1, 0]);
        assert_eq!(untaken.0.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn what_nobody_takes_is_counted_until_it_is_dropped() {
        let untaken = Untaken::default();
        let mut pieces = BodyStream::new(untaken.send(body(&[UNTAKEN_BYTES_MAX + 2 * PIECE_BYTES]), None));
        assert!(untaken.accepting().is_ok());
        let _ = pieces.next().await;
        assert!(untaken.accepting().is_err());
        let _ = pieces.next().await;
        assert!(untaken.accepting().is_ok(), "as much as there may be");
        drop(pieces);
        assert_eq!(untaken.0.load(Ordering::Relaxed), 0);
    }
}
