//! One budget's pool: what it holds, who can be paid, and when.
//!
//! Owns the exact arithmetic of semantics 2 and 7. Refuses to know jobs, leases, queues and the
//! clock: it sees costs, and `now` as an argument.
//!
//! A `time_based` level is an integer in token·nanoseconds: one token is `D` of them, and each
//! nanosecond drips `N`. So no time and no debit is ever rounded; only questions are, each in the
//! direction its answer names.
//!
//! Why nothing overflows, with N, C and costs ≤ 10¹² < 2⁴⁰ and D ≤ 366 d < 2⁵⁵ ns (semantics 2.5): the
//! full level is below 2⁹⁵; what drips in any representable span is below 2⁴⁰ · 2⁶⁴ = 2¹⁰⁴; a debt is
//! held at [`DEBT_MAX`] tokens, below 2¹²⁶. Sums of a few of these stay inside an `i128`.

use super::effect::PoolRecord;
use super::peaks::Peaks;
use super::policy::{Policy, Strategy};
use super::units::{BudgetId, LeaseId, Nanos, Timestamp, Tokens};

/// The deepest debt of a `time_based` pool, in tokens: more than a billion of the largest overruns on end.
/// What is overrun beyond it is forgiven.
pub const DEBT_MAX: i128 = 1 << 70;

/// A budget's tokens and the policy they obey.
///
/// The policy is within the bounds of semantics 2.5. An instant before the pool's own counts as its own:
/// time never goes back within a run (semantics 11.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    policy: Policy,
    /// Token·nanoseconds at `at`; 0 for `while_in_flight`.
    level: i128,
    at: Timestamp,
    /// Kept for both strategies: a switch needs it (semantics 7.3).
    in_flight_cost: u128,
    in_flight_jobs: u64,
    blocked_until: Option<Timestamp>,
    /// Empty for `while_in_flight`.
    peaks: Peaks,
}

/// A `time_based` policy as the arithmetic needs it.
#[derive(Clone, Copy)]
struct Drip {
    /// N: tokens per duration, which is token·nanoseconds per nanosecond.
    rate: u64,
    /// D: nanoseconds, which is token·nanoseconds per token.
    duration: i128,
    /// C·D: the level of a full pool.
    full: i128,
}

impl Drip {
    fn of(policy: &Policy) -> Option<Self> {
        let Strategy::TimeBased { duration, .. } = policy.strategy else {
            return None;
        };
        let duration = i128::from(duration.0);
        debug_assert!(duration > 0 && policy.allocation > Tokens(0), "{policy:?} is out of bounds");
        let full = i128::from(policy.capacity().0) * duration;
        Some(Self { rate: policy.allocation.0, duration, full })
    }

    /// Token·nanoseconds of so many tokens.
    fn worth(self, tokens: Tokens) -> i128 {
        i128::from(tokens.0) * self.duration
    }

    /// A level brought between the deepest debt and a full pool.
    fn bounded(self, level: i128) -> i128 {
        level.clamp(-DEBT_MAX * self.duration, self.full)
    }
}

impl Pool {
    /// A new pool: full, with nothing in flight (semantics 2.3).
    pub fn new(policy: Policy, now: Timestamp) -> Self {
        let level = Drip::of(&policy).map_or(0, |drip| drip.full);
        Self {
            policy,
            level,
            at: now,
            in_flight_cost: 0,
            in_flight_jobs: 0,
            blocked_until: None,
            peaks: Peaks::default(),
        }
    }

    /// The pool that was stored, to be told of its live leases by [`Pool::hold`]. Where its instant lies in the
    /// future it is taken as of now, its level and what was left of its block kept (semantics 11.1).
    pub fn restore(policy: Policy, record: &PoolRecord, now: Timestamp) -> Self {
        let level = Drip::of(&policy).map_or(0, |drip| drip.bounded(record.level));
        let ahead = record.at.since(now);
        let blocked_until =
            record.blocked_until.map(|until| if until == Timestamp::MAX { until } else { until - ahead });
        Self { level, at: record.at.min(now), blocked_until, ..Self::new(policy, now) }
    }

    /// What is stored of the pool. Changes by debits, refunds, overruns and adjustments of a `time_based` pool,
    /// by blocks, and by a new policy; never by time alone.
    pub fn record(&self, budget: BudgetId) -> PoolRecord {
        PoolRecord { budget, level: self.level, at: self.at, blocked_until: self.blocked_until }
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The summed cost of the live leases; saturates.
    pub fn in_flight_cost(&self) -> u64 {
        u64::try_from(self.in_flight_cost).unwrap_or(u64::MAX)
    }

    /// How many live leases hold the budget.
    pub fn in_flight_jobs(&self) -> u64 {
        self.in_flight_jobs
    }

    /// Until when the pool pays nothing, where that is later than now; `Timestamp::MAX` until unblocked.
    pub fn blocked_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.blocked_until.filter(|&until| until > now.max(self.at) || until == Timestamp::MAX)
    }

    /// Whole tokens in the pool, rounded down; below zero in debt or after a shrink (semantics 2.1, 2.2).
    pub fn available(&self, now: Timestamp) -> i128 {
        let (funds, token) = self.funds(now);
        funds.div_euclid(token)
    }

    /// What a `time_based` pool holds, in token·nanoseconds; `None` for `while_in_flight`.
    pub fn level(&self, now: Timestamp) -> Option<i128> {
        Drip::of(&self.policy).map(|drip| self.level_at(drip, now))
    }

    /// Whether the pool pays `cost` now and still holds the tokens `set_aside` for another job (semantics 4.4).
    /// A blocked pool pays nothing (semantics 9.3).
    pub fn can_pay(&self, cost: Tokens, set_aside: Tokens, now: Timestamp) -> bool {
        let (funds, token) = self.funds(now);
        self.blocked_until(now).is_none() && funds >= (i128::from(cost.0) + i128::from(set_aside.0)) * token
    }

    /// Pays for a dispatch, which [`Pool::can_pay`] allowed. The lease's end is a [`Pool::release`].
    pub fn debit(&mut self, cost: Tokens, now: Timestamp) {
        debug_assert!(self.can_pay(cost, Tokens(0), now), "{self:?} can't pay {cost:?} at {now:?}");
        self.hold(cost);
        if let Some(drip) = Drip::of(&self.policy) {
            self.drip_to(drip, now);
            self.peaks.raise(self.level);
            self.level -= drip.worth(cost);
        }
    }

    /// Watches the level for the debit just made for this lease, the newest of all, until [`Pool::unwatch`].
    pub fn watch(&mut self, lease: LeaseId) {
        if self.policy.is_time_based() {
            self.peaks.debit(lease, self.level);
        }
    }

    /// Ends a [`Pool::watch`]. Nothing where there was none.
    pub fn unwatch(&mut self, lease: LeaseId) {
        self.peaks.end(lease);
    }

    /// Counts a live lease that was paid for before a restart (semantics 10.2).
    pub fn hold(&mut self, cost: Tokens) {
        self.in_flight_cost += u128::from(cost.0);
        self.in_flight_jobs += 1;
    }

    /// Ends what a debit or a hold of `cost` began. `while_in_flight` tokens come back, `time_based` ones stay
    /// spent (semantics 2.1, 6.2).
    ///
    /// Panics where nothing of that cost is in flight: a lease ends once (semantics 5.5).
    pub fn release(&mut self, cost: Tokens) {
        let held = "every hold is released exactly once";
        self.in_flight_cost = self.in_flight_cost.checked_sub(u128::from(cost.0)).expect(held);
        self.in_flight_jobs = self.in_flight_jobs.checked_sub(1).expect(held);
    }

    /// Settles what a job really used against what this lease's debit took (semantics 9.2). Used more: the rest is
    /// debited, below zero if need be. Used less: the difference is refunded, as far as the pool would hold had the job
    /// been charged its actual cost at dispatch. Nothing for `while_in_flight`. Says by how much the level has risen, in
    /// token·nanoseconds.
    pub fn settle_use(&mut self, lease: LeaseId, debited: Tokens, used: Tokens, now: Timestamp) -> i128 {
        let peak = self.peaks.of(lease);
        self.shift(now, |drip, level| {
            let difference = drip.worth(debited) - drip.worth(used);
            let room = drip.full - peak.unwrap_or(drip.full).max(level);
            level + difference.min(room.max(0))
        })
    }

    /// Sets a `time_based` pool to exactly so many tokens, at most its capacity (semantics 9.5). Nothing for
    /// `while_in_flight`. Debits made before are refunded nothing.
    pub fn set_level(&mut self, tokens: Tokens, now: Timestamp) {
        debug_assert!(tokens <= self.policy.capacity(), "{tokens:?} don't fit {:?}", self.policy);
        self.shift(now, |drip, _| drip.worth(tokens));
        self.peaks = Peaks::default();
    }

    /// Pays nothing for `span` from now, until it is unblocked where there is none, or as an earlier block says if that
    /// ends later (semantics 9.3, 9.4).
    pub fn block(&mut self, span: Option<Nanos>, now: Timestamp) {
        match Drip::of(&self.policy) {
            Some(drip) => self.drip_to(drip, now),
            None => self.at = self.at.max(now),
        }
        let until = span.map_or(Timestamp::MAX, |span| self.at + span);
        self.blocked_until = self.blocked_until.max(Some(until));
    }

    /// Ends every block (semantics 9.4).
    pub fn unblock(&mut self) {
        self.blocked_until = None;
    }

    /// The first instant, not before now, at which [`Pool::can_pay`] holds if nothing but time passes. A cost that
    /// must leave something set aside is given with it included.
    ///
    /// `None` where no passing of time does it: a `while_in_flight` pool that lacks tokens, a cost above the
    /// capacity, a block that only [`Pool::unblock`] ends. `Timestamp::MAX` where it is later than instants reach.
    pub fn affordable_at(&self, cost: Tokens, now: Timestamp) -> Option<Timestamp> {
        let funded = self.funded_at(cost, now)?;
        match self.blocked_until(now) {
            Some(Timestamp::MAX) => None,
            Some(until) => Some(until.max(funded)),
            None => Some(funded),
        }
    }

    /// When the drip will have paid so many tokens, one job after the other, from now on; blocks included. Unlike
    /// [`Pool::affordable_at`] it has no bound: those ahead take their tokens meanwhile.
    pub fn pays_at(&self, tokens: u128, now: Timestamp) -> Option<Timestamp> {
        let now = now.max(self.at);
        let funded = match Drip::of(&self.policy) {
            Some(drip) => {
                let worth = i128::try_from(tokens).ok()?.checked_mul(drip.duration)?;
                let missing = u128::try_from(worth - self.level).unwrap_or(0);
                let wait = missing.div_ceil(u128::from(drip.rate));
                (self.at + Nanos(u64::try_from(wait).unwrap_or(u64::MAX))).max(now)
            }
            None => u128::try_from(self.available(now)).is_ok_and(|free| free >= tokens).then_some(now)?,
        };
        match self.blocked_until(now) {
            Some(Timestamp::MAX) => None,
            Some(until) => Some(until.max(funded)),
            None => Some(funded),
        }
    }

    /// The largest cost the pool pays now; 0 where it pays nothing.
    pub fn payable(&self, now: Timestamp) -> Tokens {
        if self.blocked_until(now).is_some() {
            return Tokens(0);
        }
        Tokens(u64::try_from(self.available(now).max(0)).unwrap_or(u64::MAX))
    }

    /// How long `cost` takes to drip, in nanoseconds rounded down; `None` for `while_in_flight`.
    pub fn refill_time(&self, cost: Tokens) -> Option<u64> {
        let drip = Drip::of(&self.policy)?;
        Some(u64::try_from(drip.worth(cost) / i128::from(drip.rate)).unwrap_or(u64::MAX))
    }

    /// The first instant at which the pool holds `max(1, available + 1)` tokens by its drip, blocks left aside.
    /// `None` for a full pool and for `while_in_flight`.
    pub fn next_token_time(&self, now: Timestamp) -> Option<Timestamp> {
        let next = u64::try_from(self.available(now) + 1).unwrap_or(0).max(1);
        self.funded_at(Tokens(next), now)
    }

    /// Puts another policy in force, at once and without ending anything in flight (semantics 7.2, 7.3). An equal
    /// policy changes nothing.
    pub fn change_policy(&mut self, policy: Policy, now: Timestamp) {
        if policy == self.policy {
            return;
        }
        let now = now.max(self.at);
        let level = match (Drip::of(&self.policy), Drip::of(&policy)) {
            (_, None) => 0,
            (Some(old), Some(new)) => new.bounded(carry(self.level_at(old, now), old, new)),
            (None, Some(new)) => {
                let free = i128::from(policy.capacity().0) - i128::from(self.in_flight_cost());
                free.max(0) * new.duration
            }
        };
        match (Drip::of(&self.policy), Drip::of(&policy)) {
            (Some(old), Some(new)) => {
                self.peaks.raise(self.level_at(old, now));
                self.peaks.rescale(|peak| if peak >= old.full { new.full } else { new.bounded(carry(peak, old, new)) })
            }
            _ => self.peaks = Peaks::default(),
        }
        (self.policy, self.level, self.at) = (policy, level, now);
    }

    /// What the pool has, and what one token is of that: level and duration, or tokens and 1.
    fn funds(&self, now: Timestamp) -> (i128, i128) {
        match Drip::of(&self.policy) {
            Some(drip) => (self.level_at(drip, now), drip.duration),
            None => (i128::from(self.policy.allocation.0) - i128::from(self.in_flight_cost()), 1),
        }
    }

    fn level_at(&self, drip: Drip, now: Timestamp) -> i128 {
        let gain = i128::from(drip.rate) * i128::from(now.since(self.at).0);
        (self.level + gain).min(drip.full)
    }

    fn drip_to(&mut self, drip: Drip, now: Timestamp) {
        self.level = self.level_at(drip, now);
        self.at = self.at.max(now);
    }

    /// Changes the level of a `time_based` pool, and says by how much.
    fn shift(&mut self, now: Timestamp, change: impl FnOnce(Drip, i128) -> i128) -> i128 {
        let Some(drip) = Drip::of(&self.policy) else {
            return 0;
        };
        self.drip_to(drip, now);
        self.peaks.raise(self.level);
        let before = self.level;
        self.level = drip.bounded(change(drip, before));
        self.level - before
    }

    /// [`Pool::affordable_at`], blocks left aside: `at + ceil((cost·D − level) / N)` (semantics 2.2).
    fn funded_at(&self, cost: Tokens, now: Timestamp) -> Option<Timestamp> {
        let now = now.max(self.at);
        let Some(drip) = Drip::of(&self.policy) else {
            return (self.available(now) >= i128::from(cost.0)).then_some(now);
        };
        if cost > self.policy.capacity() {
            return None;
        }
        let missing = u128::try_from(drip.worth(cost) - self.level).unwrap_or(0);
        let wait = missing.div_ceil(u128::from(drip.rate));
        let funded = self.at + Nanos(u64::try_from(wait).unwrap_or(u64::MAX));
        Some(funded.max(now))
    }
}

/// A level under another duration: the same whole tokens, and the fraction rounded down (semantics 7.2).
fn carry(level: i128, old: Drip, new: Drip) -> i128 {
    let (tokens, rest) = (level.div_euclid(old.duration), level.rem_euclid(old.duration));
    tokens * new.duration + rest * new.duration / old.duration
}

#[cfg(test)]
mod tests;
