//! The contract's messages and service traits, generated from `proto/sluicegate/v1/`, whose comments are their reference.

#![allow(
    missing_docs,
    clippy::all,
    rustdoc::all,
    reason = "generated: documented in the contract, and not written by hand"
)]

tonic::include_proto!("sluicegate.v1");

/// The package's files and all they import, encoded, with their comments: what server reflection shows.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sluicegate_descriptor.bin"));
