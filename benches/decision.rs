//! How long the scheduler takes to decide who goes when one token is freed.
//!
//! ```text
//! cargo bench --bench decision
//! ```
//!
//! A token is freed by settling a job; then the scheduler decides: it wakes the lowest ranked of those parked on the same
//! budget, debits it, grants the lease, and looks at the budget again. Both parts are timed, per dispatched job, without
//! store and network. The small and the large cases take turns, so that a machine that drifts drifts under all.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use sluicegate::scheduler::command::{NewBinding, NewJob, OpenSession, Outcome, SessionMode, Verdict, Window};
use sluicegate::scheduler::job::{Body, JobOptions, Name};
use sluicegate::scheduler::policy::Policy;
use sluicegate::scheduler::units::{LeaseId, Nanos, SessionId, Timestamp, Tokens};
use sluicegate::scheduler::{Command, Config, Effect, Scheduler};

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A scheduler with every budget occupied, and all further jobs parked. Each job that goes is followed by a new one.
struct Case {
    shape: Shape,
    /// Jobs enqueued so far.
    jobs: u64,
    scheduler: Scheduler,
    leases: VecDeque<LeaseId>,
    now: Timestamp,
}

/// How the jobs of a case are spread.
struct Shape {
    name: &'static str,
    jobs: u64,
    budgets: u64,
    /// Different costs, each of which makes a lane of its own.
    costs: u64,
}

const DECISIONS: u32 = 100_000;
const ROUNDS: u32 = 20;
const BATCH: u64 = 10_000;

impl Case {
    fn new(shape: Shape) -> Self {
        let config = Config { budgets_max: shape.budgets, ..Config::default() };
        let (scheduler, leases) = (Scheduler::new(config), VecDeque::new());
        let mut case = Self { shape, jobs: 0, scheduler, leases, now: Timestamp(0) };
        for n in 0..case.shape.budgets {
            case.apply(Command::CreateBudget { key: key(n), policy: Policy::while_in_flight(case.shape.costs) });
        }
        for first in (0..case.shape.jobs).step_by(BATCH as usize) {
            case.enqueue(first..(first + BATCH).min(case.shape.jobs));
        }
        case.apply(Command::OpenSession(OpenSession {
            session: SessionId(1),
            worker: "worker".into(),
            queues: vec!["bench".into()],
            window: Window { jobs: 100_000, bytes: 1 << 30 },
            lease: Nanos::from_hours(24),
            body_bytes_max: 1 << 20,
            mode: SessionMode::Stream { confirms_receipt: false, held: None },
        }));
        case.advance();
        case
    }

    fn enqueue(&mut self, numbers: Range<u64>) {
        self.jobs = numbers.end;
        let Shape { budgets, costs, .. } = self.shape;
        let jobs = numbers.map(|n| NewJob {
            queue: "bench".into(),
            kind: "job".into(),
            body: Body::default(),
            priority: 0,
            run_time: None,
            bindings: vec![NewBinding {
                budget: key(n % budgets),
                // The first of each budget takes all of it.
                cost: Tokens(if n < budgets { costs } else { 1 + n / budgets % costs }),
                create_with: None,
            }],
            options: JobOptions::default(),
            unique: None,
        });
        let jobs = jobs.collect();
        self.apply(Command::Enqueue { request: None, jobs });
    }

    fn apply(&mut self, command: Command) {
        self.scheduler.apply(self.now, command).expect("the bench is within all bounds");
    }

    /// Until nothing is left to do; what is dispatched is settled later in the same order.
    fn advance(&mut self) {
        loop {
            self.scheduler.advance(self.now);
            self.scheduler.take_changes();
            for effect in self.scheduler.take_effects() {
                if let Effect::Push(_, leases) = effect {
                    self.leases.extend(leases);
                }
            }
            if self.scheduler.next_deadline().is_none_or(|next| next > self.now) {
                return;
            }
        }
    }

    fn decide(&mut self, times: &mut Times) {
        let Some(lease) = self.leases.pop_front() else { return };
        let outcome =
            Outcome { lease, verdict: Verdict::Success { result: None }, usage: Vec::new(), throttled: Vec::new() };
        self.now = self.now + Nanos(1000);
        let command = Command::Settle { from: None, outcomes: vec![outcome] };
        let start = Instant::now();
        self.apply(command);
        let freed = Instant::now();
        self.scheduler.advance(self.now);
        let decided = Instant::now();
        let before = self.leases.len();
        self.advance();
        // A job of many tokens makes room for several.
        let decisions = (self.leases.len() - before) as u64;
        if decisions > 0 {
            record(&mut times.decision, (decided - freed) / decisions as u32, decisions);
            record(&mut times.whole, (decided - start) / decisions as u32, decisions);
        }
        self.enqueue(self.jobs..self.jobs + decisions);
        self.advance();
    }
}

/// What is measured of one case, in nanoseconds.
struct Times {
    /// From the freed token to the lease.
    decision: Histogram<u64>,
    /// With the settlement that frees it.
    whole: Histogram<u64>,
}

impl Times {
    fn new() -> Self {
        let histogram = || Histogram::new_with_max(10_000_000_000, 3).expect("valid bounds");
        Self { decision: histogram(), whole: histogram() }
    }
}

fn record(histogram: &mut Histogram<u64>, took: Duration, times: u64) {
    histogram.record_n(took.as_nanos().max(1) as u64, times).expect("below ten seconds");
}

fn key(n: u64) -> Name {
    Name::from(format!("budget-{n}"))
}

fn main() {
    let shapes = [
        Shape { name: "1k jobs, 10 budgets, one cost", jobs: 1000, budgets: 10, costs: 1 },
        Shape { name: "1M jobs, 1 budget, one cost", jobs: 1_000_000, budgets: 1, costs: 1 },
        Shape { name: "1M jobs, 8192 budgets, one cost", jobs: 1_000_000, budgets: 8192, costs: 1 },
        Shape { name: "1M jobs, 8192 budgets, 16 costs", jobs: 1_000_000, budgets: 8192, costs: 16 },
    ];
    let mut cases: Vec<Case> = shapes.into_iter().map(Case::new).collect();
    let mut times: Vec<Times> = cases.iter().map(|_| Times::new()).collect();
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            (0..DECISIONS / ROUNDS).for_each(|_| case.decide(times));
        }
    }
    println!("one token freed, ns per dispatched job    decision             with its settlement");
    println!("{:36} {:>6} {:>7} {:>9} {:>8} {:>7}  decision p99 to the first", "", "p50", "p99", "max", "p50", "p99");
    let first = times[0].decision.value_at_quantile(0.99) as f64;
    for (case, Times { decision, whole }) in cases.iter().zip(&times) {
        let at = Histogram::value_at_quantile;
        let (name, max, ratio) = (case.shape.name, decision.max(), at(decision, 0.99) as f64 / first);
        let [p50, p99] = [0.5, 0.99].map(|quantile| at(decision, quantile));
        let [whole_p50, whole_p99] = [0.5, 0.99].map(|quantile| at(whole, quantile));
        println!("{name:36} {p50:>6} {p99:>7} {max:>9} {whole_p50:>8} {whole_p99:>7}  {ratio:.2}");
    }
}
