//! Sluicegate: a job server that holds the limits itself.

pub mod api;
pub mod clock;
pub mod driver;
pub mod ids;
pub mod scheduler;
pub mod store;
