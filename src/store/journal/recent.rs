//! The rows that the journal has and the store beneath may not have yet: the newest write to each, found by its key.

use std::collections::BTreeMap;

use super::places::Places;
use crate::store::{Batch, Table, Write};

/// For each table the greatest key that a row has ever had, if one ever was.
pub(super) type Greatest = [Option<Vec<u8>>; Table::ALL.len()];

/// Rows to be, by the key of each. A row that isn't here is whatever the store beneath says.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// All writes, in order, those that a later one has overtaken included.
    writes: Batch,
    /// For each row of each table the place of its newest write.
    newest: [Places; Table::ALL.len()],
    /// As it was before the first of these writes: a row above it is known here alone.
    older: Greatest,
    /// As it is now.
    greatest: Greatest,
}

impl Recent {
    /// No rows, above those that `older` tells of.
    pub(super) fn above(older: Greatest) -> Self {
        Self { greatest: older.clone(), older, ..Self::default() }
    }

    /// Forgets all rows, and keeps room for `bytes_kept_max` of them. Those to come are newer than the rows of `before`.
    pub(super) fn begin_after(&mut self, before: &Greatest, bytes_kept_max: usize) {
        self.writes.clear(bytes_kept_max);
        self.newest.iter_mut().for_each(Places::clear);
        self.older.clone_from(before);
        self.greatest.clone_from(before);
    }

    /// The greatest key that a row of each table has ever had.
    pub(super) fn greatest(&self) -> &Greatest {
        &self.greatest
    }

    /// Takes the writes of a commit.
    pub(super) fn add(&mut self, batch: &Batch) {
        for write in batch.iter() {
            let newest = &mut self.newest[write.table() as usize];
            if write.value().is_none() && is_above(write, &self.older) {
                // Nobody else knows of the row: it has come and gone.
                newest.remove(write.key());
                continue;
            }
            let place = u32::try_from(self.writes.len()).expect("there are fewer writes than bytes in a segment");
            newest.set(write.key(), place);
            self.writes.push(write);
            if is_above(write, &self.greatest) {
                let greatest = self.greatest[write.table() as usize].get_or_insert_default();
                greatest.clear();
                greatest.extend_from_slice(write.key());
            }
        }
    }

    /// The newest write to a row. None: there is none here.
    pub(super) fn get(&self, table: Table, key: &[u8]) -> Option<Write<'_>> {
        let place = self.newest[table as usize].get(key)?;
        Some(at(&self.writes, place))
    }

    /// The newest write to each row, in any order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Write<'_>> {
        self.newest.iter().flat_map(Places::iter).map(|place| at(&self.writes, place))
    }

    /// Adds to `rows` the values of those rows whose key starts with `prefix`; None for one that is gone. Looks at each row
    /// of the table.
    pub(super) fn collect<'a>(&'a self, table: Table, prefix: &[u8], rows: &mut BTreeMap<&'a [u8], Option<&'a [u8]>>) {
        let writes = self.newest[table as usize].iter().map(|place| at(&self.writes, place));
        let wanted = writes.filter(|write| write.key().starts_with(prefix));
        rows.extend(wanted.map(|write| (write.key(), write.value())));
    }
}

/// Whether its key is above all that are told of there.
fn is_above(write: Write<'_>, greatest: &Greatest) -> bool {
    greatest[write.table() as usize].as_deref().is_none_or(|greatest| write.key() > greatest)
}

fn at(writes: &Batch, place: u32) -> Write<'_> {
    writes.nth(place as usize).expect("a place in the index is that of a write")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tables::number_key;

    #[test]
    fn the_newest_write_to_a_row_counts() {
        let mut older = Greatest::default();
        older[Table::Jobs as usize] = Some(b"n".to_vec());
        let mut recent = Recent::above(older);
        let mut batch = Batch::default();
        batch.put(Table::Jobs, b"a", b"1");
        batch.put(Table::Bodies, b"a", b"other table");
        batch.put(Table::Jobs, b"a", b"2");
        batch.put(Table::Jobs, b"b", b"3");
        recent.add(&batch);
        let mut batch = Batch::default();
        batch.delete(Table::Jobs, b"b");
        batch.put(Table::Jobs, b"never", b"4");
        batch.delete(Table::Jobs, b"mine");
        recent.add(&batch);

        assert_eq!(recent.get(Table::Jobs, b"a").map(|write| write.value()), Some(Some(&b"2"[..])));
        assert_eq!(recent.get(Table::Jobs, b"b").map(|write| write.value()), Some(None));
        assert_eq!(recent.get(Table::Jobs, b"mine").map(|write| write.value()), Some(None));
        assert_eq!(recent.get(Table::Jobs, b"c"), None);
        assert_eq!(recent.get(Table::Leases, b"a"), None);
        assert_eq!(recent.iter().count(), 5);

        let mut rows = BTreeMap::new();
        recent.collect(Table::Jobs, b"", &mut rows);
        let expected: [(&[u8], Option<&[u8]>); 4] =
            [(b"a", Some(b"2")), (b"b", None), (b"mine", None), (b"never", Some(b"4"))];
        assert_eq!(rows, BTreeMap::from(expected));
        let mut rows = BTreeMap::new();
        recent.collect(Table::Jobs, b"n", &mut rows);
        assert_eq!(rows.len(), 1);

        let greatest = recent.greatest().clone();
        assert_eq!(greatest[Table::Jobs as usize].as_deref(), Some(&b"never"[..]));
        recent.begin_after(&greatest, 1 << 10);
        assert_eq!((recent.get(Table::Jobs, b"a"), recent.iter().count()), (None, 0));
    }

    #[test]
    fn a_row_that_came_and_went_here_alone_leaves_nothing() {
        let mut older = Greatest::default();
        older[Table::Jobs as usize] = Some(vec![5]);
        let mut recent = Recent::above(older);
        let mut batch = Batch::default();
        for key in [5, 6] {
            batch.put(Table::Jobs, &[key], b"x");
            batch.delete(Table::Jobs, &[key]);
            batch.delete(Table::Bodies, &[key]);
        }
        recent.add(&batch);
        assert_eq!(recent.get(Table::Jobs, &[5]).map(|write| write.value()), Some(None));
        assert_eq!(recent.get(Table::Jobs, &[6]), None);
        assert_eq!(recent.iter().count(), 1);

        let mut batch = Batch::default();
        batch.put(Table::Jobs, &[6], b"again");
        recent.add(&batch);
        assert_eq!(recent.get(Table::Jobs, &[6]).map(|write| write.value()), Some(Some(&b"again"[..])));
        let greatest = recent.greatest().clone();
        recent.begin_after(&greatest, 0);
        let mut batch = Batch::default();
        batch.delete(Table::Jobs, &[6]);
        recent.add(&batch);
        assert_eq!(recent.iter().count(), 1, "the store beneath may have it by now");
    }

    #[test]
    fn many_rows_are_found_again() {
        let mut recent = Recent::default();
        for round in 0..3_u64 {
            for first in (0..10_000_u64).step_by(100) {
                let mut batch = Batch::default();
                for number in first..first + 100 {
                    batch.put(Table::Jobs, &number_key(number), &(number + round).to_be_bytes());
                }
                recent.add(&batch);
            }
        }
        for number in 0..10_000_u64 {
            let write = recent.get(Table::Jobs, &number_key(number)).unwrap();
            assert_eq!(write.value(), Some(&(number + 2).to_be_bytes()[..]));
        }
        assert_eq!(recent.iter().count(), 10_000);
        assert!(recent.iter().is_sorted_by_key(|write| write.key()));
    }
}
