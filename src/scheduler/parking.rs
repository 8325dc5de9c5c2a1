//! Who waits for which budget: parked lanes, searchable by "lowest rank whose cost fits".
//!
//! Owns, for each budget and gate that has waiters, the waiting lanes in rank order. Refuses to know why a
//! lane waits, whether the budget could pay it, and what else the lane presses on: it is told who parks,
//! and asked who fits.
//!
//! Each (budget, gate) has a tree that a search for a cost that fits takes O(log n) in, for any mix of costs
//! (semantics 4.3). All trees share one arena, indexed by lane, since a lane parks in at most one place at a time.

mod treap;

use super::job::Rank;
use super::mix::mix;
use super::slots::IdMap;
use super::units::{BudgetId, GateId, LaneId, Tokens};
use treap::{NIL, Node, Nodes};

/// Where a lane was parked, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parked {
    /// The budget it waits for.
    pub budget: BudgetId,
    /// Its gate.
    pub gate: GateId,
    /// The rank of its first job.
    pub rank: Rank,
    /// What a dispatch of it debits from the budget.
    pub cost: Tokens,
}

/// All parked lanes. Every search is O(log n) in the lanes of its budget and gate.
///
/// Lanes of one place have different ranks, as a rank names a job. The arena grows to the largest lane number
/// ever parked, at 64 bytes each, and is reused with the numbers.
#[derive(Debug, Default)]
pub struct Parking {
    nodes: Nodes,
    trees: Trees,
    /// Counts insertions, so that a lane that parks again gets another place in the heap.
    insertions: u32,
    /// The path of a removal, kept for its memory.
    path: Vec<u32>,
}

/// The lanes of one place.
#[derive(Clone, Copy, Debug)]
struct Tree {
    gate: GateId,
    root: u32,
    /// Jobs that wait in its lanes.
    jobs: u64,
}

/// The trees of each budget that has waiters, in the order of their gates, which are few.
#[derive(Debug, Default)]
struct Trees(IdMap<Vec<Tree>>);

impl Trees {
    fn of(&self, budget: BudgetId) -> &[Tree] {
        self.0.get(budget.0).map_or(&[], Vec::as_slice)
    }

    fn root(&self, budget: BudgetId, gate: GateId) -> u32 {
        let trees = self.of(budget);
        index_of(trees, gate).map_or(NIL, |index| trees[index].root)
    }

    /// The tree of a place, made if need be.
    fn enter(&mut self, (budget, gate): (BudgetId, GateId)) -> &mut Tree {
        let trees = self.0.get_or_insert_with(budget.0, Vec::new);
        let index = index_of(trees, gate).unwrap_or_else(|index| {
            trees.insert(index, Tree { gate, root: NIL, jobs: 0 });
            index
        });
        &mut trees[index]
    }

    fn remove(&mut self, (budget, gate): (BudgetId, GateId)) {
        let Some(trees) = self.0.get_mut(budget.0) else { return };
        if let Ok(index) = index_of(trees, gate) {
            trees.remove(index);
        }
        if trees.is_empty() {
            self.0.remove(budget.0);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (BudgetId, &Tree)> {
        self.0.from(0).flat_map(|(budget, trees)| trees.iter().map(move |tree| (BudgetId(budget), tree)))
    }
}

/// Where the tree of a gate is, or belongs.
fn index_of(trees: &[Tree], gate: GateId) -> Result<usize, usize> {
    trees.binary_search_by_key(&gate, |tree| tree.gate)
}

impl Parking {
    /// Parks a lane in which `jobs` jobs wait, `rank` and `cost` being those of its first.
    ///
    /// Panics where the lane is parked already, or its number is `u32::MAX`.
    pub fn park(&mut self, budget: BudgetId, gate: GateId, lane: LaneId, rank: Rank, cost: Tokens, jobs: u32) {
        assert!(lane.0 != NIL && !self.is_parked(lane), "lane {lane} is parked in one place at most");
        self.nodes.make_room(lane.0);
        self.insertions = self.insertions.wrapping_add(1);
        let scrambled = mix(u64::from(self.insertions) << 32 | u64::from(lane.0));
        self.nodes[lane.0] = Node {
            ready_at: rank.ready_at,
            job: rank.job,
            priority: rank.priority,
            cost,
            jobs,
            budget,
            gate,
            heap: (scrambled >> 32) as u32,
            parked: true,
            ..Node::VACANT
        };
        let tree = self.trees.enter((budget, gate));
        tree.root = self.nodes.insert(tree.root, lane.0);
        tree.jobs += u64::from(jobs);
    }

    /// Takes a lane out and says where it was; `None` where it isn't parked.
    pub fn unpark(&mut self, lane: LaneId) -> Option<Parked> {
        let node = *self.nodes.get(lane)?;
        let tree = self.trees.enter(node.place());
        tree.root = self.nodes.remove(tree.root, lane.0, &mut self.path);
        tree.jobs -= u64::from(node.jobs);
        if tree.root == NIL {
            self.trees.remove(node.place());
        }
        self.nodes[lane.0].parked = false;
        Some(Parked { budget: node.budget, gate: node.gate, rank: node.rank(), cost: node.cost })
    }

    /// Moves a parked lane to another rank: its first job is another. Nothing where it isn't parked.
    pub fn set_rank(&mut self, lane: LaneId, rank: Rank) {
        let Some(node) = self.nodes.get(lane).filter(|node| node.rank() != rank) else {
            return;
        };
        let tree = self.trees.enter(node.place());
        tree.root = self.nodes.remove(tree.root, lane.0, &mut self.path);
        self.nodes[lane.0].set_rank(rank);
        tree.root = self.nodes.insert(tree.root, lane.0);
    }

    /// Says how many jobs wait in a parked lane now. Nothing where it isn't parked.
    pub fn set_jobs(&mut self, lane: LaneId, jobs: u32) {
        let Some(node) = self.nodes.get(lane) else {
            return;
        };
        let tree = self.trees.enter(node.place());
        tree.jobs = tree.jobs - u64::from(node.jobs) + u64::from(jobs);
        self.nodes[lane.0].jobs = jobs;
    }

    /// Whether a lane is parked.
    pub fn is_parked(&self, lane: LaneId) -> bool {
        self.nodes.get(lane).is_some()
    }

    /// The lane of the lowest rank that costs at most `cost_max`, among those above `after` and below `before`,
    /// both exclusive.
    pub fn first_fit(
        &self,
        budget: BudgetId,
        gate: GateId,
        cost_max: Tokens,
        after: Option<Rank>,
        before: Option<Rank>,
    ) -> Option<(Rank, LaneId)> {
        let found = self.nodes.first_fit(self.trees.root(budget, gate), cost_max, after);
        self.entry(found).filter(|&(rank, _)| before.is_none_or(|before| rank < before))
    }

    /// The smallest cost among the lanes above `after` and below `before`, both exclusive.
    pub fn min_cost(
        &self,
        budget: BudgetId,
        gate: GateId,
        after: Option<Rank>,
        before: Option<Rank>,
    ) -> Option<Tokens> {
        self.nodes.cost_min_between(self.trees.root(budget, gate), after, before)
    }

    /// The gates that wait for a budget, in id order.
    pub fn gates(&self, budget: BudgetId) -> impl Iterator<Item = GateId> {
        self.trees.of(budget).iter().map(|tree| tree.gate)
    }

    /// How many jobs wait for a budget; O(gates that do).
    pub fn jobs(&self, budget: BudgetId) -> u64 {
        self.trees.of(budget).iter().map(|tree| tree.jobs).sum()
    }

    /// Panics with the facts where a tree isn't in order, miscounts, or holds what the arena doesn't. For tests.
    pub fn check(&self) {
        let mut reached = 0;
        for (budget, tree) in self.trees.iter() {
            let place = (budget, tree.gate);
            let mut in_order = Vec::new();
            self.nodes.check(tree.root, &mut in_order);
            assert!(!in_order.is_empty(), "{place:?} has no waiters and is kept");
            let nodes = || in_order.iter().map(|&lane| &self.nodes[lane]);
            assert!(nodes().all(|node| node.parked && node.place() == place), "{place:?} holds a stranger");
            assert!(nodes().map(Node::rank).is_sorted_by(|a, b| a < b), "{place:?} is out of order");
            assert_eq!(nodes().map(|node| u64::from(node.jobs)).sum::<u64>(), tree.jobs, "{place:?} miscounts");
            reached += in_order.len();
        }
        assert_eq!(reached, self.nodes.parked(), "a parked lane is in no tree");
    }

    fn entry(&self, lane: u32) -> Option<(Rank, LaneId)> {
        (lane != NIL).then(|| (self.nodes[lane].rank(), LaneId(lane)))
    }
}

#[cfg(test)]
mod tests;
