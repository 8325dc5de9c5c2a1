//! What the endpoint's documentation says: its limits, and how long an answer takes.

use std::time::Duration;

/// Requests a second …
pub const REQUESTS_PER_S: u32 = 4;
/// … of which so many are saved up for a stroke.
pub const REQUESTS_BURST: u32 = 12;
/// Tokens a minute; those of one minute are saved up. A request costs what it really has, from the moment it arrives.
pub const TOKENS_PER_MINUTE: u32 = 40_000;
/// Calls at the same time.
pub const CONCURRENCY: u32 = 4;
/// When to try again after one call too many.
pub const CONCURRENCY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// Names a request, for the log.
pub const REQUEST_ID: &str = "x-request-id";
/// Names the limit that a refused request was beyond; `retry-after` says for how many seconds.
pub const LIMITED_BY: &str = "x-limited-by";

/// How long the model thinks about a call.
pub fn generation(tokens: u32) -> Duration {
    Duration::from_secs(1) + Duration::from_millis(1) * tokens
}

/// The tokens of a prompt, which only the model knows: its words.
pub fn tokens_in(prompt: &[u8]) -> u32 {
    let words = prompt.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    u32::try_from(words.count()).unwrap_or(u32::MAX)
}
