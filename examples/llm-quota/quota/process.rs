//! Processes that say on their first line where they listen.

use std::fs::File;
use std::net::SocketAddr;
use std::process::Stdio;

use anyhow::{Context, anyhow};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};

/// A process that listens. It is killed when dropped, and its standard input ends with this process, whichever way that ends.
pub struct Process {
    name: String,
    child: Child,
    _input: ChildStdin,
    pub address: SocketAddr,
}

impl Process {
    /// Starts one whose standard error goes to `log`, and returns once it listens.
    ///
    /// # Errors
    /// It can't be started, or ends without having said where it listens.
    pub async fn start(name: &str, command: &mut Command, log: File) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let program = command.as_std().get_program().to_owned();
        let mut child = command.spawn().with_context(|| format!("cannot start {name}, {}", program.display()))?;
        let (input, output) = child.stdin.take().zip(child.stdout.as_mut()).expect("both are piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).await?;
        let address = line.trim_end().strip_prefix("listening on ").and_then(|address| address.parse().ok());
        let address = address.with_context(|| format!("{name} doesn't say where it listens: {line:?}"))?;
        Ok(Self { name: name.to_owned(), child, _input: input, address })
    }

    /// Waits until it ends by itself, which is an error.
    pub async fn ended(&mut self) -> anyhow::Error {
        match self.child.wait().await {
            Ok(status) => anyhow!("{} ended by itself with {status}", self.name),
            Err(error) => error.into(),
        }
    }

    /// Ends it.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }
}
