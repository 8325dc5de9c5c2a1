//! What a server that was started again must know, checked while nobody else asks it for anything.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use super::ledger::{BULK_CLIENTS, BULK_JOBS, Fate, KNOB, Ledger, QUEUE, RATE, SLOTS, SLOTS_ALLOCATION};
use super::level::nanos;
use super::load::{bulk_queue, created_key};
use crate::support::calls::{Calls, of_queue, of_state};
use crate::support::server::Server;
use crate::support::wire::{self, JobState, SettleStatus};

/// Jobs in one question.
const JOBS_PER_PAGE: usize = 1000;
/// What the wall clock may be slewed by between a server's reading and ours, in tokens of the rate: 4 ms.
const RATE_TOLERANCE: i128 = 2;

/// One audit.
pub struct Audit {
    calls: Calls,
    ledger: Arc<Ledger>,
}

impl Audit {
    pub async fn new(server: &Server, ledger: &Arc<Ledger>) -> Self {
        Self { calls: server.calls().await, ledger: Arc::clone(ledger) }
    }

    /// Learns what became of the unanswered, and checks all that was touched in the life that was ended. Says what was found.
    pub async fn after_a_kill(mut self) -> String {
        self.learn_enqueues().await;
        let in_flight = self.jobs(of_state(QUEUE, JobState::InFlight)).await;
        self.learn_dispatches(&in_flight);
        self.check_tokens(&in_flight).await;
        self.learn_settles().await;
        let touched: Vec<String> = std::mem::take(&mut self.ledger.books().touched);
        let touched: HashSet<String> = touched.into_iter().collect();
        let ids: Vec<String> = touched.into_iter().collect();
        for some in ids.chunks(JOBS_PER_PAGE) {
            let ids = Some(wire::JobIds { ids: some.to_vec() });
            let jobs = self.jobs(wire::JobFilter { ids, ..wire::JobFilter::default() }).await;
            assert_eq!(jobs.len(), some.len(), "jobs that were acknowledged are gone");
            jobs.iter().for_each(|job| self.check_job(job));
        }
        self.check_budgets().await;
        self.check_bulks().await;
        format!("{} jobs checked, {} in flight", ids.len(), in_flight.len())
    }

    /// Checks all jobs there ever were, and that there are no others.
    pub async fn at_the_end(mut self) -> String {
        let jobs = self.jobs(of_queue(QUEUE)).await;
        jobs.iter().for_each(|job| self.check_job(job));
        let books = self.ledger.books();
        let unacknowledged = books.jobs.iter().find(|(_, fate)| !fate.acknowledged);
        assert!(unacknowledged.is_none(), "dispatched, and never enqueued: {unacknowledged:?}");
        assert_eq!(jobs.len(), books.jobs.len(), "stored jobs, and acknowledged ones");
        let succeeded = books.jobs.values().filter(|fate| fate.succeeded).count();
        let dispatches: u32 = books.jobs.values().map(|fate| fate.dispatches).sum();
        let (rate, budgets) = (books.rate_debits.len(), books.created);
        format!(
            "{} jobs, {succeeded} of them done, {dispatches} dispatches, {rate} of them under the rate, {budgets} budgets",
            jobs.len()
        )
    }

    /// Repeats the enqueues that weren't answered: by their request ids each is one job, whatever became of it.
    async fn learn_enqueues(&mut self) {
        let requests = std::mem::take(&mut self.ledger.books().unanswered_enqueues);
        for request in requests {
            let answer = self.calls.jobs.enqueue(request).await.expect("a repeated enqueue").into_inner();
            assert!(!answer.existing);
            self.ledger.books().enqueued(answer.job.expect("a job").id);
        }
    }

    /// Dispatches whose push the kill cut off: their handlers begin now.
    fn learn_dispatches(&self, in_flight: &[wire::Job]) {
        let mut books = self.ledger.books();
        let unanswered: HashSet<String> = books.unanswered_settles.iter().map(|one| one.lease_id.clone()).collect();
        let stored: BTreeMap<&str, &str> =
            in_flight.iter().map(|job| (job.lease.as_ref().expect("a lease").id.as_str(), job.id.as_str())).collect();
        for (lease, held) in &books.leases {
            let is_live = stored.get(lease.as_str()) == Some(&held.job.as_str());
            assert!(is_live || unanswered.contains(lease), "{lease} of {} was pushed, and isn't live", held.job);
        }
        for job in in_flight {
            let lease = job.lease.clone().expect("a lease");
            if books.leases.contains_key(&lease.id) {
                continue;
            }
            books.dispatched(&wire::LeasedJob { lease: Some(lease), job: Some(job.clone()) });
        }
    }

    /// Repeats the settlements that weren't answered. GONE: it was in force before the kill, which the job's state must show.
    async fn learn_settles(&mut self) {
        let outcomes = std::mem::take(&mut self.ledger.books().unanswered_settles);
        for some in outcomes.chunks(JOBS_PER_PAGE) {
            for (outcome, result) in some.iter().zip(self.calls.settle(some.to_vec()).await) {
                let status = result.status();
                assert!([SettleStatus::Settled, SettleStatus::Gone].contains(&status), "{outcome:?}: {status:?}");
                self.ledger.books().settled(outcome);
            }
        }
    }

    /// Pools are as if nothing had happened: no refill, no leaked hold, no double debit.
    async fn check_tokens(&mut self, in_flight: &[wire::Job]) {
        let before = now();
        let rate = self.calls.budget_status(RATE).await;
        let after = now();
        let level = |at| self.ledger.rate_level(at).expect("every dispatch could be paid when it was made");
        let (least, most) = (level(before) - RATE_TOLERANCE, level(after) + RATE_TOLERANCE);
        let available = i128::from(rate.available);
        assert!((least..=most).contains(&available), "the rate holds {available}; {least}..={most} is right");

        let cost = |job: &wire::Job| {
            let bindings = &job.spec.as_ref().expect("a spec").bindings;
            bindings.iter().find(|one| one.budget == SLOTS).map_or(0, wire::Binding::cost)
        };
        let held: u64 = in_flight.iter().map(cost).sum();
        let slots = self.calls.budget_status(SLOTS).await;
        assert_eq!(slots.in_flight_cost, held);
        assert_eq!(i128::from(slots.available), i128::from(SLOTS_ALLOCATION) - i128::from(held));
    }

    fn check_job(&self, job: &wire::Job) {
        let books = self.ledger.books();
        let fate = books.jobs.get(&job.id).cloned().unwrap_or_default();
        let Fate { acknowledged, succeeded, failures, .. } = fate;
        assert!(acknowledged, "{} is stored, and nobody enqueued it", job.id);
        assert_eq!(job.state() == JobState::Completed, succeeded, "{job:?}, {fate:?}");
        assert_eq!(job.attempts, failures + u32::from(succeeded), "{job:?}, {fate:?}");
        let held = job.lease.as_ref().map(|lease| books.leases.get(&lease.id).map(|held| held.job.as_str()));
        match job.state() {
            JobState::InFlight => assert_eq!(held, Some(Some(job.id.as_str())), "{job:?}"),
            JobState::Ready | JobState::Scheduled | JobState::Completed => assert_eq!(held, None, "{job:?}"),
            state => panic!("{state:?}: {job:?}"),
        }
    }

    /// No acknowledged change of a budget is lost, and none is half done.
    async fn check_budgets(&mut self) {
        let (acknowledged, asked, created) = {
            let books = self.ledger.books();
            (books.knob_acknowledged, books.knob_asked, books.created)
        };
        let knob = self.calls.budget(KNOB).await.policy.expect("a policy").allocation;
        assert!((acknowledged..=asked).contains(&knob), "{knob}; {acknowledged} was acknowledged, {asked} asked for");
        self.ledger.books().knob_acknowledged = knob;

        let mut keys = HashSet::new();
        let mut page_token = String::new();
        loop {
            let request = wire::ListBudgetsRequest { page_size: 1000, page_token };
            let page = self.calls.budgets.list_budgets(request).await.expect("a page").into_inner();
            keys.extend(page.budgets.into_iter().map(|budget| budget.key));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        for number in 0..created {
            assert!(keys.contains(&created_key(number)), "budget {number} of {created} is gone");
        }
        // The one that wasn't answered may be there: then its number is taken.
        if keys.contains(&created_key(created)) {
            self.ledger.books().created += 1;
        }
        assert!(!keys.contains(&created_key(created + 1)));
    }

    /// A bulk is there or it isn't, as was acknowledged, and never in part.
    async fn check_bulks(&mut self) {
        for client in 0..BULK_CLIENTS {
            let count = self.calls.count(of_queue(&bulk_queue(client))).await;
            assert!([0, BULK_JOBS].contains(&count), "{count} of {BULK_JOBS} jobs of a bulk");
            let is_there = count > 0;
            let known = self.ledger.books().bulks[client].replace(is_there);
            assert!(known.is_none_or(|known| known == is_there), "a bulk is there: {is_there}; known was {known:?}");
        }
    }

    /// All jobs of a filter.
    async fn jobs(&mut self, filter: wire::JobFilter) -> Vec<wire::Job> {
        let page_size = u32::try_from(JOBS_PER_PAGE).expect("small");
        let mut request = wire::ListJobsRequest { filter: Some(filter), page_size, ..Default::default() };
        let mut jobs = Vec::new();
        loop {
            let page = self.calls.jobs.list_jobs(request.clone()).await;
            let page = page.expect("a page").into_inner();
            jobs.extend(page.jobs);
            if page.next_page_token.is_empty() {
                return jobs;
            }
            request.page_token = page.next_page_token;
        }
    }
}

fn now() -> i128 {
    nanos(&SystemTime::now().into())
}
