//! `sluicegate.v1.JobService`: each call is answered in a file of its kind.

use std::sync::Arc;

use tonic::{Request, Response, Status, Streaming};

use super::context::Context;
use super::convert::{At, budget, job_wire};
use super::proto as pb;
use super::proto::job_service_server::JobService;
use super::{dispatch, enqueue_calls, job_reads, lease_calls, selection_calls};
use crate::scheduler::{Command, Reply};

/// Takes jobs in, hands them to workers, and shows and changes them.
pub struct JobApi(pub Arc<Context>);

#[tonic::async_trait]
impl JobService for JobApi {
    type DispatchStream = dispatch::Outlet;

    async fn enqueue(&self, request: Request<pb::EnqueueRequest>) -> Result<Response<pb::EnqueueResponse>, Status> {
        self.0.accepting()?;
        let response = enqueue_calls::enqueue(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn batch_enqueue(
        &self,
        request: Request<pb::BatchEnqueueRequest>,
    ) -> Result<Response<pb::BatchEnqueueResponse>, Status> {
        self.0.accepting()?;
        let response = enqueue_calls::batch_enqueue(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    /// Answers with headers at once: the Hello is read afterwards, since a client may wait for them before it sends.
    async fn dispatch(
        &self,
        request: Request<Streaming<pb::DispatchRequest>>,
    ) -> Result<Response<Self::DispatchStream>, Status> {
        self.0.accepting()?;
        let outlet = dispatch::begin(&self.0, request.into_inner());
        Ok(Response::new(outlet))
    }

    async fn lease_jobs(
        &self,
        request: Request<pb::LeaseJobsRequest>,
    ) -> Result<Response<pb::LeaseJobsResponse>, Status> {
        self.0.accepting()?;
        let response = lease_calls::lease_jobs(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn settle_jobs(
        &self,
        request: Request<pb::SettleJobsRequest>,
    ) -> Result<Response<pb::SettleJobsResponse>, Status> {
        let response = lease_calls::settle_jobs(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn extend_leases(
        &self,
        request: Request<pb::ExtendLeasesRequest>,
    ) -> Result<Response<pb::ExtendLeasesResponse>, Status> {
        let response = lease_calls::extend_leases(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn get_job(&self, request: Request<pb::GetJobRequest>) -> Result<Response<pb::GetJobResponse>, Status> {
        let response = job_reads::get(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_jobs(&self, request: Request<pb::ListJobsRequest>) -> Result<Response<pb::ListJobsResponse>, Status> {
        let response = job_reads::list(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn count_jobs(
        &self,
        request: Request<pb::CountJobsRequest>,
    ) -> Result<Response<pb::CountJobsResponse>, Status> {
        let response = job_reads::count(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn cancel_jobs(
        &self,
        request: Request<pb::CancelJobsRequest>,
    ) -> Result<Response<pb::CancelJobsResponse>, Status> {
        self.0.accepting()?;
        let response = selection_calls::cancel(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn retry_jobs(
        &self,
        request: Request<pb::RetryJobsRequest>,
    ) -> Result<Response<pb::RetryJobsResponse>, Status> {
        self.0.accepting()?;
        let response = selection_calls::retry(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn delete_jobs(
        &self,
        request: Request<pb::DeleteJobsRequest>,
    ) -> Result<Response<pb::DeleteJobsResponse>, Status> {
        self.0.accepting()?;
        let response = selection_calls::delete(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn update_jobs(
        &self,
        request: Request<pb::UpdateJobsRequest>,
    ) -> Result<Response<pb::UpdateJobsResponse>, Status> {
        self.0.accepting()?;
        let response = selection_calls::update(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn modify_bindings(
        &self,
        request: Request<pb::ModifyBindingsRequest>,
    ) -> Result<Response<pb::ModifyBindingsResponse>, Status> {
        self.0.accepting()?;
        let wire = request.into_inner();
        let operation = budget::operation(&At::Root.field("operation"), wire.operation)?;
        let job = job_reads::job_id(&wire.job_id)?;
        let command = Command::ModifyBindings { job, operation };
        match self.0.handle.apply(command).await? {
            Reply::Job(view) => Ok(Response::new(pb::ModifyBindingsResponse { job: Some(job_wire::basic(view)) })),
            other => unreachable!("a change of a job is answered with it, not with {other:?}"),
        }
    }

    async fn bulk_modify_bindings(
        &self,
        request: Request<pb::BulkModifyBindingsRequest>,
    ) -> Result<Response<pb::BulkModifyBindingsResponse>, Status> {
        self.0.accepting()?;
        let response = selection_calls::modify_bindings(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn explain_job(
        &self,
        request: Request<pb::ExplainJobRequest>,
    ) -> Result<Response<pb::ExplainJobResponse>, Status> {
        let response = job_reads::explain(&self.0, request.into_inner()).await?;
        Ok(Response::new(response))
    }
}
