//! The gRPC face: the contract's services over the driver's handle, and the server that carries them.
//!
//! Knows the wire. Decides nothing about jobs and budgets, and never touches the store.

mod budget_service;
mod codec;
mod context;
mod convert;
mod dispatch;
mod enqueue_calls;
mod errors;
mod health;
mod job_reads;
mod job_service;
mod lease_calls;
mod page_token;
pub mod proto;
mod queue_service;
mod selection_calls;
pub mod server;
mod transport;
mod turns;

pub use server::{ApiOptions, run};
