//! The near side: a Sluicegate server and its workers, driven by the `sluicegate` program as an operator drives them.
//!
//! Owns their processes. Knows nothing of the site.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use anyhow::{Context, bail, ensure};
use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use super::{PATIENCE, wait};

/// A Sluicegate server on loopback with a store of its own; ended when dropped.
pub struct Gate {
    program: PathBuf,
    dir: PathBuf,
    listen: String,
    server: Child,
}

/// A `sluicegate work`; ended when dropped.
pub struct Worker {
    name: String,
    process: Child,
}

impl Gate {
    /// Starts a server on `port` whose store and log lie in `dir`, and returns once it answers.
    pub async fn start(program: &Path, dir: &Path, port: u16) -> anyhow::Result<Self> {
        let listen = format!("127.0.0.1:{port}");
        let server = serve(program, dir, &listen)?;
        let mut gate = Self { program: program.to_owned(), dir: dir.to_owned(), listen, server };
        gate.answers().await?;
        Ok(gate)
    }

    /// Ends the server as `kill -9` does, and starts another on the same store.
    pub async fn kill_and_restart(&mut self) -> anyhow::Result<()> {
        self.server.kill().await?;
        self.server = serve(&self.program, &self.dir, &self.listen)?;
        self.answers().await
    }

    /// Calls `sluicegate` with `arguments`, and returns what it prints.
    pub async fn call(&self, arguments: &[&str]) -> anyhow::Result<String> {
        self.call_with_input(arguments, "").await
    }

    /// Calls `sluicegate` with `arguments` and `input`, and returns what it prints.
    pub async fn call_with_input(&self, arguments: &[&str], input: &str) -> anyhow::Result<String> {
        let mut call = self.command(arguments);
        let mut call = call.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut stdin = call.stdin.take().expect("it is piped");
        stdin.write_all(input.as_bytes()).await?;
        drop(stdin);
        let output = call.wait_with_output().await?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "sluicegate {}: {}, {error}", arguments.join(" "), output.status);
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Starts a worker that runs `command` for each job of `queue`, up to `window` of them at once as far as it is concerned.
    pub fn work(&self, name: &str, queue: &str, window: &str, command: &[&str]) -> anyhow::Result<Worker> {
        let log = File::create(self.dir.join(format!("{name}.log")))?;
        let process = self
            .command(&["work", "--queue", queue, "--window", window, "--"])
            .args(command)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        Ok(Worker { name: name.to_owned(), process })
    }

    /// Ends the server as an operator does; fails if it doesn't end well.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        stop("the server", &mut self.server).await
    }

    /// Fails if the server is gone.
    pub fn check(&mut self) -> anyhow::Result<()> {
        check("the server", &mut self.server)
    }

    async fn answers(&mut self) -> anyhow::Result<()> {
        wait::until(PATIENCE, "the server answers", async || {
            check("the server", &mut self.server)?;
            Ok(command(&self.program, &self.listen, &["queue", "list"]).output().await?.status.success())
        })
        .await
    }

    fn command(&self, arguments: &[&str]) -> Command {
        command(&self.program, &self.listen, arguments)
    }
}

impl Worker {
    /// Tells the worker to drain, and waits until it has; fails if it doesn't end well.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        stop(&self.name, &mut self.process).await
    }

    /// Fails if the worker is gone.
    pub fn check(&mut self) -> anyhow::Result<()> {
        check(&self.name, &mut self.process)
    }
}

/// A call of `sluicegate` to the server at `listen`.
fn command(program: &Path, listen: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).env("SLUICEGATE_SERVER", format!("http://{listen}")).kill_on_drop(true);
    command
}

fn serve(program: &Path, dir: &Path, listen: &str) -> anyhow::Result<Child> {
    let log = File::options().create(true).append(true).open(dir.join("server.log"))?;
    Command::new(program)
        .args(["serve", "--listen", listen, "--data"])
        .arg(dir.join("store"))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
}

fn check(name: &str, process: &mut Child) -> anyhow::Result<()> {
    match process.try_wait()? {
        None => Ok(()),
        Some(status) => bail!("{name} ended by itself with {status}"),
    }
}

/// Sends SIGTERM and waits for an exit code of 0.
async fn stop(name: &str, process: &mut Child) -> anyhow::Result<()> {
    check(name, process)?;
    let id = process.id().expect("it hasn't been waited for");
    signal::kill(Pid::from_raw(i32::try_from(id)?), Signal::SIGTERM)?;
    let ended = tokio::time::timeout(PATIENCE, process.wait()).await;
    let status = ended.with_context(|| format!("{name} didn't end within {PATIENCE:?} of SIGTERM"))??;
    ensure!(ExitStatus::success(&status), "{name} ended with {status} after SIGTERM");
    Ok(())
}
