//! A store in memory, which lasts as long as anybody holds a handle to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Batch, CommitError, Durability, Found, OpenStore, Rows, Store, StoreError, Table, Visit, Write};

/// Rows in memory. A clone is another handle to the same rows: opening one stands for opening a file.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    rows: Arc<Mutex<Contents>>,
}

type Contents = BTreeMap<(Table, Vec<u8>), Vec<u8>>;

impl MemoryStore {
    /// All rows, sorted by table and key.
    pub fn rows(&self) -> BTreeMap<(Table, Vec<u8>), Vec<u8>> {
        self.guard().clone()
    }

    /// A commit can't end half-way, so what a panicking thread left behind is whole.
    fn guard(&self) -> MutexGuard<'_, Contents> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row_error(&self, row: super::RowError) -> StoreError {
        StoreError::Row { location: self.location().to_owned(), row }
    }
}

impl Store for MemoryStore {
    fn commit(&mut self, batch: &Batch, _: Durability) -> Result<(), CommitError> {
        let mut rows = self.guard();
        for write in batch.iter() {
            match write {
                Write::Put { table, key, value } => {
                    rows.insert((table, key.to_vec()), value.to_vec());
                }
                Write::Delete { table, key } => {
                    rows.remove(&(table, key.to_vec()));
                }
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), CommitError> {
        Ok(())
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }
}

impl Rows for MemoryStore {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        let rows = self.guard();
        for (index, key) in keys.iter().enumerate() {
            if let Some(value) = rows.get(&(table, key.to_vec())) {
                found(index, value).map_err(|row| self.row_error(row))?;
            }
        }
        Ok(())
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        let rows = self.guard();
        for ((of, key), value) in rows.range((table, prefix.to_vec())..) {
            if *of != table || !key.starts_with(prefix) {
                break;
            }
            row(key, value).map_err(|row| self.row_error(row))?;
        }
        Ok(())
    }

    fn location(&self) -> &str {
        "memory"
    }
}

impl OpenStore for MemoryStore {
    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(self.clone()))
    }
}
