//! Workers: they take jobs from a stream, run handlers, keep leases alive, and come back after whatever happens.
//!
//! | part | owns |
//! | --- | --- |
//! | `builder` | how a worker is put together |
//! | `session` | one stream: frames in, frames out, pings, its end |
//! | `engine` | what outlives a stream: drain and stop, and the two below |
//! | `inflight` | which leases are held, and what is to be said of them; pure |
//! | `runner` | handlers at work |
//! | `context`, `outcome` | what a handler gets, and what its answer becomes |
//! | `backoff`, `stats`, `lease_id` | delays, counters, ids |

mod backoff;
mod builder;
mod context;
mod engine;
mod inflight;
mod lease_id;
mod outcome;
mod runner;
mod session;
mod stats;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use backoff::Backoff;
use builder::Settings;
use engine::Engine;
use runner::Handlers;
use session::End;

use crate::client::Client;
use crate::error::Result;

pub use builder::WorkerBuilder;
pub use context::{CancelReason, JobContext};
pub use outcome::{HandlerError, JobResult};
pub use stats::WorkerStats;

/// Takes jobs from some queues and runs their handlers, at most a window of them at once.
///
/// Leases are extended while handlers run, outcomes are sent in batches and kept until the server has confirmed them, and a
/// connection that is lost comes back, for ever, with all that is in hand.
///
/// ```no_run
/// # use sluicegate_client::{CancellationToken, Client, HandlerError, JobContext, Worker};
/// # async fn example() -> sluicegate_client::Result<()> {
/// let client = Client::connect("http://127.0.0.1:7654").await?;
/// let worker = Worker::builder(client)
///     .queue("emails")
///     .window(8)
///     .handler("welcome", |job: JobContext| async move {
///         let to: String = job.json()?;
///         println!("welcome, {to}");
///         Ok(())
///     })
///     .build()?;
/// worker.run(CancellationToken::new()).await
/// # }
/// ```
pub struct Worker {
    client: Client,
    settings: Arc<Settings>,
    handlers: Handlers,
    stats: WorkerStats,
}

impl Worker {
    /// Starts putting a worker together.
    pub fn builder(client: Client) -> WorkerBuilder {
        WorkerBuilder::new(client)
    }

    /// The worker's id.
    pub fn worker_id(&self) -> &str {
        &self.settings.worker_id
    }

    /// Its counters, which go on counting while it works.
    pub fn stats(&self) -> WorkerStats {
        self.stats.clone()
    }

    /// Works until `shutdown` is cancelled; then drains: takes nothing more, gives back what wasn't started, waits for handlers up
    /// to the drain grace, tells the rest to stop, and leaves.
    ///
    /// Ends with an error only where coming back is of no use: [`SessionSuperseded`](crate::Error::SessionSuperseded), and
    /// [`InvalidField`](crate::Error::InvalidField) for settings that the server refuses. Handlers are stopped then.
    ///
    /// Dropping the future ends the handlers wherever they are; their jobs come back when their leases expire.
    pub async fn run(self, shutdown: CancellationToken) -> Result<()> {
        let mut engine = Engine::new(self.settings, self.handlers, self.stats, shutdown);
        let mut backoff = Backoff::default();
        loop {
            let end = session::run(self.client.stream_service(), &mut engine, &mut backoff).await;
            engine.stats.disconnected();
            let wait = match end {
                End::Left => return Ok(()),
                End::Fatal(error) => {
                    engine.abandon().await;
                    return Err(error);
                }
                End::Draining { reconnect_after } => {
                    tracing::info!(?reconnect_after, "the server goes; the worker comes back");
                    reconnect_after + backoff.next_delay(&mut rand::rng())
                }
                End::Broken(error) => {
                    let asked = error.retry_after().unwrap_or_default();
                    let wait = backoff.next_delay(&mut rand::rng()).max(asked);
                    tracing::warn!(%error, ?wait, "no connection to the server; the worker tries again");
                    wait
                }
            };
            if pause(&mut engine, wait).await {
                return Ok(());
            }
        }
    }
}

/// Waits between two streams, while handlers go on. True if the worker is done before.
async fn pause(engine: &mut Engine, wait: Duration) -> bool {
    let end = Instant::now() + wait;
    while !engine.is_done() {
        tokio::select! {
            () = sleep_until(end) => return false,
            event = engine.next_event() => engine.apply(event, Instant::now()),
        }
    }
    if !engine.inflight.is_empty() {
        let leases = engine.inflight.len();
        tracing::warn!(leases, "the worker ends without a server; its leases will expire");
    }
    true
}
