//! What goes wrong with a store, said so that its owner knows what to do about it.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use super::tables::Table;

/// Why a store can't be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process owns it.
    #[error("data directory {} is in use by another sluicegate server", .dir.display())]
    InUse {
        /// The data directory.
        dir: PathBuf,
    },
    /// It can't be opened.
    #[error("cannot open {}: {why}", .path.display())]
    Open {
        /// The file or directory at fault.
        path: PathBuf,
        /// What is wrong with it, and what would be right.
        why: String,
    },
    /// It was written by a version of the server that this one doesn't know.
    #[error("{location} has store format {found}; this server reads format {known}")]
    Format {
        /// Where the rows are.
        location: String,
        /// The format it has.
        found: u64,
        /// The format that would be right.
        known: u64,
    },
    /// A row isn't what it should be.
    #[error("{location}: {row}")]
    Row {
        /// Where the rows are.
        location: String,
        /// Which row, and what is wrong with it.
        row: RowError,
    },
    /// What the rows are kept by failed.
    #[error("{location}: {doing} failed: {source}")]
    Engine {
        /// Where the rows are.
        location: String,
        /// What was being done.
        doing: &'static str,
        /// What went wrong.
        source: Box<dyn Error + Send + Sync>,
    },
    /// An earlier commit failed, so that nobody knows what is stored.
    #[error("{location}: an earlier commit failed; the store must be opened again")]
    Spent {
        /// Where the rows are.
        location: String,
    },
}

/// Why a commit didn't succeed.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Another owner took over: nothing was written, and nothing ever will be.
    #[error("another server took over the store")]
    Fenced,
    /// It failed, and may be durable all the same.
    #[error("a commit failed, and may or may not be stored: {0}")]
    Unknown(#[source] StoreError),
}

/// A row that isn't what its table says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The row's table.
    pub table: Table,
    /// The row's key.
    pub key: Vec<u8>,
    /// What should be there.
    pub expected: &'static str,
    /// What is.
    pub found: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table {}, key ", self.table.name())?;
        for byte in &self.key {
            write!(f, "{byte:02x}")?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

impl Error for RowError {}
