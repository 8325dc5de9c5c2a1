//! A sorted set of small values, most of which come in at the end and go out at the front.
//!
//! The values lie side by side in chunks, and both the chunks and the values of each are in queues: so the first is
//! taken and a last is added without a search and without moving any other, where a search tree visits a node on each
//! level and now and then its neighbours. Anything else is a binary search and moves part of one chunk, and of the list
//! of chunks where one is split or emptied.

use std::collections::VecDeque;

const CHUNK_MAX: usize = 64;
/// A chunk that falls below this many values joins another, where both together fill no more than half a chunk.
const CHUNK_MIN: usize = CHUNK_MAX / 4;

/// A set of `T` in ascending order.
#[derive(Clone, Debug)]
pub struct Sorted<T> {
    /// The lowest values; empty where there are none at all. It is apart from the rest so that a small set is one queue.
    front: VecDeque<T>,
    /// Further chunks, none of them empty.
    rest: VecDeque<VecDeque<T>>,
    len: usize,
}

impl<T> Default for Sorted<T> {
    fn default() -> Self {
        Self { front: VecDeque::new(), rest: VecDeque::new(), len: 0 }
    }
}

impl<T: Copy + Ord> Sorted<T> {
    /// Adds a value. Nothing where it is in already.
    pub fn insert(&mut self, value: T) {
        let last = self.rest.back().unwrap_or(&self.front);
        if last.back().is_none_or(|last| *last < value) {
            self.push_last(value);
            return;
        }
        let number = self.chunk_of(value);
        let chunk = self.chunk_mut(number);
        let Err(place) = chunk.binary_search(&value) else { return };
        if chunk.len() < CHUNK_MAX {
            chunk.insert(place, value);
            self.len += 1;
        } else {
            let upper = chunk.split_off(CHUNK_MAX / 2);
            self.rest.insert(number, upper);
            self.insert(value);
        }
    }

    /// Takes a value out. Says whether it was in.
    pub fn remove(&mut self, value: T) -> bool {
        if self.first() == Some(value) {
            return self.pop_first().is_some();
        }
        let number = self.chunk_of(value);
        let chunk = self.chunk_mut(number);
        let Ok(place) = chunk.binary_search(&value) else { return false };
        chunk.remove(place);
        self.removed_from(number);
        true
    }

    /// The lowest value.
    pub fn first(&self) -> Option<T> {
        self.front.front().copied()
    }

    /// The highest value.
    pub fn last(&self) -> Option<T> {
        self.rest.back().unwrap_or(&self.front).back().copied()
    }

    /// The highest value below `bound`.
    pub fn last_below(&self, bound: T) -> Option<T> {
        let number = self.chunk_of(bound);
        let below = self.chunk(number).partition_point(|value| *value < bound);
        match below.checked_sub(1) {
            Some(last) => self.chunk(number).get(last).copied(),
            None => self.chunk(number.checked_sub(1)?).back().copied(),
        }
    }

    /// Takes the lowest value out.
    pub fn pop_first(&mut self) -> Option<T> {
        let first = self.front.pop_front()?;
        self.removed_from(0);
        Some(first)
    }

    /// Whether a value is in.
    pub fn contains(&self, value: T) -> bool {
        self.chunk(self.chunk_of(value)).binary_search(&value).is_ok()
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many values are below `bound`; O(chunks).
    pub fn count_below(&self, bound: T) -> usize {
        let number = self.chunk_of(bound);
        let before: usize = self.chunks().take(number).map(VecDeque::len).sum();
        before + self.chunk(number).partition_point(|value| *value < bound)
    }

    /// All values, in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.chunks().flatten().copied()
    }

    /// The values from `first` on, in order.
    pub fn from(&self, first: T) -> impl Iterator<Item = T> + '_ {
        let number = self.chunk_of(first);
        let below = self.chunk(number).partition_point(|value| *value < first);
        let later = self.rest.range(number..).flatten();
        self.chunk(number).range(below..).chain(later).copied()
    }

    /// The number of the chunk that a value is in, or would go to: 0 is the front.
    fn chunk_of(&self, value: T) -> usize {
        self.rest.partition_point(|chunk| chunk.front().is_some_and(|first| *first <= value))
    }

    fn chunk(&self, number: usize) -> &VecDeque<T> {
        number.checked_sub(1).map_or(&self.front, |number| &self.rest[number])
    }

    fn chunk_mut(&mut self, number: usize) -> &mut VecDeque<T> {
        match number.checked_sub(1) {
            Some(number) => &mut self.rest[number],
            None => &mut self.front,
        }
    }

    fn chunks(&self) -> impl Iterator<Item = &VecDeque<T>> {
        std::iter::once(&self.front).chain(&self.rest)
    }

    fn push_last(&mut self, value: T) {
        self.len += 1;
        let last = self.rest.back_mut().unwrap_or(&mut self.front);
        if last.len() < CHUNK_MAX {
            last.push_back(value);
        } else {
            let mut chunk = VecDeque::with_capacity(CHUNK_MAX);
            chunk.push_back(value);
            self.rest.push_back(chunk);
        }
    }

    /// A chunk has one value less: one that is nearly empty joins the next, or the one before.
    fn removed_from(&mut self, number: usize) {
        self.len -= 1;
        if self.chunk(number).len() >= CHUNK_MIN {
            return;
        }
        let fit_in_one = |left: &usize| {
            let Some(right) = self.rest.get(*left) else { return false };
            let (left, right) = (self.chunk(*left).len(), right.len());
            left == 0 || right == 0 || left + right <= CHUNK_MAX / 2
        };
        if let Some(left) = [Some(number), number.checked_sub(1)].into_iter().flatten().find(fit_in_one) {
            let mut right = self.rest.remove(left).expect("just seen");
            self.chunk_mut(left).append(&mut right);
        }
    }
}

impl<T: Copy + Ord> Extend<T> for Sorted<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.insert(value));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    impl Sorted<u16> {
        fn check(&self) {
            assert!(self.chunks().all(|chunk| chunk.len() <= CHUNK_MAX), "{self:?}");
            assert!(self.rest.is_empty() || self.chunks().all(|chunk| !chunk.is_empty()), "{self:?}");
            assert_eq!(self.len, self.chunks().map(VecDeque::len).sum::<usize>(), "{self:?}");
        }
    }

    #[test]
    fn a_queue_fills_its_chunks() {
        let mut sorted = Sorted::default();
        (0..640).for_each(|value| sorted.insert(value));
        assert_eq!(sorted.chunks().count(), 10);
        sorted.check();
        assert!((0..639).all(|value| sorted.first() == Some(value) && sorted.pop_first() == Some(value)));
        assert_eq!((sorted.chunks().count(), sorted.len()), (1, 1));
        assert!(sorted.remove(639) && sorted.is_empty() && sorted.first().is_none());
    }

    #[test]
    fn what_is_thinned_out_is_put_together() {
        let mut sorted = Sorted::default();
        (0..6400).for_each(|value| sorted.insert(value));
        (0..6400).filter(|value| value % 64 != 0).for_each(|value| assert!(sorted.remove(value)));
        assert!(sorted.from(0).eq((0..100).map(|chunk| chunk * 64)));
        assert!(sorted.chunks().count() < 20, "{sorted:?}");
        sorted.check();
    }

    #[test]
    fn what_would_nearly_fill_a_chunk_stays_apart() {
        let mut sorted = Sorted::default();
        (0..192).for_each(|value| sorted.insert(value));
        (1..50).for_each(|value| assert!(sorted.remove(value)));
        assert_eq!(sorted.chunks().map(VecDeque::len).collect::<Vec<_>>(), [15, 64, 64]);
        (64..112).for_each(|value| assert!(sorted.remove(value)));
        assert_eq!(sorted.chunks().map(VecDeque::len).collect::<Vec<_>>(), [15, 16, 64]);
        assert!(sorted.remove(60));
        assert_eq!(sorted.chunks().map(VecDeque::len).collect::<Vec<_>>(), [30, 64]);
    }

    proptest! {
        #[test]
        fn answers_as_an_ordered_set(
            span in 1..1000_u16,
            steps in prop::collection::vec((any::<bool>(), any::<u16>()), 0..2000),
            asked: u16,
        ) {
            let (mut sorted, mut naive) = (Sorted::default(), BTreeSet::new());
            for (adds, value) in steps {
                let value = value % span;
                if adds {
                    sorted.insert(value);
                    naive.insert(value);
                } else {
                    prop_assert_eq!(sorted.remove(value), naive.remove(&value));
                }
                prop_assert_eq!(sorted.first(), naive.first().copied());
                prop_assert_eq!(sorted.contains(value), naive.contains(&value));
            }
            sorted.check();
            let asked = asked % (span + 1);
            prop_assert!(sorted.iter().eq(naive.iter().copied()));
            prop_assert_eq!(sorted.len(), naive.len());
            prop_assert_eq!(sorted.last(), naive.last().copied());
            prop_assert_eq!(sorted.last_below(asked), naive.range(..asked).next_back().copied());
            prop_assert_eq!(sorted.count_below(asked), naive.range(..asked).count());
            prop_assert!(sorted.from(asked).eq(naive.range(asked..).copied()));
        }
    }
}
