//! Where the newest write to each row of a table is.
//!
//! The rows that are many have numbers for keys, are written next to each other and mostly in order. So their places lie in
//! pages of neighbours, and a search of few steps finds each.

use std::collections::BTreeMap;

use crate::store::tables::GROUP;

const PAGE_ROWS: u64 = 16;
const NONE: u32 = u32::MAX;

/// A place for each of some keys.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Of keys that are numbers.
    pages: BTreeMap<u64, [u32; PAGE_ROWS as usize]>,
    /// Of all others.
    others: BTreeMap<Box<[u8]>, u32>,
}

impl Places {
    pub(super) fn get(&self, key: &[u8]) -> Option<u32> {
        match number(key) {
            Some(number) => {
                let page = self.pages.get(&(number / PAGE_ROWS))?;
                Some(page[row(number)]).filter(|place| *place != NONE)
            }
            None => self.others.get(key).copied(),
        }
    }

    /// Gives a key this place, instead of any it had.
    pub(super) fn set(&mut self, key: &[u8], place: u32) {
        debug_assert_ne!(place, NONE);
        match number(key) {
            Some(number) => {
                let page = self.pages.entry(number / PAGE_ROWS).or_insert([NONE; PAGE_ROWS as usize]);
                page[row(number)] = place;
            }
            None => match self.others.get_mut(key) {
                Some(known) => *known = place,
                None => drop(self.others.insert(key.into(), place)),
            },
        }
    }

    /// Forgets the place of a key, if it has one.
    pub(super) fn remove(&mut self, key: &[u8]) {
        match number(key) {
            Some(number) => {
                if let Some(page) = self.pages.get_mut(&(number / PAGE_ROWS)) {
                    page[row(number)] = NONE;
                }
            }
            None => drop(self.others.remove(key)),
        }
    }

    /// All places, those of numbers by the order of these.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let numbered = self.pages.values().flatten().copied().filter(|place| *place != NONE);
        numbered.chain(self.others.values().copied())
    }

    pub(super) fn clear(&mut self) {
        self.pages.clear();
        self.others.clear();
    }
}

fn number(key: &[u8]) -> Option<u64> {
    let number = key.strip_prefix(&GROUP)?;
    Some(u64::from_be_bytes(number.try_into().ok()?))
}

fn row(number: u64) -> usize {
    (number % PAGE_ROWS) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(number: u16, is_other: bool) -> Vec<u8> {
        let mut key = [&GROUP[..], &u64::from(number).to_be_bytes()].concat();
        if is_other {
            key.push(0);
        }
        key
    }

    proptest! {
        #[test]
        fn they_answer_as_an_ordered_map(steps in prop::collection::vec((0..3_u8, 0..60_u16, any::<bool>()), 0..200)) {
            let (mut places, mut naive) = (Places::default(), BTreeMap::new());
            for (place, (step, number, is_other)) in (0..).zip(steps) {
                let key = key(number, is_other);
                if step == 0 {
                    places.remove(&key);
                    naive.remove(&key);
                } else {
                    places.set(&key, place);
                    naive.insert(key.clone(), place);
                }
                prop_assert_eq!(places.get(&key), naive.get(&key).copied());
                let (mut all, mut expected): (Vec<_>, Vec<_>) = (places.iter().collect(), naive.values().copied().collect());
                all.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(all, expected);
            }
            places.clear();
            prop_assert_eq!(places.iter().count(), 0);
        }
    }
}
