//! `cargo xtask promises FILE`: proves or refutes what is promised of budgets, from an event log alone.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use sluicegate_promises::{BudgetReport, Gap, Report, Worst, check};

/// What `--help` says beyond the first line.
pub const LONG_ABOUT: &str = "\
Proves or refutes, from an event log alone, what is promised of budgets (semantics 13)

The log is what `sluicegate serve --event-log FILE` appends; `-` reads it from standard input, so the pieces of a log that was \
moved away are judged as one: `cat log.2 log.1 log | cargo xtask promises -`.

Judged, for every budget and every interval, by exact arithmetic, with no knowledge of the scheduler:
  - while_in_flight: the costs in flight never exceed the allocation, but for what was in flight before a change.
  - time_based: in no interval of length t more is dispatched than capacity + allocation · t / duration + refunds. Each policy \
bounds its own time; restarts don't end an interval. What an operator puts in counts as a refund.
  - A pool pays only what it holds: its level is replayed, over changes (carried over), refunds, overruns and restarts, and \
must be what the log says wherever it says one.
  - A refund is no more than what was not used, and than the highest level since leaves room for; it is made once.
  - A lease ends once and releases what it debited; a dispatch debits each binding once, at its cost; no job is in flight \
twice; a deleted budget has nothing in flight; time never goes back within a run.

Not judged:
  - That a rate is used to 99 % while jobs wait for it: the log doesn't say why a job waits.
  - Jobs that were cancelled by force: their handlers may be at work after their lease has ended. They are counted.
  - What happened between the last line before a kill and the start after it. The start says what stands, and the difference \
is shown as a gap. Levels that fell count as dispatches; a level may have risen by what the leases that ended meanwhile had \
debited, and by nothing else. An operator who sets a level in the very moment of the kill is taken for a breach.

The margin of a budget is how much more it might have paid where it came nearest to its bound: in the worst interval, or at the \
worst instant. On a refutation the shortest interval that breaks a promise is named by its lines.

Exit code 0: all is proved. 1: something is refuted, or the log can't be read.";

/// Judges the log, prints the judgement, and fails where something is refuted.
pub fn run(log: &Path) -> Result<()> {
    let report = if log == Path::new("-") {
        check(io::stdin().lock())?
    } else {
        let file = File::open(log).with_context(|| format!("cannot read {}", log.display()))?;
        check(BufReader::new(file))?
    };
    println!("{}", table(&report.budgets));
    for note in notes(&report) {
        println!("{note}");
    }
    for breach in &report.breaches {
        println!("REFUTED by {breach}");
    }
    if !report.is_proved() {
        bail!("{} breaches, of which {} are shown", report.breaches_total, report.breaches.len());
    }
    println!("proved: {} lines, {} budgets", report.lines, report.budgets.len());
    Ok(())
}

fn table(budgets: &[BudgetReport]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["BUDGET", "POLICIES", "DISPATCHES", "TOKENS", "REFUNDED", "OVERRUN", "WORST", "MARGIN"]);
    for budget in budgets {
        let (worst, margin) = match &budget.worst {
            Some(worst) => (worst_text(worst), milli(worst.margin_milli())),
            None => ("-".to_owned(), "-".to_owned()),
        };
        table.add_row([
            budget.budget.clone(),
            budget.stretches.to_string(),
            budget.dispatches.to_string(),
            budget.cost.to_string(),
            milli(budget.refunded_milli),
            budget.overrun.to_string(),
            worst,
            margin,
        ]);
    }
    for numbers in [1, 2, 3, 4, 5, 7] {
        let column = table.column_mut(numbers).expect("the header has as many columns");
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn worst_text(worst: &Worst) -> String {
    match worst {
        Worst::Interval(interval, _) => {
            let span = span(interval.first.at, interval.last.at);
            format!("{span}, lines {} to {}", interval.first.line, interval.last.line)
        }
        Worst::Instant(instant) => {
            format!("{} of {}, line {}", instant.in_flight, instant.allocation, instant.mark.line)
        }
    }
}

/// What a reader has to know beyond the table.
fn notes(report: &Report) -> Vec<String> {
    let mut notes: Vec<String> = report.gaps.iter().map(gap_text).collect();
    let counted = [
        (report.torn, "lines were cut by a kill"),
        (
            report.jobs_unknown,
            "jobs were dispatched of whose bindings no line tells: their debits count, whether these are right isn't judged",
        ),
        (report.bindings_unknown, "jobs were dispatched whose bindings may have changed in a gap: not judged either"),
        (report.force_cancelled, "leases were ended by force: their handlers may have been at work for longer"),
        (report.in_flight, "leases are live at the end"),
    ];
    notes.extend(counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    notes
}

fn gap_text(gap: &Gap) -> String {
    let before = format!("before the start in line {}", gap.line);
    if gap.is_closed() {
        return format!("{before} no line is missing that would matter");
    }
    format!(
        "{before} lines are missing, of {}: {} leases ended and {} were dispatched, {} levels differ, {} budgets were changed",
        span(gap.from, gap.to),
        gap.ended,
        gap.dispatched,
        gap.levels,
        gap.changed
    )
}

/// The time from one instant to another; none where the clock was set back.
fn span(from: i64, to: i64) -> String {
    let nanos = u64::try_from(i128::from(to) - i128::from(from)).unwrap_or(0);
    humantime::format_duration(Duration::from_nanos(nanos)).to_string()
}

fn milli(milli: i128) -> String {
    let sign = if milli < 0 { "-" } else { "" };
    let (whole, rest) = (milli.unsigned_abs() / 1000, milli.unsigned_abs() % 1000);
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:03}") }
}
