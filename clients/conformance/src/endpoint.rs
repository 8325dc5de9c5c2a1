//! A small HTTP endpoint that all handlers call: it counts how many are inside at once, and how often each job comes.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::failure::{At, Outcome};

/// How long a caller is inside: what the work of a job takes.
const STAY: Duration = Duration::from_millis(10);

/// The endpoint. Ends with this value.
pub(crate) struct Endpoint {
    address: SocketAddr,
    counts: Arc<Mutex<Counts>>,
    visits: watch::Receiver<u64>,
    accepting: JoinHandle<()>,
}

/// What it has counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    inside: u64,
    /// The most that were inside at once.
    pub inside_max: u64,
    /// How often each job came.
    pub jobs: BTreeMap<String, u64>,
    /// How often each worker did.
    pub workers: BTreeMap<String, u64>,
}

impl Endpoint {
    pub async fn start() -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.at("a port for the endpoint")?;
        let address = listener.local_addr().at("a port for the endpoint")?;
        let counts = Arc::new(Mutex::new(Counts::default()));
        let (visited, visits) = watch::channel(0);
        let (counting, visited) = (Arc::clone(&counts), Arc::new(visited));
        let accepting = tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let (counts, visited) = (Arc::clone(&counting), Arc::clone(&visited));
                let service = service_fn(move |request| visit(request, Arc::clone(&counts), Arc::clone(&visited)));
                let http = hyper::server::conn::http1::Builder::new();
                tokio::spawn(http.serve_connection(TokioIo::new(caller), service));
            }
        });
        Ok(Self { address, counts, visits, accepting })
    }

    /// Where handlers call it.
    pub fn url(&self) -> String {
        format!("http://{}/work", self.address)
    }

    /// What it has counted so far.
    pub fn counts(&self) -> Counts {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for so many visits in all.
    pub async fn until_visited(&self, visits: u64) {
        // The sender lives as long as this value.
        self.visits.clone().wait_for(|count| *count >= visits).await.ok();
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// One caller, who is inside for a while. One that goes before its time is outside again too.
async fn visit(
    request: Request<Incoming>,
    counts: Arc<Mutex<Counts>>,
    visited: Arc<watch::Sender<u64>>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let (Some(job), Some(worker)) = (value("job"), value("worker")) else {
        let mut refused = Response::new(Empty::new());
        *refused.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(refused);
    };
    let inside = Inside::enter(counts, job, worker);
    visited.send_modify(|count| *count += 1);
    sleep(STAY).await;
    drop(inside);
    Ok(Response::new(Empty::new()))
}

struct Inside(Arc<Mutex<Counts>>);

impl Inside {
    fn enter(counts: Arc<Mutex<Counts>>, job: &str, worker: &str) -> Self {
        let mut now = counts.lock().unwrap_or_else(PoisonError::into_inner);
        now.inside += 1;
        now.inside_max = now.inside_max.max(now.inside);
        *now.jobs.entry(job.to_owned()).or_default() += 1;
        *now.workers.entry(worker.to_owned()).or_default() += 1;
        drop(now);
        Self(counts)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).inside -= 1;
    }
}
