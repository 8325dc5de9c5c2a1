//! What was measured, told on a terminal and as Markdown.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, TableStyle, presets};

use crate::lines::{self, Bound};
use crate::peers::{self, Peer};
use crate::results::{Figure, Results, Summary};
use crate::{machine, workloads};

/// A disk whose rounds were further apart than this has changed meanwhile.
const DRIFT: f64 = 1.5;

/// For people at a terminal.
pub fn terminal(results: &Results, peers: &[Peer]) -> String {
    let mut text = format!("{}\n\n{}\n", figures(results, presets::NOTHING), own_figures(results, presets::NOTHING));
    let _ = write!(text, "\n{}\n{}\n", lines_table(results, presets::NOTHING), drift(results));
    text.push_str(&peers::report::terminal(peers, results));
    let left_out = lines::left_out(results);
    if !left_out.is_empty() {
        let _ = writeln!(text, "Left out, since figures are missing: {}.", left_out.join("; "));
    }
    text
}

/// For whoever wants to compare.
pub fn markdown(results: &Results, peers: &[Peer], rounds: u32) -> String {
    let mut text = String::from(METHOD);
    let (machine, drift) = (machine::description(), drift(results));
    let size = if results.is_full() { "full" } else { "quick" };
    let _ = write!(text, "\n## Where\n\n{machine}; {rounds} rounds of the {size} size. {drift}\n");
    let _ = write!(text, "\n## Lines\n\n{}\n", lines_table(results, presets::ASCII_MARKDOWN));
    text.push_str(&peers::report::markdown(peers, results));
    let _ = write!(text, "\n## Figures\n\nMedians.\n\n{}\n", figures(results, presets::ASCII_MARKDOWN));
    let _ = write!(text, "\n{}\n", own_figures(results, presets::ASCII_MARKDOWN));
    let _ = write!(text, "\n## Spread\n\nThe least and the largest of all rounds.\n\n{}\n", spread(results));
    text.push_str("\n## Workloads\n\n");
    for workload in workloads::ALL {
        let _ = writeln!(text, "- **{}**: {}", workload.name, workload.what);
    }
    text
}

const METHOD: &str = "\
# Performance

What a server does on one machine, beside what the disk, gRPC and the store would do there without it. Figures of one machine \
at one time say little; their ratios to such floors carry over.

`cargo xtask bench --write docs/performance.md` measures all of it again and writes this page; `--quick` takes about two minutes.

## Method

- Each workload has a server of its own, started on an empty store with its defaults (`immediate` durability: one sync a \
commit), built with `--profile dist`. The load comes over gRPC from another process, which uses one thread; on two cores \
that leaves one to the server, whose two threads would use more. Jobs are sent as they were encoded once, and of what comes \
only ids are read, so that making the load costs little.
- Floors are measured in the same round as what is compared with them: `fdatasync` of one page; a bare tonic server with \
messages of 300 bytes; the same server with a store that stores nothing; and the rows of whole cycles, as the scheduler \
makes them, put straight into redb in batches of the size that the server's own commits had.
- Times are from hdrhistograms. Deliveries (e, h) are counted from the instant at which a job was due, whatever became of \
those before it. `decision` is what the scheduler took, inside the server, to meet what was due and to dispatch all of a turn, over the jobs \
that it dispatched in that turn. `CPU` is that of all the server's threads.
- Everything is run in rounds, one after the other; medians of the rounds are shown, and below how far they were apart.
";

/// An empty table.
pub fn table(style: TableStyle, header: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_style(style).set_header(header);
    table
}

/// Aligns numbers: all columns but the first.
pub fn align(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn figures(results: &Results, style: TableStyle) -> Table {
    rows(results, style, |summary| number(summary.median))
}

fn spread(results: &Results) -> Table {
    rows(results, presets::ASCII_MARKDOWN, |summary| format!("{}–{}", number(summary.min), number(summary.max)))
}

fn rows(results: &Results, style: TableStyle, shown: impl Fn(Summary) -> String) -> Table {
    let names = Figure::COLUMNS.iter().map(|figure| figure.name().to_owned());
    let mut table = table(style, std::iter::once(String::new()).chain(names).collect());
    for case in results.cases() {
        let cells =
            Figure::COLUMNS.iter().map(|figure| results.summary(case, *figure).map_or_else(String::new, &shown));
        table.add_row(std::iter::once(case.clone()).chain(cells));
    }
    align(&mut table);
    table
}

fn own_figures(results: &Results, style: TableStyle) -> Table {
    let mut table = table(style, vec![String::new(), "figure".to_owned(), "median".to_owned()]);
    for case in results.cases() {
        for figure in results.own(case) {
            let summary = results.summary(case, figure).expect("it was measured");
            table.add_row([case.clone(), figure.name().to_owned(), number(summary.median)]);
        }
    }
    table
}

fn lines_table(results: &Results, style: TableStyle) -> Table {
    let header = ["", "measured", "to keep", ""].map(str::to_owned).to_vec();
    let mut table = table(style, header);
    for judged in lines::judge(results) {
        let bound = match judged.bound {
            Bound::AtLeast(bound) => format!("≥ {}", number(bound)),
            Bound::AtMost(bound) => format!("≤ {}", number(bound)),
        };
        let kept = if judged.is_kept() { "kept" } else { "NOT KEPT" };
        table.add_row([judged.what.to_owned(), number(judged.value), bound, kept.to_owned()]);
    }
    align(&mut table);
    table
}

fn drift(results: &Results) -> String {
    let Some(disk) = results.summary("disk", Figure::P50) else { return String::new() };
    if disk.max > disk.min * DRIFT {
        format!(
            "The machine drifted: a sync took {} µs in one round and {} µs in another.",
            number(disk.min),
            number(disk.max)
        )
    } else {
        format!("A sync takes {} µs.", number(disk.median))
    }
}

/// Three digits or more.
pub fn number(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
