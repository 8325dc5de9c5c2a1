//! Ours beside theirs, told on a terminal and as Markdown.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, TableStyle, presets};

use super::{CYCLE_JOBS_DIVISOR, Peer, WORKS, Work, named};
use crate::load::PAYLOAD_BYTES;
use crate::report::{align, number, table};
use crate::results::{Figure, Results};

const OURS: &str = "sluicegate";
/// The column that compares them.
const FASTER: &str = "ours, times as fast";
const FIGURES: [Figure; 6] = [Figure::Rate, Figure::P50, Figure::P99, Figure::Cpu, Figure::LoadCpu, Figure::Memory];

/// For people at a terminal. Nothing where no peers were asked for.
pub fn terminal(peers: &[Peer], results: &Results) -> String {
    if peers.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", comparison(peers, results, presets::NOTHING));
    for peer in peers {
        if let Err(reason) = &peer.server {
            let _ = writeln!(text, "Skipped: {}, since {reason:#}.", peer.name);
        }
    }
    text
}

/// A section of the report. Nothing where no peers were asked for.
pub fn markdown(peers: &[Peer], results: &Results) -> String {
    if peers.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n## Beside other servers\n\nThe same work in the same rounds, each server alone, on an empty directory of the same disk: \
         jobs with payloads of {PAYLOAD_BYTES} bytes, forgotten once they are done. Durability is the same: none answers before \
         what it answers is synced. (c) is of {CYCLE_JOBS_DIVISOR} times fewer jobs for the others. `load CPU` is what producers \
         and workers took: where it makes up about a core, the load was the limit, not the server. `{FASTER}` compares jobs a \
         second and, in (e), the times of half of the jobs.\n\n"
    );
    for peer in peers {
        let _ = match &peer.server {
            Ok(server) => writeln!(text, "- **{}**: {}", peer.name, server.description()),
            Err(reason) => writeln!(text, "- **{}**: skipped, since {reason:#}.", peer.name),
        };
    }
    if peers.iter().any(|peer| peer.server.is_ok()) {
        let _ = write!(text, "\n{}\n", comparison(peers, results, presets::ASCII_MARKDOWN));
    }
    text
}

/// For each work a row of ours and one of each peer, as far as they were measured.
fn comparison(peers: &[Peer], results: &Results, style: TableStyle) -> Table {
    let names = FIGURES.iter().map(|figure| figure.name());
    let header = ["", "server"].into_iter().chain(names).chain([FASTER]);
    let mut table = table(style, header.map(str::to_owned).collect());
    for (ours, work) in WORKS {
        let theirs = peers.iter().map(|peer| (peer.name, named(ours, peer.name)));
        for (server, case) in [(OURS, ours.to_owned())].into_iter().chain(theirs) {
            if results.cases().contains(&case) {
                let faster = times_as_fast(results, work, ours, &case).filter(|_| server != OURS);
                table.add_row(row(results, &case, [ours, server], faster));
            }
        }
    }
    align(&mut table);
    if let Some(server) = table.column_mut(1) {
        server.set_cell_alignment(CellAlignment::Left);
    }
    table
}

fn row(results: &Results, case: &str, names: [&str; 2], faster: Option<f64>) -> Vec<String> {
    let figures = FIGURES.iter().map(|figure| results.median(case, *figure)).chain([faster]);
    let cells = figures.map(|figure| figure.map_or_else(String::new, number));
    names.map(str::to_owned).into_iter().chain(cells).collect()
}

/// How many times as many jobs a second ours does or, where all are offered as many, in how many times less time.
fn times_as_fast(results: &Results, work: Work, ours: &str, theirs: &str) -> Option<f64> {
    let median = |case, figure| results.median(case, figure);
    match work {
        Work::Unary { .. } | Work::Cycle => Some(median(ours, Figure::Rate)? / median(theirs, Figure::Rate)?),
        Work::Delivery { .. } => Some(median(theirs, Figure::P50)? / median(ours, Figure::P50)?),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;
    use crate::results::Run;

    #[test]
    fn ratios_say_how_much_better_ours_is() {
        let mut results = Results::default();
        results.add("a", Run::default().with(Figure::Rate, 600.0).with(Figure::P50, 20.0));
        results.add("a, other", Run::default().with(Figure::Rate, 200.0).with(Figure::P50, 80.0));
        let ratio = |work, ours| times_as_fast(&results, work, ours, "a, other");
        assert_eq!(ratio(Work::Cycle, "a"), Some(3.0));
        assert_eq!(ratio(Work::Delivery { per_second: 1 }, "a"), Some(4.0));
        assert_eq!(ratio(Work::Cycle, "b"), None);
    }

    #[test]
    fn a_peer_that_is_not_there_is_named_with_the_reason() {
        let peers = [Peer { name: "other", server: Err(anyhow!("it isn't on PATH")) }];
        let expected = "- **other**: skipped, since it isn't on PATH.";
        assert!(markdown(&peers, &Results::default()).contains(expected));
        assert!(terminal(&peers, &Results::default()).contains("Skipped: other, since it isn't on PATH."));
        assert_eq!(markdown(&[], &Results::default()), "");
    }
}
