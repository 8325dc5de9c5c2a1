//! Refusals as gRPC statuses: a code, words for people, and details for programs.
//!
//! Every status made here carries exactly one `ErrorInfo` whose reason and metadata are those of `error_reason.proto`.
//! All text is bounded, since details travel in headers.

use std::collections::HashMap;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::convert::job_wire::wire_state;
use super::convert::{Invalid, cut};
use super::proto::ErrorReason;
use crate::driver::Refusal;
use crate::ids;
use crate::scheduler::Rejection;
use crate::scheduler::job::JobState;
use crate::scheduler::rejection::CostExceedsCapacity;
use crate::scheduler::units::JobId;

/// The `domain` of every `ErrorInfo`.
pub const DOMAIN: &str = "sluicegate";
/// After how long a call refused by a draining server, or a worker it sent away, tries again.
pub const RETRY_AFTER_DRAIN: Duration = Duration::from_secs(1);
/// After how long a call refused for a bound that passes by itself tries again.
const RETRY_AFTER_OVERLOAD: Duration = Duration::from_secs(1);
/// What of one text goes into a status: its headers have to fit into 8 KiB.
const TEXT_BYTES_MAX: usize = 512;
/// [`Rejection::Overloaded`]'s word for stored jobs, which waiting doesn't make fewer.
const STORED_JOBS: &str = "jobs";
const BUDGET_TYPE: &str = "sluicegate.v1.Budget";
const JOB_TYPE: &str = "sluicegate.v1.Job";

impl From<Invalid> for Status {
    fn from(invalid: Invalid) -> Self {
        Rejection::from(invalid).into()
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Rejected(rejection) => rejection.into(),
            Refusal::StoreUnavailable { problem } => store_unavailable(&problem),
            Refusal::Overloaded { limit } => overloaded("waiting commands", limit),
        }
    }
}

impl From<Rejection> for Status {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::InvalidField { field, problem } => invalid_field(&field, &problem),
            Rejection::BudgetAlreadyExists { key } => Draft::new(
                Code::AlreadyExists,
                ErrorReason::BudgetAlreadyExists,
                format!("budget `{key}` exists already and keeps its policy"),
            )
            .fact("budget", &key)
            .resource(BUDGET_TYPE, &key)
            .finish(),
            Rejection::BudgetNotFound { key, binding } => budget_not_found(&key, binding.as_deref()),
            Rejection::CostExceedsCapacity(facts) => cost_exceeds_capacity(&facts),
            Rejection::BudgetInUse { key, jobs } => Draft::new(
                Code::FailedPrecondition,
                ErrorReason::BudgetInUse,
                format!("budget `{key}` has {jobs} unfinished jobs bound to it"),
            )
            .fact("budget", &key)
            .fact("total", jobs)
            .precondition(&key)
            .finish(),
            Rejection::EtagMismatch { key, current } => Draft::new(
                Code::Aborted,
                ErrorReason::EtagMismatch,
                format!("the policy of budget `{key}` was changed; its etag is `{current}`"),
            )
            .fact("budget", &key)
            .fact("etag", &current)
            .resource(BUDGET_TYPE, &key)
            .finish(),
            Rejection::BudgetLimitReached { limit } => Draft::new(
                Code::ResourceExhausted,
                ErrorReason::BudgetLimitReached,
                format!("there are {limit} budgets, as many as this server takes"),
            )
            .fact("limit", limit)
            .quota("budgets")
            .finish(),
            Rejection::Overloaded { what, limit } => overloaded(what, limit),
            Rejection::JobNotFound { id } => job_not_found(&ids::job_text(id)),
            Rejection::AlreadyBound { job, budget } => {
                of_binding((Code::AlreadyExists, ErrorReason::AlreadyBound), (job, &budget), "is bound to")
            }
            Rejection::NotBound { job, budget } => {
                of_binding((Code::NotFound, ErrorReason::NotBound), (job, &budget), "isn't bound to")
            }
            Rejection::JobInFlight { job } => {
                let id = ids::job_text(job);
                Draft::new(Code::FailedPrecondition, ErrorReason::JobInFlight, format!("job {id} is in flight"))
                    .fact("job_id", &id)
                    .precondition(&id)
                    .finish()
            }
            Rejection::JobFinished { job, state } => job_finished(job, state),
        }
    }
}

/// A field is missing or outside its bounds.
pub fn invalid_field(field: &str, problem: &str) -> Status {
    let field = cut(field, TEXT_BYTES_MAX);
    Draft::new(Code::InvalidArgument, ErrorReason::InvalidField, format!("{field}: {problem}"))
        .fact("field", field)
        .bad_field(field, problem)
        .finish()
}

/// No budget has this key; `binding` is the path of the binding that names it, where one does.
pub fn budget_not_found(key: &str, binding: Option<&str>) -> Status {
    let problem = format!("there is no budget `{key}`");
    let reason = ErrorReason::BudgetNotFound;
    match binding {
        None => Draft::new(Code::NotFound, reason, problem).fact("budget", key).resource(BUDGET_TYPE, key).finish(),
        Some(path) => Draft::new(Code::FailedPrecondition, reason, format!("{path}: {problem}"))
            .fact("budget", key)
            .precondition(key)
            .bad_field(path, &problem)
            .finish(),
    }
}

/// No job has this id.
pub fn job_not_found(id: &str) -> Status {
    Draft::new(Code::NotFound, ErrorReason::JobNotFound, format!("there is no job `{id}`; it may have been removed"))
        .fact("job_id", id)
        .resource(JOB_TYPE, id)
        .finish()
}

/// Whether the call took effect is unknown.
pub fn store_unavailable(problem: &str) -> Status {
    Draft::new(
        Code::Unavailable,
        ErrorReason::StoreUnavailable,
        format!("the store is unavailable, and what became of the call unknown: {problem}"),
    )
    .finish()
}

/// The server is shutting down, and did nothing.
pub fn draining() -> Status {
    Draft::new(Code::Unavailable, ErrorReason::Draining, "the server is shutting down".to_owned())
        .retry(RETRY_AFTER_DRAIN)
        .finish()
}

/// A newer stream with the same worker id took over.
pub fn session_superseded(worker: &str) -> Status {
    Draft::new(Code::Aborted, ErrorReason::SessionSuperseded, format!("a newer stream of worker `{worker}` took over"))
        .fact("worker_id", worker)
        .finish()
}

/// There is as much of something as this server takes.
pub fn overloaded(what: &str, limit: u64) -> Status {
    let draft = Draft::new(
        Code::ResourceExhausted,
        ErrorReason::Overloaded,
        format!("there are {limit} {what}, as many as this server takes"),
    )
    .fact("limit", limit)
    .fact("what", what)
    .quota(what);
    if what == STORED_JOBS { draft.finish() } else { draft.retry(RETRY_AFTER_OVERLOAD).finish() }
}

fn cost_exceeds_capacity(facts: &CostExceedsCapacity) -> Status {
    let CostExceedsCapacity { field, budget, cost, capacity, jobs, total } = facts;
    let (cost, capacity) = (cost.0, capacity.0);
    let reason = ErrorReason::CostExceedsCapacity;
    let problem = format!("a cost of {cost} exceeds the capacity of budget `{budget}`, {capacity}");
    let draft = match field {
        Some(path) => {
            Draft::new(Code::FailedPrecondition, reason, format!("{path}: {problem}")).bad_field(path, &problem)
        }
        None => {
            let job_ids: Vec<String> = jobs.iter().map(|job| ids::job_text(*job)).collect();
            Draft::new(Code::FailedPrecondition, reason, format!("{problem}, for {total} unfinished jobs"))
                .fact("job_ids", job_ids.join(","))
                .fact("total", total)
        }
    };
    draft.fact("budget", budget).fact("cost", cost).fact("capacity", capacity).precondition(budget).finish()
}

fn of_binding((code, reason): (Code, ErrorReason), (job, budget): (JobId, &str), verb: &str) -> Status {
    let id = ids::job_text(job);
    Draft::new(code, reason, format!("job {id} {verb} budget `{budget}`"))
        .fact("budget", budget)
        .fact("job_id", &id)
        .resource(JOB_TYPE, &id)
        .finish()
}

fn job_finished(job: JobId, state: JobState) -> Status {
    let id = ids::job_text(job);
    let state = wire_state(state).as_str_name();
    let state = state.strip_prefix("JOB_STATE_").unwrap_or(state);
    Draft::new(Code::FailedPrecondition, ErrorReason::JobFinished, format!("job {id} is over: {state}"))
        .fact("job_id", &id)
        .fact("state", state)
        .precondition(&id)
        .finish()
}

/// The same refusal with its field paths as the caller wrote them.
pub fn relocate(refusal: Refusal, path: impl Fn(&str) -> String) -> Refusal {
    let Refusal::Rejected(mut rejection) = refusal else {
        return refusal;
    };
    let field = match &mut rejection {
        Rejection::InvalidField { field, .. } => Some(field),
        Rejection::BudgetNotFound { binding, .. } => binding.as_mut(),
        Rejection::CostExceedsCapacity(facts) => facts.field.as_mut(),
        Rejection::BudgetAlreadyExists { .. }
        | Rejection::BudgetInUse { .. }
        | Rejection::EtagMismatch { .. }
        | Rejection::BudgetLimitReached { .. }
        | Rejection::Overloaded { .. }
        | Rejection::JobNotFound { .. }
        | Rejection::AlreadyBound { .. }
        | Rejection::NotBound { .. }
        | Rejection::JobInFlight { .. }
        | Rejection::JobFinished { .. } => None,
    };
    if let Some(field) = field {
        *field = path(field);
    }
    Refusal::Rejected(rejection)
}

/// A status in the making.
struct Draft {
    code: Code,
    reason: ErrorReason,
    message: String,
    metadata: HashMap<String, String>,
    details: ErrorDetails,
}

impl Draft {
    fn new(code: Code, reason: ErrorReason, message: String) -> Self {
        Self { code, reason, message: bounded(&message), metadata: HashMap::new(), details: ErrorDetails::new() }
    }

    fn fact(mut self, name: &str, value: impl ToString) -> Self {
        let value = bounded(&value.to_string());
        self.metadata.insert(name.to_owned(), value);
        self
    }

    fn bad_field(mut self, field: &str, problem: &str) -> Self {
        self.details.add_bad_request_violation(bounded(field), bounded(problem));
        self
    }

    fn precondition(mut self, subject: &str) -> Self {
        self.details.add_precondition_failure_violation(
            reason_text(self.reason),
            bounded(subject),
            self.message.clone(),
        );
        self
    }

    fn quota(mut self, subject: &str) -> Self {
        self.details.add_quota_failure_violation(bounded(subject), self.message.clone());
        self
    }

    fn resource(mut self, kind: &str, name: &str) -> Self {
        self.details.set_resource_info(kind, bounded(name), "", self.message.clone());
        self
    }

    fn retry(mut self, after: Duration) -> Self {
        self.details.set_retry_info(Some(after));
        self
    }

    fn finish(mut self) -> Status {
        self.details.set_error_info(reason_text(self.reason), DOMAIN, self.metadata);
        Status::with_error_details(self.code, self.message, self.details)
    }
}

fn reason_text(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("ERROR_REASON_").unwrap_or(name)
}

fn bounded(text: &str) -> String {
    cut(text, TEXT_BYTES_MAX).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::job::Name;
    use crate::scheduler::units::Tokens;

    fn name() -> Name {
        Name::from("api")
    }

    fn facts_of(status: &Status) -> Vec<(String, String)> {
        let details = status.get_error_details();
        let info = details.error_info().expect("an ErrorInfo");
        assert_eq!(info.domain, DOMAIN);
        let mut facts: Vec<_> = info.metadata.clone().into_iter().collect();
        facts.sort();
        facts
    }

    fn too_dear(field: Option<&str>) -> Rejection {
        Rejection::CostExceedsCapacity(CostExceedsCapacity {
            field: field.map(str::to_owned),
            budget: name(),
            cost: Tokens(9),
            capacity: Tokens(5),
            jobs: vec![JobId(7), JobId(8)],
            total: 2,
        })
    }

    fn not_found(binding: Option<&str>) -> Rejection {
        Rejection::BudgetNotFound { key: name(), binding: binding.map(str::to_owned) }
    }

    /// Every rejection, with its code, reason and the names of its metadata.
    fn table() -> Vec<(Rejection, Code, &'static str, &'static [&'static str])> {
        let job = JobId(7);
        vec![
            (Rejection::invalid("policy.allocation", "is 0"), Code::InvalidArgument, "INVALID_FIELD", &["field"]),
            (Rejection::BudgetAlreadyExists { key: name() }, Code::AlreadyExists, "BUDGET_ALREADY_EXISTS", &["budget"]),
            (not_found(None), Code::NotFound, "BUDGET_NOT_FOUND", &["budget"]),
            (not_found(Some("job.bindings[0]")), Code::FailedPrecondition, "BUDGET_NOT_FOUND", &["budget"]),
            (
                too_dear(Some("jobs[3].bindings[0].cost")),
                Code::FailedPrecondition,
                "COST_EXCEEDS_CAPACITY",
                &["budget", "capacity", "cost"],
            ),
            (
                too_dear(None),
                Code::FailedPrecondition,
                "COST_EXCEEDS_CAPACITY",
                &["budget", "capacity", "cost", "job_ids", "total"],
            ),
            (
                Rejection::BudgetInUse { key: name(), jobs: 3 },
                Code::FailedPrecondition,
                "BUDGET_IN_USE",
                &["budget", "total"],
            ),
            (
                Rejection::EtagMismatch { key: name(), current: "e".to_owned() },
                Code::Aborted,
                "ETAG_MISMATCH",
                &["budget", "etag"],
            ),
            (
                Rejection::BudgetLimitReached { limit: 8192 },
                Code::ResourceExhausted,
                "BUDGET_LIMIT_REACHED",
                &["limit"],
            ),
            (
                Rejection::Overloaded { what: "jobs", limit: 1 },
                Code::ResourceExhausted,
                "OVERLOADED",
                &["limit", "what"],
            ),
            (Rejection::JobNotFound { id: job }, Code::NotFound, "JOB_NOT_FOUND", &["job_id"]),
            (
                Rejection::AlreadyBound { job, budget: name() },
                Code::AlreadyExists,
                "ALREADY_BOUND",
                &["budget", "job_id"],
            ),
            (Rejection::NotBound { job, budget: name() }, Code::NotFound, "NOT_BOUND", &["budget", "job_id"]),
            (Rejection::JobInFlight { job }, Code::FailedPrecondition, "JOB_IN_FLIGHT", &["job_id"]),
            (
                Rejection::JobFinished { job, state: JobState::Dead },
                Code::FailedPrecondition,
                "JOB_FINISHED",
                &["job_id", "state"],
            ),
        ]
    }

    #[test]
    fn every_rejection_has_its_code_reason_and_facts() {
        for (rejection, code, reason, facts) in table() {
            let shown = format!("{rejection:?}");
            let status = Status::from(rejection);
            assert_eq!(status.code(), code, "{shown}");
            let details = status.get_error_details();
            assert_eq!(details.error_info().unwrap().reason, reason, "{shown}");
            let names: Vec<String> = facts_of(&status).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, facts, "{shown}");
            let infos = status.get_error_details_vec();
            let infos = infos.iter().filter(|detail| matches!(detail, tonic_types::ErrorDetail::ErrorInfo(_)));
            assert_eq!(infos.count(), 1, "{shown}");
        }
    }

    #[test]
    fn other_refusals_have_theirs() {
        let unavailable = Status::from(Refusal::StoreUnavailable { problem: "disk full".to_owned() });
        let cases = [
            (unavailable, Code::Unavailable, "STORE_UNAVAILABLE", false),
            (Status::from(Refusal::Overloaded { limit: 9 }), Code::ResourceExhausted, "OVERLOADED", true),
            (draining(), Code::Unavailable, "DRAINING", true),
            (session_superseded("w"), Code::Aborted, "SESSION_SUPERSEDED", false),
        ];
        for (status, code, reason, retried) in cases {
            let details = status.get_error_details();
            assert_eq!(status.code(), code);
            assert_eq!(details.error_info().unwrap().reason, reason);
            assert_eq!(details.retry_info().is_some(), retried, "{reason}");
        }
    }

    #[test]
    fn details_say_what_programs_need() {
        let invalid = Status::from(Rejection::invalid("jobs[3].queue", "is empty"));
        let details = invalid.get_error_details();
        let violation = &details.bad_request().unwrap().field_violations[0];
        assert_eq!(violation.field, "jobs[3].queue");
        assert_eq!(violation.description, "is empty");
        let finished = Status::from(Rejection::JobFinished { job: JobId(7), state: JobState::Completed });
        assert_eq!(
            facts_of(&finished),
            [("job_id".to_owned(), ids::job_text(JobId(7))), ("state".to_owned(), "COMPLETED".to_owned())]
        );
        let full = Status::from(Rejection::Overloaded { what: "jobs", limit: 5 });
        let details = full.get_error_details();
        assert!(details.quota_failure().is_some());
        assert!(details.retry_info().is_none());
    }

    #[test]
    fn paths_are_moved_where_there_are_any() {
        for (rejection, ..) in table() {
            let had = Status::from(rejection.clone());
            let moved = relocate(Refusal::Rejected(rejection), |path| format!("x.{path}"));
            let moved = Status::from(moved);
            let fields = |status: &Status| {
                let details = status.get_error_details();
                details.bad_request().map(|bad| {
                    let fields = bad.field_violations.iter();
                    fields.map(|one| one.field.clone()).collect::<Vec<_>>()
                })
            };
            let expected =
                fields(&had).map(|fields| fields.into_iter().map(|field| format!("x.{field}")).collect::<Vec<_>>());
            assert_eq!(fields(&moved), expected);
        }
    }

    #[test]
    fn headers_stay_small_whatever_the_caller_wrote() {
        let long = "é".repeat(1 << 20);
        for status in [
            budget_not_found(&long, Some(&long)),
            job_not_found(&long),
            invalid_field(&long, &long),
            store_unavailable(&long),
        ] {
            // Percent encoding and base64 make them longer on the wire.
            let bytes = 3 * status.message().len() + status.details().len() * 4 / 3;
            assert!(bytes < 8 << 10, "{bytes}");
        }
    }
}
