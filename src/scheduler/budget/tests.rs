//! The figures of semantics 2, 7 and 9, one tick either side, and a pool against one stepped by the nanosecond.

use proptest::prelude::*;

use super::*;

const NONE: Tokens = Tokens(0);
const TICK: Nanos = Nanos(1);

fn at_s(s: u64) -> Timestamp {
    Timestamp(0) + Nanos::from_secs(s)
}

fn per_s(allocation: u64, s: u64) -> Policy {
    Policy::time_based(allocation, Nanos::from_secs(s), None)
}

fn is_full(pool: &Pool, now: Timestamp) -> bool {
    pool.available(now) >= i128::from(pool.policy().capacity().0)
}

fn empty(policy: Policy) -> Pool {
    let mut pool = Pool::new(policy, at_s(0));
    pool.set_level(NONE, at_s(0));
    pool
}

#[test]
fn drips_evenly_and_to_the_nanosecond() {
    let mut pool = empty(per_s(100, 300));
    for (s, whole) in [(0, 0), (60, 20), (240, 80), (300, 100), (3900, 100)] {
        assert_eq!(pool.available(at_s(s)), whole, "after {s} s");
    }
    for cost in [1, 20, 80, 100] {
        let due = at_s(3 * cost);
        assert_eq!(pool.affordable_at(Tokens(cost), at_s(0)), Some(due));
        assert!(!pool.can_pay(Tokens(cost), NONE, due - TICK));
        assert!(pool.can_pay(Tokens(cost), NONE, due));
        assert_eq!(pool.available(due - TICK), i128::from(cost) - 1);
    }
    pool.debit(Tokens(20), at_s(60));
    assert_eq!(pool.available(at_s(60)), 0);
    assert_eq!(pool.next_token_time(at_s(60)), Some(at_s(63)));
    assert_eq!(pool.next_token_time(at_s(62)), Some(at_s(63)));
    assert_eq!(pool.next_token_time(at_s(63)), Some(at_s(66)));
    assert!(!is_full(&pool, at_s(360) - TICK));
    assert!(is_full(&pool, at_s(360)));
    assert_eq!(pool.next_token_time(at_s(360) - TICK), Some(at_s(360)));
    assert_eq!(pool.next_token_time(at_s(360)), None);
}

#[test]
fn waits_are_rounded_up() {
    // A token every 333,333,333⅓ ns.
    let mut pool = empty(Policy::time_based(3, Nanos::from_secs(1), None));
    for (cost, ns) in [(1, 333_333_334), (2, 666_666_667), (3, 1_000_000_000)] {
        assert_eq!(pool.affordable_at(Tokens(cost), at_s(0)), Some(Timestamp(ns)));
    }
    // Debits leave the fraction in the pool: the third token is a second from empty all the same.
    pool.debit(Tokens(1), Timestamp(333_333_334));
    pool.debit(Tokens(1), Timestamp(666_666_667));
    assert_eq!(pool.affordable_at(Tokens(1), Timestamp(666_666_667)), Some(at_s(1)));
}

#[test]
fn a_burst_is_the_capacity() {
    let mut paced = Pool::new(Policy::time_based(100, Nanos::from_secs(300), Some(Tokens(1))), at_s(0));
    paced.debit(Tokens(1), at_s(0));
    assert_eq!(paced.affordable_at(Tokens(1), at_s(0)), Some(at_s(3)));
    assert_eq!(paced.affordable_at(Tokens(2), at_s(0)), None);
    assert_eq!(paced.available(at_s(3600)), 1);
    let spike = Pool::new(Policy::time_based(10, Nanos::from_secs(10), Some(Tokens(20))), at_s(0));
    assert_eq!(spike.available(at_s(0)), 20);
}

#[test]
fn while_in_flight_tokens_come_back_at_the_end() {
    let mut pool = Pool::new(Policy::while_in_flight(5), at_s(0));
    pool.debit(Tokens(3), at_s(0));
    pool.debit(Tokens(2), at_s(1));
    assert_eq!((pool.available(at_s(9)), pool.in_flight_cost(), pool.in_flight_jobs()), (0, 5, 2));
    assert!(!pool.can_pay(Tokens(1), NONE, at_s(9)));
    assert_eq!(pool.affordable_at(Tokens(1), at_s(9)), None);
    pool.release(Tokens(3));
    assert_eq!((pool.available(at_s(9)), pool.in_flight_cost(), pool.in_flight_jobs()), (3, 2, 1));
    assert_eq!(pool.affordable_at(Tokens(3), at_s(9)), Some(at_s(9)));
    assert_eq!(pool.next_token_time(at_s(9)), None);
    assert!(!is_full(&pool, at_s(9)));
    pool.release(Tokens(2));
    assert!(is_full(&pool, at_s(9)));
    let before = pool.clone();
    pool.settle_use(LeaseId(1), Tokens(1), NONE, at_s(10));
    overrun(&mut pool, 1, at_s(10));
    assert_eq!(pool, before);
}

#[test]
fn time_based_tokens_stay_spent() {
    let mut pool = Pool::new(per_s(10, 10), at_s(0));
    pool.debit(Tokens(10), at_s(0));
    pool.watch(LeaseId(1));
    pool.release(Tokens(10));
    pool.unwatch(LeaseId(1));
    assert_eq!((pool.available(at_s(0)), pool.in_flight_cost(), pool.in_flight_jobs()), (0, 0, 0));
    assert_eq!(pool.peaks, Peaks::default(), "nobody asks for its peak any more");
}

#[test]
#[should_panic(expected = "every hold is released exactly once")]
fn a_second_release_panics() {
    let mut pool = Pool::new(Policy::while_in_flight(5), at_s(0));
    pool.debit(Tokens(3), at_s(0));
    pool.release(Tokens(3));
    pool.release(Tokens(3));
}

#[test]
fn set_aside_tokens_are_left_over() {
    for policy in [Policy::while_in_flight(10), per_s(10, 10)] {
        let pool = Pool::new(policy, at_s(0));
        assert!(pool.can_pay(Tokens(4), Tokens(6), at_s(0)));
        assert!(!pool.can_pay(Tokens(4), Tokens(7), at_s(0)));
    }
}

/// A use beyond a cost, of a lease that isn't watched.
fn overrun(pool: &mut Pool, tokens: u64, now: Timestamp) {
    pool.settle_use(LeaseId(0), NONE, Tokens(tokens), now);
}

fn debit(pool: &mut Pool, lease: u64, cost: u64, now: Timestamp) {
    pool.debit(Tokens(cost), now);
    pool.watch(LeaseId(lease));
}

#[test]
fn a_refund_goes_as_far_as_the_pool_would_hold() {
    // The story of semantics 9.2: at 50 s the level had been 90, so 10 tokens would have been lost at the brim.
    let mut pool = Pool::new(per_s(100, 100), at_s(0));
    debit(&mut pool, 1, 60, at_s(0));
    debit(&mut pool, 2, 80, at_s(50));
    pool.settle_use(LeaseId(1), Tokens(60), Tokens(10), at_s(51));
    assert_eq!(pool.available(at_s(51)), 21);
    // What is left of a second debit: its peak is the level just now.
    pool.settle_use(LeaseId(2), Tokens(80), NONE, at_s(51));
    assert_eq!(pool.available(at_s(51)), 100);
}

#[test]
fn an_overrun_is_owed() {
    let mut pool = Pool::new(per_s(100, 100), at_s(0));
    debit(&mut pool, 1, 71, at_s(0));
    pool.settle_use(LeaseId(1), Tokens(71), Tokens(120), at_s(0));
    assert_eq!(pool.available(at_s(0)), -20);
    assert_eq!(pool.next_token_time(at_s(0)), Some(at_s(21)));
    // Below zero, too, whole tokens are rounded down.
    assert_eq!(pool.available(at_s(1) - TICK), -20);
    assert_eq!(pool.available(at_s(1)), -19);
    assert_eq!(pool.available(at_s(1) + TICK), -19);
}

#[test]
fn debits_before_an_adjustment_or_a_restart_are_refunded_nothing() {
    let mut pool = Pool::new(per_s(100, 100), at_s(0));
    debit(&mut pool, 1, 60, at_s(0));
    pool.set_level(Tokens(7), at_s(1));
    pool.settle_use(LeaseId(1), Tokens(60), NONE, at_s(1));
    assert_eq!(pool.available(at_s(1)), 7);
    debit(&mut pool, 2, 7, at_s(1));
    let mut again = Pool::restore(*pool.policy(), &pool.record(BudgetId(1)), at_s(1));
    again.settle_use(LeaseId(2), Tokens(7), NONE, at_s(1));
    assert_eq!(again.available(at_s(1)), 0);
}

#[test]
fn peaks_follow_a_change_of_policy() {
    let mut pool = Pool::new(per_s(100, 100), at_s(0));
    debit(&mut pool, 1, 60, at_s(0));
    debit(&mut pool, 2, 80, at_s(50));
    // Peak of the first: 90 of 100; the same of 200 leaves room for all it didn't use.
    pool.change_policy(per_s(200, 200), at_s(51));
    pool.settle_use(LeaseId(1), Tokens(60), Tokens(10), at_s(51));
    assert_eq!(pool.available(at_s(51)), 11 + 50);
    // A pool that had been full counts as full under the new policy, too.
    let mut full = Pool::new(per_s(100, 100), at_s(0));
    debit(&mut full, 1, 1, at_s(0));
    debit(&mut full, 2, 50, at_s(10));
    full.change_policy(per_s(200, 200), at_s(10));
    full.settle_use(LeaseId(1), Tokens(1), NONE, at_s(10));
    assert_eq!(full.available(at_s(10)), 50);
}

#[test]
fn a_block_lasts_until_the_latest_report() {
    for policy in [Policy::while_in_flight(5), per_s(5, 5)] {
        let mut pool = Pool::new(policy, at_s(0));
        pool.block(Some(Nanos::from_secs(30)), at_s(0));
        pool.block(Some(Nanos::from_secs(20)), at_s(0));
        assert_eq!(pool.blocked_until(at_s(0)), Some(at_s(30)));
        assert_eq!(pool.affordable_at(Tokens(1), at_s(0)), Some(at_s(30)));
        assert!(!pool.can_pay(Tokens(1), NONE, at_s(30) - TICK));
        assert!(pool.can_pay(Tokens(1), NONE, at_s(30)));
        assert_eq!(pool.blocked_until(at_s(30)), None);
        pool.block(None, at_s(0));
        assert_eq!(pool.affordable_at(Tokens(1), at_s(0)), None);
        assert!(!pool.can_pay(Tokens(1), NONE, Timestamp::MAX));
        pool.unblock();
        assert!(pool.can_pay(Tokens(1), NONE, at_s(0)));
    }
    let mut slow = empty(per_s(1, 60));
    slow.block(Some(Nanos::from_secs(30)), at_s(0));
    assert_eq!(slow.affordable_at(Tokens(1), at_s(0)), Some(at_s(60)));
    assert_eq!(slow.next_token_time(at_s(0)), Some(at_s(60)));
    slow.block(Some(Nanos::from_secs(90)), at_s(0));
    assert_eq!(slow.affordable_at(Tokens(1), at_s(0)), Some(at_s(90)));
    assert_eq!(slow.next_token_time(at_s(0)), Some(at_s(60)));
}

#[test]
fn carries_whole_tokens_and_rounds_the_fraction_down() {
    // (level, old duration, new duration) → level, all in ns
    let (short, long) = (1_000_000, 3_000_001);
    let table = [
        (0, short, long, 0),
        (short, short, long, long),
        (5 * short, short, long, 5 * long),
        // ⌊1·3000001/1000000⌋ = 3, ⌊999999·3000001/1000000⌋ = ⌊2999997.999999⌋
        (1, short, long, 3),
        (short - 1, short, long, 2_999_997),
        (short + 1, short, long, long + 3),
        (-1, short, long, 2_999_997 - long),
        (-short, short, long, -long),
        // ⌊2·1000000/3000001⌋ = 0, ⌊3·…⌋ = 0, ⌊4·…⌋ = 1
        (2, long, short, 0),
        (3, long, short, 0),
        (4, long, short, 1),
        (long - 1, long, short, short - 1),
        (long + 1, long, short, short),
        (-1, long, short, -1),
        (-long - 1, long, short, -short - 1),
    ];
    for (level, old, new, expected) in table {
        let span = |ns: i128| Nanos(u64::try_from(ns).expect("a duration"));
        let mut pool = empty(Policy::time_based(10, span(old), None));
        pool.level = level;
        pool.change_policy(Policy::time_based(10, span(new), None), at_s(0));
        assert_eq!(pool.level, expected, "{level} from {old} to {new}");
    }
}

#[test]
fn a_change_is_computed_under_the_old_policy_and_clamped_to_the_new() {
    // The story of the scenario "budget words".
    let mut pool = Pool::new(Policy::time_based(10, Nanos::from_secs(10), Some(Tokens(20))), at_s(0));
    pool.change_policy(Policy::time_based(5, Nanos::from_secs(10), Some(Tokens(20))), at_s(0));
    assert_eq!(pool.available(at_s(0)), 20);
    pool.debit(Tokens(20), at_s(0));
    pool.release(Tokens(20));
    assert_eq!(pool.next_token_time(at_s(0)), Some(at_s(2)));
    pool.change_policy(Policy::time_based(5, Nanos::from_secs(5), Some(Tokens(20))), at_s(0));
    assert_eq!(pool.next_token_time(at_s(0)), Some(at_s(1)));
    pool.change_policy(per_s(5, 5), at_s(3600));
    assert_eq!(pool.available(at_s(3600)), 5);
    assert_eq!(pool.record(BudgetId(0)).level, 5 * 5_000_000_000);
    pool.change_policy(Policy::time_based(5, Nanos::from_secs(5), Some(Tokens(7))), at_s(3600));
    assert_eq!(pool.available(at_s(3600)), 5);
    assert_eq!(pool.available(at_s(3602)), 7);
    pool.block(Some(Nanos::from_secs(398)), at_s(3602));
    let before = pool.clone();
    pool.change_policy(*before.policy(), at_s(3700));
    assert_eq!(pool, before);
    pool.change_policy(per_s(5, 5), at_s(3700));
    assert_eq!(pool.blocked_until(at_s(3700)), Some(at_s(4000)));
}

#[test]
fn a_shrink_admits_nothing_until_it_drains() {
    let mut pool = Pool::new(Policy::while_in_flight(5), at_s(0));
    (0..5).for_each(|_| pool.debit(Tokens(1), at_s(0)));
    pool.change_policy(Policy::while_in_flight(2), at_s(0));
    assert_eq!(pool.available(at_s(0)), -3);
    (0..3).for_each(|_| pool.release(Tokens(1)));
    assert!(!pool.can_pay(Tokens(1), NONE, at_s(0)));
    pool.release(Tokens(1));
    assert!(pool.can_pay(Tokens(1), NONE, at_s(0)));
}

#[test]
fn a_switch_counts_what_is_in_flight() {
    let mut pool = Pool::new(per_s(10, 10), at_s(0));
    pool.debit(Tokens(6), at_s(0));
    pool.change_policy(Policy::while_in_flight(10), at_s(10));
    assert_eq!(pool.available(at_s(10)), 4);
    assert_eq!(pool.record(BudgetId(1)).level, 0);
    pool.change_policy(per_s(8, 8), at_s(20));
    assert_eq!(pool.available(at_s(20)), 2);
    assert_eq!(pool.next_token_time(at_s(20)), Some(at_s(21)));
    pool.change_policy(Policy::while_in_flight(10), at_s(20));
    pool.change_policy(per_s(5, 5), at_s(20));
    assert_eq!((pool.available(at_s(20)), pool.in_flight_cost()), (0, 6));
}

#[test]
fn a_restart_keeps_the_level_and_forgives_a_future_clock() {
    let mut pool = empty(per_s(10, 10));
    pool.block(Some(Nanos::from_secs(7)), at_s(0));
    let record = pool.record(BudgetId(3));
    let mut again = Pool::restore(*pool.policy(), &record, at_s(4));
    assert_eq!(again, pool);
    again.hold(Tokens(2));
    assert_eq!((again.available(at_s(4)), again.in_flight_cost(), again.in_flight_jobs()), (4, 2, 1));
    // What was left of a block that a clock far ahead has set is left still.
    let ahead = PoolRecord { at: at_s(1_000_000), blocked_until: Some(at_s(1_000_003)), ..record };
    assert_eq!(Pool::restore(*pool.policy(), &ahead, at_s(4)).blocked_until(at_s(4)), Some(at_s(7)));
    let poisoned = PoolRecord { at: at_s(1_000_000), blocked_until: None, ..record };
    let healed = Pool::restore(*pool.policy(), &poisoned, at_s(4));
    assert_eq!((healed.available(at_s(4)), healed.available(at_s(5))), (0, 1));
}

#[test]
fn time_never_goes_back() {
    let mut pool = empty(per_s(10, 10));
    pool.debit(Tokens(5), at_s(5));
    assert_eq!(pool.available(at_s(2)), 0);
    assert_eq!(pool.affordable_at(NONE, at_s(2)), Some(at_s(5)));
    overrun(&mut pool, 1, at_s(2));
    assert_eq!((pool.available(at_s(5)), pool.available(at_s(6))), (-1, 0));
}

#[test]
fn the_widest_policy_saturates_and_never_overflows() {
    let year = Nanos::from_days(366);
    let mut slow = empty(Policy::time_based(1, year, Some(Tokens::MAX)));
    assert_eq!(slow.affordable_at(Tokens::MAX, at_s(0)), Some(Timestamp::MAX));
    slow.level = i128::MIN;
    slow = Pool::restore(*slow.policy(), &slow.record(BudgetId(0)), Timestamp(i64::MIN));
    overrun(&mut slow, Tokens::MAX.0, Timestamp(i64::MIN));
    assert_eq!(slow.available(Timestamp(i64::MIN)), -DEBT_MAX);
    assert_eq!(slow.next_token_time(at_s(0)), Some(Timestamp::MAX));
    let fast = Policy::time_based(Tokens::MAX.0, year, None);
    slow.change_policy(Policy { allocation: Tokens(1), ..fast }, Timestamp(i64::MIN));
    assert_eq!(slow.available(Timestamp(i64::MIN)), -DEBT_MAX);
    slow.change_policy(fast, Timestamp::MAX);
    slow.set_level(Tokens::MAX, Timestamp::MAX);
    assert!(is_full(&slow, Timestamp::MAX));
    assert_eq!(Pool::new(fast, Timestamp(i64::MIN)).available(Timestamp::MAX), 1_000_000_000_000);
}

/// A pool stepped one nanosecond at a time: whole tokens, and parts of one in `duration`ths.
struct Naive {
    allocation: u64,
    duration: u64,
    capacity: i128,
    tokens: i128,
    parts: u64,
}

impl Naive {
    fn step(&mut self) {
        self.parts += self.allocation;
        self.tokens += i128::from(self.parts / self.duration);
        self.parts %= self.duration;
        self.cap();
    }

    fn cap(&mut self) {
        if self.tokens >= self.capacity {
            (self.tokens, self.parts) = (self.capacity, 0);
        }
    }
}

proptest! {
    #[test]
    fn level_equals_a_pool_stepped_by_the_nanosecond(
        allocation in 1..20_u64,
        duration in 1..50_u64,
        burst in 1..30_u64,
        steps in prop::collection::vec((0..40_u64, 0..4, 0..30_u64), 0..40),
    ) {
        let policy = Policy::time_based(allocation, Nanos(duration), Some(Tokens(burst)));
        let mut now = Timestamp(0);
        let mut pool = Pool::new(policy, now);
        let capacity = i128::from(burst);
        let mut naive = Naive { allocation, duration, capacity, tokens: capacity, parts: 0 };
        for (wait, action, tokens) in steps {
            now = now + Nanos(wait);
            (0..wait).for_each(|_| naive.step());
            match action {
                0 if naive.tokens >= i128::from(tokens) => {
                    pool.debit(Tokens(tokens), now);
                    naive.tokens -= i128::from(tokens);
                }
                1 => {
                    pool.settle_use(LeaseId(0), Tokens(tokens), NONE, now);
                }
                2 => {
                    overrun(&mut pool, tokens, now);
                    naive.tokens -= i128::from(tokens);
                }
                _ => prop_assert_eq!(
                    pool.can_pay(Tokens(tokens), NONE, now),
                    naive.tokens >= i128::from(tokens)
                ),
            }
            naive.cap();
            prop_assert_eq!(pool.available(now), naive.tokens);
            let (level, _) = pool.funds(now);
            prop_assert_eq!(level, naive.tokens * i128::from(duration) + i128::from(naive.parts));
        }
    }

    #[test]
    fn affordable_at_is_the_first_instant_that_pays(
        allocation in 1..=Tokens::MAX.0,
        duration in Nanos::from_millis(1).0..=Nanos::from_days(366).0,
        capacity in 1..=Tokens::MAX.0,
        share in 0..=1000_u64,
        level_share in -1000..=1000_i128,
        now in 0..i64::MAX / 4,
        block in proptest::option::of(0..u64::MAX / 8),
    ) {
        let policy = Policy::time_based(allocation, Nanos(duration), Some(Tokens(capacity)));
        let mut pool = Pool::new(policy, Timestamp(0));
        pool.level = i128::from(capacity) * i128::from(duration) / 1000 * level_share;
        block.into_iter().for_each(|until| pool.block(Some(Nanos(until)), Timestamp(0)));
        let now = Timestamp(now);
        let cost = Tokens(capacity - capacity / 1000 * share);
        let due = pool.affordable_at(cost, now);
        prop_assert!(due >= Some(now));
        let due = due.expect("the cost fits the capacity");
        if due < Timestamp::MAX {
            prop_assert!(pool.can_pay(cost, NONE, due));
        }
        if due > now {
            prop_assert!(!pool.can_pay(cost, NONE, due - TICK));
        }
    }

    #[test]
    fn a_carried_level_keeps_its_tokens(
        level in -(1_i128 << 90)..1_i128 << 90,
        old in Nanos::from_millis(1).0..=Nanos::from_days(366).0,
        new in Nanos::from_millis(1).0..=Nanos::from_days(366).0,
    ) {
        let drip = |ns| Drip::of(&Policy::time_based(1, Nanos(ns), None)).expect("time_based");
        let (old, new) = (drip(old), drip(new));
        let carried = carry(level, old, new);
        prop_assert_eq!(carried.div_euclid(new.duration), level.div_euclid(old.duration));
        // Rounded down, by less than one of the new units.
        let exact = level.rem_euclid(old.duration) * new.duration;
        let lost = exact - carried.rem_euclid(new.duration) * old.duration;
        prop_assert!((0..old.duration).contains(&lost));
    }
}
