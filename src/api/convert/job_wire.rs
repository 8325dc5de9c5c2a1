//! Jobs and leases as they are shown and pushed.

use std::sync::Arc;

use super::budget::wire_bindings;
use super::time::{wire_instant, wire_span};
use crate::api::proto as pb;
use crate::driver::PushedJob;
use crate::ids;
use crate::scheduler::job::{Body, End, Failure, JobOptions, JobRecord, JobState, Payload, Phase, Unique, UniqueScope};
use crate::scheduler::lease::LeaseRecord;
use crate::scheduler::view::JobView;

/// More than any LeasedJob has, as encoded in a frame or answer of its own, beside the bytes of its payload and metadata:
/// two names of 128 bytes, sixteen bindings of 138, the framing of 64 metadata pairs, ids, times and numbers are less.
pub const JOB_ALLOWANCE_BYTES: usize = 4096;

/// What the store knows of a job beside its small record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Payload and metadata.
    pub body: Body,
    /// The last failures, oldest first.
    pub failures: Vec<Failure>,
    /// What its handler returned.
    pub result: Option<Box<[u8]>>,
}

/// A job in the BASIC view.
pub fn basic(view: JobView) -> pb::Job {
    let JobView { record, state, bindings, lease } = view;
    let (finish_time, remove_time) = match record.phase {
        Phase::Live => (None, None),
        Phase::Over(end, at) => {
            let kept = match end {
                End::Completed => record.options.retention.completed,
                End::Dead => record.options.retention.dead,
                End::Cancelled => record.options.retention.cancelled,
            };
            (Some(wire_instant(at)), Some(wire_instant(at + kept)))
        }
    };
    let delayed = record.run_at > record.ready_at;
    pb::Job {
        id: ids::job_text(record.id),
        state: wire_state(state).into(),
        attempts: record.attempts,
        create_time: Some(wire_instant(record.create_time)),
        ready_time: Some(wire_instant(record.ready_at)),
        finish_time,
        remove_time,
        lease: lease.as_ref().map(wire_lease),
        errors: Vec::new(),
        result: Vec::new(),
        body_bytes: u64::from(record.body_bytes),
        delayed_until: delayed.then(|| wire_instant(record.run_at)),
        spec: Some(pb::JobSpec { bindings: wire_bindings(bindings), ..wire_spec(record) }),
    }
}

/// A job in the FULL view.
pub fn full(view: JobView, details: Details) -> pb::Job {
    let mut job = basic(view);
    if let Some(spec) = &mut job.spec {
        put_body(spec, details.body);
    }
    job.errors = details.failures.into_iter().map(wire_failure).collect();
    job.result = details.result.map(Vec::from).unwrap_or_default();
    job
}

/// A dispatched job for its worker: only what a handler needs.
pub fn leased(pushed: PushedJob) -> pb::LeasedJob {
    let PushedJob { lease, job, body } = pushed;
    let lease = pb::Lease { job_id: String::new(), worker_id: String::new(), ..wire_lease(&lease) };
    let JobView { record, state, bindings, lease: _ } = job;
    let mut spec = pb::JobSpec {
        queue: record.queue.to_string(),
        r#type: record.kind.to_string(),
        priority: Some(u32::from(record.priority)),
        bindings: wire_bindings(bindings),
        max_attempts: Some(record.options.max_attempts),
        timeout: record.options.timeout.map(wire_span),
        ..pb::JobSpec::default()
    };
    put_body(&mut spec, Arc::unwrap_or_clone(body));
    pb::LeasedJob {
        lease: Some(lease),
        job: Some(pb::Job {
            id: ids::job_text(record.id),
            spec: Some(spec),
            state: wire_state(state).into(),
            attempts: record.attempts,
            create_time: Some(wire_instant(record.create_time)),
            ready_time: Some(wire_instant(record.ready_at)),
            ..pb::Job::default()
        }),
    }
}

/// A lease for the wire.
pub fn wire_lease(lease: &LeaseRecord) -> pb::Lease {
    pb::Lease {
        id: ids::lease_text(lease.id),
        job_id: ids::job_text(lease.job),
        worker_id: lease.worker.to_string(),
        attempt: lease.attempt,
        dispatch_time: Some(wire_instant(lease.dispatch_time)),
        expire_time: Some(wire_instant(lease.expire_time)),
        duration: Some(wire_span(lease.duration)),
        cancel_requested: lease.cancelled,
    }
}

/// A state for the wire.
pub fn wire_state(state: JobState) -> pb::JobState {
    match state {
        JobState::Scheduled => pb::JobState::Scheduled,
        JobState::Ready => pb::JobState::Ready,
        JobState::InFlight => pb::JobState::InFlight,
        JobState::Completed => pb::JobState::Completed,
        JobState::Dead => pb::JobState::Dead,
        JobState::Cancelled => pb::JobState::Cancelled,
    }
}

/// The spec with its defaults filled in; bindings and body are put in by the caller.
fn wire_spec(record: JobRecord) -> pb::JobSpec {
    let JobOptions { max_attempts, backoff, retention, timeout } = record.options;
    pb::JobSpec {
        queue: record.queue.to_string(),
        r#type: record.kind.to_string(),
        priority: Some(u32::from(record.priority)),
        max_attempts: Some(max_attempts),
        backoff: Some(pb::Backoff {
            initial: Some(wire_span(backoff.initial)),
            max: Some(wire_span(backoff.max)),
            multiplier_percent: Some(backoff.multiplier_percent),
            jitter_percent: Some(backoff.jitter_percent),
        }),
        retention: Some(pb::Retention {
            completed: Some(wire_span(retention.completed)),
            dead: Some(wire_span(retention.dead)),
            cancelled: Some(wire_span(retention.cancelled)),
        }),
        timeout: timeout.map(wire_span),
        unique: record.unique.map(wire_unique),
        ..pb::JobSpec::default()
    }
}

fn wire_unique(unique: Unique) -> pb::UniqueKey {
    let scope = match unique.scope {
        UniqueScope::Queued => pb::UniqueScope::Queued,
        UniqueScope::Unfinished => pb::UniqueScope::Unfinished,
        UniqueScope::Retained => pb::UniqueScope::Retained,
    };
    pb::UniqueKey { key: unique.key.to_string(), scope: scope.into() }
}

fn put_body(spec: &mut pb::JobSpec, body: Body) {
    use pb::job_spec::Payload as Wire;

    spec.payload = match body.payload {
        Payload::Json(text) => Some(Wire::Json(text.into_string())),
        // No bytes and no payload are the same.
        Payload::Binary(bytes) if bytes.is_empty() => None,
        Payload::Binary(bytes) => Some(Wire::Binary(bytes.into_vec())),
    };
    spec.metadata = body.metadata.into_iter().collect();
}

fn wire_failure(failure: Failure) -> pb::AttemptError {
    pb::AttemptError {
        attempt: failure.attempt,
        time: Some(wire_instant(failure.time)),
        message: failure.error.into_string(),
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::Arc;

    use prost::Message;

    use super::*;
    use crate::scheduler::job::{Name, ReadyBy};
    use crate::scheduler::lease::Receipt;
    use crate::scheduler::units::{JobId, LeaseId, Nanos, Timestamp, Tokens};

    fn record() -> JobRecord {
        JobRecord {
            id: JobId(7),
            queue: Name::from("mail"),
            kind: Name::from("welcome"),
            priority: 9,
            bindings: Arc::from([]),
            options: JobOptions::default(),
            unique: None,
            create_time: Timestamp(1),
            ready_at: Timestamp(2),
            ready_by: ReadyBy::Now,
            run_at: Timestamp(2),
            attempts: 3,
            releases: 0,
            unconfirmed: 0,
            failures: 0,
            phase: Phase::Live,
            body_bytes: 11,
        }
    }

    fn view(record: JobRecord, state: JobState) -> JobView {
        JobView { record, state, bindings: vec![(Name::from("api"), Tokens(2))], lease: None }
    }

    /// A dispatched job with this payload.
    pub fn pushed(lease: u64, payload: usize) -> PushedJob {
        let record = record();
        PushedJob {
            lease: LeaseRecord {
                id: LeaseId(lease),
                job: record.id,
                worker: Name::from("w"),
                attempt: 4,
                dispatch_time: Timestamp(5),
                expire_time: Timestamp(6),
                duration: Nanos(1),
                receipt: Receipt::Unneeded,
                cancelled: false,
                request: None,
                debits: Vec::new(),
            },
            job: view(record, JobState::InFlight),
            body: Arc::new(Body {
                payload: Payload::Binary(vec![1; payload].into_boxed_slice()),
                metadata: Vec::new(),
            }),
        }
    }

    #[test]
    fn the_basic_view_has_no_body_and_the_full_one_has() {
        let job = view(record(), JobState::Ready);
        let wire = basic(job.clone());
        assert_eq!(wire.body_bytes, 11);
        assert_eq!(wire.delayed_until, None);
        let spec = wire.spec.unwrap();
        assert_eq!(spec.payload, None);
        assert_eq!(spec.bindings[0].cost, Some(2));
        let details = Details {
            body: Body { payload: Payload::Json("[]".into()), metadata: vec![("a".to_owned(), "b".to_owned())] },
            failures: vec![Failure { attempt: 1, time: Timestamp(3), error: "no".into() }],
            result: Some(Box::from(*b"r")),
        };
        let wire = full(job, details);
        assert_eq!(wire.errors[0].message, "no");
        assert_eq!(wire.result, b"r");
        let spec = wire.spec.unwrap();
        assert_eq!(spec.metadata["a"], "b");
        assert_eq!(spec.payload, Some(pb::job_spec::Payload::Json("[]".to_owned())));
    }

    #[test]
    fn a_terminal_job_says_when_it_goes() {
        for (end, kept) in
            [(End::Completed, Nanos::ZERO), (End::Dead, Nanos::from_days(7)), (End::Cancelled, Nanos::from_days(1))]
        {
            let over = JobRecord { phase: Phase::Over(end, Timestamp(50)), ..record() };
            let wire = basic(view(over, JobState::Dead));
            assert_eq!(wire.finish_time, Some(wire_instant(Timestamp(50))));
            assert_eq!(wire.remove_time, Some(wire_instant(Timestamp(50) + kept)));
        }
    }

    #[test]
    fn a_delay_shows_apart_from_the_rank() {
        let delayed = JobRecord { run_at: Timestamp(3), ..record() };
        let wire = basic(view(delayed, JobState::Scheduled));
        assert_eq!(wire.ready_time, Some(wire_instant(Timestamp(2))));
        assert_eq!(wire.delayed_until, Some(wire_instant(Timestamp(3))));
    }

    #[test]
    fn the_allowance_covers_the_largest_job() {
        let longest = || Name::from("n".repeat(128));
        let mut pushed = pushed(u64::MAX, 1 << 24);
        pushed.lease.attempt = u32::MAX;
        pushed.lease.cancelled = true;
        pushed.lease.duration = Nanos(u64::MAX);
        for time in [
            &mut pushed.lease.dispatch_time,
            &mut pushed.lease.expire_time,
            &mut pushed.job.record.create_time,
            &mut pushed.job.record.ready_at,
        ] {
            *time = Timestamp(-1);
        }
        pushed.job.record.queue = longest();
        pushed.job.record.kind = longest();
        pushed.job.record.priority = u16::MAX;
        pushed.job.record.attempts = u32::MAX;
        pushed.job.record.options.max_attempts = u32::MAX;
        pushed.job.record.options.timeout = Some(Nanos(u64::MAX));
        pushed.job.bindings = vec![(longest(), Tokens(u64::MAX)); 16];
        Arc::make_mut(&mut pushed.body).metadata = (0..64).map(|n| (format!("{n:0128}"), "v".repeat(200))).collect();
        let body = pushed.body.bytes() as usize;
        let frame = pb::DispatchResponse {
            frame: Some(pb::dispatch_response::Frame::Jobs(pb::JobsPushed { jobs: vec![leased(pushed)] })),
        };
        let beside = frame.encoded_len() - body;
        assert!(beside <= JOB_ALLOWANCE_BYTES, "{beside} bytes");
    }
}
