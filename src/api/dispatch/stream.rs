//! One open stream, from its Welcome to its end.

use std::collections::HashSet;
use std::future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use tokio::time::{Instant, Sleep, sleep};
use tonic::{Status, Streaming};

use super::asks::{Answer, Ask, Asks};
use super::outbox::Outbox;
use super::outlet::FrameSender;
use super::pings::{Due, Pings};
use crate::api::context::Context;
use crate::api::convert::lease::{Extensions, Settles, received};
use crate::api::convert::session::{Hello, window};
use crate::api::convert::time::wire_span;
use crate::api::convert::{At, Invalid};
use crate::api::errors;
use crate::api::proto as pb;
use crate::api::proto::dispatch_response::Frame;
use crate::driver::{Refusal, Session, SessionEvent};
use crate::scheduler::command::Unsettled;
use crate::scheduler::effect::RevokeReason;
use crate::scheduler::job::Name;
use crate::scheduler::units::{LeaseId, Nanos};

/// How many results may wait to be sent before no more is read.
const RESULTS_WAITING_MAX: usize = 64 << 10;
/// How long a worker that has closed its side, or said that it leaves, may leave unread what is still to be said to it.
const FAREWELL_WITHIN: Duration = Duration::from_secs(10);

/// A stream whose session is open, and what its worker is to be told of it.
pub struct Opened {
    /// Its session.
    pub session: Session,
    /// What its worker asked for.
    pub hello: Hello,
    /// The leases it took over.
    pub resumed: Vec<LeaseId>,
    /// The first frame.
    pub welcome: pb::Welcome,
}

/// A stream being served.
pub struct Conversation {
    context: Arc<Context>,
    inbound: Streaming<pb::DispatchRequest>,
    frames: FrameSender,
    worker: Name,
    /// Gone once the worker has closed its side: nothing is pushed any more.
    session: Option<Session>,
    /// Leases that were pushed on this stream, or taken over by it, and haven't ended.
    unsettled: HashSet<LeaseId>,
    asks: Asks,
    outbox: Outbox,
    pings: Pings,
    /// Whether frames were read in the last turn: silence counts only then.
    was_reading: bool,
    /// The worker sends nothing more: it has closed its side, or said that it leaves.
    heard_all: bool,
    /// Runs from then on, anew with every frame that the worker takes.
    farewell: Option<Pin<Box<Sleep>>>,
    /// The worker has left, so that jobs on their way to it are released.
    has_left: bool,
    /// Runs from the beginning of the server's shutdown.
    grace: Option<Pin<Box<Sleep>>>,
}

/// What happens next on a stream.
enum Turn {
    Gone,
    Room,
    Answer(Result<Answer, Refusal>),
    Event(Option<SessionEvent>),
    Frame(Result<Option<pb::DispatchRequest>, Status>),
    Drain,
    GraceOver,
    Unread,
    Due(Due),
}

impl Conversation {
    /// A stream whose Welcome is to be sent.
    pub fn new(
        context: Arc<Context>,
        inbound: Streaming<pb::DispatchRequest>,
        frames: FrameSender,
        opened: Opened,
    ) -> Self {
        let Opened { session, hello, resumed, welcome } = opened;
        let mut outbox = Outbox::new(hello.frame_bytes_max);
        outbox.put_urgent(Frame::Welcome(welcome));
        let permits = Arc::clone(&context.stream_commands);
        let asks = Asks::new(context.handle.clone(), session.id, permits);
        Self {
            context,
            inbound,
            frames,
            worker: hello.open.worker,
            session: Some(session),
            unsettled: resumed.into_iter().collect(),
            asks,
            outbox,
            pings: Pings::new(hello.ping_interval.map(|interval| Duration::from_nanos(interval.0))),
            was_reading: false,
            heard_all: false,
            farewell: None,
            has_left: false,
            grace: None,
        }
    }

    /// Serves the stream to its end. OK is an end that the worker asked for, or doesn't see any more.
    pub async fn run(mut self: Box<Self>) -> Result<(), Status> {
        loop {
            if self.is_quiet() {
                if self.heard_all {
                    return Ok(());
                }
                if self.grace.is_some() && self.unsettled.is_empty() {
                    return Err(errors::draining());
                }
            }
            if self.reads() && !self.was_reading {
                self.pings.heard();
            }
            self.was_reading = self.reads();
            match self.turn().await {
                Turn::Gone => return Ok(()),
                Turn::Room => self.send(),
                Turn::Answer(answer) => self.take_answer(answer?),
                Turn::Event(event) => self.take_event(event)?,
                Turn::Frame(frame) => self.take_frame(frame?)?,
                Turn::Drain => self.begin_drain(),
                Turn::GraceOver => return Err(errors::draining()),
                Turn::Unread => {
                    return Err(Status::deadline_exceeded("nothing was read for 10 s after the last frame"));
                }
                Turn::Due(due) => self.take_due(due)?,
            }
        }
    }

    /// Waits for what comes next. Nothing is lost where one comes before another.
    async fn turn(&mut self) -> Turn {
        let reads = self.reads();
        let has_frames = !self.outbox.is_empty();
        let is_draining = self.grace.is_some();
        tokio::select! {
            biased;
            () = self.frames.closed() => Turn::Gone,
            room = self.frames.reserve(), if has_frames => room.map_or(Turn::Gone, |_| Turn::Room),
            answer = self.asks.next() => Turn::Answer(answer),
            event = next_event(&mut self.session) => Turn::Event(event),
            frame = self.inbound.message(), if reads => Turn::Frame(frame),
            () = self.context.draining.cancelled(), if !is_draining => Turn::Drain,
            () = over(&mut self.grace) => Turn::GraceOver,
            () = over(&mut self.farewell), if has_frames => Turn::Unread,
            due = self.pings.due() => Turn::Due(due),
        }
    }

    /// Whether nothing is under way: all that was asked for is answered, and all that is to be said is said.
    fn is_quiet(&self) -> bool {
        let no_events = self.session.as_ref().is_none_or(|session| session.events.is_empty());
        no_events && self.asks.is_empty() && self.outbox.is_empty()
    }

    /// Whether the next frame is read.
    fn reads(&self) -> bool {
        !self.heard_all && !self.asks.is_full() && self.outbox.results_waiting() < RESULTS_WAITING_MAX
    }

    fn send(&mut self) {
        // Only this task sends, so the room that was found is there still.
        if let (Ok(room), Some(frame)) = (self.frames.try_reserve(), self.outbox.next_frame()) {
            room.send(Box::new(frame));
            self.pings.sent();
            if let Some(farewell) = &mut self.farewell {
                farewell.as_mut().reset(Instant::now() + FAREWELL_WITHIN);
            }
        }
    }

    fn take_answer(&mut self, answer: Answer) {
        match answer {
            Answer::Settled(settles, settled) => {
                for settled in &settled {
                    if matches!(settled.status, Ok(_) | Err(Unsettled::NotLive(_))) {
                        self.unsettled.remove(&settled.lease);
                    }
                }
                self.outbox.put_settled(settles.results(settled));
            }
            Answer::Extended(extensions, extended) => {
                for extended in &extended {
                    if extended.status.is_err() {
                        self.unsettled.remove(&extended.lease);
                    }
                }
                self.outbox.put_extended(extensions.results(extended));
            }
            Answer::Done => {}
        }
    }

    fn take_event(&mut self, event: Option<SessionEvent>) -> Result<(), Status> {
        match event {
            Some(SessionEvent::Jobs(jobs)) => {
                if !self.has_left {
                    self.unsettled.extend(jobs.iter().map(|job| job.lease.id));
                    self.outbox.put_jobs(jobs);
                }
            }
            Some(SessionEvent::Revoked(leases, reason)) => {
                if reason != RevokeReason::Cancelled {
                    for lease in &leases {
                        self.unsettled.remove(lease);
                    }
                }
                self.outbox.put_revoked(leases, reason);
            }
            Some(SessionEvent::Superseded) => return Err(errors::session_superseded(&self.worker)),
            Some(SessionEvent::StoreFailed) | None => {
                return Err(errors::store_unavailable("it failed while the stream was open"));
            }
        }
        Ok(())
    }

    fn take_frame(&mut self, frame: Option<pb::DispatchRequest>) -> Result<(), Status> {
        use pb::dispatch_request::Frame as Wire;

        self.pings.heard();
        let Some(frame) = frame else {
            return self.close_inbound();
        };
        let bytes = frame.encoded_len();
        let at = At::Root;
        let ask = match frame.frame {
            None => return Err(at.field("frame").invalid("is none that this server knows").into()),
            Some(Wire::Hello(_)) => return Err(at.field("hello").invalid("comes only once").into()),
            Some(Wire::Ping(pb::Ping {})) => return Ok(()),
            Some(Wire::Leaving(pb::WorkerLeaving {})) => self.leave(),
            Some(Wire::Window(wire)) => Ask::SetWindow(window(&at.field("window"), wire)?),
            Some(Wire::Received(pb::LeasesReceived { lease_ids })) => {
                let at = at.field("received");
                Ask::Confirm(received(&at.field("lease_ids"), &lease_ids)?)
            }
            Some(Wire::Settle(pb::SettleLeases { outcomes })) => settle(&at.field("settle"), outcomes)?,
            Some(Wire::Extend(pb::ExtendLeases { lease_ids })) => {
                let at = at.field("extend");
                let (extensions, leases) = Extensions::new(&at.field("lease_ids"), lease_ids)?;
                Ask::Extend(extensions, leases)
            }
        };
        self.asks.put(ask, bytes);
        Ok(())
    }

    /// The worker leaves: all it has is released, jobs on their way to it too.
    fn leave(&mut self) -> Ask {
        self.bid_farewell();
        self.has_left = true;
        self.outbox.drop_jobs();
        Ask::Leave
    }

    /// The worker has closed its side, or is gone, which looks the same: nothing more is pushed, and what was is sent.
    fn close_inbound(&mut self) -> Result<(), Status> {
        self.bid_farewell();
        if let Some(mut session) = self.session.take() {
            while let Ok(event) = session.events.try_recv() {
                self.take_event(Some(event))?;
            }
        }
        Ok(())
    }

    /// Nothing more is heard; what is left is to be taken in time.
    fn bid_farewell(&mut self) {
        self.heard_all = true;
        self.farewell = Some(Box::pin(sleep(FAREWELL_WITHIN)));
    }

    fn begin_drain(&mut self) {
        let grace = self.context.options.stream_grace();
        self.outbox.put_urgent(Frame::Draining(pb::ServerDraining {
            grace: Some(wire_span(nanos(grace))),
            reconnect_after: Some(wire_span(nanos(errors::RETRY_AFTER_DRAIN))),
        }));
        self.grace = Some(Box::pin(sleep(grace)));
    }

    fn take_due(&mut self, due: Due) -> Result<(), Status> {
        match due {
            Due::Ping => {
                self.outbox.put_ping();
                self.pings.sent();
            }
            // Nobody listened.
            Due::Silence if !self.reads() => self.pings.heard(),
            Due::Silence => return Err(Status::deadline_exceeded("nothing was heard for three ping intervals")),
        }
        Ok(())
    }
}

fn settle(at: &At<'_>, outcomes: Vec<pb::SettleOutcome>) -> Result<Ask, Invalid> {
    let (settles, outcomes) = Settles::new(&at.field("outcomes"), outcomes)?;
    Ok(Ask::Settle(settles, outcomes))
}

async fn next_event(session: &mut Option<Session>) -> Option<SessionEvent> {
    match session {
        Some(session) => session.events.recv().await,
        None => future::pending().await,
    }
}

async fn over(grace: &mut Option<Pin<Box<Sleep>>>) {
    match grace {
        Some(grace) => grace.await,
        None => future::pending().await,
    }
}

fn nanos(duration: Duration) -> Nanos {
    Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}
