//! A commit as bytes, in which a reader knows whether they are all there.
//!
//! A record is the length of its payload as `u32`, a CRC-32 of the rest as `u32`, a sequence as `u64`, all little-endian,
//! then the payload: the batch's writes one after the other in postcard.

use std::io;

use serde::{Deserialize, Serialize};

use crate::store::codec::{self, Bytes};
use crate::store::{Batch, Table};

const HEADER_BYTES: usize = 16;

#[derive(Serialize, Deserialize)]
struct WriteRow<'a> {
    table: u8,
    #[serde(borrow)]
    key: Bytes<'a>,
    #[serde(borrow)]
    value: Option<Bytes<'a>>,
}

/// Makes `record` the record of this batch.
///
/// # Errors
/// The batch has more bytes than a record's length can say.
pub(super) fn fill(record: &mut Vec<u8>, sequence: u64, batch: &Batch) -> io::Result<()> {
    record.clear();
    record.resize(8, 0);
    record.extend_from_slice(&sequence.to_le_bytes());
    for write in batch.iter() {
        let row = WriteRow { table: write.table() as u8, key: Bytes(write.key()), value: write.value().map(Bytes) };
        codec::append(&row, record);
    }
    let length = u32::try_from(record.len() - HEADER_BYTES)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a commit of more than 4 GiB"))?;
    record[..4].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&record[8..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
    Ok(())
}

/// Takes the next record off `bytes`. None: there is none, or none that is whole.
pub(super) fn take(bytes: &mut &[u8]) -> Option<(u64, Batch)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let end = 8_usize.checked_add(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let (summed, rest) = rest.split_at_checked(end)?;
    if crc32fast::hash(summed) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (sequence, mut writes) = summed.split_first_chunk()?;
    let mut batch = Batch::default();
    while !writes.is_empty() {
        let (row, left) = postcard::take_from_bytes::<WriteRow<'_>>(writes).ok()?;
        let table = *Table::ALL.get(usize::from(row.table))?;
        match row.value {
            Some(value) => batch.put(table, row.key.0, value.0),
            None => batch.delete(table, row.key.0),
        }
        writes = left;
    }
    *bytes = rest;
    Some((u64::from_le_bytes(*sequence), batch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        let mut batch = Batch::default();
        batch.put(Table::Jobs, &[1, 2], &[9; 40]);
        batch.delete(Table::Bodies, &[3]);
        batch.put(Table::Results, &[], &[]);
        batch
    }

    #[test]
    fn a_record_is_read_back_and_no_damaged_one() {
        let mut record = Vec::new();
        fill(&mut record, 7, &batch()).unwrap();
        let mut rest = &record[..];
        assert_eq!(take(&mut rest), Some((7, batch())));
        assert_eq!((rest.len(), take(&mut rest)), (0, None));

        for length in 0..record.len() {
            assert_eq!(take(&mut &record[..length]), None, "the first {length} bytes");
        }
        for index in 0..record.len() {
            let mut damaged = record.clone();
            damaged[index] ^= 0x10;
            assert_eq!(take(&mut &damaged[..]), None, "byte {index} flipped");
        }
    }

    #[test]
    fn zeros_are_no_record() {
        assert_eq!(take(&mut &[0; 4096][..]), None);
    }
}
