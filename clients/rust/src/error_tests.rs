//! Every reason of the contract as its variant, and what isn't a reason as a status.

use std::collections::HashMap;

use super::*;

fn refused(code: Code, reason: &str, facts: &[(&str, &str)], retry_after: Option<Duration>) -> Error {
    refused_by("sluicegate", code, reason, facts, retry_after)
}

fn refused_by(domain: &str, code: Code, reason: &str, facts: &[(&str, &str)], retry_after: Option<Duration>) -> Error {
    let metadata: HashMap<String, String> =
        facts.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let mut details = ErrorDetails::new();
    details.set_error_info(reason, domain, metadata);
    if retry_after.is_some() {
        details.set_retry_info(retry_after);
    }
    Status::with_error_details(code, "the server's words", details).into()
}

#[test]
fn every_reason_of_the_contract_has_its_variant() {
    let facts = [("budget", "b"), ("job_id", "j"), ("queue", "q"), ("worker_id", "w"), ("limit", "7")];
    for number in 1.. {
        let Ok(reason) = ErrorReason::try_from(number) else {
            assert!(number > 17, "the reasons are numbered without a gap");
            break;
        };
        let name = reason.as_str_name().trim_start_matches("ERROR_REASON_");
        let error = refused(Code::Unknown, name, &facts, None);
        let variant = format!("{error:?}");
        let camel: String = name.split('_').map(|word| format!("{}{}", &word[..1], word[1..].to_lowercase())).collect();
        assert!(variant.starts_with(&camel), "{name} became {variant}");
        assert_eq!(error.reason(), (name != "UNSPECIFIED").then_some(name));
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn facts_come_along() {
    let error = refused(
        Code::FailedPrecondition,
        "COST_EXCEEDS_CAPACITY",
        &[("budget", "api"), ("cost", "9"), ("capacity", "5"), ("job_ids", "a,b"), ("total", "12")],
        None,
    );
    assert_eq!(error.to_string(), "cost 9 is above the capacity 5 of budget `api` (12 unfinished jobs)");
    let Error::CostExceedsCapacity { job_ids, total, .. } = error else { panic!("{error:?}") };
    assert_eq!((job_ids, total), (vec!["a".to_owned(), "b".to_owned()], 12));

    let error = refused(
        Code::FailedPrecondition,
        "COST_EXCEEDS_CAPACITY",
        &[("budget", "api"), ("cost", "9"), ("capacity", "5")],
        None,
    );
    let Error::CostExceedsCapacity { job_ids, total, .. } = error else { panic!("{error:?}") };
    assert_eq!((job_ids, total), (Vec::new(), 0));

    let error = refused(Code::FailedPrecondition, "JOB_FINISHED", &[("job_id", "j"), ("state", "DEAD")], None);
    assert!(matches!(error, Error::JobFinished { state: JobState::Dead, .. }), "{error:?}");
}

#[test]
fn refused_fields_come_from_bad_request_and_else_from_the_metadata() {
    let mut details = ErrorDetails::new();
    details.set_error_info("INVALID_FIELD", "sluicegate", HashMap::from([("field".into(), "key".into())]));
    let bare = Error::from(Status::with_error_details(Code::InvalidArgument, "too long", details.clone()));
    let Error::InvalidField { fields, message } = bare else { panic!("{bare:?}") };
    assert_eq!(message, "too long");
    assert_eq!(fields, [FieldViolation { field: "key".into(), description: "too long".into() }]);

    details.add_bad_request_violation("jobs[3].queue", "empty");
    details.add_bad_request_violation("jobs[4].queue", "too long");
    let full = Error::from(Status::with_error_details(Code::InvalidArgument, "two fields", details));
    let Error::InvalidField { fields, .. } = full else { panic!("{full:?}") };
    let paths: Vec<_> = fields.iter().map(|violation| violation.field.as_str()).collect();
    assert_eq!(paths, ["jobs[3].queue", "jobs[4].queue"]);
}

#[test]
fn what_passes_by_itself_is_retryable_and_says_when() {
    let wait = Some(Duration::from_secs(3));
    for reason in ["OVERLOADED", "DRAINING"] {
        let error = refused(Code::Unavailable, reason, &[], wait);
        assert!(error.is_retryable(), "{error:?}");
        assert_eq!(error.retry_after(), wait);
    }
    assert!(refused(Code::Unavailable, "STORE_UNAVAILABLE", &[], None).is_retryable());
    assert!(!refused(Code::NotFound, "JOB_NOT_FOUND", &[], wait).is_retryable());
    assert!(!refused(Code::Aborted, "SESSION_SUPERSEDED", &[], None).is_retryable());
    assert!(Error::from(Status::unavailable("connection refused")).is_retryable());
    assert!(!Error::from(Status::unauthenticated("who are you")).is_retryable());
}

#[test]
fn unknown_reasons_and_foreign_domains_stay_a_status() {
    let unknown = refused(Code::FailedPrecondition, "MOON_IS_FULL", &[], Some(Duration::from_secs(1)));
    assert!(matches!(unknown, Error::Status(_)), "{unknown:?}");
    assert_eq!(unknown.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(unknown.to_string(), "FailedPrecondition: the server's words");

    let foreign = refused_by("example.com", Code::NotFound, "JOB_NOT_FOUND", &[], None);
    assert!(matches!(foreign, Error::Status(_)), "{foreign:?}");
    assert!(matches!(refused(Code::Unknown, "UNSPECIFIED", &[], None), Error::Status(_)));
    assert!(matches!(Error::from(Status::internal("bug")), Error::Status(_)));
}

#[test]
fn a_chain_names_each_cause_once() {
    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::io::Error);

    assert_eq!(chain(&Outer(std::io::Error::other("inner"))), "outer: inner");
    assert_eq!(chain(&Outer(std::io::Error::other("outer"))), "outer");
}
