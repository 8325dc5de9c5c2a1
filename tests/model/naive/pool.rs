//! A pool by the definitions of semantics 2, 7 and 9: a level, the instant it was true at, and all levels since then.

use sluicegate::scheduler::effect::PoolRecord;
use sluicegate::scheduler::policy::{Policy, Strategy};
use sluicegate::scheduler::units::{BudgetId, LeaseId, Nanos, Timestamp, Tokens};

/// A budget's tokens. What is in flight is not its concern: callers sum it up from the leases and pass it as `held`.
#[derive(Clone, Debug)]
pub struct Pool {
    pub policy: Policy,
    /// Token·nanoseconds at `at`; 0 for `while_in_flight`.
    pub level: i128,
    at: Timestamp,
    blocked_until: Option<Timestamp>,
    /// Level, instant and block as stored: after a start whose clock was set back, the last two are later than these here.
    pub row: (i128, Timestamp, Option<Timestamp>),
    /// The level before and after each event, as long as a debit of a live lease needs it.
    history: Vec<i128>,
    /// Where the history of each live debit begins; those whose history isn't known aren't here.
    debits: Vec<(LeaseId, usize)>,
}

/// N, D and C·D of a `time_based` policy.
fn drip(policy: &Policy) -> Option<(i128, i128, i128)> {
    let Strategy::TimeBased { duration, .. } = policy.strategy else { return None };
    let duration = i128::from(duration.0);
    Some((i128::from(policy.allocation.0), duration, i128::from(policy.capacity().0) * duration))
}

impl Pool {
    /// Full (semantics 2.3).
    pub fn new(policy: Policy, now: Timestamp) -> Self {
        let level = drip(&policy).map_or(0, |(_, _, full)| full);
        let row = (level, now, None);
        Self { policy, level, at: now, blocked_until: None, row, history: Vec::new(), debits: Vec::new() }
    }

    fn store(&mut self) {
        self.row = (self.level, self.at, self.blocked_until);
    }

    /// `level(t) = min(C·D, level₀ + N·(t − t₀))` (semantics 2.2).
    fn level(&self, now: Timestamp) -> i128 {
        let Some((rate, _, full)) = drip(&self.policy) else { return 0 };
        full.min(self.level + rate * i128::from(now.since(self.at).0))
    }

    pub fn available(&self, held: i128, now: Timestamp) -> i128 {
        match drip(&self.policy) {
            Some((_, duration, _)) => self.level(now).div_euclid(duration),
            None => i128::from(self.policy.allocation.0) - held,
        }
    }

    pub fn can_pay(&self, cost: Tokens, held: i128, now: Timestamp) -> bool {
        self.blocked_until(now).is_none() && self.available(held, now) >= i128::from(cost.0)
    }

    /// `t₀ + ceil((c·D − level₀) / N)`, or now where that is past; never, where no clock does it (semantics 2.2).
    fn funded_at(&self, cost: i128, held: i128, now: Timestamp) -> Option<Timestamp> {
        let Some((rate, duration, full)) = drip(&self.policy) else {
            return (self.available(held, now) >= cost).then_some(now);
        };
        let missing = (cost * duration - self.level).max(0);
        let wait = Nanos(u64::try_from((missing + rate - 1) / rate).unwrap_or(u64::MAX));
        (cost * duration <= full).then(|| now.max(self.at + wait))
    }

    /// When time alone makes the pool pay so much, blocks included.
    pub fn affordable_at(&self, cost: Tokens, held: i128, now: Timestamp) -> Option<Timestamp> {
        let funded = self.funded_at(i128::from(cost.0), held, now)?;
        match self.blocked_until(now) {
            Some(Timestamp::MAX) => None,
            Some(until) => Some(until.max(funded)),
            None => Some(funded),
        }
    }

    /// When time alone makes up for so much, be it more than the pool can hold at once; blocks included.
    pub fn pays_at(&self, tokens: Tokens, held: i128, now: Timestamp) -> Option<Timestamp> {
        let mut wide = self.clone();
        if let Strategy::TimeBased { burst, .. } = &mut wide.policy.strategy {
            *burst = Some(tokens.max(self.policy.capacity()));
        }
        wide.affordable_at(tokens, held, now)
    }

    /// What is stored of it when it next changes.
    pub fn record(&self, budget: BudgetId) -> PoolRecord {
        PoolRecord { budget, level: self.level, at: self.at, blocked_until: self.blocked_until }
    }

    /// When the next whole token drips.
    pub fn next_token_time(&self, now: Timestamp) -> Option<Timestamp> {
        let available = self.available(0, now);
        let drips = self.policy.is_time_based() && available < i128::from(self.policy.capacity().0);
        self.funded_at((available + 1).max(1), 0, now).filter(|_| drips)
    }

    fn change_level(&mut self, now: Timestamp, change: impl FnOnce(i128) -> i128) {
        let before = self.level(now);
        self.level = change(before);
        self.history.extend([before, self.level]);
        self.at = now;
        self.store();
    }

    /// `level −= c·D`; `while_in_flight` pools are held by the lease alone.
    pub fn debit(&mut self, lease: LeaseId, cost: Tokens, now: Timestamp) {
        if let Some((_, duration, _)) = drip(&self.policy) {
            self.change_level(now, |level| level - i128::from(cost.0) * duration);
            self.debits.push((lease, self.history.len() - 1));
        }
    }

    /// The highest level since this lease's debit; the capacity where it isn't known (semantics 9.2).
    fn peak(&self, lease: LeaseId, now: Timestamp) -> i128 {
        let full = drip(&self.policy).map_or(0, |(_, _, full)| full);
        let Some((_, since)) = self.debits.iter().find(|(debit, _)| *debit == lease) else { return full };
        self.history[*since..].iter().copied().fold(self.level(now), i128::max)
    }

    /// Overrun is debited; of what was left over `min(debited − used, C − peak)` is refunded (semantics 9.2).
    pub fn settle_use(&mut self, lease: LeaseId, debited: Tokens, used: Tokens, now: Timestamp) {
        let Some((_, duration, full)) = drip(&self.policy) else { return self.store() };
        let left_over = (i128::from(debited.0) - i128::from(used.0)) * duration;
        let room = (full - self.peak(lease, now)).max(0);
        self.change_level(now, |level| level + left_over.min(room));
    }

    /// The lease has ended: nobody will ask for its peak.
    pub fn forget(&mut self, lease: LeaseId) {
        self.debits.retain(|(debit, _)| *debit != lease);
        if self.debits.is_empty() {
            self.history.clear();
        }
    }

    /// Debits made before are refunded nothing (semantics 9.5), and after a restart their peaks count as the capacity.
    fn forget_peaks(&mut self) {
        self.debits.clear();
        self.history.clear();
    }

    pub fn adjust(&mut self, tokens: Tokens, now: Timestamp) {
        let Some((_, duration, _)) = drip(&self.policy) else { return };
        self.change_level(now, |_| i128::from(tokens.0) * duration);
        self.forget_peaks();
    }

    /// Semantics 7.2 and 7.3.
    pub fn change_policy(&mut self, policy: Policy, held: i128, now: Timestamp) {
        match (drip(&self.policy), drip(&policy)) {
            (Some((_, old, old_full)), Some((_, new, new_full))) => {
                let carried = |level: i128| level.div_euclid(old) * new + level.rem_euclid(old) * new / old;
                let peak = |level: i128| if level == old_full { new_full } else { carried(level).min(new_full) };
                self.change_level(now, |level| level);
                self.history.iter_mut().for_each(|level| *level = peak(*level));
                self.level = carried(self.level).min(new_full);
            }
            (None, Some((_, new, _))) => {
                self.level = (i128::from(policy.capacity().0) - held).max(0) * new;
                self.forget_peaks();
            }
            (_, None) => {
                self.level = 0;
                self.forget_peaks();
            }
        }
        (self.policy, self.at) = (policy, now);
        self.store();
    }

    /// Of several blocks the last to end counts (semantics 9.3). Stored with the instant it was set at.
    pub fn block(&mut self, span: Option<Nanos>, now: Timestamp) {
        (self.level, self.at) = (self.level(now), now);
        let until = span.map_or(Timestamp::MAX, |span| now + span);
        self.blocked_until = self.blocked_until.max(Some(until));
        self.store();
    }

    pub fn unblock(&mut self) {
        self.blocked_until = None;
        self.store();
    }

    pub fn blocked_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.blocked_until.filter(|until| *until > now || *until == Timestamp::MAX)
    }

    /// The level is kept; an instant in the future is taken as of now, and so is what was left of a block (semantics 11.1).
    pub fn restart(&mut self, now: Timestamp) {
        (self.level, self.at, self.blocked_until) = self.row;
        let ahead = self.at.since(now);
        self.at = self.at.min(now);
        self.blocked_until =
            self.blocked_until.map(|until| if until == Timestamp::MAX { until } else { until - ahead });
        self.forget_peaks();
    }
}
