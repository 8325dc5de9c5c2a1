//! What a refused call says to programs, and that every refusal says it in the same form.

use std::collections::HashMap;

use tonic::{Code, Response, Status};
use tonic_types::{ErrorDetail, StatusExt};

/// A refusal's facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: Code,
    pub reason: String,
    pub facts: HashMap<String, String>,
    /// The fields that BadRequest names.
    pub fields: Vec<String>,
    pub has_retry: bool,
}

impl Refusal {
    /// Reads a status, which must have one ErrorInfo of this server.
    pub fn of(status: &Status) -> Self {
        let details = status.get_error_details_vec();
        let infos: Vec<_> = details
            .iter()
            .filter_map(|detail| match detail {
                ErrorDetail::ErrorInfo(info) => Some(info),
                _ => None,
            })
            .collect();
        let [info] = infos.as_slice() else {
            panic!("{} ErrorInfos in {status:?}", infos.len());
        };
        assert_eq!(info.domain, "sluicegate", "{status:?}");
        let details = status.get_error_details();
        let fields = details.bad_request().map(|bad| bad.field_violations.as_slice()).unwrap_or_default();
        Self {
            code: status.code(),
            reason: info.reason.clone(),
            facts: info.metadata.clone(),
            fields: fields.iter().map(|violation| violation.field.clone()).collect(),
            has_retry: details.retry_info().is_some(),
        }
    }

    /// One of its facts.
    pub fn fact(&self, name: &str) -> &str {
        self.facts.get(name).unwrap_or_else(|| panic!("no `{name}` in {self:?}"))
    }
}

/// What an answer refuses with; an OK fails the test.
pub fn refusal<T: std::fmt::Debug>(answer: Result<Response<T>, Status>) -> Refusal {
    Refusal::of(&answer.expect_err("a refusal"))
}

/// Checks that the answer is this refusal.
pub fn assert_refused<T: std::fmt::Debug>(answer: Result<Response<T>, Status>, code: Code, reason: &str) -> Refusal {
    let refusal = refusal(answer);
    assert_eq!((refusal.code, refusal.reason.as_str()), (code, reason), "{refusal:?}");
    refusal
}

/// Checks that the answer refuses this field.
pub fn assert_invalid<T: std::fmt::Debug>(answer: Result<Response<T>, Status>, field: &str) {
    assert_invalid_status(&answer.expect_err("a refusal"), field);
}

/// Checks that a status refuses this field.
pub fn assert_invalid_status(status: &Status, field: &str) {
    let refusal = Refusal::of(status);
    assert_eq!((refusal.code, refusal.reason.as_str()), (Code::InvalidArgument, "INVALID_FIELD"), "{status:?}");
    assert_eq!(refusal.fields, [field], "{status:?}");
    assert_eq!(refusal.fact("field"), field, "{status:?}");
}
