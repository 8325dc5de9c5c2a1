//! The clients: many that enqueue, workers with handlers that settle, and operators, all of them until the server dies.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Response, Status};

use super::ledger::{BULK_CLIENTS, BULK_JOBS, KNOB, Ledger, QUEUE, RATE, SLOTS};
use super::trigger::{Heard, Trigger};
use crate::support::calls::{Calls, binding, bound_job, failure, kept, of_queue, release, success, while_in_flight};
use crate::support::server::Server;
use crate::support::stream::hello;
use crate::support::wire::dispatch_request::Frame as Sent;
use crate::support::wire::dispatch_response::Frame;
use crate::support::{until, wire, within};

const ENQUEUERS: usize = 240;
/// Connections that they share.
const ENQUEUING_CONNECTIONS: usize = 4;
const WORKERS: usize = 4;
const WINDOW: u64 = 48;
/// How many calls a server answers before it is killed, however slow the machine is.
const ANSWERED_MIN: usize = 500;
/// How long a handler is at work, at most.
const WORK_MS_MAX: u64 = 15;

/// Calls that a kill left unanswered, by what would have been heard.
pub struct Unanswered([usize; 4]);

impl Unanswered {
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [enqueues, settles, budgets, bulks] = self.0;
        let total = self.total();
        write!(f, "{total} ({enqueues} enqueues, {settles} settlements, {budgets} budget changes, {bulks} bulks)")
    }
}

/// What all clients share.
struct Shop {
    ledger: Arc<Ledger>,
    trigger: Trigger,
    answered: AtomicUsize,
    unanswered: [AtomicUsize; 4],
}

/// All clients of one server's life.
pub struct Load {
    shop: Arc<Shop>,
    clients: JoinSet<()>,
}

impl Load {
    /// Starts them all, to go on until the trigger goes off. What they draw at random comes from the seed.
    pub async fn start(server: &Server, ledger: &Arc<Ledger>, trigger: Trigger, seed: u64) -> Self {
        let shop = Arc::new(Shop {
            ledger: Arc::clone(ledger),
            trigger,
            answered: AtomicUsize::new(0),
            unanswered: Default::default(),
        });
        let mut rng = StdRng::seed_from_u64(seed);
        let mut clients = JoinSet::new();
        // Before there are workers, since what these are pushed is at work as well.
        let at_work = ledger.books().at_work();
        let calls = server.calls().await;
        for lease in at_work {
            clients.spawn(handle(Arc::clone(&shop), calls.clone(), lease, rng.random()));
        }
        for worker in 0..WORKERS {
            let calls = server.calls().await;
            clients.spawn(work(Arc::clone(&shop), calls, worker, rng.random()));
        }
        for _ in 0..ENQUEUING_CONNECTIONS {
            let calls = server.calls().await;
            for _ in 0..ENQUEUERS / ENQUEUING_CONNECTIONS {
                clients.spawn(enqueue(Arc::clone(&shop), calls.clone(), rng.random()));
            }
        }
        for client in 0..BULK_CLIENTS {
            clients.spawn(change_bulks(Arc::clone(&shop), server.calls().await, client));
        }
        let calls = server.calls().await;
        clients.spawn(turn_the_knob(Arc::clone(&shop), calls.clone()));
        clients.spawn(create_budgets(Arc::clone(&shop), calls));
        Self { shop, clients }
    }

    /// Lets them work for a while, and then until enough was answered and the trigger has gone off.
    pub async fn until_the_kill(&self, life: Duration) {
        tokio::time::sleep(life).await;
        let ripe = async || {
            assert!(!self.shop.ledger.has_failed(), "a client has failed; it has said how");
            if self.shop.answered.load(Ordering::SeqCst) >= ANSWERED_MIN {
                self.shop.trigger.arm();
                return Some(());
            }
            None
        };
        until("answered calls", ripe).await;
        let killed = async || {
            assert!(!self.shop.ledger.has_failed(), "a client has failed; it has said how");
            self.shop.trigger.dead.is_cancelled().then_some(())
        };
        until("the kill", killed).await;
    }

    /// Waits until every client knows that the server is dead, and says what it left unanswered.
    pub async fn end(mut self) -> Unanswered {
        while let Some(ended) = within("a client's end", self.clients.join_next()).await {
            ended.expect("no client panics");
        }
        Unanswered(self.shop.unanswered.each_ref().map(|count| count.load(Ordering::SeqCst)))
    }
}

impl Shop {
    /// Makes a call; `None` where the server died before its answer. Every other refusal is a failure of the test.
    async fn call<T>(&self, hears: Heard, call: impl Future<Output = Result<Response<T>, Status>>) -> Option<T> {
        if !self.trigger.begin() {
            return None;
        }
        let answer = within("an answer, or the server's death", call).await;
        self.trigger.end();
        match answer {
            Ok(answer) => {
                self.trigger.heard(hears);
                self.answered.fetch_add(1, Ordering::SeqCst);
                Some(answer.into_inner())
            }
            Err(status) => {
                if !self.is_frozen() {
                    self.ledger.fail(&format!("refused while the server was alive: {status:?}"));
                }
                self.unanswered[hears as usize].fetch_add(1, Ordering::SeqCst);
                None
            }
        }
    }

    fn is_frozen(&self) -> bool {
        self.trigger.is_frozen()
    }

    /// A stream has ended, which only the server's death may do.
    fn must_be_frozen(&self) {
        if !self.is_frozen() {
            self.ledger.fail("a stream ended while the server was alive");
        }
    }
}

/// Enqueues one job after the other.
async fn enqueue(shop: Arc<Shop>, mut calls: Calls, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    while !shop.is_frozen() {
        let cost = rng.random_range(1..=4);
        let job = match rng.random_range(0..4) {
            0 => bound_job(QUEUE, &[]),
            1 => bound_job(QUEUE, &[(RATE, cost)]),
            2 => bound_job(QUEUE, &[(SLOTS, cost)]),
            _ => bound_job(QUEUE, &[(RATE, cost), (SLOTS, rng.random_range(1..=4))]),
        };
        let priority = Some(rng.random_range(0..=2));
        let job = kept(wire::JobSpec { priority, max_attempts: Some(1000), ..job });
        let request_id = format!("{:032x}", rng.random::<u128>());
        let request = wire::EnqueueRequest { job: Some(job), request_id };
        match shop.call(Heard::Enqueued, calls.jobs.enqueue(request.clone())).await {
            Some(answer) => shop.ledger.books().enqueued(answer.job.expect("a job").id),
            None => shop.ledger.books().unanswered_enqueues.push(request),
        }
    }
}

/// Takes pushes until the stream ends, with a handler for each.
async fn work(shop: Arc<Shop>, calls: Calls, worker: usize, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (to_server, sent) = mpsc::channel(4);
    let hello = Sent::Hello(hello(&format!("w{worker}"), QUEUE, WINDOW));
    to_server.send(wire::DispatchRequest { frame: Some(hello) }).await.expect("room for a Hello");
    let Ok(frames) = calls.jobs.clone().dispatch(ReceiverStream::new(sent)).await else {
        return shop.must_be_frozen();
    };
    let mut frames = frames.into_inner();
    let mut handlers = JoinSet::new();
    // What was sent before the death still arrives.
    while let Ok(Some(response)) = within("a frame, or the server's death", frames.message()).await {
        if let Some(Frame::Jobs(pushed)) = response.frame {
            shop.trigger.heard(Heard::Pushed);
            for leased in &pushed.jobs {
                shop.ledger.books().dispatched(leased);
                let lease = crate::support::calls::lease_id(leased);
                handlers.spawn(handle(Arc::clone(&shop), calls.clone(), lease, rng.random()));
            }
        }
    }
    shop.must_be_frozen();
    while let Some(ended) = handlers.join_next().await {
        ended.expect("no handler panics");
    }
}

/// One job: it takes a while, and is settled. Where the server dies first, the handler goes on in its next life.
async fn handle(shop: Arc<Shop>, mut calls: Calls, lease: String, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let works = Duration::from_millis(rng.random_range(0..=WORK_MS_MAX));
    tokio::select! {
        () = tokio::time::sleep(works) => {}
        () = shop.trigger.dead.cancelled() => return,
    }
    if shop.is_frozen() {
        return;
    }
    let outcome = match rng.random_range(0..10) {
        0 => failure(&lease, "it broke"),
        1 => release(&lease),
        _ => success(&lease),
    };
    shop.ledger.books().handled(&lease);
    let request = wire::SettleJobsRequest { outcomes: vec![outcome.clone()] };
    match shop.call(Heard::Settled, calls.jobs.settle_jobs(request)).await {
        Some(answer) => {
            let status = answer.results[0].status();
            if status != wire::SettleStatus::Settled {
                shop.ledger.fail(&format!("{lease} of a handler at work: {status:?}"));
            }
            shop.ledger.books().settled(&outcome);
        }
        None => shop.ledger.books().unanswered_settles.push(outcome),
    }
}

/// Changes one budget's policy, again and again.
async fn turn_the_knob(shop: Arc<Shop>, mut calls: Calls) {
    while !shop.is_frozen() {
        let allocation = {
            let mut books = shop.ledger.books();
            books.knob_asked += 1;
            books.knob_asked
        };
        let request = wire::ReplaceBudgetRequest {
            key: KNOB.into(),
            policy: Some(while_in_flight(allocation)),
            allow_missing: true,
            etag: String::new(),
        };
        if shop.call(Heard::BudgetChanged, calls.budgets.replace_budget(request)).await.is_some() {
            shop.ledger.books().knob_acknowledged = allocation;
        }
    }
}

/// Creates one budget after the other, each by its number.
async fn create_budgets(shop: Arc<Shop>, mut calls: Calls) {
    while !shop.is_frozen() {
        let number = shop.ledger.books().created;
        let policy = Some(while_in_flight(number + 1));
        let request = wire::CreateBudgetRequest { key: created_key(number), policy };
        if shop.call(Heard::BudgetChanged, calls.budgets.create_budget(request)).await.is_some() {
            shop.ledger.books().created += 1;
        }
    }
}

/// Enqueues many jobs at once and deletes them again: commits that take their time, so that what is answered too early is seen,
/// and of which nothing may be half done.
async fn change_bulks(shop: Arc<Shop>, mut calls: Calls, client: usize) {
    let queue = bulk_queue(client);
    while !shop.is_frozen() {
        let is_there = shop.ledger.books().bulks[client].take().expect("the audit has learned what is there");
        let answer = if is_there {
            let request = wire::DeleteJobsRequest { filter: Some(of_queue(&queue)), validate_only: false };
            shop.call(Heard::BulkChanged, calls.jobs.delete_jobs(request)).await.map(|answer| answer.changed)
        } else {
            let jobs = (0..BULK_JOBS).map(|_| bound_job(&queue, &[])).collect();
            let request = wire::BatchEnqueueRequest { jobs, request_id: String::new() };
            shop.call(Heard::BulkChanged, calls.jobs.batch_enqueue(request))
                .await
                .map(|answer| answer.jobs.len() as u64)
        };
        if let Some(jobs) = answer {
            if jobs != BULK_JOBS {
                shop.ledger.fail(&format!("{jobs} of {BULK_JOBS} jobs of a bulk"));
            }
            shop.ledger.books().bulks[client] = Some(!is_there);
        }
    }
}

/// The queue of a bulk client.
pub fn bulk_queue(client: usize) -> String {
    format!("bulk:{client}")
}

/// The key of a created budget.
pub fn created_key(number: u64) -> String {
    binding(&format!("created:{number}"), 1).budget
}
