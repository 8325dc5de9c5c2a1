//! Lines to the harness, one at a time.

use std::io::{Write, stdout};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::{Value, json};

/// Where answers and events go. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Output(Sender<Value>);

impl Output {
    /// A writer with a thread of its own, so that a harness that reads slowly holds nothing up.
    pub fn start() -> Self {
        let (lines, written) = channel::<Value>();
        thread::spawn(move || {
            for line in written {
                let mut stdout = stdout().lock();
                if writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_err() {
                    return;
                }
            }
        });
        Self(lines)
    }

    /// What became of a command.
    pub fn answer(&self, id: &Value, answer: Result<Value, Value>) {
        self.line(match answer {
            Ok(value) => json!({ "id": id, "ok": value }),
            Err(error) => json!({ "id": id, "error": error }),
        });
    }

    /// Something that happened by itself.
    pub fn event(&self, event: Value) {
        self.line(event);
    }

    fn line(&self, line: Value) {
        // A harness that has gone reads nothing more.
        self.0.send(line).ok();
    }
}
