//! The server: its services on one listener, and how they end.
//!
//! A shutdown goes in this order: health says NOT_SERVING; the scheduler dispatches nothing more; open streams and new calls
//! are told; settles are taken until every stream has ended, each as soon as it holds no lease, at the latest when the
//! grace is over; connections close, and what is open at the deadline is cut. A server that is dropped ends at once.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tower::{Service, ServiceExt};
use tracing::Span;

use super::budget_service::BudgetApi;
use super::connection::{Ends, incoming};
use super::context::Context;
use super::health;
use super::job_service::JobApi;
use super::proto::FILE_DESCRIPTOR_SET;
use super::proto::budget_service_server::BudgetServiceServer;
use super::proto::job_service_server::JobServiceServer;
use super::proto::queue_service_server::QueueServiceServer;
use super::queue_service::QueueApi;
use crate::clock::Clock;
use crate::driver::Handle;
use crate::telemetry::RPC_SPAN;

/// The largest request, or frame of a stream, in bytes as encoded.
pub const REQUEST_BYTES_MAX: usize = 32 << 20;

const STREAM_WINDOW_BYTES: u32 = 1 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;
const HEADER_LIST_BYTES_MAX: u32 = 16 << 10;
/// Calls and streams at once on one connection.
const CONCURRENT_STREAMS_MAX: u32 = 1024;
/// Streams that a client opens and resets before they are served, beyond which its connection ends.
const PENDING_RESETS_MAX: usize = 64;
/// Streams that are reset for a client's errors, beyond which its connection ends.
const ERROR_RESETS_MAX: usize = 256;
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);
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

/// Why a server ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The transport failed.
    #[error("the gRPC transport failed: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves until `shutdown` completes, then drains and returns, at the latest after [`ApiOptions::shutdown_grace`] and a
/// moment. Health is SERVING while the driver's status is. Stopping the driver afterwards is the caller's.
///
/// # Errors
/// [`ServeError`]
pub async fn run(
    listener: TcpListener,
    handle: Handle,
    clock: Arc<dyn Clock>,
    options: ApiOptions,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let reporter = HealthReporter::new();
    health::report(&reporter, false).await;
    let stopping = CancellationToken::new();
    let following = tokio::spawn(health::follow(reporter.clone(), handle.status(), stopping.clone()));

    let context = Arc::new(Context::new(handle, clock, options));
    let closing = CancellationToken::new();
    let ends = Ends { silent: closing.clone(), ..Ends::default() };
    let _guards = [&stopping, &closing, &ends.all, &context.draining].map(|token| token.clone().drop_guard());

    let connections = incoming(listener, context.options.connections_max, ends.clone());
    let serving = transport().serve_with_incoming_shutdown(
        services(&context, &reporter),
        connections,
        closing.clone().cancelled_owned(),
    );
    let mut serving = pin!(serving);
    tokio::select! {
        ended = &mut serving => return Ok(ended?),
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
        ended = &mut serving => return Ok(ended?),
        in_time = timeout(context.options.shutdown_grace, drained) => {
            if in_time.is_err() {
                tracing::warn!(calls = context.calls.len(), "the shutdown's deadline cuts off what is open");
            }
        }
    }
    closing.cancel();
    ends.all.cancel();
    match timeout(CUT_WITHIN, serving).await {
        Ok(ended) => Ok(ended?),
        Err(_) => Ok(()),
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

/// HTTP/2, with every bound that the transport knows.
fn transport() -> Server {
    Server::builder()
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_concurrent_streams(CONCURRENT_STREAMS_MAX)
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .http2_max_pending_accept_reset_streams(Some(PENDING_RESETS_MAX))
        .http2_max_local_error_reset_streams(Some(ERROR_RESETS_MAX))
        .http2_max_header_list_size(HEADER_LIST_BYTES_MAX)
        .trace_fn(rpc_span)
}

/// All services, of which every call is tracked until its handler is done.
fn services(
    context: &Arc<Context>,
    reporter: &HealthReporter,
) -> impl Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static {
    let budgets = BudgetServiceServer::new(BudgetApi(Arc::clone(context)));
    let jobs = JobServiceServer::new(JobApi(Arc::clone(context)));
    let queues = QueueServiceServer::new(QueueApi(Arc::clone(context)));
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET)
    };
    let routes = Routes::new(budgets.max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(jobs.max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(queues.max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(HealthServer::new(HealthService::from_health_reporter(reporter.clone())))
        .add_service(reflection().build_v1().expect("descriptors that the build has encoded"))
        .add_service(reflection().build_v1alpha().expect("descriptors that the build has encoded"));
    let calls = context.calls.clone();
    ServiceExt::<Request<Body>>::map_future(routes.prepare(), move |call| calls.track_future(call))
}

/// The span of one call: its method, never what it carries.
fn rpc_span(request: &Request<()>) -> Span {
    tracing::info_span!(RPC_SPAN, method = request.uri().path())
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
