//! Sluicegate: a job server that holds the limits itself.

pub mod clock;
pub mod driver;
pub mod scheduler;
pub mod store;
