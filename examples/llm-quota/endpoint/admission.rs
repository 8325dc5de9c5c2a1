//! Which requests are served: the limits, and how full they are. Pure: it is told the time.

use std::fmt;
use std::time::Duration;

use clap::ValueEnum;

use super::bucket::Bucket;
use super::terms;

/// What a request can be beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Limit {
    Concurrency,
    Requests,
    Tokens,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("no limit is skipped").get_name())
    }
}

/// Why a request isn't served, and when a repeat could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub limit: Limit,
    pub retry_after: Duration,
}

/// How full the limits are.
#[derive(Clone, Debug)]
pub struct Admission {
    concurrent: u32,
    requests: Bucket,
    tokens: Bucket,
}

impl Admission {
    /// Nothing has been asked yet: all is there.
    pub fn new() -> Self {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        let requests = Bucket::full(terms::REQUESTS_PER_S, second, terms::REQUESTS_BURST);
        let tokens = Bucket::full(terms::TOKENS_PER_MINUTE, minute, terms::TOKENS_PER_MINUTE);
        Self { concurrent: 0, requests, tokens }
    }

    /// Judges a request of so many tokens that arrives at `now`, the time since the start. A refused one costs nothing.
    pub fn arrive(&mut self, now: Duration, tokens: u32) -> Result<(), Refusal> {
        self.requests.drip(now);
        self.tokens.drip(now);
        let refuse = |limit, retry_after| Err(Refusal { limit, retry_after });
        if self.concurrent == terms::CONCURRENCY {
            return refuse(Limit::Concurrency, terms::CONCURRENCY_RETRY_AFTER);
        }
        let waits = [(Limit::Requests, self.requests.wait_for(1)), (Limit::Tokens, self.tokens.wait_for(tokens))];
        if let Some((limit, wait)) = waits.into_iter().find(|(_, wait)| !wait.is_zero()) {
            return refuse(limit, wait);
        }
        self.requests.take(1);
        self.tokens.take(tokens);
        self.concurrent += 1;
        Ok(())
    }

    /// A request that was served has ended.
    pub fn leave(&mut self) {
        self.concurrent -= 1;
    }
}
