//! Workers that stop reading: what waits for them is bounded, nobody else is held up, and nothing is lost.

use std::collections::BTreeSet;

use rand::seq::SliceRandom;

use crate::draws;
use crate::guarded::Guarded;
use crate::support::calls::{job_id, job_in, lease_id, of_state, seconds, success};
use crate::support::stream::{Stream, hello};
use crate::support::until;
use crate::support::wire::{self, JobState, SettleStatus};

const JOBS: usize = 20_000;
const WINDOW: usize = 100;

fn reader(n: usize) -> wire::WorkerHello {
    wire::WorkerHello { lease_duration: Some(seconds(300)), ..hello(&format!("reader-{n}"), "q", WINDOW as u64) }
}

pub async fn readers_that_stop_with_a_window_of_100_and_20_000_tiny_jobs_waiting() {
    let mut rng = draws();
    let mut guarded = Guarded::warmed_by(&[], JOBS, 0).await;
    for _ in 0..2 {
        guarded.calls.enqueue_all(vec![job_in("q"); JOBS / 2]).await;
    }
    // One after the other: each takes its window full, and reads none of it.
    let calls = guarded.server.calls().await;
    let mut readers = Vec::new();
    for n in 0..JOBS / WINDOW {
        let stream = Stream::say_hello(&calls, reader(n)).await;
        if n % 2 == 0 {
            // This one settles what it hasn't read, by the ids of another life.
            let unknown = vec![success("x"); 1000];
            stream.send(wire::dispatch_request::Frame::Settle(wire::SettleLeases { outcomes: unknown })).await;
        }
        readers.push(stream);
    }
    let all = async || (guarded.calls.count(of_state("q", JobState::InFlight)).await == JOBS as u64).then_some(());
    until("20,000 dispatched jobs", all).await;

    // They go on, in any order.
    readers.shuffle(&mut rng);
    let mut done = BTreeSet::new();
    for mut stream in readers {
        let jobs = stream.jobs(WINDOW).await;
        let outcomes = jobs.iter().map(|job| success(&lease_id(job))).collect();
        let results = guarded.calls.settle(outcomes).await;
        assert!(results.iter().all(|result| result.status() == SettleStatus::Settled), "{results:?}");
        jobs.iter().for_each(|job| assert!(done.insert(job_id(job)), "a job came twice"));
    }
    assert_eq!(done.len(), JOBS);
    drop(calls);
    guarded.ends_as_it_began().await;
}
