//! `UpdateJobs`: a spec and a field mask as a merge patch.

use super::job::{PRIORITY_DEFAULT, backoff, optional_priority, retention};
use super::time::{optional_instant, optional_span};
use super::{At, Invalid, name, required};
use crate::api::proto as pb;
use crate::scheduler::command::JobPatch;
use crate::scheduler::job::{JobOptions, Name};

const PATHS: &str =
    "`queue`, `type`, `priority`, `run_time`, `max_attempts`, `backoff`, `retention` and `timeout` are taken";

/// What is to change: the masked fields, or without a mask those that are set.
pub fn job_patch(
    at: &At<'_>,
    job: Option<pb::JobSpec>,
    mask: Option<prost_types::FieldMask>,
) -> Result<JobPatch, Invalid> {
    let job = required(at, job)?;
    let paths = match mask {
        Some(mask) if !mask.paths.is_empty() => mask.paths,
        _ => set_fields(at, &job)?,
    };
    let mut patch = JobPatch::default();
    for (index, path) in paths.iter().enumerate() {
        set(&mut patch, at, &job, path).unwrap_or_else(|| {
            let at = At::Root.field("update_mask");
            Err(at.item("paths", index).invalid(format!("`{path}` can't be updated; {PATHS}")))
        })?;
    }
    Ok(patch)
}

/// The paths of the fields that are set; one that can't be updated is refused.
fn set_fields(at: &At<'_>, job: &pb::JobSpec) -> Result<Vec<String>, Invalid> {
    let fields = [
        ("queue", !job.queue.is_empty()),
        ("type", !job.r#type.is_empty()),
        ("priority", job.priority.is_some()),
        ("run_time", job.run_time.is_some()),
        ("max_attempts", job.max_attempts.is_some()),
        ("backoff", job.backoff.is_some()),
        ("retention", job.retention.is_some()),
        ("timeout", job.timeout.is_some()),
    ];
    let fixed = [
        ("payload", job.payload.is_some()),
        ("bindings", !job.bindings.is_empty()),
        ("unique", job.unique.is_some()),
        ("metadata", !job.metadata.is_empty()),
    ];
    if let Some((field, _)) = fixed.into_iter().find(|(_, is_set)| *is_set) {
        return Err(at.field(field).invalid(format!("can't be updated; {PATHS}")));
    }
    Ok(fields.into_iter().filter(|(_, is_set)| *is_set).map(|(path, _)| path.to_owned()).collect())
}

/// Takes one field over; a field that is unset goes back to its default. `None` where the path names none.
fn set(patch: &mut JobPatch, at: &At<'_>, job: &pb::JobSpec, path: &str) -> Option<Result<(), Invalid>> {
    let defaults = JobOptions::default();
    let taken = match path {
        "queue" => name(&at.field("queue"), job.queue.clone()).map(|queue| patch.queue = Some(queue)),
        "type" => {
            patch.kind = Some(Name::from(job.r#type.as_str()));
            Ok(())
        }
        "priority" => optional_priority(&at.field("priority"), job.priority)
            .map(|priority| patch.priority = Some(priority.unwrap_or(PRIORITY_DEFAULT))),
        "run_time" => {
            optional_instant(&at.field("run_time"), job.run_time).map(|run_time| patch.run_time = Some(run_time))
        }
        "max_attempts" => {
            patch.max_attempts = Some(job.max_attempts.unwrap_or(defaults.max_attempts));
            Ok(())
        }
        "backoff" => {
            backoff(&at.field("backoff"), job.backoff.unwrap_or_default()).map(|backoff| patch.backoff = Some(backoff))
        }
        "retention" => retention(&at.field("retention"), job.retention.unwrap_or_default())
            .map(|retention| patch.retention = Some(retention)),
        "timeout" => optional_span(&at.field("timeout"), job.timeout).map(|timeout| patch.timeout = Some(timeout)),
        _ => return None,
    };
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::job::Backoff;

    fn mask(paths: &[&str]) -> Option<prost_types::FieldMask> {
        Some(prost_types::FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() })
    }

    fn patch(job: pb::JobSpec, mask: Option<prost_types::FieldMask>) -> Result<JobPatch, String> {
        job_patch(&At::Root.field("job"), Some(job), mask).map_err(|invalid| invalid.field)
    }

    #[test]
    fn without_a_mask_what_is_set_changes() {
        let job = pb::JobSpec { queue: "b".into(), priority: Some(0), ..pb::JobSpec::default() };
        let expected = JobPatch { queue: Some("b".into()), priority: Some(0), ..JobPatch::default() };
        assert_eq!(patch(job, None), Ok(expected.clone()));
        let empty = prost_types::FieldMask::default();
        let job = pb::JobSpec { queue: "b".into(), priority: Some(0), ..pb::JobSpec::default() };
        assert_eq!(patch(job, Some(empty)), Ok(expected));
    }

    #[test]
    fn a_named_unset_field_goes_back_to_its_default() {
        let named = mask(&["type", "priority", "run_time", "max_attempts", "backoff", "timeout"]);
        let expected = JobPatch {
            kind: Some("".into()),
            priority: Some(PRIORITY_DEFAULT),
            run_time: Some(None),
            max_attempts: Some(25),
            backoff: Some(Backoff::default()),
            timeout: Some(None),
            ..JobPatch::default()
        };
        assert_eq!(patch(pb::JobSpec::default(), named), Ok(expected));
    }

    #[test]
    fn what_cant_be_updated_is_named() {
        let job = pb::JobSpec { metadata: [("k".into(), "v".into())].into(), ..pb::JobSpec::default() };
        assert_eq!(patch(job, None), Err("job.metadata".into()));
        assert_eq!(patch(pb::JobSpec::default(), mask(&["type", "unique"])), Err("update_mask.paths[1]".into()));
        assert_eq!(patch(pb::JobSpec::default(), mask(&["queue"])), Err("job.queue".into()));
        let job = pb::JobSpec { priority: Some(65_536), ..pb::JobSpec::default() };
        assert_eq!(patch(job, None), Err("job.priority".into()));
    }
}
