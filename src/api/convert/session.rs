//! Workers: the Hello of a stream, its window, and the unary `LeaseJobs`.

use std::ops::RangeInclusive;

use super::job_wire::JOB_ALLOWANCE_BYTES;
use super::time::{optional_span, wire_span};
use super::{At, Invalid, at_most, count, name, names, request_id};
use crate::api::proto as pb;
use crate::ids;
use crate::scheduler::command::{OpenSession, SessionMode, Window};
use crate::scheduler::job::Name;
use crate::scheduler::units::{LeaseId, Nanos, SessionId, Timestamp};

const QUEUES_MAX: usize = 64;
const HELD_MAX: usize = 100_000;
const CLIENT_BYTES_MAX: usize = 128;
const LEASE_DEFAULT: Nanos = Nanos::from_secs(30);
const MESSAGE_BYTES: RangeInclusive<usize> = 64 << 10..=64 << 20;
const MESSAGE_BYTES_DEFAULT: usize = 4 << 20;
const WINDOW_JOBS_MAX: u32 = 100_000;
const WINDOW_BYTES_MAX: u64 = 1 << 30;
const WINDOW_BYTES_DEFAULT: u64 = 64 << 20;
const PING_INTERVAL: RangeInclusive<Nanos> = Nanos::from_secs(1)..=Nanos::from_secs(600);
const WAIT_MAX: Nanos = Nanos::from_secs(30);
/// More than a Welcome has beside its lease ids.
const WELCOME_ALLOWANCE_BYTES: usize = 1024;
/// The driver numbers sessions; until then they have this one.
const UNNUMBERED: SessionId = SessionId(0);

/// What a Hello asks for.
#[derive(Debug)]
pub struct Hello {
    /// For the scheduler.
    pub open: OpenSession,
    /// Of the leases the worker holds, those that name none: they are lost.
    pub held_in_vain: Vec<String>,
    /// How often each side says that it is there; `None`: never.
    pub ping_interval: Option<Nanos>,
    /// The largest frame the worker takes, in bytes as encoded.
    pub frame_bytes_max: usize,
    /// What software the worker is, for logs.
    pub client: pb::ClientInfo,
}

/// A Hello.
pub fn hello(at: &At<'_>, wire: pb::WorkerHello) -> Result<Hello, Invalid> {
    count(&at.field("queues"), wire.queues.len(), QUEUES_MAX)?;
    let mut queues = Vec::with_capacity(wire.queues.len());
    for (index, queue) in wire.queues.into_iter().enumerate() {
        let at = at.item("queues", index);
        queues.push(name(&at.field("name"), queue.name)?);
    }
    let frame_bytes_max = message_bytes(&at.field("max_message_bytes"), u64::from(wire.max_message_bytes))?;
    let (held, held_in_vain) = held(&at.field("held_leases"), wire.held_leases, frame_bytes_max)?;
    let window_at = at.field("window");
    let open = OpenSession {
        session: UNNUMBERED,
        worker: name(&at.field("worker_id"), wire.worker_id)?,
        queues,
        window: window(&window_at, wire.window.unwrap_or_default())?,
        lease: lease_duration(at, wire.lease_duration)?,
        body_bytes_max: body_bytes_max(frame_bytes_max),
        mode: SessionMode::Stream { confirms_receipt: wire.confirms_receipt, held },
    };
    Ok(Hello {
        open,
        held_in_vain,
        ping_interval: ping_interval(&at.field("ping_interval"), wire.ping_interval)?,
        frame_bytes_max,
        client: client(&at.field("client"), wire.client.unwrap_or_default())?,
    })
}

/// A window; 0 bytes means the default.
pub fn window(at: &At<'_>, wire: pb::Window) -> Result<Window, Invalid> {
    let jobs = u32::try_from(wire.max_jobs).ok().filter(|jobs| *jobs <= WINDOW_JOBS_MAX).ok_or_else(|| {
        let jobs = wire.max_jobs;
        let at = at.field("max_jobs");
        at.invalid(format!("is {jobs}; 0..={WINDOW_JOBS_MAX} is taken"))
    })?;
    let bytes = match wire.max_bytes {
        0 => WINDOW_BYTES_DEFAULT,
        bytes if bytes <= WINDOW_BYTES_MAX => bytes,
        bytes => {
            let at = at.field("max_bytes");
            return Err(at.invalid(format!("is {bytes}; 0..={WINDOW_BYTES_MAX} is taken")));
        }
    };
    Ok(Window { jobs, bytes })
}

/// What a `LeaseJobs` call asks for.
#[derive(Debug)]
pub struct LeaseCall {
    /// For the scheduler.
    pub open: OpenSession,
    /// What the caller named it.
    pub request: Option<Name>,
    /// How long it waits.
    pub wait: Nanos,
    /// The largest answer, in bytes as encoded.
    pub answer_bytes_max: usize,
}

/// A `LeaseJobs` call, made at `now`.
///
/// So many jobs and bytes are asked for that the answer fits whatever the jobs are, names and bindings included: at most
/// half of its bytes are kept for those.
pub fn lease_call(wire: pb::LeaseJobsRequest, now: Timestamp) -> Result<LeaseCall, Invalid> {
    const JOBS_MAX: u32 = 1000;
    let at = At::Root;
    count(&at.field("queues"), wire.queues.len(), QUEUES_MAX)?;
    if wire.max_jobs > JOBS_MAX {
        let at = at.field("max_jobs");
        return Err(at.invalid(format!("is {}; 0..={JOBS_MAX} is taken, 0 means 1", wire.max_jobs)));
    }
    let answer_bytes_max = message_bytes(&at.field("max_bytes"), wire.max_bytes)?;
    let wait = optional_span(&at.field("wait"), wire.wait)?.unwrap_or(Nanos::ZERO);
    if wait > WAIT_MAX {
        return Err(at.field("wait").invalid("is longer than 30 s"));
    }
    let jobs = (wire.max_jobs.max(1) as usize).min(answer_bytes_max / (2 * JOB_ALLOWANCE_BYTES));
    let bytes = answer_bytes_max - jobs * JOB_ALLOWANCE_BYTES;
    let request = request_id(&at.field("request_id"), wire.request_id)?;
    let open = OpenSession {
        session: UNNUMBERED,
        worker: name(&at.field("worker_id"), wire.worker_id)?,
        queues: names(wire.queues),
        window: Window { jobs: u32::try_from(jobs).expect("at most 1000"), bytes: bytes as u64 },
        lease: lease_duration(&at, wire.lease_duration)?,
        body_bytes_max: body_bytes_max(answer_bytes_max),
        mode: SessionMode::Once { until: now + wait, request: request.clone() },
    };
    Ok(LeaseCall { open, request, wait, answer_bytes_max })
}

/// The Welcome for a stream that was opened.
pub fn welcome(
    session: SessionId,
    hello: &Hello,
    (resumed, lost): (Vec<LeaseId>, Vec<LeaseId>),
    limits: pb::ServerLimits,
) -> pb::Welcome {
    let lost = lost.into_iter().map(ids::lease_text);
    pb::Welcome {
        session_id: ids::session_text(session),
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
        limits: Some(limits),
        features: Vec::new(),
        lease_duration: Some(wire_span(hello.open.lease)),
        ping_interval: hello.ping_interval.map(wire_span),
        resumed_lease_ids: resumed.into_iter().map(ids::lease_text).collect(),
        lost_lease_ids: lost.chain(hello.held_in_vain.iter().cloned()).collect(),
    }
}

/// The largest body that fits into a message of `message_bytes` alone, whatever the job is otherwise.
fn body_bytes_max(message_bytes: usize) -> u32 {
    u32::try_from(message_bytes - JOB_ALLOWANCE_BYTES).expect("messages are at most 64 MiB")
}

fn message_bytes(at: &At<'_>, wire: u64) -> Result<usize, Invalid> {
    if wire == 0 {
        return Ok(MESSAGE_BYTES_DEFAULT);
    }
    usize::try_from(wire).ok().filter(|bytes| MESSAGE_BYTES.contains(bytes)).ok_or_else(|| {
        let (min, max) = (MESSAGE_BYTES.start(), MESSAGE_BYTES.end());
        at.invalid(format!("is {wire}; {min}..={max} is taken, 0 means {MESSAGE_BYTES_DEFAULT}"))
    })
}

fn lease_duration(at: &At<'_>, duration: Option<prost_types::Duration>) -> Result<Nanos, Invalid> {
    let duration = optional_span(&at.field("lease_duration"), duration)?;
    Ok(duration.unwrap_or(LEASE_DEFAULT))
}

fn ping_interval(at: &At<'_>, interval: Option<prost_types::Duration>) -> Result<Option<Nanos>, Invalid> {
    match optional_span(at, interval)? {
        None | Some(Nanos::ZERO) => Ok(None),
        Some(interval) if PING_INTERVAL.contains(&interval) => Ok(Some(interval)),
        Some(_) => Err(at.invalid("is neither 0 nor 1 s..=10 min")),
    }
}

/// The leases a worker holds, apart from the text that names none.
fn held(
    at: &At<'_>,
    held: Option<pb::HeldLeases>,
    frame_bytes_max: usize,
) -> Result<(Option<Vec<LeaseId>>, Vec<String>), Invalid> {
    const FIELD_BYTES: usize = 2 + 4; // tag and length
    let Some(pb::HeldLeases { lease_ids: texts }) = held else {
        return Ok((None, Vec::new()));
    };
    let at = at.field("lease_ids");
    at_most(&at, texts.len(), HELD_MAX)?;
    let welcome: usize = texts.iter().map(|text| text.len() + FIELD_BYTES).sum();
    if welcome + WELCOME_ALLOWANCE_BYTES > frame_bytes_max {
        return Err(at.invalid("is longer than a Welcome of `max_message_bytes` can list"));
    }
    let mut leases = Vec::with_capacity(texts.len());
    let mut in_vain = Vec::new();
    for text in texts {
        match ids::parse_lease(&text) {
            Some(lease) => leases.push(lease),
            None => in_vain.push(text),
        }
    }
    Ok((Some(leases), in_vain))
}

fn client(at: &At<'_>, client: pb::ClientInfo) -> Result<pb::ClientInfo, Invalid> {
    for (field, text) in [("name", &client.name), ("version", &client.version)] {
        if text.len() > CLIENT_BYTES_MAX {
            let at = at.field(field);
            return Err(at.invalid(format!("has more than {CLIENT_BYTES_MAX} bytes")));
        }
    }
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    fn wire_hello() -> pb::WorkerHello {
        pb::WorkerHello {
            worker_id: "w-1".to_owned(),
            queues: vec![pb::WorkerQueue { name: "mail".to_owned() }],
            ..pb::WorkerHello::default()
        }
    }

    fn convert(wire: pb::WorkerHello) -> Result<Hello, String> {
        hello(&At::Root.field("hello"), wire).map_err(|invalid| invalid.field)
    }

    fn seconds(seconds: i64) -> Option<prost_types::Duration> {
        Some(prost_types::Duration { seconds, nanos: 0 })
    }

    #[test]
    fn defaults_of_a_hello() {
        let hello = convert(wire_hello()).unwrap();
        assert_eq!(hello.open.lease, Nanos::from_secs(30));
        assert_eq!(hello.open.window, Window { jobs: 0, bytes: 64 << 20 });
        assert_eq!(hello.frame_bytes_max, 4 << 20);
        assert_eq!(hello.open.body_bytes_max, (4 << 20) - 4096);
        assert_eq!(hello.ping_interval, None);
        assert_eq!(hello.open.mode, SessionMode::Stream { confirms_receipt: false, held: None });
    }

    #[test]
    fn bounds_of_a_hello() {
        let cases: [(pb::WorkerHello, &str); 9] = [
            (pb::WorkerHello { worker_id: String::new(), ..wire_hello() }, "hello.worker_id"),
            (pb::WorkerHello { queues: Vec::new(), ..wire_hello() }, "hello.queues"),
            (pb::WorkerHello { queues: vec![pb::WorkerQueue::default()], ..wire_hello() }, "hello.queues[0].name"),
            (pb::WorkerHello { max_message_bytes: (64 << 10) - 1, ..wire_hello() }, "hello.max_message_bytes"),
            (pb::WorkerHello { max_message_bytes: (64 << 20) + 1, ..wire_hello() }, "hello.max_message_bytes"),
            (pb::WorkerHello { ping_interval: seconds(601), ..wire_hello() }, "hello.ping_interval"),
            (pb::WorkerHello { lease_duration: seconds(-1), ..wire_hello() }, "hello.lease_duration"),
            (
                pb::WorkerHello { window: Some(pb::Window { max_jobs: 1 << 32, max_bytes: 0 }), ..wire_hello() },
                "hello.window.max_jobs",
            ),
            (
                pb::WorkerHello {
                    client: Some(pb::ClientInfo { name: "n".repeat(129), version: String::new() }),
                    ..wire_hello()
                },
                "hello.client.name",
            ),
        ];
        for (wire, field) in cases {
            assert_eq!(convert(wire).unwrap_err(), field);
        }
    }

    #[test]
    fn windows_are_bounded_either_way() {
        let of = |max_jobs, max_bytes| {
            let wire = pb::Window { max_jobs, max_bytes };
            window(&At::Root.field("window"), wire).map_err(|invalid| invalid.field)
        };
        assert!(of(100_000, 1 << 30).is_ok());
        assert_eq!(of(100_001, 0), Err("window.max_jobs".to_owned()));
        assert_eq!(of(u64::MAX, 0), Err("window.max_jobs".to_owned()));
        assert_eq!(of(0, (1 << 30) + 1), Err("window.max_bytes".to_owned()));
    }

    #[test]
    fn held_leases_fit_into_the_welcome() {
        let with = |lease_ids: Vec<String>| {
            convert(pb::WorkerHello {
                held_leases: Some(pb::HeldLeases { lease_ids }),
                max_message_bytes: 64 << 10,
                ..wire_hello()
            })
        };
        let lease = |n| ids::lease_text(LeaseId(n));
        let most = ((64 << 10) - WELCOME_ALLOWANCE_BYTES) / (ids::TEXT_BYTES + 6);
        let texts: Vec<String> = (0..most as u64).map(lease).collect();
        let hello = with(texts.clone()).unwrap();
        let leases: Vec<LeaseId> = (0..most as u64).map(LeaseId).collect();
        let limits = pb::ServerLimits {
            max_payload_bytes: u64::MAX,
            max_request_bytes: u64::MAX,
            max_batch_jobs: u32::MAX,
            max_lease_batch: u32::MAX,
        };
        let frame = pb::DispatchResponse {
            frame: Some(pb::dispatch_response::Frame::Welcome(welcome(
                SessionId(u64::MAX),
                &hello,
                (leases, Vec::new()),
                limits,
            ))),
        };
        assert!(frame.encoded_len() <= 64 << 10);
        let one_more = texts.into_iter().chain([lease(1 << 30)]).collect();
        assert_eq!(with(one_more).unwrap_err(), "hello.held_leases.lease_ids");
    }

    #[test]
    fn text_that_names_no_lease_comes_back_as_lost() {
        let hello = convert(pb::WorkerHello {
            held_leases: Some(pb::HeldLeases { lease_ids: vec!["?".to_owned()] }),
            ..wire_hello()
        })
        .unwrap();
        let SessionMode::Stream { held, .. } = &hello.open.mode else {
            panic!("a stream");
        };
        assert_eq!(held.as_deref(), Some(&[][..]));
        let opened = (Vec::new(), vec![LeaseId(4)]);
        let welcome = welcome(SessionId(1), &hello, opened, pb::ServerLimits::default());
        assert_eq!(welcome.lost_lease_ids, [ids::lease_text(LeaseId(4)), "?".to_owned()]);
    }

    #[test]
    fn a_lease_call_asks_for_what_its_answer_can_hold() {
        let of = |max_jobs, max_bytes| {
            let wire = pb::LeaseJobsRequest {
                worker_id: "w".to_owned(),
                queues: vec!["q".to_owned()],
                max_jobs,
                max_bytes,
                wait: seconds(30),
                ..pb::LeaseJobsRequest::default()
            };
            lease_call(wire, Timestamp(5)).map_err(|invalid| invalid.field)
        };
        for (max_jobs, max_bytes) in [(0, 0), (1, 64 << 10), (1000, 64 << 10), (1000, 64 << 20)] {
            let call = of(max_jobs, max_bytes).unwrap();
            let Window { jobs, bytes } = call.open.window;
            assert!(jobs >= 1);
            let worst = bytes as usize + jobs as usize * JOB_ALLOWANCE_BYTES;
            assert!(worst <= call.answer_bytes_max);
            let SessionMode::Once { until, .. } = call.open.mode else {
                panic!("a call");
            };
            assert_eq!(until, Timestamp(30_000_000_005));
        }
        assert_eq!(of(0, 0).unwrap().open.window.jobs, 1);
        assert_eq!(of(1000, 64 << 20).unwrap().open.window.jobs, 1000);
        assert_eq!(of(1001, 0).unwrap_err(), "max_jobs");
        assert_eq!(of(1, 1).unwrap_err(), "max_bytes");
        assert_eq!(of(1, u64::MAX).unwrap_err(), "max_bytes");
    }
}
