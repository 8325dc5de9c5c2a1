//! What a `time_based` budget paid, and the worst interval of it.
//!
//! Let `P(s)` be what was paid before dispatch `s`, less refunds, less what dripped until then. An interval from dispatch
//! `s` to dispatch `e` keeps the promise where `P(after e) − P(s) ≤ C·D`. So the worst interval that ends with `e` begins
//! at the least `P(s)`; and an interval can begin nowhere better than at a dispatch. Of two dispatches with one `P` the
//! later makes the shorter interval; an earlier `s` matters only where `P(s)` is less than every later one. Those that
//! matter are a stack that grows from the bottom up: the bottom begins the worst interval, and of all that break the
//! promise the one nearest the top begins the shortest. Each dispatch is pushed and popped once: O(n) for all intervals.

use crate::tokens::Terms;

/// One dispatch of an interval: where it is told, and when it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The line, from 1.
    pub line: u64,
    /// The instant, in nanoseconds since 1970.
    pub at: i64,
}

/// An interval from one dispatch to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its first dispatch.
    pub first: Mark,
    /// Its last dispatch.
    pub last: Mark,
    /// What may have been paid in it beyond what was, in token·nanoseconds: below zero where the promise is broken.
    pub margin: i128,
}

/// All that was paid under one policy.
#[derive(Clone, Debug)]
pub struct Spend {
    terms: Terms,
    /// Paid less refunded so far.
    paid: i128,
    /// Where an interval may begin.
    starts: Vec<(Mark, i128)>,
    worst: Option<Interval>,
}

impl Spend {
    /// Nothing was paid yet.
    pub fn new(terms: Terms) -> Self {
        Self { terms, paid: 0, starts: Vec::new(), worst: None }
    }

    /// A dispatch pays `cost` tokens, `elapsed` nanoseconds after some fixed instant. The shortest interval that breaks
    /// the promise and ends here, if there is one.
    pub fn pay(&mut self, mark: Mark, elapsed: i128, cost: u64) -> Option<Interval> {
        self.begin(mark, elapsed);
        self.paid += self.terms.worth(cost);
        let margin = self.margin(elapsed);
        let (first, _) = *self.starts.first().expect("one has just begun");
        if self.worst.is_none_or(|worst| margin < worst.margin) {
            self.worst = Some(Interval { first, last: mark, margin });
        }
        if margin >= 0 {
            return None;
        }
        let after = self.level(elapsed);
        let breaking = self.starts.iter().rev().find(|(_, before)| after - before > self.terms.full());
        breaking.map(|(first, before)| Interval {
            first: *first,
            last: mark,
            margin: self.terms.full() - (after - before),
        })
    }

    /// Tokens come back: so much more may be paid in the intervals that hold this instant.
    pub fn refund(&mut self, token_nanos: i128) {
        self.paid -= token_nanos;
    }

    /// Dispatches that no line tells have taken so much, or overruns have; as far as all of it can have been dispatches.
    pub fn pay_unseen(&mut self, mark: Mark, elapsed: i128, token_nanos: i128) {
        self.begin(mark, elapsed);
        self.paid += token_nanos.min(self.margin(elapsed)).max(0);
    }

    /// The worst interval so far: the one with the least margin, and of those the first.
    pub fn worst(&self) -> Option<Interval> {
        self.worst
    }

    fn begin(&mut self, mark: Mark, elapsed: i128) {
        let before = self.level(elapsed);
        while self.starts.last().is_some_and(|(_, earlier)| *earlier >= before) {
            self.starts.pop();
        }
        self.starts.push((mark, before));
    }

    /// `P`, now.
    fn level(&self, elapsed: i128) -> i128 {
        self.paid - self.terms.drip(elapsed)
    }

    fn margin(&self, elapsed: i128) -> i128 {
        let least = self.starts.first().map_or(0, |(_, before)| *before);
        self.terms.full() - (self.level(elapsed) - least)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Pay(u64, u64),
        Refund(u64, u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..40_u64, 1..8_u64).prop_map(|(wait, cost)| Step::Pay(wait, cost)),
            1 => (0..40_u64, 0..30_u64).prop_map(|(wait, amount)| Step::Refund(wait, amount)),
        ];
        prop::collection::vec(step, 1..60)
    }

    /// The margin of each interval from one dispatch to another, as the promise says it: one sum for each pair.
    fn margins(terms: Terms, told: &[(i128, i128, bool)], end: usize) -> Vec<(usize, i128)> {
        let starts = (0..=end).filter(|start| told[*start].2);
        let margin = |start: usize| {
            let paid: i128 = told[start..=end].iter().map(|(_, amount, _)| amount).sum();
            terms.full() + terms.allocation * (told[end].0 - told[start].0) - paid
        };
        starts.map(|start| (start, margin(start))).collect()
    }

    proptest! {
        #[test]
        fn finds_what_a_look_at_every_pair_finds(
            (allocation, duration, capacity) in (1..6_u64, 1..30_u64, 1..12_u64),
            steps in steps(),
        ) {
            let terms = Terms::new(allocation, duration, capacity);
            let mut spend = Spend::new(terms);
            let mut told = Vec::new();
            let (mut elapsed, mut least) = (0, None);
            for (index, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Pay(wait, cost) => {
                        elapsed += i128::from(wait);
                        told.push((elapsed, terms.worth(cost), true));
                        let mark = Mark { line: index as u64, at: elapsed as i64 };
                        let found = spend.pay(mark, elapsed, cost);
                        let margins = margins(terms, &told, index);
                        let worst = margins.iter().map(|(_, margin)| *margin).min().unwrap();
                        least = Some(least.unwrap_or(worst).min(worst));
                        prop_assert_eq!(spend.worst().map(|worst| worst.margin), least);
                        let shortest = margins.iter().rev().find(|(_, margin)| *margin < 0);
                        let expected = shortest.map(|(start, margin)| (*start as u64, index as u64, *margin));
                        let found = found.map(|found| (found.first.line, found.last.line, found.margin));
                        prop_assert_eq!(found, expected);
                    }
                    Step::Refund(wait, amount) => {
                        elapsed += i128::from(wait);
                        told.push((elapsed, -i128::from(amount), false));
                        spend.refund(amount.into());
                    }
                }
            }
            let worst = spend.worst();
            let exact = worst.map(|worst| {
                let all = margins(terms, &told, worst.last.line as usize);
                all.into_iter().find(|(start, _)| *start as u64 == worst.first.line).expect("a dispatch").1
            });
            prop_assert_eq!(exact, worst.map(|worst| worst.margin), "the interval has the margin it is said to have");
        }
    }

    #[test]
    fn one_nanosecond_decides() {
        let terms = Terms::new(2, 10, 4);
        let mark = |line| Mark { line, at: 0 };
        for (wait, holds) in [(5, true), (4, false)] {
            let mut spend = Spend::new(terms);
            assert_eq!(spend.pay(mark(1), 0, 4), None);
            assert_eq!(spend.pay(mark(2), wait, 1).is_none(), holds, "{wait}");
        }
    }
}
