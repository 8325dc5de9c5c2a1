//! What is put on a server: producers that call as fast as they are answered, producers that keep to a pace whatever happens,
//! and workers that do nothing but settle.
//!
//! All of it runs on one thread, which leaves the other core to the server.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::prctl;
use prost::Message;
use prost::bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};

use crate::measured;
use crate::meter::{Meter, Reading};
use crate::process::{self, Process};
use crate::results::{Figure, Run};
use crate::wire::budget_service_client::BudgetServiceClient;
use crate::wire::lean::dispatch_request::Frame as ToServer;
use crate::wire::lean::dispatch_response::Frame;
use crate::wire::lean::job_service_client::JobServiceClient;
use crate::wire::lean::{self, DispatchRequest};
use crate::wire::{self, SettleStatus};

/// A producer or a worker of the job service.
pub type Jobs = JobServiceClient<Channel>;

/// Bytes of a job's payload: with its queue and type the job is a message of about 300 bytes.
pub const PAYLOAD_BYTES: usize = 256;
/// The queue where nothing else is said.
pub const QUEUE: &str = "bench";
/// Over how many connections the callers of one workload come.
pub const CONNECTIONS: usize = 4;

/// Frames that may wait to be sent.
const FRAMES_WAITING: usize = 4096;
const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// What may be on its way on a stream, and on a connection.
pub const STREAM_WINDOW_BYTES: u32 = 1 << 20;
/// As [`STREAM_WINDOW_BYTES`].
pub const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;
/// The length of a lease: longer than any workload takes.
const LEASE_SECONDS: i64 = 3600;

/// A connection of its own.
///
/// # Errors
/// Nobody listens.
pub async fn connect(address: SocketAddr) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?
        .tcp_nodelay(true)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    Ok(endpoint.connect().await?)
}

/// So many connections.
///
/// # Errors
/// As [`connect`].
pub async fn connections(address: SocketAddr, count: usize) -> Result<Vec<Channel>> {
    let mut channels = Vec::new();
    for _ in 0..count {
        channels.push(connect(address).await?);
    }
    Ok(channels)
}

/// The job service over a connection.
pub fn jobs(channel: Channel) -> Jobs {
    JobServiceClient::new(channel).max_decoding_message_size(MESSAGE_BYTES_MAX)
}

/// A message as bytes.
pub fn encoded(message: &impl Message) -> Bytes {
    message.encode_to_vec().into()
}

/// A job of which nothing is said but where it waits and what it costs. It is forgotten once it is done.
pub fn job(queue: &str, bindings: Vec<wire::Binding>) -> wire::JobSpec {
    wire::JobSpec {
        queue: queue.to_owned(),
        r#type: "job".to_owned(),
        payload: Some(wire::job_spec::Payload::Binary(vec![b'x'; PAYLOAD_BYTES].into())),
        bindings,
        ..Default::default()
    }
}

/// What a job costs one budget.
pub fn binding(budget: String, cost: u64) -> wire::Binding {
    wire::Binding { budget, cost: Some(cost), ..Default::default() }
}

/// The budget service over a connection.
pub fn budgets(channel: Channel) -> BudgetServiceClient<Channel> {
    BudgetServiceClient::new(channel)
}

/// Enqueues encoded jobs in one call.
///
/// # Errors
/// The call is refused.
pub async fn enqueue(client: &mut Jobs, jobs: Vec<Bytes>) -> Result<()> {
    client.batch_enqueue(lean::BatchEnqueueRequest { jobs }).await?;
    Ok(())
}

/// All that is put on a server at one time. What it consists of goes on until this is dropped, or fails.
pub struct Load {
    tasks: JoinSet<Result<()>>,
}

/// A span of time in which a load was measured.
pub struct Span {
    /// What the meter has counted.
    pub reading: Reading,
    /// How long it was.
    pub elapsed: Duration,
    /// What the server's threads have taken of the processor.
    pub cpu: Duration,
    /// What this process has taken of it.
    load_cpu: Duration,
    /// The server's resident memory at its end.
    memory_bytes: u64,
    from_ns: u64,
    until_ns: u64,
}

impl Load {
    /// Nothing.
    pub fn new() -> Self {
        Self { tasks: JoinSet::new() }
    }

    /// With one more part.
    pub fn add(&mut self, part: impl Future<Output = Result<()>> + 'static) {
        self.tasks.spawn_local(part);
    }

    /// With so many callers who call again as soon as they are answered. `client` makes the client of each, by its number;
    /// `call` says how many jobs a call was about.
    pub fn add_callers<T: 'static>(
        &mut self,
        count: usize,
        meter: &Meter,
        client: impl Fn(usize) -> T,
        call: impl AsyncFn(&mut T) -> Result<u64> + Clone + 'static,
    ) {
        for number in 0..count {
            let (meter, mut client, call) = (meter.clone(), client(number), call.clone());
            self.add(async move {
                loop {
                    let began = Instant::now();
                    let jobs = call(&mut client).await?;
                    meter.add_time(began);
                    meter.add_jobs(jobs);
                }
            });
        }
    }

    /// With so many workers of the queue where nothing else is said, each over a connection of its own. `settled` and `job` are as
    /// for [`work`].
    ///
    /// # Errors
    /// Nobody listens.
    pub async fn add_workers(
        &mut self,
        address: SocketAddr,
        workers: Workers,
        settled: &Meter,
        job: impl FnMut(lean::LeasedJob) -> lean::SettleOutcome + Clone + 'static,
    ) -> Result<()> {
        let Workers { count, window, one_by_one } = workers;
        for (number, channel) in connections(address, count).await?.into_iter().enumerate() {
            let shape = Shape { name: format!("worker-{number}"), queue: QUEUE.to_owned(), window, one_by_one };
            self.add(work(channel, shape, settled.clone(), job.clone()));
        }
        Ok(())
    }

    /// Waits for `done`, or fails as soon as a part does.
    ///
    /// # Errors
    /// What the part failed with.
    pub async fn until<T>(&mut self, done: impl Future<Output = T>) -> Result<T> {
        tokio::pin!(done);
        loop {
            tokio::select! {
                value = &mut done => return Ok(value),
                Some(ended) = self.tasks.join_next() => ended?.context("a part of the load failed")?,
            }
        }
    }

    /// Fails if a part has.
    ///
    /// # Errors
    /// What the part failed with.
    pub fn check(&mut self) -> Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            ended?.context("a part of the load failed")?;
        }
        Ok(())
    }

    /// Lets it warm up, and then measures for so long.
    ///
    /// # Errors
    /// A part of the load failed, or the server ended.
    pub async fn measure(&mut self, server: &Process, meter: &Meter, warm: Duration, length: Duration) -> Result<Span> {
        self.until(tokio::time::sleep(warm)).await?;
        Ok(self.measure_until(server, meter, tokio::time::sleep(length)).await?.1)
    }

    /// Measures until `done`, and says what came of that.
    ///
    /// # Errors
    /// As [`Load::measure`].
    pub async fn measure_until<T>(
        &mut self,
        server: &Process,
        meter: &Meter,
        done: impl Future<Output = T>,
    ) -> Result<(T, Span)> {
        let (from_ns, began, cpu, load_cpu) = (measured::now(), Instant::now(), server.cpu()?, process::own_cpu()?);
        meter.open();
        let value = self.until(done).await?;
        let (reading, elapsed, until_ns) = (meter.close(), began.elapsed(), measured::now());
        let cpu = server.cpu()?.saturating_sub(cpu);
        let load_cpu = process::own_cpu()?.saturating_sub(load_cpu);
        let memory_bytes = server.memory_bytes()?;
        Ok((value, Span { reading, elapsed, cpu, load_cpu, memory_bytes, from_ns, until_ns }))
    }
}

impl Span {
    /// Jobs a second.
    pub fn rate(&self) -> f64 {
        self.reading.jobs as f64 / self.elapsed.as_secs_f64()
    }

    /// Rate, times, processor time and memory.
    pub fn run(&self) -> Run {
        let us_a_job = |cpu: Duration| cpu.as_secs_f64() * 1e6 / (self.reading.jobs.max(1) as f64);
        let run = Run::default()
            .with(Figure::Rate, self.rate())
            .with(Figure::Cpu, us_a_job(self.cpu))
            .with(Figure::LoadCpu, us_a_job(self.load_cpu))
            .with_memory(self.memory_bytes);
        if self.reading.times.is_empty() { run } else { run.with_times(&self.reading.times) }
    }

    /// The same with what the server has measured of itself meanwhile.
    pub fn run_with(&self, server: &measured::Measured) -> Run {
        let sums = server.between(self.from_ns, self.until_ns);
        let per_commit = |count: u64| count as f64 / sums.commits.max(1) as f64;
        let mut run = self.run().with(Figure::Turn, sums.turn.max() as f64 / 1e6);
        if sums.commits > 0 {
            run = run.with(Figure::Syncs, per_commit(sums.syncs));
            run = run.with(Figure::Jobs, per_commit(sums.enqueued.max(sums.settled)));
        }
        if !sums.decision.is_empty() {
            run = run.with(Figure::Decision, sums.decision.value_at_quantile(0.99) as f64 / 1e3);
        }
        run
    }
}

/// How a worker works.
#[derive(Clone)]
pub struct Shape {
    /// The worker's name, which is its identity.
    pub name: String,
    /// The queue that it works on.
    pub queue: String,
    /// How many jobs it takes at a time.
    pub window: u64,
    /// Whether it settles each job in a message of its own; otherwise all that came in one message together.
    pub one_by_one: bool,
}

/// How workers of the queue where nothing else is said work.
#[derive(Clone, Copy)]
pub struct Workers {
    /// How many there are.
    pub count: usize,
    /// As of a [`Shape`].
    pub window: u64,
    /// As of a [`Shape`].
    pub one_by_one: bool,
}

impl Workers {
    /// As many as most workloads have.
    pub const FOUR: Self = Self { count: 4, window: 1024, one_by_one: false };
}

/// A worker: `job` is told of each job that comes, and says how it ended; `settled` counts those that the server has
/// confirmed as ended.
///
/// # Errors
/// The stream ends, or a job isn't settled.
pub async fn work(
    channel: Channel,
    shape: Shape,
    settled: Meter,
    mut job: impl FnMut(lean::LeasedJob) -> lean::SettleOutcome,
) -> Result<()> {
    let (to_server, requests) = mpsc::channel(FRAMES_WAITING);
    let say = async |frame| to_server.send(DispatchRequest { frame: Some(frame) }).await;
    say(ToServer::Hello(encoded(&hello(&shape)))).await?;
    let mut frames = jobs(channel).dispatch(ReceiverStream::new(requests)).await?.into_inner();
    while let Some(response) = frames.message().await? {
        match response.frame.context("a frame that a worker doesn't expect")? {
            Frame::Jobs(pushed) => {
                let mut outcomes: Vec<_> = pushed.jobs.into_iter().map(&mut job).collect();
                let at_once = if shape.one_by_one { 1 } else { outcomes.len() };
                while !outcomes.is_empty() {
                    let rest = outcomes.split_off(at_once);
                    say(ToServer::Settle(lean::SettleLeases { outcomes })).await?;
                    outcomes = rest;
                }
            }
            Frame::Settled(answer) => {
                let settled_all = answer.results.iter().all(|result| result.status == SettleStatus::Settled as i32);
                ensure!(settled_all, "a job wasn't settled: {answer:?}");
                settled.add_jobs(answer.results.len() as u64);
            }
            Frame::Welcome(_) | Frame::Ping(_) => {}
        }
    }
    bail!("the server has ended a stream")
}

/// A worker's first words.
pub fn hello(shape: &Shape) -> wire::WorkerHello {
    wire::WorkerHello {
        worker_id: shape.name.clone(),
        queues: vec![wire::WorkerQueue { name: shape.queue.clone() }],
        window: Some(wire::Window { max_jobs: shape.window, max_bytes: 0 }),
        lease_duration: Some(prost_types::Duration { seconds: LEASE_SECONDS, nanos: 0 }),
        ..Default::default()
    }
}

/// What a worker says of a job that is done.
pub fn success(job: lean::LeasedJob) -> lean::SettleOutcome {
    let lease = job.lease.unwrap_or_default();
    lean::SettleOutcome { lease_id: lease.id, success: Some(Bytes::new()), usage: Vec::new() }
}

/// A payload that begins with a number.
pub fn stamped(nanos: u64) -> Vec<u8> {
    let mut payload = vec![b'x'; PAYLOAD_BYTES];
    payload[..8].copy_from_slice(&nanos.to_le_bytes());
    payload
}

/// The number with which a payload begins.
pub fn stamp(payload: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(payload.get(..8)?.try_into().ok()?))
}

/// The payload of a job that came.
pub fn payload(job: &lean::LeasedJob) -> Option<&[u8]> {
    Some(&job.job.as_ref()?.spec.as_ref()?.binary)
}

/// Instants at a steady pace, kept by a thread that does nothing else: the instants come when they are due, whatever becomes
/// of what they are for. Ends once nobody listens.
pub fn pace(per_second: u32) -> mpsc::UnboundedReceiver<Instant> {
    let (due, instants) = mpsc::unbounded_channel();
    thread::spawn(move || {
        // Otherwise each sleep is up to 50 µs too long.
        let _ = prctl::set_timerslack(1);
        let (began, mut count) = (Instant::now(), 0);
        loop {
            let at = began + Duration::from_secs(1) * count / per_second;
            thread::sleep(at.saturating_duration_since(Instant::now()));
            if due.send(at).is_err() {
                return;
            }
            count += 1;
        }
    });
    instants
}
