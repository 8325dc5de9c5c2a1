//! When a worker last had a place left for a job, by the job's rank (semantics 4.4).
//!
//! Owns the instants, one for each stretch of ranks: a place that is left for a job is left for all more urgent ones.
//! Refuses to know workers and queues: it is told when a place was there, and up to which rank.

use super::job::Rank;
use super::units::{Nanos, Timestamp};

/// How long a job without a place stays protected.
pub const PLACE_MISSED_MAX: Nanos = Nanos::from_secs(60);

/// The last places of one gate, for the time in which no worker has room.
///
/// The ranks that were reached fall as the instants rise: what reaches further, and later, replaces what is there.
#[derive(Debug, Default)]
pub struct Places(Vec<(Reach, Timestamp)>);

/// For whom a place was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// For this rank and all more urgent ones.
    UpTo(Rank),
    /// For everybody.
    All,
}

impl Places {
    /// Where ranks of falling urgency took the last place by turns more often than this within a minute, some count as
    /// without a place a little early.
    const STEPS_MAX: usize = 32;

    /// A place was left until now.
    pub fn note(&mut self, reach: Reach, now: Timestamp) {
        while self.0.last().is_some_and(|(before, _)| *before <= reach) {
            self.0.pop();
        }
        if self.0.len() == Self::STEPS_MAX {
            self.0.remove(1);
        }
        self.0.push((reach, now));
    }

    /// Whether a place was left for this rank within the last minute.
    pub fn had(&self, rank: Rank, now: Timestamp) -> bool {
        let last = self.0.iter().rev().find(|(reach, _)| *reach >= Reach::UpTo(rank));
        last.is_some_and(|(_, at)| *at + PLACE_MISSED_MAX > now)
    }

    /// When the answer next changes for somebody, by the clock alone.
    pub fn next_missed(&self, now: Timestamp) -> Option<Timestamp> {
        self.0.iter().map(|(_, at)| *at + PLACE_MISSED_MAX).find(|at| *at > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::JobId;

    fn rank(job: u64) -> Rank {
        Rank { priority: 1, ready_at: Timestamp(0), job: JobId(job) }
    }

    fn second(s: u64) -> Timestamp {
        Timestamp(0) + Nanos::from_secs(s)
    }

    #[test]
    fn a_place_counts_for_a_minute_and_for_all_that_are_more_urgent() {
        let mut places = Places::default();
        assert!(!places.had(rank(1), second(0)), "there was none yet");
        places.note(Reach::All, second(0));
        places.note(Reach::UpTo(rank(5)), second(10));
        places.note(Reach::UpTo(rank(3)), second(20));
        let last = |job, s: u64| places.had(rank(job), Timestamp(second(s).0 - 1)) && !places.had(rank(job), second(s));
        assert!(last(3, 80) && last(4, 70) && last(5, 70) && last(6, 60), "{places:?}");
        assert_eq!(places.next_missed(second(60)), Some(second(70)));
        places.note(Reach::UpTo(rank(4)), second(30));
        assert!(places.had(rank(4), second(89)) && !places.had(rank(5), second(70)), "{places:?}");
        assert_eq!((places.next_missed(second(70)), places.next_missed(second(90))), (Some(second(90)), None));
    }

    #[test]
    fn more_steps_than_fit_cost_precision_and_nothing_else() {
        let mut places = Places::default();
        places.note(Reach::All, second(0));
        for step in 0..100 {
            places.note(Reach::UpTo(rank(1000 - step)), second(0) + Nanos(step));
        }
        assert_eq!(places.0.len(), Places::STEPS_MAX);
        assert!(places.had(rank(5000), second(59)) && places.had(rank(901), second(60)), "{places:?}");
    }
}
