//! The endpoint's HTTP: a request in, an answer or a 429 out, and a line in the log.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::RETRY_AFTER;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::{Admission, Refusal, terms};

/// The model, and who may use it.
pub struct Endpoint {
    speed: u32,
    start: Instant,
    admission: Mutex<Admission>,
    log: File,
}

/// Serves whoever connects.
pub async fn accept(listener: TcpListener, endpoint: Arc<Endpoint>) -> anyhow::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let endpoint = Arc::clone(&endpoint);
        let service = service_fn(move |request| Arc::clone(&endpoint).answer(request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

impl Endpoint {
    pub fn new(speed: u32, log: &Path) -> anyhow::Result<Arc<Self>> {
        let (admission, log) = (Mutex::new(Admission::new()), File::create(log)?);
        Ok(Arc::new(Self { speed, start: Instant::now(), admission, log }))
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> anyhow::Result<Response<Full<Bytes>>> {
        let id = request.headers().get(terms::REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or("-").to_owned();
        let tokens = terms::tokens_in(&request.into_body().collect().await?.to_bytes());
        match self.judge(&id, tokens)? {
            Ok(place) => {
                tokio::time::sleep(terms::generation(tokens) / self.speed).await;
                // Its place is free before the caller can know that the answer is there.
                drop(place);
                let usage = serde_json::json!({ "usage": { "total_tokens": tokens } });
                Ok(Response::new(Full::from(usage.to_string())))
            }
            Err(Refusal { limit, retry_after }) => Ok(Response::builder()
                .status(StatusCode::TOO_MANY_REQUESTS)
                .header(RETRY_AFTER, whole_seconds_up(retry_after))
                .header(terms::LIMITED_BY, limit.to_string())
                .body(Full::default())?),
        }
    }

    /// Judges, and writes down: when, which request, its tokens, and `served` or the limit that it was beyond.
    fn judge(&self, id: &str, tokens: u32) -> anyhow::Result<Result<Place<'_>, Refusal>> {
        let mut admission = self.admission();
        let verdict = admission.arrive(self.start.elapsed() * self.speed, tokens);
        let word = verdict.as_ref().map_or_else(|refusal| refusal.limit.to_string(), |()| "served".to_owned());
        let now_s = SystemTime::UNIX_EPOCH.elapsed()?.as_secs_f64();
        writeln!(&self.log, "{now_s:.6} {id} {tokens} {word}")?;
        Ok(verdict.map(|()| Place(self)))
    }

    fn admission(&self) -> MutexGuard<'_, Admission> {
        self.admission.lock().expect("no judgement panics")
    }
}

/// One of the calls at the same time, until it is dropped.
struct Place<'a>(&'a Endpoint);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.admission().leave();
    }
}

fn whole_seconds_up(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
