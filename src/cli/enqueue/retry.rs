//! Repeating a call whose outcome isn't known. Only for calls that a request id makes harmless to repeat.

use std::time::Duration;

use sluicegate_client::{Error, Result};
use tokio::time::{Instant, sleep, timeout_at};

const DELAY_FIRST: Duration = Duration::from_millis(100);
const DELAY_MAX: Duration = Duration::from_secs(2);

/// Repeats `call` until it succeeds or is refused for good, and gives up with its last error after `patience`. An answer that
/// takes longer than that is given up as well.
pub(super) async fn until_known<T>(patience: Duration, call: impl AsyncFn() -> Result<T>) -> Result<T> {
    // Beyond a year nobody waits.
    let deadline = Instant::now() + patience.min(Duration::from_secs(366 * 86_400));
    let mut delay = DELAY_FIRST;
    let mut last: Option<Error> = None;
    loop {
        // The first attempt has all the time it needs to be answered.
        let outcome = match last.take() {
            None => call().await,
            Some(error) => timeout_at(deadline, call()).await.unwrap_or(Err(error)),
        };
        let error = match outcome {
            Err(error) if error.is_retryable() => error,
            outcome => return outcome,
        };
        let wait = error.retry_after().unwrap_or(delay);
        if Instant::now() + wait >= deadline {
            return Err(error);
        }
        tracing::warn!(%error, ?wait, "tries again");
        sleep(wait).await;
        delay = (delay * 2).min(DELAY_MAX);
        last = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const OVERLOADED: fn() -> Error = || Error::Draining { retry_after: None };

    #[tokio::test(start_paused = true)]
    async fn what_may_pass_is_repeated_until_it_has() {
        let calls = Cell::new(0);
        let outcome = until_known(Duration::from_secs(30), async || {
            calls.set(calls.get() + 1);
            if calls.get() < 4 { Err(OVERLOADED()) } else { Ok(7) }
        });
        assert_eq!(outcome.await.expect("the fourth call succeeds"), 7);
        assert_eq!(calls.get(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_passes_ends_with_its_own_error() {
        let outcome = until_known(Duration::from_secs(3), async || Err::<(), _>(OVERLOADED())).await;
        assert!(matches!(outcome, Err(Error::Draining { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_final_and_no_patience_is_one_call() {
        for (error, patience) in [(true, 30), (false, 0)] {
            let calls = Cell::new(0);
            let refused = || Error::BudgetNotFound { budget: "b".into() };
            let outcome = until_known(Duration::from_secs(patience), async || {
                calls.set(calls.get() + 1);
                Err::<(), _>(if error { refused() } else { OVERLOADED() })
            });
            assert!(outcome.await.is_err());
            assert_eq!(calls.get(), 1);
        }
    }
}
