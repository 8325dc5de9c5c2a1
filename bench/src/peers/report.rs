//! Ours beside theirs, told on a terminal and as Markdown.

use std::fmt::Write;

use comfy_table::{Table, TableStyle, presets};

use super::{CYCLE_JOBS_DIVISOR, Peer, WORKS, named};
use crate::load::PAYLOAD_BYTES;
use crate::report::{align, number, table};
use crate::results::{Figure, Results};

const OURS: &str = "sluicegate";
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
         and workers took: where it makes up about a core, the load was the limit, not the server.\n\n"
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

/// For each work a row of ours and one of each peer that was measured.
fn comparison(peers: &[Peer], results: &Results, style: TableStyle) -> Table {
    let names = FIGURES.iter().map(|figure| figure.name());
    let header = ["", "server"].into_iter().chain(names).chain(["ours over its jobs/s", "its p50 over ours"]);
    let mut table = table(style, header.map(str::to_owned).collect());
    for (work, _) in WORKS {
        table.add_row(row(results, work, work, OURS));
        for peer in peers {
            let case = named(work, peer.name);
            if results.cases().contains(&case) {
                table.add_row(row(results, work, &case, peer.name));
            }
        }
    }
    align(&mut table);
    table
}

fn row(results: &Results, ours: &str, case: &str, server: &str) -> Vec<String> {
    let cell = |value: Option<f64>| value.map_or_else(String::new, number);
    let (rate, time) = if case == ours { (None, None) } else { ratios(results, ours, case) };
    let figures = FIGURES.iter().map(|figure| cell(results.median(case, *figure)));
    [ours.to_owned(), server.to_owned()].into_iter().chain(figures).chain([cell(rate), cell(time)]).collect()
}

/// How many times as many jobs a second ours does, and in how many times less time: the greater, the better for ours.
fn ratios(results: &Results, ours: &str, theirs: &str) -> (Option<f64>, Option<f64>) {
    let over = |one: &str, other: &str, figure| Some(results.median(one, figure)? / results.median(other, figure)?);
    (over(ours, theirs, Figure::Rate), over(theirs, ours, Figure::P50))
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
        assert_eq!(ratios(&results, "a", "a, other"), (Some(3.0), Some(4.0)));
        assert_eq!(ratios(&results, "b", "a, other"), (None, None));
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
