//! What outlives the process: the scheduler's records as rows of a store, and the stores that hold them.
//!
//! Owns the shape of rows and keys, the format's versions, and how a commit becomes durable (semantics 10). Refuses
//! to know what a record means, when to commit, and what the time is.
//!
//! - [`Records`] is the front: records in, records out.
//! - [`Store`] is the seam: a batch of puts and deletes by (table, key), all or nothing. [`RedbStore`] is the
//!   embedded default, [`MemoryStore`] the one that forgets, [`NullStore`] the one that stores nothing.

mod batch;
mod codec;
mod error;
mod intern;
mod journal;
mod levels;
mod memory;
mod null;
mod records;
mod redb;
mod syncs;
mod tables;
#[cfg(test)]
mod tests;

pub use self::redb::{RedbConfig, RedbStore};
pub use batch::{Batch, Write};
pub use error::{CommitError, RowError, StoreError};
pub use journal::{AtOnce, Background, SegmentBytes, SegmentLimits, Work};
pub use memory::MemoryStore;
pub use null::NullStore;
pub use records::{Details, Records};
pub use syncs::Syncs;
pub use tables::Table;

/// Called with each row found: the index of its key in the question, and its value.
pub type Found<'a> = dyn FnMut(usize, &[u8]) -> Result<(), RowError> + 'a;

/// Called with each row of a scan: its key and its value.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> Result<(), RowError> + 'a;

/// When a commit may answer (semantics 10.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once it is on disk. One sync a commit.
    Immediate,
    /// Once the end of the process can't undo it. A power loss can, until the next [`Store::sync`].
    Relaxed,
}

/// Rows by (table, key), to be read. Keys are sorted as bytes, and grow with time wherever rows are many.
pub trait Rows {
    /// Calls `found` for each of `keys` that has a row, in any order.
    ///
    /// # Errors
    /// What the store or `found` fails with.
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError>;

    /// Calls `row` for each row whose key starts with `prefix`, in the order of their keys.
    ///
    /// # Errors
    /// What the store or `row` fails with.
    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError>;

    /// Where the rows are, for messages.
    fn location(&self) -> &str;
}

/// Rows that change by commits. A store has one owner, which sees all that it committed; it keeps others from committing
/// meanwhile, and says so where it lost that hold.
pub trait Store: Rows + Send {
    /// Does all writes of `batch`, in order, or none. An empty batch is fine.
    ///
    /// # Errors
    /// [`CommitError::Fenced`] where another owner took over: nothing was written. [`CommitError::Unknown`] where
    /// it failed: the writes may be durable all the same, so what memory holds is to be dropped, and the store to be
    /// opened again. The same goes for [`Store::sync`].
    fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), CommitError>;

    /// Puts every relaxed commit on disk.
    ///
    /// # Errors
    /// As [`Store::commit`].
    fn sync(&mut self) -> Result<(), CommitError>;

    /// Gives free space back to the disk, which takes as long as copying what is stored. Whether it gave any.
    ///
    /// # Errors
    /// What the store fails with.
    fn compact(&mut self) -> Result<bool, StoreError>;
}

/// What a journal puts its rows into in the end, while another thread reads them.
pub trait Base: Rows + Send + Sync {
    /// Does all `writes` or none, durably. Of two to one row the later one counts.
    ///
    /// # Errors
    /// What it fails with; the writes may be durable all the same.
    fn write(&self, writes: &mut dyn Iterator<Item = Write<'_>>) -> Result<(), StoreError>;

    /// The greatest key of a table's rows. None: there are none.
    ///
    /// # Errors
    /// What it fails with.
    fn greatest_key(&self, table: Table) -> Result<Option<Vec<u8>>, StoreError>;

    /// As [`Store::compact`].
    ///
    /// # Errors
    /// As [`Store::compact`].
    fn compact(&mut self) -> Result<bool, StoreError>;
}

/// A way to open one and the same store, time and again. The one opened before must be dropped first.
pub trait OpenStore: Send {
    /// Opens the store, and creates it where there is none.
    ///
    /// # Errors
    /// [`StoreError`] says what is wrong, and where.
    fn open(&self) -> Result<Box<dyn Store>, StoreError>;
}

impl<F> OpenStore for F
where
    F: Fn() -> Result<Box<dyn Store>, StoreError> + Send,
{
    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        self()
    }
}
