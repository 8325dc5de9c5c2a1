//! HTTP/2 under every bound that it has, and those that it lacks.
//!
//! The protocol itself is hyper's. What is seen to here is what it leaves open: memory for what is received and for what
//! nobody takes, the time that either may last, and connections that stay silent. Refuses to know what a call does.
//!
//! - [`connection`]: TCP, until the preface and at the end.
//! - [`intake`], [`framing`]: requests, in bytes and time.
//! - [`answer`], [`cut`]: answers, in bytes and time.
//! - [`methods`], [`deadline`]: what of a call matters to these.
//! - [`services`]: who answers it.

mod answer;
pub mod connection;
pub mod cut;
mod deadline;
mod framing;
mod intake;
mod methods;
mod services;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_stream::{Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::{Code, Status};
use tracing::Instrument;

use self::answer::Untaken;
use self::connection::Connection;
use self::cut::{Cut, StreamExecutor};
use self::intake::Intake;
use self::methods::Methods;
pub use self::services::Services;
use super::errors;
use crate::telemetry::RPC_SPAN;

const STREAM_WINDOW_BYTES: u32 = 1 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;
/// The most bytes of a call's headers: names, values, and 32 for each.
const HEADER_BYTES_MAX: usize = 16 << 10;
/// Up to this, headers that are too large get an answer that says so; beyond, the protocol's own.
const HEADER_BYTES_READ_MAX: u32 = 64 << 10;
/// Calls and streams at once on one connection.
const CONCURRENT_STREAMS_MAX: u32 = 1024;
/// Streams that a client opens and resets before they are served, beyond which its connection ends.
const PENDING_RESETS_MAX: usize = 64;
/// Streams that are reset for a client's errors, beyond which its connection ends.
const ERROR_RESETS_MAX: usize = 256;
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// What answers the calls of all connections, and bounds them.
#[derive(Clone)]
pub struct Front(Arc<Parts>);

struct Parts {
    services: Services,
    methods: Methods,
    calls: TaskTracker,
    intake: Intake,
    untaken: Untaken,
}

impl Front {
    /// These services, described by `descriptors`; each call is tracked by `calls` until its handler is done.
    pub fn new(services: Services, descriptors: &[&[u8]], calls: TaskTracker) -> Self {
        Self(Arc::new(Parts {
            services,
            methods: Methods::of(descriptors),
            calls,
            intake: Intake::default(),
            untaken: Untaken::default(),
        }))
    }

    /// Serves connections as they come, until `closing`; then returns once all of them have ended.
    pub async fn serve(self, connections: impl Stream<Item = Connection>, closing: CancellationToken) {
        let open = TaskTracker::new();
        {
            // The listener goes with them: nobody is to connect to a server that answers nothing more.
            let mut connections = pin!(connections);
            while let Some(Some(connection)) = closing.run_until_cancelled(connections.next()).await {
                open.spawn(self.clone().serve_one(connection, closing.clone()));
            }
        }
        open.close();
        open.wait().await;
    }

    async fn serve_one(self, connection: Connection, closing: CancellationToken) {
        // Boxed: it is large, would be moved several times before its task has it, and a stream outlives it.
        let answer = service_fn(move |request| Box::pin(self.clone().answer(request)));
        let mut serving = pin!(protocol().serve_connection(TokioIo::new(connection), answer));
        let ended = tokio::select! {
            ended = serving.as_mut() => ended,
            () = closing.cancelled() => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ends");
        }
    }

    async fn answer(self, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let shape = self.0.methods.shape(request.uri().path());
        // The span has the call's method, never what it carries.
        let span = tracing::info_span!(RPC_SPAN, method = request.uri().path());
        let response = match check_headers(request.headers()) {
            Ok(()) => {
                let deadline = deadline::of(request.headers());
                let request = request.map(|body| Body::new(self.0.intake.receive(body, shape.sends)));
                let handled = self.0.calls.track_future(self.0.services.call(request));
                within(deadline, handled.instrument(span)).await
            }
            Err(status) => status.into_http(),
        };
        let (parts, body) = response.into_parts();
        let body = match shape.answers_once {
            true => Body::new(self.0.untaken.complete(body, Cut::current()).await),
            false => Body::new(self.0.untaken.stream(body)),
        };
        Ok(Response::from_parts(parts, body))
    }
}

fn protocol() -> http2::Builder<StreamExecutor> {
    let mut protocol = http2::Builder::new(StreamExecutor);
    protocol
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_concurrent_streams(CONCURRENT_STREAMS_MAX)
        .keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .max_pending_accept_reset_streams(PENDING_RESETS_MAX)
        .max_local_error_reset_streams(ERROR_RESETS_MAX)
        .max_header_list_size(HEADER_BYTES_READ_MAX);
    protocol
}

/// The response, unless the caller's time is over before its beginning.
async fn within(
    deadline: Option<Duration>,
    handled: impl Future<Output = Result<Response<Body>, Infallible>>,
) -> Response<Body> {
    let Ok(response) = match deadline {
        None => handled.await,
        Some(deadline) => tokio::time::timeout(deadline, handled)
            .await
            .unwrap_or_else(|_| Ok(Status::new(Code::DeadlineExceeded, "the call's own time is over").into_http())),
    };
    response
}

fn check_headers(headers: &HeaderMap) -> Result<(), Status> {
    const ENTRY_BYTES: usize = 32;
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ENTRY_BYTES).sum();
    if bytes > HEADER_BYTES_MAX {
        let problem = format!("are {bytes} bytes; {HEADER_BYTES_MAX} is the most");
        return Err(errors::invalid_field("headers", &problem));
    }
    Ok(())
}
