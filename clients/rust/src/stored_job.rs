//! Jobs as the server has them: spec, life and lease. Owns the mapping from the wire and the names of the states.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::binding::Binding;
use crate::convert::{duration_from_wire, saturate_u16, time_from_wire};
use crate::error::Result;
use crate::job::{Backoff, Payload, Retention, Unique};
use crate::wire;

/// Where a job is in its life (semantics 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JobState {
    /// Waits for its run time, its backoff, or the delay of a release.
    Scheduled,
    /// Waits for a worker and for its budgets; parked jobs are ready.
    Ready,
    /// A lease on it is live.
    InFlight,
    /// Succeeded.
    Completed,
    /// Out of attempts, or discarded by its worker.
    Dead,
    /// Ended by a cancellation.
    Cancelled,
    /// A state that this client doesn't know, by its number.
    Unknown(i32),
}

impl JobState {
    /// The states of this contract, in the order of a life.
    pub const ALL: [JobState; 6] = [
        JobState::Scheduled,
        JobState::Ready,
        JobState::InFlight,
        JobState::Completed,
        JobState::Dead,
        JobState::Cancelled,
    ];

    /// Whether the job is over.
    pub fn is_terminal(self) -> bool {
        matches!(self, JobState::Completed | JobState::Dead | JobState::Cancelled)
    }

    pub(crate) fn to_wire(self) -> i32 {
        match self {
            JobState::Scheduled => wire::JobState::Scheduled.into(),
            JobState::Ready => wire::JobState::Ready.into(),
            JobState::InFlight => wire::JobState::InFlight.into(),
            JobState::Completed => wire::JobState::Completed.into(),
            JobState::Dead => wire::JobState::Dead.into(),
            JobState::Cancelled => wire::JobState::Cancelled.into(),
            JobState::Unknown(number) => number,
        }
    }

    pub(crate) fn from_wire(number: i32) -> Self {
        match wire::JobState::try_from(number) {
            Ok(wire::JobState::Scheduled) => JobState::Scheduled,
            Ok(wire::JobState::Ready) => JobState::Ready,
            Ok(wire::JobState::InFlight) => JobState::InFlight,
            Ok(wire::JobState::Completed) => JobState::Completed,
            Ok(wire::JobState::Dead) => JobState::Dead,
            Ok(wire::JobState::Cancelled) => JobState::Cancelled,
            Ok(wire::JobState::Unspecified) | Err(_) => JobState::Unknown(number),
        }
    }

    /// From a status' metadata, where it may stand with the enum's prefix and in capitals.
    pub(crate) fn from_fact(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        name.trim_start_matches("job_state_").parse().unwrap_or(JobState::Unknown(0))
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            JobState::Scheduled => "scheduled",
            JobState::Ready => "ready",
            JobState::InFlight => "in_flight",
            JobState::Completed => "completed",
            JobState::Dead => "dead",
            JobState::Cancelled => "cancelled",
            JobState::Unknown(_) => "unknown",
        })
    }
}

impl FromStr for JobState {
    type Err = UnknownState;

    fn from_str(name: &str) -> std::result::Result<Self, UnknownState> {
        JobState::ALL.into_iter().find(|state| state.to_string() == name).ok_or_else(|| UnknownState(name.to_owned()))
    }
}

/// A name that no state has.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no state: scheduled, ready, in_flight, completed, dead or cancelled")]
pub struct UnknownState(String);

/// How much of a job is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobView {
    /// Without payload, metadata, errors and result.
    #[default]
    Basic,
    /// All of it.
    Full,
}

impl JobView {
    pub(crate) fn to_wire(self) -> wire::JobView {
        match self {
            JobView::Basic => wire::JobView::Basic,
            JobView::Full => wire::JobView::Full,
        }
    }
}

/// A job as the server has it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredJob {
    /// Opaque. Ids sort, as bytes, in the order of enqueue.
    pub id: String,
    /// Its queue.
    pub queue: String,
    /// Tells handlers apart; may be empty.
    pub job_type: String,
    /// The handler's input. Full view only.
    pub payload: Payload,
    /// 0 is the most urgent.
    pub priority: u16,
    /// What its dispatch debits.
    pub bindings: Vec<Binding>,
    /// Failed attempts after which it is dead.
    pub max_attempts: u32,
    /// The delay before a retry.
    pub backoff: Backoff,
    /// How long it is kept once it is over.
    pub retention: Retention,
    /// The longest one attempt may take.
    pub timeout: Option<Duration>,
    /// The key that it was enqueued with.
    pub unique: Option<Unique>,
    /// Free pairs that travel with it. Full view only.
    pub metadata: BTreeMap<String, String>,
    /// Where it is in its life.
    pub state: JobState,
    /// Attempts used up, the one in flight not counted.
    pub attempts: u32,
    /// When it was enqueued.
    pub create_time: Option<SystemTime>,
    /// When it became ready, or will.
    pub ready_time: Option<SystemTime>,
    /// When it was over.
    pub finish_time: Option<SystemTime>,
    /// When it will be removed.
    pub remove_time: Option<SystemTime>,
    /// Not dispatched before, since a release said so.
    pub delayed_until: Option<SystemTime>,
    /// The live lease, of a job in flight.
    pub lease: Option<Lease>,
    /// The last 10 failed attempts, oldest first. Full view only.
    pub errors: Vec<AttemptError>,
    /// What the worker returned with success. Full view only.
    pub result: Bytes,
    /// Bytes of payload and metadata together, in every view.
    pub body_bytes: u64,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptError {
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When it ended.
    pub time: Option<SystemTime>,
    /// What the worker said, or the server.
    pub message: String,
}

/// A worker's exclusive, expiring hold on one attempt of one job (semantics 5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// Opaque, never used twice: the fencing token.
    pub id: String,
    /// The job; empty in what a worker gets.
    pub job_id: String,
    /// The worker it was granted to; empty in what a worker gets.
    pub worker_id: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When the job was dispatched and its budgets debited.
    pub dispatch_time: Option<SystemTime>,
    /// When the lease ends unless it is extended, by the server's clock.
    pub expire_time: Option<SystemTime>,
    /// What the grant and each extension is worth, from then.
    pub duration: Duration,
    /// Whether the job was cancelled meanwhile.
    pub cancel_requested: bool,
}

impl StoredJob {
    /// Reads the payload as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_slice(self.payload.as_bytes())?)
    }

    /// Of a job that was removed meanwhile the server may know the id alone (`EnqueueResponse.job`).
    pub(crate) fn from_wire(job: wire::Job) -> Self {
        let spec = job.spec.unwrap_or_default();
        Self {
            id: job.id,
            queue: spec.queue,
            job_type: spec.r#type,
            payload: Payload::from_wire(spec.payload),
            priority: spec.priority.map_or(DEFAULT_PRIORITY, saturate_u16),
            bindings: spec.bindings.into_iter().map(Binding::from_wire).collect(),
            max_attempts: spec.max_attempts.unwrap_or_default(),
            backoff: spec.backoff.map(Backoff::from_wire).unwrap_or_default(),
            retention: spec.retention.map(Retention::from_wire).unwrap_or_default(),
            timeout: spec.timeout.map(duration_from_wire),
            unique: spec.unique.map(Unique::from_wire),
            metadata: spec.metadata.into_iter().collect(),
            state: JobState::from_wire(job.state),
            attempts: job.attempts,
            create_time: time_from_wire(job.create_time),
            ready_time: time_from_wire(job.ready_time),
            finish_time: time_from_wire(job.finish_time),
            remove_time: time_from_wire(job.remove_time),
            delayed_until: time_from_wire(job.delayed_until),
            lease: job.lease.map(Lease::from_wire),
            errors: job.errors.into_iter().map(AttemptError::from_wire).collect(),
            result: job.result,
            body_bytes: job.body_bytes,
        }
    }
}

/// What the contract says of an unset priority.
const DEFAULT_PRIORITY: u16 = 32_768;

impl AttemptError {
    fn from_wire(error: wire::AttemptError) -> Self {
        Self { attempt: error.attempt, time: time_from_wire(error.time), message: error.message }
    }
}

impl Lease {
    pub(crate) fn from_wire(lease: wire::Lease) -> Self {
        Self {
            id: lease.id,
            job_id: lease.job_id,
            worker_id: lease.worker_id,
            attempt: lease.attempt,
            dispatch_time: time_from_wire(lease.dispatch_time),
            expire_time: time_from_wire(lease.expire_time),
            duration: lease.duration.map(duration_from_wire).unwrap_or_default(),
            cancel_requested: lease.cancel_requested,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_survive_the_round_trip_and_have_names() {
        for state in JobState::ALL {
            assert_eq!(JobState::from_wire(state.to_wire()), state);
            assert_eq!(state.to_string().parse::<JobState>().expect("its own name"), state);
            let fact = format!("JOB_STATE_{}", state.to_string().to_uppercase());
            assert_eq!(JobState::from_fact(&fact), state);
            assert_eq!(JobState::from_fact(&state.to_string()), state);
        }
        assert!("parked".parse::<JobState>().is_err());
    }

    #[test]
    fn a_state_of_a_newer_server_is_no_error() {
        let job = StoredJob::from_wire(wire::Job { state: 99, ..Default::default() });
        assert_eq!(job.state, JobState::Unknown(99));
        assert_eq!(job.state.to_wire(), 99);
        assert_eq!(job.state.to_string(), "unknown");
        assert!(!job.state.is_terminal());
    }

    #[test]
    fn a_removed_job_is_its_id_alone() {
        let job = StoredJob::from_wire(wire::Job { id: "j".into(), ..Default::default() });
        assert_eq!((job.id.as_str(), job.queue.as_str(), job.state), ("j", "", JobState::Unknown(0)));
    }

    #[test]
    fn the_payload_reads_as_json() {
        let spec = wire::JobSpec { payload: Some(wire::job_spec::Payload::Json("[1,2]".into())), ..Default::default() };
        let job = StoredJob::from_wire(wire::Job { spec: Some(spec), ..Default::default() });
        assert_eq!(job.json::<Vec<u8>>().expect("numbers"), [1, 2]);
    }
}
