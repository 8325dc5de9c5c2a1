//! What makes a commit durable at the price of one sync of few bytes: its record is appended to a journal, and the rows go
//! into the store beneath later, many commits at once, while the next ones are made.
//!
//! The journal has two segments. Commits append to one of them until it is full. Then the rows of all its commits, the
//! newest of each, are flushed into the store beneath, and commits go on in the other segment. The flush is one commit of
//! that store, whose meta row says up to which sequence it has them; after it the segment is used again from its
//! beginning. Until then the rows are found in memory. A relaxed commit is appended without a sync: its bytes are the operating
//! system's once they are written, so only a power loss can take them, which is what relaxed means (semantics 10.4).
//!
//! Sequences grow by one from record to record. An open takes the records after the sequence that the store beneath has, as far
//! as they are whole and in sequence: what a power loss tore, or an earlier use of the segment left behind, is neither. A
//! journal that goes on later than the store beneath ends isn't that store's.

mod background;
mod places;
mod recent;
mod record;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

pub(super) use background::OwnThread;
pub use background::{AtOnce, Background, Work};
use recent::{Greatest, Recent};
use segment::Segment;
pub use segment::SegmentBytes;
pub(super) use segment::SegmentFile;

use super::records::read;
use super::tables::name_key;
use super::{
    Base, Batch, CommitError, Durability, Found, RowError, Rows, Store, StoreError, Table, Visit, Write, codec,
};

const SEQUENCE_NAME: &str = "journal";

/// How long the journal's segments get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentLimits {
    /// A segment with more bytes of records is flushed as soon as the other one has been.
    pub full_bytes: u64,
    /// A commit to a segment with more bytes waits for the other one's flush.
    pub most_bytes: u64,
    /// By how many bytes a segment grows at a time.
    pub growth_bytes: u64,
}

impl Default for SegmentLimits {
    fn default() -> Self {
        Self { full_bytes: 8 << 20, most_bytes: 32 << 20, growth_bytes: 1 << 20 }
    }
}

/// A store whose commits are in a journal before they are in the rows beneath.
pub(super) struct Journal<S, B> {
    base: Arc<S>,
    /// Where records go.
    current: Segment<B>,
    /// Where those of the flush are, if there is one.
    other: Segment<B>,
    /// The rows of the current segment.
    recent: Recent,
    /// Those of the segment that was flushed last, for their room.
    spare: Recent,
    flush: Option<Flush>,
    background: Box<dyn Background>,
    limits: SegmentLimits,
    /// The sequence of the last record.
    sequence: u64,
    record: Vec<u8>,
}

/// Rows on their way into the store beneath.
struct Flush {
    rows: Arc<Recent>,
    outcome: Receiver<Result<(), StoreError>>,
}

impl<S: Base + 'static, B: SegmentBytes> Journal<S, B> {
    /// Puts into `base` what the journal in `segments` has and it hasn't, durably.
    pub(super) fn open(
        base: S,
        segments: [B; 2],
        limits: SegmentLimits,
        background: Box<dyn Background>,
    ) -> Result<Self, StoreError> {
        let key = name_key(SEQUENCE_NAME);
        let sequence = read(&base, Table::Meta, &key, codec::decode_number)?.unwrap_or(0);
        let mut older = Greatest::default();
        for (greatest, table) in older.iter_mut().zip(Table::ALL) {
            *greatest = base.greatest_key(table)?;
        }
        let [current, other] = segments.map(|bytes| Segment::new(bytes, limits.growth_bytes));
        let mut journal = Self {
            base: Arc::new(base),
            current,
            other,
            recent: Recent::above(older),
            spare: Recent::default(),
            flush: None,
            background,
            limits,
            sequence,
            record: Vec::new(),
        };
        journal.replay()?;
        Ok(journal)
    }

    fn replay(&mut self) -> Result<(), StoreError> {
        let mut found = [read_segment(&mut self.current)?, read_segment(&mut self.other)?];
        if !self.current.has_bytes() && !self.other.has_bytes() {
            return Ok(());
        }
        // The segments follow each other, whichever of them is the older one.
        found.sort_by_key(|records| records.first().map(|(sequence, _)| *sequence));
        let before = self.sequence;
        for (sequence, batch) in found.into_iter().flatten() {
            if sequence > self.sequence + 1 {
                return Err(self.foreign(sequence));
            }
            if sequence == self.sequence + 1 {
                self.recent.add(&batch);
                self.sequence = sequence;
            }
        }
        tracing::info!(
            path = %self.current.path().display(),
            commits = self.sequence - before,
            "took over the commits that the journal had and the store beneath hadn't"
        );
        self.flush_now()
    }

    /// Puts everything into the store beneath while everybody waits, and empties the journal.
    fn flush_now(&mut self) -> Result<(), StoreError> {
        self.finish_flush()?;
        flush(&*self.base, &self.recent, self.sequence)?;
        let greatest = self.recent.greatest().clone();
        self.recent.begin_after(&greatest, self.bytes_kept_max());
        let emptied = self.current.empty().and_then(|()| self.other.empty());
        emptied.map_err(|error| self.error("emptying the journal", error))
    }

    /// Begins the flush of the current segment's rows, and goes on in the other segment, whose rows are flushed.
    fn turn_over(&mut self) -> Result<(), StoreError> {
        self.finish_flush()?;
        self.current.sync().map_err(|error| self.error("syncing the journal", error))?;
        std::mem::swap(&mut self.current, &mut self.other);
        self.current.begin_again();

        let mut next = std::mem::take(&mut self.spare);
        next.begin_after(self.recent.greatest(), self.bytes_kept_max());
        let rows = Arc::new(std::mem::replace(&mut self.recent, next));
        let (tell, outcome) = sync_channel(1);
        let (base, sequence) = (Arc::clone(&self.base), self.sequence);
        self.flush = Some(Flush { rows: Arc::clone(&rows), outcome });
        let work = move || {
            let outcome = flush(&*base, &rows, sequence);
            drop((base, rows));
            // Nobody wants to know of a journal that was dropped.
            let _ = tell.send(outcome);
        };
        self.background.start(Box::new(work)).map_err(|error| self.error("starting a flush", error))
    }

    /// Waits for the flush, if there is one.
    fn finish_flush(&mut self) -> Result<(), StoreError> {
        self.background.finish();
        self.note_flushed()
    }

    /// Notes that the flush has ended, if it has.
    fn note_flushed(&mut self) -> Result<(), StoreError> {
        let Some(Flush { rows, outcome }) = self.flush.take() else { return Ok(()) };
        match outcome.try_recv() {
            Err(TryRecvError::Empty) => {
                self.flush = Some(Flush { rows, outcome });
                Ok(())
            }
            Err(TryRecvError::Disconnected) => Err(self.error("a flush", "it panicked")),
            Ok(outcome) => {
                self.spare = Arc::into_inner(rows).unwrap_or_default();
                outcome
            }
        }
    }

    /// The room for rows that one segment leaves for the next one.
    fn bytes_kept_max(&self) -> usize {
        usize::try_from(self.limits.full_bytes * 2).unwrap_or(usize::MAX)
    }

    fn append(&mut self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        self.note_flushed()?;
        let bytes = self.current.end();
        if bytes >= self.limits.most_bytes || bytes >= self.limits.full_bytes && self.flush.is_none() {
            self.turn_over()?;
        }
        let mut record = std::mem::take(&mut self.record);
        let appended = record::fill(&mut record, self.sequence + 1, batch)
            .and_then(|()| self.current.append(&record))
            .and_then(|()| if durability == Durability::Immediate { self.current.sync() } else { Ok(()) });
        record.shrink_to(1 << 20);
        self.record = record;
        appended.map_err(|error| self.error("writing the journal", error))?;
        self.sequence += 1;
        self.recent.add(batch);
        Ok(())
    }
}

impl<S: Base, B: SegmentBytes> Journal<S, B> {
    /// The newest write to a row that may not be in the store beneath yet.
    fn newest(&self, table: Table, key: &[u8]) -> Option<Write<'_>> {
        let in_flush = || self.flush.as_ref().and_then(|flush| flush.rows.get(table, key));
        self.recent.get(table, key).or_else(in_flush)
    }

    fn row_error(&self, row: RowError) -> StoreError {
        StoreError::Row { location: self.base.location().to_owned(), row }
    }

    /// A segment is used again only once the store beneath has its rows: so no crash leaves a gap between the two.
    fn foreign(&self, sequence: u64) -> StoreError {
        let why = format!(
            "it goes on with commit {sequence}, and {} ends with commit {}: they don't belong together",
            self.base.location(),
            self.sequence
        );
        StoreError::Open { path: self.current.path().to_owned(), why }
    }

    fn error(&self, doing: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
        StoreError::Engine { location: self.current.path().display().to_string(), doing, source: source.into() }
    }
}

/// The records of a segment, as far as they are whole and in sequence: what follows was torn, or is left of an earlier use.
fn read_segment<B: SegmentBytes>(segment: &mut Segment<B>) -> Result<Vec<(u64, Batch)>, StoreError> {
    let bytes = segment.read();
    let bytes = bytes.map_err(|error| StoreError::Open { path: segment.path().to_owned(), why: error.to_string() })?;
    let (mut rest, mut records) = (&bytes[..], Vec::new());
    while let Some((sequence, batch)) = record::take(&mut rest) {
        if records.last().is_some_and(|(last, _)| last + 1 != sequence) {
            break;
        }
        records.push((sequence, batch));
    }
    Ok(records)
}

/// Puts these rows into the store beneath, and up to which sequence it has them all, in one commit.
fn flush(base: &impl Base, rows: &Recent, sequence: u64) -> Result<(), StoreError> {
    let mut done = Batch::default();
    done.put_with(Table::Meta, &name_key(SEQUENCE_NAME), |out| codec::encode_number(sequence, out));
    base.write(&mut rows.iter().chain(done.iter()))
}

impl<S: Base + 'static, B: SegmentBytes> Store for Journal<S, B> {
    fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), CommitError> {
        self.append(batch, durability).map_err(CommitError::Unknown)
    }

    fn sync(&mut self) -> Result<(), CommitError> {
        self.current.sync().map_err(|error| CommitError::Unknown(self.error("syncing the journal", error)))
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        self.flush_now()?;
        Arc::get_mut(&mut self.base).expect("the flush, which had the other handle, has ended").compact()
    }
}

impl<S: Base, B: SegmentBytes> Rows for Journal<S, B> {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        let (mut left, mut places) = (Vec::new(), Vec::new());
        for (index, key) in keys.iter().enumerate() {
            match self.newest(table, key) {
                Some(Write::Put { value, .. }) => found(index, value).map_err(|row| self.row_error(row))?,
                Some(Write::Delete { .. }) => {}
                None => {
                    left.push(*key);
                    places.push(index);
                }
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        self.base.get(table, &left, &mut |place, value| found(places[place], value))
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        let mut newer = BTreeMap::new();
        if let Some(flush) = &self.flush {
            flush.rows.collect(table, prefix, &mut newer);
        }
        self.recent.collect(table, prefix, &mut newer);
        let mut newer = newer.into_iter().peekable();
        self.base.scan(table, prefix, &mut |key, value| {
            while let Some((before, value)) = newer.next_if(|(newer, _)| *newer < key) {
                value.map_or(Ok(()), |value| row(before, value))?;
            }
            match newer.next_if(|(newer, _)| *newer == key) {
                Some((_, Some(value))) => row(key, value),
                Some((_, None)) => Ok(()),
                None => row(key, value),
            }
        })?;
        for (key, value) in newer {
            value.map_or(Ok(()), |value| row(key, value)).map_err(|row| self.row_error(row))?;
        }
        Ok(())
    }

    fn location(&self) -> &str {
        self.base.location()
    }
}
