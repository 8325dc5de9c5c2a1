//! What the clients know: what was acknowledged, what was asked for and never answered, and every dispatch that reached them.

use std::collections::{BTreeMap, HashMap};
use std::panic;
use std::sync::{Mutex, MutexGuard};

use prost_types::Timestamp;

use super::level;
use crate::support::calls::{job_id, lease_id};
use crate::support::wire::{self, settle_outcome::Outcome};

pub const QUEUE: &str = "q";
pub const RATE: &str = "rate";
pub const SLOTS: &str = "slots";
/// The budget whose policy changes all the time.
pub const KNOB: &str = "knob";
pub const RATE_PER_SECOND: u64 = 500;
/// More than drips while a server is away, so that its pool is never full again once it is drained, and every lost debit shows.
pub const RATE_BURST: u64 = 1500;
pub const SLOTS_ALLOCATION: u64 = 60;

/// Clients that enqueue many jobs at once, and delete them again.
pub const BULK_CLIENTS: usize = 2;
pub const BULK_JOBS: u64 = 1000;

/// All that the clients know, for all of them.
pub struct Ledger {
    /// When the rate was created, full.
    rate_created: i128,
    books: Mutex<Books>,
}

/// The books themselves.
#[derive(Default)]
pub struct Books {
    pub jobs: HashMap<String, Fate>,
    /// Enqueues without an answer, to be repeated.
    pub unanswered_enqueues: Vec<wire::EnqueueRequest>,
    /// Live leases, as far as is known.
    pub leases: BTreeMap<String, Held>,
    /// Settlements without an answer, to be repeated.
    pub unanswered_settles: Vec<wire::SettleOutcome>,
    /// Every dispatch of a job that is bound to the rate: when, and at what cost.
    pub rate_debits: Vec<(i128, u64)>,
    /// Tokens of the slots in the hands of handlers.
    pub slots_in_hand: u64,
    /// The allocation that the knob was last known to have, and the one that was last asked for.
    pub knob_acknowledged: u64,
    pub knob_asked: u64,
    /// How many budgets were created, one after the other.
    pub created: u64,
    /// Whether each bulk client's jobs are there; `None` where a call about them wasn't answered.
    pub bulks: [Option<bool>; BULK_CLIENTS],
    /// Jobs that the last audit hasn't looked at.
    pub touched: Vec<String>,
}

/// What is known of a job.
#[derive(Clone, Debug, Default)]
pub struct Fate {
    pub acknowledged: bool,
    pub succeeded: bool,
    pub failures: u32,
    pub dispatches: u32,
}

/// A lease that is live as far as is known.
#[derive(Clone, Debug)]
pub struct Held {
    pub job: String,
    pub slots: u64,
    /// Its handler is at work still.
    pub at_work: bool,
}

impl Ledger {
    pub fn new(rate_created: Timestamp) -> Self {
        let books = Books { bulks: [Some(false); BULK_CLIENTS], ..Books::default() };
        Self { rate_created: level::nanos(&rate_created), books: Mutex::new(books) }
    }

    /// The books. Where a client has failed at them, whoever comes next ends too, without a word: one report is enough.
    pub fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(|_| panic::resume_unwind(Box::new("another client failed")))
    }

    /// Fails the test, for all clients.
    pub fn fail(&self, problem: &str) -> ! {
        let _books = self.books();
        panic!("{problem}");
    }

    /// Whether a client has failed.
    pub fn has_failed(&self) -> bool {
        self.books.is_poisoned()
    }

    /// The rate's level at an instant, by all dispatches there were.
    pub fn rate_level(&self, until: i128) -> Result<i128, String> {
        let mut debits = self.books().rate_debits.clone();
        debits.sort_unstable();
        let terms = level::Terms { per_second: RATE_PER_SECOND, burst: RATE_BURST };
        level::replay(terms, self.rate_created, &debits, until)
    }
}

impl Books {
    /// An enqueue was acknowledged.
    pub fn enqueued(&mut self, id: String) {
        let fate = self.jobs.entry(id.clone()).or_default();
        assert!(!fate.acknowledged, "{id}: two enqueues were answered with one job");
        fate.acknowledged = true;
        self.touched.push(id);
    }

    /// A job was dispatched: its handler begins.
    pub fn dispatched(&mut self, leased: &wire::LeasedJob) {
        let (lease, id) = (lease_id(leased), job_id(leased));
        let fate = self.jobs.entry(id.clone()).or_default();
        assert!(!fate.succeeded, "{id} was dispatched after its success was acknowledged");
        fate.dispatches += 1;
        // A settlement that is on its way may be in force before its answer arrives.
        if let Some((other, _)) = self.leases.iter().find(|(_, held)| held.job == id && held.at_work) {
            panic!("{id} was dispatched as {lease} while the handler of {other} is at work");
        }
        let spec = leased.job.as_ref().and_then(|job| job.spec.as_ref()).expect("a spec");
        let cost = |budget: &str| spec.bindings.iter().find(|one| one.budget == budget).map_or(0, wire::Binding::cost);
        let time = leased.lease.as_ref().and_then(|lease| lease.dispatch_time).expect("an instant");
        if cost(RATE) > 0 {
            self.rate_debits.push((level::nanos(&time), cost(RATE)));
        }
        self.slots_in_hand += cost(SLOTS);
        let in_hand = self.slots_in_hand;
        assert!(in_hand <= SLOTS_ALLOCATION, "{in_hand} tokens of {SLOTS_ALLOCATION} are in the handlers' hands");
        self.leases.insert(lease, Held { job: id.clone(), slots: cost(SLOTS), at_work: true });
        self.touched.push(id);
    }

    /// A handler is done, and about to settle.
    pub fn handled(&mut self, lease: &str) {
        let held = self.leases.get_mut(lease).expect("a handler has a lease");
        held.at_work = false;
        self.slots_in_hand -= held.slots;
    }

    /// A settlement is in force.
    pub fn settled(&mut self, outcome: &wire::SettleOutcome) {
        let held = self.leases.remove(&outcome.lease_id).expect("a lease is settled once");
        let fate = self.jobs.get_mut(&held.job).expect("a dispatched job is known");
        match outcome.outcome.as_ref().expect("an outcome") {
            Outcome::Success(_) => fate.succeeded = true,
            Outcome::Failure(_) => fate.failures += 1,
            Outcome::Release(_) => {}
        }
        self.touched.push(held.job);
    }

    /// Leases whose handlers are at work.
    pub fn at_work(&self) -> Vec<String> {
        self.leases.iter().filter(|(_, held)| held.at_work).map(|(lease, _)| lease.clone()).collect()
    }
}
