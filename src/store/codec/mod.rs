//! Records as the bytes of rows, and back.
//!
//! A value is its row version, one byte, then the row in postcard. The rows are structs of their own, apart from the
//! scheduler's records: changing a record can't change the format unseen. Where a row changes, it becomes the
//! next version, and the earlier ones stay readable. What doesn't decode is an error that names the row.

mod budget;
mod job;
mod lease;
mod meta;
#[cfg(test)]
mod tests;

pub(super) use budget::{decode_budget, decode_levels, decode_pool, encode_budget, encode_levels, encode_pool};
pub(super) use job::{
    decode_body, decode_failure, decode_job, decode_result, encode_body, encode_failure, encode_job, encode_result,
};
pub(super) use lease::{decode_lease, decode_queue, decode_request, encode_lease, encode_queue, encode_request};
pub(super) use meta::{decode_number, decode_store_id, encode_number, encode_store_id};

use serde::{Deserialize, Serialize, Serializer};

use super::error::RowError;
use super::tables::Table;

/// The version of every kind of row that is written today.
const VERSION: u8 = 1;

/// What a row is, for decoding and for messages.
#[derive(Clone, Copy)]
struct Kind {
    table: Table,
    expected: &'static str,
}

/// Appends a row to `out`.
fn encode<T: Serialize + ?Sized>(row: &T, out: &mut Vec<u8>) {
    out.push(VERSION);
    append(row, out);
}

/// Appends a row without a version to `out`.
pub(super) fn append<T: Serialize + ?Sized>(row: &T, out: &mut Vec<u8>) {
    let filled = postcard::to_extend(row, std::mem::take(out));
    *out = filled.expect("rows know the length of all they hold, and a vector takes any byte");
}

/// Reads a row, whole: what is left over is an error too.
fn decode<'a, T: Deserialize<'a>>(kind: Kind, key: &[u8], value: &'a [u8]) -> Result<T, RowError> {
    let error = |found| RowError { table: kind.table, key: key.to_vec(), expected: kind.expected, found };
    match value.split_first() {
        None => Err(error("no bytes".to_owned())),
        Some((&VERSION, row)) => match postcard::take_from_bytes(row) {
            Ok((row, [])) => Ok(row),
            Ok((_, rest)) => Err(error(format!("{} bytes more than it has", rest.len()))),
            Err(why) => Err(error(format!("{} bytes that aren't one: {why}", value.len()))),
        },
        Some((version, _)) => Err(error(format!("version {version}"))),
    }
}

/// Bytes as one piece. Serde alone would take them one by one.
#[derive(Deserialize)]
pub(super) struct Bytes<'a>(#[serde(borrow)] pub(super) &'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}
