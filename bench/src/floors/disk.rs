//! What one sync costs.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use crate::meter::times;
use crate::results::Run;

const PAGE: [u8; 4096] = [7; 4096];
const PAGES: u64 = 64;
const SYNCS: u64 = 500;

/// Times of `fdatasync`, each after one page of a file was overwritten.
///
/// # Errors
/// The disk fails.
pub fn run(place: &Path) -> Result<Run> {
    let mut file = tempfile::tempfile_in(place)?;
    (0..PAGES).try_for_each(|_| file.write_all(&PAGE))?;
    file.sync_all()?;
    let mut syncs = times();
    for number in 0..SYNCS {
        overwrite(&mut file, number % PAGES)?;
        let began = Instant::now();
        file.sync_data()?;
        syncs.saturating_record(u64::try_from(began.elapsed().as_nanos())?);
    }
    Ok(Run::default().with_times(&syncs))
}

fn overwrite(file: &mut File, page: u64) -> Result<()> {
    file.seek(SeekFrom::Start(page * PAGE.len() as u64))?;
    file.write_all(&PAGE)?;
    Ok(())
}
