//! Sluicegate: a job server that holds the limits itself.

pub mod api;
pub mod cli;
pub mod clock;
pub mod config;
pub mod driver;
pub mod event_log;
pub mod ids;
pub mod scheduler;
pub mod store;
pub mod telemetry;
