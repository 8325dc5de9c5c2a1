//! A batch put into the tables, by the order of their keys instead of that of its writes.
//!
//! Redb walks down to a leaf and rewrites it for each row that comes or goes by itself. The rows that are many come after all
//! others of their table, and go from next to each other: those are appended through one cursor, and these removed by one walk,
//! so that each leaf is rewritten once.

use std::ops::Bound;

use ::redb::{Error, ReadableTable, Table, WriteTransaction};

use super::definition;
use crate::store::{self, Write};

/// A row to be, or one that is to be gone.
type Row<'a> = (&'a [u8], Option<&'a [u8]>);

/// How far apart two keys of one walk may be: it looks at each row in between.
const GAP_MAX: u8 = 16;

/// Makes all `writes` in `transaction`. Of two to one row the later one counts.
pub(super) fn apply<'a>(transaction: &WriteTransaction, writes: impl Iterator<Item = Write<'a>>) -> Result<(), Error> {
    let mut tables = [const { Vec::new() }; store::Table::ALL.len()];
    for write in writes {
        tables[write.table() as usize].push((write.key(), write.value()));
    }
    for (table, writes) in store::Table::ALL.into_iter().zip(&mut tables) {
        if !writes.is_empty() {
            write_rows(&mut transaction.open_table(definition(table))?, writes)?;
        }
    }
    Ok(())
}

fn write_rows(table: &mut Table<'_, &[u8], &[u8]>, writes: &mut [Row<'_>]) -> Result<(), Error> {
    // Stable: the last write to a row stays its last.
    writes.sort_by_key(|(key, _)| *key);
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for to_one_row in writes.chunk_by(|one, next| one.0 == next.0) {
        match to_one_row[to_one_row.len() - 1] {
            (key, None) => gone.push(key),
            (key, Some(value)) => come.push((key, value)),
        }
    }
    for run in gone.chunk_by(|one, next| are_close(one, next)) {
        remove(table, run)?;
    }
    insert(table, &come)
}

/// Whether few rows can be between these two, of which the first comes first.
fn are_close(one: &[u8], next: &[u8]) -> bool {
    match (one.split_last(), next.split_last()) {
        (Some((low, rest)), Some((high, same))) => rest == same && high - low <= GAP_MAX,
        _ => false,
    }
}

/// Removes those rows of `keys`, which are sorted and close, that there are.
fn remove(table: &mut Table<'_, &[u8], &[u8]>, keys: &[&[u8]]) -> Result<(), Error> {
    match keys {
        [key] => drop(table.remove(*key)?),
        [first, .., last] => {
            let mut left = keys;
            table.retain_in(*first..=*last, |key, _| {
                let there = left.partition_point(|gone| *gone < key);
                left = &left[there..];
                left.first() != Some(&key)
            })?;
        }
        [] => {}
    }
    Ok(())
}

/// Puts rows, which are sorted.
fn insert(table: &mut Table<'_, &[u8], &[u8]>, rows: &[(&[u8], &[u8])]) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let after = match table.last()? {
        Some((last, _)) => rows.partition_point(|(key, _)| *key <= last.value()),
        None => 0,
    };
    let (among, new) = rows.split_at(after);
    for (key, value) in among {
        table.insert(*key, *value)?;
    }
    let mut end = table.upper_bound_mut(Bound::<&[u8]>::Unbounded)?;
    for (key, value) in new {
        end.insert_before(*key, *value)?;
    }
    Ok(end.close()?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ::redb::backends::InMemoryBackend;
    use ::redb::{Builder, Database, ReadableDatabase};
    use proptest::prelude::*;

    use super::*;
    use crate::store::Batch;

    fn database() -> Database {
        Builder::new().create_with_backend(InMemoryBackend::new()).expect("a database in memory")
    }

    fn committed(database: &Database, batch: &Batch) {
        let transaction = database.begin_write().expect("a transaction");
        apply(&transaction, batch.iter()).expect("a healthy storage");
        transaction.commit().expect("a healthy storage");
    }

    fn rows(database: &Database, table: store::Table) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let transaction = database.begin_read().expect("a transaction");
        let table = transaction.open_table(definition(table)).expect("a table");
        let rows = table.iter().expect("rows").map(|row| row.expect("a row"));
        rows.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).collect()
    }

    /// Keys that are next to each other, far apart, or of another length.
    fn keys() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            8 => (0_u8..2, any::<u8>()).prop_map(|(high, low)| vec![high, low]),
            1 => any::<u8>().prop_map(|only| vec![only]),
            1 => Just(Vec::new()),
        ]
    }

    fn batches() -> impl Strategy<Value = Vec<Vec<(Vec<u8>, Option<u8>)>>> {
        prop::collection::vec(prop::collection::vec((keys(), any::<Option<u8>>()), 0..200), 1..6)
    }

    proptest! {
        #[test]
        fn the_rows_are_those_of_writes_made_one_by_one(batches in batches()) {
            let database = database();
            let mut expected = BTreeMap::new();
            for writes in batches {
                let mut batch = Batch::default();
                for (key, value) in writes {
                    match value {
                        Some(value) => {
                            batch.put(store::Table::Jobs, &key, &[value; 300]);
                            expected.insert(key, vec![value; 300]);
                        }
                        None => {
                            batch.delete(store::Table::Jobs, &key);
                            expected.remove(&key);
                        }
                    }
                }
                // So that the table is there.
                batch.put(store::Table::Jobs, &[9], &[]);
                expected.insert(vec![9], Vec::new());
                committed(&database, &batch);
                prop_assert_eq!(rows(&database, store::Table::Jobs), expected.clone());
            }
        }
    }

    #[test]
    fn a_walk_takes_only_what_is_close() {
        assert!(are_close(&[1, 1], &[1, 17]));
        assert!(!are_close(&[1, 1], &[1, 18]));
        assert!(!are_close(&[1, 255], &[2, 0]), "another leaf, for all that is known");
        assert!(!are_close(&[1], &[1, 2]));
        assert!(!are_close(&[], &[1]));
    }

    #[test]
    fn each_table_gets_its_own_rows() {
        let database = database();
        let mut batch = Batch::default();
        batch.put(store::Table::Jobs, b"same", b"job");
        batch.put(store::Table::Bodies, b"same", b"body");
        batch.delete(store::Table::Bodies, b"same");
        committed(&database, &batch);
        assert_eq!(rows(&database, store::Table::Jobs), BTreeMap::from([(b"same".to_vec(), b"job".to_vec())]));
        assert!(rows(&database, store::Table::Bodies).is_empty());
    }
}
