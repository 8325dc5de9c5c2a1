//! The driver: one thread that owns one scheduler and its store, and all that goes in and out of them.
//!
//! Owns the order of things: commands are gathered, applied and committed together, and no answer, no push and no line
//! of the event log leaves before the commit that makes it true (semantics 4.6, 10.1, 10.4). A failed commit costs memory, never the truth: what
//! memory holds is dropped, and loaded again from the store (10.3). Refuses to know what a command does, how rows
//! are stored, and who asks.
//!
//! - [`start`] opens a store and starts the thread.
//! - [`Handle`] is the way in, [`Session`] the way out to one worker.
//! - [`Joined`] tells when the thread has ended, and whether it ended well.

mod events;
mod handle;
mod live;
mod mailbox;
mod measure;
mod owner;
mod porter;
mod sessions;
#[cfg(test)]
mod tests;
mod trace;
mod weight;

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio::runtime;
use tokio::sync::watch;

pub use self::handle::{Handle, PushedJob, Refusal, Session, SessionEvent};
pub use self::live::View;
pub use self::measure::Measure;
use self::owner::Owner;
use self::porter::Porter;
use crate::clock::Clock;
use crate::event_log::{EventLog, Unwritable};
use crate::scheduler::Config;
use crate::store::{Durability, OpenStore, StoreError};

/// How a driver works.
#[derive(Debug)]
pub struct Options {
    /// The scheduler's bounds and defaults.
    pub config: Config,
    /// When a commit may be answered (semantics 10.4).
    pub durability: Durability,
    /// The most commands that wait, at least 1; one more is [`Refusal::Overloaded`]. Ends of sessions don't count.
    pub mailbox_max: usize,
    /// Where what happens is told, once it is stored. Nothing is served while it can't be written.
    pub event_log: Option<Arc<EventLog>>,
    /// What takes down how long the work takes.
    pub measure: Measure,
}

impl Options {
    /// The most commands that wait where nobody says otherwise.
    pub const MAILBOX_MAX: usize = 16_384;
    /// The most memory that waiting commands take, in bytes.
    pub const MAILBOX_BYTES_MAX: usize = 256 << 20;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            config: Config::default(),
            durability: Durability::Immediate,
            mailbox_max: Self::MAILBOX_MAX,
            event_log: None,
            measure: Measure::default(),
        }
    }
}

/// How a driver's store is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The store is being opened and read.
    Recovering,
    /// All is well.
    Serving,
    /// The store, or the driver itself, failed; this is what went wrong, for people. A failed store is tried again,
    /// for ever; a failed driver ends, see [`Joined::join`].
    Failed(String),
}

/// Why a driver couldn't be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store can't be opened or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the store holds contradicts itself.
    #[error("the store contradicts itself: {reason}")]
    Contradiction {
        /// Which row contradicts which.
        reason: String,
    },
    /// The event log can't be written.
    #[error(transparent)]
    EventLog(#[from] Unwritable),
    /// There is no thread for it.
    #[error("cannot start the scheduler's thread: {0}")]
    Thread(#[source] io::Error),
    /// The driver met a bug.
    #[error(transparent)]
    Panicked(#[from] EndError),
}

/// Why a driver's end wasn't a good one. The process should exit non-zero, and say this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndError {
    /// The owner thread met a bug. What was committed is safe.
    #[error("the scheduler's thread panicked, which is a bug: {reason}")]
    Panicked {
        /// The panic's own words.
        reason: String,
    },
    /// It was stopped while the store didn't work, or its last commit failed.
    #[error("stopped without a working store: {problem}")]
    StoreUnavailable {
        /// What is wrong with the store.
        problem: String,
    },
    /// It was stopped, and the last events couldn't be written.
    #[error("stopped, and its last events are lost: {0}")]
    EventLog(#[from] Unwritable),
}

impl EndError {
    fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let words =
            panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::Panicked { reason: words.unwrap_or("it said nothing").to_owned() }
    }
}

/// The end of a driver.
#[derive(Debug)]
pub struct Joined {
    status: watch::Receiver<Status>,
    thread: JoinHandle<Result<(), EndError>>,
}

impl Joined {
    /// Waits until the owner thread has ended and its store is closed. That happens after [`Handle::stop`], when
    /// every handle and session is gone, or by a bug: await it beside whatever else may end the server.
    ///
    /// # Errors
    /// [`EndError`], with which the process should exit.
    pub async fn join(mut self) -> Result<(), EndError> {
        // The thread holds the other end until its last breath: joining it doesn't block from then on.
        while self.status.changed().await.is_ok() {}
        self.thread.join().unwrap_or_else(|panic| Err(EndError::of_panic(&*panic)))
    }
}

/// Opens the store, recovers what it holds, and starts the owner thread. Takes as long as reading a record of
/// every job takes; then [`Handle::status`] says [`Status::Serving`].
///
/// # Errors
/// [`StartError`] says what is wrong with the store, and where; nothing has been started then.
///
/// # Panics
/// Outside of a Tokio runtime, in which answers are delivered.
pub fn start(
    source: Box<dyn OpenStore>,
    clock: Arc<dyn Clock>,
    options: Options,
) -> Result<(Handle, Joined), StartError> {
    let (post, unread) = mailbox::mailbox(options.mailbox_max, Options::MAILBOX_BYTES_MAX);
    let (status, watching) = watch::channel(Status::Recovering);
    let (opened, opening) = mpsc::sync_channel(1);
    let porter = Porter::start(&runtime::Handle::current());
    // The store is opened on the thread that will own it, so that memory is freed where it was allocated.
    let own = move || {
        let mut owner = Owner::new(source, clock, options, unread.of_this_thread(), porter, status);
        match owner.open() {
            Ok(live) => {
                // Nobody hears it where the starter is gone; then the handles are too, and the owner ends.
                let _ = opened.send(Ok(()));
                owner.run(live)
            }
            Err(error) => {
                let _ = opened.send(Err(error));
                Ok(())
            }
        }
    };
    let thread = thread::Builder::new().name("scheduler".to_owned()).spawn(own).map_err(StartError::Thread)?;
    match opening.recv() {
        Ok(Ok(())) => {
            let joined = Joined { status: watching.clone(), thread };
            Ok((Handle::new(post, watching), joined))
        }
        Ok(Err(error)) => Err(error),
        Err(mpsc::RecvError) => {
            let panic = thread.join().expect_err("a thread that doesn't panic says whether the store opened");
            Err(EndError::of_panic(&*panic).into())
        }
    }
}
