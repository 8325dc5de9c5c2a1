//! Commands that lease, settle and extend without a stream.

use std::time::Duration;

use serde::Deserialize;
use sluicegate_client::{Client, LeaseRequest, Settlement};

use crate::answer;
use crate::failure::{Answer, Failure};
use crate::request::{Millis, OutcomeIn, UsageIn};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lease {
    worker_id: String,
    queues: Vec<String>,
    max_jobs: u32,
    wait_ms: Option<Millis>,
    lease_ms: Option<Millis>,
    request_id: Option<String>,
}

impl Lease {
    pub async fn run(self, client: &Client) -> Answer {
        let mut request = LeaseRequest::new(self.worker_id).max_jobs(self.max_jobs);
        request = self.queues.into_iter().fold(request, LeaseRequest::queue);
        if let Some(wait) = self.wait_ms {
            request = request.wait(wait.into());
        }
        if let Some(duration) = self.lease_ms {
            request = request.lease_duration(duration.into());
        }
        if let Some(id) = self.request_id {
            request = request.request_id(id);
        }
        let leased = client.lease_jobs(request).await?;
        Ok(leased.iter().map(answer::leased).collect())
    }
}

#[derive(Deserialize)]
pub(crate) struct Settle {
    outcomes: Vec<Outcome>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    lease_id: String,
    outcome: OutcomeIn,
    #[serde(default)]
    usage: Vec<UsageIn>,
}

impl Settle {
    pub async fn run(self, client: &Client) -> Answer {
        let settlements = self.outcomes.into_iter().map(settlement).collect::<Result<Vec<_>, _>>()?;
        let results = client.settle_jobs(settlements).await?;
        Ok(results.iter().map(|result| answer::settled(result.status)).collect())
    }
}

fn settlement(outcome: Outcome) -> Result<Settlement, Failure> {
    let lease_id = outcome.lease_id;
    let settlement = match outcome.outcome {
        OutcomeIn::Success { result_base64 } => Settlement::success_with(lease_id, result_base64.0),
        OutcomeIn::Failure { message, retry_after_ms } => {
            Settlement::failure(lease_id, message, retry_after_ms.map(Duration::from))
        }
        OutcomeIn::Discard { message } => Settlement::discard(lease_id, message),
        OutcomeIn::Release { delay_ms } => Settlement::release(lease_id, delay_ms.map(Duration::from)),
        OutcomeIn::Throttled { budget, retry_after_ms } => {
            Settlement::release(lease_id, None).throttled(budget, retry_after_ms.into())
        }
        OutcomeIn::Raise { .. } => return Err(Failure::Unsupported("only a handler can raise".to_owned())),
    };
    Ok(outcome.usage.into_iter().fold(settlement, |it, usage| it.usage(usage.key, usage.cost.0)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Extend {
    lease_ids: Vec<String>,
}

impl Extend {
    pub async fn run(self, client: &Client) -> Answer {
        let results = client.extend_leases(self.lease_ids).await?;
        Ok(results.iter().map(|result| answer::extended(result.status)).collect())
    }
}
