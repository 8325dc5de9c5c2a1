//! Proves or refutes, from an event log alone, what Sluicegate promises of its budgets (semantics 13).
//!
//! It knows the rules and the form of a line, and nothing of the scheduler: not its code, not its state. What it reads,
//! it judges by its own arithmetic.
//!
//! - **`while_in_flight`**: at every instant the costs in flight are at most the allocation. The sum grows by dispatches
//!   alone, so it is judged at each of them.
//! - **`time_based`**: in every interval of length t the costs dispatched are at most capacity + N·t/D + refunds. The
//!   worst interval that ends with a dispatch is found in constant time, see [`spend`]; so all intervals are judged.
//! - What follows from the rules behind the promise is judged as well: a pool pays only what it holds (2.2), carries its
//!   level over as 7.2 and 7.3 say, gets nothing from a restart (2.3), and refunds no more than 9.2 allows; each lease
//!   ends once (5.5), and each dispatch debits each binding once (3.1).
//!
//! ```
//! let mut checker = sluicegate_promises::Checker::new();
//! checker.take(r#"{"at":0,"event":"start","format":1,"budgets":[],"leases":[]}"#);
//! assert!(checker.finish().is_proved());
//! ```
//!
//! # What a start tells
//!
//! A `start` says what stands: each budget's policy and level, and each live lease with its debits. After a `stop`, or
//! where nothing is missing, that is exactly what the lines before lead to. After a kill the last lines may be missing,
//! since they are written after the commit that makes them true. The start is then the truth, within what can have
//! happened meanwhile: a level may have fallen by dispatches (they count as dispatched at the start), and may have risen
//! by at most what the leases that have ended meanwhile had debited. Any other rise is a breach, unless the clock was set
//! back as well: then nothing tells for how long the pool dripped. What was dispatched and
//! ended in such a gap, and an operator's last change whose line is missing, can't be told apart; [`Gap`] names each.

mod account;
mod breach;
mod budget;
mod checker;
mod line;
mod report;
pub mod spend;
mod standing;
mod tokens;

use std::io::{self, BufRead};

pub use breach::{Breach, Fault};
pub use checker::Checker;
pub use report::{BudgetReport, Gap, Instant, Report, Worst};
pub use tokens::{Amount, Terms};

/// Judges a whole log.
///
/// # Errors
/// A log that can't be read. What can be read and is no log is a breach, not an error.
pub fn check(mut log: impl BufRead) -> io::Result<Report> {
    let mut checker = Checker::new();
    let mut line = Vec::new();
    while log.read_until(b'\n', &mut line)? > 0 {
        // A line that a power loss has cut may not even be text.
        checker.take(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(checker.finish())
}

#[cfg(test)]
mod tests;
