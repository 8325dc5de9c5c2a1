//! Filters over jobs.

use super::job::optional_priority;
use super::time::optional_instant;
use super::{At, Invalid, at_most, names, required};
use crate::api::proto as pb;
use crate::ids;
use crate::scheduler::job::{JobState, Name};
use crate::scheduler::units::{JobId, Timestamp};
use crate::scheduler::view::JobFilter;

const IDS_MAX: usize = 10_000;
const NAMES_MAX: usize = 100;
/// Earlier than every instant.
const EARLIEST: Timestamp = Timestamp(i64::MIN);

/// A filter of a call that only looks: without a condition it selects all jobs.
pub fn job_filter(at: &At<'_>, filter: Option<pb::JobFilter>) -> Result<JobFilter, Invalid> {
    let wire = filter.unwrap_or_default();
    if wire.all {
        let only_all = pb::JobFilter { all: true, ..pb::JobFilter::default() };
        if wire != only_all {
            return Err(at.field("all").invalid("excludes every other condition"));
        }
        return Ok(JobFilter::default());
    }
    Ok(JobFilter {
        ids: ids(at, wire.ids)?,
        queues: name_list(&at.field("queues"), wire.queues)?,
        kinds: name_list(&at.field("types"), wire.types)?,
        states: states(at, &wire.states)?,
        budgets: name_list(&at.field("budgets"), wire.budgets)?,
        priority: priorities(at, wire.priority_min, wire.priority_max)?,
        create_time: range(
            (&at.field("created_from"), wire.created_from),
            (&at.field("created_until"), wire.created_until),
        )?,
        run_time: range((&at.field("run_from"), wire.run_from), (&at.field("run_until"), wire.run_until))?,
    })
}

/// A filter of a call that changes jobs: it must name a condition, or say that it means all.
pub fn chosen_jobs(at: &At<'_>, filter: Option<pb::JobFilter>) -> Result<JobFilter, Invalid> {
    let filter = required(at, filter)?;
    if filter == pb::JobFilter::default() {
        return Err(at.invalid("has no condition; `all` says that every job is meant"));
    }
    job_filter(at, Some(filter))
}

/// Text that names no job selects nothing, and is no error.
fn ids(at: &At<'_>, ids: Option<pb::JobIds>) -> Result<Option<Vec<JobId>>, Invalid> {
    let Some(pb::JobIds { ids: texts }) = ids else {
        return Ok(None);
    };
    let at = at.field("ids");
    at_most(&at.field("ids"), texts.len(), IDS_MAX)?;
    Ok(Some(texts.iter().filter_map(|text| ids::parse_job(text)).collect()))
}

fn name_list(at: &At<'_>, texts: Vec<String>) -> Result<Option<Vec<Name>>, Invalid> {
    at_most(at, texts.len(), NAMES_MAX)?;
    Ok((!texts.is_empty()).then(|| names(texts)))
}

fn states(at: &At<'_>, wire: &[i32]) -> Result<Option<Vec<JobState>>, Invalid> {
    let mut states = Vec::new();
    for (index, &number) in wire.iter().enumerate() {
        let state = state(&at.item("states", index), number)?;
        if !states.contains(&state) {
            states.push(state);
        }
    }
    Ok((!states.is_empty()).then_some(states))
}

fn state(at: &At<'_>, number: i32) -> Result<JobState, Invalid> {
    match pb::JobState::try_from(number) {
        Ok(pb::JobState::Scheduled) => Ok(JobState::Scheduled),
        Ok(pb::JobState::Ready) => Ok(JobState::Ready),
        Ok(pb::JobState::InFlight) => Ok(JobState::InFlight),
        Ok(pb::JobState::Completed) => Ok(JobState::Completed),
        Ok(pb::JobState::Dead) => Ok(JobState::Dead),
        Ok(pb::JobState::Cancelled) => Ok(JobState::Cancelled),
        Ok(pb::JobState::Unspecified) | Err(_) => Err(at.invalid(format!("{number} is no state of a job"))),
    }
}

fn priorities(at: &At<'_>, min: Option<u32>, max: Option<u32>) -> Result<Option<(u16, u16)>, Invalid> {
    let min = optional_priority(&at.field("priority_min"), min)?;
    let max = optional_priority(&at.field("priority_max"), max)?;
    if min.is_none() && max.is_none() {
        return Ok(None);
    }
    let (min, max) = (min.unwrap_or(0), max.unwrap_or(u16::MAX));
    if min > max {
        let at = at.field("priority_max");
        return Err(at.invalid(format!("is {max}, less than `priority_min`, {min}")));
    }
    Ok(Some((min, max)))
}

fn range(
    (from_at, from): (&At<'_>, Option<prost_types::Timestamp>),
    (until_at, until): (&At<'_>, Option<prost_types::Timestamp>),
) -> Result<Option<(Timestamp, Timestamp)>, Invalid> {
    let from = optional_instant(from_at, from)?;
    let until = optional_instant(until_at, until)?;
    if let (Some(from), Some(until)) = (from, until)
        && until <= from
    {
        return Err(until_at.invalid(format!("isn't later than `{from_at}`")));
    }
    if from.is_none() && until.is_none() {
        return Ok(None);
    }
    Ok(Some((from.unwrap_or(EARLIEST), until.unwrap_or(Timestamp::MAX))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(wire: pb::JobFilter) -> Result<JobFilter, String> {
        job_filter(&At::Root.field("filter"), Some(wire)).map_err(|invalid| invalid.field)
    }

    fn seconds(seconds: i64) -> Option<prost_types::Timestamp> {
        Some(prost_types::Timestamp { seconds, nanos: 0 })
    }

    #[test]
    fn no_condition_selects_all() {
        let all = Ok(JobFilter::default());
        assert_eq!(convert(pb::JobFilter::default()), all);
        let explicit = pb::JobFilter { all: true, ..pb::JobFilter::default() };
        assert_eq!(convert(explicit), all);
        assert_eq!(job_filter(&At::Root, None), Ok(JobFilter::default()));
    }

    #[test]
    fn absent_ids_differ_from_none() {
        let with =
            |ids: Vec<String>| convert(pb::JobFilter { ids: Some(pb::JobIds { ids }), ..pb::JobFilter::default() });
        assert_eq!(with(Vec::new()).unwrap().ids, Some(Vec::new()));
        let texts = vec!["nobody".to_owned(), ids::job_text(JobId(3))];
        assert_eq!(with(texts).unwrap().ids, Some(vec![JobId(3)]));
        assert_eq!(with(vec![String::new(); 10_001]), Err("filter.ids.ids".to_owned()));
    }

    #[test]
    fn ranges_may_be_open_at_either_end() {
        let open =
            convert(pb::JobFilter { priority_min: Some(5), created_until: seconds(1), ..pb::JobFilter::default() })
                .unwrap();
        assert_eq!(open.priority, Some((5, u16::MAX)));
        assert_eq!(open.create_time, Some((EARLIEST, Timestamp(1_000_000_000))));
        assert_eq!(open.run_time, None);
    }

    #[test]
    fn what_selects_nothing_by_mistake_is_refused() {
        let cases: [(pb::JobFilter, &str); 6] = [
            (pb::JobFilter { all: true, queues: vec!["q".to_owned()], ..pb::JobFilter::default() }, "filter.all"),
            (pb::JobFilter { states: vec![1, 0], ..pb::JobFilter::default() }, "filter.states[1]"),
            (pb::JobFilter { states: vec![99], ..pb::JobFilter::default() }, "filter.states[0]"),
            (
                pb::JobFilter { priority_min: Some(6), priority_max: Some(5), ..pb::JobFilter::default() },
                "filter.priority_max",
            ),
            (
                pb::JobFilter { run_from: seconds(5), run_until: seconds(5), ..pb::JobFilter::default() },
                "filter.run_until",
            ),
            (pb::JobFilter { budgets: vec![String::new(); 101], ..pb::JobFilter::default() }, "filter.budgets"),
        ];
        for (wire, field) in cases {
            assert_eq!(convert(wire), Err(field.to_owned()));
        }
    }
}
