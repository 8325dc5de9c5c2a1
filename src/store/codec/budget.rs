//! Rows of budgets and their pools.

use serde::{Deserialize, Serialize};

use super::{Kind, decode, encode};
use crate::scheduler::effect::{BudgetRecord, PoolRecord};
use crate::scheduler::policy::{Policy, ReserveAfter, Strategy};
use crate::scheduler::units::{BudgetId, Nanos, Timestamp, Tokens};
use crate::store::error::RowError;
use crate::store::tables::{Table, read_number};

const BUDGET: Kind = Kind { table: Table::Budgets, expected: "a budget, version 1" };
const POOL: Kind = Kind { table: Table::Pools, expected: "a pool, version 1" };
const LEVELS: Kind = Kind { table: Table::Levels, expected: "the levels of a commit, version 1" };

#[derive(Serialize, Deserialize)]
struct BudgetRow<'a> {
    key: &'a str,
    allocation: u64,
    strategy: StrategyRow,
    reserve_after: ReserveAfterRow,
    create_time: i64,
    update_time: i64,
    revision: u64,
    is_deleted: bool,
}

#[derive(Serialize, Deserialize)]
enum StrategyRow {
    WhileInFlight,
    TimeBased { duration: u64, burst: Option<u64> },
}

#[derive(Serialize, Deserialize)]
enum ReserveAfterRow {
    Default,
    After(u64),
    Never,
}

#[derive(Serialize, Deserialize)]
struct PoolRow {
    level: i128,
    at: i64,
    blocked_until: Option<i64>,
}

impl From<Strategy> for StrategyRow {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::WhileInFlight => Self::WhileInFlight,
            Strategy::TimeBased { duration, burst } => {
                Self::TimeBased { duration: duration.0, burst: burst.map(|tokens| tokens.0) }
            }
        }
    }
}

impl From<StrategyRow> for Strategy {
    fn from(row: StrategyRow) -> Self {
        match row {
            StrategyRow::WhileInFlight => Self::WhileInFlight,
            StrategyRow::TimeBased { duration, burst } => {
                Self::TimeBased { duration: Nanos(duration), burst: burst.map(Tokens) }
            }
        }
    }
}

impl From<ReserveAfter> for ReserveAfterRow {
    fn from(reserve_after: ReserveAfter) -> Self {
        match reserve_after {
            ReserveAfter::Default => Self::Default,
            ReserveAfter::After(span) => Self::After(span.0),
            ReserveAfter::Never => Self::Never,
        }
    }
}

impl From<ReserveAfterRow> for ReserveAfter {
    fn from(row: ReserveAfterRow) -> Self {
        match row {
            ReserveAfterRow::Default => Self::Default,
            ReserveAfterRow::After(span) => Self::After(Nanos(span)),
            ReserveAfterRow::Never => Self::Never,
        }
    }
}

impl From<&PoolRecord> for PoolRow {
    fn from(pool: &PoolRecord) -> Self {
        Self { level: pool.level, at: pool.at.0, blocked_until: pool.blocked_until.map(|until| until.0) }
    }
}

impl PoolRow {
    fn into_record(self, budget: BudgetId) -> PoolRecord {
        PoolRecord {
            budget,
            level: self.level,
            at: Timestamp(self.at),
            blocked_until: self.blocked_until.map(Timestamp),
        }
    }
}

pub(in crate::store) fn encode_budget(budget: &BudgetRecord, out: &mut Vec<u8>) {
    let row = BudgetRow {
        key: &budget.key,
        allocation: budget.policy.allocation.0,
        strategy: budget.policy.strategy.into(),
        reserve_after: budget.policy.reserve_after.into(),
        create_time: budget.create_time.0,
        update_time: budget.update_time.0,
        revision: budget.revision,
        is_deleted: budget.is_deleted,
    };
    encode(&row, out);
}

pub(in crate::store) fn decode_budget(key: &[u8], value: &[u8]) -> Result<BudgetRecord, RowError> {
    let id = BudgetId(read_number(Table::Budgets, key)?);
    let row: BudgetRow<'_> = decode(BUDGET, key, value)?;
    Ok(BudgetRecord {
        id,
        key: row.key.into(),
        policy: Policy {
            allocation: Tokens(row.allocation),
            strategy: row.strategy.into(),
            reserve_after: row.reserve_after.into(),
        },
        create_time: Timestamp(row.create_time),
        update_time: Timestamp(row.update_time),
        revision: row.revision,
        is_deleted: row.is_deleted,
    })
}

pub(in crate::store) fn encode_pool(pool: &PoolRecord, out: &mut Vec<u8>) {
    encode(&PoolRow::from(pool), out);
}

pub(in crate::store) fn decode_pool(key: &[u8], value: &[u8]) -> Result<PoolRecord, RowError> {
    let budget = BudgetId(read_number(Table::Pools, key)?);
    let row: PoolRow = decode(POOL, key, value)?;
    Ok(row.into_record(budget))
}

/// The pools that one commit changed.
pub(in crate::store) fn encode_levels<'a>(pools: impl Iterator<Item = &'a PoolRecord>, out: &mut Vec<u8>) {
    let rows: Vec<(u64, PoolRow)> = pools.map(|pool| (pool.budget.0, pool.into())).collect();
    encode(&rows, out);
}

pub(in crate::store) fn decode_levels(key: &[u8], value: &[u8]) -> Result<Vec<PoolRecord>, RowError> {
    let rows: Vec<(u64, PoolRow)> = decode(LEVELS, key, value)?;
    Ok(rows.into_iter().map(|(budget, row)| row.into_record(BudgetId(budget))).collect())
}
