//! Leases: what was dispatched, and asking for it without a stream (semantics 5).

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use crate::binding::Binding;
use crate::convert::{duration_from_wire, duration_to_wire, required, saturate_u16, time_from_wire};
use crate::error::Result;
use crate::job::Payload;
use crate::wire;

/// A dispatched job, as a worker gets it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeasedJob {
    /// The job's id.
    pub id: String,
    /// The lease: whoever knows it may settle and extend it.
    pub lease_id: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// What the grant and each extension is worth, from then.
    pub lease_duration: Duration,
    /// When it was dispatched, by the server's clock.
    pub dispatch_time: Option<SystemTime>,
    /// When the lease ends unless it is extended, by the server's clock.
    pub expire_time: Option<SystemTime>,
    /// Whether the job was cancelled meanwhile.
    pub cancel_requested: bool,
    /// Its queue.
    pub queue: String,
    /// Tells handlers apart; may be empty.
    pub job_type: String,
    /// The handler's input.
    pub payload: Payload,
    /// 0 is the most urgent.
    pub priority: u16,
    /// What its dispatch debited.
    pub bindings: Vec<Binding>,
    /// Failed attempts after which it is dead.
    pub max_attempts: u32,
    /// The longest this attempt may take.
    pub timeout: Option<Duration>,
    /// Free pairs that travel with it.
    pub metadata: BTreeMap<String, String>,
    /// Attempts used up before this one.
    pub attempts: u32,
    /// When it was enqueued.
    pub create_time: Option<SystemTime>,
    /// When it became ready.
    pub ready_time: Option<SystemTime>,
}

impl LeasedJob {
    /// Reads the payload as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_slice(self.payload.as_bytes())?)
    }

    pub(crate) fn from_wire(leased: wire::LeasedJob) -> Result<Self> {
        let lease = required(leased.lease, "leased_job.lease")?;
        let job = required(leased.job, "leased_job.job")?;
        let spec = job.spec.unwrap_or_default();
        Ok(Self {
            id: job.id,
            lease_id: lease.id,
            attempt: lease.attempt,
            lease_duration: lease.duration.map(duration_from_wire).unwrap_or_default(),
            dispatch_time: time_from_wire(lease.dispatch_time),
            expire_time: time_from_wire(lease.expire_time),
            cancel_requested: lease.cancel_requested,
            queue: spec.queue,
            job_type: spec.r#type,
            payload: Payload::from_wire(spec.payload),
            priority: saturate_u16(spec.priority.unwrap_or_default()),
            bindings: spec.bindings.into_iter().map(Binding::from_wire).collect(),
            max_attempts: spec.max_attempts.unwrap_or_default(),
            timeout: spec.timeout.map(duration_from_wire),
            metadata: spec.metadata.into_iter().collect(),
            attempts: job.attempts,
            create_time: time_from_wire(job.create_time),
            ready_time: time_from_wire(job.ready_time),
        })
    }
}

/// Asks for leases by a call, without a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseRequest {
    wire: wire::LeaseJobsRequest,
}

impl LeaseRequest {
    /// One job, if one can be dispatched at once, for this worker.
    pub fn new(worker_id: impl Into<String>) -> Self {
        let worker_id = worker_id.into();
        Self { wire: wire::LeaseJobsRequest { worker_id, ..Default::default() } }
    }

    /// Serves this queue, besides those named before. 1..=64.
    pub fn queue(mut self, name: impl Into<String>) -> Self {
        self.wire.queues.push(name.into());
        self
    }

    /// Sets the most jobs to lease. 1..=1000; 1 by default.
    pub fn max_jobs(mut self, jobs: u32) -> Self {
        self.wire.max_jobs = jobs;
        self
    }

    /// Sets the most bytes of the answer. 64 KiB..=64 MiB; 4 MiB by default.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.wire.max_bytes = bytes;
        self
    }

    /// Sets what the leases, and each extension, are worth. 1 s..=24 h; 30 s by default.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.wire.lease_duration = Some(duration_to_wire(duration));
        self
    }

    /// Waits this long for the first job. 0..=30 s; not at all by default.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wire.wait = Some(duration_to_wire(wait));
        self
    }

    /// Makes a repeat of the call return the leases of the first.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.wire.request_id = id.into();
        self
    }

    pub(crate) fn into_wire(self) -> wire::LeaseJobsRequest {
        self.wire
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_without_its_lease_is_no_job() {
        let leased = wire::LeasedJob { lease: None, job: Some(wire::Job::default()) };
        assert!(LeasedJob::from_wire(leased).is_err());
    }
}
