//! Showing jobs: GetJob, ListJobs, CountJobs and ExplainJob.
//!
//! The scheduler's owner is asked for a bounded piece at a time, so that a long list delays nobody.

use prost::encoding::message::encoded_len;
use tonic::Status;

use super::context::Context;
use super::convert::filter::job_filter;
use super::convert::job_wire::{self, Details};
use super::convert::{At, Invalid, explain, page_size};
use super::proto as pb;
use super::{errors, page_token};
use crate::driver::{Refusal, View};
use crate::ids;
use crate::scheduler::Rejection;
use crate::scheduler::units::JobId;
use crate::scheduler::view::{JobFilter, JobView, Page};

/// The field of a ListJobsResponse that holds its jobs.
const JOBS_TAG: u32 = 1;
/// The most bytes of a page as encoded.
const PAGE_BYTES_MAX: usize = 2 << 20;
/// How many jobs one look shows with their payloads, which come from the disk.
const FULL_JOBS_PER_LOOK: usize = 32;

/// A job with what the store knows of it, where that was asked for.
type Shown = (JobView, Option<Details>);

/// Shows one job.
pub async fn get(context: &Context, wire: pb::GetJobRequest) -> Result<pb::GetJobResponse, Status> {
    let at = At::Root;
    let full = is_full(&at.field("view"), wire.view, true)?;
    let id = job_id(&wire.job_id)?;
    let found = context
        .handle
        .read(move |view| {
            let job = view.scheduler.job(id);
            job.and_then(|job| shown(view, job, full).transpose()).transpose()
        })
        .await??;
    let shown = found.ok_or_else(|| errors::job_not_found(&wire.job_id))?;
    Ok(pb::GetJobResponse { job: Some(wire_job(shown)) })
}

/// Shows a page of jobs.
pub async fn list(context: &Context, wire: pb::ListJobsRequest) -> Result<pb::ListJobsResponse, Status> {
    let at = At::Root;
    let full = is_full(&at.field("view"), wire.view, false)?;
    let size = page_size(&at.field("page_size"), wire.page_size)?;
    let mark = page_token::fingerprint(wire.filter.as_ref());
    let mut after = page_token::job(&wire.page_token, mark)?;
    let filter = job_filter(&at.field("filter"), wire.filter)?;

    let _turn = context.pages.acquire().await.expect("it is never closed");
    let mut page = JobPage::default();
    let last = loop {
        let filter = filter.clone();
        let limit = size - page.jobs.len();
        let room = PAGE_BYTES_MAX - page.bytes;
        let look = context.handle.read(move |view| look(view, &filter, after, limit, full.then_some(room))).await??;
        for (job, details) in look.items {
            let id = job.record.id;
            if !page.push(wire_job((job, details))) {
                break;
            }
            after = Some(id);
        }
        if page.is_cut {
            break after;
        }
        match look.next_after {
            None => break None,
            next if page.jobs.len() == size => break next,
            next => after = next,
        }
    };
    let next = last.map(|last| page_token::after_job(last, mark));
    Ok(pb::ListJobsResponse { jobs: page.jobs, next_page_token: next.unwrap_or_default() })
}

/// Counts jobs.
pub async fn count(context: &Context, wire: pb::CountJobsRequest) -> Result<pb::CountJobsResponse, Status> {
    let filter = job_filter(&At::Root.field("filter"), wire.filter)?;
    let depth = context.handle.read(move |view| view.scheduler.count_jobs(&filter)).await??;
    Ok(pb::CountJobsResponse { count: depth.total() })
}

/// Says why a job isn't being dispatched.
pub async fn explain(context: &Context, wire: pb::ExplainJobRequest) -> Result<pb::ExplainJobResponse, Status> {
    let id = job_id(&wire.job_id)?;
    let (explanation, now) = context.handle.read(move |view| (view.scheduler.explain(view.now, id), view.now)).await?;
    Ok(pb::ExplainJobResponse { explanation: Some(explain::explanation(explanation?, now)) })
}

/// A required job id; text that is none names no job.
pub fn job_id(text: &str) -> Result<JobId, Status> {
    if text.is_empty() {
        return Err(At::Root.field("job_id").required().into());
    }
    ids::parse_job(text).ok_or_else(|| errors::job_not_found(text))
}

fn is_full(at: &At<'_>, view: i32, default: bool) -> Result<bool, Invalid> {
    match pb::JobView::try_from(view) {
        Ok(pb::JobView::Unspecified) => Ok(default),
        Ok(pb::JobView::Basic) => Ok(false),
        Ok(pb::JobView::Full) => Ok(true),
        Err(_) => Err(at.invalid(format!("{view} is no view that this server knows"))),
    }
}

/// A page in the making.
#[derive(Default)]
struct JobPage {
    jobs: Vec<pb::Job>,
    bytes: usize,
    /// Whether a job was left out, since it would have made the page too large.
    is_cut: bool,
}

impl JobPage {
    /// Puts the job in, unless the page would be too large. The first one always is.
    fn push(&mut self, job: pb::Job) -> bool {
        let bytes = self.bytes + encoded_len(JOBS_TAG, &job);
        self.is_cut = bytes > PAGE_BYTES_MAX && !self.jobs.is_empty();
        if !self.is_cut {
            self.bytes = bytes.min(PAGE_BYTES_MAX);
            self.jobs.push(job);
        }
        !self.is_cut
    }
}

/// One look at the jobs after `after`; `full_bytes_max` bounds the bodies that are read from the store, and is set where
/// the FULL view is asked for. At least one job is shown, if there is one.
fn look(
    view: &View<'_>,
    filter: &JobFilter,
    after: Option<JobId>,
    limit: usize,
    full_bytes_max: Option<usize>,
) -> Result<Page<Shown, JobId>, Refusal> {
    let rejected = |rejection: Rejection| Refusal::Rejected(rejection);
    let Some(bytes_max) = full_bytes_max else {
        let page = view.scheduler.list_jobs(filter, after, limit).map_err(rejected)?;
        return Ok(Page {
            items: page.items.into_iter().map(|job| (job, None)).collect(),
            next_after: page.next_after,
        });
    };
    let limit = limit.min(FULL_JOBS_PER_LOOK);
    let page = view.scheduler.list_jobs(filter, after, limit).map_err(rejected)?;
    let mut items = Vec::with_capacity(page.items.len());
    let mut next_after = page.next_after;
    let mut bytes = 0;
    for job in page.items {
        let id = job.record.id;
        bytes += job.record.body_bytes as usize;
        items.extend(shown(view, job, true)?);
        if bytes > bytes_max {
            next_after = Some(id);
            break;
        }
    }
    Ok(Page { items, next_after })
}

/// The job as asked for; `None` if the store has it no more.
fn shown(view: &View<'_>, job: JobView, full: bool) -> Result<Option<Shown>, Refusal> {
    if !full {
        return Ok(Some((job, None)));
    }
    let stored = view
        .records
        .details(job.record.id)
        .map_err(|error| Refusal::StoreUnavailable { problem: error.to_string() })?;
    Ok(stored.map(|stored| {
        let details = Details { body: stored.body, failures: stored.failures, result: stored.result };
        (job, Some(details))
    }))
}

fn wire_job((job, details): Shown) -> pb::Job {
    match details {
        None => job_wire::basic(job),
        Some(details) => job_wire::full(job, details),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    fn job(bytes: usize) -> pb::Job {
        pb::Job { result: vec![0; bytes], ..pb::Job::default() }
    }

    #[test]
    fn a_page_ends_before_it_grows_too_large() {
        let mut page = JobPage::default();
        assert!(page.push(job(1 << 20)));
        assert!(page.push(job(1 << 19)));
        assert!(!page.push(job(1 << 19)));
        assert!(page.is_cut);
        let response = pb::ListJobsResponse { jobs: page.jobs, next_page_token: String::new() };
        assert_eq!(response.jobs.len(), 2);
        assert!(response.encoded_len() <= PAGE_BYTES_MAX);
    }

    #[test]
    fn a_page_has_at_least_one_job() {
        let mut page = JobPage::default();
        assert!(page.push(job(3 << 20)));
        assert!(!page.push(job(0)));
        assert_eq!(page.jobs.len(), 1);
    }

    #[test]
    fn views_have_the_default_of_their_call() {
        let at = At::Root.field("view");
        for (view, default, full) in [(0, true, true), (0, false, false), (1, true, false)] {
            assert_eq!(is_full(&at, view, default), Ok(full));
        }
        assert_eq!(is_full(&at, 2, false), Ok(true));
        assert_eq!(is_full(&at, 3, false).unwrap_err().field, "view");
    }

    #[test]
    fn text_that_is_no_id_names_no_job() {
        assert_eq!(job_id("").unwrap_err().code(), tonic::Code::InvalidArgument);
        assert_eq!(job_id("x").unwrap_err().code(), tonic::Code::NotFound);
        assert_eq!(job_id(&ids::job_text(JobId(4))).unwrap(), JobId(4));
    }
}
