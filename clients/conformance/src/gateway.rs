//! A proxy of calls: it carries each to the server, may end Dispatch streams with a status of its own, and may answer the calls
//! of a method itself. So a client meets what a real server doesn't say, or not when it is wanted.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use tokio_stream::wrappers::WatchStream;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::failure::{At, Outcome, within};
use crate::script::Refusal;

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Answer = Response<BoxBody<Bytes, BoxError>>;

/// One proxy. Ends with this value.
pub(crate) struct Gateway {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    server: SocketAddr,
    /// How the Dispatch streams that are open are to end.
    ends: watch::Sender<Code>,
    /// What the calls of a method are answered with.
    answers: Mutex<HashMap<String, Refusal>>,
    /// The methods of which a call was answered so, since that was last said.
    answered: watch::Sender<HashSet<String>>,
}

impl Gateway {
    /// A proxy to a server.
    pub async fn start(server: SocketAddr) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.at("a port for the gateway")?;
        let address = listener.local_addr().at("a port for the gateway")?;
        let (ends, answered) = (watch::Sender::new(Code::Ok), watch::Sender::default());
        let shared = Arc::new(Shared { server, ends, answers: Mutex::default(), answered });
        let serving = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let serving = Arc::clone(&serving);
                let service = service_fn(move |request| Arc::clone(&serving).answer(request));
                let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(http.serve_connection(TokioIo::new(client), service));
            }
        });
        Ok(Self { address, shared, accepting })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all Dispatch streams with a status.
    pub fn end_streams(&self, code: i32) {
        self.shared.ends.send_replace(Code::from_i32(code));
    }

    /// Answers the calls of a method with a refusal, or lets the server answer them.
    pub fn answer(&self, method: &str, refusal: Option<Refusal>) {
        let mut answers = self.shared.answers.lock().unwrap_or_else(PoisonError::into_inner);
        match refusal {
            Some(refusal) => answers.insert(method.to_owned(), refusal),
            None => answers.remove(method),
        };
        self.shared.answered.send_modify(|answered| _ = answered.remove(method));
    }

    /// Waits until a call of a method was answered as was last said.
    pub async fn until_answered(&self, method: &str) -> Outcome<()> {
        let mut answered = self.shared.answered.subscribe();
        let waited = within(format!("a call of {method}"), answered.wait_for(|it| it.contains(method))).await?;
        waited.map(drop).at("the gateway")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Answer, BoxError> {
        let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let refusal = self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(&method).cloned();
        if let Some(refusal) = refusal {
            self.answered.send_modify(|answered| _ = answered.insert(method));
            return Ok(refused(status(refusal)));
        }
        let ends = WatchStream::from_changes(self.ends.subscribe());
        let answer = match carry(self.server, request).await {
            Ok(answer) => answer,
            Err(error) => return Ok(refused(Status::unavailable(error.to_string()))),
        };
        Ok(answer.map(|body| match method.as_str() {
            "Dispatch" => Cuttable { body, ends, has_ended: false }.boxed(),
            _ => body.map_err(Into::into).boxed(),
        }))
    }
}

/// An answer that is its trailers alone.
fn refused(status: Status) -> Answer {
    status.into_http::<http_body_util::Empty<Bytes>>().map(|body| body.map_err(|never| match never {}).boxed())
}

fn status(refusal: Refusal) -> Status {
    let mut details = ErrorDetails::new();
    if let Some(reason) = refusal.reason {
        let domain = refusal.domain.unwrap_or_else(|| "sluicegate".to_owned());
        details.set_error_info(reason, domain, refusal.metadata.into_iter().collect::<HashMap<_, _>>());
    }
    for field in refusal.fields {
        details.add_bad_request_violation(field, "isn't as it should be");
    }
    if let Some(wait) = refusal.retry_after_ms {
        details.set_retry_info(Some(Duration::from_millis(wait)));
    }
    Status::with_error_details(Code::from_i32(refusal.code), refusal.message, details)
}

/// Carries one call over a connection of its own.
async fn carry(server: SocketAddr, request: Request<Incoming>) -> Result<Response<Incoming>, BoxError> {
    let stream = TcpStream::connect(server).await?;
    let (mut calls, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (mut head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    head.uri = Uri::builder().scheme("http").authority(server.to_string()).path_and_query(path).build()?;
    Ok(calls.send_request(Request::from_parts(head, body)).await?)
}

/// A stream's answers, which may be told to end.
struct Cuttable {
    body: Incoming,
    ends: WatchStream<Code>,
    has_ended: bool,
}

impl Body for Cuttable {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        if let Poll::Ready(Some(code)) = Pin::new(&mut self.ends).poll_next(cx) {
            self.has_ended = true;
            let trailers = [("grpc-status", HeaderValue::from(code as i32))];
            let trailers = trailers.map(|(name, value)| (name.parse().expect("a header's name"), value));
            return Poll::Ready(Some(Ok(Frame::trailers(trailers.into_iter().collect()))));
        }
        Pin::new(&mut self.body).poll_frame(cx).map_err(Into::into)
    }
}
