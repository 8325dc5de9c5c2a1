//! [`Client`] has all calls; [`Worker`] takes jobs and keeps their leases alive. The generated code of the contract stays inside:
//! types here are std's and this crate's own, and values that a newer server invents become an `Unknown` or a `None`.
//!
#![doc = include_str!("../README.md")]

mod binding;
mod budget;
mod budget_patch;
mod client;
mod convert;
mod error;
mod explain;
mod filter;
mod job;
mod job_calls;
mod lease;
mod listing;
mod queue;
mod selection;
mod settlement;
mod stored_job;
mod worker;

// Generated code is neither documented nor linted by this crate's rules, and the contract has more than this crate calls.
#[allow(missing_docs, clippy::all, dead_code)]
#[rustfmt::skip]
#[path = "gen/sluicegate.v1.rs"]
mod wire;

pub use binding::{Apply, Binding, BindingOperation, Changed};
pub use budget::{Budget, BudgetStatus, Policy, ReserveAfter, Strategy, TimeBased};
pub use budget_patch::PolicyPatch;
pub use client::{CancelMode, Client, DeleteOptions, Enqueued, EnqueuedId, ReplaceOptions, request_id};
pub use error::{Error, FieldViolation, Result};
pub use explain::{BudgetExplanation, Explanation, HoldUp, QueueExplanation};
pub use filter::{JobFilter, JobPatch};
pub use job::{Backoff, Job, Payload, Retention, Unique, UniqueScope};
pub use lease::{LeaseRequest, LeasedJob};
pub use listing::Listing;
pub use queue::Queue;
pub use selection::Selection;
pub use settlement::{ExtendResult, ExtendStatus, LeaseError, SettleResult, SettleStatus, Settlement};
pub use stored_job::{AttemptError, JobState, JobView, Lease, StoredJob, UnknownState};
pub use tokio_util::sync::CancellationToken;
pub use worker::{CancelReason, HandlerError, JobContext, JobResult, Worker, WorkerBuilder, WorkerStats};
