//! Waiting for what another process does, with an end.

use std::time::{Duration, Instant};

use anyhow::bail;

/// Between two looks.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Looks again and again until `is_so` says yes.
///
/// # Errors
/// It doesn't within `limit`, or fails itself.
pub async fn until(
    limit: Duration,
    what: &str,
    mut is_so: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let start = Instant::now();
    while !is_so().await? {
        if start.elapsed() > limit {
            bail!("waited {limit:?} in vain until {what}");
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    Ok(())
}
