//! Workers that were started, by name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sluicegate_client::{CancellationToken, Result, Worker};
use tokio::task::JoinHandle;

use crate::Runner;
use crate::failure::{Answer, Failure, error_json};
use crate::handler::{Behaviour, Waiting};
use crate::request::{Millis, OutcomeIn};

/// The workers that weren't stopped, and the handlers of all.
#[derive(Default)]
pub(crate) struct Workers {
    pub waiting: Waiting,
    started: Mutex<HashMap<String, Started>>,
}

struct Started {
    shutdown: CancellationToken,
    work: JoinHandle<Result<()>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Start {
    name: String,
    queues: Vec<String>,
    window: usize,
    worker_id: Option<String>,
    lease_ms: Option<Millis>,
    ping_ms: Option<Millis>,
    drain_grace_ms: Option<Millis>,
    stop_grace_ms: Option<Millis>,
    auto: Option<OutcomeIn>,
    http: Option<String>,
    types: Option<Vec<String>>,
    #[serde(default)]
    ignore_cancel: bool,
}

impl Start {
    pub fn run(self, runner: &Runner) -> Answer {
        let mut builder = Worker::builder(runner.client.clone()).queues(self.queues).window(self.window);
        if let Some(id) = self.worker_id {
            builder = builder.worker_id(id);
        }
        if let Some(duration) = self.lease_ms {
            builder = builder.lease_duration(duration.into());
        }
        if let Some(interval) = self.ping_ms {
            builder = builder.ping_interval(interval.into());
        }
        if let Some(grace) = self.drain_grace_ms {
            builder = builder.drain_grace(Duration::from(grace));
        }
        if let Some(grace) = self.stop_grace_ms {
            builder = builder.stop_grace(Duration::from(grace));
        }
        let behaviour = Arc::new(Behaviour {
            worker: self.name.clone(),
            auto: self.auto,
            http: self.http,
            ignores_cancel: self.ignore_cancel,
            waiting: runner.workers.waiting.clone(),
            output: runner.output.clone(),
        });
        let handler = move |job| {
            let behaviour = Arc::clone(&behaviour);
            async move { behaviour.handle(job).await }
        };
        let builder = match self.types {
            None => builder.handler_for_all(handler),
            Some(types) => types.into_iter().fold(builder, |builder, name| builder.handler(name, handler.clone())),
        };
        let worker = builder.build()?;
        let shutdown = CancellationToken::new();
        let work = tokio::spawn(work(worker, self.name.clone(), shutdown.clone(), runner.output.clone()));
        let mut started = runner.workers.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.insert(self.name, Started { shutdown, work });
        Ok(Value::Null)
    }
}

/// Works, and tells of an end that nobody asked for.
async fn work(worker: Worker, name: String, shutdown: CancellationToken, output: crate::output::Output) -> Result<()> {
    let ended = worker.run(shutdown.clone()).await;
    if !shutdown.is_cancelled() {
        let error = ended.as_ref().err().map(error_json);
        output.event(json!({ "event": "workerEnded", "worker": name, "error": error }));
    }
    ended
}

#[derive(Deserialize)]
pub(crate) struct Stop {
    name: String,
}

impl Stop {
    pub async fn run(self, workers: &Workers) -> Answer {
        let started = workers.started.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
        let Some(Started { shutdown, work }) = started else {
            return Err(Failure::Unsupported(format!("no worker {} was started", self.name)));
        };
        shutdown.cancel();
        match work.await {
            Ok(ended) => ended.map(|()| Value::Null).map_err(Failure::from),
            Err(panic) => Err(Failure::Unsupported(panic.to_string())),
        }
    }
}
