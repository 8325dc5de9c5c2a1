//! End to end: the real program on a free port and a store of its own, and clients that know nothing but the contract.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod bindings;
mod budgets;
mod bulk;
mod cli;
mod cli_admin;
mod cli_jobs;
mod cli_work;
mod dispatch;
mod dispatch_bounds;
mod event_log;
mod grpcurl;
mod health;
mod jobs;
mod leases;
mod measures;
mod python;
mod shutdown;
mod startup;
mod terminal;
mod tools;
mod worker;
