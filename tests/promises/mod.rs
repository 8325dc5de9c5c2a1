//! The promise checker beside a scheduler without a server: it hears what a log would tell, in the form of a log.

use sluicegate::event_log::Line;
use sluicegate::scheduler::event::{Event, Happened};
use sluicegate::scheduler::units::Timestamp;
use sluicegate_promises::Checker;

/// Hears all that happens, from a first start on.
#[derive(Default)]
pub struct Witness {
    checker: Checker,
    line: Vec<u8>,
}

impl Witness {
    /// These things have happened, and what makes them true is stored.
    pub fn hear(&mut self, events: Vec<Event>) {
        for event in events {
            self.line.clear();
            Line::of(&event).append_to(&mut self.line);
            let text = str::from_utf8(&self.line).expect("JSON is text");
            self.checker.take(text.trim_end());
        }
    }

    /// Whether it has heard anything yet.
    #[allow(dead_code, reason = "of all that share this only the simulation begins a log anew")]
    pub fn has_heard(&self) -> bool {
        !self.line.is_empty()
    }

    /// The scheduler ends here, and all was heard: what the next one starts with must follow from it.
    pub fn hear_all_is_told(&mut self, at: Timestamp) {
        self.hear(vec![Event { at, what: Happened::Stopped }]);
    }

    /// Whether all that is promised was kept; what wasn't, in words.
    pub fn judge(self) -> Result<(), String> {
        let report = self.checker.finish();
        match report.breaches.first() {
            None => Ok(()),
            Some(breach) => Err(format!("{} promises are broken, the first by {breach}", report.breaches_total)),
        }
    }
}
