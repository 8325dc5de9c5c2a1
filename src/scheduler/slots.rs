//! Tables whose rows stay where they are: one numbers its rows itself, one finds them by an ever growing id.
//!
//! Rows live in chunks that are never moved, so that no growth ever copies what is there.

use std::cell::Cell;
use std::collections::BTreeMap;

const CHUNK_ROWS: usize = 1024;

/// A table of `T` under small numbers; a freed number is used again.
#[derive(Debug)]
pub struct Slots<T> {
    chunks: Vec<Vec<Option<T>>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T> Slots<T> {
    /// Puts `row` under a free number.
    pub fn insert(&mut self, row: T) -> u32 {
        self.len += 1;
        if let Some(number) = self.free.pop() {
            *self.slot(number) = Some(row);
            return number;
        }
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK_ROWS) {
            self.chunks.push(Vec::with_capacity(CHUNK_ROWS));
        }
        let full = (self.chunks.len() - 1) * CHUNK_ROWS;
        let chunk = self.chunks.last_mut().expect("just pushed");
        chunk.push(Some(row));
        u32::try_from(full + chunk.len() - 1).expect("fewer than 2^32 rows: jobs are bounded below that")
    }

    /// Takes the row out and frees its number.
    pub fn remove(&mut self, number: u32) -> T {
        let row = self.slot(number).take().expect("a number in use");
        self.free.push(number);
        self.len -= 1;
        row
    }

    /// The row under a number in use.
    pub fn get(&self, number: u32) -> &T {
        let (chunk, row) = place(number);
        self.chunks[chunk][row].as_ref().expect("a number in use")
    }

    /// The row under a number, if it is in use.
    pub fn find(&self, number: u32) -> Option<&T> {
        let (chunk, row) = place(number);
        self.chunks.get(chunk)?.get(row)?.as_ref()
    }

    /// The row under a number in use.
    pub fn get_mut(&mut self, number: u32) -> &mut T {
        self.slot(number).as_mut().expect("a number in use")
    }

    /// How many numbers are in use.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The rows with their numbers, in the order of the numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(self.chunks.iter().flatten()).filter_map(|(number, row)| Some((number, row.as_ref()?)))
    }

    fn slot(&mut self, number: u32) -> &mut Option<T> {
        let (chunk, row) = place(number);
        &mut self.chunks[chunk][row]
    }
}

fn place(number: u32) -> (usize, usize) {
    (number as usize / CHUNK_ROWS, number as usize % CHUNK_ROWS)
}

const PAGE_IDS: u64 = 32;
const NONE: u32 = u32::MAX;

/// A table of `T` under ids that mostly grow. Neighbouring ids share a page, so a search has few steps to go.
#[derive(Debug)]
pub struct IdMap<T> {
    /// The numbers of the pages. They are apart from the pages, as a tree that grows at its end leaves half of each node empty.
    index: BTreeMap<u64, u32>,
    pages: Slots<Page>,
    rows: Slots<T>,
    /// The id last asked for and the number of its row: a step asks for the same few again and again.
    last: Cell<(u64, u32)>,
}

#[derive(Debug)]
struct Page {
    numbers: [u32; PAGE_IDS as usize],
    used: u32,
}

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        Self { index: BTreeMap::new(), pages: Slots::default(), rows: Slots::default(), last: Cell::new((0, NONE)) }
    }
}

impl<T> IdMap<T> {
    /// Puts `row` under an id that has none.
    pub fn insert(&mut self, id: u64, row: T) {
        let number = self.rows.insert(row);
        let new_page = || self.pages.insert(Page { numbers: [NONE; PAGE_IDS as usize], used: 0 });
        let page = *self.index.entry(id / PAGE_IDS).or_insert_with(new_page);
        let page = self.pages.get_mut(page);
        let before = std::mem::replace(&mut page.numbers[(id % PAGE_IDS) as usize], number);
        debug_assert_eq!(before, NONE, "{id} has a row");
        page.used += 1;
        self.last.set((id, number));
    }

    /// Takes the row of an id out.
    pub fn remove(&mut self, id: u64) -> Option<T> {
        let page_number = *self.index.get(&(id / PAGE_IDS))?;
        let page = self.pages.get_mut(page_number);
        let number = std::mem::replace(&mut page.numbers[(id % PAGE_IDS) as usize], NONE);
        if number == NONE {
            return None;
        }
        page.used -= 1;
        self.last.set((id, NONE));
        if page.used == 0 {
            self.index.remove(&(id / PAGE_IDS));
            self.pages.remove(page_number);
        }
        Some(self.rows.remove(number))
    }

    /// The row of an id.
    pub fn get(&self, id: u64) -> Option<&T> {
        self.number(id).map(|number| self.rows.get(number))
    }

    /// The row of an id.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        self.number(id).map(|number| self.rows.get_mut(number))
    }

    /// The row of an id, made if it has none.
    pub fn get_or_insert_with(&mut self, id: u64, row: impl FnOnce() -> T) -> &mut T {
        let number = self.number(id).unwrap_or_else(|| {
            self.insert(id, row());
            self.number(id).expect("just inserted")
        });
        self.rows.get_mut(number)
    }

    /// How many ids have a row.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows of the ids from `first` on, in id order.
    pub fn from(&self, first: u64) -> impl Iterator<Item = (u64, &T)> {
        self.index.range(first / PAGE_IDS..).flat_map(move |(page, number)| {
            let ids = page * PAGE_IDS..;
            let used =
                ids.zip(&self.pages.get(*number).numbers).filter(move |(id, number)| *id >= first && **number != NONE);
            used.map(|(id, number)| (id, self.rows.get(*number)))
        })
    }

    fn number(&self, id: u64) -> Option<u32> {
        let (last, mut number) = self.last.get();
        if last != id {
            let page = self.index.get(&(id / PAGE_IDS))?;
            number = self.pages.get(*page).numbers[(id % PAGE_IDS) as usize];
            self.last.set((id, number));
        }
        (number != NONE).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_freed_number_is_used_again() {
        let mut slots = Slots::default();
        let numbers: Vec<u32> = (0..2000).map(|row| slots.insert(row)).collect();
        assert_eq!(numbers, (0..2000).collect::<Vec<u32>>());
        assert_eq!((slots.remove(7), slots.len()), (7, 1999));
        assert_eq!(slots.insert(9000), 7);
        assert_eq!((*slots.get(7), *slots.get(1999)), (9000, 1999));
        assert!(slots.iter().map(|(number, _)| number).eq(0..2000));
    }

    proptest! {
        #[test]
        fn an_id_map_answers_as_an_ordered_map(steps in prop::collection::vec((any::<bool>(), 0..200_u64), 0..200)) {
            let (mut map, mut naive) = (IdMap::default(), BTreeMap::new());
            for (number, (adds, id)) in steps.into_iter().enumerate() {
                if adds && !naive.contains_key(&id) {
                    map.insert(id, number);
                    naive.insert(id, number);
                } else {
                    prop_assert_eq!(map.remove(id), naive.remove(&id));
                }
                prop_assert_eq!(map.get(id), naive.get(&id));
                prop_assert_eq!(map.len(), naive.len());
                prop_assert!(map.pages.len() <= naive.len() && map.pages.len() == map.index.len(), "a page outlives its rows");
                prop_assert!(map.from(id).eq(naive.range(id..).map(|(id, row)| (*id, row))));
            }
        }
    }
}
