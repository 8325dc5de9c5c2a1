//! The contract's unary calls by hand, and short ways to write what they carry.

use std::time::Duration;

use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::wire::budget_policy::Strategy;
use super::wire::budget_service_client::BudgetServiceClient;
use super::wire::job_service_client::JobServiceClient;
use super::wire::queue_service_client::QueueServiceClient;
use super::wire::{self, settle_outcome::Outcome};
use super::within;

/// The largest answer a test takes.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// All services over one connection.
#[derive(Clone)]
pub struct Calls {
    pub budgets: BudgetServiceClient<Channel>,
    pub jobs: JobServiceClient<Channel>,
    pub queues: QueueServiceClient<Channel>,
    pub health: HealthClient<Channel>,
}

impl Calls {
    pub fn new(channel: Channel) -> Self {
        Self {
            budgets: BudgetServiceClient::new(channel.clone()),
            jobs: JobServiceClient::new(channel.clone()).max_decoding_message_size(ANSWER_BYTES_MAX),
            queues: QueueServiceClient::new(channel.clone()),
            health: HealthClient::new(channel),
        }
    }

    pub async fn create_budget(&mut self, key: &str, policy: wire::BudgetPolicy) -> wire::Budget {
        let request = wire::CreateBudgetRequest { key: key.to_owned(), policy: Some(policy) };
        let answer = self.budgets.create_budget(request).await.expect("a budget is created");
        answer.into_inner().budget.expect("a budget")
    }

    pub async fn budget(&mut self, key: &str) -> wire::Budget {
        let request = wire::GetBudgetRequest { key: key.to_owned() };
        self.budgets.get_budget(request).await.expect("the budget is there").into_inner().budget.expect("a budget")
    }

    pub async fn budget_status(&mut self, key: &str) -> wire::BudgetStatus {
        self.budget(key).await.status.expect("a status")
    }

    /// Enqueues a job, and returns its id.
    pub async fn enqueue(&mut self, job: wire::JobSpec) -> String {
        let request = wire::EnqueueRequest { job: Some(job), request_id: String::new() };
        self.jobs.enqueue(request).await.expect("a job is enqueued").into_inner().job.expect("a job").id
    }

    /// Enqueues jobs in one call, and returns their ids.
    pub async fn enqueue_all(&mut self, jobs: Vec<wire::JobSpec>) -> Vec<String> {
        let request = wire::BatchEnqueueRequest { jobs, request_id: String::new() };
        let answer = self.jobs.batch_enqueue(request).await.expect("jobs are enqueued").into_inner();
        answer.jobs.into_iter().map(|job| job.id).collect()
    }

    /// One job in full.
    pub async fn job(&mut self, id: &str) -> wire::Job {
        self.try_job(id).await.expect("the job is there")
    }

    /// One job in full, or why it can't be shown.
    pub async fn try_job(&mut self, id: &str) -> Result<wire::Job, Status> {
        let request = wire::GetJobRequest { job_id: id.to_owned(), view: wire::JobView::Full.into() };
        Ok(self.jobs.get_job(request).await?.into_inner().job.expect("a job"))
    }

    pub async fn job_state(&mut self, id: &str) -> wire::JobState {
        self.job(id).await.state()
    }

    /// Whether the job was removed.
    pub async fn is_gone(&mut self, id: &str) -> bool {
        match self.try_job(id).await {
            Ok(_) => false,
            Err(status) if status.code() == Code::NotFound => true,
            Err(status) => panic!("{status:?}"),
        }
    }

    pub async fn count(&mut self, filter: wire::JobFilter) -> u64 {
        let request = wire::CountJobsRequest { filter: Some(filter) };
        self.jobs.count_jobs(request).await.expect("a count").into_inner().count
    }

    pub async fn explain(&mut self, id: &str) -> wire::JobExplanation {
        let request = wire::ExplainJobRequest { job_id: id.to_owned() };
        let answer = self.jobs.explain_job(request).await.expect("an explanation");
        answer.into_inner().explanation.expect("an explanation")
    }

    /// Leases up to so many jobs of a queue, waiting for the first.
    pub async fn lease(&mut self, worker: &str, queue: &str, max_jobs: u32) -> Vec<wire::LeasedJob> {
        let request = wire::LeaseJobsRequest { wait: Some(seconds(30)), ..lease_request(worker, queue, max_jobs) };
        within("a lease", self.jobs.lease_jobs(request)).await.expect("leases").into_inner().jobs
    }

    /// Leases the one job that is there.
    pub async fn lease_one(&mut self, worker: &str, queue: &str) -> String {
        let mut jobs = self.lease(worker, queue, 1).await;
        assert_eq!(jobs.len(), 1, "one job");
        lease_id(&jobs.remove(0))
    }

    pub async fn settle(&mut self, outcomes: Vec<wire::SettleOutcome>) -> Vec<wire::SettleResult> {
        let request = wire::SettleJobsRequest { outcomes };
        within("results", self.jobs.settle_jobs(request)).await.expect("results").into_inner().results
    }

    pub async fn settle_one(&mut self, outcome: wire::SettleOutcome) -> wire::SettleStatus {
        self.settle(vec![outcome]).await[0].status()
    }

    pub async fn extend(&mut self, lease_ids: Vec<String>) -> Vec<wire::ExtendResult> {
        let request = wire::ExtendLeasesRequest { lease_ids };
        self.jobs.extend_leases(request).await.expect("results").into_inner().results
    }

    /// What health says of a service; empty: of the server.
    pub async fn health_of(&mut self, service: &str) -> Result<ServingStatus, Status> {
        let request = HealthCheckRequest { service: service.to_owned() };
        Ok(within("health", self.health.check(request)).await?.into_inner().status())
    }

    /// Checks that the server serves still.
    pub async fn assert_serving(&mut self) {
        assert_eq!(self.health_of("").await.expect("health"), ServingStatus::Serving);
    }
}

pub fn lease_request(worker: &str, queue: &str, max_jobs: u32) -> wire::LeaseJobsRequest {
    wire::LeaseJobsRequest {
        worker_id: worker.to_owned(),
        queues: vec![queue.to_owned()],
        max_jobs,
        ..wire::LeaseJobsRequest::default()
    }
}

pub fn lease_id(job: &wire::LeasedJob) -> String {
    job.lease.as_ref().expect("a lease").id.clone()
}

pub fn job_id(job: &wire::LeasedJob) -> String {
    job.job.as_ref().expect("a job").id.clone()
}

pub fn span(duration: Duration) -> prost_types::Duration {
    duration.try_into().expect("a duration")
}

pub fn seconds(seconds: i64) -> prost_types::Duration {
    prost_types::Duration { seconds, nanos: 0 }
}

pub fn while_in_flight(allocation: u64) -> wire::BudgetPolicy {
    let strategy = Some(Strategy::WhileInFlight(wire::WhileInFlight {}));
    wire::BudgetPolicy { allocation, strategy, reserve_after: None }
}

pub fn time_based(allocation: u64, duration: Duration, burst: Option<u64>) -> wire::BudgetPolicy {
    let strategy = Some(Strategy::TimeBased(wire::TimeBased { duration: Some(span(duration)), burst }));
    wire::BudgetPolicy { allocation, strategy, reserve_after: None }
}

pub fn job_in(queue: &str) -> wire::JobSpec {
    wire::JobSpec { queue: queue.to_owned(), ..wire::JobSpec::default() }
}

/// A job of a queue that is bound to budgets.
pub fn bound_job(queue: &str, bindings: &[(&str, u64)]) -> wire::JobSpec {
    let bindings = bindings.iter().map(|(budget, cost)| binding(budget, *cost)).collect();
    wire::JobSpec { bindings, ..job_in(queue) }
}

pub fn binding(budget: &str, cost: u64) -> wire::Binding {
    wire::Binding { budget: budget.to_owned(), cost: Some(cost), create_with: None }
}

/// Kept for an hour once it is over, so that a test can look at it.
pub fn kept(job: wire::JobSpec) -> wire::JobSpec {
    let hour = Some(seconds(3600));
    wire::JobSpec { retention: Some(wire::Retention { completed: hour, dead: hour, cancelled: hour }), ..job }
}

pub fn outcome(lease_id: &str, outcome: Outcome) -> wire::SettleOutcome {
    wire::SettleOutcome { lease_id: lease_id.to_owned(), outcome: Some(outcome), ..wire::SettleOutcome::default() }
}

pub fn success(lease_id: &str) -> wire::SettleOutcome {
    outcome(lease_id, Outcome::Success(wire::JobSuccess::default()))
}

/// A failure that is retried at once.
pub fn failure(lease_id: &str, error: &str) -> wire::SettleOutcome {
    let retry_after = Some(seconds(0));
    outcome(lease_id, Outcome::Failure(wire::JobFailure { error: error.to_owned(), retry_after, discard: false }))
}

pub fn release(lease_id: &str) -> wire::SettleOutcome {
    outcome(lease_id, Outcome::Release(wire::JobRelease::default()))
}

pub fn of_queue(queue: &str) -> wire::JobFilter {
    wire::JobFilter { queues: vec![queue.to_owned()], ..wire::JobFilter::default() }
}

/// The jobs of a queue in one state.
pub fn of_state(queue: &str, state: wire::JobState) -> wire::JobFilter {
    wire::JobFilter { states: vec![state.into()], ..of_queue(queue) }
}
