//! The processes that are measured: started on a free port with a directory of their own, watched from outside, and ended.
//!
//! Owns what the operating system says of them. Refuses to know what they serve.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use procfs::process::Process as Proc;
use tempfile::TempDir;

use crate::measured::Measured;

/// The flag of a server whose store stores nothing.
pub const NULL_STORE: &str = "--null-store";

/// How long a process that says nothing may take until it listens.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two tries whether it does.
const TRY_EVERY: Duration = Duration::from_millis(5);

/// A process that listens.
pub struct Process {
    child: Child,
    proc: Proc,
    /// Where it listens.
    pub address: SocketAddr,
    /// From its start until it listened.
    pub ready_after: Duration,
}

impl Process {
    /// Starts `program`, and waits until it says in its first line where it listens. What it logs goes to `log`.
    ///
    /// # Errors
    /// It can't be started, or ends before it listens.
    pub fn start(program: &Path, args: &[impl AsRef<OsStr>], log: &Path) -> Result<Self> {
        let started = Instant::now();
        let log_file = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log_file);
        let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a piped output")).read_line(&mut line)?;
        let ready_after = started.elapsed();
        let address = line.trim_end().strip_prefix("listening on ").and_then(|address| address.parse().ok());
        let Some(address) = address else {
            child.kill()?;
            bail!("{} doesn't listen; it logged:\n{}", program.display(), fs::read_to_string(log)?);
        };
        let proc = Proc::new(i32::try_from(child.id())?)?;
        Ok(Self { child, proc, address, ready_after })
    }

    /// Starts a `program` that has to be told a port and doesn't say when it listens there, and waits until it does. `args` are
    /// made from the port; what it says goes to `log`.
    ///
    /// # Errors
    /// It can't be started, ends before it listens, or takes longer than ten seconds.
    pub fn start_at_port(program: &Path, args: impl FnOnce(u16) -> Vec<String>, log: &Path) -> Result<Self> {
        // Free once the listener is dropped, at the end of this line.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let started = Instant::now();
        let log_file = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new(program);
        command.args(args(address.port())).stdin(Stdio::null()).stdout(log_file.try_clone()?).stderr(log_file);
        let child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let proc = Proc::new(i32::try_from(child.id())?)?;
        let mut process = Self { child, proc, address, ready_after: Duration::ZERO };
        while TcpStream::connect(address).is_err() {
            let may_come = process.child.try_wait()?.is_none() && started.elapsed() < PATIENCE;
            ensure!(may_come, "{} doesn't listen; it logged:\n{}", program.display(), fs::read_to_string(log)?);
            thread::sleep(TRY_EVERY);
        }
        process.ready_after = started.elapsed();
        Ok(process)
    }

    /// The processor time that all its threads have taken.
    ///
    /// # Errors
    /// It has ended.
    pub fn cpu(&self) -> Result<Duration> {
        cpu(&self.proc)
    }

    /// Its resident memory, in bytes.
    ///
    /// # Errors
    /// It has ended.
    pub fn memory_bytes(&self) -> Result<u64> {
        Ok(self.proc.statm()?.resident * procfs::page_size())
    }

    /// Ends it without a warning.
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to end, and waits until it has.
    ///
    /// # Errors
    /// It doesn't end well.
    pub fn stop(&mut self) -> Result<()> {
        kill(Pid::from_raw(self.proc.pid), Signal::SIGTERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

/// The processor time that all threads of this process have taken.
///
/// # Errors
/// The operating system doesn't say.
pub fn own_cpu() -> Result<Duration> {
    cpu(&Proc::myself()?)
}

fn cpu(proc: &Proc) -> Result<Duration> {
    let mut nanos = 0;
    for task in proc.tasks()? {
        // A thread may end between the list and the look.
        nanos += task?.schedstat().map_or(0, |times| times.sum_exec_runtime);
    }
    Ok(Duration::from_nanos(nanos))
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A Sluicegate server on a data directory of its own, which is gone with it.
pub struct Server {
    program: PathBuf,
    flags: Vec<String>,
    dir: TempDir,
    process: Process,
}

impl Server {
    /// Starts one on an empty store in a new directory below `place`.
    ///
    /// # Errors
    /// As [`Process::start`].
    pub fn start(program: &Path, place: &Path, flags: &[&str]) -> Result<Self> {
        let dir = tempfile::tempdir_in(place)?;
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let process = serve(program, &flags, dir.path())?;
        Ok(Self { program: program.to_owned(), flags, dir, process })
    }

    /// Ends it and starts it again on the same store.
    ///
    /// # Errors
    /// As [`Process::start`] and [`Process::stop`].
    pub fn restart(&mut self, end: End) -> Result<()> {
        match end {
            End::Clean => self.process.stop()?,
            End::Killed => self.process.kill()?,
        }
        self.process = serve(&self.program, &self.flags, self.dir.path())?;
        Ok(())
    }

    /// What the operating system knows of it.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// The bytes of its data directory.
    ///
    /// # Errors
    /// It can't be read.
    pub fn stored_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(data(self.dir.path()))? {
            bytes += entry?.metadata()?.len();
        }
        Ok(bytes)
    }

    /// Ends it, and returns what it measured of itself.
    ///
    /// # Errors
    /// It doesn't end well, or its measurements can't be read.
    pub fn stop(mut self) -> Result<Measured> {
        self.process.stop()?;
        Measured::read(&measured(self.dir.path()))
    }
}

/// How a server ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By a signal that it heeds.
    Clean,
    /// By one that it can't.
    Killed,
}

fn serve(program: &Path, flags: &[String], dir: &Path) -> Result<Process> {
    // Whoever is still connected when it is asked to end is this process, which isn't listening then.
    let mut args = ["serve", "--listen=127.0.0.1:0", "--log=warn", "--shutdown-grace=0s"].map(str::to_owned).to_vec();
    if !flags.iter().any(|flag| flag == NULL_STORE) {
        args.push(format!("--data={}", data(dir).display()));
    }
    args.push(format!("--measure={}", measured(dir).display()));
    args.extend_from_slice(flags);
    Process::start(program, &args, &dir.join("log"))
}

fn data(dir: &Path) -> PathBuf {
    dir.join("data")
}

fn measured(dir: &Path) -> PathBuf {
    dir.join("measured")
}
