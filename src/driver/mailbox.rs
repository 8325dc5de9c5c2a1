//! What waits for the owner thread: one queue for all, in the order of arrival.
//!
//! Owns the bounds on what waits, and how the owner thread sleeps until something comes. Refuses to know what
//! becomes of a letter.
//!
//! Commands and looks need room, and are refused where there is none. The end of a session needs none, so that it is
//! never lost, and as all take the same way it can't overtake the opening. There are no more ends than sessions; what
//! else needs no room is sent once or twice in a server's life.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Semaphore, oneshot};

use super::handle::{Refusal, SessionEvent};
use super::live::View;
use crate::scheduler::command::OpenSession;
use crate::scheduler::units::SessionId;
use crate::scheduler::{Command, Rejection, Reply};

/// Where an answer goes.
pub(super) type Answer = oneshot::Sender<Result<Reply, Refusal>>;

/// A look at the state, or why there is none.
pub(super) type Look = Box<dyn FnOnce(Result<&View<'_>, Refusal>) + Send>;

/// One thing for the owner thread to do.
pub(super) enum Letter {
    /// Do this.
    Apply(Command, Answer),
    /// Open this session; its events go there.
    Open(OpenSession, UnboundedSender<SessionEvent>, Answer),
    /// Show the state.
    Read(Look),
    /// This session has ended, if it ever was opened.
    Close(SessionId),
    /// Dispatch nothing from now on.
    Drain(Answer),
    /// End.
    Stop,
}

/// A letter, and the room it takes while it waits.
struct Envelope {
    letter: Letter,
    places: usize,
    bytes: usize,
}

/// What may wait.
#[derive(Debug)]
struct Room {
    places: Semaphore,
    places_max: usize,
    bytes: Semaphore,
    bytes_max: usize,
}

/// The senders' side.
#[derive(Clone, Debug)]
pub(super) struct Post {
    envelopes: UnboundedSender<Envelope>,
    room: Arc<Room>,
}

/// Why a letter wasn't taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Undelivered {
    /// There is no room for it.
    Refused(Refusal),
    /// The owner thread has ended.
    Closed,
}

/// A mailbox in which at most `places_max` letters of at most `bytes_max` bytes wait: the way in, and what becomes a
/// [`Mailbox`] on the thread that reads it.
pub(super) fn mailbox(places_max: usize, bytes_max: usize) -> (Post, UnreadMailbox) {
    let (envelopes, unread) = mpsc::unbounded_channel();
    let room =
        Arc::new(Room { places: Semaphore::new(places_max), places_max, bytes: Semaphore::new(bytes_max), bytes_max });
    let post = Post { envelopes, room: Arc::clone(&room) };
    let unread = UnreadMailbox { envelopes: unread, room };
    (post, unread)
}

impl Post {
    /// Sends what needs room: `bytes` are about the memory it takes.
    pub(super) fn send(&self, letter: Letter, bytes: usize) -> Result<(), Undelivered> {
        let room = &*self.room;
        let overloaded = || Undelivered::Refused(Refusal::Overloaded { limit: room.places_max as u64 });
        let place = room.places.try_acquire().map_err(|_| overloaded())?;
        let too_many_bytes = || {
            Undelivered::Refused(Refusal::Rejected(Rejection::Overloaded {
                what: "bytes of waiting commands",
                limit: room.bytes_max as u64,
            }))
        };
        let permits = u32::try_from(bytes).map_err(|_| too_many_bytes())?;
        let weight = room.bytes.try_acquire_many(permits).map_err(|_| too_many_bytes())?;
        place.forget();
        weight.forget();
        self.put(Envelope { letter, places: 1, bytes })
    }

    /// Sends what must not be lost, and is bounded by something else.
    pub(super) fn send_always(&self, letter: Letter) -> Result<(), Undelivered> {
        self.put(Envelope { letter, places: 0, bytes: 0 })
    }

    fn put(&self, envelope: Envelope) -> Result<(), Undelivered> {
        self.envelopes.send(envelope).map_err(|_| Undelivered::Closed)
    }

    /// Waits until nobody reads any more.
    pub(super) async fn closed(&self) {
        self.envelopes.closed().await;
    }
}

/// A mailbox that no thread reads yet.
pub(super) struct UnreadMailbox {
    envelopes: UnboundedReceiver<Envelope>,
    room: Arc<Room>,
}

impl UnreadMailbox {
    /// The mailbox of the thread that calls this.
    pub(super) fn of_this_thread(self) -> Mailbox {
        Mailbox {
            envelopes: self.envelopes,
            room: self.room,
            next: None,
            waker: Waker::from(Arc::new(Unpark(thread::current()))),
        }
    }
}

/// The reader's side.
pub(super) struct Mailbox {
    envelopes: UnboundedReceiver<Envelope>,
    room: Arc<Room>,
    next: Option<Envelope>,
    waker: Waker,
}

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

impl Mailbox {
    /// Sleeps until a letter is there, or `timeout` has passed, or for no reason. Parking is exact to
    /// the kernel's timer slack; a runtime's timers would round up to a whole millisecond.
    pub(super) fn wait(&mut self, timeout: Option<Duration>) {
        if self.next.is_some() {
            return;
        }
        let mut context = Context::from_waker(&self.waker);
        match self.envelopes.poll_recv(&mut context) {
            Poll::Ready(envelope) => self.next = Some(envelope.unwrap_or(Envelope::STOP)),
            Poll::Pending => match timeout {
                Some(Duration::ZERO) => {}
                Some(timeout) => thread::park_timeout(timeout),
                None => thread::park(),
            },
        }
    }

    /// How many letters wait.
    pub(super) fn len(&self) -> usize {
        usize::from(self.next.is_some()) + self.envelopes.len()
    }

    /// The next letter and the bytes it took, if one is there. Where nobody is left to write any: [`Letter::Stop`].
    pub(super) fn take(&mut self) -> Option<(Letter, usize)> {
        let envelope = match self.next.take() {
            Some(envelope) => envelope,
            None => match self.envelopes.try_recv() {
                Ok(envelope) => envelope,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => Envelope::STOP,
            },
        };
        self.room.places.add_permits(envelope.places);
        self.room.bytes.add_permits(envelope.bytes);
        Some((envelope.letter, envelope.bytes))
    }
}

impl Envelope {
    const STOP: Self = Self { letter: Letter::Stop, places: 0, bytes: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(session: u64) -> Letter {
        Letter::Close(SessionId(session))
    }

    fn session_of(taken: Option<(Letter, usize)>) -> u64 {
        match taken {
            Some((Letter::Close(session), _)) => session.0,
            Some(_) => panic!("another letter was taken"),
            None => panic!("no letter was there"),
        }
    }

    #[test]
    fn one_letter_more_than_there_are_places_is_refused_at_once() {
        let (post, unread) = mailbox(2, 100);
        let mut mailbox = unread.of_this_thread();
        assert_eq!(post.send(close(1), 0), Ok(()));
        assert_eq!(post.send(close(2), 0), Ok(()));
        let overloaded = Undelivered::Refused(Refusal::Overloaded { limit: 2 });
        assert_eq!(post.send(close(3), 0), Err(overloaded));

        assert_eq!(session_of(mailbox.take()), 1);
        assert_eq!(post.send(close(4), 0), Ok(()));
        assert_eq!(session_of(mailbox.take()), 2);
        assert_eq!(session_of(mailbox.take()), 4);
        assert!(mailbox.take().is_none());
    }

    #[test]
    fn one_byte_more_than_there_is_room_for_is_refused_and_takes_no_place() {
        let (post, unread) = mailbox(2, 100);
        let mut mailbox = unread.of_this_thread();
        assert_eq!(post.send(close(1), 60), Ok(()));
        let too_many = Undelivered::Refused(Refusal::Rejected(Rejection::Overloaded {
            what: "bytes of waiting commands",
            limit: 100,
        }));
        assert_eq!(post.send(close(2), 41).as_ref(), Err(&too_many));
        assert_eq!(post.send(close(2), usize::MAX), Err(too_many));
        assert_eq!(post.send(close(2), 40), Ok(()));

        assert_eq!(session_of(mailbox.take()), 1);
        assert_eq!(post.send(close(3), 60), Ok(()));
    }

    #[test]
    fn what_must_not_be_lost_is_taken_though_there_is_no_room_and_keeps_its_turn() {
        let (post, unread) = mailbox(1, 100);
        let mut mailbox = unread.of_this_thread();
        assert_eq!(post.send(close(1), 100), Ok(()));
        for session in 2..=1000 {
            assert_eq!(post.send_always(close(session)), Ok(()));
        }
        for session in 1..=1000 {
            mailbox.wait(None);
            assert_eq!(session_of(mailbox.take()), session);
        }
    }

    #[test]
    fn a_sleeper_is_woken_by_a_letter() {
        let (post, unread) = mailbox(1, 100);
        let mut mailbox = unread.of_this_thread();
        let sender = thread::spawn(move || {
            post.send(close(7), 0).expect("there is room");
            post
        });
        let taken = loop {
            mailbox.wait(None);
            if let Some(taken) = mailbox.take() {
                break taken;
            }
        };
        assert_eq!(session_of(Some(taken)), 7);
        drop(sender.join().expect("the sender doesn't panic"));
    }

    #[test]
    fn a_sleeper_wakes_by_itself_at_its_timeout() {
        let (_post, unread) = mailbox(1, 100);
        let mut mailbox = unread.of_this_thread();
        mailbox.wait(Some(Duration::from_millis(1)));
        mailbox.wait(Some(Duration::ZERO));
        assert!(mailbox.take().is_none());
    }

    #[test]
    fn a_mailbox_that_nobody_can_write_to_says_stop() {
        let (post, unread) = mailbox(1, 100);
        let mut mailbox = unread.of_this_thread();
        assert_eq!(post.send(close(1), 0), Ok(()));
        drop(post);
        assert_eq!(session_of(mailbox.take()), 1);
        assert!(matches!(mailbox.take(), Some((Letter::Stop, 0))));
        mailbox.wait(None);
        assert!(matches!(mailbox.take(), Some((Letter::Stop, 0))));
    }

    #[tokio::test]
    async fn a_mailbox_that_nobody_reads_any_more_takes_nothing() {
        let (post, unread) = mailbox(5, 100);
        assert_eq!(post.send(close(1), 0), Ok(()));
        drop(unread.of_this_thread());
        assert_eq!(post.send(close(2), 0), Err(Undelivered::Closed));
        assert_eq!(post.send_always(close(2)), Err(Undelivered::Closed));
        post.closed().await;
    }
}
