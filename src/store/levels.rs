//! Where pools are stored: in rows of their own, and in a log of what each commit changed.
//!
//! A commit appends the pools it changed as one row of the log, so that a thousand busy budgets cost one page and not a
//! thousand, and no row is rewritten by every commit. Once the log is long it is folded: commits that
//! append also write, piece by piece, the rows of the pools it names, and then delete its rows, the oldest first.
//!
//! At any point a pool is what the latest row of the log that names it says, else its own row:
//! - A pool's row is written from the log's rows before the fold's end, and those are deleted only when all such pools are
//!   written. So what is deleted is no newer than the pool's row.
//! - What isn't deleted yet is a suffix of the log. Its latest row on a pool is the latest there ever was.
//!
//! A budget's deletion leaves the log's rows on its pool behind. They count for nothing, since ids are never used twice:
//! a level without its budget is that of a deleted one.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::Batch;
use super::codec;
use super::error::RowError;
use super::tables::{Table, budget_key, number_key, read_number};
use crate::scheduler::effect::PoolRecord;
use crate::scheduler::units::BudgetId;

/// Rows of the log that start a fold.
const ROWS_MAX: u64 = 1024;
/// Levels in the log, over all its rows, that start a fold.
const LEVELS_MAX: usize = 1 << 16;
/// Rows of pools one commit writes, or rows of the log it deletes; more only where it appends more levels than this.
const PIECE: usize = 256;

/// The end of the log, and the fold under way.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The number of the oldest row of the log.
    oldest: u64,
    /// The number of the next row.
    next: u64,
    /// What the log's rows from the fold's end on say, pool by pool.
    unfolded: BTreeMap<BudgetId, PoolRecord>,
    /// Levels in those rows, counted row by row.
    levels: usize,
    fold: Option<Fold>,
}

#[derive(Debug)]
struct Fold {
    /// Pools still to be written, as of the fold's end.
    pools: BTreeMap<BudgetId, PoolRecord>,
    /// The number of the first row of the log that stays.
    end: u64,
}

impl Levels {
    /// Adds a row of the log while the store is loaded. Rows come in their order, after all budgets are known.
    pub(super) fn load(&mut self, key: &[u8], value: &[u8], budgets: &BTreeSet<BudgetId>) -> Result<(), RowError> {
        let number = read_number(Table::Levels, key)?;
        let levels = codec::decode_levels(key, value)?;
        if self.next == 0 {
            self.oldest = number;
        }
        self.next = number.saturating_add(1);
        self.levels += levels.len();
        let live = levels.into_iter().filter(|pool| budgets.contains(&pool.budget));
        self.unfolded.extend(live.map(|pool| (pool.budget, pool)));
        Ok(())
    }

    /// What the log says, once loaded: these are newer than the pools' own rows.
    pub(super) fn loaded(&self) -> &BTreeMap<BudgetId, PoolRecord> {
        &self.unfolded
    }

    /// A deleted budget's pool is gone too.
    pub(super) fn delete(&mut self, budget: BudgetId, batch: &mut Batch) {
        self.unfolded.remove(&budget);
        if let Some(fold) = &mut self.fold {
            fold.pools.remove(&budget);
        }
        batch.delete(Table::Pools, &budget_key(budget));
    }

    /// Appends what a commit changed, and does a piece of the fold where there is one.
    pub(super) fn append(&mut self, pools: &BTreeMap<BudgetId, PoolRecord>, batch: &mut Batch) {
        if pools.is_empty() {
            return;
        }
        if self.fold.is_none() && (self.next - self.oldest >= ROWS_MAX || self.levels >= LEVELS_MAX) {
            self.fold = Some(Fold { pools: std::mem::take(&mut self.unfolded), end: self.next });
            self.levels = 0;
        }
        batch.put_with(Table::Levels, &number_key(self.next), |out| codec::encode_levels(pools.values(), out));
        self.next += 1;
        self.levels += pools.len();
        self.unfolded.extend(pools);
        self.fold_piece(PIECE.max(pools.len()), batch);
    }

    fn fold_piece(&mut self, piece: usize, batch: &mut Batch) {
        let Some(fold) = &mut self.fold else { return };
        if fold.pools.is_empty() {
            let end = fold.end.min(self.oldest + piece as u64);
            for number in self.oldest..end {
                batch.delete(Table::Levels, &number_key(number));
            }
            self.oldest = end;
            if end == fold.end {
                self.fold = None;
            }
        } else {
            for _ in 0..piece {
                let Some((budget, pool)) = fold.pools.pop_first() else { break };
                batch.put_with(Table::Pools, &budget_key(budget), |out| codec::encode_pool(&pool, out));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scheduler::units::Timestamp;
    use crate::store::tables::GROUP;
    use crate::store::{Durability, MemoryStore, Rows, Store};

    fn pool(budget: u64, level: i128) -> PoolRecord {
        PoolRecord { budget: BudgetId(budget), level, at: Timestamp(level as i64), blocked_until: None }
    }

    /// What a load would find, and the log as it would go on.
    fn load(store: &MemoryStore, budgets: &BTreeSet<BudgetId>) -> (BTreeMap<BudgetId, PoolRecord>, Levels) {
        let mut pools = BTreeMap::new();
        store
            .scan(Table::Pools, &GROUP, &mut |key, value| {
                let pool = codec::decode_pool(key, value)?;
                pools.insert(pool.budget, pool);
                Ok(())
            })
            .unwrap();
        let mut levels = Levels::default();
        store.scan(Table::Levels, &GROUP, &mut |key, value| levels.load(key, value, budgets)).unwrap();
        pools.extend(levels.loaded());
        (pools, levels)
    }

    fn count(store: &MemoryStore, table: Table) -> usize {
        store.rows().keys().filter(|(of, _)| *of == table).count()
    }

    /// A store with its log, and what the pools are by the plainest account.
    #[derive(Default)]
    struct Run {
        store: MemoryStore,
        levels: Levels,
        expected: BTreeMap<BudgetId, PoolRecord>,
        budgets: BTreeSet<BudgetId>,
    }

    impl Run {
        fn commit(&mut self, puts: &[PoolRecord], deletes: &[BudgetId]) -> usize {
            let mut batch = Batch::default();
            for budget in deletes {
                self.budgets.remove(budget);
                self.expected.remove(budget);
                self.levels.delete(*budget, &mut batch);
            }
            let puts: BTreeMap<_, _> = puts.iter().map(|pool| (pool.budget, *pool)).collect();
            self.budgets.extend(puts.keys());
            self.expected.extend(&puts);
            self.levels.append(&puts, &mut batch);
            self.store.commit(&batch, Durability::Immediate).unwrap();
            batch.len()
        }

        fn check(&self) {
            assert_eq!(load(&self.store, &self.budgets).0, self.expected);
        }

        fn restart(&mut self) {
            self.levels = load(&self.store, &self.budgets).1;
        }
    }

    #[test]
    fn a_commit_appends_one_row_however_many_pools_it_changed() {
        let mut run = Run::default();
        let puts: Vec<_> = (0..1000).map(|budget| pool(budget, 1)).collect();
        assert_eq!(run.commit(&puts, &[]), 1);
        assert_eq!(run.commit(&[], &[]), 0);
        run.check();
    }

    #[test]
    fn the_fold_starts_at_its_row_and_ends_with_a_short_log() {
        let mut run = Run::default();
        for level in 0..ROWS_MAX {
            assert_eq!(run.commit(&[pool(level % 300, i128::from(level))], &[]), 1, "row {level}");
        }
        assert_eq!(run.commit(&[pool(7, -1)], &[]), 1 + PIECE, "the first piece of pools");
        run.check();
        assert_eq!(run.commit(&[pool(7, -2)], &[]), 1 + 44, "the rest of 300 pools");
        for piece in 0..4 {
            assert_eq!(run.commit(&[pool(7, -3)], &[]), 1 + PIECE, "piece {piece} of the log");
            run.check();
        }
        assert_eq!(run.commit(&[pool(7, -4)], &[]), 1);
        assert_eq!((count(&run.store, Table::Levels), count(&run.store, Table::Pools)), (7, 300));
        run.check();
    }

    #[test]
    fn many_levels_in_few_rows_start_a_fold_too() {
        let mut run = Run::default();
        let puts: Vec<_> = (0..8192).map(|budget| pool(budget, 1)).collect();
        for _ in 0..8 {
            assert_eq!(run.commit(&puts, &[]), 1);
        }
        assert_eq!(run.commit(&puts, &[]), 1 + 8192, "a commit of many levels folds as many");
        assert_eq!(run.commit(&puts, &[]), 1 + 8);
        assert_eq!(count(&run.store, Table::Levels), 2);
        run.check();
    }

    #[test]
    fn a_deleted_budget_stays_deleted_whatever_the_log_says_of_it() {
        let mut run = Run::default();
        for level in 0..ROWS_MAX {
            run.commit(&[pool(level % 300, i128::from(level))], &[]);
        }
        run.commit(&[pool(7, 1)], &[BudgetId(3)]);
        run.check();
        run.commit(&[pool(7, 2)], &[BudgetId(4), BudgetId(299)]);
        run.check();
        run.restart();
        for level in 0..ROWS_MAX * 2 {
            run.commit(&[pool(7, i128::from(level))], &[]);
        }
        run.check();
        assert_eq!(count(&run.store, Table::Pools), 297);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

        #[test]
        fn a_load_finds_the_latest_level_after_every_commit(
            steps in prop::collection::vec(
                (prop::collection::vec((0_u64..600, any::<i64>()), 0..6), any::<bool>(), 0_u32..64),
                1500..3000,
            )
        ) {
            let mut run = Run::default();
            let mut gone = BTreeSet::new();
            for (index, (puts, delete, chance)) in steps.into_iter().enumerate() {
                let victim = run.budgets.first().copied().filter(|_| delete && chance < 4);
                gone.extend(victim);
                let puts: Vec<_> = puts
                    .into_iter()
                    .filter(|(budget, _)| !gone.contains(&BudgetId(*budget)))
                    .map(|(budget, level)| pool(budget, i128::from(level)))
                    .collect();
                run.commit(&puts, victim.as_slice());
                if index % 100 == 0 || run.levels.fold.is_some() {
                    run.check();
                }
                if chance == 63 {
                    run.restart();
                }
            }
            run.check();
            prop_assert!(count(&run.store, Table::Levels) < 2 * ROWS_MAX as usize);
        }
    }
}
