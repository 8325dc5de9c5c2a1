//! How a worker is put together. Checks what would make it useless; bounds are the server's to check.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use super::context::JobContext;
use super::outcome::{HandlerError, JobResult};
use super::runner::Handlers;
use super::stats::WorkerStats;
use crate::client::Client;
use crate::error::{Error, Result};

/// What a worker is told once and for all.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub worker_id: String,
    pub queues: Vec<String>,
    pub window: usize,
    pub window_bytes: u64,
    pub lease_duration: Option<Duration>,
    pub lease_total_max: Option<Duration>,
    pub ping_interval: Duration,
    pub max_message_bytes: u32,
    pub drain_grace: Duration,
    pub stop_grace: Duration,
}

/// Puts a [`Worker`] together.
#[derive(Clone)]
pub struct WorkerBuilder {
    client: Client,
    settings: Settings,
    handlers: Handlers,
}

impl WorkerBuilder {
    pub(super) fn new(client: Client) -> Self {
        let settings = Settings {
            worker_id: format!("worker-{:016x}", rand::random::<u64>()),
            queues: Vec::new(),
            window: 16,
            window_bytes: 0,
            lease_duration: None,
            lease_total_max: None,
            ping_interval: Duration::from_secs(15),
            max_message_bytes: 32 << 20,
            drain_grace: Duration::from_secs(30),
            stop_grace: Duration::from_secs(5),
        };
        Self { client, settings, handlers: Handlers::default() }
    }

    /// Serves this queue, besides those named before. 1..=64 queues.
    pub fn queue(mut self, name: impl Into<String>) -> Self {
        self.settings.queues.push(name.into());
        self
    }

    /// Serves these queues, besides those named before.
    pub fn queues<I: Into<String>>(mut self, names: impl IntoIterator<Item = I>) -> Self {
        self.settings.queues.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the most jobs in hand, and so the most handlers at once. 1..=100,000; 16 by default.
    pub fn window(mut self, jobs: usize) -> Self {
        self.settings.window = jobs;
        self
    }

    /// Sets the most bytes of payloads and metadata in hand. 1..=1 GiB; 64 MiB by default.
    pub fn window_bytes(mut self, bytes: u64) -> Self {
        self.settings.window_bytes = bytes;
        self
    }

    /// Sets the worker's id: 1..=128 bytes of `[A-Za-z0-9._:/@-]`, unique among the workers; random by default. A worker that
    /// starts with the id of one that is gone ends the leases of that one at once; with the id of one that is there it takes
    /// that one's place, which ends with [`Error::SessionSuperseded`].
    pub fn worker_id(mut self, id: impl Into<String>) -> Self {
        self.settings.worker_id = id.into();
        self
    }

    /// Sets what a lease, and each extension, is worth: how long a job of a worker that died stays away. 1 s..=24 h; 30 s by
    /// default.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.settings.lease_duration = Some(duration);
        self
    }

    /// Sets how long after its receipt a job's lease is extended at most, so that a handler that hangs loses its job. For ever by
    /// default.
    pub fn lease_total_max(mut self, total: Duration) -> Self {
        self.settings.lease_total_max = Some(total);
        self
    }

    /// Sets how often a silent side says that it is there. After three times this without a sign the worker connects anew.
    /// 1 s..=10 min; 15 s by default.
    pub fn ping_interval(mut self, interval: Duration) -> Self {
        self.settings.ping_interval = interval;
        self
    }

    /// Sets the largest frame that the worker takes; jobs that don't fit aren't offered to it. 64 KiB..=64 MiB; 32 MiB by
    /// default, into which every job fits.
    pub fn max_message_bytes(mut self, bytes: u32) -> Self {
        self.settings.max_message_bytes = bytes;
        self
    }

    /// Sets how long a drain waits for handlers before it tells them to stop. 30 s by default.
    pub fn drain_grace(mut self, grace: Duration) -> Self {
        self.settings.drain_grace = grace;
        self
    }

    /// Sets how long handlers that were told to stop then have before they are dropped. 5 s by default.
    pub fn stop_grace(mut self, grace: Duration) -> Self {
        self.settings.stop_grace = grace;
        self
    }

    /// Sets the handler of the jobs of one type.
    pub fn handler<F, Fut, T>(mut self, job_type: impl Into<String>, handler: F) -> Self
    where
        F: Fn(JobContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<T, HandlerError>> + Send + 'static,
        T: Into<JobResult>,
    {
        self.handlers.set(job_type.into(), handler);
        self
    }

    /// Sets the handler of all jobs whose type has none of its own. Without one such jobs fail.
    pub fn handler_for_all<F, Fut, T>(mut self, handler: F) -> Self
    where
        F: Fn(JobContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::result::Result<T, HandlerError>> + Send + 'static,
        T: Into<JobResult>,
    {
        self.handlers.set_for_all(handler);
        self
    }

    /// The worker. [`Error::Config`] without a queue, a handler or a place in the window.
    pub fn build(self) -> Result<Worker> {
        let refuse = |message: &str| Err(Error::Config { message: message.to_owned() });
        if self.settings.queues.is_empty() {
            return refuse("a worker needs a queue to serve");
        }
        if self.handlers.is_empty() {
            return refuse("a worker needs a handler");
        }
        if self.settings.window == 0 {
            return refuse("a worker's window is at least 1");
        }
        Ok(Worker {
            client: self.client,
            settings: Arc::new(self.settings),
            handlers: self.handlers,
            stats: WorkerStats::default(),
        })
    }
}
