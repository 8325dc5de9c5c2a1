//! `serve`: the server as a process, from its flags to its exit code.

use std::pin::pin;

use anyhow::bail;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use super::host::Host;
use super::output;
use super::signals::EndSignals;
use crate::config::{Config, ServeArgs};

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate serve                                     on port 7654, data in ./sluicegate-data
  sluicegate serve --listen 127.0.0.1:0 --data /tmp/x  on a free port, which is printed
  sluicegate serve --log info,sluicegate::job=debug    with a log line per job event
  SLUICEGATE_DATA=/var/lib/sluicegate sluicegate serve --log-format json

Standard output has one line once it serves: `listening on IP:PORT`. Logs go to standard error; payloads are never logged.

SIGTERM or Ctrl-C shuts it down: health says NOT_SERVING, nothing more is dispatched, settlements are taken \
until no worker holds a job or --shutdown-grace is over. A second signal ends it at once. Either way nothing \
acknowledged is lost, and jobs in flight stay in flight: their workers come back for them.";

/// Serves until a signal comes, or something fails.
pub(super) fn run(args: ServeArgs) -> anyhow::Result<()> {
    let config = Config::try_from(args)?;
    let runtime = runtime(config.runtime_threads.get())?;
    let outcome = runtime.block_on(serve(&config));
    // After a second signal calls may still be open.
    runtime.shutdown_background();
    outcome
}

/// One thread needs no work stealing.
pub(super) fn runtime(threads: usize) -> anyhow::Result<Runtime> {
    let mut builder = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    Ok(builder.worker_threads(threads).thread_name("api").enable_all().build()?)
}

async fn serve(config: &Config) -> anyhow::Result<()> {
    let mut signals = EndSignals::new()?;
    let host = tokio::select! {
        host = Host::start(config) => host?,
        () = signals.next() => bail!("ended by a signal while the store was being opened"),
    };
    let address = host.address()?;
    // The line is for whoever waits for it; a server whose standard output is closed serves all the same.
    let _ = output::line(format_args!("listening on {address}"));
    tracing::info!(%address, data = %config.store, version = env!("CARGO_PKG_VERSION"), "serving");

    let shutdown = CancellationToken::new();
    let mut serving = pin!(host.serve(shutdown.clone().cancelled_owned()));
    tokio::select! {
        outcome = &mut serving => return outcome,
        () = signals.next() => {}
    }
    tracing::info!(grace = ?config.shutdown_grace, "shutting down; a second signal ends it at once");
    shutdown.cancel();
    tokio::select! {
        outcome = serving => outcome?,
        () = signals.next() => bail!("ended by a second signal, before the shutdown was complete"),
    }
    tracing::info!("the store is closed");
    Ok(())
}
