//! A table whose rows are numbered and whose freed numbers are used again, the lowest free one first.

use std::collections::BTreeSet;

/// A growing table of `T`, indexed by small numbers.
#[derive(Debug)]
pub struct Slots<T> {
    rows: Vec<Option<T>>,
    free: BTreeSet<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), free: BTreeSet::new() }
    }
}

impl<T> Slots<T> {
    /// Puts `row` under a free number.
    pub fn insert(&mut self, row: T) -> u32 {
        if let Some(number) = self.free.pop_first() {
            self.rows[number as usize] = Some(row);
            return number;
        }
        let number = u32::try_from(self.rows.len()).expect("fewer than 2^32 rows: jobs are bounded below that");
        self.rows.push(Some(row));
        number
    }

    /// Takes the row out and frees its number.
    pub fn remove(&mut self, number: u32) -> T {
        let row = self.rows[number as usize].take().expect("a number in use");
        self.free.insert(number);
        row
    }

    /// The row under a number in use.
    pub fn get(&self, number: u32) -> &T {
        self.rows[number as usize].as_ref().expect("a number in use")
    }

    /// The row under a number in use.
    pub fn get_mut(&mut self, number: u32) -> &mut T {
        self.rows[number as usize].as_mut().expect("a number in use")
    }

    /// How many numbers are in use.
    pub fn len(&self) -> usize {
        self.rows.len() - self.free.len()
    }

    /// The rows with their numbers, in the order of the numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.rows.iter().enumerate().filter_map(|(number, row)| Some((number as u32, row.as_ref()?)))
    }
}
