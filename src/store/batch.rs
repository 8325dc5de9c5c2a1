//! The writes of one commit, gathered in one buffer.

use std::ops::Range;

use super::tables::Table;

/// Puts and deletes, in order. Of two writes to one key the later one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    bytes: Vec<u8>,
    writes: Vec<Entry>,
}

/// Where a write's key and value are in the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    table: Table,
    key: Range<usize>,
    value: Option<Range<usize>>,
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
        let key = self.append(key);
        let start = self.bytes.len();
        encode(&mut self.bytes);
        let value = start..self.bytes.len();
        self.writes.push(Entry { table, key, value: Some(value) });
    }

    /// Puts a row.
    pub fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.put_with(table, key, |bytes| bytes.extend_from_slice(value));
    }

    /// Deletes a row.
    pub fn delete(&mut self, table: Table, key: &[u8]) {
        let key = self.append(key);
        self.writes.push(Entry { table, key, value: None });
    }

    fn append(&mut self, key: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        start..self.bytes.len()
    }

    /// Adds the writes of `later` behind those there are.
    pub fn extend(&mut self, later: &Self) {
        let offset = self.bytes.len();
        let moved = |range: &Range<usize>| range.start + offset..range.end + offset;
        self.bytes.extend_from_slice(&later.bytes);
        self.writes.extend(later.writes.iter().map(|entry| Entry {
            table: entry.table,
            key: moved(&entry.key),
            value: entry.value.as_ref().map(moved),
        }));
    }

    /// The writes, in order.
    pub fn iter(&self) -> impl Iterator<Item = Write<'_>> {
        self.writes.iter().map(|entry| self.write(entry))
    }

    /// The write of this place in their order.
    pub fn nth(&self, place: usize) -> Option<Write<'_>> {
        self.writes.get(place).map(|entry| self.write(entry))
    }

    fn write(&self, entry: &Entry) -> Write<'_> {
        let key = &self.bytes[entry.key.clone()];
        match &entry.value {
            Some(value) => Write::Put { table: entry.table, key, value: &self.bytes[value.clone()] },
            None => Write::Delete { table: entry.table, key },
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

    /// Forgets the writes and keeps the room, up to a bound: one huge commit isn't remembered for ever.
    pub fn clear(&mut self) {
        const BYTES_KEPT_MAX: usize = 4 << 20;
        self.bytes.clear();
        self.bytes.shrink_to(BYTES_KEPT_MAX);
        self.writes.clear();
        self.writes.shrink_to(BYTES_KEPT_MAX / size_of::<Entry>());
    }
}
