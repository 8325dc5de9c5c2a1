//! What a mode comes to, by the endpoint's own log.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::{Call, WARM_UP};
use crate::endpoint::terms::TOKENS_PER_MINUTE;

/// The figures of one mode. Times are the endpoint's.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Calls that were to be made.
    pub calls: usize,
    /// Requests that reached the endpoint.
    pub requests: usize,
    /// Those that it refused during the warm-up, and after it.
    pub refused_early: usize,
    pub refused: usize,
    /// Calls that it served exactly once.
    pub served_once: usize,
    /// Tokens that it served, in all and after the warm-up.
    pub tokens: u64,
    pub tokens_measured: u64,
    /// From the start until the last call was served.
    pub span: Duration,
    /// The longest from when a call was wanted until it was served, and from its first request until then.
    pub wait_max: Duration,
    pub knocking_max: Duration,
}

impl Figures {
    /// Reads them off the log.
    ///
    /// # Errors
    /// A line isn't one of the endpoint's.
    pub fn read(speed: u32, start: SystemTime, calls: &[Call], log: &str) -> anyhow::Result<Self> {
        let mut figures = Self { calls: calls.len(), ..Self::default() };
        let mut seen: HashMap<u32, Seen> = HashMap::new();
        for line in log.lines() {
            let request = Logged::parse(line).with_context(|| format!("not a line of the log: {line}"))?;
            let call =
                calls.get(request.number as usize).with_context(|| format!("nobody has asked for it: {line}"))?;
            let at = (SystemTime::UNIX_EPOCH + request.time).duration_since(start).unwrap_or_default() * speed;
            let seen = seen.entry(call.number).or_insert(Seen { first: at, served: 0 });
            figures.requests += 1;
            if !request.is_served {
                *(if at < WARM_UP { &mut figures.refused_early } else { &mut figures.refused }) += 1;
                continue;
            }
            seen.served += 1;
            figures.tokens += u64::from(request.tokens);
            if at >= WARM_UP {
                figures.tokens_measured += u64::from(request.tokens);
            }
            figures.span = figures.span.max(at);
            figures.wait_max = figures.wait_max.max(at.saturating_sub(call.due));
            figures.knocking_max = figures.knocking_max.max(at.saturating_sub(seen.first));
        }
        figures.served_once = seen.values().filter(|seen| seen.served == 1).count();
        Ok(figures)
    }

    /// The part of the tokens that came in at the endpoint, from the end of the warm-up until the last call was served, that
    /// was used. More than 1 where tokens were used that had been saved up before.
    pub fn share_used(&self) -> f64 {
        let allowed = f64::from(TOKENS_PER_MINUTE) / 60.0 * self.span.saturating_sub(WARM_UP).as_secs_f64();
        self.tokens_measured as f64 / allowed
    }
}

/// What was seen of one call.
struct Seen {
    first: Duration,
    served: usize,
}

/// A line of the log.
struct Logged {
    time: Duration,
    number: u32,
    tokens: u32,
    is_served: bool,
}

impl Logged {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        let time = Duration::try_from_secs_f64(next()?.parse().ok()?).ok()?;
        let (number, tokens) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let is_served = match next()? {
            "served" => true,
            "concurrency" | "requests" | "tokens" => false,
            _ => return None,
        };
        words.next().is_none().then_some(Self { time, number, tokens, is_served })
    }
}
