//! What a runner has told by itself, in order, and which of it a step has waited for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use crate::failure::{Failure, Outcome, within};
use crate::matching::mismatch;

/// The events of one runner.
#[derive(Default)]
pub(crate) struct Events {
    told: Mutex<Vec<Told>>,
    more: Notify,
    has_ended: AtomicBool,
}

struct Told {
    event: Value,
    was_awaited: bool,
}

impl Events {
    /// Adds one.
    pub fn add(&self, event: Value) {
        self.with(|told| told.push(Told { event, was_awaited: false }));
        self.more.notify_waiters();
    }

    /// Says that none will come any more.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.more.notify_waiters();
    }

    /// The first that matches and wasn't waited for before, now or later.
    pub async fn wait_for(&self, expected: &Value) -> Outcome<Value> {
        let waiting = async {
            loop {
                let more = self.more.notified();
                tokio::pin!(more);
                more.as_mut().enable();
                // Looked at first: what came before the end is there.
                let has_ended = self.has_ended.load(Ordering::Relaxed);
                if let Some(event) = self.take(expected) {
                    return Ok(event);
                }
                if has_ended {
                    return Err(Failure::from(format!("no event {expected}: the runner is gone")));
                }
                more.await;
            }
        };
        let waited = within(format!("no event {expected}"), waiting).await.and_then(|waited| waited);
        waited.map_err(|failure| {
            let last: Vec<String> =
                self.with(|told| told.iter().rev().take(10).rev().map(|told| told.event.to_string()).collect());
            failure.with(format!("the last events: [{}]", last.join(", ")))
        })
    }

    /// How many match, waited for or not.
    pub fn count(&self, expected: &Value) -> usize {
        self.with(|told| told.iter().filter(|told| mismatch(expected, &told.event).is_none()).count())
    }

    fn take(&self, expected: &Value) -> Option<Value> {
        self.with(|told| {
            let fits = |told: &&mut Told| !told.was_awaited && mismatch(expected, &told.event).is_none();
            let found = told.iter_mut().find(fits)?;
            found.was_awaited = true;
            Some(found.event.clone())
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Vec<Told>) -> T) -> T {
        change(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn each_event_is_waited_for_once_and_counted_always() {
        let events = Events::default();
        events.add(json!({ "event": "started", "jobId": "a" }));
        events.add(json!({ "event": "started", "jobId": "b" }));
        let started = json!({ "event": "started" });
        assert_eq!(events.wait_for(&started).await.unwrap()["jobId"], "a");
        assert_eq!(events.wait_for(&started).await.unwrap()["jobId"], "b");
        assert_eq!(events.count(&started), 2);
        let (found, ()) = tokio::join!(events.wait_for(&started), async {
            events.add(json!({ "event": "started", "jobId": "c" }));
        });
        assert_eq!(found.unwrap()["jobId"], "c");
        events.end();
        assert!(events.wait_for(&started).await.is_err());
    }
}
