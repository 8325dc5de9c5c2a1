//! When a server dies: at the very instant at which a client hears from it. Then an answer or a push that left before its commit
//! finds the commit undone, while one that followed it loses nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio_util::sync::CancellationToken;

/// What a client hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Enqueued,
    Settled,
    BudgetChanged,
    BulkChanged,
    Pushed,
}

/// All that is heard, in turn the last of a server.
pub const ALL: [Heard; 5] = [Heard::Enqueued, Heard::Pushed, Heard::Settled, Heard::BudgetChanged, Heard::BulkChanged];

/// Kills one server, once.
pub struct Trigger {
    server: Pid,
    on: Heard,
    /// How many calls must be open then.
    open_min: usize,
    open: AtomicUsize,
    armed: AtomicBool,
    frozen: AtomicBool,
    /// The server is dead.
    pub dead: CancellationToken,
}

impl Trigger {
    pub fn new(server: Pid, on: Heard, open_min: usize) -> Self {
        Self {
            server,
            on,
            open_min,
            open: AtomicUsize::new(0),
            armed: AtomicBool::new(false),
            frozen: AtomicBool::new(false),
            dead: CancellationToken::new(),
        }
    }

    /// From now on the server dies as soon as the right thing is heard.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// Whether no call may begin any more: every one that fails from now on was open when the server died.
    pub fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::SeqCst)
    }

    /// A call begins. False, and it must not, once the server is about to die.
    pub fn begin(&self) -> bool {
        self.open.fetch_add(1, Ordering::SeqCst);
        let may = !self.is_frozen();
        if !may {
            self.end();
        }
        may
    }

    /// A call has ended.
    pub fn end(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    /// A client hears something: nothing may be done before this.
    pub fn heard(&self, what: Heard) {
        let is_due = what == self.on && self.open.load(Ordering::SeqCst) >= self.open_min;
        if is_due && self.armed.swap(false, Ordering::SeqCst) {
            self.frozen.store(true, Ordering::SeqCst);
            kill(self.server, Signal::SIGKILL).expect("the server can be killed");
            self.dead.cancel();
        }
    }
}
