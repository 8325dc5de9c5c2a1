//! What is being sent: in small pieces, taken within a time, and bounded as a whole.
//!
//! HTTP/2 keeps what it was given until the peer takes it, so it is given little at a time. What complete answers hold beyond
//! that is counted; while clients leave too much of it untaken, large answers are dropped.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tonic::Status;
use tonic::codegen::http::HeaderMap;

use super::cut::Cut;

/// How much of an answer is given to HTTP/2 at once, in bytes.
const PIECE_BYTES: usize = 16 << 10;
/// How long the peer of an answer that is complete may take nothing of it.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);
/// What answers may hold that isn't taken, all together, in bytes.
const UNTAKEN_BYTES_MAX: usize = 128 << 20;

/// What the answers of one server hold.
#[derive(Clone, Debug, Default)]
pub struct Untaken(Arc<AtomicUsize>);

impl Untaken {
    /// The body of an answer to which more may come at any time.
    pub fn stream<B: Body>(&self, inner: B) -> Pieces<B> {
        Pieces { inner, cut: None, first: None, rest: Bytes::new(), untaken: self.clone(), is_dropped: false }
    }

    /// The body of an answer that is complete. `cut` ends its stream where its peer takes nothing of it. Its message is
    /// taken over at once: what waits for its turn on a connection counts, too.
    pub async fn complete<B: Body<Data = Bytes> + Unpin>(&self, inner: B, cut: Cut) -> Pieces<B> {
        let mut pieces = self.stream(inner);
        pieces.cut = Some(cut);
        pieces.expect_progress();
        match pieces.inner.frame().await {
            Some(Ok(frame)) => pieces.take_in(frame),
            Some(Err(error)) => pieces.first = Some(Err(error)),
            None => {}
        }
        pieces
    }

    fn is_too_much(&self) -> bool {
        self.0.load(Ordering::Relaxed) > UNTAKEN_BYTES_MAX
    }
}

/// A response body in pieces.
pub struct Pieces<B: Body> {
    inner: B,
    cut: Option<Cut>,
    /// What goes before all else.
    first: Option<Result<Frame<Bytes>, B::Error>>,
    /// What is to be given out.
    rest: Bytes,
    untaken: Untaken,
    /// There is no room for the answer; all that is left is to say so.
    is_dropped: bool,
}

impl<B: Body> Pieces<B> {
    fn expect_progress(&self) {
        if let Some(cut) = &self.cut {
            cut.after(TAKEN_WITHIN);
        }
    }

    /// Takes in what is to be given out, unless it is a large answer and there is no room for it.
    fn take_in(&mut self, frame: Frame<Bytes>) {
        let data = match frame.into_data() {
            Ok(data) => data,
            Err(trailers) => {
                self.first = Some(Ok(trailers));
                return;
            }
        };
        self.is_dropped = self.cut.is_some() && data.len() > PIECE_BYTES && self.untaken.is_too_much();
        if self.is_dropped {
            self.first = Some(Ok(Self::no_answer()));
        } else {
            self.rest = data;
            self.count(self.rest.len(), 0);
        }
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        self.expect_progress();
        let piece = self.rest.split_to(PIECE_BYTES.min(self.rest.len()));
        self.count(0, piece.len());
        Frame::data(piece)
    }

    /// What a stream holds is bounded by its worker's window, and isn't counted here.
    fn count(&self, more: usize, less: usize) {
        if self.cut.is_some() {
            self.untaken.0.fetch_add(more, Ordering::Relaxed);
            self.untaken.0.fetch_sub(less, Ordering::Relaxed);
        }
    }

    /// The end of a dropped answer. The call may have changed something, so it isn't called refused.
    fn no_answer() -> Frame<Bytes> {
        let mut trailers = HeaderMap::new();
        let words = "answers that nobody reads leave no room for this one; what became of the call is unknown";
        Status::unavailable(words).add_header(&mut trailers).expect("plain words make a header");
        Frame::trailers(trailers)
    }
}

impl<B: Body> Drop for Pieces<B> {
    fn drop(&mut self) {
        self.count(0, self.rest.len());
    }
}

impl<B> Body for Pieces<B>
where
    B: Body<Data = Bytes, Error: Unpin> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        if self.is_dropped {
            return Poll::Ready(None);
        }
        if self.rest.is_empty() {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(cx)?) else { return Poll::Ready(None) };
            self.take_in(frame);
            if let Some(first) = self.first.take() {
                return Poll::Ready(Some(first));
            }
        }
        Poll::Ready(Some(Ok(self.next_piece())))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && (self.is_dropped || self.rest.is_empty() && self.inner.is_end_stream())
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
        for is_complete in [false, true] {
            let untaken = Untaken::default();
            let whole = body(&[1, 2 * PIECE_BYTES, PIECE_BYTES + 1, 0]);
            let pieces =
                if is_complete { untaken.complete(whole, Cut::default()).await } else { untaken.stream(whole) };
            let mut pieces = BodyStream::new(pieces);
            let mut sizes = Vec::new();
            while let Some(Ok(frame)) = pieces.next().await {
                sizes.push(frame.into_data().expect("data").len());
            }
            assert_eq!(sizes, [1, PIECE_BYTES, PIECE_BYTES, PIECE_BYTES, 1, 0]);
            assert_eq!(untaken.0.load(Ordering::Relaxed), 0);
        }
    }

    #[tokio::test]
    async fn what_nobody_takes_is_counted_until_it_is_dropped() {
        let untaken = Untaken::default();
        let large = || body(&[UNTAKEN_BYTES_MAX + 2 * PIECE_BYTES]);
        let mut unread = BodyStream::new(untaken.complete(large(), Cut::default()).await);
        assert!(untaken.is_too_much(), "though nobody has asked for it yet");

        let mut late = untaken.complete(large(), Cut::default()).await;
        let end = late.frame().await.expect("a frame").expect("no error").into_trailers().expect("trailers");
        assert_eq!(end.get("grpc-status").expect("a status"), "14");
        assert!(late.is_end_stream() && late.frame().await.is_none());
        let mut small = untaken.complete(body(&[PIECE_BYTES]), Cut::default()).await;
        assert!(small.frame().await.expect("a frame").expect("no error").is_data(), "it is worth nothing to drop it");
        let mut stream = untaken.stream(body(&[PIECE_BYTES + 1]));
        assert!(stream.frame().await.expect("a frame").expect("no error").is_data(), "streams have their windows");

        let _ = (unread.next().await, unread.next().await);
        assert!(!untaken.is_too_much(), "as much as there may be");
        drop((unread, stream));
        assert_eq!(untaken.0.load(Ordering::Relaxed), 0);
    }
}
