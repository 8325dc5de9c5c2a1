//! Kills a real server twenty times, each time with at least 64 calls unanswered, and accounts for every acknowledged enqueue,
//! settlement and budget change, and for every token (semantics 10.1, 10.2, 13).
//!
//! `CRASH_SEED` replays what is drawn at random; what the kernel does with two processes stays its own.

mod crashing;
mod support;

use std::env;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crashing::audit::Audit;
use crashing::ledger::{Ledger, RATE, RATE_BURST, RATE_PER_SECOND, SLOTS, SLOTS_ALLOCATION};
use crashing::load::Load;
use crashing::trigger::{self, Trigger};
use support::calls::{time_based, while_in_flight};
use support::server::Server;

const KILLS: usize = 20;
/// How many calls a kill has to leave unanswered to count.
const UNANSWERED_MIN: usize = 64;
/// Kills altogether, those that found too few calls open included.
const KILLS_MAX: usize = 3 * KILLS;
/// How long a server works before it is killed.
const LIFE_MS: std::ops::Range<u64> = 40..240;

fn seed() -> u64 {
    let seed = env::var("CRASH_SEED").ok().map(|seed| seed.parse().expect("CRASH_SEED is a number"));
    seed.unwrap_or_else(rand::random)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_lose_nothing_that_was_acknowledged() {
    let seed = seed();
    println!("seed {seed}: CRASH_SEED={seed} draws the same again");
    let mut rng = StdRng::seed_from_u64(seed);
    let mut server = Server::with_flags(&["--log=warn", "--max-budgets=1000000"]).await;
    let mut calls = server.calls().await;
    let rate = time_based(RATE_PER_SECOND, Duration::from_secs(1), Some(RATE_BURST));
    let created = calls.create_budget(RATE, rate).await.create_time.expect("an instant");
    calls.create_budget(SLOTS, while_in_flight(SLOTS_ALLOCATION)).await;
    let ledger = Arc::new(Ledger::new(created));

    let mut counted = 0;
    for kill in 1..=KILLS_MAX {
        let on = trigger::ALL[kill % trigger::ALL.len()];
        let load = Load::start(&server, &ledger, Trigger::new(server.pid(), on, UNANSWERED_MIN), rng.random()).await;
        load.until_the_kill(Duration::from_millis(rng.random_range(LIFE_MS))).await;
        server.kill();
        let unanswered = load.end().await;
        counted += usize::from(unanswered.total() >= UNANSWERED_MIN);
        server.start_again().await;
        let found = Audit::new(&server, &ledger).await.after_a_kill().await;
        println!("kill {kill}, once {on:?} was heard: unanswered {unanswered}; {found}");
        if counted == KILLS {
            break;
        }
    }
    assert_eq!(counted, KILLS, "kills with at least {UNANSWERED_MIN} calls unanswered");
    let found = Audit::new(&server, &ledger).await.at_the_end().await;
    println!("in the end: {found}");
}
