//! Many jobs from JSON lines: read, sent in batches, and accounted for line by line.
//!
//! A server takes a batch whole or refuses it whole. A refused one is halved until the line at fault stands alone, so that every
//! refusal has its line number, whatever it is about, and order is kept.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use sluicegate_client::{Client, EnqueuedId, Error, Job};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader};

use super::line::{self, Defaults};
use super::{OnError, retry};
use crate::cli::output::{self, Output, printable};

/// The most jobs in one call.
const BATCH_JOBS_MAX: usize = 1000;
/// The most bytes of lines in one call, but for a single line that has more.
const BATCH_BYTES_MAX: usize = 8 << 20;
/// The longest line: the largest payload in base64, and room for the rest.
const LINE_BYTES_MAX: usize = 24 << 20;

/// A job, and the number of its line, from 1.
struct Numbered {
    line: u64,
    job: Job,
}

/// Whether lines after this one are to be enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    Stop,
}

/// What became of all lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Tally {
    /// Lines with a job that the server has, existing ones included.
    enqueued: u64,
    /// Those of them that found their unique key held by another job.
    existing: u64,
    /// Lines that were refused.
    refused: u64,
}

/// One run over many lines.
pub(super) struct Bulk {
    client: Client,
    on_error: OnError,
    patience: Duration,
    bar: ProgressBar,
    tally: Tally,
}

impl Bulk {
    pub fn new(client: Client, on_error: OnError, patience: Duration) -> Self {
        Self { client, on_error, patience, bar: ProgressBar::hidden(), tally: Tally::default() }
    }

    /// Enqueues the lines of `file`, standard input for `-`, and says what became of them. Fails if any was refused.
    pub async fn run(mut self, file: &Path, defaults: &Defaults, output: Output) -> anyhow::Result<()> {
        let start = Instant::now();
        let (reader, bytes) = open(file).await?;
        self.bar = progress_bar(bytes);
        let outcome = self.enqueue_all(reader, defaults).await;
        self.bar.finish_and_clear();
        self.summary(start.elapsed(), output)?;
        outcome.with_context(|| format!("{} is enqueued in part", file.display()))?;
        match self.tally.refused {
            0 => Ok(()),
            1 => bail!("1 line was refused"),
            lines => bail!("{lines} lines were refused"),
        }
    }

    fn summary(&self, took: Duration, output: Output) -> anyhow::Result<()> {
        let Tally { enqueued, existing, refused } = self.tally;
        if output == Output::Json {
            return Ok(output::json(&self.tally)?);
        }
        let existing = if existing == 0 { String::new() } else { format!(" ({existing} existed already)") };
        let refused = if refused == 0 { String::new() } else { format!(", {refused} refused") };
        output::line(format_args!("{enqueued} enqueued{existing}{refused} in {:.1} s", took.as_secs_f64()))?;
        Ok(())
    }

    async fn enqueue_all(&mut self, mut reader: Lines, defaults: &Defaults) -> anyhow::Result<()> {
        let mut batch = Vec::new();
        let mut batch_bytes = 0;
        let mut number = 0;
        let mut text = Vec::new();
        loop {
            let bytes = next_line(&mut reader, &mut text).await.with_context(|| format!("line {}", number + 1))?;
            if bytes == 0 {
                break;
            }
            number += 1;
            self.bar.inc(bytes as u64);
            if text.trim_ascii().is_empty() {
                continue;
            }
            match parse(&text, defaults) {
                Ok(job) => batch.push(Numbered { line: number, job }),
                Err(problem) => {
                    if self.refuse(number, &problem) == Next::Stop {
                        break;
                    }
                }
            }
            batch_bytes += bytes;
            if batch.len() >= BATCH_JOBS_MAX || batch_bytes >= BATCH_BYTES_MAX {
                batch_bytes = 0;
                if self.send(std::mem::take(&mut batch)).await? == Next::Stop {
                    return Ok(());
                }
            }
        }
        // Where a line that couldn't be read has stopped it, those before it are enqueued all the same.
        self.send(batch).await.map(drop)
    }

    /// Enqueues a batch: all of it, or what is left when refused lines are taken out, or what comes before the first of these.
    async fn send(&mut self, batch: Vec<Numbered>) -> anyhow::Result<Next> {
        let mut parts = vec![batch];
        while let Some(mut part) = parts.pop() {
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let (first, last) = (first.line, last.line);
            match self.call(&part).await {
                Ok(ids) => {
                    self.tally.enqueued += ids.len() as u64;
                    self.tally.existing += ids.iter().filter(|id| id.existing).count() as u64;
                    self.bar.set_message(format!("{} jobs", self.tally.enqueued));
                }
                Err(error) if !is_about_jobs(&error) => {
                    let known =
                        if is_outcome_unknown(&error) { "may or may not be enqueued" } else { "are not enqueued" };
                    return Err(error).with_context(|| format!("lines {first} to {last} {known}"));
                }
                Err(error) if part.len() == 1 => {
                    // The job's place in the call says nothing to whoever knows its line.
                    let problem = error.to_string().replace("jobs[0].", "");
                    if self.refuse(first, &problem) == Next::Stop {
                        return Ok(Next::Stop);
                    }
                }
                Err(_) => {
                    let tail = part.split_off(part.len() / 2);
                    parts.push(tail);
                    parts.push(part);
                }
            }
        }
        Ok(Next::GoOn)
    }

    async fn call(&self, part: &[Numbered]) -> sluicegate_client::Result<Vec<EnqueuedId>> {
        let request_id = sluicegate_client::request_id();
        let jobs = || part.iter().map(|numbered| numbered.job.clone()).collect::<Vec<_>>();
        retry::until_known(self.patience, || self.client.enqueue_many_once(request_id.as_str(), jobs())).await
    }

    /// Reports a line, and says whether to go on.
    fn refuse(&mut self, line: u64, problem: &str) -> Next {
        self.tally.refused += 1;
        self.bar.suspend(|| eprintln!("line {line}: {}", printable(problem)));
        match self.on_error {
            OnError::Stop => Next::Stop,
            OnError::Skip => Next::GoOn,
        }
    }
}

/// Whether another choice of jobs could have been taken.
fn is_about_jobs(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidField { .. }
            | Error::BudgetNotFound { .. }
            | Error::CostExceedsCapacity { .. }
            | Error::BudgetLimitReached { .. }
    )
}

/// Whether the call may have taken effect.
fn is_outcome_unknown(error: &Error) -> bool {
    error.is_retryable() && !matches!(error, Error::Overloaded { .. } | Error::Draining { .. })
}

type Lines = Box<dyn AsyncBufRead + Send + Unpin>;

/// The lines of a file and how many bytes it has; standard input, whose length nobody knows, for `-`.
async fn open(file: &Path) -> anyhow::Result<(Lines, Option<u64>)> {
    if file == Path::new("-") {
        return Ok((Box::new(BufReader::new(tokio::io::stdin())), None));
    }
    let context = || format!("cannot read {}", file.display());
    let opened = tokio::fs::File::open(file).await.with_context(context)?;
    let metadata = opened.metadata().await.with_context(context)?;
    // A pipe or a device has no length to speak of.
    let bytes = metadata.is_file().then_some(metadata.len());
    Ok((Box::new(BufReader::with_capacity(1 << 18, opened)), bytes))
}

/// Reads the next line with its end into `line`. 0 at the end of the input.
async fn next_line(reader: &mut Lines, line: &mut Vec<u8>) -> anyhow::Result<usize> {
    line.clear();
    let bytes = reader.take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', line).await.context("cannot be read")?;
    anyhow::ensure!(bytes <= LINE_BYTES_MAX, "it has more than {LINE_BYTES_MAX} bytes");
    Ok(bytes)
}

fn parse(line: &[u8], defaults: &Defaults) -> Result<Job, String> {
    let text = str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    line::parse(text.trim_end(), defaults)
}

/// A bar on a terminal, nothing elsewhere.
fn progress_bar(bytes: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::stderr());
    let template = match bytes {
        Some(_) => "{bar:40} {percent:>3}%  {msg}  {elapsed_precise}",
        None => "{spinner} {msg}  {elapsed_precise}",
    };
    bar.with_style(ProgressStyle::with_template(template).expect("the template is well-formed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static [u8]) -> Lines {
        Box::new(BufReader::new(text))
    }

    #[tokio::test]
    async fn lines_end_with_or_without_a_newline() {
        let mut reader = lines(b"a\r\n\nb");
        let mut line = Vec::new();
        let mut seen = Vec::new();
        while next_line(&mut reader, &mut line).await.expect("readable") > 0 {
            seen.push(line.clone());
        }
        assert_eq!(seen, [b"a\r\n".to_vec(), b"\n".to_vec(), b"b".to_vec()]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_refused_before_it_fills_memory() {
        let mut reader: Lines = Box::new(BufReader::new(tokio::io::repeat(b'x')));
        let error = next_line(&mut reader, &mut Vec::new()).await.expect_err("it has no end");
        assert!(error.to_string().contains("bytes"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_a_bad_line() {
        let error = parse(&[b'{', 0xff], &Defaults::default()).expect_err("not UTF-8");
        assert!(error.contains("UTF-8"), "{error}");
        assert!(parse(b"{\"queue\":\"q\"}\r\n", &Defaults::default()).is_ok());
    }

    #[test]
    fn only_refusals_of_jobs_are_looked_for_among_the_lines() {
        assert!(is_about_jobs(&Error::BudgetNotFound { budget: "b".into() }));
        let draining = Error::Draining { retry_after: None };
        let store = Error::StoreUnavailable { message: "m".into() };
        assert!(!is_about_jobs(&draining) && !is_outcome_unknown(&draining));
        assert!(!is_about_jobs(&store) && is_outcome_unknown(&store));
    }
}
