//! The jobs by id, each with what it shares with others, and the unique keys they hold.

use std::collections::BTreeSet;

use super::intern::Interner;
use super::job::{End, JobOptions, JobState, Name, Phase, ReadyBy, Unique, UniqueScope};
use super::slots::IdMap;
use super::units::{JobId, LaneId, LeaseId, Timestamp};

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waits for `run_at`.
    Scheduled,
    /// Waits for a worker and for its budgets.
    Ready,
    /// Under this lease.
    InFlight(LeaseId),
    /// Over since then.
    Over(End, Timestamp),
}

impl State {
    /// The state as it is shown.
    pub fn shown(self) -> JobState {
        match self {
            Self::Scheduled => JobState::Scheduled,
            Self::Ready => JobState::Ready,
            Self::InFlight(_) => JobState::InFlight,
            Self::Over(End::Completed, _) => JobState::Completed,
            Self::Over(End::Dead, _) => JobState::Dead,
            Self::Over(End::Cancelled, _) => JobState::Cancelled,
        }
    }

    /// Whether nothing further happens to the job but its removal, or a retry.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Over(..))
    }

    /// The state as it is stored.
    pub fn phase(self) -> Phase {
        match self {
            Self::Over(end, at) => Phase::Over(end, at),
            _ => Phase::Live,
        }
    }
}

/// The number of a [`Common`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonId(u32);

/// What a job has in common with many others, also of other lanes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Common {
    /// Its type.
    pub kind: Name,
    /// Attempts, backoff, retention, timeout.
    pub options: JobOptions,
}

/// One job in memory; the rest of its record is its lane's. There are millions of them: each byte counts.
#[derive(Debug)]
pub struct Job {
    /// Queue, size class, priority and bindings.
    pub lane: LaneId,
    /// Type and options.
    pub common: CommonId,
    /// Its unique key.
    pub unique: Option<Box<Unique>>,
    /// When it was enqueued.
    pub create_time: Timestamp,
    /// The second part of its rank.
    pub ready_at: Timestamp,
    /// What has set it.
    pub ready_by: ReadyBy,
    /// Scheduled until then.
    pub run_at: Timestamp,
    /// Attempts used up.
    pub attempts: u32,
    /// Releases in a row that reported no throttling.
    pub releases: u8,
    /// Pushes that were never confirmed.
    pub unconfirmed: u8,
    /// Failures it ever had.
    pub failures: u32,
    /// Bytes of payload and metadata.
    pub body_bytes: u32,
    /// Where it is: see [`Job::state`].
    pub state: PackedState,
}

/// A [`State`] that needs no room for alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedState {
    shown: JobState,
    /// Its lease, or since when it is over.
    of: [u8; 8],
}

impl From<State> for PackedState {
    fn from(state: State) -> Self {
        let of = match state {
            State::Scheduled | State::Ready => [0; 8],
            State::InFlight(LeaseId(lease)) => lease.to_ne_bytes(),
            State::Over(_, Timestamp(at)) => at.to_ne_bytes(),
        };
        Self { shown: state.shown(), of }
    }
}

impl From<PackedState> for State {
    fn from(PackedState { shown, of }: PackedState) -> Self {
        let over = |end| Self::Over(end, Timestamp(i64::from_ne_bytes(of)));
        match shown {
            JobState::Scheduled => Self::Scheduled,
            JobState::Ready => Self::Ready,
            JobState::InFlight => Self::InFlight(LeaseId(u64::from_ne_bytes(of))),
            JobState::Completed => over(End::Completed),
            JobState::Dead => over(End::Dead),
            JobState::Cancelled => over(End::Cancelled),
        }
    }
}

impl Job {
    /// Where it is.
    pub fn state(&self) -> State {
        self.state.into()
    }

    /// It is somewhere else now.
    pub fn set_state(&mut self, state: State) {
        self.state = state.into();
    }

    /// Whether a release has put off its next dispatch.
    pub fn is_delayed(&self) -> bool {
        self.state() == State::Scheduled && self.run_at > self.ready_at
    }

    /// Whether it waits for its backoff, and not for a time that its caller chose, or as long as a release said.
    pub fn waits_for_backoff(&self) -> bool {
        self.state() == State::Scheduled && self.ready_by == ReadyBy::Backoff && !self.is_delayed()
    }

    /// The key it holds in its present state.
    pub fn unique_held(&self) -> Option<&Name> {
        let unique = self.unique.as_deref()?;
        let holds = match unique.scope {
            UniqueScope::Queued => matches!(self.state(), State::Scheduled | State::Ready),
            UniqueScope::Unfinished => !matches!(self.state(), State::Over(..)),
            UniqueScope::Retained => true,
        };
        holds.then_some(&unique.key)
    }
}

/// All jobs.
#[derive(Debug, Default)]
pub struct Jobs {
    rows: IdMap<Job>,
    commons: Interner<Common>,
    /// The unique keys and all jobs in whose scope they are; the first of a key's holds it.
    uniques: BTreeSet<(Name, JobId)>,
}

impl Jobs {
    /// The number of a type and options, for a job that is to be inserted.
    pub fn share(&mut self, common: Common) -> CommonId {
        CommonId(self.commons.share(common))
    }

    /// The type and options of jobs.
    pub fn common(&self, CommonId(number): CommonId) -> &Common {
        self.commons.get(number)
    }

    /// The options of a job that exists.
    pub fn options(&self, id: JobId) -> &JobOptions {
        &self.common(self.get(id).common).options
    }

    /// Adds a job.
    pub fn insert(&mut self, id: JobId, job: Job) {
        self.rows.insert(id.0, job);
    }

    /// Forgets a job, and what it alone shared.
    pub fn remove(&mut self, id: JobId) {
        let job = self.rows.remove(id.0).expect("a job that exists");
        self.commons.release(job.common.0);
    }

    /// Gives a job another type, or other options.
    pub fn reshare(&mut self, id: JobId, common: Common) {
        let job = self.rows.get_mut(id.0).expect("a job that exists");
        let before = std::mem::replace(&mut job.common, CommonId(self.commons.share(common)));
        self.commons.release(before.0);
    }

    /// A job, if it exists.
    pub fn find(&self, id: JobId) -> Option<&Job> {
        self.rows.get(id.0)
    }

    /// A job that exists.
    pub fn get(&self, id: JobId) -> &Job {
        self.rows.get(id.0).expect("lanes and leases refer to jobs that exist")
    }

    /// A job that exists.
    pub fn get_mut(&mut self, id: JobId) -> &mut Job {
        self.rows.get_mut(id.0).expect("lanes and leases refer to jobs that exist")
    }

    /// When the clock alone changes the state of a job that exists.
    pub fn due(&self, id: JobId) -> Option<Timestamp> {
        let job = self.get(id);
        match job.state() {
            State::Scheduled => Some(job.run_at),
            State::Over(end, at) => Some(at + self.common(job.common).options.retention.after(end)),
            State::Ready | State::InFlight(_) => None,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Jobs above `after`, in id order.
    pub fn after(&self, after: Option<JobId>) -> impl Iterator<Item = (JobId, &Job)> {
        let from = after.map_or(0, |JobId(id)| id.saturating_add(1));
        self.rows.from(from).map(|(id, job)| (JobId(id), job))
    }

    /// The job that holds a unique key: the oldest in whose scope it is, so that a restart changes nothing in it.
    pub fn holder(&self, key: &Name) -> Option<JobId> {
        let (held, holder) = self.uniques.range((Name::clone(key), JobId(0))..).next()?;
        (held == key).then_some(*holder)
    }

    /// The job takes its unique key if its state says so.
    pub fn hold_unique(&mut self, id: JobId) {
        if let Some(key) = self.get(id).unique_held().cloned() {
            self.uniques.insert((key, id));
        }
    }

    /// The job lets go of its unique key.
    pub fn release_unique(&mut self, id: JobId) {
        let Some(key) = self.get(id).unique.as_deref().map(|unique| Name::clone(&unique.key)) else { return };
        self.uniques.remove(&(key, id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_into_one_cache_line() {
        assert_eq!(size_of::<Option<Job>>(), 64);
    }

    #[test]
    fn a_packed_state_is_the_same_state() {
        let over = [End::Completed, End::Dead, End::Cancelled].map(|end| State::Over(end, Timestamp(-7)));
        let live = [State::Scheduled, State::Ready, State::InFlight(LeaseId(u64::MAX))];
        for state in live.into_iter().chain(over) {
            assert_eq!(State::from(PackedState::from(state)), state);
        }
    }
}
