//! The board: a table in place on a terminal, a line a second elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::cursor::MoveToPreviousLine;
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType};
use sluicegate_client::Budget;

use crate::cli::output::{self, Column, Rows};
use crate::cli::policy::Terms;

/// How things stand under one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BudgetRow {
    pub key: &'static str,
    pub available: i64,
    pub capacity: u64,
    /// Jobs in state ready, parked ones included.
    pub ready: u64,
    pub parked: u64,
    pub in_flight: u64,
    pub done: u64,
    /// All that were ever bound to it.
    pub bound: u64,
}

/// How things stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scene {
    pub elapsed: Duration,
    pub budgets: Vec<BudgetRow>,
    pub done: u64,
    pub total: u64,
}

/// Where scenes are shown.
pub(super) struct Board {
    is_terminal: bool,
    /// Lines of the scene that is on the terminal.
    lines_shown: u16,
}

const COLUMNS: &[Column] = &[
    Column::Left("BUDGET"),
    Column::Right("TOKENS"),
    Column::Right("READY"),
    Column::Right("OF THESE PARKED"),
    Column::Right("IN FLIGHT"),
    Column::Right("DONE"),
    Column::Left(""),
];
const BAR_CELLS: u64 = 24;

impl Board {
    pub fn new() -> Self {
        Self { is_terminal: io::stdout().is_terminal(), lines_shown: 0 }
    }

    /// Says what one is about to see.
    pub fn introduce(endpoint: &str, jobs: u64, window: usize, budgets: &[Budget]) -> io::Result<()> {
        output::line(format_args!(
            "A server at {endpoint} has {jobs} jobs, and a worker that would take {window} of them at once.\n\
             Two budgets hold them back; a third of the jobs is bound to each, and a third to both:"
        ))?;
        for budget in budgets {
            let terms = budget.policy.map(|policy| Terms(policy).to_string()).unwrap_or_default();
            output::line(format_args!("  {:6} {terms}", budget.key))?;
        }
        output::line(
            "A job goes out the moment every budget it is bound to can pay. One that can't be paid is parked,\n\
             and is woken by the token it waits for: nobody polls.\n",
        )
    }

    /// How long a scene stands.
    pub fn interval(&self) -> Duration {
        if self.is_terminal { Duration::from_millis(200) } else { Duration::from_secs(1) }
    }

    /// Shows a scene, on a terminal in place of the one before.
    pub fn show(&mut self, scene: &Scene, is_last: bool) -> io::Result<()> {
        if !self.is_terminal {
            return output::line(scene.line());
        }
        let text = scene.table();
        let mut terminal = io::stdout().lock();
        if self.lines_shown > 0 {
            queue!(terminal, MoveToPreviousLine(self.lines_shown), Clear(ClearType::FromCursorDown))?;
        }
        writeln!(terminal, "{text}")?;
        terminal.flush()?;
        self.lines_shown = if is_last { 0 } else { text.lines().count() as u16 };
        Ok(())
    }
}

impl Scene {
    fn table(&self) -> String {
        let mut rows = Rows::new(COLUMNS);
        for row in &self.budgets {
            rows.add([
                row.key.to_owned(),
                format!("{} of {}", row.available, row.capacity),
                row.ready.to_string(),
                row.parked.to_string(),
                row.in_flight.to_string(),
                format!("{} of {}", row.done, row.bound),
                bar(row.done, row.bound),
            ]);
        }
        format!("{rows}\n{} of {} jobs done, {:.1} s", self.done, self.total, self.elapsed.as_secs_f64())
    }

    fn line(&self) -> String {
        let mut line = format!("{:>3.0} s", self.elapsed.as_secs_f64());
        for row in &self.budgets {
            line += &format!(
                " | {}: {} of {} tokens, {} ready ({} parked), {} in flight, {} done",
                row.key, row.available, row.capacity, row.ready, row.parked, row.in_flight, row.done
            );
        }
        format!("{line} | {} of {} jobs done", self.done, self.total)
    }
}

/// How much of it is done, as a bar of fixed width. Rounded down: it is full when all is done, and not before.
fn bar(done: u64, of: u64) -> String {
    let full = (done * BAR_CELLS).checked_div(of).unwrap_or_default().min(BAR_CELLS) as usize;
    let empty = BAR_CELLS as usize - full;
    "█".repeat(full) + &"░".repeat(empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        let row = |key| BudgetRow {
            key,
            available: 1,
            capacity: 5,
            ready: 90,
            parked: 80,
            in_flight: 4,
            done: 6,
            bound: 100,
        };
        Scene { elapsed: Duration::from_millis(2_100), budgets: vec![row("slots"), row("rate")], done: 9, total: 150 }
    }

    #[test]
    fn a_bar_is_full_only_when_all_is_done() {
        let full = |done, of| bar(done, of).chars().filter(|cell| *cell == '█').count() as u64;
        assert_eq!(full(0, 100), 0);
        assert_eq!(full(99, 100), BAR_CELLS - 1);
        assert_eq!(full(100, 100), BAR_CELLS);
        assert_eq!(full(0, 0), 0);
        assert_eq!(bar(1, 2).chars().count() as u64, BAR_CELLS);
    }

    #[test]
    fn both_forms_say_the_same() {
        let table = scene().table();
        assert_eq!(table.lines().count(), 4);
        assert!(table.contains("1 of 5") && table.contains("9 of 150 jobs done, 2.1 s"), "{table}");
        let line = scene().line();
        assert!(line.contains("slots: 1 of 5 tokens, 90 ready (80 parked), 4 in flight, 6 done"), "{line}");
        assert!(line.ends_with("9 of 150 jobs done"), "{line}");
    }
}
