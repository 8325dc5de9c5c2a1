//! `work`: any program is a worker, one process a job.
//!
//! Owns how a job becomes a process, and how that process's end becomes an outcome. Leases, windows, drains and reconnects are
//! the client's.

mod activity;
mod process;
mod tail;
mod template;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::Args;
use sluicegate_client::{CancelReason, Client, HandlerError, JobContext, Worker, WorkerStats};
use tokio_util::sync::CancellationToken;

use super::connect::ServerArgs;
use super::signals::EndSignals;
use super::usage;
use super::values::{self, Throttle};
use activity::Activity;
use process::Finished;
use template::Template;

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate work --queue emails --window 8 -- ./send-mail --to {to} --subject {mail.subject}
  sluicegate work --queue fetch --throttle-on-75 api:30s -- ./fetch {url}
  sluicegate work --queue thumbnails --exit-when-idle 5s -- convert {file} {file}.png

The command runs once a job, without a shell, at most --window of them at once.

  {field}      in an argument: that field of the JSON payload; {a.b} and {list.0} reach inside.
               Text is put in as it is, anything else as JSON. A field that isn't there fails
               the job. {{field}} stands for the text {field}; other braces stay
  stdin        the payload
  environment  SLUICEGATE_JOB_ID, and with the same beginning _TYPE, _QUEUE, _ATTEMPT (from 1),
               _MAX_ATTEMPTS, _PRIORITY, _LEASE_ID and _METADATA (a JSON object)
  stdout       passes through, and so does stderr, whose end is kept

What its end means:
  exit code 0   success
  exit code 75  release: the job goes back, and no attempt is used. It comes again after
                --delay-on-75, or when the budget that --throttle-on-75 pauses goes on
  other         failure: the job is retried after its backoff; the end of stderr, up to 4 KiB,
                is the error

The lease is extended while the command runs. If it is lost, or the job is cancelled, the command's process \
group gets SIGTERM, and after --kill-grace SIGKILL. When a command has ended, what it left behind in its group is \
ended as well.

Ctrl-C or SIGTERM drains: nothing more is taken, and what runs may finish. A second one ends the commands and \
releases their jobs; a third one kills them. A worker that is itself killed by SIGKILL can end nothing: its \
commands go on, while their leases expire.";

/// The exit code that gives a job back: EX_TEMPFAIL of sysexits.h.
const EXIT_RELEASE: i32 = 75;
/// What the contract keeps of an error.
const ERROR_BYTES_MAX: usize = 4096;
/// Between the last SIGKILL and the settlement there is little to do.
const SETTLE_MARGIN: Duration = Duration::from_secs(5);
/// A drain without a bound: nobody waits longer.
const FOREVER: Duration = Duration::from_secs(366 * 86_400);

#[derive(Args, Clone, Debug)]
pub(super) struct WorkArgs {
    /// The queue to serve; several times, or with commas, for several
    #[arg(long = "queue", value_name = "QUEUE", required = true, value_delimiter = ',')]
    queues: Vec<String>,
    /// The most jobs at once, 1 to 100,000 [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    window: Option<u32>,
    /// How long a job stays away if this worker dies, 1s to 24h
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = values::duration)]
    lease_duration: Duration,
    /// The worker's id, unique among the workers [default: random]
    #[arg(long, value_name = "ID")]
    worker_id: Option<String>,
    /// With exit code 75, lets this budget dispatch nothing for a while, up to 24h, if the job is bound to it
    #[arg(long = "throttle-on-75", value_name = "BUDGET:DURATION")]
    throttle_on_75: Option<Throttle>,
    /// With exit code 75, keeps the job away for a while, up to 24h, unless a budget was throttled instead. A job that is given back
    /// over and over uses up attempts after all: every tenth release in a row counts as one
    #[arg(long = "delay-on-75", value_name = "DURATION", default_value = "1s", value_parser = values::duration)]
    delay_on_75: Duration,
    /// How long a command that was told to end has before it is killed
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = values::duration)]
    kill_grace: Duration,
    /// How long a drain waits for commands before it ends them [default: as long as they take]
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    drain_grace: Option<Duration>,
    /// Drains, and ends, once no job has come for this long
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    exit_when_idle: Option<Duration>,
    #[command(flatten)]
    server: ServerArgs,
    /// The program and its arguments, after --
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// What every job of this worker shares.
struct Shop {
    template: Template,
    throttle_on_75: Option<Throttle>,
    delay_on_75: Duration,
    kill_grace: Duration,
    /// Ends all commands.
    kill: CancellationToken,
    activity: Activity,
}

/// Works until it is told to end, or idle for as long as it may be.
pub(super) async fn run(args: WorkArgs) -> anyhow::Result<()> {
    let template = Template::parse(&args.command);
    template.check_program().map_err(usage)?;
    let mut signals = EndSignals::new()?;
    let client = Client::connect_lazy(args.server.server.as_str())?;
    let shop = Arc::new(Shop {
        template,
        throttle_on_75: args.throttle_on_75,
        delay_on_75: args.delay_on_75,
        kill_grace: args.kill_grace,
        kill: CancellationToken::new(),
        activity: Activity::default(),
    });
    let of_worker = Arc::clone(&shop);
    let mut builder = Worker::builder(client)
        .queues(args.queues)
        .window(args.window.map_or_else(default_window, |window| window as usize))
        .lease_duration(args.lease_duration)
        .drain_grace(args.drain_grace.unwrap_or(FOREVER).min(FOREVER))
        .stop_grace(args.kill_grace.min(FOREVER) + SETTLE_MARGIN)
        .handler_for_all(move |context| Arc::clone(&of_worker).handle(context));
    if let Some(id) = args.worker_id {
        builder = builder.worker_id(id);
    }
    let worker = builder.build()?;
    let stats = worker.stats();
    let start = Instant::now();
    let shutdown = CancellationToken::new();
    let outcome = tokio::select! {
        outcome = worker.run(shutdown.clone()) => outcome.map_err(anyhow::Error::from),
        // Dropping the worker drops its handlers, and with each its process group.
        () = obey(&mut signals, &shutdown, &shop.kill, &stats) => {
            Err(anyhow::anyhow!("ended by a third signal; what was in hand comes back when its leases expire"))
        }
        () = end_when_idle(args.exit_when_idle, &shop.activity, &stats, &shutdown) => Ok(()),
    };
    summary(&stats, start.elapsed());
    outcome
}

fn default_window() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Drains at the first signal, ends the commands at the second; completes at the third.
async fn obey(signals: &mut EndSignals, shutdown: &CancellationToken, kill: &CancellationToken, stats: &WorkerStats) {
    signals.next().await;
    match stats.in_hand() {
        0 => {}
        jobs => eprintln!("draining: {jobs} jobs in hand may finish; a second signal ends their commands"),
    }
    shutdown.cancel();
    signals.next().await;
    kill.cancel();
    signals.next().await;
}

/// Drains once the worker has been idle for long enough. Never completes.
async fn end_when_idle(idle: Option<Duration>, activity: &Activity, stats: &WorkerStats, shutdown: &CancellationToken) {
    if let Some(idle) = idle {
        activity.idle_for(idle, || stats.is_connected()).await;
        shutdown.cancel();
    }
    std::future::pending().await
}

fn summary(stats: &WorkerStats, took: Duration) {
    eprintln!(
        "{} succeeded, {} failed, {} released, {} lost in {:.1} s",
        stats.succeeded(),
        stats.failed(),
        stats.released(),
        stats.lost(),
        took.as_secs_f64()
    );
}

impl Shop {
    /// One job: a process, from its start to its outcome.
    async fn handle(self: Arc<Self>, context: JobContext) -> Result<(), HandlerError> {
        let _working = self.activity.begin();
        let arguments = self.template.fill(&context.job().payload).map_err(HandlerError::failure)?;
        let mut command = process::command(&arguments, &context);
        let payload = Bytes::copy_from_slice(context.payload());
        let stop = async {
            tokio::select! {
                () = context.cancelled() => {}
                () = self.kill.cancelled() => {}
            }
        };
        let finished = process::run(&mut command, payload, stop, self.kill_grace)
            .await
            .map_err(|error| HandlerError::failure(format!("cannot run `{}`: {error}", arguments[0])))?;
        self.outcome(&finished, &context)
    }

    fn outcome(&self, finished: &Finished, context: &JobContext) -> Result<(), HandlerError> {
        let status = finished.status;
        if status.success() {
            return Ok(());
        }
        if finished.was_stopped {
            return Err(match context.cancel_reason() {
                Some(CancelReason::CancelRequested) => HandlerError::failure("cancelled"),
                _ => HandlerError::release(),
            });
        }
        if status.code() == Some(EXIT_RELEASE) {
            let is_bound = |budget: &str| context.job().bindings.iter().any(|binding| binding.budget == budget);
            return Err(match &self.throttle_on_75 {
                Some(Throttle { budget, retry_after }) if is_bound(budget) => {
                    HandlerError::throttled(budget, *retry_after)
                }
                _ => HandlerError::release_after(self.delay_on_75),
            });
        }
        Err(HandlerError::failure(failure(status, &finished.stderr)))
    }
}

/// What a failed attempt says: how the command ended, and the end of its standard error.
fn failure(status: ExitStatus, stderr: &tail::Tail) -> String {
    let end = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    };
    let room = ERROR_BYTES_MAX - end.len() - ": ".len();
    match stderr.text(room).trim() {
        "" => end,
        text => format!("{end}: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tail::Tail;

    fn exit(code: i32) -> ExitStatus {
        ExitStatus::from_raw(code << 8)
    }

    #[test]
    fn a_failure_says_how_and_why_within_its_bound() {
        let mut stderr = Tail::default();
        assert_eq!(failure(exit(3), &stderr), "exit code 3");
        assert_eq!(failure(ExitStatus::from_raw(9), &stderr), "ended by signal 9");
        stderr.push(b"\nno route to host\n");
        assert_eq!(failure(exit(3), &stderr), "exit code 3: no route to host");
        stderr.push("é".repeat(5000).as_bytes());
        let text = failure(exit(3), &stderr);
        assert!(text.len() <= ERROR_BYTES_MAX && text.len() > ERROR_BYTES_MAX - 4, "{}", text.len());
        assert!(text.starts_with("exit code 3: é") && text.ends_with('é'));
    }
}
