//! Workers: their sessions, windows and who has waited longest (semantics 4.5, 5.2, 5.3).

use std::collections::BTreeSet;

use sluicegate::scheduler::command::{Ended, OpenSession, SessionMode, Window};
use sluicegate::scheduler::effect::{Effect, RevokeReason};
use sluicegate::scheduler::lease::Receipt;
use sluicegate::scheduler::units::{LeaseId, Nanos, SessionId};
use sluicegate::scheduler::{Config, Rejection, Reply};

use super::leases::{Cause, FAILED, How};
use super::{Answer, Lease, Naive, Session};

impl Session {
    pub fn is_stream(&self) -> bool {
        matches!(self.mode, SessionMode::Stream { .. })
    }

    /// Whether it could ever be sent a body of this size: the largest power of two times 32 KiB that its messages hold
    /// bounds it, as workers are counted by that.
    pub fn takes(&self, bytes: u32) -> bool {
        const UNIT: u32 = 32 * 1024;
        let units = (self.body_bytes_max / UNIT).max(1);
        u64::from(bytes) <= u64::from(UNIT) << units.ilog2()
    }
}

impl Naive {
    pub fn session_mut(&mut self, id: SessionId) -> &mut Session {
        self.sessions.iter_mut().find(|session| session.id == id).expect("an open session")
    }

    fn in_hand(&self, id: SessionId) -> impl Iterator<Item = &Lease> {
        self.leases.iter().filter(move |lease| lease.session == Some(id))
    }

    pub fn has_room(&self, session: &Session) -> bool {
        let (mut jobs, mut bytes) = (0, 0);
        for lease in self.in_hand(session.id) {
            (jobs, bytes) = (jobs + 1, bytes + u64::from(lease.body_bytes));
        }
        jobs < session.window.jobs && !session.full && (jobs == 0 || bytes < session.window.bytes)
    }

    /// With nothing in hand it gets one job whatever its size.
    pub fn has_bytes_for(&self, session: &Session, bytes: u32) -> bool {
        let mut in_hand = self.in_hand(session.id).map(|lease| u64::from(lease.body_bytes)).peekable();
        in_hand.peek().is_none() || in_hand.sum::<u64>() + u64::from(bytes) <= session.window.bytes
    }

    /// It waits since its last push, or since it got room again, whichever is later (semantics 4.5).
    pub fn refresh(&mut self, id: SessionId, pushed: bool) {
        let Some(session) = self.sessions.iter().find(|session| session.id == id) else { return };
        let waits_since = match session.waits_since {
            _ if !self.has_room(session) => None,
            Some(since) if !pushed => Some(since),
            _ => {
                self.turns += 1;
                Some((self.now, self.turns))
            }
        };
        let session = self.session_mut(id);
        session.waits_since = waits_since;
        if waits_since.is_none() {
            session.had_room_for.clear();
        }
    }

    fn stream_of(&self, worker: &str) -> Option<SessionId> {
        self.sessions.iter().find(|session| session.is_stream() && *session.worker == *worker).map(|session| session.id)
    }

    pub fn open_session(&mut self, open: &OpenSession) -> Answer {
        let limit = self.config.sessions_max;
        let is_stream = matches!(open.mode, SessionMode::Stream { .. });
        let older = self.stream_of(&open.worker).filter(|_| is_stream);
        if self.sessions.len() as u64 >= limit && older.is_none() {
            return Err(Rejection::Overloaded { what: "sessions", limit });
        }
        if let Some(older) = older {
            self.told.push(Effect::Supersede(older));
            self.close_session(older);
        }
        if let SessionMode::Once { request: Some(request), .. } = &open.mode {
            let asked = self.leases.iter().filter(|lease| lease.record.request.as_ref() == Some(request));
            let again: Vec<LeaseId> = asked.map(|lease| lease.record.id).collect();
            if !again.is_empty() {
                self.pushed.insert(open.session, again);
                return Ok(Reply::Opened { resumed: Vec::new(), lost: Vec::new() });
            }
        }
        let (resumed, lost) = match &open.mode {
            SessionMode::Stream { held: Some(held), .. } => self.take_over(open, held),
            _ => (Vec::new(), Vec::new()),
        };
        self.sessions.push(Session {
            id: open.session,
            worker: open.worker.clone(),
            queues: open.queues.clone(),
            window: open.window,
            lease: open.lease,
            body_bytes_max: open.body_bytes_max,
            mode: open.mode.clone(),
            full: false,
            answered: false,
            waits_since: None,
            had_room_for: BTreeSet::new(),
        });
        self.refresh(open.session, false);
        Ok(Reply::Opened { resumed, lost })
    }

    /// Those named are confirmed and count in the window; those not named end at once (semantics 5.2).
    fn take_over(&mut self, open: &OpenSession, held: &[LeaseId]) -> (Vec<LeaseId>, Vec<LeaseId>) {
        let of_worker = self.leases.iter().filter(|lease| lease.record.worker == open.worker);
        let (named, others): (Vec<LeaseId>, Vec<LeaseId>) =
            of_worker.map(|lease| lease.record.id).partition(|id| held.contains(id));
        for id in &named {
            self.confirm(*id);
            self.met.push("leases taken over");
            let lease = self.lease_mut(*id);
            (lease.session, lease.confirm_by) = (Some(open.session), None);
            if lease.record.cancelled {
                self.met.push("cancelled leases taken over");
                self.told.push(Effect::Revoke(open.session, vec![*id], RevokeReason::Cancelled));
            }
        }
        for id in others {
            let how = match self.lease_mut(id).record.receipt {
                Receipt::Awaited => How::Release(Cause::Unconfirmed, Nanos::ZERO),
                Receipt::Confirmed | Receipt::Unneeded => FAILED,
            };
            self.end_lease(id, how, Ended::Lost);
        }
        let lost = held.iter().copied().filter(|id| !named.contains(id)).collect();
        (named, lost)
    }

    pub fn set_window(&mut self, id: SessionId, window: Window) -> Reply {
        if let Some(session) = self.sessions.iter_mut().find(|session| session.id == id) {
            (session.window, session.full) = (window, false);
            self.refresh(id, false);
        }
        Reply::Done
    }

    pub fn leave(&mut self, id: SessionId) -> Reply {
        let in_hand: Vec<LeaseId> = self.in_hand(id).map(|lease| lease.record.id).collect();
        for lease in in_hand {
            self.end_lease(lease, How::Release(Cause::Returned, Nanos::ZERO), Ended::Lost);
        }
        self.close_session(id)
    }

    /// Its leases live on: those of a call in the window of its worker's stream, unconfirmed ones for 10 s only.
    pub fn close_session(&mut self, id: SessionId) -> Reply {
        let Some(index) = self.sessions.iter().position(|session| session.id == id) else { return Reply::Done };
        let session = self.sessions.remove(index);
        self.note_gates();
        let heir = self.stream_of(&session.worker);
        let in_hand: Vec<LeaseId> = self.in_hand(id).map(|lease| lease.record.id).collect();
        for id in in_hand {
            let confirm_by = self.now + Config::CONFIRM_WITHIN;
            let lease = self.lease_mut(id);
            lease.session = heir;
            if lease.record.receipt == Receipt::Awaited {
                lease.confirm_by = Some(confirm_by);
            }
            if let Some(heir) = heir {
                self.refresh(heir, true);
            }
        }
        Reply::Done
    }
}
