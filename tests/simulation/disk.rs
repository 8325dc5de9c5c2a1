//! A disk under a real redb and its journal: it fails, fills up, and ends with its machine at any of its operations.
//!
//! Knows bytes and troubles; refuses to know what is stored.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use redb::StorageBackend;
use sluicegate::store::SegmentBytes;

use super::bytes::{Bytes, Loss};

/// A handle on one disk; clones share it.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// By the number of each.
    files: [Bytes; 3],
    trouble: Option<Trouble>,
    full: Option<Full>,
    /// How the machine has ended; nothing works any more until it starts again.
    ended: Option<End>,
    /// How many operations were refused, ever.
    refusals: u64,
    /// Decides which part of an operation is done.
    rng: SmallRng,
    /// What the disk has gone through since somebody asked.
    met: Vec<(&'static str, u64)>,
}

/// An operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Write,
    SetLen,
    Sync,
    Read,
    Len,
}

/// What goes wrong, once so many of the operations that it is meant for have gone well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub at: Target,
    pub after: u32,
    pub what: Harm,
}

/// The operations that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Syncs,
    /// Writes and changes of the length.
    Writes,
    SetLens,
    Reads,
    /// Questions for the length.
    Lengths,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// The process or the machine ends there.
    End(End),
    /// So many operations of that kind fail.
    Errors(u32),
}

/// How it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The process is killed: what was written is there.
    Kill,
    /// The power is lost: what was synced is there, and anything of the rest.
    PowerLoss,
}

/// A disk without space.
#[derive(Clone, Copy, Debug)]
struct Full {
    /// Blocks it still has.
    blocks: usize,
    /// After so many refusals somebody frees some.
    patience: u32,
}

/// What becomes of one operation.
enum Luck {
    Good,
    /// It fails, and may be done in part.
    Bad,
    /// The machine is no more.
    Gone,
}

impl Target {
    fn is_meant(self, act: Act) -> bool {
        match self {
            Self::Syncs => act == Act::Sync,
            Self::Writes => matches!(act, Act::Write | Act::SetLen),
            Self::SetLens => act == Act::SetLen,
            Self::Reads => act == Act::Read,
            Self::Lengths => act == Act::Len,
        }
    }
}

impl Disk {
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            files: Default::default(),
            trouble: None,
            full: None,
            ended: None,
            refusals: 0,
            rng: SmallRng::seed_from_u64(seed),
            met: Vec::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics while it holds the state")
    }

    /// What is done in part is decided by this from now on.
    pub fn reseed(&self, seed: u64) {
        self.state().rng = SmallRng::seed_from_u64(seed);
    }

    /// From now on this lies ahead.
    pub fn expect(&self, trouble: Trouble) {
        self.state().trouble = Some(trouble);
    }

    /// From now on the disk has so many blocks left, until it has refused so many operations.
    pub fn fill(&self, blocks: usize, patience: u32) {
        self.state().full = Some(Full { blocks, patience });
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        let mut state = self.state();
        (state.trouble, state.full) = (None, None);
    }

    /// The machine ends here, between two operations.
    pub fn end(&self, end: End) {
        self.state().ended = Some(end);
    }

    pub fn has_ended(&self) -> bool {
        self.state().ended.is_some()
    }

    /// How many operations were refused, ever.
    pub fn refusals(&self) -> u64 {
        self.state().refusals
    }

    /// What the disk has gone through since the last call.
    pub fn take_met(&self) -> Vec<(&'static str, u64)> {
        std::mem::take(&mut self.state().met)
    }

    /// The machine starts again, if it had ended: how it had.
    pub fn start_again(&self) -> Option<End> {
        let state = &mut *self.state();
        let end = state.ended.take()?;
        if end == End::PowerLoss {
            let loss = Loss::any(&mut state.rng);
            for bytes in &mut state.files {
                let fate = bytes.lose(loss, &mut state.rng);
                let fates =
                    [("writes lost", fate.lost), ("writes torn", fate.torn), ("writes kept unsynced", fate.kept)];
                state.met.extend(fates);
            }
        }
        Some(end)
    }
}

impl State {
    fn luck(&mut self, act: Act) -> Luck {
        if self.ended.is_some() {
            return Luck::Gone;
        }
        let Some(trouble) = self.trouble.as_mut().filter(|trouble| trouble.at.is_meant(act)) else {
            return Luck::Good;
        };
        if trouble.after > 0 {
            trouble.after -= 1;
            return Luck::Good;
        }
        self.refusals += 1;
        match &mut trouble.what {
            Harm::End(end) => {
                self.met.push((ended_at(act), 1));
                self.ended = Some(*end);
                self.trouble = None;
            }
            Harm::Errors(left) => {
                self.met.push((failed_at(act), 1));
                *left -= 1;
                if *left == 0 {
                    self.trouble = None;
                }
            }
        }
        Luck::Bad
    }

    /// How many bytes of a write find a place.
    fn room(&mut self, which: Which, offset: usize, length: usize) -> usize {
        let Some(full) = &mut self.full else { return length };
        for block in self.files[which.number()].fresh_blocks(offset, length) {
            if full.blocks > 0 {
                full.blocks -= 1;
                continue;
            }
            full.patience -= 1;
            self.refusals += 1;
            self.met.push(("writes refused by a full disk", 1));
            if full.patience == 0 {
                self.full = None;
                self.met.push(("full disks freed", 1));
            }
            return block.saturating_sub(offset);
        }
        length
    }

    fn write(&mut self, which: Which, offset: usize, data: &[u8]) -> io::Result<()> {
        let (length, error) = match self.luck(Act::Write) {
            Luck::Good => (self.room(which, offset, data.len()), ErrorKind::StorageFull),
            Luck::Bad => (self.rng.random_range(0..=data.len()), ErrorKind::Other),
            Luck::Gone => return Err(gone()),
        };
        self.files[which.number()].write(offset, &data[..length]);
        if length == data.len() && error == ErrorKind::StorageFull { Ok(()) } else { Err(error.into()) }
    }

    fn set_len(&mut self, which: Which, length: usize) -> io::Result<()> {
        let luck = self.luck(Act::SetLen);
        if matches!(luck, Luck::Good) || matches!(luck, Luck::Bad) && self.rng.random() {
            self.files[which.number()].set_len(length);
        }
        luck.into()
    }

    fn sync(&mut self, which: Which) -> io::Result<()> {
        let luck = self.luck(Act::Sync);
        if matches!(luck, Luck::Good) || matches!(luck, Luck::Bad) && self.rng.random() {
            self.files[which.number()].sync();
        }
        luck.into()
    }
}

impl From<Luck> for io::Result<()> {
    fn from(luck: Luck) -> Self {
        match luck {
            Luck::Good => Ok(()),
            Luck::Bad => Err(io::Error::other("the disk fails")),
            Luck::Gone => Err(gone()),
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("the machine has ended")
}

fn ended_at(act: Act) -> &'static str {
    match act {
        Act::Write => "ends at a write",
        Act::SetLen => "ends at a change of the length",
        Act::Sync => "ends at a sync",
        Act::Read | Act::Len => "ends at a read",
    }
}

fn failed_at(act: Act) -> &'static str {
    match act {
        Act::Write => "writes failed",
        Act::SetLen => "changes of the length failed",
        Act::Sync => "syncs failed",
        Act::Read => "reads failed",
        Act::Len => "questions for the length failed",
    }
}

/// The files on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Database,
    /// A segment of the journal.
    Segment(usize),
}

impl Which {
    fn number(self) -> usize {
        match self {
            Self::Database => 0,
            Self::Segment(number) => 1 + number,
        }
    }
}

fn at(offset: u64) -> usize {
    usize::try_from(offset).expect("the disk is in memory")
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        let mut state = self.state();
        io::Result::from(state.luck(Act::Len))?;
        Ok(state.files[Which::Database.number()].len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        io::Result::from(state.luck(Act::Read))?;
        let start = at(offset);
        let bytes = state.files[Which::Database.number()]
            .written()
            .get(start..start + out.len())
            .ok_or(ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.state().set_len(Which::Database, at(length))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.state().sync(Which::Database)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.state().write(Which::Database, at(offset), data)
    }
}

/// A segment of the journal on the same disk.
#[derive(Debug)]
pub struct SegmentOn(pub Disk, pub usize);

impl SegmentOn {
    fn which(&self) -> Which {
        Which::Segment(self.1)
    }
}

impl SegmentBytes for SegmentOn {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut state = self.0.state();
        io::Result::from(state.luck(Act::Read))?;
        Ok(state.files[self.which().number()].written().to_vec())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.state().write(self.which(), at(offset), bytes)
    }

    fn empty(&mut self) -> io::Result<()> {
        self.0.state().set_len(self.which(), 0)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.state().sync(self.which())
    }

    fn path(&self) -> &Path {
        Path::new("the simulated journal")
    }
}
