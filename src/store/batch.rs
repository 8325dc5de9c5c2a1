//! Writes, gathered in one buffer.

use super::tables::Table;

/// Puts and deletes, in order. Of two writes to one key the later one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    bytes: Vec<u8>,
    writes: Vec<Entry>,
}

/// A write: its key, and its value right behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key_at: u32,
    value_at: u32,
    end: u32,
    table: Table,
    is_put: bool,
}

/// One write of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'a> {
    /// The row is there from now on, with this value.
    Put {
        /// Its table.
        table: Table,
        /// Its key.
        key: &'a [u8],
        /// Its value.
        value: &'a [u8],
    },
    /// The row is gone, if there was one.
    Delete {
        /// Its table.
        table: Table,
        /// Its key.
        key: &'a [u8],
    },
}

impl<'a> Write<'a> {
    /// The row's table.
    pub fn table(&self) -> Table {
        match self {
            Self::Put { table, .. } | Self::Delete { table, .. } => *table,
        }
    }

    /// The row's key.
    pub fn key(&self) -> &'a [u8] {
        match self {
            Self::Put { key, .. } | Self::Delete { key, .. } => key,
        }
    }

    /// The row's value. None: the row is gone.
    pub fn value(&self) -> Option<&'a [u8]> {
        match self {
            Self::Put { value, .. } => Some(value),
            Self::Delete { .. } => None,
        }
    }
}

impl Batch {
    /// Puts a row whose value `encode` appends to what it is given.
    pub fn put_with(&mut self, table: Table, key: &[u8], encode: impl FnOnce(&mut Vec<u8>)) {
        let key_at = self.end();
        self.bytes.extend_from_slice(key);
        let value_at = self.end();
        encode(&mut self.bytes);
        self.writes.push(Entry { key_at, value_at, end: self.end(), table, is_put: true });
    }

    /// Puts a row.
    pub fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.put_with(table, key, |bytes| bytes.extend_from_slice(value));
    }

    /// Deletes a row.
    pub fn delete(&mut self, table: Table, key: &[u8]) {
        let key_at = self.end();
        self.bytes.extend_from_slice(key);
        let end = self.end();
        self.writes.push(Entry { key_at, value_at: end, end, table, is_put: false });
    }

    /// Adds a write of another batch.
    pub fn push(&mut self, write: Write<'_>) {
        match write {
            Write::Put { table, key, value } => self.put(table, key, value),
            Write::Delete { table, key } => self.delete(table, key),
        }
    }

    fn end(&self) -> u32 {
        u32::try_from(self.bytes.len()).expect("what is committed at once is bounded far below 4 GiB")
    }

    /// The writes, in order.
    pub fn iter(&self) -> impl Iterator<Item = Write<'_>> {
        self.writes.iter().map(|entry| self.write(*entry))
    }

    /// The write of this place in their order.
    pub fn nth(&self, place: usize) -> Option<Write<'_>> {
        self.writes.get(place).map(|entry| self.write(*entry))
    }

    fn write(&self, entry: Entry) -> Write<'_> {
        let Entry { key_at, value_at, end, table, is_put } = entry;
        let key = &self.bytes[key_at as usize..value_at as usize];
        match is_put {
            true => Write::Put { table, key, value: &self.bytes[value_at as usize..end as usize] },
            false => Write::Delete { table, key },
        }
    }

    /// How many writes there are.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Forgets the writes and keeps the room for so many bytes of them: one huge commit isn't remembered for ever.
    pub fn clear(&mut self, bytes_kept_max: usize) {
        self.bytes.clear();
        self.bytes.shrink_to(bytes_kept_max);
        self.writes.clear();
        self.writes.shrink_to(bytes_kept_max / size_of::<Entry>());
    }
}
