//! One process and its group, from its start until nothing of it is left.

use std::io::{self, Write};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use sluicegate_client::JobContext;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, Command};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::tail::Tail;

/// How long the end of standard error may take once the process and its group are gone: a process that has left the group may
/// hold it open for ever.
const STDERR_WITHIN: Duration = Duration::from_secs(1);
const CHUNK_BYTES: usize = 8192;

/// How a process has ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub status: ExitStatus,
    /// Whether it had been told to end.
    pub was_stopped: bool,
    pub stderr: Tail,
}

/// The program with its arguments, and what it is told of its job in the environment.
pub(super) fn command(arguments: &[String], context: &JobContext) -> Command {
    let job = context.job();
    let metadata = serde_json::to_string(&job.metadata).expect("text by text is JSON");
    let mut command = Command::new(&arguments[0]);
    command
        .args(&arguments[1..])
        .env("SLUICEGATE_JOB_ID", &job.id)
        .env("SLUICEGATE_JOB_TYPE", &job.job_type)
        .env("SLUICEGATE_JOB_QUEUE", &job.queue)
        .env("SLUICEGATE_JOB_ATTEMPT", job.attempt.to_string())
        .env("SLUICEGATE_JOB_MAX_ATTEMPTS", job.max_attempts.to_string())
        .env("SLUICEGATE_JOB_PRIORITY", job.priority.to_string())
        .env("SLUICEGATE_JOB_LEASE_ID", &job.lease_id)
        .env("SLUICEGATE_JOB_METADATA", metadata);
    command
}

/// Runs a program in a process group of its own until it ends; once `stop` completes the group gets SIGTERM, and `grace` later
/// SIGKILL. Dropping this kills the group at once.
pub(super) async fn run(
    command: &mut Command,
    payload: Bytes,
    stop: impl Future<Output = ()>,
    grace: Duration,
) -> io::Result<Finished> {
    // In its own group a Ctrl-C of the terminal reaches the worker alone, which then decides.
    command.stdin(Stdio::piped()).stdout(Stdio::inherit()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let pid = child.id().expect("it has not been waited for");
    let group = Group(Pid::from_raw(i32::try_from(pid).expect("a process id is an i32")));
    let (stdin, stderr) = (child.stdin.take().expect("piped"), child.stderr.take().expect("piped"));
    let _feeding = AbortOnDropHandle::new(tokio::spawn(feed(stdin, payload)));
    let tail = Arc::new(Mutex::new(Tail::default()));
    let reading = AbortOnDropHandle::new(tokio::spawn(read(stderr, Arc::clone(&tail))));

    let mut was_stopped = false;
    let ended = tokio::select! {
        status = child.wait() => Some(status?),
        () = stop => None,
    };
    let status = match ended {
        Some(status) => status,
        None => {
            was_stopped = true;
            group.signal(Signal::SIGTERM);
            match timeout(grace, child.wait()).await {
                Ok(status) => status?,
                Err(_) => {
                    group.signal(Signal::SIGKILL);
                    child.wait().await?
                }
            }
        }
    };
    drop(group);
    // What has come by then is what there is.
    let _ = timeout(STDERR_WITHIN, reading).await;
    let stderr = std::mem::take(&mut *tail.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Finished { status, was_stopped, stderr })
}

/// A process group, which ends with this value.
struct Group(Pid);

impl Group {
    fn signal(&self, signal: Signal) {
        // A group that has ended by itself needs no signal.
        let _ = killpg(self.0, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

async fn feed(mut stdin: ChildStdin, payload: Bytes) {
    // A program need not read its payload.
    let _ = stdin.write_all(&payload).await;
}

/// Passes standard error through, and keeps its end.
async fn read(mut stderr: ChildStderr, tail: Arc<Mutex<Tail>>) {
    let mut chunk = [0; CHUNK_BYTES];
    while let Ok(bytes @ 1..) = stderr.read(&mut chunk).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..bytes]);
        // A worker whose own standard error is closed works all the same.
        let _ = io::stderr().lock().write_all(&chunk[..bytes]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::future::{pending, ready};
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;

    const LONG: Duration = Duration::from_secs(600);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    async fn until(condition: impl Fn() -> bool) {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Whether a process is gone, or dead and only not yet waited for.
    fn is_dead(pid: &str) -> bool {
        match fs::read_to_string(Path::new("/proc").join(pid).join("stat")) {
            Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
            Err(_) => true,
        }
    }

    #[tokio::test]
    async fn the_payload_goes_in_and_the_end_of_stderr_comes_out() {
        let payload = Bytes::from("x".repeat(200_000) + "the end");
        let finished = run(&mut shell("tail -c 10 >&2; exit 3"), payload, pending(), LONG).await.expect("it starts");
        assert_eq!((finished.status.code(), finished.was_stopped), (Some(3), false));
        assert_eq!(finished.stderr.text(10), "xxxthe end");
    }

    #[tokio::test]
    async fn a_program_need_not_read_its_payload() {
        let payload = Bytes::from(vec![0; 1 << 20]);
        let finished = run(&mut shell("exit 0"), payload, pending(), LONG).await.expect("it starts");
        assert!(finished.status.success());
    }

    #[tokio::test]
    async fn a_program_that_isnt_there_is_an_error() {
        let error = run(&mut Command::new("/no/such/program"), Bytes::new(), pending(), LONG).await;
        assert_eq!(error.expect_err("it isn't there").kind(), io::ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn a_stop_is_asked_for_first() {
        let finished = run(&mut shell("exec sleep 600"), Bytes::new(), ready(()), LONG).await.expect("it starts");
        assert_eq!(finished.status.signal(), Some(Signal::SIGTERM as i32));
        assert!(finished.was_stopped);
    }

    #[tokio::test]
    async fn a_stop_that_is_not_heeded_ends_with_a_kill() {
        let dir = tempfile::tempdir().expect("a directory");
        let deaf = dir.path().join("deaf");
        let script = format!("trap '' TERM; : > '{}'; while :; do sleep 600; done", deaf.display());
        let stop = until(|| deaf.exists());
        let finished = run(&mut shell(&script), Bytes::new(), stop, Duration::from_millis(1)).await.expect("it starts");
        assert_eq!(finished.status.signal(), Some(Signal::SIGKILL as i32));
    }

    #[tokio::test]
    async fn what_a_program_leaves_behind_is_ended() {
        let script = "sleep 600 & echo $! >&2";
        let finished = run(&mut shell(script), Bytes::new(), pending(), LONG).await.expect("it starts");
        let pid = finished.stderr.text(20).trim().to_owned();
        assert!(finished.status.success() && !pid.is_empty());
        until(|| is_dead(&pid)).await;
    }

    #[tokio::test]
    async fn who_forgets_a_process_ends_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("pid");
        let script = format!("echo $$ > '{0}.new'; mv '{0}.new' '{0}'; exec sleep 600", file.display());
        let mut command = shell(&script);
        tokio::select! {
            _ = run(&mut command, Bytes::new(), pending(), LONG) => panic!("it goes on for long"),
            () = until(|| file.exists()) => {}
        }
        let pid = fs::read_to_string(&file).expect("the pid");
        until(|| is_dead(pid.trim())).await;
    }
}
