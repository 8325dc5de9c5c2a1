//! The signals by which somebody asks the process to end: Ctrl-C, and SIGTERM.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears every request to end, from its making on; the process no longer ends by itself then.
pub(super) struct EndSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl EndSignals {
    /// Starts to listen. Within a runtime.
    pub fn new() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next request.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
