//! The event log: what has happened, a JSON object a line, in a file that is only appended to.
//!
//! Owns the form of a line, and the thread that writes them. Refuses to know what an event follows from, and when it is
//! true: whoever appends it has stored what makes it so.
//!
//! `docs/operations.md` describes the lines for those who read them.

mod file;
mod line;
mod writer;

pub use line::Line;
pub use writer::{EventLog, Unwritable};
