//! Searches by table, the shape of the trees, and a history of steps against a plain list.

use proptest::prelude::*;

use super::*;
use crate::scheduler::units::{JobId, Timestamp};

const B: BudgetId = BudgetId(1);
const Q: GateId = GateId(1);

fn rank(priority: u16, ready_at: i64, job: u64) -> Rank {
    Rank { priority, ready_at: Timestamp(ready_at), job: JobId(job) }
}

impl Parking {
    fn depth(&self, root: u32) -> usize {
        let mut open = vec![(root, 1)];
        let mut deepest = 0;
        while let Some((lane, depth)) = open.pop() {
            if lane != NIL {
                deepest = deepest.max(depth);
                open.extend([(self.nodes[lane].left, depth + 1), (self.nodes[lane].right, depth + 1)]);
            }
        }
        deepest
    }
}

#[test]
fn finds_the_lowest_rank_that_fits_in_a_range() {
    let mut parking = Parking::default();
    // Lane n has rank n.
    let costs = [9, 5, 7, 5, 1, 6, 3];
    let ranks = |n: u32| rank(0, 0, u64::from(n));
    for (n, cost) in (0..).zip(costs) {
        parking.park(B, Q, LaneId(n), ranks(n), Tokens(cost), 1);
    }
    parking.check();
    // (most, above, below) → lane
    let table = [
        (9, None, None, Some(0)),
        (8, None, None, Some(1)),
        (4, None, None, Some(4)),
        (0, None, None, None),
        (9, Some(0), None, Some(1)),
        (5, Some(1), None, Some(3)),
        (5, Some(1), Some(4), Some(3)),
        (5, Some(1), Some(3), None),
        (2, Some(3), None, Some(4)),
        (2, Some(4), None, None),
        (3, Some(4), None, Some(6)),
        (9, Some(6), None, None),
        (9, None, Some(0), None),
        (9, None, Some(1), Some(0)),
    ];
    for (cost, after, before, expected) in table {
        let found = parking.first_fit(B, Q, Tokens(cost), after.map(ranks), before.map(ranks));
        let expected = expected.map(|n| (ranks(n), LaneId(n)));
        assert_eq!(found, expected, "at most {cost} in {after:?}..{before:?}");
    }
    for (before, expected) in [(0, None), (1, Some(9)), (3, Some(5)), (4, Some(5)), (5, Some(1))] {
        assert_eq!(parking.min_cost(B, Q, None, Some(ranks(before))), expected.map(Tokens), "below {before}");
    }
    for (after, expected) in [(0, Some(1)), (3, Some(1)), (4, Some(3)), (5, Some(3)), (6, None)] {
        assert_eq!(parking.min_cost(B, Q, Some(ranks(after)), None), expected.map(Tokens), "above {after}");
    }
    assert_eq!(parking.min_cost(B, Q, None, None), Some(Tokens(1)));
    assert_eq!(parking.min_cost(B, GateId(2), None, None), None);
    assert_eq!(parking.first_fit(BudgetId(2), Q, Tokens::MAX, None, None), None);
}

#[test]
fn counts_and_lists_per_budget() {
    let mut parking = Parking::default();
    let places = [(1, 5), (1, 2), (2, 2), (1, 5)];
    for (n, (budget, gate)) in (0..).zip(places) {
        let lane = LaneId(n);
        parking.park(BudgetId(budget), GateId(gate), lane, rank(0, 0, u64::from(n)), Tokens(1), 10);
    }
    assert_eq!(parking.gates(B).collect::<Vec<_>>(), [GateId(2), GateId(5)]);
    assert_eq!(parking.jobs(B), 30);
    assert_eq!(parking.first_fit(B, GateId(5), Tokens(u64::MAX), None, None), Some((rank(0, 0, 0), LaneId(0))));
    parking.set_jobs(LaneId(3), 7);
    parking.set_jobs(LaneId(99), 7);
    assert_eq!(parking.jobs(B), 27);
    parking.set_rank(LaneId(0), rank(1, 0, 0));
    parking.set_rank(LaneId(99), rank(1, 0, 0));
    assert_eq!(parking.first_fit(B, GateId(5), Tokens(u64::MAX), None, None), Some((rank(0, 0, 3), LaneId(3))));
    let was = Parked { budget: B, gate: GateId(5), rank: rank(0, 0, 3), cost: Tokens(1) };
    assert_eq!(parking.unpark(LaneId(3)), Some(was));
    assert_eq!(parking.unpark(LaneId(3)), None);
    assert!(!parking.is_parked(LaneId(3)) && parking.is_parked(LaneId(0)));
    assert!(parking.is_parked(LaneId(2)));
    parking.unpark(LaneId(2));
    assert_eq!((parking.jobs(BudgetId(2)), parking.jobs(B)), (0, 20));
    parking.check();
}

#[test]
#[should_panic(expected = "lane 0 is parked in one place at most")]
fn a_second_place_panics() {
    let mut parking = Parking::default();
    parking.park(B, Q, LaneId(0), rank(0, 0, 0), Tokens(1), 1);
    parking.park(B, GateId(2), LaneId(0), rank(0, 0, 0), Tokens(1), 1);
}

#[test]
fn stays_shallow_whatever_the_order() {
    const LANES: u32 = 20_000;
    let orders: [fn(u32) -> u64; 3] = [u64::from, |n| u64::from(LANES - n), |n| mix(u64::from(n))];
    for order in orders {
        let mut parking = Parking::default();
        for n in 0..LANES {
            parking.park(B, Q, LaneId(n), rank(0, 0, order(n)), Tokens(1), 1);
        }
        // One lane at a time goes to the end, as lanes do whose first job was dispatched.
        for n in 0..LANES {
            parking.set_rank(LaneId(n), rank(1, 0, u64::from(n)));
        }
        parking.check();
        let depth = parking.depth(parking.trees.root(B, Q));
        assert!(depth <= 60, "{depth} levels for {LANES} lanes");
    }
}

#[test]
fn reuses_the_arena() {
    let mut parking = Parking::default();
    for round in 0..10 {
        (0..100).for_each(|n| parking.park(B, Q, LaneId(n), rank(0, round, u64::from(n)), Tokens(1), 1));
        (0..100).for_each(|n| assert!(parking.unpark(LaneId(n)).is_some()));
    }
    parking.check();
    assert_eq!(parking.nodes.0.len(), 100);
    assert!(parking.trees.iter().next().is_none());
}

#[derive(Clone, Debug)]
enum Step {
    Park(u32, u64, u32, Rank, u64, u32),
    Unpark(u32),
    SetRank(u32, Rank),
    SetJobs(u32, u32),
    Ask(u64, Option<Rank>, Option<Rank>),
}

const LANES: u32 = 40;

/// Ranks that meet in their first two parts often, and never in all three for different lanes.
fn ranks(lane: u32) -> impl Strategy<Value = Rank> {
    let jobs = (0..4_u64).prop_map(move |n| n * u64::from(LANES) + u64::from(lane));
    (0..3_u16, 0..3_i64, jobs).prop_map(|(priority, ready_at, job)| rank(priority, ready_at, job))
}

fn steps() -> impl Strategy<Value = Step> {
    let bound = || proptest::option::of((0..LANES).prop_flat_map(ranks));
    (0..LANES).prop_flat_map(move |lane| {
        prop_oneof![
            5 => (0..2_u64, 0..2_u32, ranks(lane), 1..10_u64, 0..5_u32)
                .prop_map(move |(budget, gate, rank, cost, jobs)| Step::Park(lane, budget, gate, rank, cost, jobs)),
            2 => Just(Step::Unpark(lane)),
            2 => ranks(lane).prop_map(move |rank| Step::SetRank(lane, rank)),
            1 => (0..5_u32).prop_map(move |jobs| Step::SetJobs(lane, jobs)),
            3 => (0..11_u64, bound(), bound())
                .prop_map(|(cost, after, before)| Step::Ask(cost, after, before)),
        ]
    })
}

/// The same as a list of (lane, place, jobs) that every question searches whole.
#[derive(Default)]
struct Naive(Vec<(LaneId, Parked, u32)>);

impl Naive {
    fn find(&mut self, lane: LaneId) -> Option<&mut (LaneId, Parked, u32)> {
        self.0.iter_mut().find(|(other, ..)| *other == lane)
    }

    fn at(&self, budget: BudgetId, gate: GateId) -> impl Iterator<Item = (Rank, LaneId, Tokens)> {
        let there = move |parked: &Parked| (parked.budget, parked.gate) == (budget, gate);
        self.0
            .iter()
            .filter(move |(_, parked, _)| there(parked))
            .map(|(lane, parked, _)| (parked.rank, *lane, parked.cost))
    }

    fn first_fit(
        &self,
        budget: BudgetId,
        gate: GateId,
        step: (u64, Option<Rank>, Option<Rank>),
    ) -> Option<(Rank, LaneId)> {
        let (cost_max, after, before) = step;
        self.at(budget, gate)
            .filter(|&(rank, _, cost)| {
                cost.0 <= cost_max
                    && after.is_none_or(|after| rank > after)
                    && before.is_none_or(|before| rank < before)
            })
            .map(|(rank, lane, _)| (rank, lane))
            .min()
    }
}

fn compare(parking: &Parking, naive: &Naive, ask: (u64, Option<Rank>, Option<Rank>)) -> Result<(), TestCaseError> {
    let (cost, after, before) = ask;
    for budget in (0..3).map(BudgetId) {
        let mut jobs = 0;
        for (lane, _, waiting) in naive.0.iter().filter(|(_, parked, _)| parked.budget == budget) {
            jobs += u64::from(*waiting);
            prop_assert!(parking.is_parked(*lane));
        }
        prop_assert_eq!(parking.jobs(budget), jobs);
        let gates = (0..3).map(GateId).filter(|&gate| naive.at(budget, gate).next().is_some());
        prop_assert!(parking.gates(budget).eq(gates));
        for gate in (0..3).map(GateId) {
            let fit = parking.first_fit(budget, gate, Tokens(cost), after, before);
            prop_assert_eq!(fit, naive.first_fit(budget, gate, ask));
            let between = naive.at(budget, gate).filter(|&(rank, ..)| {
                after.is_none_or(|after| rank > after) && before.is_none_or(|before| rank < before)
            });
            let least = between.map(|(.., cost)| cost).min();
            prop_assert_eq!(parking.min_cost(budget, gate, after, before), least);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn answers_as_a_list_would(steps in prop::collection::vec(steps(), 0..120)) {
        let mut parking = Parking::default();
        let mut naive = Naive::default();
        for step in steps {
            let mut ask = (u64::MAX, None, None);
            match step {
                Step::Park(lane, budget, gate, rank, cost, jobs) => {
                    let (lane, budget, gate, cost) = (LaneId(lane), BudgetId(budget), GateId(gate), Tokens(cost));
                    if !parking.is_parked(lane) {
                        parking.park(budget, gate, lane, rank, cost, jobs);
                        naive.0.push((lane, Parked { budget, gate, rank, cost }, jobs));
                    }
                }
                Step::Unpark(lane) => {
                    let expected = naive.find(LaneId(lane)).map(|(_, parked, _)| *parked);
                    naive.0.retain(|(other, ..)| *other != LaneId(lane));
                    prop_assert_eq!(parking.unpark(LaneId(lane)), expected);
                }
                Step::SetRank(lane, rank) => {
                    parking.set_rank(LaneId(lane), rank);
                    naive.find(LaneId(lane)).into_iter().for_each(|(_, parked, _)| parked.rank = rank);
                }
                Step::SetJobs(lane, jobs) => {
                    parking.set_jobs(LaneId(lane), jobs);
                    naive.find(LaneId(lane)).into_iter().for_each(|(.., waiting)| *waiting = jobs);
                }
                Step::Ask(cost, after, before) => ask = (cost, after, before),
            }
            parking.check();
            compare(&parking, &naive, ask)?;
        }
    }
}
