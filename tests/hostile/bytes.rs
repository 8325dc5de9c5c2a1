//! Bytes that are no HTTP/2, or almost: from a raw socket, at any point of a connection.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::draws;
use crate::guarded::Guarded;
use crate::peer::framed;
use crate::support::stream::hello;
use crate::support::wire::dispatch_request::Frame as Sent;
use crate::support::wire::{self, DispatchRequest};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame of HTTP/2 (RFC 9113, 4.1).
#[derive(Clone)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

impl Frame {
    fn new(kind: u8, flags: u8, stream: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, flags, stream, payload: payload.into() }
    }

    fn encode(&self, into: &mut Vec<u8>) {
        into.extend(&u32::try_from(self.payload.len()).expect("short").to_be_bytes()[1..]);
        into.extend([self.kind, self.flags]);
        into.extend(self.stream.to_be_bytes());
        into.extend(&self.payload);
    }
}

/// Headers of a call, as literals that are never indexed (RFC 7541, 6.2.3).
fn headers(path: &str) -> Vec<u8> {
    let mut block = Vec::new();
    let names = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    for (name, value) in names {
        block.push(0x10);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).expect("short"));
            block.extend(text.as_bytes());
        }
    }
    block
}

/// A connection with two calls and a stream, as a client might write it.
fn conversation() -> Vec<Frame> {
    let count = framed(&wire::CountJobsRequest { filter: None });
    let hello = framed(&DispatchRequest { frame: Some(Sent::Hello(hello("raw", "nobodys", 3))) });
    vec![
        Frame::new(SETTINGS, 0, 0, [0, 4, 0, 1, 0, 0]),
        Frame::new(WINDOW_UPDATE, 0, 0, 1_000_000_u32.to_be_bytes()),
        Frame::new(HEADERS, END_HEADERS, 1, headers("/sluicegate.v1.JobService/CountJobs")),
        Frame::new(DATA, END_STREAM, 1, count.to_vec()),
        Frame::new(PING, 0, 0, *b"pingpong"),
        Frame::new(HEADERS, END_HEADERS, 3, headers("/sluicegate.v1.JobService/Dispatch")),
        Frame::new(DATA, 0, 3, hello.to_vec()),
        Frame::new(HEADERS, 0, 5, headers("/sluicegate.v1.JobService/CountJobs")),
        Frame::new(CONTINUATION, END_HEADERS, 5, Vec::new()),
        Frame::new(DATA, END_STREAM, 5, count.to_vec()),
    ]
}

/// The conversation with some things changed.
fn mutated(rng: &mut StdRng) -> Vec<u8> {
    let mut frames = conversation();
    frames.push(Frame::new(RST_STREAM, 0, 3, [0, 0, 0, 8]));
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..frames.len());
        match rng.random_range(0..8) {
            0 => frames[at].kind = rng.random_range(0..12),
            1 => frames[at].flags = rng.random(),
            2 => frames[at].stream = [0, 1, 2, 3, 7, 99, u32::MAX, 1 << 31][rng.random_range(0..8)],
            3 => frames[at].payload.truncate(rng.random_range(0..6)),
            4 => {
                let length = rng.random_range(0..20_000);
                frames[at].payload.resize(length, rng.random());
            }
            5 => frames.insert(at, frames[at].clone()),
            6 => drop(frames.remove(at)),
            _ => frames.shuffle(rng),
        }
    }
    let mut bytes = PREFACE.to_vec();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    for _ in 0..rng.random_range(0..3) {
        let at = rng.random_range(PREFACE.len()..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
    }
    if rng.random_bool(0.3) {
        bytes.truncate(rng.random_range(0..bytes.len()));
    }
    bytes
}

/// Writes bytes, in pieces, and reads what the server says until it ends or says no more.
async fn exchange(guarded: &Guarded, bytes: &[u8], piece: usize) {
    let mut connection = TcpStream::connect(guarded.server.address()).await.expect("a connection");
    for piece in bytes.chunks(piece) {
        // The server may have hung up.
        if connection.write_all(piece).await.is_err() {
            return;
        }
    }
    let _ = connection.shutdown().await;
    let _ = crate::support::within("the connection's end", connection.read_to_end(&mut Vec::new())).await;
}

/// Whether the frames that have come whole hold DATA of a stream.
fn has_data(mut bytes: &[u8], stream: u32) -> bool {
    while let [a, b, c, kind, _flags, s1, s2, s3, s4, rest @ ..] = bytes {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        if *kind == DATA && u32::from_be_bytes([*s1, *s2, *s3, *s4]) == stream && length > 0 {
            return true;
        }
        bytes = rest.get(length..).unwrap_or_default();
    }
    false
}

pub async fn an_unchanged_conversation_is_answered() {
    let guarded = Guarded::start().await;
    let mut bytes = PREFACE.to_vec();
    conversation().iter().for_each(|frame| frame.encode(&mut bytes));
    let mut connection = TcpStream::connect(guarded.server.address()).await.expect("a connection");
    connection.write_all(&bytes).await.expect("they are taken");
    let mut answers = Vec::new();
    // The first answer, the Welcome, the second answer: DATA comes on all three streams.
    while [1, 3, 5].iter().any(|stream| !has_data(&answers, *stream)) {
        let read = crate::support::within("an answer", connection.read_buf(&mut answers)).await.expect("more");
        assert!(read > 0, "it hung up after {} bytes", answers.len());
    }
    drop(connection);
    guarded.ends_as_it_began().await;
}

pub async fn mutated_http2_ends_its_connection_at_most() {
    const CONNECTIONS: usize = 1500;
    let mut rng = draws();
    let guarded = Guarded::start().await;
    for _ in 0..CONNECTIONS {
        let bytes = mutated(&mut rng);
        exchange(&guarded, &bytes, rng.random_range(1..4000)).await;
    }
    guarded.ends_as_it_began().await;
}

pub async fn random_bytes_end_their_connection() {
    const CONNECTIONS: usize = 300;
    let mut rng = draws();
    let guarded = Guarded::start().await;
    for n in 0..CONNECTIONS {
        let mut bytes = vec![0; rng.random_range(0..5000)];
        rng.fill_bytes(&mut bytes);
        // Half of them begin well.
        let begin = if n % 2 == 0 { PREFACE } else { &[] };
        exchange(&guarded, &[begin, &bytes].concat(), 1000).await;
    }
    guarded.ends_as_it_began().await;
}
