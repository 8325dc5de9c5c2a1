//! Settles in any order, on any stream, again and again: each lease is settled once, and each token comes back once.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::draws;
use crate::guarded::Guarded;
use crate::support::calls::{bound_job, failure, lease_id, release, seconds, success, time_based, while_in_flight};
use crate::support::stream::{Stream, hello};
use crate::support::wire::{self, SettleStatus};

const JOBS: usize = 3000;
const STREAMS: usize = 4;
/// How often each lease is settled.
const TIMES: usize = 3;

/// An outcome that ends the job: released and failed ones would come again.
fn outcome(rng: &mut impl Rng, lease: &str) -> wire::SettleOutcome {
    let mut outcome = success(lease);
    if rng.random_bool(0.3) {
        outcome = failure(lease, "no luck");
        let Some(wire::settle_outcome::Outcome::Failure(failure)) = &mut outcome.outcome else { unreachable!() };
        failure.discard = true;
    }
    outcome.usage = vec![wire::BudgetUsage { budget: "rate".to_owned(), cost: rng.random_range(0..3) }];
    outcome
}

fn worker(n: usize, jobs: usize) -> wire::WorkerHello {
    wire::WorkerHello { lease_duration: Some(seconds(600)), ..hello(&n.to_string(), "q", jobs as u64) }
}

pub async fn settles_in_shuffled_order_and_repeated() {
    let mut rng = draws();
    let mut guarded = Guarded::start().await;
    guarded.calls.create_budget("slots", while_in_flight(JOBS as u64)).await;
    let hour = std::time::Duration::from_secs(3600);
    guarded.calls.create_budget("rate", time_based(1, hour, Some(10 * JOBS as u64))).await;
    let gone = Some(wire::Retention::default());
    let job = wire::JobSpec { retention: gone, ..bound_job("q", &[("slots", 1), ("rate", 1)]) };
    guarded.calls.enqueue_all(vec![job; JOBS]).await;
    let calls = guarded.server.calls().await;
    let (mut streams, mut leases) = (Vec::new(), Vec::new());
    for n in 0..STREAMS {
        let share = JOBS / STREAMS;
        let (mut stream, _) = Stream::open(&calls, worker(n, share)).await;
        leases.extend(stream.jobs(share).await.iter().map(lease_id));
        streams.push(stream);
    }
    let mut outcomes: Vec<_> = leases.iter().flat_map(|lease| vec![lease; TIMES]).collect();
    outcomes.shuffle(&mut rng);
    let outcomes: Vec<_> = outcomes.into_iter().map(|lease| outcome(&mut rng, lease)).collect();
    let (mut settled, mut repeats) = (0, 0);
    for batch in outcomes.chunks(rng.random_range(7..700)) {
        let results = match rng.random_range(0..=STREAMS) {
            STREAMS => guarded.calls.settle(batch.to_vec()).await,
            stream => streams[stream].settle(batch.to_vec()).await,
        };
        for (outcome, result) in batch.iter().zip(results) {
            assert_eq!(result.lease_id, outcome.lease_id, "in order");
            match result.status() {
                SettleStatus::Settled => settled += 1,
                SettleStatus::AlreadySettled => repeats += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!((settled, repeats), (JOBS, (TIMES - 1) * JOBS));
    // Too late, in every way.
    for late in [success(&leases[0]), release(&leases[0]), failure(&leases[0], "x")] {
        assert_eq!(guarded.calls.settle_one(late).await, SettleStatus::AlreadySettled);
    }
    let filter = wire::JobFilter { queues: vec!["q".to_owned()], ..wire::JobFilter::default() };
    let delete = wire::DeleteJobsRequest { filter: Some(filter), ..wire::DeleteJobsRequest::default() };
    guarded.calls.jobs.delete_jobs(delete).await.expect("the dead ones are deleted");
    let level = guarded.calls.budget_status("rate").await.available;
    assert!((7 * JOBS as i64..=10 * JOBS as i64).contains(&(level as i64)), "{level}");
    let forget = wire::DeleteBudgetRequest { key: "rate".to_owned(), ..wire::DeleteBudgetRequest::default() };
    guarded.calls.budgets.delete_budget(forget).await.expect("nothing is bound to it");
    drop((streams, calls));
    guarded.ends_as_it_began().await;
}
