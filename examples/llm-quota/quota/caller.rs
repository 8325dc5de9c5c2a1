//! The worker's code: it calls the endpoint, and says what the call has used or which limit it has met.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::RETRY_AFTER;
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use sluicegate_client::{HandlerError, JobContext};

use super::workload::Prompt;
use super::{Mode, budgets};
use crate::endpoint::{Limit, Refusal, terms};

/// A handler of calls. Cheap to clone.
#[derive(Clone)]
pub struct Caller {
    mode: Mode,
    speed: u32,
    url: String,
    http: Client<HttpConnector, Full<Bytes>>,
}

impl Caller {
    pub fn new(mode: Mode, speed: u32, endpoint: SocketAddr) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let http = Client::builder(TokioExecutor::new()).build(connector);
        Self { mode, speed, url: format!("http://{endpoint}/generate"), http }
    }

    /// Calls, and reports what the call has used: nothing, if it was refused.
    pub async fn handle(self, job: JobContext) -> Result<(), HandlerError> {
        let answer = self.call(job.json()?).await.map_err(anyhow::Error::into_boxed_dyn_error)?;
        if self.mode.settles() {
            job.report_usage(budgets::key(self.mode, Limit::Tokens), *answer.as_ref().unwrap_or(&0));
        }
        match answer {
            Ok(_) => Ok(()),
            Err(refusal) => Err(HandlerError::throttled(self.to_throttle(refusal.limit), refusal.retry_after)),
        }
    }

    /// The tokens that a call has used, or why it was refused.
    async fn call(&self, prompt: Prompt) -> anyhow::Result<Result<u64, Refusal>> {
        let request = Request::post(&self.url).header(terms::REQUEST_ID, prompt.number).body(prompt.text.into())?;
        let (head, body) = self.http.request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        if head.status == StatusCode::TOO_MANY_REQUESTS {
            return refusal(&head.headers, self.speed).map(Err).context("a 429 without its headers");
        }
        ensure!(head.status.is_success(), "the endpoint answers {}", head.status);
        let answer: serde_json::Value = serde_json::from_slice(&body)?;
        answer["usage"]["total_tokens"].as_u64().map(Ok).context("an answer without usage")
    }

    /// The budget that holds the limit; where none does, the one that this mode has instead.
    fn to_throttle(&self, limit: Limit) -> String {
        let held = budgets::held(self.mode);
        let limit = if held.contains(&limit) { limit } else { *held.last().expect("every mode holds some limit") };
        budgets::key(self.mode, limit)
    }
}

/// What a 429 says, its seconds being those of an endpoint that goes so many times as fast as life.
fn refusal(headers: &HeaderMap, speed: u32) -> Option<Refusal> {
    let text = |name| headers.get(name)?.to_str().ok();
    let limit = clap::ValueEnum::from_str(text(terms::LIMITED_BY)?, false).ok()?;
    let retry_after = Duration::from_secs(text(RETRY_AFTER.as_str())?.parse().ok()?) / speed;
    Some(Refusal { limit, retry_after })
}
