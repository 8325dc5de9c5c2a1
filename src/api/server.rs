//! The server: its services on one listener, and how they end.
//!
//! A shutdown goes in this order: health says NOT_SERVING; the scheduler dispatches nothing more; open streams and new calls
//! are told; settles are taken until every stream has ended, each as soon as it holds no lease, at the latest when the
//! grace is over; connections close, and what is open at the deadline is cut. A server that is dropped ends at once.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use super::budget_service::BudgetApi;
use super::context::Context;
use super::health;
use super::job_service::JobApi;
use super::proto::FILE_DESCRIPTOR_SET;
use super::proto::budget_service_server::BudgetServiceServer;
use super::proto::job_service_server::JobServiceServer;
use super::proto::queue_service_server::QueueServiceServer;
use super::queue_service::QueueApi;
use super::transport::connection::{Ends, incoming};
use super::transport::{Front, Services};
use crate::clock::Clock;
use crate::driver::Handle;

/// The largest request, or frame of a stream, in bytes as encoded.
pub const REQUEST_BYTES_MAX: usize = 32 << 20;

/// What is served, described.
const DESCRIPTORS: [&[u8]; 5] = [
    FILE_DESCRIPTOR_SET,
    tonic_types::pb::FILE_DESCRIPTOR_SET,
    tonic_health::pb::FILE_DESCRIPTOR_SET,
    tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
    tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
];
/// How long a connection without calls has to say goodbye.
const GOODBYE_WITHIN: Duration = Duration::from_secs(1);
/// How long the transport has to notice that its connections were cut.
const CUT_WITHIN: Duration = Duration::from_secs(1);

/// Bounds and durations of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiOptions {
    /// The largest payload in bytes, the same as the scheduler's; at most 16 MiB.
    pub payload_bytes_max: u32,
    /// From the beginning of a shutdown to its hard deadline.
    pub shutdown_grace: Duration,
    /// The most connections at once; more wait to be accepted.
    pub connections_max: usize,
    /// The most commands of all streams together that wait for the driver, at least 1. Half of its mailbox, so that streams
    /// never crowd out calls.
    pub stream_commands_max: usize,
}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            payload_bytes_max: 1 << 20,
            shutdown_grace: Duration::from_secs(30),
            connections_max: 10_000,
            stream_commands_max: crate::driver::Options::MAILBOX_MAX / 2,
        }
    }
}

impl ApiOptions {
    /// From the beginning of a shutdown to the end of the last stream: early enough that it ends before the deadline.
    pub(super) fn stream_grace(&self) -> Duration {
        const MARGIN_MAX: Duration = Duration::from_secs(2);
        self.shutdown_grace - MARGIN_MAX.min(self.shutdown_grace / 5)
    }
}

/// Serves until `shutdown` completes, then drains and returns, at the latest after [`ApiOptions::shutdown_grace`] and a
/// moment. Health is SERVING while the driver's status is. Stopping the driver afterwards is the caller's.
pub async fn run(
    listener: TcpListener,
    handle: Handle,
    clock: Arc<dyn Clock>,
    options: ApiOptions,
    shutdown: impl Future<Output = ()>,
) {
    let reporter = HealthReporter::new();
    health::report(&reporter, false).await;
    let stopping = CancellationToken::new();
    let following = tokio::spawn(health::follow(reporter.clone(), handle.status(), stopping.clone()));

    let context = Arc::new(Context::new(handle, clock, options));
    let closing = CancellationToken::new();
    let ends = Ends { silent: closing.clone(), ..Ends::default() };
    let _guards = [&stopping, &closing, &ends.all, &context.draining].map(|token| token.clone().drop_guard());

    let connections = incoming(listener, context.options.connections_max, ends.clone());
    let mut serving = pin!(front(&context, &reporter).serve(connections, closing.clone()));
    tokio::select! {
        () = &mut serving => return,
        () = shutdown => tracing::info!("the server shuts down"),
    }

    let drained = async {
        stopping.cancel();
        // A follower that panicked reports nothing any more; the drain goes on all the same.
        let _ = following.await;
        drain(&context).await;
        closing.cancel();
        health::end_watches(reporter).await;
        sleep(GOODBYE_WITHIN).await;
    };
    tokio::select! {
        () = &mut serving => return,
        in_time = timeout(context.options.shutdown_grace, drained) => {
            if in_time.is_err() {
                tracing::warn!(calls = context.calls.len(), "the shutdown's deadline cuts off what is open");
            }
        }
    }
    closing.cancel();
    ends.all.cancel();
    if timeout(CUT_WITHIN, serving).await.is_err() {
        tracing::debug!("connections outlive their end");
    }
}

/// Dispatches nothing more, and waits until every call and stream has ended.
async fn drain(context: &Context) {
    context.handle.drain().await;
    // What was dispatched before reaches its stream before the stream hears of the drain. A driver that can't be asked
    // dispatches nothing.
    let _ = context.handle.read(|_| ()).await;
    context.draining.cancel();
    context.calls.close();
    context.calls.wait().await;
}

/// All services, of which every call is tracked until its handler is done.
fn front(context: &Arc<Context>, reporter: &HealthReporter) -> Front {
    let budgets = BudgetServiceServer::new(BudgetApi(Arc::clone(context)));
    let jobs = JobServiceServer::new(JobApi(Arc::clone(context)));
    let queues = QueueServiceServer::new(QueueApi(Arc::clone(context)));
    let reflection = || {
        let builder = tonic_reflection::server::Builder::configure();
        DESCRIPTORS.iter().fold(builder, |builder, set| builder.register_encoded_file_descriptor_set(set))
    };
    let services = Services::default()
        .with(budgets.max_decoding_message_size(REQUEST_BYTES_MAX))
        .with(jobs.max_decoding_message_size(REQUEST_BYTES_MAX))
        .with(queues.max_decoding_message_size(REQUEST_BYTES_MAX))
        .with(HealthServer::new(HealthService::from_health_reporter(reporter.clone())))
        .with(reflection().build_v1().expect("descriptors that the build has encoded"))
        .with(reflection().build_v1alpha().expect("descriptors that the build has encoded"));
    Front::new(services, &DESCRIPTORS, context.calls.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_end_before_the_deadline() {
        let grace = |secs| {
            let shutdown_grace = Duration::from_millis(secs);
            ApiOptions { shutdown_grace, ..ApiOptions::default() }.stream_grace()
        };
        assert_eq!(grace(30_000), Duration::from_secs(28));
        assert_eq!(grace(10_000), Duration::from_secs(8));
        assert_eq!(grace(5_000), Duration::from_secs(4));
        assert_eq!(grace(0), Duration::ZERO);
    }
}
