//! A runner process: commands in, answers and events out, a JSON object a line.

use std::collections::HashMap;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex as AsyncMutex, oneshot};

use crate::events::Events;
use crate::failure::{At, Failure, Outcome, within};
use crate::languages::Language;

/// The event that a line which means nothing is taken for.
const NONSENSE: &str = "nonsense";

/// Lines of a runner's log that a failure shows.
const LOG_LINES_SHOWN: usize = 10;

/// What a command answered: its value, or its error.
pub(crate) type Answer = Result<Value, Value>;

/// Commands whose answers haven't come; none once the runner has closed its output.
type Pending = Arc<Mutex<Option<HashMap<u64, oneshot::Sender<Answer>>>>>;

/// One runner. Ends with this value.
pub(crate) struct Runner {
    pub events: Arc<Events>,
    input: AsyncMutex<ChildStdin>,
    pending: Pending,
    next_id: AtomicU64,
    log: PathBuf,
    child: Child,
}

impl Runner {
    /// Starts one that calls a server at an address, and logs into a file.
    pub fn start(language: &Language, address: SocketAddr, log: &Path) -> Outcome<Self> {
        let mut command = Command::from(language.runner()?);
        command.arg("--address").arg(address.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(log).at(log.display())?);
        let mut child = command.kill_on_drop(true).spawn().at("the runner can't be started")?;
        let input = child.stdin.take().ok_or("the runner has no input")?;
        let output = child.stdout.take().ok_or("the runner has no output")?;
        let (events, pending) = (Arc::new(Events::default()), Arc::new(Mutex::new(Some(HashMap::new()))));
        tokio::spawn(read(output, Arc::clone(&events), Arc::clone(&pending)));
        Ok(Self {
            events,
            input: AsyncMutex::new(input),
            pending,
            next_id: AtomicU64::new(1),
            log: log.to_path_buf(),
            child,
        })
    }

    /// Does a command, and waits for its answer.
    pub async fn call(&self, name: &str, args: Map<String, Value>) -> Outcome<Answer> {
        let answer = self.send(name, args).await?;
        self.answered(name, answer).await
    }

    /// Sends a command.
    pub async fn send(&self, name: &str, args: Map<String, Value>) -> Outcome<oneshot::Receiver<Answer>> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        if let Some(pending) = self.pending.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            pending.insert(id, answer);
        }
        let mut line = json!({ "id": id, "do": name });
        args.into_iter().for_each(|(name, value)| line[name] = value);
        let mut input = self.input.lock().await;
        input.write_all(format!("{line}\n").as_bytes()).await.map_err(|error| self.gone(&error.to_string()))?;
        input.flush().await.map_err(|error| self.gone(&error.to_string()))?;
        Ok(answered)
    }

    /// Waits for the answer of a command that was sent.
    pub async fn answered(&self, name: &str, answer: oneshot::Receiver<Answer>) -> Outcome<Answer> {
        let answer =
            within(format!("no answer to {name}"), answer).await.map_err(|failure| failure.with(self.log_end()))?;
        answer.map_err(|_| self.gone("it has closed its output"))
    }

    /// Closes its input, at which it must end well, and must have written nothing but answers and events.
    pub async fn end(self) -> Outcome<()> {
        let Self { events, input, mut child, log, .. } = self;
        drop(input);
        let status = within("the runner's end", child.wait()).await?.at("the runner's end")?;
        if !status.success() {
            let failure = Failure::from(format!("the runner ended with {status}, not with 0 at the end of its input"));
            return Err(failure.with(log_end(&log)));
        }
        match events.count(&json!({ "event": NONSENSE })) {
            0 => Ok(()),
            lines => Err(format!("{lines} lines of the runner are neither answer nor event").into()),
        }
    }

    fn gone(&self, why: &str) -> Failure {
        Failure::from(format!("the runner is gone: {why}")).with(self.log_end())
    }

    /// The last lines it has logged.
    pub fn log_end(&self) -> String {
        log_end(&self.log)
    }
}

fn log_end(log: &Path) -> String {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = log.lines().collect();
    match &lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..] {
        [] => "the runner has logged nothing".to_owned(),
        last => format!("the runner has logged:\n{}", last.join("\n")),
    }
}

/// Takes in what the runner writes, to its end.
async fn read(output: ChildStdout, events: Arc<Events>, pending: Pending) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let line: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| json!({ "event": NONSENSE, "line": line, "error": error.to_string() }));
        if line.get("event").is_some() {
            events.add(line);
            continue;
        }
        let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = line["id"].as_u64().and_then(|id| pending.as_mut()?.remove(&id));
        let answer = match line.get("error") {
            Some(error) if !error.is_null() => Err(error.clone()),
            _ => Ok(line.get("ok").cloned().unwrap_or_default()),
        };
        match waiting {
            // A step that has given up waits no more.
            Some(waiting) => _ = waiting.send(answer),
            None => events.add(json!({ "event": NONSENSE, "line": line })),
        }
    }
    // Whoever waits still learns that nothing comes.
    events.end();
    pending.lock().unwrap_or_else(PoisonError::into_inner).take();
}
