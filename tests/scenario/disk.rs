//! A disk in memory under a real redb and its journal: it knows which of its bytes were synced, and can lose the others.

use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;
use sluicegate::store::SegmentBytes;

/// The files of one store; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    pub database: File,
    pub segments: [File; 2],
}

/// A handle on one file; clones share it.
#[derive(Clone, Debug, Default)]
pub struct File(Arc<Mutex<Image>>);

#[derive(Debug, Default)]
struct Image {
    /// What a reader sees.
    written: Vec<u8>,
    /// What a power loss leaves.
    synced: Vec<u8>,
    /// Where the two may differ, within `written`.
    unsynced: Vec<Range<usize>>,
}

impl Disk {
    /// Another disk, with what a power loss would leave of this one.
    pub fn after_power_loss(&self) -> Self {
        let segments = self.segments.each_ref().map(File::after_power_loss);
        Self { database: self.database.after_power_loss(), segments }
    }
}

impl File {
    fn after_power_loss(&self) -> Self {
        let synced = self.image().synced.clone();
        Self(Arc::new(Mutex::new(Image { written: synced.clone(), synced, unsynced: Vec::new() })))
    }

    fn image(&self) -> MutexGuard<'_, Image> {
        self.0.lock().expect("nothing panics while it holds the image")
    }
}

impl Image {
    fn range(&self, offset: u64, len: usize) -> Result<Range<usize>> {
        usize::try_from(offset)
            .ok()
            .and_then(|start| Some(start..start.checked_add(len)?))
            .filter(|range| range.end <= self.written.len())
            .ok_or_else(|| Error::from(ErrorKind::UnexpectedEof))
    }
}

impl StorageBackend for File {
    fn len(&self) -> Result<u64> {
        Ok(self.image().written.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let image = self.image();
        let range = image.range(offset, out.len())?;
        out.copy_from_slice(&image.written[range]);
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        let mut image = self.image();
        let len = usize::try_from(len).map_err(|_| Error::from(ErrorKind::OutOfMemory))?;
        let before = image.written.len();
        image.written.resize(len, 0);
        image.unsynced.retain_mut(|range| {
            range.end = range.end.min(len);
            range.start < range.end
        });
        if before < len {
            image.unsynced.push(before..len);
        }
        Ok(())
    }

    fn sync_data(&self) -> Result<()> {
        let image = &mut *self.image();
        image.synced.resize(image.written.len(), 0);
        for range in image.unsynced.drain(..) {
            image.synced[range.clone()].copy_from_slice(&image.written[range]);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        let mut image = self.image();
        let range = image.range(offset, data.len())?;
        image.written[range.clone()].copy_from_slice(data);
        image.unsynced.push(range);
        Ok(())
    }
}

impl SegmentBytes for File {
    fn read(&mut self) -> Result<Vec<u8>> {
        Ok(self.image().written.clone())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let end = offset + bytes.len() as u64;
        if StorageBackend::len(self)? < end {
            self.set_len(end)?;
        }
        StorageBackend::write(self, offset, bytes)
    }

    fn empty(&mut self) -> Result<()> {
        self.set_len(0)
    }

    fn sync(&mut self) -> Result<()> {
        self.sync_data()
    }

    fn path(&self) -> &Path {
        Path::new("the story's journal")
    }
}
