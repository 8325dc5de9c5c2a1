//! One of the two files that the journal's records are in, written from its beginning again and again.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::store::redb::sync_parent;
use crate::store::syncs::Syncs;

/// Where a segment's bytes are kept, so that they outlive the process. Failing halfway is allowed: what a write leaves of
/// a record is known as torn.
pub trait SegmentBytes: Send {
    /// All of them; none where there are none yet.
    ///
    /// # Errors
    /// What reading fails with; so it is for the others.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Writes these at `offset`, which is at most the length there is.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Throws all of them away.
    fn empty(&mut self) -> io::Result<()>;

    /// Makes their state durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Where they are, for messages.
    fn path(&self) -> &Path;
}

/// A segment's bytes in a file, which is made by the first write.
#[derive(Debug)]
pub(in crate::store) struct SegmentFile {
    path: PathBuf,
    /// Opened when first needed.
    file: Option<File>,
    syncs: Syncs,
}

impl SegmentFile {
    pub(in crate::store) fn new(path: PathBuf, syncs: Syncs) -> Self {
        Self { path, file: None, syncs }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let is_new = !self.path.exists();
                let file = OpenOptions::new().create(true).truncate(false).write(true).open(&self.path)?;
                if is_new {
                    sync_parent(&self.path)?;
                }
                file
            }
        };
        Ok(self.file.insert(file))
    }
}

impl SegmentBytes for SegmentFile {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match File::open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            outcome => outcome.map(|_| bytes),
        }
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file()?.write_all_at(bytes, offset)
    }

    fn empty(&mut self) -> io::Result<()> {
        self.file()?.set_len(0)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.syncs.add_one();
        self.file()?.sync_data()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// What a segment begins with: whose it is, and in which version.
const HEADER: &[u8; 8] = b"sluice-1";

/// Records one after the other, and what is left of older ones behind them.
#[derive(Debug)]
pub(super) struct Segment<B> {
    bytes: B,
    /// Where the next record goes.
    end: u64,
    /// How many bytes there are. A sync of bytes that were there before is cheaper than one that makes the file longer.
    length: u64,
    /// By how much it grows at a time.
    growth: u64,
    is_unsynced: bool,
}

impl<B: SegmentBytes> Segment<B> {
    pub(super) fn new(bytes: B, growth: u64) -> Self {
        Self { bytes, end: HEADER.len() as u64, length: 0, growth, is_unsynced: false }
    }

    /// All bytes of records, of whatever age.
    ///
    /// # Errors
    /// They can't be read, or aren't a segment's.
    pub(super) fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = self.bytes.read()?;
        self.length = bytes.len() as u64;
        let header: Vec<u8> = bytes.drain(..HEADER.len().min(bytes.len())).collect();
        // Where the power was lost before the first sync, it may be there in part, with zeros instead of the rest.
        if header.iter().zip(HEADER).any(|(found, expected)| *found != 0 && found != expected) {
            let why = "it doesn't begin as a journal of this version of the server does";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok(if header == HEADER { bytes } else { Vec::new() })
    }

    /// Whether there are any bytes, be they of records or not.
    pub(super) fn has_bytes(&self) -> bool {
        self.length > 0
    }

    /// Throws all bytes away, durably: the records to come must not be followed by remains of another run's.
    pub(super) fn empty(&mut self) -> io::Result<()> {
        if self.length > 0 {
            self.bytes.empty()?;
            self.bytes.sync()?;
        }
        self.begin_again();
        (self.length, self.is_unsynced) = (0, false);
        Ok(())
    }

    /// How many bytes it has of what counts.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let end = self.end + record.len() as u64;
        if end > self.length {
            let length = end.next_multiple_of(self.growth);
            let mut more = vec![0; usize::try_from(length - self.length).map_err(io::Error::other)?];
            if self.length == 0 {
                more[..HEADER.len()].copy_from_slice(HEADER);
            }
            self.bytes.write(self.length, &more)?;
            self.length = length;
        }
        self.is_unsynced = true;
        self.bytes.write(self.end, record)?;
        self.end = end;
        Ok(())
    }

    /// Makes all records durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.is_unsynced {
            self.bytes.sync()?;
            self.is_unsynced = false;
        }
        Ok(())
    }

    /// The next record comes first. The older ones stay until they are written over, which does no harm: their
    /// sequences are those of records that are long in the store.
    pub(super) fn begin_again(&mut self) {
        self.end = HEADER.len() as u64;
    }

    pub(super) fn path(&self) -> &Path {
        self.bytes.path()
    }
}
