//! Who listens: the open sessions, and how each is told.

use std::collections::HashMap;

use tokio::sync::mpsc::UnboundedSender;

use super::handle::SessionEvent;
use crate::scheduler::command::SessionMode;
use crate::scheduler::units::SessionId;

/// The sessions that the scheduler has and whose end it hasn't heard of.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    open: HashMap<SessionId, Listener>,
}

#[derive(Debug)]
struct Listener {
    events: UnboundedSender<SessionEvent>,
    /// Its first push is its last.
    is_once: bool,
}

impl Sessions {
    pub(super) fn insert(&mut self, session: SessionId, mode: &SessionMode, events: UnboundedSender<SessionEvent>) {
        let is_once = matches!(mode, SessionMode::Once { .. });
        self.open.insert(session, Listener { events, is_once });
    }

    /// Forgets a session; whether it was there.
    pub(super) fn remove(&mut self, session: SessionId) -> bool {
        self.open.remove(&session).is_some()
    }

    pub(super) fn is_open(&self, session: SessionId) -> bool {
        self.open.contains_key(&session)
    }

    /// Tells a session. Its answer ends a one-shot session.
    pub(super) fn send(&mut self, session: SessionId, event: SessionEvent) {
        let Some(listener) = self.open.get(&session) else {
            return;
        };
        let is_last = listener.is_once && matches!(event, SessionEvent::Jobs(_));
        // Where nobody listens any more, the end of the session is on its way.
        let _ = listener.events.send(event);
        if is_last {
            self.open.remove(&session);
        }
    }

    /// Ends all sessions: the store has failed.
    pub(super) fn fail(&mut self) {
        for (_, listener) in self.open.drain() {
            let _ = listener.events.send(SessionEvent::StoreFailed);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::error::TryRecvError;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::scheduler::units::Timestamp;

    const STREAM: SessionMode = SessionMode::Stream { confirms_receipt: false, held: None };
    const ONCE: SessionMode = SessionMode::Once { until: Timestamp::MAX, request: None };

    #[test]
    fn a_stream_hears_of_every_push_until_it_is_removed() {
        let mut sessions = Sessions::default();
        let (listener, mut events) = unbounded_channel();
        sessions.insert(SessionId(1), &STREAM, listener);

        sessions.send(SessionId(1), SessionEvent::Jobs(Vec::new()));
        sessions.send(SessionId(1), SessionEvent::Superseded);
        assert_eq!(events.try_recv(), Ok(SessionEvent::Jobs(Vec::new())));
        assert_eq!(events.try_recv(), Ok(SessionEvent::Superseded));
        assert_eq!(events.try_recv(), Err(TryRecvError::Empty));

        assert!(sessions.remove(SessionId(1)));
        assert!(!sessions.remove(SessionId(1)));
        assert_eq!(events.try_recv(), Err(TryRecvError::Disconnected));
    }

    #[test]
    fn the_first_push_ends_a_one_shot_session() {
        let mut sessions = Sessions::default();
        let (listener, mut events) = unbounded_channel();
        sessions.insert(SessionId(1), &ONCE, listener);

        sessions.send(SessionId(1), SessionEvent::Jobs(Vec::new()));
        assert!(!sessions.is_open(SessionId(1)));
        assert_eq!(events.try_recv(), Ok(SessionEvent::Jobs(Vec::new())));
        assert_eq!(events.try_recv(), Err(TryRecvError::Disconnected));
    }

    #[test]
    fn a_session_whose_receiver_is_gone_stays_until_its_end_is_heard_of() {
        let mut sessions = Sessions::default();
        let (listener, events) = unbounded_channel();
        sessions.insert(SessionId(1), &STREAM, listener);
        drop(events);

        sessions.send(SessionId(1), SessionEvent::Superseded);
        assert!(sessions.remove(SessionId(1)));
    }

    #[test]
    fn a_failed_store_ends_all_sessions() {
        let mut sessions = Sessions::default();
        let (listener, mut events) = unbounded_channel();
        sessions.insert(SessionId(1), &STREAM, listener.clone());
        sessions.insert(SessionId(2), &ONCE, listener);

        sessions.fail();
        assert_eq!(events.try_recv(), Ok(SessionEvent::StoreFailed));
        assert_eq!(events.try_recv(), Ok(SessionEvent::StoreFailed));
        assert_eq!(events.try_recv(), Err(TryRecvError::Disconnected));
    }
}
