//! The budgets that match the endpoint's limits: see the README for why they leave the room that they leave.

use std::time::Duration;

use sluicegate_client::{Policy, ReserveAfter, TimeBased};

use super::Mode;
use super::workload::{ERROR_MAX, ESTIMATE_MAX};
use crate::endpoint::{Limit, terms};

/// The most tokens that the pool may hold: those of a minute, less what all calls in flight may cost beyond their estimates.
pub const TOKENS_BURST: u64 = (terms::TOKENS_PER_MINUTE - terms::CONCURRENCY * (ERROR_MAX - 1) * ESTIMATE_MAX) as u64;
/// The most requests that the pool may hold: those of a stroke, less all that may be on their way.
const REQUESTS_BURST: u64 = (terms::REQUESTS_BURST - terms::CONCURRENCY) as u64;
/// For so long, in the endpoint's time, small calls may pass a large one.
const RESERVE_AFTER: Duration = Duration::from_secs(10);

/// The key of the budget that holds this limit in this mode.
pub fn key(mode: Mode, limit: Limit) -> String {
    format!("{mode}/{limit}")
}

/// The limits that the server holds in this mode.
pub fn held(mode: Mode) -> Vec<Limit> {
    let mut held = vec![Limit::Requests];
    held.extend(mode.has_cap().then_some(Limit::Concurrency));
    held.extend(mode.has_tokens().then_some(Limit::Tokens));
    held
}

/// Terms that match this limit of an endpoint that goes so many times as fast as life.
pub fn policy(limit: Limit, speed: u32) -> Policy {
    let per = |duration: Duration, burst| TimeBased::per(scaled_up(duration, speed)).burst(burst);
    match limit {
        Limit::Concurrency => Policy::while_in_flight(terms::CONCURRENCY.into()),
        Limit::Requests => {
            Policy::time_based(terms::REQUESTS_PER_S.into(), per(Duration::from_secs(1), REQUESTS_BURST))
        }
        Limit::Tokens => {
            Policy::time_based(terms::TOKENS_PER_MINUTE.into(), per(Duration::from_secs(60), TOKENS_BURST))
                .reserve_after(ReserveAfter::After(RESERVE_AFTER / speed))
        }
    }
}

/// The least time, in the endpoint's, in which the budget for the tokens lets pass jobs of such costs in all.
pub fn time_for(costs: u64) -> Duration {
    let beyond_burst = costs.saturating_sub(TOKENS_BURST);
    Duration::from_mins(1).mul_f64(beyond_burst as f64 / f64::from(terms::TOKENS_PER_MINUTE))
}

/// Rounded up, so that the budget is never the faster one.
fn scaled_up(duration: Duration, speed: u32) -> Duration {
    (duration + Duration::from_nanos(u64::from(speed) - 1)) / speed
}
