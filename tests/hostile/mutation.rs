//! Messages that are almost right: valid ones, changed at random with an eye for their structure.

use prost::Message;
use prost::bytes::Bytes;
use prost::encoding::encode_varint;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use tokio::task::JoinSet;
use tonic::Code;

use crate::draws;
use crate::guarded::Guarded;
use crate::peer::{Peer, prefix};
use crate::support::calls::{binding, bound_job, lease_request, seconds, success, time_based, while_in_flight};
use crate::support::raw::call_with;
use crate::support::stream::{held, hello};
use crate::support::wire::dispatch_request::Frame;
use crate::support::wire::{self, DispatchRequest, binding_operation::Operation, job_spec::Payload};
use crate::support::within;

/// What breaks programs.
const EXTREMES: [u64; 12] =
    [0, 1, 127, 128, 255, 65_535, 65_536, u32::MAX as u64, 1 << 32, i64::MAX as u64, 1 << 63, u64::MAX];

/// A field as it is encoded.
enum Field {
    Varint(u64, u64),
    Fixed(u64, Vec<u8>),
    Bytes(u64, Vec<u8>),
}

/// The fields of a message; what can't be read is left out.
fn fields(mut bytes: &[u8]) -> Vec<Field> {
    let mut fields = Vec::new();
    while let Ok(tag) = prost::encoding::decode_varint(&mut bytes) {
        let length = match tag & 7 {
            0 => match prost::encoding::decode_varint(&mut bytes) {
                Ok(value) => {
                    fields.push(Field::Varint(tag, value));
                    continue;
                }
                Err(_) => break,
            },
            1 => 8,
            2 => prost::encoding::decode_varint(&mut bytes).map_or(usize::MAX, |length| length as usize),
            5 => 4,
            _ => break,
        };
        let Some((value, rest)) = bytes.split_at_checked(length) else { break };
        bytes = rest;
        let field = if tag & 7 == 2 { Field::Bytes } else { Field::Fixed };
        fields.push(field(tag, value.to_vec()));
    }
    fields
}

fn encode(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in fields {
        match field {
            Field::Varint(tag, value) => {
                encode_varint(*tag, &mut bytes);
                encode_varint(*value, &mut bytes);
            }
            Field::Fixed(tag, value) => {
                encode_varint(*tag, &mut bytes);
                bytes.extend(value);
            }
            Field::Bytes(tag, value) => {
                encode_varint(*tag, &mut bytes);
                encode_varint(value.len() as u64, &mut bytes);
                bytes.extend(value);
            }
        }
    }
    bytes
}

/// The message with one thing changed: a field, somewhere inside it, or bytes.
fn mutated(rng: &mut StdRng, message: &[u8]) -> Vec<u8> {
    let mut fields = fields(message);
    if fields.is_empty() || rng.random_bool(0.15) {
        return torn(rng, message);
    }
    let at = rng.random_range(0..fields.len());
    match rng.random_range(0..6) {
        0 => drop(fields.remove(at)),
        1 => {
            let twice = encode(&fields[at..=at]);
            let mut bytes = encode(&fields);
            (0..rng.random_range(1..40)).for_each(|_| bytes.extend(&twice));
            return bytes;
        }
        2 => match &mut fields[at] {
            // Another field, or another type of it.
            Field::Varint(tag, _) | Field::Fixed(tag, _) | Field::Bytes(tag, _) => {
                *tag ^= 1 << rng.random_range(0..8);
            }
        },
        _ => match &mut fields[at] {
            Field::Varint(_, value) => *value = *EXTREMES.choose(rng).expect("some"),
            Field::Fixed(_, value) => rng.fill_bytes(value),
            Field::Bytes(_, value) if rng.random_bool(0.3) => *value = text(rng),
            Field::Bytes(_, value) => *value = mutated(rng, value),
        },
    }
    encode(&fields)
}

fn torn(rng: &mut StdRng, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = rng.random_range(0..=bytes.len());
    match rng.random_range(0..3) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, rng.random()),
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.random_range(0..8);
            }
        }
    }
    bytes
}

fn text(rng: &mut StdRng) -> Vec<u8> {
    let length = *[0, 1, 127, 128, 129, 256, 4096, 70_000].choose(rng).expect("some");
    match rng.random_range(0..3) {
        0 => vec![b'a'; length],
        1 => "ä\0".repeat(length / 2).into_bytes(),
        _ => (0..length).map(|_| rng.random()).collect(),
    }
}

/// A job with all that one can have.
fn full_job() -> wire::JobSpec {
    wire::JobSpec {
        r#type: "t".to_owned(),
        payload: Some(Payload::Json("{\"a\":[1,{}]}".to_owned())),
        priority: Some(3),
        run_time: Some(prost_types::Timestamp { seconds: 1_900_000_000, nanos: 5 }),
        max_attempts: Some(2),
        backoff: Some(wire::Backoff { initial: Some(seconds(1)), jitter_percent: Some(3), ..Default::default() }),
        retention: Some(wire::Retention { completed: Some(seconds(1)), dead: Some(seconds(1)), cancelled: None }),
        timeout: Some(seconds(9)),
        unique: Some(wire::UniqueKey { key: "u".to_owned(), scope: 1 }),
        metadata: [("k".to_owned(), "v".to_owned())].into(),
        ..bound_job("q", &[("b", 1), ("c", 2)])
    }
}

/// Valid requests, none of which touches what isn't theirs.
fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let job = full_job();
    let create = wire::Binding {
        create_with: Some(time_based(3, std::time::Duration::from_secs(1), Some(4))),
        ..binding("made", 2)
    };
    let creating = wire::JobSpec { bindings: vec![create.clone()], unique: None, ..job.clone() };
    let filter = Some(wire::JobFilter {
        queues: vec!["q".to_owned()],
        states: vec![1, 2],
        budgets: vec!["b".to_owned()],
        priority_max: Some(9),
        created_from: job.run_time,
        ..wire::JobFilter::default()
    });
    let mut outcome = success("l0000000000000000");
    outcome.usage = vec![wire::BudgetUsage { budget: "b".to_owned(), cost: 1 }];
    outcome.throttled = vec![wire::BudgetThrottle { budget: "b".to_owned(), retry_after: Some(seconds(1)) }];
    let lease = wire::LeaseJobsRequest { request_id: "r".to_owned(), max_bytes: 1 << 20, ..lease_request("w", "q", 3) };
    let lease = wire::LeaseJobsRequest { lease_duration: Some(seconds(1)), ..lease };
    let policy = Some(time_based(5, std::time::Duration::from_secs(2), Some(7)));
    let mask = Some(prost_types::FieldMask { paths: vec!["allocation".to_owned(), "time_based.burst".to_owned()] });
    let update = wire::UpdateBudgetRequest { key: "b".to_owned(), policy, update_mask: mask, etag: "e".to_owned() };
    let modify = wire::ModifyBindingsRequest {
        job_id: "j0000000000000000".to_owned(),
        operation: Some(wire::BindingOperation { operation: Some(Operation::Bind(create)) }),
    };
    vec![
        (
            "/sluicegate.v1.JobService/Enqueue",
            wire::EnqueueRequest { job: Some(job), request_id: "i".to_owned() }.encode_to_vec(),
        ),
        (
            "/sluicegate.v1.JobService/BatchEnqueue",
            wire::BatchEnqueueRequest { jobs: vec![creating; 3], request_id: "j".to_owned() }.encode_to_vec(),
        ),
        ("/sluicegate.v1.JobService/LeaseJobs", lease.encode_to_vec()),
        (
            "/sluicegate.v1.JobService/SettleJobs",
            wire::SettleJobsRequest { outcomes: vec![outcome; 2] }.encode_to_vec(),
        ),
        (
            "/sluicegate.v1.JobService/ListJobs",
            wire::ListJobsRequest { filter: filter.clone(), view: 2, page_size: 10, page_token: "p".to_owned() }
                .encode_to_vec(),
        ),
        ("/sluicegate.v1.JobService/CountJobs", wire::CountJobsRequest { filter }.encode_to_vec()),
        ("/sluicegate.v1.JobService/ModifyBindings", modify.encode_to_vec()),
        (
            "/sluicegate.v1.BudgetService/CreateBudget",
            wire::CreateBudgetRequest { key: "d".to_owned(), policy }.encode_to_vec(),
        ),
        ("/sluicegate.v1.BudgetService/UpdateBudget", update.encode_to_vec()),
        (
            "/sluicegate.v1.BudgetService/ListBudgets",
            wire::ListBudgetsRequest { page_size: 9, page_token: "x".to_owned() }.encode_to_vec(),
        ),
        (
            "/sluicegate.v1.QueueService/ListQueues",
            wire::ListQueuesRequest { page_size: 9, page_token: "x".to_owned() }.encode_to_vec(),
        ),
        ("/grpc.health.v1.Health/Check", vec![0x0a, 1, b'x']),
    ]
}

/// What a server may say to nonsense: never that it has failed, or that it is gone.
fn is_an_answer(code: Code) -> bool {
    use Code::{
        Aborted, AlreadyExists, FailedPrecondition, Internal, InvalidArgument, NotFound, Ok, OutOfRange,
        ResourceExhausted, Unimplemented,
    };
    matches!(
        code,
        Ok | InvalidArgument | NotFound | AlreadyExists | FailedPrecondition | Aborted | OutOfRange | ResourceExhausted
            | Unimplemented
            // What tonic says to bytes that are no message.
            | Internal
    )
}

pub async fn mutated_requests_are_answered() {
    const CALLERS: usize = 4;
    const CALLS: usize = 600;
    let mut rng = draws();
    let mut guarded = Guarded::start().await;
    for key in ["b", "c"] {
        guarded.calls.create_budget(key, while_in_flight(5)).await;
    }
    let mut calling = JoinSet::new();
    for _ in 0..CALLERS {
        let channel = guarded.server.channel().await;
        let requests = requests();
        let mut rng = StdRng::seed_from_u64(rng.random());
        calling.spawn(async move {
            let mut counts = [0; 17];
            for _ in 0..CALLS {
                let (method, valid) = requests.choose(&mut rng).expect("some");
                let mut bytes = valid.clone();
                for _ in 0..rng.random_range(0..4) {
                    bytes = mutated(&mut rng, &bytes);
                }
                let shown = bytes[..bytes.len().min(200)].to_vec();
                let answer = call_with(channel.clone(), method, bytes.into()).await;
                let code = answer.as_ref().err().map_or(Code::Ok, tonic::Status::code);
                assert!(is_an_answer(code), "{method} {shown:?}: {answer:?}");
                counts[code as usize] += 1;
            }
            counts
        });
    }
    let mut all = [0; 17];
    while let Some(counts) = calling.join_next().await {
        all.iter_mut().zip(counts.expect("no panic")).for_each(|(sum, count)| *sum += count);
    }
    println!("answers by code: {all:?}");
    assert!(all[Code::Ok as usize] > 0 && all[Code::InvalidArgument as usize] > 0);
    guarded.clear().await;
    guarded.ends_as_it_began().await;
}

/// Frames of a worker's whole life.
fn frames() -> Vec<Vec<u8>> {
    let hello = wire::WorkerHello {
        lease_duration: Some(seconds(1)),
        ping_interval: Some(seconds(1)),
        held_leases: held(&["l0000000000000000", "x"]),
        confirms_receipt: true,
        max_message_bytes: 1 << 16,
        client: Some(wire::ClientInfo { name: "n".to_owned(), version: "v".to_owned() }),
        ..hello("w", "q", 9)
    };
    let ids = vec!["l0000000000000000".to_owned(); 3];
    [
        Frame::Hello(hello),
        Frame::Window(wire::Window { max_jobs: 4, max_bytes: 9 }),
        Frame::Received(wire::LeasesReceived { lease_ids: ids.clone() }),
        Frame::Settle(wire::SettleLeases { outcomes: vec![success(&ids[0]); 3] }),
        Frame::Extend(wire::ExtendLeases { lease_ids: ids }),
        Frame::Ping(wire::Ping {}),
        Frame::Leaving(wire::WorkerLeaving {}),
    ]
    .map(|frame| DispatchRequest { frame: Some(frame) }.encode_to_vec())
    .into()
}

pub async fn mutated_frames_end_their_stream_at_most() {
    const STREAMS: usize = 400;
    let mut rng = draws();
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("b", while_in_flight(5)).await;
    guarded.calls.enqueue_all(vec![bound_job("q", &[("b", 1)]); 20]).await;
    let mut peer = Peer::connect(guarded.server.address(), 1 << 20).await;
    for _ in 0..STREAMS {
        let mut call = match peer.call("/sluicegate.v1.JobService/Dispatch").await {
            Ok(call) => call,
            Err(_) => {
                // The connection had too many of them.
                peer = Peer::connect(guarded.server.address(), 1 << 20).await;
                peer.call("/sluicegate.v1.JobService/Dispatch").await.expect("a fresh connection takes a stream")
            }
        };
        let mut bytes = Vec::new();
        for (n, frame) in frames().into_iter().enumerate() {
            let frame = if n == 0 && rng.random_bool(0.7) { frame } else { mutated(&mut rng, &frame) };
            let announced = if rng.random_bool(0.02) {
                *EXTREMES.choose(&mut rng).expect("some") as u32 as usize
            } else {
                frame.len()
            };
            bytes.extend(prefix(announced));
            bytes.extend(frame);
        }
        // A stream that has ended takes no more.
        let _ = call.send(Bytes::from(bytes)).await;
        call.close();
        let ended = within("the end of a stream", crate::peer::status(call.answer().await)).await;
        if let Ok(code) = ended {
            let code = Code::from_bytes(code.as_bytes());
            assert!(is_an_answer(code) || code == Code::DeadlineExceeded, "{code:?}");
        }
    }
    drop(peer);
    guarded.clear().await;
    guarded.ends_as_it_began().await;
}
