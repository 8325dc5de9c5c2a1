//! Sluicegate: a job server that holds the limits itself.

pub mod scheduler;
pub mod store;
