//! The data directory: who may open it, what a kill leaves in it, and what is said of a bad one.

use std::fs;
use std::path::Path;

use super::{all_of_job, reload};
use crate::scheduler::effect::Change;
use crate::scheduler::units::JobId;
use crate::store::{Durability, OpenStore, Records, RedbConfig, StoreError, Syncs};

fn refusal(dir: &Path) -> StoreError {
    match RedbConfig::new(dir).open() {
        Err(error) => error,
        Ok(store) => panic!("{} was opened", store.location()),
    }
}

/// The directory as a process killed now would leave it: all that was written, synced or not.
fn after_kill(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

fn stored(dir: &Path) -> Vec<u64> {
    let (_, snapshot) = reload(&RedbConfig::new(dir));
    snapshot.jobs.iter().map(|job| job.id.0).collect()
}

#[test]
fn a_kill_loses_no_commit_of_either_kind() {
    let dir = tempfile::tempdir().unwrap();
    let (mut records, _) = reload(&RedbConfig::new(dir.path()));
    let mut expected = Vec::new();
    for id in 0..30 {
        let durability = if id % 10 < 3 { Durability::Immediate } else { Durability::Relaxed };
        records.commit(&all_of_job(id, 1), durability).unwrap();
        expected.push(id);
        if id % 7 == 0 {
            records.sync().unwrap();
        }
        if id == 20 {
            records.commit(&[Change::DeleteJob { id: JobId(0), failures: 1 }], Durability::Relaxed).unwrap();
            expected.remove(0);
        }
        let copy = after_kill(dir.path());
        assert_eq!(stored(copy.path()), expected, "after commit {id}");
        assert_eq!(stored(copy.path()), expected, "opened once more");
    }
}

#[test]
fn a_directory_has_one_owner() {
    let dir = tempfile::tempdir().unwrap();
    let store = RedbConfig::new(dir.path()).open().unwrap();
    let error = refusal(dir.path());
    assert!(matches!(error, StoreError::InUse { .. }), "{error:?}");
    let expected = format!("data directory {} is in use by another sluicegate server", dir.path().display());
    assert_eq!(error.to_string(), expected);
    drop(store);
    RedbConfig::new(dir.path()).open().unwrap();
}

#[test]
fn a_directory_is_made_with_those_above_it() {
    let dir = tempfile::tempdir().unwrap();
    let config = RedbConfig::new(dir.path().join("a/b"));
    let store = config.open().unwrap();
    assert_eq!(store.location(), config.dir.join(RedbConfig::FILE).to_str().unwrap());
    assert!(RedbConfig::JOURNAL.iter().all(|name| !config.dir.join(name).exists()), "no journal without a commit");
}

#[test]
fn what_is_no_store_is_refused_by_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    let expected = format!("cannot open {}: it is not a directory, and a data directory is needed", file.display());
    assert_eq!(refusal(&file).to_string(), expected);
    let error = refusal(&file.join("below")).to_string();
    assert!(error.starts_with(&format!("cannot open {}: ", file.join("below").display())), "{error}");

    let path = dir.path().join(RedbConfig::FILE);
    for contents in ["x".repeat(10), "not a database at all ".repeat(5000)] {
        fs::write(&path, contents).unwrap();
        let expected =
            format!("cannot open {}: it is not a database of sluicegate, or its beginning is damaged", path.display());
        assert_eq!(refusal(dir.path()).to_string(), expected);
    }

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = refusal(dir.path()).to_string();
    assert!(error.starts_with(&format!("cannot open {}: ", path.display())), "{error}");
}

#[test]
fn a_database_of_somebody_else_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(RedbConfig::FILE);
    let database = ::redb::Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(::redb::TableDefinition::<u64, u64>::new("recipes")).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let expected = format!(
        "cannot open {}: it is a database, but not of sluicegate: it has the table \"recipes\"",
        path.display()
    );
    assert_eq!(refusal(dir.path()).to_string(), expected);
}

#[test]
fn a_damaged_file_is_an_error_that_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let (mut records, _) = reload(&RedbConfig::new(dir.path()));
    for id in 0..500 {
        records.commit(&all_of_job(id, 1), Durability::Immediate).unwrap();
    }
    let copy = after_kill(dir.path());
    drop(records);
    let unclean = fs::read(copy.path().join(RedbConfig::FILE)).unwrap();
    let clean = fs::read(dir.path().join(RedbConfig::FILE)).unwrap();

    for whole in [clean, unclean] {
        let length = whole.len();
        let torn = [1, 512, 4096, length / 2, length - 1];
        let mut damaged: Vec<Vec<u8>> = torn.map(|end| whole[..end].to_vec()).into();
        for start in (0..length).step_by(length / 200) {
            let mut bytes = whole.clone();
            let end = length.min(start + 3000);
            bytes[start..end].iter_mut().for_each(|byte| *byte ^= 0x5a);
            damaged.push(bytes);
        }
        let mut refused = 0;
        for (index, bytes) in damaged.into_iter().enumerate() {
            let copy = tempfile::tempdir().unwrap();
            let path = copy.path().join(RedbConfig::FILE);
            fs::write(&path, bytes).unwrap();
            let opened = RedbConfig::new(copy.path()).open().and_then(Records::open);
            if let Err(error) = opened {
                assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
                refused += 1;
            } else {
                assert!(index >= torn.len(), "a file of which the end is missing was opened");
            }
        }
        // How much of a file is in use, and isn't what was left free, is redb's affair.
        assert!(refused > torn.len(), "{refused} refused");
    }
}

#[test]
fn compacting_gives_space_back_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mut records, _) = reload(&RedbConfig::new(dir.path()));
    let many: Vec<Change> = (0..5000).flat_map(|id| all_of_job(id, 1)).collect();
    records.commit(&many, Durability::Relaxed).unwrap();
    let gone: Vec<Change> = (0..4990).map(|id| Change::DeleteJob { id: JobId(id), failures: 1 }).collect();
    records.commit(&gone, Durability::Relaxed).unwrap();
    records.sync().unwrap();
    let path = dir.path().join(RedbConfig::FILE);
    let before = path.metadata().unwrap().len();
    assert!(records.compact().unwrap());
    let after = path.metadata().unwrap().len();
    assert!(after * 2 < before, "{before} bytes became {after}");
    drop(records);
    assert_eq!(stored(dir.path()), (4990..5000).collect::<Vec<_>>());
}

#[test]
fn syncs_of_the_file_and_of_the_journal_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let syncs = Syncs::default();
    let config = RedbConfig::new(dir.path());
    let (mut records, _) = Records::open(config.open_counting(&syncs).unwrap()).unwrap();
    let before = syncs.count();
    records.commit(&all_of_job(1, 1), Durability::Immediate).unwrap();
    assert!(syncs.count() > before);
    records.commit(&all_of_job(2, 1), Durability::Relaxed).unwrap();
    let before = syncs.count();
    records.sync().unwrap();
    assert!(syncs.count() > before);
    records.commit(&all_of_job(3, 1), Durability::Relaxed).unwrap();

    let left = after_kill(dir.path());
    let [with_journal, without] = [(); 2].map(|()| {
        let copy = after_kill(left.path());
        fs::write(left.path().join(RedbConfig::JOURNAL[0]), []).unwrap();
        let syncs = Syncs::default();
        drop(RedbConfig::new(copy.path()).open_counting(&syncs).unwrap());
        syncs.count()
    });
    assert!(
        with_journal >= without + 2,
        "its commit is put on disk, and then that it is empty: {with_journal}, {without}"
    );
}
