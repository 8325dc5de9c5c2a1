//! One ever growing sequence that numbers budgets, jobs, leases and remembered enqueues.

use super::effect::Change;
use super::journal::Journal;

/// Gives out numbers. They are reserved in blocks that are written before the first of them is used, so that none is
/// ever used twice, also not after a restart that finds no trace of the last ones.
#[derive(Debug)]
pub struct Ids {
    next: u64,
    reserved: u64,
}

impl Ids {
    /// How many numbers one row reserves.
    const BLOCK: u64 = 1 << 20;

    /// Goes on after all that may be in use.
    pub fn starting_at(next: u64) -> Self {
        Self { next: next.max(1), reserved: next }
    }

    /// A number that was never given out before.
    pub fn next(&mut self, journal: &mut Journal) -> u64 {
        let id = self.next;
        self.next += 1;
        if id >= self.reserved {
            self.reserved = id + Self::BLOCK;
            journal.given.push(Change::ReserveIds(self.reserved));
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_reserved_before_it_is_used() {
        let (mut ids, mut journal) = (Ids::starting_at(0), Journal::default());
        assert_eq!(ids.next(&mut journal), 1);
        assert_eq!(journal.given, [Change::ReserveIds(1 + Ids::BLOCK)]);
        for _ in 1..Ids::BLOCK {
            ids.next(&mut journal);
        }
        assert_eq!(journal.given.len(), 1);
        assert_eq!(ids.next(&mut journal), 1 + Ids::BLOCK);
        assert_eq!(journal.given[1], Change::ReserveIds(1 + 2 * Ids::BLOCK));
    }
}
