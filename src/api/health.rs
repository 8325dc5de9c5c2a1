//! `grpc.health.v1`: whether the server serves, as a whole and service by service.

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::proto as pb;
use crate::driver::Status;

/// What health is reported for; the empty name is the server as a whole.
const SERVICES: [&str; 4] = [
    "",
    pb::budget_service_server::SERVICE_NAME,
    pb::job_service_server::SERVICE_NAME,
    pb::queue_service_server::SERVICE_NAME,
];

/// Reports the driver's status as health, until the draining begins: from then on nothing serves.
pub async fn follow(reporter: HealthReporter, mut status: watch::Receiver<Status>, draining: CancellationToken) {
    loop {
        let serves = matches!(&*status.borrow_and_update(), Status::Serving);
        report(&reporter, serves).await;
        tokio::select! {
            biased;
            () = draining.cancelled() => break,
            changed = status.changed() => if changed.is_err() { break },
        }
    }
    report(&reporter, false).await;
}

/// Ends every open Watch: no status will come any more.
pub async fn end_watches(mut reporter: HealthReporter) {
    for service in SERVICES {
        reporter.clear_service_status(service).await;
    }
}

/// Says of every service whether it serves.
pub async fn report(reporter: &HealthReporter, serves: bool) {
    let status = if serves { ServingStatus::Serving } else { ServingStatus::NotServing };
    for service in SERVICES {
        reporter.set_service_status(service, status).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_stream::StreamExt;
    use tonic::Request;
    use tonic_health::pb::health_check_response::ServingStatus as Wire;
    use tonic_health::pb::health_server::Health;
    use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
    use tonic_health::server::HealthService;

    async fn watch(reporter: &HealthReporter, service: &str) -> impl StreamExt<Item = Wire> + Unpin + use<> {
        let health = HealthService::from_health_reporter(reporter.clone());
        let request = HealthCheckRequest { service: service.to_owned() };
        let watched = health.watch(Request::new(request)).await.expect("a known service");
        let status = |response: Result<HealthCheckResponse, tonic::Status>| response.expect("a status").status();
        Box::pin(watched.into_inner().map(status))
    }

    #[tokio::test]
    async fn health_follows_the_driver_and_ends_with_the_drain() {
        let reporter = HealthReporter::new();
        report(&reporter, false).await;
        let (driver, status) = watch::channel(Status::Recovering);
        let draining = CancellationToken::new();
        let following = tokio::spawn(follow(reporter.clone(), status, draining.clone()));
        for service in SERVICES {
            driver.send_replace(Status::Recovering);
            let mut watched = watch(&reporter, service).await;
            while watched.next().await != Some(Wire::NotServing) {}
            driver.send_replace(Status::Serving);
            while watched.next().await != Some(Wire::Serving) {}
            driver.send_replace(Status::Failed("disk".to_owned()));
            while watched.next().await != Some(Wire::NotServing) {}
        }
        driver.send_replace(Status::Serving);
        let mut watched = watch(&reporter, "").await;
        while watched.next().await != Some(Wire::Serving) {}
        draining.cancel();
        following.await.expect("the follower ends");
        assert_eq!(watched.next().await, Some(Wire::NotServing));
        end_watches(reporter).await;
        assert_eq!(watched.next().await, None);
    }
}
