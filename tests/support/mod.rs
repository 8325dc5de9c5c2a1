//! What tests over the wire share: a real server process, raw clients of the contract, one Dispatch stream by hand, and waits
//! that are bounded.
//!
//! Refuses to know the server's inside: all it has is the program and the contract.

// Each test target uses its own part of this.
#![allow(dead_code)]

pub mod calls;
pub mod raw;
pub mod refusal;
pub mod server;
pub mod stream;

// Generated code is neither documented nor linted by this project's rules.
#[allow(missing_docs, clippy::all)]
#[rustfmt::skip]
#[path = "../../clients/rust/src/gen/sluicegate.v1.rs"]
pub mod wire;

use std::time::Duration;

/// Longer than anything here takes: only a wait for what never comes lasts so long.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at what gives no signal.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Waits for `what`, and fails the test if it doesn't come.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what}: nothing within {PATIENCE:?}"),
    }
}

/// Looks again and again until `look` finds something, and fails the test if it never does.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    within(what, looking).await
}
