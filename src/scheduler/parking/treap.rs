//! Treaps in an arena: search trees by rank that are heaps by a scrambled number, which keeps them shallow
//! whatever the ranks are.
//!
//! Each node also knows the smallest cost of its subtree, so that a search skips what doesn't fit. Knows nothing of
//! which tree belongs to whom: a tree is named by its root, and [`NIL`] is the empty one.

use std::cmp::Ordering;
use std::ops::{Index, IndexMut};

use crate::scheduler::job::Rank;
use crate::scheduler::units::{BudgetId, GateId, JobId, LaneId, Timestamp, Tokens};

/// The link to nothing.
pub const NIL: u32 = u32::MAX;

/// A lane as it is parked.
///
/// The parts of a rank stand apart, and budget and gate in place of a pointer to the tree: so a node fills one
/// cache line, and a step of a search costs one miss.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Node {
    /// Second part of the rank.
    pub ready_at: Timestamp,
    /// Third part of the rank.
    pub job: JobId,
    /// Tokens of a dispatch.
    pub cost: Tokens,
    /// The smallest cost in the subtree.
    pub cost_min: Tokens,
    /// Jobs that wait in the lane.
    pub jobs: u32,
    /// The budget it waits for.
    pub budget: BudgetId,
    /// Its gate.
    pub gate: GateId,
    /// The root of what ranks below it.
    pub left: u32,
    /// The root of what ranks above it.
    pub right: u32,
    /// Its scrambled number; no child's is larger.
    pub heap: u32,
    /// First part of the rank.
    pub priority: u16,
    /// Whether it is in a tree.
    pub parked: bool,
}

const _: () = assert!(size_of::<Node>() == 64, "a node fills a cache line");

impl Node {
    /// What the arena holds for a lane that isn't parked.
    pub const VACANT: Self = Self {
        ready_at: Timestamp(0),
        job: JobId(0),
        cost: Tokens(0),
        cost_min: Tokens(0),
        jobs: 0,
        budget: BudgetId(0),
        gate: GateId(0),
        left: NIL,
        right: NIL,
        heap: 0,
        priority: 0,
        parked: false,
    };

    /// Its place in the order.
    pub fn rank(&self) -> Rank {
        Rank { priority: self.priority, ready_at: self.ready_at, job: self.job }
    }

    /// Gives it another rank, while it is in no tree.
    pub fn set_rank(&mut self, rank: Rank) {
        Rank { priority: self.priority, ready_at: self.ready_at, job: self.job } = rank;
    }

    /// Which tree it is in.
    pub fn place(&self) -> (BudgetId, GateId) {
        (self.budget, self.gate)
    }
}

/// The arena, and the treaps in it, each named by its root.
#[derive(Debug, Default)]
pub struct Nodes(pub Vec<Node>);

impl Index<u32> for Nodes {
    type Output = Node;

    fn index(&self, lane: u32) -> &Node {
        &self.0[lane as usize]
    }
}

impl IndexMut<u32> for Nodes {
    fn index_mut(&mut self, lane: u32) -> &mut Node {
        &mut self.0[lane as usize]
    }
}

impl Nodes {
    /// Lets the arena reach to a lane.
    pub fn make_room(&mut self, lane: u32) {
        if self.0.len() <= lane as usize {
            self.0.resize(lane as usize + 1, Node::VACANT);
        }
    }

    /// A lane, if it is parked.
    pub fn get(&self, lane: LaneId) -> Option<&Node> {
        self.0.get(lane.0 as usize).filter(|node| node.parked)
    }

    /// The smallest cost under `root`.
    fn cost_min(&self, root: u32) -> Option<Tokens> {
        (root != NIL).then(|| self[root].cost_min)
    }

    /// Whether anything under `root` costs at most `cost_max`.
    fn fits(&self, root: u32, cost_max: Tokens) -> bool {
        self.cost_min(root).is_some_and(|cost| cost <= cost_max)
    }

    /// Derives the smallest cost of a node anew from its children; whether it is another.
    fn refresh(&mut self, lane: u32) -> bool {
        let Node { cost, left, right, cost_min: before, .. } = self[lane];
        let children = [left, right].into_iter().filter_map(|child| self.cost_min(child));
        let cost_min = children.fold(cost, Tokens::min);
        self[lane].cost_min = cost_min;
        cost_min != before
    }

    /// Adds a node that has no children; the new root.
    pub fn insert(&mut self, root: u32, lane: u32) -> u32 {
        let Node { heap, cost, .. } = self[lane];
        let rank = self[lane].rank();
        let (mut parent, mut below) = (NIL, root);
        while below != NIL && self[below].heap >= heap {
            debug_assert_ne!(self[below].rank(), rank, "two lanes of one place have one rank");
            self[below].cost_min = self[below].cost_min.min(cost);
            (parent, below) = (below, self.child_towards(below, rank));
        }
        let (left, right) = self.split(below, rank);
        (self[lane].left, self[lane].right) = (left, right);
        self.refresh(lane);
        if parent == NIL {
            return lane;
        }
        *self.link_towards(parent, rank) = lane;
        root
    }

    /// Takes a node out; the new root. `path` is scratch space.
    pub fn remove(&mut self, root: u32, lane: u32, path: &mut Vec<u32>) -> u32 {
        let rank = self[lane].rank();
        path.clear();
        let mut above = root;
        while above != lane {
            path.push(above);
            above = self.child_towards(above, rank);
        }
        let Node { left, right, .. } = self[lane];
        (self[lane].left, self[lane].right) = (NIL, NIL);
        let merged = self.merge(left, right);
        let Some(&parent) = path.last() else {
            return merged;
        };
        *self.link_towards(parent, rank) = merged;
        while let Some(ancestor) = path.pop() {
            if !self.refresh(ancestor) {
                break;
            }
        }
        root
    }

    /// The child under which `rank` is, or would be.
    fn child_towards(&self, lane: u32, rank: Rank) -> u32 {
        if rank < self[lane].rank() { self[lane].left } else { self[lane].right }
    }

    fn link_towards(&mut self, lane: u32, rank: Rank) -> &mut u32 {
        let left = rank < self[lane].rank();
        let node = &mut self[lane];
        if left { &mut node.left } else { &mut node.right }
    }

    /// The parts of a treap below and above a rank. Recurses along the edge between them, which under a node
    /// just added is two nodes long on average.
    fn split(&mut self, root: u32, rank: Rank) -> (u32, u32) {
        if root == NIL {
            return (NIL, NIL);
        }
        match rank.cmp(&self[root].rank()) {
            Ordering::Less => {
                let (below, above) = self.split(self[root].left, rank);
                self[root].left = above;
                self.refresh(root);
                (below, root)
            }
            Ordering::Equal | Ordering::Greater => {
                let (below, above) = self.split(self[root].right, rank);
                self[root].right = below;
                self.refresh(root);
                (root, above)
            }
        }
    }

    /// One treap of two, all ranks in `below` being lower than those in `above`. Recurses as `split` does.
    fn merge(&mut self, below: u32, above: u32) -> u32 {
        if below == NIL || above == NIL {
            return if below == NIL { above } else { below };
        }
        let root = if self[below].heap >= self[above].heap {
            self[below].right = self.merge(self[below].right, above);
            below
        } else {
            self[above].left = self.merge(below, self[above].left);
            above
        };
        self.refresh(root);
        root
    }

    /// The lowest rank above `after` that costs at most `cost_max`.
    ///
    /// Walks along the edge between what is above `after` and what isn't. Each node above it that fits, or has a
    /// fit on its right, beats those met before; so the last one holds the answer.
    pub fn first_fit(&self, root: u32, cost_max: Tokens, after: Option<Rank>) -> u32 {
        let Some(after) = after else {
            return self.first_fit_of_all(root, cost_max);
        };
        let (mut best, mut next) = (NIL, root);
        while self.fits(next, cost_max) {
            let node = &self[next];
            if node.rank() <= after {
                next = node.right;
                continue;
            }
            if node.cost <= cost_max || self.fits(node.right, cost_max) {
                best = next;
            }
            next = node.left;
        }
        if best == NIL || self[best].cost <= cost_max {
            return best;
        }
        self.first_fit_of_all(self[best].right, cost_max)
    }

    /// The lowest rank that costs at most `cost_max`.
    fn first_fit_of_all(&self, root: u32, cost_max: Tokens) -> u32 {
        let mut next = root;
        while self.fits(next, cost_max) {
            let node = &self[next];
            if self.fits(node.left, cost_max) {
                next = node.left;
            } else if node.cost <= cost_max {
                return next;
            } else {
                next = node.right;
            }
        }
        NIL
    }

    /// The smallest cost among ranks above `after` and below `before`.
    ///
    /// From the topmost node between the two, one walk follows each bound; what lies between a walk and that node is
    /// inside.
    pub fn cost_min_between(&self, root: u32, after: Option<Rank>, before: Option<Rank>) -> Option<Tokens> {
        let is_above = |lane: u32| after.is_none_or(|after| self[lane].rank() > after);
        let is_below = |lane: u32| before.is_none_or(|before| self[lane].rank() < before);
        let mut top = root;
        while top != NIL && !(is_above(top) && is_below(top)) {
            top = if is_above(top) { self[top].left } else { self[top].right };
        }
        if top == NIL {
            return None;
        }
        let Node { cost, left, right, .. } = self[top];
        let mut least = cost;
        let mut take = |found: Option<Tokens>| least = found.map_or(least, |found| least.min(found));
        let mut next = left;
        while next != NIL {
            let node = &self[next];
            if after.is_none() {
                take(Some(node.cost_min));
                break;
            }
            next = if is_above(next) {
                take(Some(node.cost));
                take(self.cost_min(node.right));
                node.left
            } else {
                node.right
            };
        }
        next = right;
        while next != NIL {
            let node = &self[next];
            if before.is_none() {
                take(Some(node.cost_min));
                break;
            }
            next = if is_below(next) {
                take(Some(node.cost));
                take(self.cost_min(node.left));
                node.right
            } else {
                node.left
            };
        }
        Some(least)
    }

    /// How many nodes are in trees.
    pub fn parked(&self) -> usize {
        self.0.iter().filter(|node| node.parked).count()
    }

    /// Lists a tree in its order, and its smallest cost. Panics where it isn't a heap or a smallest cost is wrong.
    pub fn check(&self, root: u32, in_order: &mut Vec<u32>) -> Option<Tokens> {
        if root == NIL {
            return None;
        }
        let node = &self[root];
        for child in [node.left, node.right] {
            assert!(child == NIL || self[child].heap <= node.heap, "lane {child} is above {root} in the heap");
        }
        let left = self.check(node.left, in_order);
        in_order.push(root);
        let right = self.check(node.right, in_order);
        let least = [left, right, Some(node.cost)].into_iter().flatten().min();
        assert_eq!(least, Some(node.cost_min), "the smallest cost under lane {root}");
        least
    }
}
