//! What a worker's frames ask of the driver, and what came of it.
//!
//! A few commands at a time are under way; what is asked for meanwhile gathers into larger ones. So a worker that settles
//! its jobs one by one costs little more than one that gathers them itself, and its frames needn't be left unread, for
//! which the transport would end the connection.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::{self, BoxFuture, FutureExt};
use futures_util::poll;
use futures_util::stream::{FuturesOrdered, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api::convert::lease::{Extensions, LEASES_MAX, Settles};
use crate::driver::{Handle, Refusal};
use crate::scheduler::command::{Extended, Outcome, Settled, Window};
use crate::scheduler::units::{LeaseId, SessionId};
use crate::scheduler::{Command, Reply};

/// How many commands may be unanswered before the next is held back, to gather more.
const UNANSWERED_MAX: usize = 4;
/// How many leases may be held back before no more is read.
const WAITING_LEASES_MAX: usize = 16 * LEASES_MAX;
/// How many bytes may be held back, as encoded, before no more is read.
const WAITING_BYTES_MAX: usize = 4 << 20;

/// Something that frames ask for.
#[derive(Debug)]
pub enum Ask {
    /// End leases, and answer.
    Settle(Settles, Vec<Outcome>),
    /// Prolong leases, and answer.
    Extend(Extensions, Vec<LeaseId>),
    /// Confirm that pushes have arrived.
    Confirm(Vec<LeaseId>),
    /// Change the window.
    SetWindow(Window),
    /// Take everything back.
    Leave,
}

impl Ask {
    /// How many leases it is about.
    fn leases(&self) -> usize {
        match self {
            Self::Settle(settles, _) => settles.len(),
            Self::Extend(extensions, _) => extensions.len(),
            Self::Confirm(leases) => leases.len(),
            Self::SetWindow(_) | Self::Leave => 1,
        }
    }

    /// Takes the next ask in, if one command can do both; else gives it back.
    fn gather(&mut self, next: Self) -> Result<(), Self> {
        let fits = self.leases() + next.leases() <= LEASES_MAX;
        match (self, next) {
            (Self::Settle(settles, outcomes), Self::Settle(more, more_outcomes)) if fits => {
                settles.append(more);
                outcomes.extend(more_outcomes);
                Ok(())
            }
            (Self::Extend(extensions, leases), Self::Extend(more, more_leases)) if fits => {
                extensions.append(more);
                leases.extend(more_leases);
                Ok(())
            }
            (Self::Confirm(leases), Self::Confirm(more)) if fits => {
                leases.extend(more);
                Ok(())
            }
            (Self::SetWindow(window), Self::SetWindow(newer)) => {
                *window = newer;
                Ok(())
            }
            (_, next) => Err(next),
        }
    }
}

/// What is held back, gathered, with the bytes that each took.
#[derive(Default)]
struct Waiting {
    asks: VecDeque<(Ask, usize)>,
    leases: usize,
    bytes: usize,
}

impl Waiting {
    fn put(&mut self, ask: Ask, bytes: usize) {
        let Some((mut last, last_bytes)) = self.asks.pop_back() else {
            return self.push(ask, bytes);
        };
        self.leases -= last.leases();
        self.bytes -= last_bytes;
        match last.gather(ask) {
            Ok(()) => self.push(last, last_bytes + bytes),
            Err(ask) => {
                self.push(last, last_bytes);
                self.push(ask, bytes);
            }
        }
    }

    fn push(&mut self, ask: Ask, bytes: usize) {
        self.leases += ask.leases();
        self.bytes += bytes;
        self.asks.push_back((ask, bytes));
    }

    fn take(&mut self) -> Option<Ask> {
        let (ask, bytes) = self.asks.pop_front()?;
        self.leases -= ask.leases();
        self.bytes -= bytes;
        Some(ask)
    }
}

/// What came of an [`Ask`].
pub enum Answer {
    /// The leases were judged.
    Settled(Settles, Vec<Settled>),
    /// The leases were judged.
    Extended(Extensions, Vec<Extended>),
    /// It is done.
    Done,
}

/// All that one stream asks for and has no answer to: done, and answered, in the order of the asks.
pub struct Asks {
    handle: Handle,
    session: SessionId,
    permits: Arc<Semaphore>,
    waiting: Waiting,
    /// The place in the queue for the next permit.
    permit: Option<BoxFuture<'static, OwnedSemaphorePermit>>,
    unanswered: FuturesOrdered<BoxFuture<'static, Result<Answer, Refusal>>>,
}

impl Asks {
    /// None so far. Each command takes a permit until it is answered.
    pub fn new(handle: Handle, session: SessionId, permits: Arc<Semaphore>) -> Self {
        Self { handle, session, permits, waiting: Waiting::default(), permit: None, unanswered: FuturesOrdered::new() }
    }

    /// Asks for something that took so many bytes, as encoded.
    pub fn put(&mut self, ask: Ask, bytes: usize) {
        self.waiting.put(ask, bytes);
    }

    /// Whether so much waits that no more is to be read.
    pub fn is_full(&self) -> bool {
        self.waiting.leases >= WAITING_LEASES_MAX || self.waiting.bytes >= WAITING_BYTES_MAX
    }

    /// Whether all is answered.
    pub fn is_empty(&self) -> bool {
        self.waiting.asks.is_empty() && self.unanswered.is_empty()
    }

    /// The next answer, for ever to come where nothing is asked. Commands go to the driver meanwhile, as they may.
    pub async fn next(&mut self) -> Result<Answer, Refusal> {
        loop {
            let may_go = !self.waiting.asks.is_empty() && self.unanswered.len() < UNANSWERED_MAX;
            tokio::select! {
                biased;
                Some(answer) = self.unanswered.next() => return answer,
                permit = next_permit(&self.permits, &mut self.permit), if may_go => {
                    self.permit = None;
                    self.hand_over(permit).await;
                }
                else => future::pending().await,
            }
        }
    }

    /// Never waits: giving up [`Asks::next`] loses nothing.
    async fn hand_over(&mut self, permit: OwnedSemaphorePermit) {
        let Some(ask) = self.waiting.take() else { return };
        let (handle, session) = (self.handle.clone(), self.session);
        let mut answer = async move {
            let answer = answer(&handle, session, ask).await;
            drop(permit);
            answer
        }
        .boxed();
        // After the first poll a command is in the driver's mailbox, and no later one overtakes it.
        match poll!(&mut answer) {
            Poll::Ready(answer) => self.unanswered.push_back(future::ready(answer).boxed()),
            Poll::Pending => self.unanswered.push_back(answer),
        }
    }
}

async fn next_permit(
    permits: &Arc<Semaphore>,
    place: &mut Option<BoxFuture<'static, OwnedSemaphorePermit>>,
) -> OwnedSemaphorePermit {
    let new_place = || {
        let permits = Arc::clone(permits);
        async { permits.acquire_owned().await.expect("the semaphore is never closed") }.boxed()
    };
    place.get_or_insert_with(new_place).await
}

async fn answer(handle: &Handle, session: SessionId, ask: Ask) -> Result<Answer, Refusal> {
    let command = match ask {
        Ask::Settle(settles, outcomes) => {
            return Ok(Answer::Settled(settles, settle(handle, Some(session), outcomes).await?));
        }
        Ask::Extend(extensions, leases) => return Ok(Answer::Extended(extensions, extend(handle, leases).await?)),
        Ask::Confirm(leases) if leases.is_empty() => return Ok(Answer::Done),
        Ask::Confirm(leases) => Command::Received { leases },
        Ask::SetWindow(window) => Command::SetWindow { session, window },
        Ask::Leave => Command::Leave { session },
    };
    handle.apply(command).await?;
    Ok(Answer::Done)
}

/// Ends leases, `from` a stream or by a call; an answer for each, in order.
pub async fn settle(handle: &Handle, from: Option<SessionId>, outcomes: Vec<Outcome>) -> Result<Vec<Settled>, Refusal> {
    if outcomes.is_empty() {
        return Ok(Vec::new());
    }
    match handle.apply(Command::Settle { from, outcomes }).await? {
        Reply::Settled(settled) => Ok(settled),
        other => unreachable!("settles are answered one by one, not with {other:?}"),
    }
}

/// Prolongs leases; an answer for each, in order.
pub async fn extend(handle: &Handle, leases: Vec<LeaseId>) -> Result<Vec<Extended>, Refusal> {
    if leases.is_empty() {
        return Ok(Vec::new());
    }
    match handle.apply(Command::Extend { leases }).await? {
        Reply::Extended(extended) => Ok(extended),
        other => unreachable!("extensions are answered one by one, not with {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::convert::At;
    use crate::ids;

    fn confirm(leases: std::ops::Range<u64>) -> Ask {
        Ask::Confirm(leases.map(LeaseId).collect())
    }

    fn extend(leases: std::ops::Range<u64>) -> Ask {
        let texts = leases.map(|lease| ids::lease_text(LeaseId(lease))).collect();
        let (extensions, leases) = Extensions::new(&At::Root, texts).unwrap();
        Ask::Extend(extensions, leases)
    }

    fn window(jobs: u32) -> Ask {
        Ask::SetWindow(Window { jobs, bytes: 1 })
    }

    fn gathered(asks: impl IntoIterator<Item = Ask>) -> Vec<Ask> {
        let mut waiting = Waiting::default();
        asks.into_iter().for_each(|ask| waiting.put(ask, 10));
        let gathered = std::iter::from_fn(|| waiting.take()).collect();
        assert_eq!((waiting.leases, waiting.bytes), (0, 0), "what is taken weighs nothing");
        gathered
    }

    #[test]
    fn asks_of_a_kind_gather_in_order() {
        let asks = gathered((0..500).map(|lease| extend(lease..lease + 1)));
        let [Ask::Extend(extensions, leases)] = &asks[..] else { panic!("one ask") };
        assert_eq!(extensions.len(), 500);
        assert!(leases.iter().map(|lease| lease.0).eq(0..500));
    }

    #[test]
    fn no_command_grows_beyond_what_one_may_name() {
        let asks = gathered([confirm(0..999), confirm(999..1000), confirm(1000..1001), confirm(1001..2000)]);
        let sizes: Vec<usize> = asks.iter().map(Ask::leases).collect();
        assert_eq!(sizes, [1000, 1000]);
    }

    #[test]
    fn kinds_keep_their_order() {
        let asks = gathered([window(1), window(2), confirm(0..1), window(3), Ask::Leave]);
        assert!(matches!(
            &asks[..],
            [
                Ask::SetWindow(Window { jobs: 2, .. }),
                Ask::Confirm(_),
                Ask::SetWindow(Window { jobs: 3, .. }),
                Ask::Leave
            ]
        ));
    }
}
