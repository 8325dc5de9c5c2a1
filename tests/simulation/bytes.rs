//! The bytes of one file as a machine has them: what a reader sees, what is on the disk for good, and what lies between.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::operation::Operation;

/// What a disk writes whole, whatever happens.
const SECTOR: usize = 512;
/// What a disk gives to a file at a time.
pub const BLOCK: usize = 4096;

/// One file.
#[derive(Debug, Default)]
pub struct Bytes {
    /// What a reader sees, and a kill leaves.
    written: Vec<u8>,
    /// What was there at the last sync.
    synced: Vec<u8>,
    /// What was done since, in order.
    unsynced: Vec<Operation>,
    /// Which blocks were ever written to: the others take no place on the disk.
    allocated: Vec<bool>,
}

/// How a power loss treats what wasn't synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing of it was on its way yet.
    All,
    /// All of it was done.
    Nothing,
    /// Of it some operations were done, in any combination.
    Some,
    /// Of each write some sectors were done.
    Sectors,
    /// Each write was done up to some byte.
    Bytes,
}

impl Loss {
    const EACH: [Self; 5] = [Self::All, Self::Nothing, Self::Some, Self::Sectors, Self::Bytes];

    pub fn any(rng: &mut SmallRng) -> Self {
        Self::EACH[rng.random_range(0..Self::EACH.len())]
    }
}

/// What became of the operations that weren't synced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    pub kept: u64,
    pub lost: u64,
    pub torn: u64,
}

impl Bytes {
    pub fn len(&self) -> usize {
        self.written.len()
    }

    /// All of them, as a reader sees them.
    pub fn written(&self) -> &[u8] {
        &self.written
    }

    pub fn set_len(&mut self, length: usize) {
        self.allocated.resize(length.div_ceil(BLOCK), false);
        self.act(Operation::SetLen(length));
    }

    pub fn write(&mut self, offset: usize, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let end = (offset + data.len()).div_ceil(BLOCK);
        self.allocated.resize(self.allocated.len().max(end), false);
        self.allocated[offset / BLOCK..end].fill(true);
        self.act(Operation::Write(offset, data.to_vec()));
    }

    fn act(&mut self, operation: Operation) {
        operation.apply(&mut self.written);
        self.unsynced.push(operation);
    }

    /// Where the blocks begin that a write would be the first to use.
    pub fn fresh_blocks(&self, offset: usize, length: usize) -> impl Iterator<Item = usize> {
        let blocks = offset / BLOCK..(offset + length).div_ceil(BLOCK);
        blocks.filter(|block| !self.allocated.get(*block).is_some_and(|used| *used)).map(|block| block * BLOCK)
    }

    /// Everything is on the disk for good.
    pub fn sync(&mut self) {
        self.unsynced.drain(..).for_each(|operation| operation.apply(&mut self.synced));
    }

    /// Some of what wasn't synced is gone for good; the rest is what is there now.
    pub fn lose(&mut self, loss: Loss, rng: &mut SmallRng) -> Fate {
        let mut fate = Fate::default();
        for operation in std::mem::take(&mut self.unsynced) {
            let survives = match loss {
                Loss::All => false,
                Loss::Nothing => true,
                Loss::Some | Loss::Sectors | Loss::Bytes => rng.random(),
            };
            match (survives, loss, &operation) {
                (false, ..) => fate.lost += 1,
                (true, Loss::Sectors, Operation::Write(offset, data)) => {
                    self.tear(*offset, data, rng);
                    fate.torn += 1;
                }
                (true, Loss::Bytes, Operation::Write(offset, data)) => {
                    let end = rng.random_range(0..=data.len());
                    Operation::Write(*offset, data[..end].to_vec()).apply(&mut self.synced);
                    fate.torn += 1;
                }
                (true, ..) => {
                    operation.apply(&mut self.synced);
                    fate.kept += 1;
                }
            }
        }
        self.written.clone_from(&self.synced);
        self.allocated.resize(self.written.len().div_ceil(BLOCK), false);
        fate
    }

    /// Does a write in some of its sectors.
    fn tear(&mut self, offset: usize, data: &[u8], rng: &mut SmallRng) {
        let end = offset + data.len();
        let mut from = offset;
        while from < end {
            let until = (from / SECTOR * SECTOR + SECTOR).min(end);
            if rng.random() {
                let sector = data[from - offset..until - offset].to_vec();
                Operation::Write(from, sector).apply(&mut self.synced);
            }
            from = until;
        }
    }
}
