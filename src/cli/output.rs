//! What commands print: tables for people, JSON for programs, all of it to standard output.

use std::fmt;
use std::io::{self, Write};

use clap::{Args, ValueEnum};
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};
use serde::Serialize;

/// The flag that says for whom a command prints.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct OutputArgs {
    /// For whom to print
    #[arg(long, short, value_enum, default_value_t = Output::Table)]
    pub output: Output,
}

/// For whom a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people
    Table,
    /// For programs: a JSON object a line, with the names and forms of protobuf's JSON mapping (64-bit numbers are strings)
    Json,
}

/// Prints one line.
pub(super) fn line(text: impl fmt::Display) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// Prints one JSON object, on one line.
pub(super) fn json(value: &impl Serialize) -> io::Result<()> {
    line(serde_json::to_string(value)?)
}

/// Which way the cells of a column are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// For words.
    Left(&'static str),
    /// For numbers.
    Right(&'static str),
}

/// A table for people: a header, and columns set apart by spaces, so that it can be cut and searched.
pub(super) struct Rows {
    columns: &'static [Column],
    table: Table,
}

impl Rows {
    /// A table without rows.
    pub fn new(columns: &'static [Column]) -> Self {
        let mut table = Table::new();
        table.load_style(NOTHING);
        table.set_header(columns.iter().map(|column| match column {
            Column::Left(title) => Cell::new(title),
            Column::Right(title) => Cell::new(title).set_alignment(CellAlignment::Right),
        }));
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        Self { columns, table }
    }

    /// Adds a row, with a cell for each column.
    pub fn add(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().zip(self.columns).map(|(text, column)| match column {
            Column::Left(_) => Cell::new(printable(&text)),
            Column::Right(_) => Cell::new(text).set_alignment(CellAlignment::Right),
        });
        self.table.add_row(cells);
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Prints it, or `nothing` (to standard error) where it has no rows.
    pub fn print(&self, nothing: &str) -> io::Result<()> {
        if self.table.is_empty() {
            eprintln!("{nothing}");
            return Ok(());
        }
        line(self)
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.table.lines().map(|line| line.trim_end().to_owned()).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// Names and values for people, one pair a line.
#[derive(Default)]
pub(super) struct Facts {
    pairs: Vec<(&'static str, String)>,
}

impl Facts {
    /// Adds a pair.
    pub fn add(&mut self, name: &'static str, value: impl fmt::Display) {
        self.pairs.push((name, value.to_string()));
    }

    /// Adds a pair, if there is a value.
    pub fn add_if(&mut self, name: &'static str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Prints them.
    pub fn print(&self) -> io::Result<()> {
        line(self)
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.pairs.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (index, (name, value)) in self.pairs.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{name:width$}  {}", printable(value))?;
        }
        Ok(())
    }
}

/// What others wrote, without what a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_right_and_words_left() {
        let mut rows = Rows::new(&[Column::Left("KEY"), Column::Right("PARKED")]);
        rows.add(["a".to_owned(), "5".to_owned()]);
        rows.add(["longer".to_owned(), "12345678".to_owned()]);
        let text = rows.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].trim_start().starts_with("KEY") && lines[0].ends_with("PARKED"), "{text}");
        assert!(lines[1].ends_with("       5") && lines[2].ends_with("12345678"), "{text}");
    }

    #[test]
    fn facts_are_aligned_and_what_is_missing_is_left_out() {
        let mut facts = Facts::default();
        facts.add("id", "j1");
        facts.add_if("lease", None::<&str>);
        facts.add_if("queue", Some("q"));
        assert_eq!(facts.to_string(), "id     j1\nqueue  q");
    }

    #[test]
    fn a_terminal_obeys_nobody_elses_text() {
        assert_eq!(printable("a\u{1b}[2Jb\tc\n"), "a\u{fffd}[2Jb\tc\n");
    }
}
