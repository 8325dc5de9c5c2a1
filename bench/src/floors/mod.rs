//! What the server stands on, measured alone: the disk, gRPC, and the store.

pub mod disk;
pub mod grpc;
pub mod rows;
