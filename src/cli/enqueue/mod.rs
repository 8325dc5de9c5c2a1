//! `enqueue`: one job from flags, or many from JSON lines.

mod bulk;
mod line;
mod retry;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use clap::{Args, ValueEnum};
use sluicegate_client::{Binding, Job, Policy, Retention, UniqueScope};
use tokio::io::AsyncReadExt;

use super::connect::ServerArgs;
use super::json::JobJson;
use super::output::{self, Output, OutputArgs};
use super::{policy, usage, values};
use bulk::Bulk;
use line::Defaults;

pub(super) const AFTER_HELP: &str = "\
Examples:
  sluicegate enqueue --queue emails --type welcome --json '{\"to\": \"ada@example.com\"}'
  sluicegate enqueue --queue emails --budget smtp --budget tenant:7=2 --json-file mail.json
  sluicegate enqueue --queue q --budget api --create-budget 'api=100/1m,burst=8' --in 10m
  sluicegate enqueue --file jobs.jsonl --on-error skip
  find . -name '*.png' | jq -cR '{payload: {file: .}}' |
    sluicegate enqueue --queue thumbnails --file -

One job: prints its id. A job that holds the same --unique key is not made twice: its id is printed, and a note \
says so.

JSON lines (--file): one object a line; blank lines are passed over. Lines are enqueued in order, in batches of \
up to 1000 that are repeated with a request id after a lost connection, so that none is doubled. A refused line \
is reported with its number.

  queue        text; --queue where it is left out
  type         text; --type where it is left out
  payload      any JSON, kept as it is written
  binary       base64, in place of payload
  priority     0 (most urgent) to 65535; 32768 where left out
  runTime      instant, 2030-01-31T12:00:00Z, or in its place
  runIn        duration, such as 10m
  bindings     list of \"KEY\", \"KEY=COST\" or {\"budget\", \"cost\", \"createWith\"}
   createWith  \"5\", \"100/1m,burst=8\" or {\"allocation\", \"whileInFlight\": {} or
               \"timeBased\": {\"duration\", \"burst\"}, \"after\": duration or \"never\": {}}
  maxAttempts  1 to 1000; 25 where left out
  backoff      {\"initial\", \"max\", \"multiplierPercent\", \"jitterPercent\"}
  retention    {\"completed\", \"dead\", \"cancelled\"}: durations
  timeout      duration: the longest one attempt may take
  unique       \"KEY\" or {\"key\", \"scope\": \"queued\", \"unfinished\" or \"retained\"}
  metadata     {\"KEY\": \"VALUE\"}

Exits with 1 if any line wasn't enqueued.";

/// The most a payload may have: what is longer is refused by every server.
const PAYLOAD_BYTES_MAX: u64 = 16 << 20;

#[derive(Args, Clone, Debug)]
pub(super) struct EnqueueArgs {
    /// The queue: 1 to 128 of A-Z a-z 0-9 . _ : / @ -
    #[arg(long, required_unless_present = "file")]
    queue: Option<String>,
    /// The type, which tells handlers apart; may be left out
    #[arg(long = "type", value_name = "TYPE", default_value = "")]
    job_type: String,
    /// Enqueues the JSON lines of a file, or of standard input for -
    #[arg(long, value_name = "FILE|-", conflicts_with = "one")]
    file: Option<PathBuf>,
    /// What to do when a line is refused
    #[arg(long, value_enum, default_value_t = OnError::Stop)]
    on_error: OnError,
    /// How long to try again while the server can't be reached or is overloaded
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = values::duration)]
    retry_for: Duration,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    one: OneArgs,
}

/// What only one job has.
#[derive(Args, Clone, Debug)]
#[group(id = "one", multiple = true)]
#[command(next_help_heading = "One job")]
struct OneArgs {
    /// The payload: JSON text
    #[arg(long, value_name = "JSON", conflicts_with_all = ["json_file", "binary_file"])]
    json: Option<String>,
    /// The payload: a file of JSON, or standard input for -
    #[arg(long, value_name = "FILE|-", conflicts_with = "binary_file")]
    json_file: Option<PathBuf>,
    /// The payload: a file of any bytes, or standard input for -
    #[arg(long, value_name = "FILE|-")]
    binary_file: Option<PathBuf>,
    /// 0 is the most urgent, 65535 the least [default: 32768]
    #[arg(long, value_name = "N")]
    priority: Option<u16>,
    /// Not dispatched before this instant, such as 2030-01-31T12:00:00Z
    #[arg(long, value_name = "INSTANT", value_parser = values::instant, conflicts_with = "in")]
    at: Option<SystemTime>,
    /// Not dispatched before this duration is over, up to 366d
    #[arg(long = "in", id = "in", value_name = "DURATION", value_parser = values::duration)]
    delay: Option<Duration>,
    /// Binds it to a budget, at a cost of 1 or what follows: KEY, KEY=COST or KEY:COST. A key that itself ends in a colon and a
    /// number needs its cost: tenant:7=1. Up to 16 times
    #[arg(long = "budget", value_name = "KEY[=COST]", value_parser = values::binding)]
    budgets: Vec<Binding>,
    /// Creates a budget of those it is bound to if it doesn't exist, and binds it at a cost of 1 if --budget doesn't name it:
    /// KEY=5 (in flight), KEY=100/1m (a rate), KEY=100/1m,burst=8,reserve-after=never
    #[arg(long = "create-budget", value_name = "KEY=POLICY", value_parser = policy::named_policy)]
    create_budgets: Vec<(String, Policy)>,
    /// Failed attempts after which it is dead, 1 to 1000 [default: 25]
    #[arg(long, value_name = "N")]
    max_attempts: Option<u32>,
    /// The longest one attempt may take, 1ms to 24h [default: no limit]
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    timeout: Option<Duration>,
    /// How long it is kept once it has succeeded, up to 366d [default: not at all]
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    retain_completed: Option<Duration>,
    /// A key that one job holds at most, 1 to 256 bytes
    #[arg(long, value_name = "KEY")]
    unique: Option<String>,
    /// Until when it holds its unique key: queued, unfinished or retained [default: unfinished]
    #[arg(long, value_name = "SCOPE", requires = "unique", value_parser = line::unique_scope)]
    unique_scope: Option<UniqueScope>,
    /// A pair that travels with it: KEY=VALUE. 4 KiB in all
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = values::pair)]
    metadata: Vec<(String, String)>,
}

/// What to do when a line is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnError {
    /// Stop there: the lines before it are enqueued, it and the rest are not
    Stop,
    /// Leave it out, and go on
    Skip,
}

/// Enqueues what the flags say.
pub(super) async fn run(args: EnqueueArgs) -> anyhow::Result<()> {
    let defaults = Defaults { queue: args.queue.clone(), job_type: args.job_type.clone() };
    match &args.file {
        Some(file) => {
            let client = args.server.connect().await?;
            Bulk::new(client, args.on_error, args.retry_for).run(file, &defaults, args.output.output).await
        }
        None => one(args).await,
    }
}

async fn one(args: EnqueueArgs) -> anyhow::Result<()> {
    let payload = args.one.payload().await?;
    let job = args.one.job(args.queue.unwrap_or_default(), args.job_type, payload)?;
    let client = args.server.connect().await?;
    let request_id = sluicegate_client::request_id();
    let enqueued = retry::until_known(args.retry_for, || client.enqueue_once(request_id.as_str(), job.clone())).await?;
    if enqueued.existing {
        eprintln!("a job with this unique key exists already");
    }
    match args.output.output {
        Output::Table => output::line(&enqueued.job.id)?,
        Output::Json => output::json(&JobJson::from(enqueued.job))?,
    }
    Ok(())
}

/// A job's input, read.
#[derive(Debug, PartialEq, Eq)]
enum Input {
    None,
    Json(String),
    Binary(Vec<u8>),
}

impl OneArgs {
    async fn payload(&self) -> anyhow::Result<Input> {
        if let Some(text) = &self.json {
            return Ok(Input::Json(text.clone()));
        }
        if let Some(file) = &self.json_file {
            let text = String::from_utf8(read(file).await?);
            return Ok(Input::Json(text.with_context(|| format!("{} isn't JSON, which is UTF-8", file.display()))?));
        }
        match &self.binary_file {
            Some(file) => Ok(Input::Binary(read(file).await?)),
            None => Ok(Input::None),
        }
    }

    fn job(self, queue: String, job_type: String, payload: Input) -> anyhow::Result<Job> {
        let bindings = bindings(self.budgets, self.create_budgets)?;
        let mut job = match payload {
            Input::None => Job::new(queue, job_type),
            Input::Json(text) => Job::new(queue, job_type).json_text(text),
            Input::Binary(bytes) => Job::new(queue, job_type).bytes(bytes),
        };
        if let Some(delay) = self.delay {
            let time = SystemTime::now().checked_add(delay).ok_or_else(|| usage("--in is too far in the future"))?;
            job = job.run_at(time);
        }
        job = self.at.into_iter().fold(job, Job::run_at);
        job = self.priority.into_iter().fold(job, Job::priority);
        job = self.max_attempts.into_iter().fold(job, Job::max_attempts);
        job = self.timeout.into_iter().fold(job, Job::timeout);
        job = bindings.into_iter().fold(job, Job::binding);
        if let Some(completed) = self.retain_completed {
            job = job.retention(Retention { completed: Some(completed), ..Retention::default() });
        }
        if let Some(key) = self.unique {
            job = job.unique_in(key, self.unique_scope.unwrap_or_default());
        }
        Ok(self.metadata.into_iter().fold(job, |job, (key, value)| job.metadata(key, value)))
    }
}

/// The bindings, each with the policy under which its budget is to be created.
fn bindings(mut bindings: Vec<Binding>, policies: Vec<(String, Policy)>) -> anyhow::Result<Vec<Binding>> {
    for (key, policy) in policies {
        if !policy::create_with(&mut bindings, &key, policy)? {
            bindings.push(Binding::new(key).create_with(policy));
        }
    }
    Ok(bindings)
}

/// Reads a whole file, or standard input for `-`.
async fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than fits, so that what is too long is refused rather than cut.
    let read = if file == Path::new("-") {
        tokio::io::stdin().take(PAYLOAD_BYTES_MAX + 1).read_to_end(&mut bytes).await
    } else {
        match tokio::fs::File::open(file).await {
            Ok(opened) => opened.take(PAYLOAD_BYTES_MAX + 1).read_to_end(&mut bytes).await,
            Err(error) => Err(error),
        }
    };
    read.with_context(|| format!("cannot read {}", file.display()))?;
    anyhow::ensure!(bytes.len() as u64 <= PAYLOAD_BYTES_MAX, "{} is longer than 16 MiB", file.display());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: EnqueueArgs,
    }

    fn job(flags: &[&str]) -> Result<Job, String> {
        let line = std::iter::once("enqueue").chain(flags.iter().copied());
        let args = Line::try_parse_from(line).map_err(|error| error.to_string())?.args;
        let queue = args.queue.unwrap_or_default();
        args.one.job(queue, args.job_type, Input::None).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_make_a_job() {
        let flags = [
            "--queue=q",
            "--type=t",
            "--priority=0",
            "--at=1970-01-01T00:00:00Z",
            "--budget=a",
            "--budget=tenant:7=2",
            "--create-budget=a=5",
            "--create-budget=b=100/1m",
            "--max-attempts=3",
            "--timeout=5s",
            "--retain-completed=1h",
            "--unique=u",
            "--unique-scope=queued",
            "--meta=k=v=w",
        ];
        let expected = Job::new("q", "t")
            .priority(0)
            .run_at(SystemTime::UNIX_EPOCH)
            .bind_with("a", 1, Policy::while_in_flight(5))
            .bind("tenant:7", 2)
            .bind_with("b", 1, Policy::time_based(100, Duration::from_secs(60)))
            .max_attempts(3)
            .timeout(Duration::from_secs(5))
            .retention(Retention { completed: Some(Duration::from_secs(3600)), ..Retention::default() })
            .unique_in("u", UniqueScope::Queued)
            .metadata("k", "v=w");
        assert_eq!(job(&flags), Ok(expected));
        assert_eq!(job(&["--queue=q"]), Ok(Job::new("q", "")));
    }

    #[test]
    fn flags_that_contradict_each_other_are_refused() {
        let cases: [&[&str]; 8] = [
            &[],
            &["--queue=q", "--json=1", "--json-file=f"],
            &["--queue=q", "--json=1", "--binary-file=f"],
            &["--queue=q", "--at=1970-01-01T00:00:00Z", "--in=5s"],
            &["--queue=q", "--unique-scope=queued"],
            &["--queue=q", "--create-budget=a=5", "--create-budget=a=6"],
            &["--file=-", "--json=1"],
            &["--file=-", "--priority=1"],
        ];
        for flags in cases {
            assert!(job(flags).is_err(), "{flags:?}");
        }
    }

    #[tokio::test]
    async fn payloads_come_from_files() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("payload");
        std::fs::write(&file, [0xff, 0]).expect("written");
        assert_eq!(read(&file).await.expect("read"), [0xff, 0]);
        let missing = read(&dir.path().join("none")).await.expect_err("it isn't there");
        assert!(missing.to_string().contains("none"), "{missing}");
    }
}
