//! What a worker holds: leases that wait for their handler, have one, or have a settlement that isn't confirmed. Pure: time and
//! randomness come from outside, and what is to be sent or stopped goes back as data. Knows no stream and no handler.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::Instant;

use super::context::CancelReason;
use super::lease_id::LeaseId;
use super::outcome::without_options;
use crate::lease::LeasedJob;
use crate::settlement::Settlement;
use crate::wire::{self, RevokeReason, SettleOutcome};

/// How long settlements and receipts are gathered at most, before they are sent together.
const GATHER: Duration = Duration::from_millis(10);

/// How many of them are sent at once, however short they were gathered.
const GATHERED_MAX: usize = 100;

/// The shortest lease of the contract. A server that says less isn't asked for extensions without end.
const LEASE_MIN: Duration = Duration::from_secs(1);

/// A handler to stop: one that has been started, or one that must not be any more.
pub(crate) type Stop = (LeaseId, CancelReason);

/// All leases of a worker, and what is to be said about them.
pub(crate) struct Inflight {
    held: BTreeMap<LeaseId, Held>,
    /// How many of them have a handler.
    started: usize,
    /// When which of them is to be extended; those that aren't any more are left out.
    extensions: BTreeSet<(Instant, LeaseId)>,
    /// Settlements to send, in the order in which they came up.
    unsent: VecDeque<LeaseId>,
    /// When the first of them came up.
    unsent_since: Option<Instant>,
    /// Settlements that were sent on this stream and aren't answered.
    unanswered: usize,
    /// Pushes of this stream that aren't confirmed.
    unconfirmed: VecDeque<LeaseId>,
    /// When the first of them came.
    unconfirmed_since: Option<Instant>,
    /// How long after its receipt a lease is extended at most.
    total_max: Option<Duration>,
    rng: StdRng,
}

struct Held {
    stage: Stage,
    /// To be told that nothing was used of them, if the job is never started.
    budgets: Vec<String>,
    /// What an extension is worth.
    duration: Duration,
    /// When it is to be extended next, as in `extensions`.
    extend_at: Instant,
    /// From when on it isn't extended any more.
    extend_until: Option<Instant>,
}

enum Stage {
    /// Its handler hasn't been started.
    Waiting,
    /// It has.
    Started,
    /// Over here, and not confirmed by the server.
    Settling {
        outcome: Box<SettleOutcome>,
        /// Whether the server has refused it before, as invalid.
        refused: bool,
    },
}

/// What the server made of a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// It is settled, by this or an earlier settlement.
    Settled,
    /// The lease had ended before.
    TooLate,
    /// It breaks a bound, and is sent again without what is optional.
    Retried,
    /// It breaks a bound even so: the lease is left to expire.
    Abandoned,
    /// The lease isn't known here.
    Unknown,
}

impl Inflight {
    /// Holds nothing. The seed decides the jitter of extensions.
    pub fn new(total_max: Option<Duration>, seed: u64) -> Self {
        Self {
            held: BTreeMap::new(),
            started: 0,
            extensions: BTreeSet::new(),
            unsent: VecDeque::new(),
            unsent_since: None,
            unanswered: 0,
            unconfirmed: VecDeque::new(),
            unconfirmed_since: None,
            total_max,
            rng: StdRng::seed_from_u64(seed),
        }
    }

    /// How many leases are held, whatever their stage.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// How many have a handler.
    pub fn started(&self) -> usize {
        self.started
    }

    /// The ids of all, for a Hello (semantics 5.2).
    pub fn lease_ids(&self) -> Vec<String> {
        self.held.keys().map(LeaseId::to_string).collect()
    }

    /// Takes in a pushed job, which waits. None if the lease is held already.
    pub fn pushed(&mut self, job: &LeasedJob, now: Instant) -> Option<LeaseId> {
        let id = LeaseId::from(job.lease_id.as_str());
        if self.held.contains_key(&id) {
            return None;
        }
        let duration = job.lease_duration.max(LEASE_MIN);
        let held = Held {
            stage: Stage::Waiting,
            budgets: job.bindings.iter().map(|binding| binding.budget.clone()).collect(),
            duration,
            extend_at: now,
            extend_until: self.total_max.map(|total| now + total),
        };
        self.held.insert(id.clone(), held);
        let extend_at = now + third_of(duration, &mut self.rng);
        self.schedule_extension(&id, extend_at);
        self.unconfirmed_since.get_or_insert(now);
        self.unconfirmed.push_back(id.clone());
        Some(id)
    }

    /// The job's handler is being started. False if the lease doesn't wait any more.
    pub fn start(&mut self, id: &LeaseId) -> bool {
        match self.held.get_mut(id) {
            Some(held) if matches!(held.stage, Stage::Waiting) => {
                held.stage = Stage::Started;
                self.started += 1;
                true
            }
            _ => false,
        }
    }

    /// The job's handler has ended. False, and the outcome is dropped, if the lease was lost meanwhile.
    pub fn settle(&mut self, id: &LeaseId, settlement: Settlement, now: Instant) -> bool {
        let Some(held) = self.held.get_mut(id) else { return false };
        match held.stage {
            Stage::Settling { .. } => return false,
            Stage::Started => self.started -= 1,
            Stage::Waiting => {}
        }
        held.stage = Stage::Settling { outcome: Box::new(settlement.into_wire()), refused: false };
        self.extensions.remove(&(held.extend_at, id.clone()));
        self.unsent_since.get_or_insert(now);
        self.unsent.push_back(id.clone());
        true
    }

    /// Gives back a job that was never started: nothing of its budgets was used (semantics 6.2). False if it doesn't wait.
    pub fn release(&mut self, id: &LeaseId, now: Instant) -> bool {
        let budgets = match self.held.get_mut(id) {
            Some(held) if matches!(held.stage, Stage::Waiting) => std::mem::take(&mut held.budgets),
            _ => return false,
        };
        let release = Settlement::release(id.as_str(), None);
        let unused = budgets.into_iter().fold(release, |it, budget| it.usage(budget, 0));
        self.settle(id, unused, now)
    }

    /// Gives back all jobs that wait, and says which.
    pub fn release_waiting(&mut self, now: Instant) -> Vec<LeaseId> {
        let waits = |held: &Held| matches!(held.stage, Stage::Waiting);
        let waiting: Vec<LeaseId> =
            self.held.iter().filter(|(_, held)| waits(held)).map(|(id, _)| id.clone()).collect();
        for id in &waiting {
            self.release(id, now);
        }
        waiting
    }

    /// When settlements are to be sent: at once as long as none is unanswered or many have come up; else they are gathered.
    pub fn settle_due(&self) -> Option<Instant> {
        let since = self.unsent_since?;
        let at_once = self.unanswered == 0 || self.unsent.len() >= GATHERED_MAX;
        Some(if at_once { since } else { since + GATHER })
    }

    /// Takes settlements to send, up to a number and an encoded size, but one at least if there is one.
    pub fn take_settlements(&mut self, count_max: usize, bytes_max: usize) -> Vec<SettleOutcome> {
        let mut taken = Vec::new();
        let mut bytes = 0;
        while taken.len() < count_max {
            let Some(id) = self.unsent.front() else { break };
            if let Some(Held { stage: Stage::Settling { outcome, .. }, .. }) = self.held.get(id) {
                bytes += prost::Message::encoded_len(outcome.as_ref());
                if bytes > bytes_max && !taken.is_empty() {
                    break;
                }
                taken.push(SettleOutcome::clone(outcome));
            }
            self.unsent.pop_front();
        }
        if self.unsent.is_empty() {
            self.unsent_since = None;
        }
        self.unanswered += taken.len();
        taken
    }

    /// What the server says of a settlement that was sent.
    pub fn confirmed(&mut self, result: &wire::SettleResult, now: Instant) -> Confirmation {
        self.unanswered = self.unanswered.saturating_sub(1);
        let Some((id, held)) = self.held.get_key_value(result.lease_id.as_str()) else {
            return Confirmation::Unknown;
        };
        let id = id.clone();
        let Stage::Settling { outcome, refused } = &held.stage else { return Confirmation::Unknown };
        match result.status() {
            wire::SettleStatus::Invalid if !refused => {
                let bare = Box::new(without_options(outcome));
                self.held.entry(id.clone()).and_modify(|held| {
                    held.stage = Stage::Settling { outcome: bare, refused: true };
                });
                self.unsent_since.get_or_insert(now);
                self.unsent.push_back(id);
                Confirmation::Retried
            }
            status => {
                self.held.remove(&id);
                match status {
                    wire::SettleStatus::Settled | wire::SettleStatus::AlreadySettled => Confirmation::Settled,
                    wire::SettleStatus::Invalid => Confirmation::Abandoned,
                    wire::SettleStatus::Lost | wire::SettleStatus::Gone | wire::SettleStatus::Unspecified => {
                        Confirmation::TooLate
                    }
                }
            }
        }
    }

    /// When receipts are to be sent.
    pub fn receipts_due(&self) -> Option<Instant> {
        let since = self.unconfirmed_since?;
        Some(if self.unconfirmed.len() >= GATHERED_MAX { since } else { since + GATHER })
    }

    /// Takes receipts to send. Leases that have been settled are confirmed by that.
    pub fn take_receipts(&mut self, count_max: usize) -> Vec<String> {
        let mut taken = Vec::new();
        while taken.len() < count_max {
            let Some(id) = self.unconfirmed.pop_front() else { break };
            let settled = |held: &Held| matches!(held.stage, Stage::Settling { .. });
            if self.held.get(&id).is_some_and(|held| !settled(held)) {
                taken.push(id.to_string());
            }
        }
        if self.unconfirmed.is_empty() {
            self.unconfirmed_since = None;
        }
        taken
    }

    /// When the next lease is to be extended.
    pub fn extend_due(&self) -> Option<Instant> {
        self.extensions.first().map(|(at, _)| *at)
    }

    /// Takes leases to extend now: those whose time has come, and those for which it will come within a sixth of their duration.
    pub fn take_extensions(&mut self, now: Instant, count_max: usize) -> Vec<String> {
        let mut taken = Vec::new();
        while taken.len() < count_max {
            let Some((at, id)) = self.extensions.first() else { break };
            let held = self.held.get(id).expect("only what is held is to be extended");
            if *at > now + held.duration / 6 {
                break;
            }
            let next = now + third_of(held.duration, &mut self.rng);
            let id = id.clone();
            self.schedule_extension(&id, next);
            taken.push(id.to_string());
        }
        taken
    }

    /// What the server says of an extension: perhaps a handler to stop.
    pub fn extended(&mut self, result: &wire::ExtendResult, now: Instant) -> Option<Stop> {
        let lease_id = result.lease_id.as_str();
        match result.status() {
            wire::ExtendStatus::Extended if result.cancel_requested => self.cancel_requested(lease_id, now),
            wire::ExtendStatus::Extended => None,
            wire::ExtendStatus::AlreadySettled
            | wire::ExtendStatus::Lost
            | wire::ExtendStatus::Gone
            | wire::ExtendStatus::Unspecified => self.lost(lease_id),
        }
    }

    /// The server takes a lease away, or asks to end it: perhaps a handler to stop.
    pub fn revoked(&mut self, lease_id: &str, reason: RevokeReason, now: Instant) -> Option<Stop> {
        match reason {
            RevokeReason::CancelRequested => self.cancel_requested(lease_id, now),
            RevokeReason::Unspecified
            | RevokeReason::Expired
            | RevokeReason::TimedOut
            | RevokeReason::ForceCancelled
            | RevokeReason::EndedElsewhere => self.lost(lease_id),
        }
    }

    /// A stream has begun. Everything not confirmed is sent on it, and what is held is extended at once, as nobody knows how much
    /// of the leases is left. Returns the handlers to stop: those of leases that aren't live any more.
    pub fn welcomed(&mut self, lost_lease_ids: &[String], now: Instant) -> Vec<Stop> {
        self.unanswered = 0;
        // A Hello that names a lease confirms it.
        self.unconfirmed.clear();
        self.unconfirmed_since = None;
        let stops = lost_lease_ids.iter().filter_map(|id| self.lost(id)).collect();
        let (settling, live): (Vec<_>, Vec<_>) = self
            .held
            .iter()
            .map(|(id, held)| (id.clone(), matches!(held.stage, Stage::Settling { .. })))
            .partition(|(_, is_settling)| *is_settling);
        for (id, _) in &live {
            self.schedule_extension(id, now);
        }
        self.unsent = settling.into_iter().map(|(id, _)| id).collect();
        self.unsent_since = (!self.unsent.is_empty()).then_some(now);
        stops
    }

    /// A lease has ended without this worker. One that is being settled stays until that is answered.
    fn lost(&mut self, lease_id: &str) -> Option<Stop> {
        match self.held.get(lease_id)?.stage {
            Stage::Settling { .. } => return None,
            Stage::Started => self.started -= 1,
            Stage::Waiting => {}
        }
        let (id, held) = self.held.remove_entry(lease_id)?;
        self.extensions.remove(&(held.extend_at, id.clone()));
        Some((id, CancelReason::LeaseLost))
    }

    /// A job was cancelled: one that waits is given back, and a handler is asked to stop.
    fn cancel_requested(&mut self, lease_id: &str, now: Instant) -> Option<Stop> {
        let (id, held) = self.held.get_key_value(lease_id)?;
        let id = id.clone();
        match held.stage {
            Stage::Settling { .. } => return None,
            Stage::Waiting => _ = self.release(&id, now),
            Stage::Started => {}
        }
        Some((id, CancelReason::CancelRequested))
    }

    /// Moves a lease's next extension, or drops it once its total is used up.
    fn schedule_extension(&mut self, id: &LeaseId, at: Instant) {
        let Some(held) = self.held.get_mut(id) else { return };
        self.extensions.remove(&(held.extend_at, id.clone()));
        held.extend_at = at;
        if held.extend_until.is_none_or(|until| at < until) {
            self.extensions.insert((at, id.clone()));
        }
    }
}

/// A third of a lease, less up to a fifth of that, so that workers which started as one don't extend as one.
fn third_of(duration: Duration, rng: &mut StdRng) -> Duration {
    let third = duration / 3;
    rng.random_range(third / 5 * 4..=third)
}

#[cfg(test)]
#[path = "inflight_tests.rs"]
mod tests;
