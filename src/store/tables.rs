//! The tables and the shapes of their keys.
//!
//! Every key starts with the group as a `u16`, which is 0 today, and goes on with numbers that grow with time; all
//! are big-endian, so that keys sort as their numbers do. Rows that are many are thereby always appended:
//! random keys cost several times the throughput.
//!
//! | table | key after the group | value |
//! | --- | --- | --- |
//! | meta | a name | the format, the ids in use, the store's id |
//! | budgets | budget `u64` | policy |
//! | pools | budget `u64`, sub-key (empty today) | level and block, as last folded |
//! | levels | number `u64` | the pools that one commit changed, until they are folded |
//! | jobs | job `u64` | the small record |
//! | bodies | job `u64` | payload and metadata |
//! | results | job `u64` | what the handler returned |
//! | failures | job `u64`, slot `u8` | one failed attempt |
//! | leases | lease `u64` | the lease with its debits |
//! | queues | name | whether it is paused |
//! | requests | number `u64` | the answer to an enqueue |

use super::error::RowError;
use crate::scheduler::job::Failure;
use crate::scheduler::units::{BudgetId, JobId, LeaseId};

macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident = $number:literal $name:literal),+ $(,)?) => {
        /// A table. Its number and its name are part of the format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Table {
            $($(#[$doc])* $table = $number),+
        }

        impl Table {
            /// All of them, each at the index that is its number.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$table),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$table => $name),+
                }
            }
        }
    };
}

tables! {
    /// What is known of the store as a whole.
    Meta = 0 "meta",
    /// Budgets with their policies.
    Budgets = 1 "budgets",
    /// Pools, as last folded.
    Pools = 2 "pools",
    /// Pools, as each commit left them, until they are folded.
    Levels = 3 "levels",
    /// The small records of jobs.
    Jobs = 4 "jobs",
    /// Payloads and metadata.
    Bodies = 5 "bodies",
    /// What handlers returned.
    Results = 6 "results",
    /// Failed attempts.
    Failures = 7 "failures",
    /// Live leases.
    Leases = 8 "leases",
    /// Paused queues.
    Queues = 9 "queues",
    /// Remembered enqueues.
    Requests = 10 "requests",
}

/// The group of all rows there are.
pub(super) const GROUP: [u8; 2] = 0_u16.to_be_bytes();

/// A key that goes on with one number.
pub(super) type NumberKey = [u8; 10];

/// The key of the row of this number: a budget's, a job's, a lease's, a request's or a commit's.
pub(super) fn number_key(number: u64) -> NumberKey {
    let mut key = [0; 10];
    key[..2].copy_from_slice(&GROUP);
    key[2..].copy_from_slice(&number.to_be_bytes());
    key
}

pub(super) fn job_key(id: JobId) -> NumberKey {
    number_key(id.0)
}

pub(super) fn lease_key(id: LeaseId) -> NumberKey {
    number_key(id.0)
}

/// The key of a budget, and of its one pool.
pub(super) fn budget_key(id: BudgetId) -> NumberKey {
    number_key(id.0)
}

/// The key of the failure with this number, from 0; it shares its slot with the one [`Failure::KEPT`] before it.
pub(super) fn failure_key(job: JobId, number: u32) -> [u8; 11] {
    let slot = u8::try_from(number % Failure::KEPT).expect("fewer than 256 failures are kept");
    let mut key = [0; 11];
    key[..10].copy_from_slice(&job_key(job));
    key[10] = slot;
    key
}

/// A key that goes on with a name.
pub(super) fn name_key(name: &str) -> Vec<u8> {
    [&GROUP, name.as_bytes()].concat()
}

/// The number in a key made by [`number_key`].
pub(super) fn read_number(table: Table, key: &[u8]) -> Result<u64, RowError> {
    key.strip_prefix(&GROUP)
        .and_then(|rest| rest.try_into().ok())
        .map(u64::from_be_bytes)
        .ok_or_else(|| malformed(table, key, "a key of 10 bytes with group 0"))
}

/// The name in a key made by [`name_key`].
pub(super) fn read_name(table: Table, key: &[u8]) -> Result<&str, RowError> {
    key.strip_prefix(&GROUP)
        .and_then(|name| std::str::from_utf8(name).ok())
        .ok_or_else(|| malformed(table, key, "a key with group 0 and a name in UTF-8"))
}

fn malformed(table: Table, key: &[u8], expected: &'static str) -> RowError {
    RowError { table, key: key.to_vec(), expected, found: format!("{} bytes", key.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_is_at_the_index_that_is_its_number() {
        for (index, table) in Table::ALL.into_iter().enumerate() {
            assert_eq!(table as usize, index, "{}", table.name());
        }
    }

    #[test]
    fn keys_are_the_bytes_they_always_were() {
        assert_eq!(job_key(JobId(0x0102)), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(lease_key(LeaseId(u64::MAX)), [0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(budget_key(BudgetId(0x0102)), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(failure_key(JobId(1), 23), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3]);
        assert_eq!(name_key("mail"), *b"\0\0mail");
    }

    #[test]
    fn keys_sort_as_their_numbers_do() {
        let numbers = [0, 1, 255, 256, 65_535, 65_536, u64::MAX];
        assert!(numbers.map(number_key).is_sorted());
    }

    #[test]
    fn a_key_is_read_back_or_refused() {
        assert_eq!(read_number(Table::Jobs, &number_key(258)), Ok(258));
        assert_eq!(read_name(Table::Queues, &name_key("mäil")), Ok("mäil"));

        let other_group = [0, 1, 0, 0, 0, 0, 0, 0, 0, 1];
        let error = read_number(Table::Leases, &other_group).unwrap_err();
        assert_eq!(
            error.to_string(),
            "table leases, key 00010000000000000001: expected a key of 10 bytes with group 0, found 10 bytes"
        );
        assert!(read_number(Table::Jobs, &[0, 0, 1]).is_err());
        assert!(read_name(Table::Queues, &[0, 0, 0xff]).is_err());
        assert!(read_name(Table::Queues, &[0]).is_err());
    }
}
