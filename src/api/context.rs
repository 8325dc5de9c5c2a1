//! What every call has at hand: the driver, the clock, the bounds, and whether the server is shutting down.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::Status;

use super::convert::job::BATCH_JOBS_MAX;
use super::convert::lease::LEASES_MAX;
use super::errors;
use super::proto as pb;
use super::server::{ApiOptions, REQUEST_BYTES_MAX};
use super::turns::Turns;
use crate::clock::Clock;
use crate::driver::Handle;

/// Shared by all services of one server.
pub struct Context {
    /// The scheduler's owner.
    pub handle: Handle,
    /// The clock that the driver reads too.
    pub clock: Arc<dyn Clock>,
    /// Bounds and durations.
    pub options: ApiOptions,
    /// Cancelled once the server shuts down and the scheduler dispatches nothing more.
    pub draining: CancellationToken,
    /// Calls being answered and open streams: what a shutdown waits for.
    pub calls: TaskTracker,
    /// What streams may have waiting in the driver's mailbox, all together, so that they never fill it: a stream that gets
    /// no permit isn't read on.
    pub stream_commands: Arc<Semaphore>,
    /// Pages of jobs that may be put together at once: the payloads come from the disk by the scheduler's owner, and many
    /// lists are to delay others no more than a few.
    pub pages: Semaphore,
    /// Whose turn it is among waiting LeaseJobs calls with one `request_id`.
    pub lease_requests: Turns,
}

impl Context {
    const PAGES_AT_ONCE: usize = 4;

    /// A server's own.
    pub fn new(handle: Handle, clock: Arc<dyn Clock>, options: ApiOptions) -> Self {
        Self {
            handle,
            clock,
            stream_commands: Arc::new(Semaphore::new(options.stream_commands_max)),
            pages: Semaphore::new(Self::PAGES_AT_ONCE),
            options,
            lease_requests: Turns::default(),
            draining: CancellationToken::new(),
            calls: TaskTracker::new(),
        }
    }

    /// Refuses a call that begins something, once the server is shutting down.
    pub fn accepting(&self) -> Result<(), Status> {
        if self.draining.is_cancelled() {
            return Err(errors::draining());
        }
        Ok(())
    }

    /// The server's bounds, for a Welcome.
    pub fn limits(&self) -> pb::ServerLimits {
        pb::ServerLimits {
            max_payload_bytes: u64::from(self.options.payload_bytes_max),
            max_request_bytes: REQUEST_BYTES_MAX as u64,
            max_batch_jobs: BATCH_JOBS_MAX as u32,
            max_lease_batch: LEASES_MAX as u32,
        }
    }
}
