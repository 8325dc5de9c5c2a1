//! Which jobs of a lane were passed over on one budget, and since when (semantics 4.4).
//!
//! Owns the marks of one lane on one budget as runs of neighbours that were marked at one instant: a debit passes over
//! all that wait before it at once. Refuses to know what a mark means, when it counts, and who made it.

use super::sorted::Sorted;
use super::units::{JobId, Timestamp};

/// A job's place in its lane: the parts of its rank in which jobs of one lane differ.
pub type Spot = (Timestamp, JobId);

/// Jobs from one spot up to another, exclusive, that were passed over at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    from: Spot,
    to: Spot,
    at: Timestamp,
}

/// The marked jobs among the ready ones of a lane, which each call is given.
///
/// A job that comes into the lane unmarked must be told by [`Passed::clear`], as its spot may lie within a run. At most
/// [`Passed::RUNS_MAX`] runs are kept: what would need more is marked by a later debit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed(Vec<Run>);

impl Passed {
    /// Enough for a lane whose jobs came and were passed over by turns so often.
    pub const RUNS_MAX: usize = 64;

    /// When a job was passed over.
    pub fn at(&self, spot: Spot) -> Option<Timestamp> {
        let run = self.0[..self.0.partition_point(|run| run.from <= spot)].last()?;
        (spot < run.to).then_some(run.at)
    }

    /// Marks every job below `before` that isn't marked.
    pub fn mark(&mut self, ready: &Sorted<Spot>, before: Option<Spot>, at: Timestamp) {
        let mut from = ready.first();
        let mut next = 0;
        while let Some(start) = from.filter(|start| before.is_none_or(|before| *start < before)) {
            next += self.0[next..].partition_point(|run| run.to <= start);
            let run = self.0.get(next).copied();
            if let Some(run) = run.filter(|run| run.from <= start) {
                from = ready.from(run.to).next();
                continue;
            }
            let end = [run.map(|run| run.from), before].into_iter().flatten().min();
            let last =
                end.map_or_else(|| ready.last(), |end| ready.last_below(end)).expect("the gap starts with a job");
            if !self.insert(next, Run { from: start, to: after(last), at }) {
                return;
            }
            from = ready.from(after(last)).next();
        }
    }

    /// Marks one job that isn't marked, as passed over at `at`.
    pub fn set(&mut self, ready: &Sorted<Spot>, spot: Spot, at: Timestamp) {
        let next = self.0.partition_point(|run| run.from <= spot);
        if let Some(before) = self.0[..next].last_mut()
            && before.at == at
            && first_in(ready, before.to, spot).is_none()
        {
            before.to = after(spot);
            return;
        }
        self.insert(next, Run { from: spot, to: after(spot), at });
    }

    /// A job has come that isn't marked.
    pub fn clear(&mut self, ready: &Sorted<Spot>, spot: Spot) {
        let next = self.0.partition_point(|run| run.from <= spot);
        let Some(index) = next.checked_sub(1).filter(|index| spot < self.0[*index].to) else { return };
        let Run { from, to, at } = self.0.remove(index);
        for part in [Run { from: after(spot), to, at }, Run { from, to: spot, at }] {
            if first_in(ready, part.from, part.to).is_some() {
                self.insert(index, part);
            }
        }
    }

    /// Forgets the marks of jobs before the first.
    pub fn trim(&mut self, first: Option<Spot>) {
        let gone = first.map_or(self.0.len(), |first| self.0.partition_point(|run| run.to <= first));
        self.0.drain(..gone);
    }

    /// The first job that isn't marked.
    pub fn first_unmarked(&self, ready: &Sorted<Spot>) -> Option<Spot> {
        let mut first = ready.first()?;
        for run in &self.0[self.0.partition_point(|run| run.to <= first)..] {
            if first < run.from {
                break;
            }
            first = ready.from(run.to).next()?;
        }
        Some(first)
    }

    /// The first job that was passed over not later than `latest`.
    pub fn first_since(&self, ready: &Sorted<Spot>, latest: Timestamp) -> Option<Spot> {
        let mut runs = self.0.iter().filter(|run| run.at <= latest);
        runs.find_map(|run| first_in(ready, run.from, run.to))
    }

    /// The earliest mark that is later than `latest`.
    pub fn next_after(&self, latest: Timestamp) -> Option<Timestamp> {
        self.0.iter().map(|run| run.at).filter(|at| *at > latest).min()
    }

    /// Whether nobody is marked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn insert(&mut self, index: usize, run: Run) -> bool {
        let has_room = self.0.len() < Self::RUNS_MAX;
        if has_room {
            self.0.insert(index, run);
        }
        has_room
    }
}

/// The spot next to this one.
fn after((ready_at, JobId(job)): Spot) -> Spot {
    (ready_at, JobId(job.saturating_add(1)))
}

/// The first ready job from one spot up to another, exclusive.
fn first_in(ready: &Sorted<Spot>, from: Spot, to: Spot) -> Option<Spot> {
    ready.from(from).next().filter(|spot| *spot < to)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn spot(job: u64) -> Spot {
        (Timestamp(7), JobId(job))
    }

    /// One step of a lane's life.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// A job comes, unmarked.
        Come(u64),
        /// It goes, by a dispatch.
        Go(u64),
        /// A debit passes over all below.
        Pass(u64),
        /// A job comes with a mark.
        Carry(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        (0..4, 0..24_u64).prop_map(|(kind, job)| match kind {
            0 => Step::Come(job),
            1 => Step::Go(job),
            2 => Step::Pass(job),
            _ => Step::Carry(job),
        })
    }

    proptest! {
        #[test]
        fn the_runs_say_what_a_mark_for_each_job_says(steps in prop::collection::vec(step(), 0..60)) {
            let (mut passed, mut ready) = (Passed::default(), Sorted::default());
            let mut naive: BTreeMap<Spot, Timestamp> = BTreeMap::new();
            for (now, step) in (0..).map(|at| Timestamp(at / 2)).zip(steps) {
                match step {
                    Step::Come(job) | Step::Carry(job) if !ready.contains(spot(job)) => {
                        ready.insert(spot(job));
                        passed.clear(&ready, spot(job));
                        if matches!(step, Step::Carry(_)) {
                            passed.set(&ready, spot(job), now - crate::scheduler::units::Nanos(3));
                            naive.insert(spot(job), now - crate::scheduler::units::Nanos(3));
                        }
                    }
                    Step::Come(_) | Step::Carry(_) => {}
                    Step::Go(job) => {
                        ready.remove(spot(job));
                        naive.remove(&spot(job));
                        passed.trim(ready.first());
                    }
                    Step::Pass(before) => {
                        passed.mark(&ready, Some(spot(before)), now);
                        for job in ready.iter().filter(|job| *job < spot(before)) {
                            naive.entry(job).or_insert(now);
                        }
                    }
                }
                for job in ready.iter() {
                    prop_assert_eq!(passed.at(job), naive.get(&job).copied());
                }
                prop_assert_eq!(passed.first_unmarked(&ready), ready.iter().find(|job| !naive.contains_key(job)));
                for latest in 0..=now.0 {
                    let latest = Timestamp(latest);
                    let first = naive.iter().find(|(_, at)| **at <= latest).map(|(job, _)| *job);
                    prop_assert_eq!(passed.first_since(&ready, latest), first);
                    let next = naive.values().filter(|at| **at > latest).min();
                    // A run whose jobs have gone may be counted still.
                    prop_assert!(passed.next_after(latest) <= next.copied() || next.is_none());
                }
            }
        }
    }

    #[test]
    fn more_runs_than_fit_are_left_for_later() {
        let mut ready = Sorted::default();
        ready.extend((0..200).map(spot));
        let mut passed = Passed::default();
        for job in 1..100 {
            passed.mark(&ready, Some(spot(job)), Timestamp(job as i64));
        }
        assert_eq!((passed.at(spot(63)), passed.at(spot(64))), (Some(Timestamp(64)), None));
        passed.trim(Some(spot(10)));
        passed.mark(&ready, None, Timestamp(500));
        assert_eq!((passed.at(spot(64)), passed.at(spot(199))), (Some(Timestamp(500)), Some(Timestamp(500))));
    }
}
