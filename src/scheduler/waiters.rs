//! What a budget knows of the lanes that wait for it, wherever they are parked (semantics 4.4).
//!
//! Owns the lists, each in rank order, and the debits that passed over somebody and aren't all marked yet. Refuses to know
//! why a lane is listed: `protect` derives that from the lane, and is told here who comes next.

use std::collections::BTreeSet;

use super::job::Rank;
use super::sorted::Sorted;
use super::units::{BudgetId, GateId, LaneId, Timestamp, Tokens};

/// What a budget knows of the lanes that wait for it, wherever they are parked.
#[derive(Debug, Default)]
pub struct Waiters {
    /// Those that were tried in vain, by their first job that wasn't passed over here.
    pub(super) unpassed: Lanes,
    /// Those with marks that will protect a job here, by the earliest of these.
    pub(super) ripening: Sorted<(Timestamp, LaneId)>,
    /// Those with a protected job whose turn here may have come, by the first of these.
    pub(super) protected: Lanes,
    /// Those with marks that are parked here: each is looked at as soon as this budget could pay it, also where no worker
    /// has room for it, since it then comes to its next budget.
    pub(super) parked: Lanes,
    /// It was blocked when it last woke anybody, or when somebody parked on it since.
    pub(super) is_blocked: bool,
    /// Debits that passed over lanes which aren't all marked yet, the earliest first.
    passes: Vec<Pass>,
    /// Budgets whose set-aside ends when this one can't pay so much any more, or is blocked.
    pub(super) leaned_on: BTreeSet<(Tokens, BudgetId)>,
    /// Where this one stands in `leaned_on`, and for how much.
    pub(super) leans_on: Vec<(BudgetId, Tokens)>,
    /// When the first of `ripening` protects its job.
    pub(super) ripe_at: Option<Timestamp>,
}

impl Waiters {
    /// Of more unfinished passes the last two of a gate count as one, at the instant of the later.
    const PASSES_MAX: usize = 8;
    /// So many lanes of one gate are looked at beyond the one that stands in place for the others.
    const MARKED_MAX: usize = 64;

    /// Whether it sets nothing aside, whatever the pools hold.
    pub fn protects_nobody(&self) -> bool {
        self.protected.is_empty()
    }

    /// The gates with protected jobs.
    pub fn protecting_gates(&self) -> impl Iterator<Item = GateId> + '_ {
        self.protected.gates()
    }

    /// The first protected job of each lane of a gate, in rank order.
    pub fn protected_in(&self, gate: GateId) -> impl Iterator<Item = (Rank, LaneId)> + '_ {
        self.protected.of_gate(gate)
    }

    /// The lanes of a gate that have marks and are parked here, in rank order, up to a bound.
    pub fn marked_in(&self, gate: GateId) -> impl Iterator<Item = (Rank, LaneId)> + '_ {
        self.parked.of_gate(gate).take(Self::MARKED_MAX)
    }

    /// Whether the end of a block changes what is set aside elsewhere.
    pub fn awaits_unblocking(&self) -> bool {
        !self.parked.is_empty()
    }

    /// The lanes of a gate with a job below `rank` that wasn't passed over yet.
    pub(super) fn passable(&self, gate: GateId, rank: Rank) -> impl Iterator<Item = LaneId> + '_ {
        self.unpassed.of_gate(gate).take_while(move |(first, _)| *first < rank).map(|(_, lane)| lane)
    }

    pub(super) fn add_pass(&mut self, pass: Pass) {
        let is_full = self.passes.len() >= Self::PASSES_MAX;
        let mut others = self.passes.iter_mut().rev();
        match others.find(|other| other.gate == pass.gate).filter(|other| is_full || other.at == pass.at) {
            Some(other) => *other = Pass { below: other.below.max(pass.below), ..pass },
            None => self.passes.push(pass),
        }
    }

    /// The next lane to be marked, and since when.
    pub(super) fn next_passed(&mut self) -> Option<(LaneId, Pass)> {
        while let Some(pass) = self.passes.first_mut() {
            let from = pass.after.map_or((Rank::MIN, LaneId(0)), |(rank, lane)| (rank, LaneId(lane.0 + 1)));
            let next = self.unpassed.of_gate_from(pass.gate, from).next().filter(|(rank, _)| *rank < pass.below);
            if let Some((rank, lane)) = next {
                pass.after = Some((rank, lane));
                return Some((lane, *pass));
            }
            self.passes.remove(0);
        }
        None
    }
}

/// Lanes by gate and by the rank of one of their jobs.
#[derive(Debug, Default)]
pub(super) struct Lanes(pub(super) Sorted<(GateId, Rank, LaneId)>);

impl Lanes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn gates(&self) -> impl Iterator<Item = GateId> + '_ {
        let mut next = Some(GateId(0));
        std::iter::from_fn(move || {
            let (gate, _, _) = self.0.from((next?, Rank::MIN, LaneId(0))).next()?;
            next = gate.0.checked_add(1).map(GateId);
            Some(gate)
        })
    }

    fn of_gate(&self, gate: GateId) -> impl Iterator<Item = (Rank, LaneId)> + '_ {
        self.of_gate_from(gate, (Rank::MIN, LaneId(0)))
    }

    fn of_gate_from(&self, gate: GateId, from: (Rank, LaneId)) -> impl Iterator<Item = (Rank, LaneId)> + '_ {
        let from_gate = self.0.from((gate, from.0, from.1)).take_while(move |(other, ..)| *other == gate);
        from_gate.map(|(_, rank, lane)| (rank, lane))
    }

    pub(super) fn all(&self) -> Vec<(Rank, LaneId)> {
        self.0.iter().map(|(_, rank, lane)| (rank, lane)).collect()
    }

    /// Lists a lane by another rank, or no more.
    pub(super) fn relist(&mut self, gate: GateId, lane: LaneId, before: Option<Rank>, after: Option<Rank>) {
        if before != after {
            before.map(|rank| self.0.remove((gate, rank, lane)));
            self.0.extend(after.map(|rank| (gate, rank, lane)));
        }
    }
}

/// A debit that passed over waiting jobs of a gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) gate: GateId,
    /// The rank of the job that made it.
    pub(super) below: Rank,
    pub(super) at: Timestamp,
    /// How far it is marked.
    pub(super) after: Option<(Rank, LaneId)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::JobId;

    #[test]
    fn a_debit_hands_out_each_lane_below_it_once() {
        let (gate, at) = (GateId(7), Timestamp(1));
        let rank = |job| Rank { priority: 0, ready_at: at, job: JobId(job) };
        let mut waiters = Waiters::default();
        for job in 1..=4 {
            waiters.unpassed.relist(gate, LaneId(job as u32), None, Some(rank(job)));
        }
        waiters.add_pass(Pass { gate, below: rank(3), at, after: None });
        // They stay listed where they can't be marked.
        let handed_out: Vec<_> = std::iter::from_fn(|| waiters.next_passed()).map(|(lane, _)| lane).take(9).collect();
        assert_eq!(handed_out, [LaneId(1), LaneId(2)]);
        // Of two at one instant the one that reaches further counts, whichever comes first.
        for (first, second) in [(4, 2), (2, 4)] {
            waiters.add_pass(Pass { gate, below: rank(first), at, after: None });
            waiters.add_pass(Pass { gate, below: rank(second), at, after: None });
            let handed_out: Vec<_> =
                std::iter::from_fn(|| waiters.next_passed()).map(|(lane, _)| lane).take(9).collect();
            assert_eq!(handed_out, [LaneId(1), LaneId(2), LaneId(3)]);
        }
    }
}
