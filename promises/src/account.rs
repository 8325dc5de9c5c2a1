//! The level of a `time_based` pool, replayed from what was told (semantics 2.2, 7.2, 9.2).
//!
//! Time is the log's own: nanoseconds that passed since its beginning, which never go back.

use crate::tokens::Terms;

/// One pool.
#[derive(Clone, Debug)]
pub struct Account {
    terms: Terms,
    level: i128,
    /// When it was that.
    at: i128,
    /// The level when the pool was last touched; the floor where that isn't told.
    touched: i128,
    /// The clock was set back since: then a start may take away what has dripped since.
    is_set_back: bool,
    peaks: Peaks,
}

/// A debit, for the peak since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since(u64);

impl Account {
    /// A pool at some level.
    pub fn new(terms: Terms, level: i128, now: i128) -> Self {
        Self { terms, level, at: now, touched: level, is_set_back: false, peaks: Peaks::default() }
    }

    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The level now.
    pub fn level(&self, now: i128) -> i128 {
        (self.level + self.terms.drip(now - self.at)).min(self.terms.full())
    }

    /// The clock is set back between two runs. A pool that was last touched later than its time is taken as of now, its
    /// level kept (semantics 11.1); it is so at each start until it is touched again.
    pub fn set_back(&mut self) {
        self.is_set_back = true;
    }

    /// A start tells the level of its instant. What is stored is the level when the pool was last touched, which may be
    /// any, if that is told by no line.
    pub fn touched_unseen(&mut self) {
        self.touched = self.terms.floor();
    }

    /// The least level that a start may find where nothing else has happened.
    pub fn least_kept(&self, now: i128) -> i128 {
        if self.is_set_back { self.touched } else { self.level(now) }
    }

    /// Takes tokens, below zero if need be.
    pub fn debit(&mut self, now: i128, cost: u64) -> Since {
        self.shift(now, |terms, level| level - terms.worth(cost));
        self.peaks.now()
    }

    /// The most that may come back to a debit of which `spare` tokens were not used (semantics 9.2).
    pub fn refund_max(&self, now: i128, since: Option<Since>, spare: u64) -> i128 {
        let level = self.level(now);
        let peak = since.and_then(|since| self.peaks.of(since)).unwrap_or(self.terms.full()).max(level);
        self.terms.worth(spare).min(self.terms.full() - peak)
    }

    /// What an overrun of so many tokens takes: no debt goes below the floor.
    pub fn overrun(&self, now: i128, tokens: u64) -> i128 {
        let level = self.level(now);
        (level - self.terms.worth(tokens)).max(self.terms.floor()) - level
    }

    /// The level rises or falls by so much.
    pub fn shift_by(&mut self, now: i128, moved: i128) {
        self.shift(now, |_, level| level + moved);
    }

    /// The level is this, from now on, and the debits before are refunded nothing (semantics 9.5).
    pub fn set(&mut self, now: i128, level: i128) {
        self.touch(now, level);
        self.peaks.forget();
    }

    /// The level is this, as is seen now; when it was touched isn't. Peaks stay.
    pub fn correct(&mut self, now: i128, level: i128) {
        (self.level, self.at) = (level, now);
        self.touched = self.touched.min(level);
    }

    /// Other terms are in force (semantics 7.2).
    pub fn change(&mut self, now: i128, terms: Terms) {
        let (old, level) = (self.terms, self.level(now));
        self.peaks.raise(level);
        self.peaks.rescale(|peak| if peak >= old.full() { terms.full() } else { old.carry(peak, terms) });
        self.terms = terms;
        self.touch(now, old.carry(level, terms));
    }

    fn shift(&mut self, now: i128, change: impl FnOnce(Terms, i128) -> i128) {
        let level = self.level(now);
        self.peaks.raise(level);
        self.touch(now, change(self.terms, level));
    }

    fn touch(&mut self, now: i128, level: i128) {
        (self.level, self.at, self.touched, self.is_set_back) = (level, now, level, false);
    }
}

/// The levels from which the pool has fallen, so that the highest since any debit is found by a search: of those that a
/// later one exceeds, none is ever asked for.
#[derive(Clone, Debug, Default)]
struct Peaks {
    /// By number; levels fall.
    falls: Vec<(u64, i128)>,
    next: u64,
    /// Of debits before this, nothing is known.
    known_from: u64,
}

impl Peaks {
    fn raise(&mut self, level: i128) {
        while self.falls.last().is_some_and(|(_, earlier)| *earlier <= level) {
            self.falls.pop();
        }
        self.falls.push((self.next, level));
        self.next += 1;
    }

    fn now(&self) -> Since {
        Since(self.next)
    }

    /// The highest level since, before the last fall; `None` where it isn't known.
    fn of(&self, since: Since) -> Option<i128> {
        if since.0 < self.known_from {
            return None;
        }
        let first = self.falls.partition_point(|(number, _)| *number < since.0);
        Some(self.falls.get(first).map_or(i128::MIN, |(_, level)| *level))
    }

    fn forget(&mut self) {
        self.falls.clear();
        self.next += 1;
        self.known_from = self.next;
    }

    fn rescale(&mut self, rescaled: impl Fn(i128) -> i128) {
        self.falls.iter_mut().for_each(|(_, level)| *level = rescaled(*level));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of semantics 9.2, in seconds: C = 100, one a second.
    fn example() -> (Account, Since) {
        let mut account = Account::new(Terms::new(1, 1, 100), 100, 0);
        let first = account.debit(0, 60);
        account.debit(50, 80);
        (account, first)
    }

    #[test]
    fn a_refund_leaves_what_there_would_be_had_the_job_cost_less() {
        let (account, first) = example();
        assert_eq!(account.level(51), 11);
        assert_eq!(account.refund_max(51, Some(first), 50), 10);
        assert_eq!(account.refund_max(51, Some(first), 9), 9);
        assert_eq!(account.refund_max(51, None, 50), 0, "what isn't known counts as full");
        assert_eq!(account.refund_max(1000, Some(first), 50), 0, "it has been full since");
    }

    #[test]
    fn an_adjustment_ends_the_refunds_of_what_was_before() {
        let (mut account, first) = example();
        account.set(51, 5);
        assert_eq!(account.refund_max(51, Some(first), 50), 0);
        let second = account.debit(51, 3);
        assert_eq!(account.refund_max(51, Some(second), 3), 3);
    }

    #[test]
    fn peaks_are_carried_over() {
        let (mut account, first) = example();
        account.change(51, Terms::new(1, 2, 100));
        assert_eq!(account.level(51), 22);
        assert_eq!(account.refund_max(51, Some(first), 50), 20);
        let mut full = Account::new(Terms::new(1, 1, 100), 100, 0);
        let debit = full.debit(0, 60);
        full.debit(60, 1);
        full.change(60, Terms::new(1, 1, 200));
        assert_eq!(full.refund_max(60, Some(debit), 50), 0, "a peak at the old capacity becomes the new one");
    }

    #[test]
    fn a_debt_has_a_floor() {
        let terms = Terms::new(1, 7, 1);
        let account = Account::new(terms, terms.floor() + 10, 0);
        assert_eq!(account.overrun(0, 1), -7);
        assert_eq!(account.overrun(0, 2), -10);
    }
}
