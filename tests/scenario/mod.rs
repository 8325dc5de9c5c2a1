//! The scenario runner: reads a story, plays it against the scheduler and a real redb store on a virtual clock, and
//! says which line isn't so.
//!
//! - `words`, [`parse`], `parse_policy`, `parse_jobs`: from text to the steps of `story`.
//! - [`run`]: plays the steps; `deeds`: what a story does; `checks`: what must be so; `cast`: who it speaks of.
//! - `world`, `disk`: the scheduler, the store and the clock.

mod cast;
mod checks;
mod deeds;
mod disk;
pub mod parse;
mod parse_jobs;
mod parse_policy;
mod reasons;
pub mod run;
pub mod selftest;
mod story;
mod words;
mod world;

use std::fmt;

/// A line that isn't so, or isn't a step at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// From 1; 0 where no line is at fault.
    pub line: usize,
    /// What the line says.
    pub text: String,
    /// What is wrong.
    pub trouble: Trouble,
}

/// What can be wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The line isn't a step.
    Unreadable(String),
    /// Something else is so.
    Mismatch { expected: String, so: String },
    /// The scheduler, the store or the story contradicts itself.
    Broken(String),
}

impl Trouble {
    /// Something else is so.
    pub fn mismatch(expected: impl Into<String>, so: impl Into<String>) -> Self {
        Self::Mismatch { expected: expected.into(), so: so.into() }
    }
}

impl From<String> for Trouble {
    fn from(problem: String) -> Self {
        Self::Broken(problem)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(problem) | Self::Broken(problem) => write!(f, "    {problem}"),
            Self::Mismatch { expected, so } => {
                write!(f, "    expected: {expected}\n    so:       {so}")
            }
        }
    }
}

impl Failure {
    /// The failure with its file in front, as an editor finds it.
    pub fn located(&self, file: &str) -> String {
        format!("{file}:{}: {}\n{}", self.line, self.text, self.trouble)
    }
}
