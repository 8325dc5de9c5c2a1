//! What went wrong, in words for whoever reads the table.

use std::fmt;
use std::time::Duration;

/// Longer than anything here takes, a connection that goes silent included: only a wait for what never comes lasts so long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks at what gives no signal.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What an attempt came to.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// The same, said of something.
    pub fn of(self, what: impl fmt::Display) -> Self {
        Self(format!("{what}: {}", self.0))
    }

    /// The same, and more on a line of its own.
    pub fn with(self, more: impl fmt::Display) -> Self {
        Self(format!("{}\n{more}", self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Failure {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}

impl From<String> for Failure {
    fn from(words: String) -> Self {
        Self(words)
    }
}

/// Says of a foreign error what it was met at.
pub(crate) trait At<T> {
    /// The error in words, behind what it was met at.
    fn at(self, what: impl fmt::Display) -> Outcome<T>;
}

impl<T, E: fmt::Display> At<T> for Result<T, E> {
    fn at(self, what: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure(format!("{what}: {error}")))
    }
}

/// Waits for something, as long as [`PATIENCE`] lasts.
pub(crate) async fn within<T>(what: impl fmt::Display, future: impl Future<Output = T>) -> Outcome<T> {
    let waited = tokio::time::timeout(PATIENCE, future).await;
    waited.map_err(|_| Failure(format!("{what}: nothing within {PATIENCE:?}")))
}
