//! A run's figures side by side, and what they should have shown.

use std::fmt;
use std::time::Duration;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::{Figures, Mode, Plan, WARM_UP};

/// The least share of the tokens that has to be used for them to have been used.
const SHARE_MIN: f64 = 0.90;
/// The most that is used where every job reserves its worst case.
const SHARE_RESERVED_MAX: f64 = 0.60;
const COLUMNS: [&str; 8] = ["", "jobs", "requests", "429s early", "429s", "share used", "longest wait", "knocking"];

/// What was run, and what each of its modes came to.
pub struct Report {
    pub plan: Plan,
    pub rows: Vec<Figures>,
}

impl Report {
    /// What the run should have shown and didn't; empty after a good one.
    pub fn missed(&self) -> Vec<String> {
        let rows = self.plan.modes.iter().zip(&self.rows);
        rows.flat_map(|(mode, row)| missed_in(*mode, row).map(move |what| format!("{mode}: {what}"))).collect()
    }
}

/// What a mode should have shown and didn't.
fn missed_in(mode: Mode, row: &Figures) -> impl Iterator<Item = String> + use<> {
    let (once, calls, refused, percent) = (row.served_once, row.calls, row.refused, row.share_used() * 100.0);
    let refused_in_all = row.refused_early + refused;
    let mut missed = vec![(once == calls, format!("{once} of {calls} calls were served once; all should be"))];
    let none_refused = (refused == 0, format!("{refused} requests were refused; none should be"));
    match mode {
        Mode::Both => missed.extend([
            none_refused,
            (row.share_used() >= SHARE_MIN, format!("{percent:.0} % of the tokens were used; 90 % is the least")),
        ]),
        Mode::BothReserved => missed.extend([
            none_refused,
            (row.share_used() <= SHARE_RESERVED_MAX, format!("{percent:.0} % were used; that isn't a waste")),
        ]),
        Mode::CapOnly | Mode::TokensOnly | Mode::BothUnsettled => {
            missed.push((refused_in_all > 0, "nothing was refused: this doesn't show what is missing".to_owned()));
        }
    }
    missed.into_iter().filter_map(|(holds, what)| (!holds).then_some(what))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { jobs, speed, seed, .. } = self.plan;
        writeln!(f, "{jobs} jobs, {speed} times as fast as life, --seed {seed}")?;
        writeln!(f, "times are the endpoint's; shares and 429s are those after a warm-up of {WARM_UP:?}\n")?;
        let mut table = Table::new();
        table.load_style(NOTHING).set_header(COLUMNS);
        for (mode, row) in self.plan.modes.iter().zip(&self.rows) {
            let seconds = |wait: Duration| format!("{:.1} s", wait.as_secs_f64());
            table.add_row([
                mode.to_string(),
                row.calls.to_string(),
                row.requests.to_string(),
                row.refused_early.to_string(),
                row.refused.to_string(),
                format!("{:.1} %", row.share_used() * 100.0),
                seconds(row.wait_max),
                seconds(row.knocking_max),
            ]);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            column.set_cell_alignment(if index == 0 { CellAlignment::Left } else { CellAlignment::Right });
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        f.write_str(&lines.join("\n"))
    }
}
