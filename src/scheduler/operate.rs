//! What operators do by hand: block and unblock budgets, set a pool's level, pause and resume queues (semantics 9.4, 9.5).

use super::Scheduler;
use super::command::Reply;
use super::event::{Happened, standing_budget};
use super::job::Name;
use super::rejection::Rejection;
use super::units::{BudgetId, Nanos, Timestamp, Tokens};
use super::validate;

impl Scheduler {
    /// The budget pays nothing for so long, or until it is unblocked; of several blocks the last to end counts.
    pub(super) fn block_budget(&mut self, now: Timestamp, key: Name, span: Option<Nanos>) -> Result<Reply, Rejection> {
        let id = self.operated(key)?;
        if let Some(span) = span {
            validate::block(span)?;
        }
        self.budgets.get_mut(id).pool.block(span, now);
        Ok(self.pool_changed(now, id))
    }

    /// Ends all blocks of a budget, throttles included.
    pub(super) fn unblock_budget(&mut self, now: Timestamp, key: Name) -> Result<Reply, Rejection> {
        let id = self.operated(key)?;
        self.budgets.get_mut(id).pool.unblock();
        Ok(self.pool_changed(now, id))
    }

    /// Puts a `time_based` pool at exactly this level.
    pub(super) fn adjust_budget(&mut self, now: Timestamp, key: Name, level: Tokens) -> Result<Reply, Rejection> {
        let id = self.operated(key)?;
        let policy = self.budgets.get(id).pool.policy();
        if !policy.is_time_based() {
            let problem = "the budget is while_in_flight: its level is what is not in flight";
            return Err(Rejection::invalid("level", problem));
        }
        validate::level(level, policy.capacity())?;
        self.budgets.get_mut(id).pool.set_level(level, now);
        self.journal.note(now, || Happened::BudgetAdjusted(standing_budget(&self.budgets, id, now)));
        Ok(self.pool_changed(now, id))
    }

    /// The queue dispatches nothing, or does again. It need not exist.
    pub(super) fn set_paused(&mut self, name: &Name, paused: bool) -> Result<Reply, Rejection> {
        validate::name("name", name)?;
        let id = self.queues.named(name);
        if std::mem::replace(&mut self.queues.get_mut(id).paused, paused) != paused {
            self.queues.offer_all(id);
            self.queues.turn(id);
            self.journal.queues.insert(Name::clone(name));
        }
        let view = self.queue_view(self.queues.get(id));
        self.queues.forget_unused(id);
        Ok(Reply::Queue(view))
    }

    fn operated(&self, key: Name) -> Result<BudgetId, Rejection> {
        validate::name("key", &key)?;
        self.budgets.find(&key).ok_or(Rejection::BudgetNotFound { key, binding: None })
    }

    fn pool_changed(&mut self, now: Timestamp, id: BudgetId) -> Reply {
        self.journal.pools.insert(id);
        self.thirsty.insert(id);
        Reply::Budget(self.budget_view(now, id))
    }
}
