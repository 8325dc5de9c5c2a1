//! beanstalkd, over the part of its text protocol that a producer and a worker need: put, reserve, delete.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail, ensure};
use futures_util::future::{FutureExt, LocalBoxFuture};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::{Server, Work};
use crate::load::{self, Load, PAYLOAD_BYTES, Span};
use crate::meter::Meter;
use crate::process::Process;
use crate::results::Run;
use crate::workloads::Bench;
use crate::workloads::batch::CALLERS;
use crate::workloads::cycle::BATCH;

pub(super) const NAME: &str = "beanstalkd";

const WORKERS: usize = 4;
/// Jobs that a worker asks for, and then deletes, at a time.
const WINDOW: usize = 100;
/// How long a worker may keep a job: longer than any measurement takes.
const TIME_TO_RUN_SECONDS: u32 = 3600;

/// A program that can be started.
pub(super) struct Beanstalkd {
    program: PathBuf,
    version: String,
}

impl Beanstalkd {
    /// Looks for it on PATH.
    ///
    /// # Errors
    /// It isn't there.
    pub(super) fn find() -> Result<Self> {
        let program = super::on_path("beanstalkd")?;
        let version = super::version(&program, "-v")?;
        Ok(Self { program, version })
    }

    async fn measure(&self, bench: &Bench, work: Work) -> Result<Run> {
        let dir = tempfile::tempdir_in(&bench.place)?;
        let args = |port| {
            let binlog = format!("-b{}", dir.path().display());
            vec!["-l127.0.0.1".to_owned(), format!("-p{port}"), binlog, "-f0".to_owned()]
        };
        let server = Process::start_at_port(&self.program, args, &dir.path().join("log"))?;
        let span = match work {
            Work::Unary { callers } => unary(&server, bench, callers).await?,
            Work::Cycle => cycle(&server, super::cycle_jobs(bench)).await?,
            Work::Delivery { per_second } => delivery(&server, bench, per_second).await?,
        };
        Ok(span.run())
    }
}

impl Server for Beanstalkd {
    fn description(&self) -> String {
        format!(
            "{}, started with `-b DIR -f0`: every put and every delete is written to its log and synced, each by itself, before \
             it is answered; that a job is reserved isn't kept. Its protocol knows no batches, but lets commands follow each \
             other unanswered: in (c) each of {CALLERS} producers sends {BATCH} puts at a time, and each of {WORKERS} workers \
             {WINDOW} reserves and {WINDOW} deletes. In (a) each caller has a connection and one put on its way, and in (e) \
             {WORKERS} workers reserve one job at a time.",
            self.version
        )
    }

    fn run<'a>(&'a self, bench: &'a Bench, work: Work) -> LocalBoxFuture<'a, Result<Run>> {
        self.measure(bench, work).boxed_local()
    }
}

async fn unary(server: &Process, bench: &Bench, callers: usize) -> Result<Span> {
    let (mut load, calls) = (Load::new(), Meter::new());
    let command = put(&[b'x'; PAYLOAD_BYTES]);
    load.add_callers(callers, &calls, connections(server.address, callers).await?, async move |connection| {
        connection.put(&command, 1).await?;
        Ok(1)
    });
    load.measure(server, &calls, bench.size.warm, bench.size.length).await
}

/// As ours: until the last of so many jobs is deleted.
async fn cycle(server: &Process, jobs: u64) -> Result<Span> {
    let (mut load, calls, deleted) = (Load::new(), Meter::new(), Meter::new());
    for _ in 0..WORKERS {
        load.add(work(server.address, WINDOW, deleted.clone(), |_| {}));
    }
    let left = Rc::new(Cell::new(jobs));
    let commands = put(&[b'x'; PAYLOAD_BYTES]);
    load.add_callers(CALLERS, &calls, connections(server.address, CALLERS).await?, async move |connection| {
        let count = BATCH.min(left.get());
        left.set(left.get() - count);
        if count == 0 {
            pending::<()>().await;
        }
        connection.put(&commands.repeat(count as usize), count).await?;
        Ok(count)
    });
    let ((), span) = load.measure_until(server, &deleted, deleted.reaches(jobs)).await?;
    Ok(span)
}

/// As ours: times are from the instant at which a job was due until a worker has it.
async fn delivery(server: &Process, bench: &Bench, per_second: u32) -> Result<Span> {
    let (mut load, delivered, began) = (Load::new(), Meter::new(), Instant::now());
    let Connection { mut to_server, mut answers } = Connection::open(server.address).await?;
    load.add(async move {
        let mut due = load::pace(per_second);
        while let Some(at) = due.recv().await {
            let nanos = u64::try_from(at.duration_since(began).as_nanos())?;
            to_server.write_all(&put(&load::stamped(nanos))).await?;
        }
        Ok(())
    });
    load.add(async move {
        loop {
            answers.expect(&Answer::Inserted).await?;
        }
    });
    for _ in 0..WORKERS {
        let meter = delivered.clone();
        load.add(work(server.address, 1, Meter::new(), move |payload| {
            let due = load::stamp(payload).map(|nanos| began + Duration::from_nanos(nanos));
            meter.add_time(due.expect("the payload that was put"));
            meter.add_jobs(1);
        }));
    }
    load.measure(server, &delivered, bench.size.warm, bench.size.length).await
}

/// A worker that reserves up to `window` jobs at a time, shows each to `job`, and deletes all that it got; `deleted` counts those
/// that are gone.
async fn work(address: SocketAddr, window: usize, deleted: Meter, mut job: impl FnMut(&[u8])) -> Result<()> {
    let mut connection = Connection::open(address).await?;
    let mut reserved = Vec::new();
    loop {
        connection.to_server.write_all(worker_commands(&reserved, window).as_bytes()).await?;
        for _ in reserved.drain(..) {
            connection.answers.expect(&Answer::Deleted).await?;
            deleted.add_jobs(1);
        }
        for _ in 0..window {
            match connection.answers.next().await? {
                Answer::Reserved { id, bytes } => {
                    job(connection.answers.body(bytes).await?);
                    reserved.push(id);
                }
                Answer::TimedOut => {}
                other => bail!("a reserve was answered with {other:?}"),
            }
        }
    }
}

/// Deletes come first: the server answers in order, and the first reserve is answered only once there is a job.
fn worker_commands(reserved: &[u64], window: usize) -> String {
    let deletes: String = reserved.iter().map(|id| format!("delete {id}\r\n")).collect();
    deletes + "reserve\r\n" + &"reserve-with-timeout 0\r\n".repeat(window - 1)
}

/// The command that enqueues a job.
fn put(payload: &[u8]) -> Vec<u8> {
    let mut command = format!("put 0 0 {TIME_TO_RUN_SECONDS} {}\r\n", payload.len()).into_bytes();
    command.extend_from_slice(payload);
    command.extend_from_slice(b"\r\n");
    command
}

/// So many connections, handed out by their numbers, each once.
async fn connections(address: SocketAddr, count: usize) -> Result<impl Fn(usize) -> Connection> {
    let mut connections = Vec::new();
    for _ in 0..count {
        connections.push(Some(Connection::open(address).await?));
    }
    let connections = RefCell::new(connections);
    Ok(move |number: usize| connections.borrow_mut()[number].take().expect("each number comes once"))
}

struct Connection {
    to_server: OwnedWriteHalf,
    answers: Answers,
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (from_server, to_server) = stream.into_split();
        let answers = Answers { from_server: BufReader::new(from_server), line: String::new(), body: Vec::new() };
        Ok(Self { to_server, answers })
    }

    /// Sends so many puts, and waits until all of them are answered.
    async fn put(&mut self, commands: &[u8], count: u64) -> Result<()> {
        self.to_server.write_all(commands).await?;
        for _ in 0..count {
            self.answers.expect(&Answer::Inserted).await?;
        }
        Ok(())
    }
}

struct Answers {
    from_server: BufReader<OwnedReadHalf>,
    line: String,
    body: Vec<u8>,
}

impl Answers {
    async fn next(&mut self) -> Result<Answer> {
        self.line.clear();
        ensure!(self.from_server.read_line(&mut self.line).await? > 0, "the server has ended a connection");
        self.line.parse()
    }

    async fn expect(&mut self, expected: &Answer) -> Result<()> {
        let answer = self.next().await?;
        ensure!(answer == *expected, "{expected:?} was expected, not {answer:?}");
        Ok(())
    }

    /// The payload that follows an answer which gave so many bytes.
    async fn body(&mut self, bytes: usize) -> Result<&[u8]> {
        self.body.resize(bytes + END.len(), 0);
        self.from_server.read_exact(&mut self.body).await?;
        self.body.strip_suffix(END).context("a payload is longer than was said")
    }
}

/// What ends a line and a payload.
const END: &[u8] = b"\r\n";

/// An answer's line.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Inserted,
    Reserved { id: u64, bytes: usize },
    TimedOut,
    Deleted,
}

impl FromStr for Answer {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self> {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["INSERTED", _] => Ok(Self::Inserted),
            ["RESERVED", id, bytes] => Ok(Self::Reserved { id: id.parse()?, bytes: bytes.parse()? }),
            ["TIMED_OUT"] => Ok(Self::TimedOut),
            ["DELETED"] => Ok(Self::Deleted),
            _ => bail!("an answer that isn't expected: {line:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_others_refused() {
        let read = |line: &str| line.parse::<Answer>().ok();
        assert_eq!(read("INSERTED 7\r\n"), Some(Answer::Inserted));
        assert_eq!(read("RESERVED 7 256\r\n"), Some(Answer::Reserved { id: 7, bytes: 256 }));
        assert_eq!(read("TIMED_OUT\r\n"), Some(Answer::TimedOut));
        assert_eq!(read("DELETED\r\n"), Some(Answer::Deleted));
        for refused in ["", "\r\n", "OUT_OF_MEMORY\r\n", "BURIED 7\r\n", "RESERVED 7\r\n", "RESERVED 7 -1\r\n"] {
            assert_eq!(read(refused), None, "{refused:?}");
        }
    }

    #[test]
    fn commands_are_as_the_protocol_has_them() {
        assert_eq!(put(b"a\r\nb"), b"put 0 0 3600 4\r\na\r\nb\r\n");
        let commands = worker_commands(&[3, 14], 2);
        assert_eq!(commands, "delete 3\r\ndelete 14\r\nreserve\r\nreserve-with-timeout 0\r\n");
        assert_eq!(worker_commands(&[], 1), "reserve\r\n");
    }

    #[tokio::test]
    async fn a_payload_may_hold_what_ends_a_line() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = Connection::open(listener.local_addr().unwrap()).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        server.write_all(b"RESERVED 1 4\r\na\r\nb\r\nDELETED\r\nRESERVED 2 1\r\nab\r\n").await.unwrap();
        drop(server);
        let answers = &mut connection.answers;
        assert_eq!(answers.next().await.unwrap(), Answer::Reserved { id: 1, bytes: 4 });
        assert_eq!(answers.body(4).await.unwrap(), b"a\r\nb");
        answers.expect(&Answer::Deleted).await.unwrap();
        assert_eq!(answers.next().await.unwrap(), Answer::Reserved { id: 2, bytes: 1 });
        assert!(answers.body(1).await.is_err(), "two bytes came where one was said");
        assert!(answers.next().await.is_err());
    }
}
