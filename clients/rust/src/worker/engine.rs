//! A worker between its streams: what it holds, its handlers, and whether it works, drains or stops. Outlives every stream, and
//! goes on without one. Sends nothing.

use std::sync::Arc;

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::builder::Settings;
use super::context::CancelReason;
use super::inflight::{Confirmation, Inflight, Stop};
use super::outcome::settlement;
use super::runner::{Finished, Handlers, Runner};
use super::stats::{Ending, WorkerStats};
use crate::convert::duration_to_wire;
use crate::lease::LeasedJob;
use crate::wire;

/// How far a worker is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It takes jobs.
    Working,
    /// It takes none, and waits for its handlers.
    Draining { until: Instant },
    /// It has told its handlers to stop.
    Stopping { until: Instant },
    /// It waits for nothing any more.
    Over,
}

/// Something that happened here, not at the server.
pub(crate) enum LocalEvent {
    /// A handler has ended.
    Finished(Box<Finished>),
    /// The worker is to drain.
    Shutdown,
    /// The time of a phase is over.
    PhaseOver,
}

/// The part of a worker that outlives its streams.
pub(crate) struct Engine {
    pub settings: Arc<Settings>,
    pub inflight: Inflight,
    pub stats: WorkerStats,
    runner: Runner,
    shutdown: CancellationToken,
    phase: Phase,
}

impl Engine {
    pub fn new(settings: Arc<Settings>, handlers: Handlers, stats: WorkerStats, shutdown: CancellationToken) -> Self {
        Self {
            inflight: Inflight::new(settings.lease_total_max, rand::random()),
            runner: Runner::new(handlers, settings.window),
            stats,
            shutdown,
            phase: Phase::Working,
            settings,
        }
    }

    /// The next thing to happen here. Safe to drop at any point; what it returns must be [applied](Self::apply).
    pub async fn next_event(&mut self) -> LocalEvent {
        let is_working = self.phase == Phase::Working;
        let phase_end = match self.phase {
            Phase::Draining { until } | Phase::Stopping { until } => Some(until),
            Phase::Working | Phase::Over => None,
        };
        tokio::select! {
            finished = self.runner.next_finished() => LocalEvent::Finished(Box::new(finished)),
            () = self.shutdown.cancelled(), if is_working => LocalEvent::Shutdown,
            () = sleep_until(phase_end.unwrap_or_else(Instant::now)), if phase_end.is_some() => {
                LocalEvent::PhaseOver
            }
        }
    }

    /// Takes in what [`next_event`](Self::next_event) returned.
    pub fn apply(&mut self, event: LocalEvent, now: Instant) {
        match event {
            LocalEvent::Finished(finished) => self.finished(*finished, now),
            LocalEvent::Shutdown => self.drain(now),
            LocalEvent::PhaseOver => self.next_phase(now),
        }
        self.stats.set_in_hand(self.inflight.len());
    }

    fn finished(&mut self, finished: Finished, now: Instant) {
        let Finished { id, outcome, reports, stopped } = finished;
        let worker_stops = stopped == Some(CancelReason::WorkerStopping);
        let (settlement, ending) = settlement(id.as_str(), outcome, reports, worker_stops);
        let is_held = self.inflight.settle(&id, settlement, now);
        let ending = if is_held { ending } else { Ending::Lost };
        tracing::debug!(lease_id = %id, ?ending, "handler ended");
        self.stats.ended(ending);
        self.start_waiting();
    }

    fn start_waiting(&mut self) {
        let Self { runner, inflight, .. } = self;
        runner.start_waiting(|id| inflight.start(id));
    }

    /// Takes nothing more, and gives back what has no handler.
    fn drain(&mut self, now: Instant) {
        self.phase = Phase::Draining { until: now + self.settings.drain_grace };
        self.runner.clear_waiting();
        let released = self.inflight.release_waiting(now);
        for _ in &released {
            self.stats.ended(Ending::Released);
        }
        tracing::info!(handlers = self.runner.busy(), released = released.len(), "worker drains");
    }

    fn next_phase(&mut self, now: Instant) {
        if let Phase::Draining { .. } = self.phase {
            tracing::warn!(handlers = self.runner.busy(), "worker stops its handlers");
            self.phase = Phase::Stopping { until: now + self.settings.stop_grace };
            self.runner.stop_all(CancelReason::WorkerStopping);
        } else {
            self.phase = Phase::Over;
            self.runner.abort_all();
        }
    }

    /// Whether the worker is on its way out and has nothing left to wait for.
    pub fn is_done(&self) -> bool {
        match self.phase {
            Phase::Working => false,
            Phase::Draining { .. } | Phase::Stopping { .. } => self.runner.busy() == 0 && self.inflight.is_empty(),
            Phase::Over => true,
        }
    }

    /// Jobs that the server may let this worker hold: handlers whose leases are lost take places away.
    pub fn window(&self) -> u64 {
        match self.phase {
            Phase::Working => {
                let lost = self.runner.busy().saturating_sub(self.inflight.started());
                self.settings.window.saturating_sub(lost) as u64
            }
            Phase::Draining { .. } | Phase::Stopping { .. } | Phase::Over => 0,
        }
    }

    /// What opens a stream: who this worker is, and what it still holds (semantics 5.2).
    pub fn hello(&self) -> wire::WorkerHello {
        let settings = &self.settings;
        let queue = |name: &String| wire::WorkerQueue { name: name.clone() };
        wire::WorkerHello {
            worker_id: settings.worker_id.clone(),
            queues: settings.queues.iter().map(queue).collect(),
            window: Some(self.window_frame()),
            lease_duration: settings.lease_duration.map(duration_to_wire),
            held_leases: Some(wire::HeldLeases { lease_ids: self.inflight.lease_ids() }),
            confirms_receipt: true,
            ping_interval: Some(duration_to_wire(settings.ping_interval)),
            max_message_bytes: settings.max_message_bytes,
            client: Some(wire::ClientInfo {
                name: "sluicegate-client-rust".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            }),
        }
    }

    /// The window as it is now.
    pub fn window_frame(&self) -> wire::Window {
        wire::Window { max_jobs: self.window(), max_bytes: self.settings.window_bytes }
    }

    /// Takes in pushed jobs.
    pub fn pushed(&mut self, jobs: Vec<wire::LeasedJob>, now: Instant) {
        for job in jobs {
            match LeasedJob::from_wire(job) {
                Ok(job) => self.pushed_one(job, now),
                Err(error) => tracing::error!(%error, "a pushed job is incomplete; its lease will expire"),
            }
        }
        self.start_waiting();
        self.stats.set_in_hand(self.inflight.len());
    }

    fn pushed_one(&mut self, job: LeasedJob, now: Instant) {
        let Some(id) = self.inflight.pushed(&job, now) else { return };
        tracing::debug!(job_id = %job.id, lease_id = %id, attempt = job.attempt, "job pushed");
        if self.phase != Phase::Working || job.cancel_requested {
            self.inflight.release(&id, now);
            self.stats.ended(Ending::Released);
        } else {
            self.runner.enqueue(id, job);
        }
    }

    /// Takes in what a stream began with.
    pub fn welcomed(&mut self, lost_lease_ids: &[String], now: Instant) {
        let stops = self.inflight.welcomed(lost_lease_ids, now);
        self.stop(stops);
    }

    /// Takes in what became of settlements.
    pub fn settled(&mut self, results: &[wire::SettleResult], now: Instant) {
        for result in results {
            let lease_id = result.lease_id.as_str();
            let message = || result.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
            match self.inflight.confirmed(result, now) {
                Confirmation::Settled | Confirmation::Unknown => {}
                Confirmation::TooLate => tracing::warn!(lease_id, "the lease had ended before its settlement"),
                Confirmation::Retried => {
                    let message = message();
                    tracing::error!(lease_id, message, "settlement refused; sent again without what is optional");
                }
                Confirmation::Abandoned => {
                    let message = message();
                    tracing::error!(lease_id, message, "settlement refused; the lease will expire");
                }
            }
        }
        self.stats.set_in_hand(self.inflight.len());
    }

    /// Takes in what became of extensions.
    pub fn extended(&mut self, results: &[wire::ExtendResult], now: Instant) {
        let stops = results.iter().filter_map(|result| self.inflight.extended(result, now)).collect();
        self.stop(stops);
    }

    /// Takes in that leases were taken away, or are to be ended.
    pub fn revoked(&mut self, revoked: &wire::LeasesRevoked, now: Instant) {
        let reason = revoked.reason();
        let ids = revoked.lease_ids.iter();
        let stops = ids.filter_map(|id| self.inflight.revoked(id, reason, now)).collect();
        self.stop(stops);
    }

    fn stop(&mut self, stops: Vec<Stop>) {
        for (id, reason) in stops {
            tracing::debug!(lease_id = %id, ?reason, "handler is to stop");
            if !self.runner.stop(&id, reason) {
                let was_lost = reason == CancelReason::LeaseLost;
                self.stats.ended(if was_lost { Ending::Lost } else { Ending::Released });
            }
        }
        self.stats.set_in_hand(self.inflight.len());
    }

    /// Ends all handlers: they are told that their leases are lost, and dropped if they don't listen.
    pub async fn abandon(&mut self) {
        self.runner.clear_waiting();
        self.runner.stop_all(CancelReason::LeaseLost);
        let ends = async {
            while self.runner.busy() > 0 {
                self.runner.next_finished().await;
            }
        };
        if timeout(self.settings.stop_grace, ends).await.is_err() {
            self.runner.abort_all();
        }
        self.stats.set_in_hand(0);
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
