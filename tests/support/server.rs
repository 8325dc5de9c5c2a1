//! A real server process on a free port, with a data directory of its own, that is gone when the test is.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sluicegate_client::Client;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tonic::transport::{Channel, Endpoint};

use super::calls::Calls;
use super::{until, within};

/// Lines of a failed server's log that the test shows.
const LOG_LINES_SHOWN: usize = 60;

/// The program under test.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sluicegate"))
}

/// A server, and the directory that outlives its restarts.
pub struct Server {
    child: Child,
    address: SocketAddr,
    flags: Vec<String>,
    dir: Dir,
}

/// Where a server stores and logs. Kept when a test fails.
struct Dir(TempDir);

impl Server {
    /// Starts one on an empty store, and waits until it serves.
    pub async fn start() -> Self {
        Self::with_flags(&[]).await
    }

    /// The same with more flags.
    pub async fn with_flags(flags: &[&str]) -> Self {
        let dir = Dir(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory"));
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let (child, address) = spawn(&dir, &flags).await;
        Self { child, address, flags, dir }
    }

    /// Ends it without a warning.
    pub fn kill(&mut self) {
        self.child.kill().expect("the server can be killed");
        self.child.wait().expect("the server ends");
    }

    /// Starts it again, on the same store and any free port.
    pub async fn start_again(&mut self) {
        (self.child, self.address) = spawn(&self.dir, &self.flags).await;
    }

    /// Starts it again, on the same store and any free port, with more flags from now on.
    pub async fn start_again_with(&mut self, flags: &[&str]) {
        self.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
        self.start_again().await;
    }

    /// Starts it again, on the same store and at the same address, where its clients look for it.
    pub async fn start_again_here(&mut self) {
        let mut flags = self.flags.clone();
        flags.push(format!("--listen={}", self.address));
        (self.child, self.address) = spawn(&self.dir, &flags).await;
    }

    /// Ends it without a warning, and starts it again.
    pub async fn crash(&mut self) {
        self.kill();
        self.start_again().await;
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        signal_process(&self.child, signal);
    }

    /// Waits for its end.
    pub async fn ended(&mut self) -> ExitStatus {
        ended(&mut self.child).await
    }

    /// Whether it still is there.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a child can be asked").is_none()
    }

    pub fn pid(&self) -> Pid {
        pid(&self.child)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn data(&self) -> PathBuf {
        self.dir.data()
    }

    /// Its directory, for what a test has beside it.
    pub fn dir(&self) -> &Path {
        self.dir.0.path()
    }

    /// All that it has logged, over its restarts.
    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.log()).expect("a log")
    }

    /// A connection of its own.
    pub async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(self.url()).expect("an address");
        within("a connection", endpoint.connect()).await.expect("a connection")
    }

    /// The contract's calls, over a connection of their own.
    pub async fn calls(&self) -> Calls {
        Calls::new(self.channel().await)
    }

    /// The Rust client.
    pub async fn client(&self) -> Client {
        within("a connection", Client::connect(self.url())).await.expect("a connection")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Dir {
    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.0.path().join("server.log")
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        if !thread::panicking() {
            return;
        }
        self.0.disable_cleanup(true);
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        println!("the server's files are kept in {}; its log ends with", self.0.path().display());
        for line in &lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..] {
            println!("  {line}");
        }
    }
}

async fn spawn(dir: &Dir, flags: &[String]) -> (Child, SocketAddr) {
    let log = OpenOptions::new().create(true).append(true).open(dir.log()).expect("a log file");
    let mut command = program();
    command.arg("serve").args(flags);
    if !flags.iter().any(|flag| flag == "--null-store") {
        command.arg("--data").arg(dir.data());
    }
    if !flags.iter().any(|flag| flag.starts_with("--log")) {
        command.args(["--log", "info,sluicegate=debug"]);
    }
    if !flags.iter().any(|flag| flag.starts_with("--listen")) {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    let mut child = spawn_silent(&mut command, log);
    let line = within("the server's address", first_line(&mut child)).await;
    let address = line.strip_prefix("listening on ").and_then(|address| address.parse().ok());
    (child, address.unwrap_or_else(|| panic!("no address in {line:?}")))
}

fn spawn_silent(command: &mut Command, log: File) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().expect("the program starts")
}

/// The first line that a program prints; empty where it ends without one.
async fn first_line(child: &mut Child) -> String {
    let mut output = BufReader::new(child.stdout.take().expect("a piped output"));
    let (send, receive) = oneshot::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let _ = output.read_line(&mut line);
        // A test that has given up waits no more.
        let _ = send.send(line.trim_end().to_owned());
    });
    receive.await.unwrap_or_default()
}

/// Sends a process a signal.
pub fn signal_process(child: &Child, signal: Signal) {
    kill(pid(child), signal).expect("a signal can be sent");
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).expect("a process id"))
}

/// Waits for a process's end.
pub async fn ended(child: &mut Child) -> ExitStatus {
    until("the end of a process", async || child.try_wait().expect("a child can be asked")).await
}
