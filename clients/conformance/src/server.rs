//! A real server process on a port of its own, with a store that outlives its restarts.

use std::env;
use std::fs::{self, OpenOptions};
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use crate::failure::{At, Failure, Outcome, within};
use crate::languages::programs;

/// A server. Ends with this value.
pub(crate) struct Server {
    dir: PathBuf,
    flags: Vec<String>,
    address: SocketAddr,
    child: Child,
    /// Held open: a server that writes to nobody would end.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts one that keeps everything in a folder. `$dir` in a flag is that folder.
    pub async fn start(dir: &Path, flags: &[String]) -> Outcome<Self> {
        let flags: Vec<_> = flags.iter().map(|flag| flag.replace("$dir", &dir.to_string_lossy())).collect();
        let (child, output, address) = spawn(dir, &flags, "127.0.0.1:0").await?;
        Ok(Self { dir: dir.to_path_buf(), flags, address, child, _output: output })
    }

    /// Where it listens, over all its restarts.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts it again at its address, on its store.
    pub async fn start_again(&mut self) -> Outcome<()> {
        let (child, output, _) = spawn(&self.dir, &self.flags, &self.address.to_string()).await?;
        (self.child, self._output) = (child, output);
        Ok(())
    }

    /// Ends it without a warning.
    pub async fn kill(&mut self) -> Outcome<()> {
        self.child.kill().await.at("the server can't be killed")
    }

    /// Asks it to shut down.
    pub fn terminate(&self) -> Outcome<()> {
        self.signal(Signal::SIGTERM)
    }

    /// Waits for its end, which must be a good one.
    pub async fn ended(&mut self) -> Outcome<()> {
        let status = within("the server's end", self.child.wait()).await?.at("the server's end")?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}").into()) }
    }

    /// Lets nothing more be written to its event log.
    pub fn break_event_log(&self) -> Outcome<()> {
        let log = self.dir.join("events");
        fs::rename(&log, self.dir.join("events.before")).at("the event log")?;
        symlink("/dev/full", &log).at("the event log")?;
        self.signal(Signal::SIGHUP)
    }

    /// Lets its event log be written again.
    pub fn mend_event_log(&self) -> Outcome<()> {
        fs::remove_file(self.dir.join("events")).at("the event log")?;
        self.signal(Signal::SIGHUP)
    }

    fn signal(&self, signal: Signal) -> Outcome<()> {
        let pid = self.child.id().and_then(|pid| i32::try_from(pid).ok()).ok_or("the server isn't there")?;
        kill(Pid::from_raw(pid), signal).at("the server can't be signalled")
    }
}

/// The program: what `SLUICEGATE_BIN` says, or what cargo has built beside this one.
fn program() -> Outcome<PathBuf> {
    match env::var_os("SLUICEGATE_BIN") {
        Some(path) => Ok(path.into()),
        None => Ok(programs()?.join("sluicegate")),
    }
}

async fn spawn(dir: &Path, flags: &[String], listen: &str) -> Outcome<(Child, BufReader<ChildStdout>, SocketAddr)> {
    let program = program()?;
    let log = OpenOptions::new().create(true).append(true).open(dir.join("server.log")).at("server.log")?;
    let mut command = Command::new(&program);
    command.args(["serve", "--listen", listen, "--log", "info"]).args(flags).arg("--data").arg(dir.join("data"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
    let mut child = command.spawn().at(format_args!("the server {} can't be started", program.display()))?;
    let mut output = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
    let mut line = String::new();
    within("the server's address", output.read_line(&mut line)).await?.at("the server's address")?;
    let address = line.trim_end().strip_prefix("listening on ").and_then(|address| address.parse().ok());
    let address = address.ok_or_else(|| Failure::from(format!("the server names no address: {line:?}")))?;
    Ok((child, output, address))
}
