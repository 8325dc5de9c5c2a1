//! The client: one connection, and the calls on it, grouped as the services of the contract are. Owns how the connection is
//! set up; each file below owns the calls of one subject.

mod bindings;
mod budgets;
mod jobs;
mod leases;
mod queues;

use std::time::Duration;

use tonic::transport::{Channel, Endpoint};

use crate::error::Result;
use crate::wire::budget_service_client::BudgetServiceClient;
use crate::wire::job_service_client::JobServiceClient;
use crate::wire::queue_service_client::QueueServiceClient;

pub use budgets::{DeleteOptions, ReplaceOptions};
pub use jobs::{CancelMode, Enqueued, EnqueuedId, request_id};

/// The largest request, as the contract bounds it.
const REQUEST_BYTES_MAX: usize = 32 << 20;

/// The largest answer: the largest frame that a worker may ask for.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// How long a connection attempt may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection that carries calls is asked for a sign of life this often …
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// … and given up when none comes within this.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// HTTP/2 flow control: what may be on its way on one stream, and on the connection.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;

/// A typed client. Cheap to clone; clones share a connection, which comes back by itself.
#[derive(Clone, Debug)]
pub struct Client {
    channel: Channel,
    /// Where else to connect to; none where the caller made the channel.
    endpoint: Option<Endpoint>,
}

impl Client {
    /// Connects to a server, such as `http://127.0.0.1:7654`. [`Error::Transport`](crate::Error::Transport) if nobody is there.
    pub async fn connect(endpoint: impl Into<String>) -> Result<Self> {
        let endpoint = Self::endpoint(endpoint)?;
        Ok(Self { channel: endpoint.connect().await?, endpoint: Some(endpoint) })
    }

    /// Connects at the first call. Fails only if the endpoint isn't a URI.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime.
    pub fn connect_lazy(endpoint: impl Into<String>) -> Result<Self> {
        let endpoint = Self::endpoint(endpoint)?;
        Ok(Self { channel: endpoint.connect_lazy(), endpoint: Some(endpoint) })
    }

    /// The endpoint with this client's settings, for what else a caller needs, such as TLS; see [`Client::from_channel`].
    pub fn endpoint(endpoint: impl Into<String>) -> Result<Endpoint> {
        Ok(Endpoint::from_shared(endpoint.into())?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES))
    }

    /// A client on a connection of the caller's own, which its workers share; those of other clients have one for each stream.
    pub fn from_channel(channel: Channel) -> Self {
        Self { channel, endpoint: None }
    }

    fn budget_service(&self) -> BudgetServiceClient<Channel> {
        BudgetServiceClient::new(self.channel.clone())
            .max_decoding_message_size(ANSWER_BYTES_MAX)
            .max_encoding_message_size(REQUEST_BYTES_MAX)
    }

    fn job_service(&self) -> JobServiceClient<Channel> {
        job_service_on(self.channel.clone())
    }

    /// For one stream of a worker: on a connection of its own, so that a dead one isn't taken again.
    pub(crate) fn stream_service(&self) -> JobServiceClient<Channel> {
        let own = self.endpoint.as_ref().map(Endpoint::connect_lazy);
        job_service_on(own.unwrap_or_else(|| self.channel.clone()))
    }

    fn queue_service(&self) -> QueueServiceClient<Channel> {
        QueueServiceClient::new(self.channel.clone())
            .max_decoding_message_size(ANSWER_BYTES_MAX)
            .max_encoding_message_size(REQUEST_BYTES_MAX)
    }
}

fn job_service_on(channel: Channel) -> JobServiceClient<Channel> {
    JobServiceClient::new(channel)
        .max_decoding_message_size(ANSWER_BYTES_MAX)
        .max_encoding_message_size(REQUEST_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[tokio::test]
    async fn a_server_that_isnt_there_is_a_retryable_error_that_says_so() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("it is bound"));
        drop(listener);

        let eager = Client::connect(endpoint.as_str()).await.expect_err("nobody listens");
        assert!(matches!(eager, Error::Transport(_)) && eager.is_retryable());
        assert!(eager.to_string().contains("refused"), "{eager}");

        let lazy = Client::connect_lazy(endpoint).expect("a URI");
        let error = lazy.get_budget("b").await.expect_err("nobody listens");
        assert!(error.is_retryable());
        assert!(error.to_string().contains("refused"), "{error}");
    }

    #[tokio::test]
    async fn what_isnt_a_uri_is_refused_before_the_first_call() {
        assert!(Client::connect_lazy("http://not a host").is_err());
    }
}
