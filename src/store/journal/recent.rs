//! The rows that the journal has and the store beneath may not have yet: the newest write to each, found by its key.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::BTreeMap;
use std::hash::BuildHasher;

use crate::store::{Batch, Table, Write};

/// Rows to be, by the key of each. A row that isn't here is whatever the store beneath says.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// All writes, in order, those that a later one has overtaken included.
    writes: Batch,
    /// For each row the place of its newest write.
    newest: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Recent {
    /// Takes the writes of a commit.
    pub(super) fn add(&mut self, batch: &Batch) {
        let first = self.writes.len();
        self.writes.extend(batch);
        for (index, write) in batch.iter().enumerate() {
            let place = u32::try_from(first + index).expect("there are fewer writes than bytes in a journal");
            let hash = self.hasher.hash_one(row(write));
            let found = self.newest.find_mut(hash, |place| row(at(&self.writes, *place)) == row(write));
            match found {
                Some(newest) => *newest = place,
                None => {
                    let hash_of = |place: &u32| self.hasher.hash_one(row(at(&self.writes, *place)));
                    self.newest.insert_unique(hash, place, hash_of);
                }
            }
        }
    }

    /// The newest write to a row. None: there is none here.
    pub(super) fn get(&self, table: Table, key: &[u8]) -> Option<Write<'_>> {
        let hash = self.hasher.hash_one((table as u8, key));
        let place = self.newest.find(hash, |place| row(at(&self.writes, *place)) == (table as u8, key))?;
        Some(at(&self.writes, *place))
    }

    /// The newest write to each row, in any order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Write<'_>> {
        self.newest.iter().map(|place| at(&self.writes, *place))
    }

    /// Adds to `rows` the values of those rows whose key starts with `prefix`; None for one that is gone. Looks at each row
    /// there is.
    pub(super) fn collect<'a>(&'a self, table: Table, prefix: &[u8], rows: &mut BTreeMap<&'a [u8], Option<&'a [u8]>>) {
        let wanted = self.iter().filter(|write| write.table() == table && write.key().starts_with(prefix));
        rows.extend(wanted.map(|write| (write.key(), write.value())));
    }

    /// Forgets all rows, and keeps their room.
    pub(super) fn clear(&mut self) {
        self.writes.clear();
        self.newest.clear();
    }
}

/// Which row it is a write to.
fn row(write: Write<'_>) -> (u8, &[u8]) {
    (write.table() as u8, write.key())
}

fn at(writes: &Batch, place: u32) -> Write<'_> {
    writes.nth(place as usize).expect("a place in the index is that of a write")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_write_to_a_row_counts() {
        let mut recent = Recent::default();
        let mut batch = Batch::default();
        batch.put(Table::Jobs, b"a", b"1");
        batch.put(Table::Bodies, b"a", b"other table");
        batch.put(Table::Jobs, b"a", b"2");
        batch.put(Table::Jobs, b"b", b"3");
        recent.add(&batch);
        let mut batch = Batch::default();
        batch.delete(Table::Jobs, b"b");
        batch.delete(Table::Jobs, b"never");
        recent.add(&batch);

        assert_eq!(recent.get(Table::Jobs, b"a").map(|write| write.value()), Some(Some(&b"2"[..])));
        assert_eq!(recent.get(Table::Jobs, b"b").map(|write| write.value()), Some(None));
        assert_eq!(recent.get(Table::Jobs, b"never").map(|write| write.value()), Some(None));
        assert_eq!(recent.get(Table::Jobs, b"c"), None);
        assert_eq!(recent.get(Table::Leases, b"a"), None);
        assert_eq!(recent.iter().count(), 4);

        let mut rows = BTreeMap::new();
        recent.collect(Table::Jobs, b"", &mut rows);
        let expected: [(&[u8], Option<&[u8]>); 3] = [(b"a", Some(b"2")), (b"b", None), (b"never", None)];
        assert_eq!(rows, BTreeMap::from(expected));
        let mut rows = BTreeMap::new();
        recent.collect(Table::Jobs, b"n", &mut rows);
        assert_eq!(rows.len(), 1);

        recent.clear();
        assert_eq!((recent.get(Table::Jobs, b"a"), recent.iter().count()), (None, 0));
    }

    #[test]
    fn many_rows_are_found_again() {
        let mut recent = Recent::default();
        for round in 0..3_u64 {
            for first in (0..10_000_u64).step_by(100) {
                let mut batch = Batch::default();
                for number in first..first + 100 {
                    batch.put(Table::Jobs, &number.to_be_bytes(), &(number + round).to_be_bytes());
                }
                recent.add(&batch);
            }
        }
        for number in 0..10_000_u64 {
            let write = recent.get(Table::Jobs, &number.to_be_bytes()).unwrap();
            assert_eq!(write.value(), Some(&(number + 2).to_be_bytes()[..]));
        }
        assert_eq!(recent.iter().count(), 10_000);
    }
}
