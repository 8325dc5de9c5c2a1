//! One stream, from Hello to its end. Owns frames, pings and the watch for silence; what frames mean is the engine's.

use std::future::pending;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

use super::backoff::Backoff;
use super::engine::{Engine, LocalEvent};
use crate::convert::duration_from_wire;
use crate::error::{Error, Result};
use crate::wire::job_service_client::JobServiceClient;
use crate::wire::{self, DispatchRequest, DispatchResponse, dispatch_request, dispatch_response};

/// How long connecting and the answer to a Hello may take.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);

/// How long a worker that leaves waits for the end of its stream.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);

/// Frames that may wait for the transport; beyond, none is made, and what they would say is gathered.
const OUTBOUND_FRAMES: usize = 16;

/// What a frame holds at most, in leases and in encoded bytes.
const FRAME_LEASES_MAX: usize = 256;
const FRAME_BYTES_MAX: usize = 1 << 20;

/// How many silent ping intervals a stream survives.
const SILENT_INTERVALS: u32 = 3;

/// How a stream ended.
pub(crate) enum End {
    /// The worker has left, or has nothing left to do.
    Left,
    /// It broke, or was never there.
    Broken(Error),
    /// The server shuts down, in its own good order.
    Draining { reconnect_after: Duration },
    /// Coming back is of no use.
    Fatal(Error),
}

/// Opens a stream and works on it to its end. Resets the backoff once the server has answered.
pub(crate) async fn run(service: JobServiceClient<Channel>, engine: &mut Engine, backoff: &mut Backoff) -> End {
    let hello = engine.hello();
    let announced_window = hello.window.as_ref().map_or(0, |window| window.max_jobs);
    let opening = timeout(OPEN_TIMEOUT, open(service, hello));
    tokio::pin!(opening);
    let opened = loop {
        tokio::select! {
            opened = &mut opening => break opened,
            event = engine.next_event() => engine.apply(event, Instant::now()),
        }
        if engine.is_done() {
            return End::Left;
        }
    };
    match opened {
        Ok(Ok((stream, welcome))) => {
            backoff.reset();
            let mut session = Session::new(engine, &welcome, announced_window, Instant::now());
            session.work(stream).await
        }
        Ok(Err(error)) => ended_by(error),
        Err(_) => End::Broken(silent("the server didn't answer the worker's Hello in time")),
    }
}

/// Both directions of a stream.
struct Stream {
    outbound: mpsc::Sender<DispatchRequest>,
    inbound: Streaming<DispatchResponse>,
}

async fn open(mut service: JobServiceClient<Channel>, hello: wire::WorkerHello) -> Result<(Stream, wire::Welcome)> {
    let (outbound, requests) = mpsc::channel(OUTBOUND_FRAMES);
    let hello = frame(dispatch_request::Frame::Hello(hello));
    outbound.try_send(hello).expect("a new channel has room");
    let mut inbound = service.dispatch(ReceiverStream::new(requests)).await?.into_inner();
    match inbound.message().await?.and_then(|first| first.frame) {
        Some(dispatch_response::Frame::Welcome(welcome)) => Ok((Stream { outbound, inbound }, welcome)),
        _ => Err(Error::UnexpectedAnswer { what: "welcome" }),
    }
}

fn frame(frame: dispatch_request::Frame) -> DispatchRequest {
    DispatchRequest { frame: Some(frame) }
}

fn silent(message: &str) -> Error {
    Error::Status(Box::new(Status::deadline_exceeded(message)))
}

/// What an error means for coming back.
fn ended_by(error: Error) -> End {
    match error {
        Error::SessionSuperseded { .. } | Error::InvalidField { .. } => End::Fatal(error),
        error => End::Broken(error),
    }
}

/// What wakes a session.
enum Event {
    Frame(std::result::Result<Option<DispatchResponse>, Status>),
    Local(LocalEvent),
    /// There is room for a frame, and something to say.
    Writable,
    /// A time has come.
    Due,
}

struct Session<'a> {
    engine: &'a mut Engine,
    /// The window that the server knows.
    announced_window: u64,
    frame_leases_max: usize,
    ping_interval: Option<Duration>,
    sent_at: Instant,
    heard_at: Instant,
    /// Set once the server has said that it goes.
    reconnect_after: Option<Duration>,
    /// Set once the worker has said that it goes.
    left_at: Option<Instant>,
}

impl<'a> Session<'a> {
    fn new(engine: &'a mut Engine, welcome: &wire::Welcome, announced_window: u64, now: Instant) -> Self {
        engine.stats.connected();
        engine.welcomed(&welcome.lost_lease_ids, now);
        tracing::info!(
            worker_id = engine.settings.worker_id,
            session_id = welcome.session_id,
            server_version = welcome.server_version,
            resumed = welcome.resumed_lease_ids.len(),
            lost = welcome.lost_lease_ids.len(),
            "worker connected"
        );
        let server_max = welcome.limits.as_ref().map_or(0, |limits| limits.max_lease_batch as usize);
        Self {
            announced_window,
            frame_leases_max: if server_max == 0 { FRAME_LEASES_MAX } else { server_max.min(FRAME_LEASES_MAX) },
            ping_interval: welcome.ping_interval.map(duration_from_wire).filter(|it| !it.is_zero()),
            sent_at: now,
            heard_at: now,
            reconnect_after: None,
            left_at: None,
            engine,
        }
    }

    /// Works until the stream ends, or has no more use.
    async fn work(&mut self, stream: Stream) -> End {
        let Stream { outbound, mut inbound } = stream;
        loop {
            let now = Instant::now();
            if let Some(end) = self.given_up(now) {
                return end;
            }
            let has_frame = self.send_due(now).is_some_and(|due| due <= now);
            let wake_at = self.wake_at(now, has_frame);
            let event = tokio::select! {
                frame = inbound.message() => Event::Frame(frame),
                event = self.engine.next_event() => Event::Local(event),
                Ok(permit) = outbound.reserve(), if has_frame => {
                    drop(permit);
                    Event::Writable
                }
                () = until(wake_at) => Event::Due,
            };
            let now = Instant::now();
            match event {
                Event::Frame(Ok(Some(received))) => self.received(received, now),
                Event::Frame(Ok(None)) => return self.ended_by_server(None),
                Event::Frame(Err(status)) => return self.ended_by_server(Some(status.into())),
                Event::Local(event) => self.engine.apply(event, now),
                Event::Writable => {
                    if let Some(next) = self.next_frame(now) {
                        // This task is the only sender, and has just seen that there is room.
                        outbound.try_send(frame(next)).ok();
                        self.sent_at = now;
                    }
                }
                Event::Due => {}
            }
        }
    }

    /// Why this side ends the stream, if it does.
    fn given_up(&self, now: Instant) -> Option<End> {
        if self.left_at.is_some_and(|left_at| now >= left_at + LEAVE_TIMEOUT) {
            tracing::warn!("the server didn't answer the worker's leaving in time");
            return Some(End::Left);
        }
        if self.silent_at().is_some_and(|silent_at| now >= silent_at) {
            return Some(End::Broken(silent("the server has been silent for three ping intervals")));
        }
        let reconnect_after = self.reconnect_after?;
        let is_free = self.engine.inflight.is_empty() && !self.engine.is_done();
        is_free.then_some(End::Draining { reconnect_after })
    }

    fn ended_by_server(&self, error: Option<Error>) -> End {
        if self.left_at.is_some() {
            return End::Left;
        }
        match (error, self.reconnect_after) {
            (Some(error @ (Error::SessionSuperseded { .. } | Error::InvalidField { .. })), _) => End::Fatal(error),
            (_, Some(reconnect_after)) => End::Draining { reconnect_after },
            (Some(error), None) => End::Broken(error),
            // A proxy that goes may look like a clean end.
            (None, None) => End::Broken(Error::UnexpectedAnswer { what: "the rest of the stream" }),
        }
    }

    fn silent_at(&self) -> Option<Instant> {
        self.ping_interval.map(|interval| self.heard_at + interval * SILENT_INTERVALS)
    }

    /// When there is something to send; none if nothing is foreseen.
    fn send_due(&self, now: Instant) -> Option<Instant> {
        if self.left_at.is_some() {
            return None;
        }
        if self.engine.window() != self.announced_window || self.engine.is_done() {
            return Some(now);
        }
        let inflight = &self.engine.inflight;
        let ping_due = self.ping_interval.map(|interval| self.sent_at + interval);
        let dues = [inflight.settle_due(), inflight.extend_due(), inflight.receipts_due(), ping_due];
        dues.into_iter().flatten().min()
    }

    /// When to look again if nothing happens before.
    fn wake_at(&self, now: Instant, has_frame: bool) -> Option<Instant> {
        // What is due waits for room, not for time.
        let send_at = if has_frame { None } else { self.send_due(now) };
        let left_over_at = self.left_at.map(|left_at| left_at + LEAVE_TIMEOUT);
        [send_at, self.silent_at(), left_over_at].into_iter().flatten().min()
    }

    /// The most urgent frame that is due. The window comes first, so that a drain isn't answered with more jobs.
    fn next_frame(&mut self, now: Instant) -> Option<dispatch_request::Frame> {
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now);
        let window = self.engine.window();
        if window != self.announced_window {
            self.announced_window = window;
            return Some(dispatch_request::Frame::Window(self.engine.window_frame()));
        }
        // A worker that leaves gathers nothing any more.
        let is_done = self.engine.is_done();
        if is_done || is_due(self.engine.inflight.settle_due()) {
            let outcomes = self.engine.inflight.take_settlements(self.frame_leases_max, FRAME_BYTES_MAX);
            if !outcomes.is_empty() {
                return Some(dispatch_request::Frame::Settle(wire::SettleLeases { outcomes }));
            }
        }
        if is_due(self.engine.inflight.extend_due()) {
            let lease_ids = self.engine.inflight.take_extensions(now, self.frame_leases_max);
            if !lease_ids.is_empty() {
                return Some(dispatch_request::Frame::Extend(wire::ExtendLeases { lease_ids }));
            }
        }
        if is_due(self.engine.inflight.receipts_due()) {
            let lease_ids = self.engine.inflight.take_receipts(self.frame_leases_max);
            if !lease_ids.is_empty() {
                return Some(dispatch_request::Frame::Received(wire::LeasesReceived { lease_ids }));
            }
        }
        if is_done && self.left_at.is_none() {
            self.left_at = Some(now);
            return Some(dispatch_request::Frame::Leaving(wire::WorkerLeaving {}));
        }
        is_due(self.ping_interval.map(|interval| self.sent_at + interval))
            .then_some(dispatch_request::Frame::Ping(wire::Ping {}))
    }

    fn received(&mut self, received: DispatchResponse, now: Instant) {
        self.heard_at = now;
        match received.frame {
            Some(dispatch_response::Frame::Jobs(pushed)) => self.engine.pushed(pushed.jobs, now),
            Some(dispatch_response::Frame::Settled(settled)) => self.engine.settled(&settled.results, now),
            Some(dispatch_response::Frame::Extended(extended)) => {
                self.engine.extended(&extended.results, now);
            }
            Some(dispatch_response::Frame::Revoked(revoked)) => self.engine.revoked(&revoked, now),
            Some(dispatch_response::Frame::Draining(draining)) => {
                let reconnect_after = draining.reconnect_after.map(duration_from_wire);
                self.reconnect_after = Some(reconnect_after.unwrap_or_default());
                tracing::info!(grace = ?draining.grace.map(duration_from_wire), "the server drains");
            }
            // Pings are heard, a second Welcome says nothing new, and frames of a newer server are to be ignored.
            Some(dispatch_response::Frame::Ping(_) | dispatch_response::Frame::Welcome(_)) | None => {}
        }
    }
}

/// Ends at an instant, or never.
async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => pending().await,
    }
}
