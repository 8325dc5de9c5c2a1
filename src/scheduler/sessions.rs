//! Who takes jobs: open streams and waiting calls, their windows, and the leases of each worker.

use std::collections::{BTreeMap, BTreeSet};

use super::Scheduler;
use super::command::{OpenSession, Reply, SessionMode, Window};
use super::config::Config;
use super::effect::RevokeReason;
use super::event::How;
use super::job::Name;
use super::lease::Receipt;
use super::leases::{End, Lease};
use super::life::ReleaseCause;
use super::queue::{SizeClass, WaitingSince};
use super::rejection::Rejection;
use super::sorted::Sorted;
use super::timers::Timer;
use super::units::{LeaseId, Nanos, QueueId, SessionId, Timestamp};
use super::validate;

/// One open stream or waiting call.
#[derive(Debug)]
pub struct Session {
    /// The worker's own id.
    pub worker: Name,
    /// The queues it serves.
    pub queues: Vec<QueueId>,
    /// What its leases are worth.
    pub lease: Nanos,
    /// The bodies it takes.
    pub class: SizeClass,
    /// How it takes jobs.
    pub mode: Mode,
    /// Its window.
    pub window: Window,
    /// It hadn't bytes enough for a job whose turn it was, and settled nothing since.
    pub full: bool,
    in_hand: Sorted<LeaseId>,
    bytes_in_hand: u64,
    /// Since when it waits, where it has room.
    idle: Option<WaitingSince>,
}

/// How a session takes jobs.
#[derive(Debug)]
pub enum Mode {
    /// A `Dispatch` stream, whose pushes are confirmed or not.
    Stream {
        /// Whether they are.
        confirms_receipt: bool,
    },
    /// A `LeaseJobs` call.
    Once {
        /// How long it waits.
        until: Timestamp,
        /// What the caller named it.
        request: Option<Name>,
    },
}

impl Session {
    fn has_room(&self) -> bool {
        (self.in_hand.len() as u64) < u64::from(self.window.jobs)
            && !self.full
            && (self.in_hand.is_empty() || self.bytes_in_hand < self.window.bytes)
    }

    /// Whether its window has bytes enough; with nothing in hand it gets one job whatever its size.
    pub fn has_bytes_for(&self, bytes: u32) -> bool {
        self.in_hand.is_empty() || self.bytes_in_hand + u64::from(bytes) <= self.window.bytes
    }

    /// Whether it has room for a job of this size.
    pub fn has_room_for(&self, bytes: u32) -> bool {
        self.has_room() && self.has_bytes_for(bytes)
    }

    /// A job was pushed to it, or it took over its lease.
    pub fn take(&mut self, lease: LeaseId, bytes: u32) {
        self.in_hand.insert(lease);
        self.bytes_in_hand += u64::from(bytes);
    }

    /// A lease in its hand has ended.
    pub fn give_back(&mut self, lease: LeaseId, bytes: u32) {
        if self.in_hand.remove(lease) {
            self.bytes_in_hand -= u64::from(bytes);
            self.full = false;
        }
    }

    /// What is known of a push to it.
    pub fn receipt(&self) -> Receipt {
        match self.mode {
            Mode::Stream { confirms_receipt: true } => Receipt::Awaited,
            _ => Receipt::Unneeded,
        }
    }

    /// What the caller named this call.
    pub fn request(&self) -> Option<&Name> {
        match &self.mode {
            Mode::Once { request, .. } => request.as_ref(),
            Mode::Stream { .. } => None,
        }
    }
}

/// What is known of a worker across its sessions.
#[derive(Debug, Default)]
struct Worker {
    stream: Option<SessionId>,
    leases: Sorted<LeaseId>,
}

/// All sessions and workers.
#[derive(Debug, Default)]
pub struct Sessions {
    rows: BTreeMap<SessionId, Session>,
    workers: BTreeMap<Name, Worker>,
    requests: BTreeMap<Name, BTreeSet<LeaseId>>,
    /// Calls that got something, to be answered when the step is over.
    pushed_once: BTreeSet<SessionId>,
    /// Calls that have waited long enough, to be answered with nothing unless this step has a job for them.
    overdue: BTreeSet<SessionId>,
    turns: u64,
}

impl Sessions {
    /// A session, if it is open.
    pub fn find(&self, id: SessionId) -> Option<&Session> {
        self.rows.get(&id)
    }

    /// An open session.
    pub fn get(&self, id: SessionId) -> &Session {
        self.rows.get(&id).expect("queues and leases refer to open sessions")
    }

    /// The leases of a worker id, of all its sessions.
    fn leases_of(&self, worker: &str) -> Vec<LeaseId> {
        self.workers.get(worker).map(|worker| worker.leases.iter().collect()).unwrap_or_default()
    }

    fn stream_of(&self, worker: &str) -> Option<SessionId> {
        self.workers.get(worker)?.stream
    }

    /// A call has waited long enough. What can be dispatched at that very instant it still gets, so that one that doesn't
    /// wait at all gets what is there.
    pub fn note_overdue(&mut self, id: SessionId) {
        self.overdue.insert(id);
    }

    /// A lease was granted or loaded.
    pub fn note_leased(&mut self, id: LeaseId, lease: &Lease) {
        self.workers.entry(Name::clone(&lease.record.worker)).or_default().leases.insert(id);
        if let Some(request) = &lease.record.request {
            self.requests.entry(Name::clone(request)).or_default().insert(id);
        }
    }

    /// A lease has ended.
    pub fn note_ended(&mut self, id: LeaseId, lease: &Lease) {
        if let Some(worker) = self.workers.get_mut(&lease.record.worker) {
            worker.leases.remove(id);
        }
        self.forget_unused(&lease.record.worker);
        if let Some(request) = &lease.record.request
            && let Some(leases) = self.requests.get_mut(request)
        {
            leases.remove(&id);
            if leases.is_empty() {
                self.requests.remove(request);
            }
        }
    }

    fn forget_unused(&mut self, worker: &str) {
        if self.workers.get(worker).is_some_and(|worker| worker.stream.is_none() && worker.leases.is_empty()) {
            self.workers.remove(worker);
        }
    }
}

impl Scheduler {
    pub(super) fn open_session(&mut self, now: Timestamp, open: OpenSession) -> Result<Reply, Rejection> {
        validate::session(&open)?;
        let limit = self.config.sessions_max;
        let supersedes =
            matches!(open.mode, SessionMode::Stream { .. }) && self.sessions.stream_of(&open.worker).is_some();
        if self.sessions.rows.len() as u64 >= limit && !supersedes {
            return Err(Rejection::Overloaded { what: "sessions", limit });
        }
        let id = open.session;
        let (mode, held) = match open.mode {
            SessionMode::Stream { confirms_receipt, held } => {
                if let Some(older) = self.sessions.stream_of(&open.worker) {
                    self.journal.supersede(older);
                    self.end_session(now, older);
                }
                (Mode::Stream { confirms_receipt }, held)
            }
            SessionMode::Once { until, request } => {
                if let Some(leases) = request.as_ref().and_then(|request| self.sessions.requests.get(request)) {
                    for lease in leases {
                        self.journal.push(id, *lease);
                    }
                    return Ok(Reply::Opened { resumed: Vec::new(), lost: Vec::new() });
                }
                self.timers.set(until, Timer::Session(id));
                (Mode::Once { until, request }, None)
            }
        };
        let queues: Vec<QueueId> = open.queues.iter().map(|name| self.queues.named(name)).collect();
        for queue in &queues {
            self.queues.get_mut(*queue).sessions.insert(id);
            self.queues.turn(*queue);
        }
        if let Mode::Stream { .. } = mode {
            self.sessions.workers.entry(Name::clone(&open.worker)).or_default().stream = Some(id);
        }
        let session = Session {
            worker: Name::clone(&open.worker),
            queues,
            lease: open.lease,
            class: SizeClass::within(open.body_bytes_max),
            mode,
            window: Window { jobs: 0, bytes: 0 },
            full: false,
            in_hand: Sorted::default(),
            bytes_in_hand: 0,
            idle: None,
        };
        self.sessions.rows.insert(id, session);
        let (resumed, lost) = self.take_over(now, id, &open.worker, held);
        self.change_session(now, id, |session| session.window = open.window);
        Ok(Reply::Opened { resumed, lost })
    }

    /// A stream that says which leases it has takes those over and ends the rest (semantics 5.2).
    fn take_over(
        &mut self,
        now: Timestamp,
        session: SessionId,
        worker: &str,
        held: Option<Vec<LeaseId>>,
    ) -> (Vec<LeaseId>, Vec<LeaseId>) {
        let Some(held) = held else { return (Vec::new(), Vec::new()) };
        let named: BTreeSet<LeaseId> = held.iter().copied().collect();
        let mut resumed = Vec::new();
        for id in self.sessions.leases_of(worker) {
            if named.contains(&id) {
                resumed.push(id);
                self.confirm(id);
                self.change_lease(id, |lease| {
                    lease.session = Some(session);
                    lease.confirm_by = None;
                });
                let lease = self.leases.get(id);
                let bytes = lease.body_bytes;
                if lease.record.cancelled {
                    self.tell_holder(id, RevokeReason::Cancelled);
                }
                self.change_session(now, session, |session| session.take(id, bytes));
                continue;
            }
            let end = match self.leases.get(id).record.receipt {
                Receipt::Awaited => End::Release(ReleaseCause::Unconfirmed, Nanos::ZERO),
                Receipt::Unneeded | Receipt::Confirmed => End::failure("worker restarted"),
            };
            self.end_lease(now, id, end, How::WorkerRestarted);
        }
        // They are taken over in id order.
        let lost = held.into_iter().filter(|id| resumed.binary_search(id).is_err()).collect();
        (resumed, lost)
    }

    pub(super) fn set_window(&mut self, now: Timestamp, id: SessionId, window: Window) -> Result<Reply, Rejection> {
        validate::window(window)?;
        if self.sessions.find(id).is_some() {
            self.change_session(now, id, |session| {
                session.window = window;
                session.full = false;
            });
        }
        Ok(Reply::Done)
    }

    /// The worker leaves: all that it has in hand goes back at once.
    pub(super) fn leave(&mut self, now: Timestamp, id: SessionId) -> Reply {
        if let Some(session) = self.sessions.find(id) {
            let in_hand: Vec<LeaseId> = session.in_hand.iter().collect();
            for lease in in_hand {
                self.end_lease(now, lease, End::Release(ReleaseCause::Returned, Nanos::ZERO), How::WorkerLeft);
            }
            self.end_session(now, id);
        }
        Reply::Done
    }

    /// The stream or call is gone; its leases live on until they expire, or until nobody confirms them in time.
    pub(super) fn end_session(&mut self, now: Timestamp, id: SessionId) {
        if self.sessions.find(id).is_none() {
            return;
        }
        self.change_session(now, id, |session| session.window = Window { jobs: 0, bytes: 0 });
        let session = self.sessions.rows.remove(&id).expect("found above");
        self.sessions.pushed_once.remove(&id);
        if let Mode::Once { until, .. } = session.mode {
            self.timers.unset(until, Timer::Session(id));
        }
        for queue in &session.queues {
            let row = self.queues.get_mut(*queue);
            row.sessions.remove(&id);
            if row.sessions.is_empty() {
                self.queues.turn(*queue);
            }
            self.queues.forget_unused(*queue);
        }
        if let Some(worker) = self.sessions.workers.get_mut(&session.worker)
            && worker.stream == Some(id)
        {
            worker.stream = None;
        }
        self.sessions.forget_unused(&session.worker);
        let heir = self.sessions.stream_of(&session.worker);
        for lease in session.in_hand.iter() {
            self.change_lease(lease, |lease| {
                lease.session = heir;
                if lease.record.receipt == Receipt::Awaited {
                    lease.confirm_by = Some(now + Config::CONFIRM_WITHIN);
                }
            });
            if let Some(heir) = heir {
                let bytes = self.leases.get(lease).body_bytes;
                self.change_session(now, heir, |session| session.take(lease, bytes));
            }
        }
    }

    /// Calls that got something are answered and over.
    pub(super) fn end_answered_calls(&mut self, now: Timestamp) {
        for id in std::mem::take(&mut self.sessions.pushed_once) {
            self.end_session(now, id);
        }
    }

    /// Calls that have waited long enough and got nothing are answered with nothing.
    pub(super) fn end_overdue_calls(&mut self, now: Timestamp) {
        for id in std::mem::take(&mut self.sessions.overdue) {
            if self.sessions.find(id).is_some() {
                self.journal.answer(id);
                self.end_session(now, id);
            }
        }
    }

    /// Changes a session, and with it whether and since when its queues can count on it.
    pub(super) fn change_session(&mut self, now: Timestamp, id: SessionId, change: impl FnOnce(&mut Session)) {
        let Some(session) = self.sessions.rows.get_mut(&id) else { return };
        let in_hand = session.in_hand.len();
        change(session);
        let pushed = session.in_hand.len() > in_hand;
        if pushed && matches!(session.mode, Mode::Once { .. }) {
            self.sessions.pushed_once.insert(id);
        }
        let session = self.sessions.rows.get_mut(&id).expect("found above");
        let before = session.idle;
        let after = match (session.has_room(), before) {
            (false, _) => None,
            (true, Some(since)) if !pushed => Some(since),
            (true, _) => {
                self.sessions.turns += 1;
                Some((now, self.sessions.turns))
            }
        };
        if before == after {
            return;
        }
        session.idle = after;
        for queue in &session.queues {
            let row = self.queues.get_mut(*queue);
            if let Some(since) = before {
                row.remove_idle(since, id, session.class);
            }
            if let Some(since) = after {
                row.add_idle(since, id, session.class);
            }
            // One that waits anew is counted on as before.
            if before.is_some() != after.is_some() {
                self.queues.offer_all(*queue);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{enqueue, plain_job, serve};
    use super::*;

    #[test]
    fn a_worker_without_a_stream_and_leases_is_forgotten() {
        let mut scheduler = Scheduler::new(crate::scheduler::Config::default());
        let now = Timestamp(0);
        enqueue(&mut scheduler, now, plain_job());
        serve(&mut scheduler, now);
        scheduler.end_session(now, SessionId(1));
        assert_eq!(scheduler.sessions.leases_of("w").len(), 1, "its lease lives on");
        scheduler.advance(now + Nanos::from_secs(30));
        assert!(scheduler.sessions.workers.is_empty(), "{:?}", scheduler.sessions.workers);
    }
}
