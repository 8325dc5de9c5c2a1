//! The file of the event log: whole lines at its end, or what is wrong with it.
//!
//! Refuses to know what a line says.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An open log, to which nobody else appends.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    /// What it ends with is no whole line.
    is_torn: bool,
}

impl LogFile {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// Whatever the file system says, and a file that another server appends to.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        if file.metadata()?.is_file() {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(io::Error::other("another server appends to it")),
                // A file system without such marks has only the operator's care.
                Err(TryLockError::Error(_)) | Ok(()) => {}
            }
        }
        let is_torn = ends_torn(&mut file)?;
        Ok(Self { path: path.to_owned(), file, is_torn })
    }

    /// Opens the path again: where the file was moved away, that is a new one.
    pub fn reopen(&mut self) -> io::Result<()> {
        // Its own mark would stand in the way where it is the same file still.
        self.file.unlock()?;
        *self = Self::open(&self.path)?;
        Ok(())
    }

    /// Appends whole lines, or none of them.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let metadata = self.file.metadata()?;
        let outcome = match self.is_torn {
            true => self.file.write_all(b"\n").and_then(|()| self.file.write_all(lines)),
            false => self.file.write_all(lines),
        };
        match &outcome {
            Ok(()) => self.is_torn = false,
            // A full disk takes nothing, but gives back.
            Err(_) if metadata.is_file() => self.is_torn |= self.file.set_len(metadata.len()).is_err(),
            Err(_) => {}
        }
        outcome
    }

    /// Waits until what was appended is on disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Whether a kill, or a power loss, has cut the last line.
fn ends_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
