//! Rows about the store as a whole.

use super::{Kind, decode, encode};
use crate::store::error::RowError;
use crate::store::tables::Table;

const NUMBER: Kind = Kind { table: Table::Meta, expected: "a number, version 1" };
const STORE_ID: Kind = Kind { table: Table::Meta, expected: "a store id, version 1" };

pub(in crate::store) fn encode_number(number: u64, out: &mut Vec<u8>) {
    encode(&number, out);
}

pub(in crate::store) fn decode_number(key: &[u8], value: &[u8]) -> Result<u64, RowError> {
    decode(NUMBER, key, value)
}

pub(in crate::store) fn encode_store_id(id: u128, out: &mut Vec<u8>) {
    encode(&id, out);
}

pub(in crate::store) fn decode_store_id(key: &[u8], value: &[u8]) -> Result<u128, RowError> {
    decode(STORE_ID, key, value)
}
