//! What is being received: a bound on all of it together, and a time within which a message that has begun must be there.
//!
//! A message costs what it announces, from its prefix until it is taken, so that every message which is let in can be
//! completed. What finds no room isn't read, which holds its sender back, and is refused if room doesn't come. Small
//! messages have room of their own: large ones never hold them up.
//!
//! Knows the five bytes before each message of gRPC, and nothing of what a message says.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body, Frame};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tonic::Status;
use tonic::codegen::StdError;

use super::framing::Framing;
use crate::api::errors;
use crate::api::server::REQUEST_BYTES_MAX;

/// How long a message may take from its first byte to its last; of a call that sends only one, from the call's beginning to
/// the end of its request.
const MESSAGE_WITHIN: Duration = Duration::from_secs(30);
/// How long a message waits for room before it is refused.
const ROOM_WITHIN: Duration = Duration::from_secs(10);
/// The largest small message.
const SMALL_BYTES_MAX: usize = 64 << 10;
/// The largest frame whose buffer a stream may keep without room for it: of 1 MiB, as clients should gather them, and the
/// largest outcome beyond.
const FREE_BUFFER_BYTES_MAX: usize = (1 << 20) + (128 << 10);
/// Room for small messages, in bytes.
const SMALL_ROOM_BYTES: usize = 32 << 20;
/// Room for larger ones, in bytes: four of the largest.
const LARGE_ROOM_BYTES: usize = 4 * REQUEST_BYTES_MAX;
/// Room for the buffers that streams keep, in bytes.
const BUFFER_ROOM_BYTES: usize = 4 * REQUEST_BYTES_MAX;

/// The room of one server.
#[derive(Clone, Debug)]
pub struct Intake(Arc<Rooms>);

#[derive(Debug)]
struct Rooms {
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
    buffers: Arc<Semaphore>,
}

/// How many messages a call sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// One.
    One,
    /// Any number, at any time.
    Many,
}

impl Default for Intake {
    fn default() -> Self {
        let room = |bytes| Arc::new(Semaphore::new(bytes));
        Self(Arc::new(Rooms {
            small: room(SMALL_ROOM_BYTES),
            large: room(LARGE_ROOM_BYTES),
            buffers: room(BUFFER_ROOM_BYTES),
        }))
    }
}

impl Intake {
    /// The request body `inner`, received under this server's bounds.
    pub fn receive<B>(&self, inner: B, sends: Sends) -> Received<B> {
        let due = (sends == Sends::One).then(Due::begun);
        Received {
            inner,
            intake: self.clone(),
            sends,
            framing: Framing::default(),
            due,
            room: Room::Unneeded,
            data: Bytes::new(),
            next: Bytes::new(),
        }
    }

    /// The room that a message of so many bytes needs.
    fn room_for(&self, bytes: usize, sends: Sends) -> &Arc<Semaphore> {
        if bytes <= SMALL_BYTES_MAX {
            &self.0.small
        } else if sends == Sends::Many && bytes > FREE_BUFFER_BYTES_MAX {
            &self.0.buffers
        } else {
            &self.0.large
        }
    }
}

/// A request body under the bounds of an [`Intake`].
pub struct Received<B> {
    inner: B,
    intake: Intake,
    sends: Sends,
    framing: Framing,
    /// When what has begun must be whole.
    due: Option<Due>,
    room: Room,
    /// What has come, and wasn't looked at yet.
    data: Bytes,
    /// What is to be handed on as soon as there is room.
    next: Bytes,
}

/// When a message that has begun must be whole. Has no timer until somebody waits for it: most messages are there at once.
struct Due {
    at: Instant,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Due {
    /// Of a message that begins now.
    fn begun() -> Self {
        Self { at: Instant::now() + MESSAGE_WITHIN, timer: None }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.timer.get_or_insert_with(|| Box::pin(sleep_until(self.at))).as_mut().poll(cx)
    }
}

/// The room for what has been received.
enum Room {
    Unneeded,
    Awaited { bytes: usize, permit: BoxFuture<'static, OwnedSemaphorePermit>, refused: Pin<Box<Sleep>> },
    Held { bytes: usize, _permit: OwnedSemaphorePermit },
}

impl<B> Received<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<StdError>,
{
    /// The next data, or the trailers, of the sender; late if what has begun isn't whole in time.
    fn poll_inner(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, StdError>>> {
        match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(frame.map(|frame| frame.map_err(Into::into))),
            Poll::Pending => {
                let Some(due) = &mut self.due else { return Poll::Pending };
                ready!(due.poll(cx));
                let late = "the request, or a message on its stream, wasn't whole within 30 s";
                Poll::Ready(Some(Err(Status::deadline_exceeded(late).into())))
            }
        }
    }

    /// What the sender's end is: an error within a message, also where nothing but its prefix is there.
    fn end(&self) -> Option<Result<Frame<Bytes>, StdError>> {
        let torn = || Err(Status::internal("the request ended within a message").into());
        (!self.framing.is_between()).then(torn)
    }

    /// Takes note of what has come, as far as it may be handed on: not beyond the end of a message that has room.
    fn take(&mut self) -> Bytes {
        let end = if self.framing.is_within() { self.framing.missing().min(self.data.len()) } else { self.data.len() };
        let data = self.data.split_to(end);
        self.framing.advance(&data);
        match self.sends {
            Sends::One => {}
            Sends::Many if self.framing.is_between() => self.due = None,
            Sends::Many if self.due.is_none() || self.framing.has_begun_another() => {
                self.due = Some(Due::begun());
            }
            Sends::Many => {}
        }
        data
    }

    /// For how many bytes there must be room, before what was taken is handed on.
    fn needed(&self) -> Option<usize> {
        let bytes = self.framing.announced();
        let stays = match self.sends {
            // It stays in memory until the request has ended.
            Sends::One => !self.framing.is_between() || !self.inner.is_end_stream(),
            Sends::Many => self.framing.is_within(),
        };
        let held = match &self.room {
            Room::Held { bytes, .. } => *bytes,
            Room::Unneeded | Room::Awaited { .. } => 0,
        };
        // What is too large is handed on, to be refused.
        (stays && bytes > held && bytes <= REQUEST_BYTES_MAX).then_some(bytes)
    }

    /// Begins to wait for room, unless it is there.
    fn reserve(&mut self, bytes: usize) {
        let room = Arc::clone(self.intake.room_for(bytes, self.sends));
        // What is held is too little, and would be waited for by others.
        self.room = Room::Unneeded;
        let permits = u32::try_from(bytes).expect("no more than the largest request");
        self.room = match Arc::clone(&room).try_acquire_many_owned(permits) {
            Ok(permit) => Room::Held { bytes, _permit: permit },
            Err(_) => {
                let permit = room.acquire_many_owned(permits);
                let permit = Box::pin(async { permit.await.expect("the semaphore is never closed") });
                Room::Awaited { bytes, permit, refused: Box::pin(sleep(ROOM_WITHIN)) }
            }
        };
    }

    /// Waits for room where it is awaited.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Status>> {
        let Room::Awaited { bytes, permit, refused } = &mut self.room else {
            return Poll::Ready(Ok(()));
        };
        if let Poll::Ready(permit) = permit.as_mut().poll(cx) {
            self.room = Room::Held { bytes: *bytes, _permit: permit };
            // The wait wasn't the sender's fault.
            if self.due.is_some() {
                self.due = Some(Due::begun());
            }
            return Poll::Ready(Ok(()));
        }
        ready!(refused.as_mut().poll(cx));
        let limit = if *bytes <= SMALL_BYTES_MAX { SMALL_ROOM_BYTES } else { LARGE_ROOM_BYTES };
        Poll::Ready(Err(errors::overloaded("bytes being received", limit as u64)))
    }

    /// Gives back the room of a message that was whole, and that whoever asks for more has taken.
    fn leave_room(&mut self) {
        let keeps = match (self.sends, &self.room) {
            (Sends::One, _) | (_, Room::Awaited { .. }) => true,
            (Sends::Many, Room::Held { bytes, .. }) => *bytes > FREE_BUFFER_BYTES_MAX || self.framing.is_within(),
            (Sends::Many, Room::Unneeded) => false,
        };
        if !keeps {
            self.room = Room::Unneeded;
        }
    }
}

impl<B> Body for Received<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<StdError>,
{
    type Data = Bytes;
    type Error = StdError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, StdError>>> {
        let this = &mut *self;
        if this.next.is_empty() {
            this.leave_room();
            if this.data.is_empty() {
                let Some(frame) = ready!(this.poll_inner(cx)?) else { return Poll::Ready(this.end()) };
                match frame.into_data() {
                    Ok(data) => this.data = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                }
            }
            this.next = this.take();
            if let Some(bytes) = this.needed() {
                this.reserve(bytes);
            }
        }
        ready!(this.poll_room(cx))?;
        Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut this.next)))))
    }

    fn is_end_stream(&self) -> bool {
        self.next.is_empty() && self.data.is_empty() && self.inner.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt};
    use http_body_util::{BodyExt, StreamBody};
    use std::convert::Infallible;
    use tokio::sync::mpsc;
    use tokio_stream::wrappers::UnboundedReceiverStream;

    const MIB: usize = 1 << 20;

    type Sender = mpsc::UnboundedSender<Bytes>;

    /// A sender, and what is received of it.
    fn received(
        intake: &Intake,
        sends: Sends,
    ) -> (Sender, Received<impl Body<Data = Bytes, Error = Infallible> + Unpin>) {
        let (sender, data) = mpsc::unbounded_channel();
        let frames = UnboundedReceiverStream::new(data).map(|data| Ok(Frame::data(data)));
        (sender, intake.receive(StreamBody::new(frames), sends))
    }

    /// A prefix, and so much of its message.
    fn begun(announced: usize, sent: usize) -> Bytes {
        let mut bytes = vec![0];
        bytes.extend(u32::try_from(announced).unwrap().to_be_bytes());
        bytes.extend(vec![7; sent]);
        bytes.into()
    }

    async fn length(received: &mut (impl Body<Data = Bytes, Error = StdError> + Unpin)) -> usize {
        let frame = received.frame().await.expect("a frame").expect("no refusal");
        frame.into_data().expect("data").len()
    }

    async fn refusal(received: &mut (impl Body<Data = Bytes, Error = StdError> + Unpin)) -> (tonic::Code, Duration) {
        let start = Instant::now();
        let error = received.frame().await.expect("a frame").expect_err("a refusal");
        (Status::from_error(error).code(), start.elapsed())
    }

    fn free(intake: &Intake) -> [usize; 3] {
        [&intake.0.small, &intake.0.large, &intake.0.buffers].map(|room| room.available_permits())
    }

    const ALL_FREE: [usize; 3] = [SMALL_ROOM_BYTES, LARGE_ROOM_BYTES, BUFFER_ROOM_BYTES];

    #[tokio::test(start_paused = true)]
    async fn a_request_has_30_s_for_all_of_it() {
        let intake = Intake::default();
        let (sender, mut request) = received(&intake, Sends::One);
        sender.send(begun(9, 1)).unwrap();
        assert_eq!(length(&mut request).await, 6);
        tokio::time::sleep(Duration::from_secs(20)).await;
        sender.send(Bytes::from(vec![7; 8])).unwrap();
        assert_eq!(length(&mut request).await, 8);
        assert_eq!(
            refusal(&mut request).await,
            (tonic::Code::DeadlineExceeded, Duration::from_secs(10)),
            "no end came"
        );
        drop(request);
        assert_eq!(free(&intake), ALL_FREE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_may_be_silent_between_messages_only() {
        let intake = Intake::default();
        let (sender, mut stream) = received(&intake, Sends::Many);
        let day = Duration::from_secs(86_400);
        assert!(tokio::time::timeout(day, stream.frame()).await.is_err(), "nothing has begun");
        sender.send([begun(3, 3), Bytes::from_static(&[0])].concat().into()).unwrap();
        assert_eq!(length(&mut stream).await, 9);
        tokio::time::sleep(Duration::from_secs(29)).await;
        sender.send(begun(3, 3).slice(1..)).unwrap();
        assert_eq!(length(&mut stream).await, 7);
        assert!(tokio::time::timeout(day, stream.frame()).await.is_err(), "all is whole");
        sender.send(Bytes::from_static(&[0])).unwrap();
        assert_eq!(length(&mut stream).await, 1);
        assert_eq!(refusal(&mut stream).await, (tonic::Code::DeadlineExceeded, MESSAGE_WITHIN));
    }

    #[tokio::test(start_paused = true)]
    async fn what_announces_too_much_waits_and_small_ones_pass() {
        let intake = Intake::default();
        let mut first: Vec<_> = (0..4).map(|_| received(&intake, Sends::One)).collect();
        for (sender, request) in &mut first {
            sender.send(begun(REQUEST_BYTES_MAX, 1)).unwrap();
            assert_eq!(length(request).await, 6);
        }
        assert_eq!(free(&intake)[1], 0);
        let (sender, mut late) = received(&intake, Sends::One);
        sender.send(begun(MIB, 1)).unwrap();
        assert!(late.frame().now_or_never().is_none(), "there is no room");
        let (sender, mut small) = received(&intake, Sends::One);
        sender.send(begun(SMALL_BYTES_MAX, 1)).unwrap();
        assert_eq!(length(&mut small).await, 6);
        first.pop();
        assert_eq!(length(&mut late).await, 6, "now there is room");
        let (sender, mut refused) = received(&intake, Sends::One);
        sender.send(begun(REQUEST_BYTES_MAX, 1)).unwrap();
        assert_eq!(refusal(&mut refused).await, (tonic::Code::ResourceExhausted, ROOM_WITHIN));
        drop((first, late, small, refused));
        assert_eq!(free(&intake), ALL_FREE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_gives_back_what_its_message_took_once_it_is_taken() {
        let intake = Intake::default();
        let (sender, mut stream) = received(&intake, Sends::Many);
        // The end of one message and the beginning of the next, in one piece of data.
        sender.send([begun(MIB, 0), Bytes::from(vec![7; MIB]), begun(MIB / 2, 1)].concat().into()).unwrap();
        sender.send(Bytes::from(vec![7; MIB / 2 - 1])).unwrap();
        let whole = 5 + MIB + 5 + 1;
        assert_eq!(length(&mut stream).await, whole, "one of them is unfinished");
        assert_eq!(free(&intake)[1], LARGE_ROOM_BYTES - MIB / 2);
        assert_eq!(length(&mut stream).await, MIB / 2 - 1);
        assert!(stream.frame().now_or_never().is_none());
        assert_eq!(free(&intake), ALL_FREE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_has_room_is_handed_on_to_its_end_first() {
        let intake = Intake::default();
        let (sender, mut stream) = received(&intake, Sends::Many);
        sender.send(begun(MIB, 1)).unwrap();
        assert_eq!(length(&mut stream).await, 6);
        sender.send([Bytes::from(vec![7; MIB - 1]), begun(MIB / 4, 1)].concat().into()).unwrap();
        assert_eq!(length(&mut stream).await, MIB - 1);
        assert_eq!(length(&mut stream).await, 6);
        assert_eq!(free(&intake)[1], LARGE_ROOM_BYTES - MIB / 4);
    }

    #[tokio::test(start_paused = true)]
    async fn the_buffer_of_a_large_frame_is_counted_as_long_as_its_stream_lasts() {
        let intake = Intake::default();
        let (sender, mut stream) = received(&intake, Sends::Many);
        sender.send(begun(3 * MIB, 1)).unwrap();
        sender.send(Bytes::from(vec![7; 3 * MIB - 1])).unwrap();
        sender.send(begun(MIB / 2, 1)).unwrap();
        for bytes in [6, 3 * MIB - 1, 6] {
            assert_eq!(length(&mut stream).await, bytes);
            assert_eq!(free(&intake), [SMALL_ROOM_BYTES, LARGE_ROOM_BYTES, BUFFER_ROOM_BYTES - 3 * MIB]);
        }
        drop(stream);
        assert_eq!(free(&intake), ALL_FREE);
    }

    #[tokio::test]
    async fn an_end_within_a_message_is_an_error() {
        let intake = Intake::default();
        for sends in [Sends::One, Sends::Many] {
            for bytes in [&[0][..], &[0; 4], &begun(9, 0), &begun(9, 8)] {
                let (sender, mut request) = received(&intake, sends);
                sender.send(Bytes::copy_from_slice(bytes)).unwrap();
                drop(sender);
                assert_eq!(length(&mut request).await, bytes.len());
                assert_eq!(refusal(&mut request).await.0, tonic::Code::Internal);
            }
            let (sender, mut request) = received(&intake, sends);
            sender.send(begun(9, 9)).unwrap();
            drop(sender);
            assert_eq!(length(&mut request).await, 14);
            assert!(request.frame().await.is_none());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_too_large_is_handed_on_to_be_refused() {
        let intake = Intake::default();
        let (sender, mut request) = received(&intake, Sends::One);
        sender.send(begun(REQUEST_BYTES_MAX + 1, 1)).unwrap();
        assert_eq!(length(&mut request).await, 6);
        assert_eq!(free(&intake), ALL_FREE);
    }
}
