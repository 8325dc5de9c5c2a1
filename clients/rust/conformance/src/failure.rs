//! Why a command failed, as the harness is told.

use serde_json::{Value, json};
use sluicegate_client::Error;

/// What a command answers.
pub(crate) type Answer = Result<Value, Failure>;

/// Why a command failed.
pub(crate) enum Failure {
    /// What the client said.
    Client(Error),
    /// The command itself is none of ours, or is written wrongly.
    Unsupported(String),
}

impl Failure {
    /// As the protocol writes it.
    pub fn into_json(self) -> Value {
        match self {
            Failure::Client(error) => error_json(&error),
            Failure::Unsupported(message) => json!({ "kind": "Unsupported", "message": message }),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Client(error)
    }
}

/// An error of the client as the protocol writes it.
pub(crate) fn error_json(error: &Error) -> Value {
    let fields: Vec<&str> = match error {
        Error::InvalidField { fields, .. } => fields.iter().map(|violation| violation.field.as_str()).collect(),
        _ => Vec::new(),
    };
    json!({
        "reason": error.reason(),
        "kind": kind(error),
        "retryable": error.is_retryable(),
        "retryAfterMs": error.retry_after().and_then(|wait| u64::try_from(wait.as_millis()).ok()),
        "fields": fields,
        "message": error.to_string(),
    })
}

/// The variant, by its name.
fn kind(error: &Error) -> String {
    match error {
        Error::Config { .. } | Error::Json(_) => "Client".into(),
        Error::Transport(_) => "Transport".into(),
        Error::Status(_) => "Status".into(),
        other => {
            let shown = format!("{other:?}");
            shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        }
    }
}
