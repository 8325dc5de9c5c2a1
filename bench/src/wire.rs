//! The contract's messages and clients, and the floor's service, as they are generated.

/// The contract.
#[allow(missing_docs, clippy::all, dead_code, reason = "generated: neither documented nor linted by this project's rules")]
#[rustfmt::skip]
#[path = "../../clients/rust/src/gen/sluicegate.v1.rs"]
mod contract;

/// The floor.
#[allow(missing_docs, clippy::all, reason = "generated: neither documented nor linted by this project's rules")]
pub mod floor {
    tonic::include_proto!("sluicegate.bench");
}

/// The part of the contract that a load needs.
#[allow(missing_docs, clippy::all, reason = "generated: neither documented nor linted by this project's rules")]
pub mod lean {
    tonic::include_proto!("sluicegate.v1");
}

pub use contract::*;
