//! What the driver's tests share: a store on strings, and the commands they send.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::clock::{Clock, ManualClock, SystemClock};
use crate::driver::{Handle, Joined, Options, PushedJob, Refusal, Session, SessionEvent, Status, start};
use crate::scheduler::command::{NewJob, OpenSession, SessionMode, Window};
use crate::scheduler::job::{Body, JobOptions, Payload};
use crate::scheduler::units::{JobId, Nanos, SessionId, Timestamp};
use crate::scheduler::view::JobFilter;
use crate::scheduler::{Command, Reply};
use crate::store::{
    Batch, CommitError, Durability, Found, MemoryStore, OpenStore, Rows, Store, StoreError, Table, Visit,
};

/// What becomes of a held commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It succeeds.
    Succeed,
    /// It fails, and nothing is stored.
    Fail,
    /// It fails, and all is stored: nobody but the store knows.
    StoreAndFail,
    /// The store has a bug.
    Panic,
}

/// The puppeteer's side of a store in memory.
pub struct Puppeteer {
    pub puppet: Puppet,
    held: UnboundedReceiver<()>,
    verdicts: mpsc::Sender<Verdict>,
    syncs: UnboundedReceiver<()>,
}

/// A store in memory that does what its puppeteer says.
#[derive(Clone)]
pub struct Puppet {
    rows: MemoryStore,
    strings: Arc<Strings>,
}

struct Strings {
    holding: AtomicBool,
    broken: AtomicBool,
    commits: AtomicUsize,
    syncs: AtomicUsize,
    announce: UnboundedSender<()>,
    announce_sync: UnboundedSender<()>,
    verdicts: Mutex<mpsc::Receiver<Verdict>>,
}

impl Puppeteer {
    pub fn new() -> Self {
        let (announce, held) = unbounded_channel();
        let (announce_sync, syncs) = unbounded_channel();
        let (verdicts, heard) = mpsc::channel();
        let strings = Strings {
            holding: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            commits: AtomicUsize::new(0),
            syncs: AtomicUsize::new(0),
            announce,
            announce_sync,
            verdicts: Mutex::new(heard),
        };
        let puppet = Puppet { rows: MemoryStore::default(), strings: Arc::new(strings) };
        Self { puppet, held, verdicts, syncs }
    }

    /// Every commit from now on waits for its verdict.
    pub fn hold(&self) {
        self.strings().holding.store(true, Ordering::SeqCst);
    }

    /// Waits until a commit waits for its verdict.
    pub async fn held(&mut self) {
        within(self.held.recv()).await.expect("the puppet lives");
    }

    /// Passes the verdict on the commit that waits, or on the next; the ones after it aren't held.
    pub fn let_go(&self, verdict: Verdict) {
        self.strings().holding.store(false, Ordering::SeqCst);
        self.pass(verdict);
    }

    /// Passes the verdict on the commit that waits, or on the next.
    pub fn pass(&self, verdict: Verdict) {
        self.verdicts.send(verdict).expect("the puppet lives");
    }

    /// From now on the store can't be opened, or can again.
    pub fn set_broken(&self, is_broken: bool) {
        self.strings().broken.store(is_broken, Ordering::SeqCst);
    }

    pub fn commits(&self) -> usize {
        self.strings().commits.load(Ordering::SeqCst)
    }

    pub fn syncs(&self) -> usize {
        self.strings().syncs.load(Ordering::SeqCst)
    }

    /// Waits for a sync.
    pub async fn synced(&mut self) {
        within(self.syncs.recv()).await.expect("the puppet lives");
    }

    pub fn rows(&self) -> BTreeMap<(Table, Vec<u8>), Vec<u8>> {
        self.puppet.rows.rows()
    }

    fn strings(&self) -> &Strings {
        &self.puppet.strings
    }
}

fn disk_full() -> StoreError {
    StoreError::Engine { location: "puppet".to_owned(), doing: "a commit", source: "disk full".into() }
}

impl OpenStore for Puppet {
    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        if self.strings.broken.load(Ordering::SeqCst) {
            return Err(disk_full());
        }
        Ok(Box::new(self.clone()))
    }
}

impl Store for Puppet {
    fn commit(&mut self, batch: &Batch, durability: Durability) -> Result<(), CommitError> {
        self.strings.commits.fetch_add(1, Ordering::SeqCst);
        let mut verdict = Verdict::Succeed;
        if self.strings.holding.load(Ordering::SeqCst) {
            let _ = self.strings.announce.send(());
            let verdicts = self.strings.verdicts.lock().unwrap();
            // A puppeteer who is gone holds nothing up: the test has ended, however it did.
            verdict = verdicts.recv().unwrap_or(Verdict::Succeed);
        }
        match verdict {
            Verdict::Succeed => self.rows.commit(batch, durability),
            Verdict::Fail => Err(CommitError::Unknown(disk_full())),
            Verdict::StoreAndFail => {
                self.rows.commit(batch, durability)?;
                Err(CommitError::Unknown(disk_full()))
            }
            Verdict::Panic => panic!("on purpose"),
        }
    }

    fn sync(&mut self) -> Result<(), CommitError> {
        self.strings.syncs.fetch_add(1, Ordering::SeqCst);
        let _ = self.strings.announce_sync.send(());
        Ok(())
    }

    fn compact(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }
}

impl Rows for Puppet {
    fn get(&self, table: Table, keys: &[&[u8]], found: &mut Found<'_>) -> Result<(), StoreError> {
        self.rows.get(table, keys, found)
    }

    fn scan(&self, table: Table, prefix: &[u8], row: &mut Visit<'_>) -> Result<(), StoreError> {
        self.rows.scan(table, prefix, row)
    }

    fn location(&self) -> &str {
        "puppet"
    }
}

/// A driver over a puppet.
pub struct Rig {
    pub store: Puppeteer,
    pub handle: Handle,
    pub joined: Joined,
}

impl Rig {
    pub async fn new() -> Self {
        Self::with(Arc::new(SystemClock::new()), Options::default()).await
    }

    /// On a clock that stands at 1000 s.
    pub async fn on_manual_clock(durability: Durability) -> (Self, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::new(Timestamp(1_000_000_000_000)));
        let options = Options { durability, ..Options::default() };
        (Self::with(clock.clone(), options).await, clock)
    }

    pub async fn with(clock: Arc<dyn Clock>, options: Options) -> Self {
        let store = Puppeteer::new();
        let (handle, joined) = start(Box::new(store.puppet.clone()), clock, options).expect("an empty store opens");
        // What the start itself has to commit is behind us from here on.
        within(handle.read(|_| ())).await.expect("it serves");
        Self { store, handle, joined }
    }

    /// A commit is held that an enqueue waits for.
    pub async fn hold_an_enqueue(&mut self) -> Pending<Result<Reply, Refusal>> {
        self.store.hold();
        let pending = self.pend(|handle| async move { handle.apply(enqueue("q", "held")).await });
        self.store.held().await;
        pending
    }

    /// A call that has been sent and isn't answered yet.
    pub fn pend<F>(&self, call: impl FnOnce(Handle) -> F) -> Pending<F::Output>
    where
        F: Future + 'static,
    {
        let mut pending = Pending(Box::pin(call(self.handle.clone())));
        pending.assert_unanswered();
        pending
    }

    /// How many jobs there are.
    pub async fn jobs(&self) -> u64 {
        let count = |view: &crate::driver::View<'_>| {
            let depth = view.scheduler.count_jobs(&JobFilter::default());
            depth.expect("an empty filter is valid").total()
        };
        within(self.handle.read(count)).await.expect("it serves")
    }

    /// How many workers serve queue `q`.
    pub async fn workers(&self) -> u32 {
        let count = |view: &crate::driver::View<'_>| {
            let queues = view.scheduler.list_queues(None, 10).items;
            let queue = queues.into_iter().find(|queue| &*queue.name == "q");
            queue.map_or(0, |queue| queue.workers)
        };
        within(self.handle.read(count)).await.expect("it serves")
    }

    pub async fn open(&self, mode: SessionMode) -> Session {
        let (session, reply) =
            within(self.handle.open_session(session("q", mode))).await.expect("the session is valid");
        assert!(matches!(reply, Reply::Opened { .. }), "{reply:?}");
        session
    }

    pub async fn wait_for(&self, what: impl FnMut(&Status) -> bool) -> Status {
        let mut status = self.handle.status();
        let seen = within(status.wait_for(what)).await;
        seen.expect("the driver lives").clone()
    }
}

/// A call whose answer is to be awaited, or to be seen missing.
pub struct Pending<T>(Pin<Box<dyn Future<Output = T>>>);

impl<T> Pending<T> {
    pub fn assert_unanswered(&mut self) {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(self.0.as_mut().poll(&mut context).is_pending(), "answered too early");
    }

    pub async fn answer(self) -> T {
        within(self.0).await
    }
}

/// The outcome of `future`. A minute without one is a hang, and ends the test.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("nothing has happened for a minute")
}

pub const STREAM: SessionMode = SessionMode::Stream { confirms_receipt: false, held: None };

pub fn session(queue: &str, mode: SessionMode) -> OpenSession {
    OpenSession {
        session: SessionId(0),
        worker: "w".into(),
        queues: vec![queue.into()],
        window: Window { jobs: 100, bytes: 1 << 20 },
        lease: Nanos::from_secs(30),
        body_bytes_max: 1 << 20,
        mode,
    }
}

pub fn body(payload: &str) -> Body {
    Body { payload: Payload::Binary(payload.as_bytes().into()), metadata: vec![("k".to_owned(), payload.to_owned())] }
}

/// One job without bindings.
pub fn enqueue(queue: &str, payload: &str) -> Command {
    Command::Enqueue {
        request: None,
        jobs: vec![NewJob {
            queue: queue.into(),
            kind: "k".into(),
            body: body(payload),
            priority: 0,
            run_time: None,
            bindings: Vec::new(),
            options: JobOptions::default(),
            unique: None,
        }],
    }
}

/// The only job of an answered enqueue.
pub fn enqueued(outcome: Result<Reply, Refusal>) -> JobId {
    match outcome {
        Ok(Reply::Enqueued(jobs)) if jobs.len() == 1 => jobs[0].id,
        other => panic!("not the answer to one enqueue: {other:?}"),
    }
}

/// The problem of a refused call.
pub fn unavailable<T: std::fmt::Debug>(outcome: Result<T, Refusal>) -> String {
    match outcome {
        Err(Refusal::StoreUnavailable { problem }) => problem,
        other => panic!("not refused for want of a store: {other:?}"),
    }
}

/// The jobs of the next push.
pub async fn pushed(session: &mut Session) -> Vec<PushedJob> {
    match within(session.events.recv()).await {
        Some(SessionEvent::Jobs(jobs)) => jobs,
        other => panic!("not a push: {other:?}"),
    }
}
