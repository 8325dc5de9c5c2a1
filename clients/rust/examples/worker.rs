//! Works off the jobs of the producer until SIGTERM or Ctrl-C, and then drains.

use std::env;
use std::time::Duration;

use sluicegate_client::{CancellationToken, Client, Error, HandlerError, JobContext, Worker};
use tokio::signal::unix::{SignalKind, signal};

async fn welcome(job: JobContext) -> Result<(), HandlerError> {
    let to: String = job.json().map_err(|error| HandlerError::discard(error.to_string()))?;
    tokio::select! {
        () = send(&to) => Ok(()),
        () = job.cancelled() => Err(HandlerError::release()),
    }
}

/// Stands for an SMTP client.
async fn send(to: &str) {
    tokio::time::sleep(Duration::from_millis(100)).await;
    println!("welcome, {to}");
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let server = env::var("SLUICEGATE_SERVER").unwrap_or_else(|_| "127.0.0.1:7654".into());
    let client = Client::connect(format!("http://{server}")).await?;
    let worker = Worker::builder(client).queue("emails").window(8).handler("welcome", welcome).build()?;

    let shutdown = CancellationToken::new();
    let drain = shutdown.clone();
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be handled here");
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        drain.cancel();
    });

    println!("{} works until Ctrl-C", worker.worker_id());
    let stats = worker.stats();
    worker.run(shutdown).await?;
    println!("{} done, {} failed, {} given back", stats.succeeded(), stats.failed(), stats.released());
    Ok(())
}
