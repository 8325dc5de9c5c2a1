//! What handlers do here: they tell of themselves and wait to be told how to end, or end by themselves as their worker was told.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sluicegate_client::{CancelReason, HandlerError, JobContext, JobResult};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::answer;
use crate::failure::{Answer, Failure};
use crate::output::Output;
use crate::request::{OutcomeIn, UsageIn};

type Handled = Result<JobResult, HandlerError>;

/// How a worker's handlers behave.
pub(crate) struct Behaviour {
    pub worker: String,
    pub auto: Option<OutcomeIn>,
    pub http: Option<String>,
    pub ignores_cancel: bool,
    pub waiting: Waiting,
    pub output: Output,
}

/// The handlers that wait for their end, by worker and job; of several for one job the first comes first.
#[derive(Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<HashMap<WorkerAndJob, Vec<oneshot::Sender<End>>>>>);

type WorkerAndJob = (String, String);

/// How a handler is to end.
struct End {
    outcome: OutcomeIn,
    usage: Vec<UsageIn>,
}

/// Ends a handler.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finish {
    worker: String,
    job_id: String,
    outcome: OutcomeIn,
    #[serde(default)]
    usage: Vec<UsageIn>,
}

impl Finish {
    pub fn run(self, waiting: &Waiting) -> Answer {
        let nobody = format!("no handler of {} waits for job {}", self.worker, self.job_id);
        let mut end = End { outcome: self.outcome, usage: self.usage };
        let key = (self.worker, self.job_id);
        while let Some(handler) = waiting.take(&key) {
            match handler.send(end) {
                Ok(()) => return Ok(Value::Null),
                Err(back) => end = back,
            }
        }
        Err(Failure::Unsupported(nobody))
    }
}

impl Waiting {
    fn add(&self, worker: &str, job_id: &str) -> oneshot::Receiver<End> {
        let (end, ended) = oneshot::channel();
        let key = (worker.to_owned(), job_id.to_owned());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().push(end);
        ended
    }

    fn take(&self, key: &WorkerAndJob) -> Option<oneshot::Sender<End>> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let handlers = waiting.get_mut(key)?;
        let first = (!handlers.is_empty()).then(|| handlers.remove(0));
        if handlers.is_empty() {
            waiting.remove(key);
        }
        first
    }
}

impl Behaviour {
    /// Handles one job.
    pub async fn handle(&self, job: JobContext) -> Handled {
        if let Some(outcome) = &self.auto {
            return handled(outcome.clone());
        }
        if let Some(url) = &self.http {
            return self.ask(url, job.id()).await;
        }
        let ended = self.waiting.add(&self.worker, job.id());
        self.output.event(json!({
            "event": "started",
            "worker": self.worker,
            "jobId": job.id(),
            "type": job.job_type(),
            "attempt": job.attempt(),
            "payload": answer::payload(&job.job().payload),
            "metadata": job.metadata(),
            "budgets": answer::bindings(&job.job().bindings),
        }));
        let _told = Told { behaviour: self, job_id: job.id() };
        self.until_told(&job, ended).await
    }

    async fn until_told(&self, job: &JobContext, mut ended: oneshot::Receiver<End>) -> Handled {
        tokio::select! {
            end = &mut ended => return finished(job, end),
            () = job.cancelled() => {}
        }
        let reason = match job.cancel_reason() {
            Some(CancelReason::LeaseLost) => "lease_lost",
            Some(CancelReason::CancelRequested) => "cancel_requested",
            Some(CancelReason::WorkerStopping) => "worker_stopping",
            _ => "unknown",
        };
        self.output.event(json!({
            "event": "cancelled", "worker": self.worker, "jobId": job.id(), "reason": reason,
        }));
        if self.ignores_cancel {
            return finished(job, ended.await);
        }
        raised("the handler was told to stop")
    }

    /// Asks an endpoint, and succeeds if that does.
    async fn ask(&self, url: &str, job_id: &str) -> Handled {
        let (host, path) =
            url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or("not a URL of ours")?;
        let query = format!("job={job_id}&worker={}", self.worker);
        let mut stream = TcpStream::connect(host).await?;
        let request = format!("GET /{path}?{query} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        if answer.starts_with(b"HTTP/1.1 200") { Ok(JobResult::default()) } else { raised("the endpoint refused") }
    }
}

fn finished(job: &JobContext, end: Result<End, oneshot::error::RecvError>) -> Handled {
    let End { outcome, usage } = end?;
    for UsageIn { key, cost } in usage {
        job.report_usage(key, cost.0);
    }
    handled(outcome)
}

fn handled(outcome: OutcomeIn) -> Handled {
    Err(match outcome {
        OutcomeIn::Success { result_base64 } => return Ok(result_base64.0.into()),
        OutcomeIn::Failure { message, retry_after_ms } => {
            HandlerError::Failure { message, retry_after: retry_after_ms.map(Duration::from) }
        }
        OutcomeIn::Discard { message } => HandlerError::discard(message),
        OutcomeIn::Release { delay_ms } => HandlerError::Release { delay: delay_ms.map(Duration::from) },
        OutcomeIn::Throttled { budget, retry_after_ms } => HandlerError::throttled(budget, retry_after_ms.into()),
        OutcomeIn::Raise { message } => return raised(&message),
    })
}

/// A plain error of the language, as a handler's `?` would return it.
fn raised(message: &str) -> Handled {
    Err(Box::<dyn Error + Send + Sync>::from(message))?
}

/// Tells of a handler's end, however it comes.
struct Told<'a> {
    behaviour: &'a Behaviour,
    job_id: &'a str,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        let Behaviour { worker, output, .. } = self.behaviour;
        output.event(json!({ "event": "ended", "worker": worker, "jobId": self.job_id }));
    }
}
