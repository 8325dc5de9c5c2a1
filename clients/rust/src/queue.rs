//! Queues and their depth.

use std::time::Duration;

use crate::convert::duration_from_wire;
use crate::wire;

/// A queue and its depth.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Whether it dispatches nothing.
    pub paused: bool,
    /// Jobs that wait for their time.
    pub scheduled: u64,
    /// Jobs that wait for a worker or a budget.
    pub ready: u64,
    /// Jobs with a live lease.
    pub in_flight: u64,
    /// Retained jobs that succeeded.
    pub completed: u64,
    /// Retained jobs that failed for good.
    pub dead: u64,
    /// Retained jobs that were cancelled.
    pub cancelled: u64,
    /// How long the ready job that has been ready longest has been so.
    pub oldest_ready_age: Option<Duration>,
    /// Connected workers that serve it.
    pub workers: u32,
}

impl Queue {
    pub(crate) fn from_wire(queue: wire::Queue) -> Self {
        Self {
            name: queue.name,
            paused: queue.paused,
            scheduled: queue.scheduled,
            ready: queue.ready,
            in_flight: queue.in_flight,
            completed: queue.completed,
            dead: queue.dead,
            cancelled: queue.cancelled,
            oldest_ready_age: queue.oldest_ready_age.map(duration_from_wire),
            workers: queue.workers,
        }
    }
}
