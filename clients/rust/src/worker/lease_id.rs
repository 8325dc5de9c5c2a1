//! The id of a lease, as the worker's parts hand it around.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The id of a lease. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LeaseId(Arc<str>);

impl LeaseId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for LeaseId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl Borrow<str> for LeaseId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
