//! The bounds and defaults that the server's flags set.

use super::policy::ReserveAfter;
use super::units::Nanos;

/// What a scheduler is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The most budgets (`--max-budgets`).
    pub budgets_max: u64,
    /// The most stored jobs, terminal ones included (`--max-jobs`).
    pub jobs_max: u64,
    /// The most remembered `request_id`s (`--max-request-ids`); the oldest are forgotten first.
    pub requests_max: u64,
    /// The most open streams and waiting calls (`--max-sessions`).
    pub sessions_max: u64,
    /// The largest payload in bytes (`--max-payload-bytes`).
    pub payload_bytes_max: u32,
    /// After how long the passed-over are protected where the policy doesn't say (`--reserve-after`).
    pub reserve_after: ReserveAfter,
}

impl Config {
    /// How long an answered `request_id` is remembered.
    pub const REQUEST_KEPT: Nanos = Nanos::from_secs(600);
    /// How long an ended lease is remembered (semantics 5.4).
    pub const ENDED_KEPT: Nanos = Nanos::from_secs(600);
    /// How many ended leases are remembered (semantics 5.4).
    pub const ENDED_MAX: usize = 1_000_000;
    /// How long an unconfirmed push outlives its stream (semantics 5.3).
    pub const CONFIRM_WITHIN: Nanos = Nanos::from_secs(10);
    /// How many deadlines one step meets before it lets others have a turn.
    pub const DEADLINES_PER_STEP: u32 = 1024;
    /// How many lanes one step tries before it lets others have a turn (semantics 4.3).
    pub const TRIES_PER_STEP: u32 = 256;
    /// How many gates get a turn out of order in a step that follows on one which wasn't through.
    pub const TURNS_PER_STEP: usize = 16;
}

impl Default for Config {
    fn default() -> Self {
        Self {
            budgets_max: 8192,
            jobs_max: 10_000_000,
            requests_max: 1_000_000,
            sessions_max: 20_000,
            payload_bytes_max: 1 << 20,
            reserve_after: ReserveAfter::After(Nanos::from_secs(30)),
        }
    }
}
