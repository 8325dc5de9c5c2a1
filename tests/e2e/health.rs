//! grpc.health.v1: the server as a whole, each service, and what isn't one.

use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;

use crate::support::server::Server;
use crate::support::within;

#[tokio::test]
async fn every_service_says_that_it_serves() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let services = ["", "sluicegate.v1.BudgetService", "sluicegate.v1.JobService", "sluicegate.v1.QueueService"]
        .map(str::to_owned);
    for service in services {
        assert_eq!(calls.health_of(&service).await.expect(&service), ServingStatus::Serving, "{service}");
        let watched = calls.health.watch(HealthCheckRequest { service: service.clone() }).await.expect("a watch");
        let first = within("a status", watched.into_inner().message()).await.expect("a status").expect("a status");
        assert_eq!(first.status(), ServingStatus::Serving, "{service}");
    }
    let unknown = calls.health_of("sluicegate.v1.NoService").await.expect_err("there is no such service");
    assert_eq!(unknown.code(), Code::NotFound);
}
