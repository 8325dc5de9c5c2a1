//! The ways in: what a caller holds of a driver, and what it gets back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, oneshot, watch};

use super::Status;
use super::live::View;
use super::mailbox::{Letter, Post, Undelivered};
use super::weight;
use crate::scheduler::command::OpenSession;
use crate::scheduler::effect::RevokeReason;
use crate::scheduler::job::Body;
use crate::scheduler::lease::LeaseRecord;
use crate::scheduler::units::{LeaseId, SessionId};
use crate::scheduler::view::JobView;
use crate::scheduler::{Command, Rejection, Reply};

/// A way to reach the owner thread; a clone is another. When the last one and all sessions are gone, the owner thread
/// ends as by [`Handle::stop`].
#[derive(Clone, Debug)]
pub struct Handle {
    post: Post,
    status: watch::Receiver<Status>,
    next_session: Arc<AtomicU64>,
}

/// Why a command or a look wasn't done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The scheduler refused it, and nothing has changed. Also where the bodies of all waiting commands take more
    /// memory than is set aside for them: [`Rejection::Overloaded`].
    Rejected(Rejection),
    /// The outcome is unknown: the store failed while it was being written, or the server is recovering or has
    /// stopped (semantics 10.3). Doing it again is safe where it is idempotent.
    StoreUnavailable {
        /// What went wrong, for people.
        problem: String,
    },
    /// More commands wait than the mailbox holds; nothing has changed.
    Overloaded {
        /// That many.
        limit: u64,
    },
}

/// An open session. Dropping it closes it: the scheduler hears of it whatever else waits.
#[derive(Debug)]
pub struct Session {
    /// Its number.
    pub id: SessionId,
    /// What is sent to it, bounded by its window. Ends when the session was closed by the driver: after the only
    /// push to a one-shot session, after [`SessionEvent::StoreFailed`], and when the owner thread ends.
    pub events: mpsc::UnboundedReceiver<SessionEvent>,
    _closing: Closing,
}

/// Tells the owner thread that a session has ended.
#[derive(Debug)]
struct Closing {
    id: SessionId,
    post: Post,
}

impl Drop for Closing {
    fn drop(&mut self) {
        // Where the owner thread has ended there is nothing left to close.
        let _ = self.post.send_always(Letter::Close(self.id));
    }
}

/// What is sent to a session, each after the commit that makes it true (semantics 4.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// These jobs were dispatched to it. A one-shot session gets exactly one of these, maybe empty.
    Jobs(Vec<PushedJob>),
    /// These leases have ended, or should.
    Revoked(Vec<LeaseId>, RevokeReason),
    /// A newer stream of the same worker took over.
    Superseded,
    /// The store failed, and with it all sessions: the worker should come back.
    StoreFailed,
}

/// A dispatched job, with all that its handler needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedJob {
    /// The lease it was dispatched under.
    pub lease: LeaseRecord,
    /// The job.
    pub job: JobView,
    /// Its payload and metadata; shared with another push where a repeated call gets the same leases.
    pub body: Arc<Body>,
}

impl Handle {
    pub(super) fn new(post: Post, status: watch::Receiver<Status>) -> Self {
        Self { post, status, next_session: Arc::new(AtomicU64::new(1)) }
    }

    /// Does `command`, and answers after the commit that makes the answer true (semantics 10.1). Giving up waiting
    /// doesn't take it back. Sessions are opened by [`Handle::open_session`], never so.
    ///
    /// # Errors
    /// [`Refusal`]; at once where there is no room for the command.
    pub async fn apply(&self, command: Command) -> Result<Reply, Refusal> {
        let (answer, answered) = oneshot::channel();
        let bytes = weight::of_command(&command);
        self.send(Letter::Apply(command, answer), bytes)?;
        self.outcome(answered).await
    }

    /// Looks at the state, after the commit of all that was applied before. The owner thread does nothing else
    /// meanwhile: keep it short and bounded.
    ///
    /// # Errors
    /// [`Refusal::StoreUnavailable`], [`Refusal::Overloaded`].
    pub async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&View<'_>) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (answer, answered) = oneshot::channel();
        let look = move |view: Result<&View<'_>, Refusal>| {
            // Who asked may have given up: there is no need to look, or nobody to tell.
            if !answer.is_closed() {
                let _ = answer.send(view.map(look));
            }
        };
        self.send(Letter::Read(Box::new(look)), 0)?;
        self.outcome(answered).await
    }

    /// Opens a session, and answers with it and [`Reply::Opened`]. The number in `open` is filled in here. Whoever
    /// gives up waiting has closed the session.
    ///
    /// # Errors
    /// As [`Handle::apply`]; then there is no session.
    pub async fn open_session(&self, mut open: OpenSession) -> Result<(Session, Reply), Refusal> {
        let id = SessionId(self.next_session.fetch_add(1, Ordering::Relaxed));
        open.session = id;
        let (listener, events) = mpsc::unbounded_channel();
        let (answer, answered) = oneshot::channel();
        let bytes = weight::of_session(&open);
        self.send(Letter::Open(open, listener, answer), bytes)?;
        let post = self.post.clone();
        let session = Session { id, events, _closing: Closing { id, post } };
        let reply = self.outcome(answered).await?;
        Ok((session, reply))
    }

    /// How the store is doing. The channel closes when the owner thread has ended.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    /// Dispatches nothing from now on, not after a recovery either; settles go on.
    pub async fn drain(&self) {
        let (answer, answered) = oneshot::channel();
        if self.post.send_always(Letter::Drain(answer)).is_ok() {
            // A store that fails meanwhile, or an owner thread that ends, dispatches nothing either.
            let _ = answered.await;
        }
    }

    /// Ends the owner thread after a last commit of all that came before, and waits until it has closed the store.
    /// Doing it again does no harm.
    pub async fn stop(&self) {
        // An owner thread that has ended needs no telling.
        let _ = self.post.send_always(Letter::Stop);
        self.post.closed().await;
    }

    fn send(&self, letter: Letter, bytes: usize) -> Result<(), Refusal> {
        self.post.send(letter, bytes).map_err(|undelivered| match undelivered {
            Undelivered::Refused(refusal) => refusal,
            Undelivered::Closed => self.ended(),
        })
    }

    async fn outcome<T>(&self, answered: oneshot::Receiver<Result<T, Refusal>>) -> Result<T, Refusal> {
        answered.await.unwrap_or_else(|_| Err(self.ended()))
    }

    /// What is to be said when the owner thread is gone.
    fn ended(&self) -> Refusal {
        let problem = match &*self.status.borrow() {
            Status::Failed(problem) => problem.clone(),
            Status::Recovering | Status::Serving => "the server has stopped".to_owned(),
        };
        Refusal::StoreUnavailable { problem }
    }
}
