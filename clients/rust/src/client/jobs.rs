//! Calls that take jobs in, show them, and change many of them.

use super::Client;
use crate::binding::{Apply, Changed};
use crate::convert::required;
use crate::error::Result;
use crate::explain::Explanation;
use crate::filter::{JobFilter, JobPatch};
use crate::job::Job;
use crate::listing::Listing;
use crate::stored_job::{JobView, StoredJob};
use crate::wire;

/// A job that was taken in, or was there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Enqueued {
    /// As it stands now, in the basic view. Only its id, when a repeated request id finds it removed.
    pub job: StoredJob,
    /// Whether a job that holds the same unique key was there, so that none was created.
    pub existing: bool,
}

/// What became of one job of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnqueuedId {
    /// The job's id.
    pub id: String,
    /// Whether a job that holds the same unique key was there, so that none was created.
    pub existing: bool,
}

/// What a cancellation does to jobs in flight (semantics 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CancelMode {
    /// Asks their workers, and leaves leases and holds as they are.
    #[default]
    Ask,
    /// Ends their leases as well, though their handlers may still run.
    Force,
}

/// A new random request id, to repeat an enqueue with until its outcome is known.
pub fn request_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

impl Client {
    /// Takes in one job. A repeat after an unknown outcome may make a second one: see [`Client::enqueue_once`].
    pub async fn enqueue(&self, job: Job) -> Result<Enqueued> {
        self.enqueue_as(String::new(), job).await
    }

    /// Takes in one job; a repeat with the same request id (1..=128 bytes) returns the first answer, for 10 min at least.
    ///
    /// ```no_run
    /// # use sluicegate_client::{Client, Job, request_id};
    /// # async fn example(client: Client, job: Job) -> sluicegate_client::Result<()> {
    /// let id = request_id();
    /// let enqueued = loop {
    ///     match client.enqueue_once(&id, job.clone()).await {
    ///         Err(error) if error.is_retryable() => {
    ///             let wait = error.retry_after().unwrap_or(std::time::Duration::from_secs(1));
    ///             tokio::time::sleep(wait).await;
    ///         }
    ///         outcome => break outcome?,
    ///     }
    /// };
    /// # Ok(())
    /// # }
    /// ```
    pub async fn enqueue_once(&self, request_id: impl Into<String>, job: Job) -> Result<Enqueued> {
        self.enqueue_as(request_id.into(), job).await
    }

    async fn enqueue_as(&self, request_id: String, job: Job) -> Result<Enqueued> {
        let request = wire::EnqueueRequest { job: Some(job.into_wire()), request_id };
        let answer = self.job_service().enqueue(request).await?.into_inner();
        let job = StoredJob::from_wire(required(answer.job, "job")?);
        Ok(Enqueued { job, existing: answer.existing })
    }

    /// Takes in 1..=10,000 jobs in this order: all of them, or none. One answer a job.
    pub async fn enqueue_many(&self, jobs: impl IntoIterator<Item = Job>) -> Result<Vec<EnqueuedId>> {
        self.enqueue_many_as(String::new(), jobs).await
    }

    /// As [`Client::enqueue_many`]; a repeat with the same request id returns the first answer.
    pub async fn enqueue_many_once(
        &self,
        request_id: impl Into<String>,
        jobs: impl IntoIterator<Item = Job>,
    ) -> Result<Vec<EnqueuedId>> {
        self.enqueue_many_as(request_id.into(), jobs).await
    }

    async fn enqueue_many_as(
        &self,
        request_id: String,
        jobs: impl IntoIterator<Item = Job>,
    ) -> Result<Vec<EnqueuedId>> {
        let jobs = jobs.into_iter().map(Job::into_wire).collect();
        let request = wire::BatchEnqueueRequest { jobs, request_id };
        let answer = self.job_service().batch_enqueue(request).await?.into_inner();
        let entry = |job: wire::EnqueuedJob| EnqueuedId { id: job.id, existing: job.existing };
        Ok(answer.jobs.into_iter().map(entry).collect())
    }

    /// Shows one job in full.
    pub async fn get_job(&self, id: impl Into<String>) -> Result<StoredJob> {
        let request = wire::GetJobRequest { job_id: id.into(), view: JobView::Full.to_wire().into() };
        let answer = self.job_service().get_job(request).await?.into_inner();
        required(answer.job, "job").map(StoredJob::from_wire)
    }

    /// Shows jobs in the order of their enqueues, in the basic view.
    pub fn list_jobs(&self, filter: JobFilter) -> Listing<StoredJob> {
        self.list_jobs_in(filter, JobView::Basic, None)
    }

    /// Shows jobs in a view, fetched this many (1..=1000) at a time; 100 by default.
    pub fn list_jobs_in(&self, filter: JobFilter, view: JobView, page_size: Option<u32>) -> Listing<StoredJob> {
        let service = self.job_service();
        let filter = filter.into_wire();
        Listing::new(move |page_token| {
            let mut service = service.clone();
            let request = wire::ListJobsRequest {
                filter: Some(filter.clone()),
                view: view.to_wire().into(),
                page_size: page_size.unwrap_or_default(),
                page_token,
            };
            async move {
                let page = service.list_jobs(request).await?.into_inner();
                Ok((page.jobs.into_iter().map(StoredJob::from_wire).collect(), page.next_page_token))
            }
        })
    }

    /// Counts jobs.
    pub async fn count_jobs(&self, filter: JobFilter) -> Result<u64> {
        let request = wire::CountJobsRequest { filter: Some(filter.into_wire()) };
        Ok(self.job_service().count_jobs(request).await?.into_inner().count)
    }

    /// Says why a job isn't being dispatched (semantics 12).
    pub async fn explain_job(&self, id: impl Into<String>) -> Result<Explanation> {
        let request = wire::ExplainJobRequest { job_id: id.into() };
        let answer = self.job_service().explain_job(request).await?.into_inner();
        required(answer.explanation, "explanation").map(Explanation::from_wire)
    }

    /// Cancels jobs (semantics 6.1). `blocked`: those in flight that have been asked to end.
    pub async fn cancel_jobs(&self, filter: JobFilter, mode: CancelMode, apply: Apply) -> Result<Changed> {
        let request = wire::CancelJobsRequest {
            filter: Some(filter.into_wire()),
            force: mode == CancelMode::Force,
            validate_only: apply.is_validate_only(),
        };
        let answer = self.job_service().cancel_jobs(request).await?.into_inner();
        let wire::CancelJobsResponse { changed, blocked, blocked_count } = answer;
        Ok(Changed { changed, blocked, blocked_count })
    }

    /// Makes dead and cancelled jobs, and those that wait for their backoff, ready (semantics 6.5). `blocked`: those whose
    /// unique key another job holds by now.
    pub async fn retry_jobs(&self, filter: JobFilter, apply: Apply) -> Result<Changed> {
        let request =
            wire::RetryJobsRequest { filter: Some(filter.into_wire()), validate_only: apply.is_validate_only() };
        let answer = self.job_service().retry_jobs(request).await?.into_inner();
        let wire::RetryJobsResponse { changed, blocked, blocked_count } = answer;
        Ok(Changed { changed, blocked, blocked_count })
    }

    /// Deletes jobs that aren't in flight, with their payloads and results. `blocked`: those that are.
    pub async fn delete_jobs(&self, filter: JobFilter, apply: Apply) -> Result<Changed> {
        let request =
            wire::DeleteJobsRequest { filter: Some(filter.into_wire()), validate_only: apply.is_validate_only() };
        let answer = self.job_service().delete_jobs(request).await?.into_inner();
        let wire::DeleteJobsResponse { changed, blocked, blocked_count } = answer;
        Ok(Changed { changed, blocked, blocked_count })
    }

    /// Changes scheduled and ready jobs. `blocked`: those in flight.
    pub async fn update_jobs(&self, filter: JobFilter, patch: JobPatch, apply: Apply) -> Result<Changed> {
        let (job, mask) = patch.into_wire();
        let request = wire::UpdateJobsRequest {
            filter: Some(filter.into_wire()),
            job: Some(job),
            update_mask: Some(mask),
            validate_only: apply.is_validate_only(),
        };
        let answer = self.job_service().update_jobs(request).await?.into_inner();
        let wire::UpdateJobsResponse { changed, blocked, blocked_count } = answer;
        Ok(Changed { changed, blocked, blocked_count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_ids_are_within_their_bounds_and_differ() {
        let (first, second) = (request_id(), request_id());
        assert_ne!(first, second);
        assert_eq!(first.len(), 32);
    }
}
