//! The highest level of a pool since each live debit, which bounds what may be refunded (semantics 9.2).
//!
//! An older debit has seen all that a newer one has, so peaks fall from the oldest debit to the newest, and raising
//! them to a level concerns only the newest few. Debits with one peak form a group, named by its oldest lease; so a
//! raise merges groups, and each debit is merged away once: O(log n) a debit, however many are live.

use std::collections::BTreeMap;

use super::units::LeaseId;

/// The peaks of one pool, in token·nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peaks(BTreeMap<LeaseId, Group>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    peak: i128,
    live: u32,
}

impl Peaks {
    /// The pool is about to fall from this level, as a debit or an overrun is due.
    pub fn raise(&mut self, level: i128) {
        let mut merged: Option<(LeaseId, u32)> = None;
        while let Some(newest) = self.0.last_entry().filter(|newest| newest.get().peak <= level) {
            let live = merged.map_or(0, |(_, live)| live) + newest.get().live;
            merged = Some((*newest.key(), live));
            newest.remove();
        }
        if let Some((first, live)) = merged {
            self.0.insert(first, Group { peak: level, live });
        }
    }

    /// A debit of this lease, newer than all others, left this level.
    pub fn debit(&mut self, lease: LeaseId, level: i128) {
        self.0.insert(lease, Group { peak: level, live: 1 });
    }

    /// The highest level this lease's debit has seen before the last fall; `None` where it isn't known, so that it
    /// counts as the capacity: of debits before a restart, an operator's adjustment, or a change of strategy.
    pub fn of(&self, lease: LeaseId) -> Option<i128> {
        self.0.range(..=lease).next_back().map(|(_, group)| group.peak)
    }

    /// The lease has ended.
    pub fn end(&mut self, lease: LeaseId) {
        if let Some((first, group)) = self.0.range_mut(..=lease).next_back() {
            group.live -= 1;
            if group.live == 0 {
                let first = *first;
                self.0.remove(&first);
            }
        }
    }

    /// The pool counts in other units now: `rescaled` gives each peak in them, in the same order.
    pub fn rescale(&mut self, rescaled: impl Fn(i128) -> i128) {
        for group in self.0.values_mut() {
            group.peak = rescaled(group.peak);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Debit(i128, i128),
        Fall(i128),
        End(usize),
    }

    fn steps() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..50_i128, 0..50_i128).prop_map(|(level, cost)| Step::Debit(level, level - cost)),
            (0..50_i128).prop_map(Step::Fall),
            (0..8_usize).prop_map(Step::End),
        ]
    }

    proptest! {
        #[test]
        fn answers_as_if_each_debit_watched_for_itself(steps in prop::collection::vec(steps(), 0..80)) {
            let mut peaks = Peaks::default();
            let mut naive: Vec<(LeaseId, i128)> = Vec::new();
            for (number, step) in (1..).zip(steps) {
                match step {
                    Step::Debit(before, after) => {
                        peaks.raise(before);
                        naive.iter_mut().for_each(|(_, peak)| *peak = before.max(*peak));
                        peaks.debit(LeaseId(number), after);
                        naive.push((LeaseId(number), after));
                    }
                    Step::Fall(level) => {
                        peaks.raise(level);
                        naive.iter_mut().for_each(|(_, peak)| *peak = level.max(*peak));
                    }
                    Step::End(index) if index < naive.len() => peaks.end(naive.remove(index).0),
                    Step::End(_) => {}
                }
                for (lease, peak) in &naive {
                    prop_assert_eq!(peaks.of(*lease), Some(*peak), "{}", lease);
                }
                prop_assert!(peaks.0.len() <= naive.len(), "a group outlives its debits");
            }
        }
    }
}
