//! The store that stores nothing: the floor that shows what the rest of a server costs.
//!
//! Owns what a server can't do without while it lives: the bodies of its jobs, which are read when they are pushed, and the
//! few rows on the store as a whole. Refuses to keep anything else: a write of it is dropped, and a read finds none.

use std::collections::HashMap;

use super::tables::read_number;
use super::{Batch, CommitError, Durability, Found, RowError, Rows, Store, StoreError, Table, Visit, Write};

/// Bodies in memory, and nothing else that any job, lease or budget leaves behind.
#[derive(Debug, Default)]
pub struct NullStore {
    meta: HashMap<Box<[u8]>, Box<[u8]>>,
    bodies: HashMap<u64, Box<[u8]>>,
}

impl NullStore {
    fn write(&mut self, write: Write<'_>) -> Result<(), RowError> {
        match write {
            Write::Put { table: table @ Table::Bodies, key, value } => {
                self.bodies.insert(read_number(table, key)?, value.into());
            }
            Write::Delete { table: table @ Table::Bodies, key } => {
                self.bodies.remove(&read_number(table, key)?);
            }
            Write::Put { table: Table::Meta, key, value } => {
                self.meta.insert(key.into(), value.into());
            }
            Write::Put { .. } | Write::Delete { .. } => {}
        }
        Ok(())
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<&[u8]>, RowError> {
        let row = match table {
            Table::Bodies => self.bodies.get(&read_number(table, key)?),
            Table::Meta => self.meta.get(key),
            _ => None,
        };
        Ok(row.map(|value| &**value))
    }

    fn row_error(&self, row: RowError) -> StoreError {
        StoreError::Row { location: self.location().to_owned(), row }
    }
}

impl Store for NullStore {
    fn commit(&mut self, batch: &Batch, _: Durability) -> Result<(), CommitError> {
        for write in batch.iter() {
            self.write(write).map_err(|row| CommitError::Unknown(self.row_error(row)))?;
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

impl Rows for NullStore {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        let get = |(index, key): (usize, &&[u8])| match self.row(table, key)? {
            Some(value) => found(index, value),
            None => Ok(()),
        };
        keys.iter().enumerate().try_for_each(get).map_err(|row| self.row_error(row))
    }

    /// Finds nothing: what it keeps is asked for by its key.
    fn scan(&self, _: Table, _: &[u8], _: &mut Visit<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn location(&self) -> &str {
        "nowhere"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::command::{NewJob, Outcome, Verdict};
    use crate::scheduler::job::{Body, Payload};
    use crate::scheduler::testing::{open_session, plain_job};
    use crate::scheduler::units::{JobId, LeaseId, SessionId, Timestamp};
    use crate::scheduler::{Command, Config, Effect, Reply, Scheduler, Snapshot};
    use crate::store::Records;
    use crate::store::tables::{job_key, name_key};

    const NOW: Timestamp = Timestamp(1_000_000_000_000);

    fn found(store: &NullStore, table: Table, keys: &[&[u8]]) -> Vec<(usize, Vec<u8>)> {
        let mut found = Vec::new();
        let mut keep = |index: usize, value: &[u8]| {
            found.push((index, value.to_vec()));
            Ok(())
        };
        store.get(table, keys, &mut keep).unwrap();
        found
    }

    #[test]
    fn bodies_are_kept_until_they_are_deleted_and_other_rows_never() {
        let mut store = NullStore::default();
        let keys = [1, 2, 3].map(|id| job_key(JobId(id)));
        let keys = keys.each_ref().map(<[u8; 10]>::as_slice);
        let mut batch = Batch::default();
        for table in Table::ALL {
            batch.put(table, keys[0], b"first");
            batch.put(table, keys[2], b"third");
        }
        store.commit(&batch, Durability::Relaxed).unwrap();
        for table in Table::ALL {
            let expected = match table {
                Table::Meta | Table::Bodies => vec![(0, b"first".to_vec()), (2, b"third".to_vec())],
                _ => Vec::new(),
            };
            assert_eq!(found(&store, table, &keys), expected, "{}", table.name());
            store.scan(table, &[], &mut |key, _| panic!("{} has {key:?}", table.name())).unwrap();
        }

        let mut batch = Batch::default();
        batch.delete(Table::Bodies, keys[0]);
        batch.delete(Table::Bodies, keys[1]);
        store.commit(&batch, Durability::Immediate).unwrap();
        assert_eq!(found(&store, Table::Bodies, &keys), [(2, b"third".to_vec())]);
        assert_eq!(store.bodies.len(), 1);
    }

    #[test]
    fn a_key_that_is_no_jobs_is_refused() {
        let mut store = NullStore::default();
        let mut batch = Batch::default();
        batch.put(Table::Bodies, &name_key("mail"), b"x");
        let error = store.commit(&batch, Durability::Immediate).unwrap_err().to_string();
        assert!(error.contains("nowhere: table bodies, key 00006d61696c: expected a key of 10 bytes"), "{error}");
    }

    #[test]
    fn each_store_is_a_new_one() {
        let ids = [(); 2].map(|()| {
            let (records, snapshot) = Records::open(Box::new(NullStore::default())).unwrap();
            assert_eq!(snapshot, Snapshot::default());
            records.store_id()
        });
        assert_ne!(ids[0], ids[1]);
    }

    fn body() -> Body {
        Body { payload: Payload::Binary((*b"payload").into()), metadata: vec![("k".to_owned(), "v".to_owned())] }
    }

    /// Does what the owner of both does: applies a command, dispatches, commits. The leases that are to be pushed.
    fn turn(scheduler: &mut Scheduler, records: &mut Records, command: Command) -> (Reply, Vec<LeaseId>) {
        let reply = scheduler.apply(NOW, command).unwrap();
        scheduler.advance(NOW);
        records.commit(&scheduler.take_changes(), Durability::Immediate).unwrap();
        let pushes = scheduler.take_effects().into_iter().flat_map(|effect| match effect {
            Effect::Push(_, leases) => leases,
            other => panic!("{other:?}"),
        });
        (reply, pushes.collect())
    }

    #[test]
    fn a_job_lives_and_ends_on_it() {
        let (mut records, snapshot) = Records::open(Box::new(NullStore::default())).unwrap();
        let mut scheduler = Scheduler::restore(Config::default(), NOW, snapshot).unwrap();
        let enqueue = Command::Enqueue { request: None, jobs: vec![NewJob { body: body(), ..plain_job() }] };
        let (Reply::Enqueued(enqueued), _) = turn(&mut scheduler, &mut records, enqueue) else { panic!("no job") };
        let id = enqueued[0].id;
        assert_eq!(records.bodies(&[id]).unwrap(), [Some(body())]);

        let (_, pushed) = turn(&mut scheduler, &mut records, Command::OpenSession(open_session(SessionId(1))));
        assert_eq!(pushed.len(), 1);
        assert_eq!(records.details(id).unwrap().map(|details| details.body), Some(body()));

        let verdict = Verdict::Success { result: None };
        let outcome = Outcome { lease: pushed[0], verdict, usage: Vec::new(), throttled: Vec::new() };
        let settle = Command::Settle { from: Some(SessionId(1)), outcomes: vec![outcome] };
        let (Reply::Settled(settled), _) = turn(&mut scheduler, &mut records, settle) else { panic!("not settled") };
        assert!(settled[0].status.is_ok(), "{settled:?}");
        assert_eq!(records.body(id).unwrap(), None, "a job that isn't retained is gone, and its body too");
    }
}
