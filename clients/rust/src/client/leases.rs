//! Leasing, settling and extending by single calls. A program that works all the time wants a [`Worker`](crate::Worker).

use super::Client;
use crate::error::Result;
use crate::lease::{LeaseRequest, LeasedJob};
use crate::settlement::{ExtendResult, SettleResult, Settlement};
use crate::wire;

impl Client {
    /// Leases up to some jobs, waiting for the first if there is none. Empty where nothing could be dispatched in time.
    pub async fn lease_jobs(&self, request: LeaseRequest) -> Result<Vec<LeasedJob>> {
        let answer = self.job_service().lease_jobs(request.into_wire()).await?.into_inner();
        answer.jobs.into_iter().map(LeasedJob::from_wire).collect()
    }

    /// Ends 1..=1000 leases. One result each, in this order; a bad one never fails its neighbours.
    pub async fn settle_jobs(&self, settlements: Vec<Settlement>) -> Result<Vec<SettleResult>> {
        let outcomes = settlements.into_iter().map(Settlement::into_wire).collect();
        let request = wire::SettleJobsRequest { outcomes };
        let answer = self.job_service().settle_jobs(request).await?.into_inner();
        Ok(answer.results.into_iter().map(SettleResult::from_wire).collect())
    }

    /// Prolongs 1..=1000 leases, each by its own duration from now. One result each, in this order.
    pub async fn extend_leases<I: Into<String>>(
        &self,
        lease_ids: impl IntoIterator<Item = I>,
    ) -> Result<Vec<ExtendResult>> {
        let lease_ids = lease_ids.into_iter().map(Into::into).collect();
        let request = wire::ExtendLeasesRequest { lease_ids };
        let answer = self.job_service().extend_leases(request).await?.into_inner();
        Ok(answer.results.into_iter().map(ExtendResult::from_wire).collect())
    }
}
