//! A server that is watched: what it was like before, who goes on beside whatever happens, and that all is as it was after.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, sleep};
use tonic::Status;

use crate::support::calls::{Calls, bound_job, job_id, job_in, lease_id, of_queue, success, while_in_flight};
use crate::support::server::Server;
use crate::support::stream::{Stream, hello};
use crate::support::wire::{self, SettleStatus, job_spec::Payload};
use crate::support::{PATIENCE, until, within};

/// How much more memory a server may have at the end than at the beginning, in bytes.
const GROWTH_BYTES_MAX: u64 = 10 << 20;
/// The neighbour's queue, worker and budget. Nobody guesses it.
const NEIGHBOUR: &str = "neighbour-3f9c1e";
/// Jobs that the neighbour does before a server counts as warm, and again at the end.
const WARM_JOBS: u64 = 100;
/// Between two jobs of the neighbour: it is there, and leaves the machine to others.
const PACE: Duration = Duration::from_millis(20);
/// What goes into one call, and what a job adds to its payload at the most.
const BATCH_BYTES: usize = 16 << 20;
const JOB_BYTES: usize = 2 << 10;
/// Between two looks at memory: an allocator gives back what was free for a while.
const LOOK_AT_MEMORY_EVERY: Duration = Duration::from_millis(100);
const AT_LAST_JOBS: u64 = 20;

/// A server under watch.
pub struct Guarded {
    pub server: Server,
    /// The test's own calls.
    pub calls: Calls,
    neighbour: Neighbour,
    before: Usage,
}

/// What a process uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Memory that is resident, in bytes.
    pub memory: u64,
    files: usize,
    threads: usize,
}

impl Usage {
    /// Of the server; where the kernel doesn't tell, nothing, which never grows.
    pub fn of(server: &Server) -> Self {
        let proc = format!("/proc/{}", server.pid());
        let status = fs::read_to_string(format!("{proc}/status")).unwrap_or_default();
        let field = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        let files = fs::read_dir(format!("{proc}/fd")).map_or(0, Iterator::count);
        Self { memory: field("VmRSS:") << 10, files, threads: field("Threads:") as usize }
    }

    fn is_within(self, before: Self) -> bool {
        self.memory <= before.memory + GROWTH_BYTES_MAX && self.files <= before.files && self.threads <= before.threads
    }
}

impl Guarded {
    /// A server with a neighbour at work.
    pub async fn start() -> Self {
        Self::with_flags(&[]).await
    }

    /// The same with more flags.
    pub async fn with_flags(flags: &[&str]) -> Self {
        Self::warmed_by(flags, 1000, 0).await
    }

    /// The same, where a good worker has had so many jobs in hand, with payloads of so many bytes: the room that a server has
    /// made for so much work isn't taken for a leak.
    pub async fn warmed_by(flags: &[&str], jobs: usize, payload_bytes: usize) -> Self {
        // A cache that is full early, for the same reason.
        let log: &[_] = if flags.iter().any(|flag| flag.starts_with("--log")) { &[] } else { &["--log=info"] };
        let server = Server::with_flags(&[&["--cache-mb=1"], log, flags].concat()).await;
        let mut calls = server.calls().await;
        calls.create_budget(NEIGHBOUR, while_in_flight(2)).await;
        fill_journal(&mut calls).await;
        warm(&server, jobs, payload_bytes).await;
        let mut warming = Neighbour::start(server.calls().await);
        warming.has_done(WARM_JOBS).await;
        assert_eq!(warming.end().await, Ok(()), "before anything has happened");
        let before = steady(&server).await;
        let neighbour = Neighbour::start(server.calls().await);
        Self { server, calls, neighbour, before }
    }

    /// How much the server's memory has grown, in bytes.
    pub fn growth(&self) -> u64 {
        Usage::of(&self.server).memory.saturating_sub(self.before.memory)
    }

    /// Does all jobs of a queue, and returns their ids.
    pub async fn work_off(&mut self, queue: &str) -> BTreeSet<String> {
        let mut done = BTreeSet::new();
        let calls = self.server.calls().await;
        let (mut stream, _) = Stream::open(&calls, hello("works-off", queue, 1000)).await;
        while self.calls.count(of_queue(queue)).await > 0 {
            let Ok(jobs) = tokio::time::timeout(Duration::from_millis(200), stream.pushed()).await else {
                continue;
            };
            let results = stream.settle(jobs.iter().map(|job| success(&lease_id(job))).collect()).await;
            for (job, result) in jobs.iter().zip(results) {
                assert_eq!(result.status(), SettleStatus::Settled);
                assert!(done.insert(job_id(job)), "a job was done twice");
            }
        }
        done
    }

    /// Ends and forgets all jobs and budgets but the neighbour's, whatever they are.
    pub async fn clear(&mut self) {
        for queue in queues(&mut self.calls).await {
            if queue.name == NEIGHBOUR {
                continue;
            }
            let filter = Some(of_queue(&queue.name));
            let cancel = wire::CancelJobsRequest { filter: filter.clone(), force: true, ..Default::default() };
            self.calls.jobs.cancel_jobs(cancel).await.expect("they are cancelled");
            let delete = wire::DeleteJobsRequest { filter, ..Default::default() };
            self.calls.jobs.delete_jobs(delete).await.expect("they are deleted");
        }
        for budget in budgets(&mut self.calls).await {
            if budget.key != NEIGHBOUR {
                let delete = wire::DeleteBudgetRequest { key: budget.key, ..Default::default() };
                self.calls.budgets.delete_budget(delete).await.expect("nothing is bound to it");
            }
        }
    }

    /// Everything is as it was: the neighbour was never disturbed and goes on, no session, connection or memory is left, no job
    /// is, every budget has all of its tokens, nothing panicked, and the server ends when it is told to.
    pub async fn ends_as_it_began(mut self) {
        self.neighbour.has_done(self.neighbour.done() + AT_LAST_JOBS).await;
        assert_eq!(self.neighbour.end().await, Ok(()), "the well-behaved neighbour");
        let calls = &mut self.calls;
        until("the end of all sessions", async || (workers(calls).await == 0).then_some(())).await;
        assert_eq!(calls.count(wire::JobFilter::default()).await, 0, "jobs are left");
        for budget in budgets(calls).await {
            let (policy, status) = (budget.policy.expect("a policy"), budget.status.expect("a status"));
            let all = i128::from(policy.allocation);
            assert_eq!(i128::from(status.available), all, "tokens of {}", budget.key);
            assert_eq!((status.in_flight_cost, status.in_flight_jobs), (0, 0), "{}", budget.key);
        }
        let deadline = Instant::now() + PATIENCE;
        let now = loop {
            breathe(calls).await;
            let now = Usage::of(&self.server);
            if now.is_within(self.before) {
                break now;
            }
            assert!(Instant::now() < deadline, "{:?} before, {now:?} after", self.before);
            sleep(LOOK_AT_MEMORY_EVERY).await;
        };
        println!("before {:?}, after {now:?}", self.before);
        self.ends().await;
    }

    /// The server ends when it is told to, and hasn't panicked.
    pub async fn ends(mut self) {
        self.server.signal(Signal::SIGTERM);
        assert_eq!(self.server.ended().await.code(), Some(0));
        has_not_panicked(&self.server);
    }
}

/// A large job that comes and goes. The allocator gives free memory back to the system when it next has to do with large
/// pieces, not by itself: an idle server keeps what its last large request took.
async fn breathe(calls: &mut Calls) {
    let payload = Some(Payload::Binary(vec![7; 1 << 20].into()));
    let id = calls.enqueue(wire::JobSpec { payload, ..job_in(NEIGHBOUR) }).await;
    let ids = Some(wire::JobIds { ids: vec![id] });
    let filter = Some(wire::JobFilter { ids, ..wire::JobFilter::default() });
    let delete = wire::DeleteJobsRequest { filter, validate_only: false };
    calls.jobs.delete_jobs(delete).await.expect("it waits for nobody");
}

/// Checks what the server has logged.
pub fn has_not_panicked(server: &Server) {
    let log = server.log();
    let panics: Vec<_> = log.lines().filter(|line| line.contains("panicked") || line.contains("is a bug")).collect();
    assert!(panics.is_empty(), "{panics:#?}");
}

/// Jobs that come and go, until each segment of the journal has been full once: what it holds stays in memory until then, and
/// the room for it is kept.
async fn fill_journal(calls: &mut Calls) {
    const SEGMENT_BYTES: usize = 8 << 20;
    const SEGMENTS_FILLED: usize = 3;
    let payload = Some(Payload::Binary(vec![7; JOB_BYTES].into()));
    let job = wire::JobSpec { payload, ..job_in(NEIGHBOUR) };
    for _ in 0..SEGMENTS_FILLED {
        calls.enqueue_all(vec![job.clone(); SEGMENT_BYTES / JOB_BYTES]).await;
        let delete = wire::DeleteJobsRequest { filter: Some(of_queue(NEIGHBOUR)), validate_only: false };
        calls.jobs.delete_jobs(delete).await.expect("nobody has them");
    }
}

/// A good worker that has many jobs in hand, and settles them.
async fn warm(server: &Server, jobs: usize, payload_bytes: usize) {
    let mut calls = server.calls().await;
    let payload = Some(Payload::Binary(vec![7; payload_bytes].into()));
    let job = wire::JobSpec { payload, ..job_in(NEIGHBOUR) };
    let batch = (BATCH_BYTES / (payload_bytes + JOB_BYTES)).min(jobs);
    for _ in 0..jobs.div_ceil(batch) {
        calls.enqueue_all(vec![job.clone(); batch]).await;
    }
    let window = Some(wire::Window { max_jobs: 2 * jobs as u64, max_bytes: 1 << 30 });
    let (mut stream, _) = Stream::open(&calls, wire::WorkerHello { window, ..hello(NEIGHBOUR, NEIGHBOUR, 0) }).await;
    let jobs = stream.jobs(jobs.div_ceil(batch) * batch).await;
    for some in jobs.chunks(1000) {
        stream.settle(some.iter().map(|job| success(&lease_id(job))).collect()).await;
    }
    stream.close();
    stream.end().await.expect("a good end");
}

/// What the server uses once its files are as many as in the look before: connections have ended.
async fn steady(server: &Server) -> Usage {
    let mut last = Usage::of(server);
    until("a steady server", async || {
        let before = std::mem::replace(&mut last, Usage::of(server));
        (before == last).then_some(last)
    })
    .await
}

/// How many sessions there are, by the queues they serve.
pub async fn workers(calls: &mut Calls) -> u32 {
    queues(calls).await.iter().map(|queue| queue.workers).sum()
}

/// All queues.
async fn queues(calls: &mut Calls) -> Vec<wire::Queue> {
    let mut queues = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = wire::ListQueuesRequest { page_size: 1000, page_token };
        let page = calls.queues.list_queues(request).await.expect("queues").into_inner();
        queues.extend(page.queues);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return queues;
        }
    }
}

/// All budgets.
pub async fn budgets(calls: &mut Calls) -> Vec<wire::Budget> {
    let mut budgets = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = wire::ListBudgetsRequest { page_size: 1000, page_token };
        let page = calls.budgets.list_budgets(request).await.expect("budgets").into_inner();
        budgets.extend(page.budgets);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return budgets;
        }
    }
}

/// A client as it should be: it enqueues, works and settles on a connection of its own, and must never notice anything.
struct Neighbour {
    stop: watch::Sender<bool>,
    done: watch::Receiver<u64>,
    working: JoinHandle<Result<(), Status>>,
}

impl Neighbour {
    fn start(calls: Calls) -> Self {
        let (stop, stopping) = watch::channel(false);
        let (count, done) = watch::channel(0);
        Self { stop, done, working: tokio::spawn(work(calls, stopping, count)) }
    }

    fn done(&self) -> u64 {
        *self.done.borrow()
    }

    async fn has_done(&self, jobs: u64) {
        let mut done = self.done.clone();
        // One that has ended early says why at its end.
        let _ = within("the neighbour's work", done.wait_for(|done| *done >= jobs)).await;
    }

    async fn end(&mut self) -> Result<(), String> {
        self.stop.send_replace(true);
        let ended = within("the neighbour's end", &mut self.working).await.expect("no panic");
        ended.map_err(|status| format!("{status:?}"))
    }
}

async fn work(mut calls: Calls, stopping: watch::Receiver<bool>, count: watch::Sender<u64>) -> Result<(), Status> {
    let (mut stream, _) = Stream::open(&calls, hello(NEIGHBOUR, NEIGHBOUR, 2)).await;
    let mut pace = tokio::time::interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !*stopping.borrow() {
        pace.tick().await;
        let job = Some(bound_job(NEIGHBOUR, &[(NEIGHBOUR, 2)]));
        calls.jobs.enqueue(wire::EnqueueRequest { job, request_id: String::new() }).await?;
        let lease = stream.one_lease().await;
        let results = stream.settle(vec![success(&lease)]).await;
        assert_eq!(results[0].status(), SettleStatus::Settled);
        count.send_modify(|done| *done += 1);
    }
    stream.close();
    stream.end().await
}
