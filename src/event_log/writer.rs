//! The thread that appends events to the log, and what waits for it.
//!
//! Events wait in memory, a bounded number of them, so that nobody waits for the file as long as it keeps up. None is
//! ever dropped: where the file can't be written, they are kept and tried again, and whoever appends more is told to
//! stop until they are written.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::file::LogFile;
use super::line::Line;
use crate::scheduler::Event;

/// The most events that wait before whoever appends waits with them.
const EVENTS_WAITING_MAX: usize = 65_536;
/// The pause before a failed write is tried again. It doubles from one to the next.
const RETRY_AFTER_MIN: Duration = Duration::from_millis(100);
/// The longest pause between two tries.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(5);

/// The event log cannot be written. What was appended is kept in memory and tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the event log can't be written: {problem}")]
pub struct Unwritable {
    /// What the file system says.
    pub problem: String,
}

/// The log of one server. Dropping it ends it as [`EventLog::finish`] does.
#[derive(Debug)]
pub struct EventLog {
    shared: Arc<Shared>,
}

/// What the appending side and the writing thread share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Vec<Event>>,
    /// Those being written included.
    events_waiting: usize,
    problem: Option<String>,
    reopening: bool,
    finishing: bool,
    /// The thread is gone.
    ended: bool,
}

/// What the thread is to do next.
enum Work {
    Write(Vec<Vec<Event>>),
    Reopen,
    End,
}

impl EventLog {
    /// Opens the file, or makes it, and starts the thread that appends to it. A line that a kill has cut is ended.
    ///
    /// # Errors
    /// A file that can't be opened, or that another server appends to; no thread.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = LogFile::open(path)?;
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let name = path.display().to_string();
        let write = move || {
            let ending = Ending(Arc::clone(&of_thread));
            Writer { file, name, shared: of_thread, lines: Vec::new() }.serve();
            // The file is closed by now.
            drop(ending);
        };
        thread::Builder::new().name("event-log".to_owned()).spawn(write)?;
        Ok(Self { shared })
    }

    /// Takes events that are true, in their order. Waits only where very many wait already.
    ///
    /// # Errors
    /// [`Unwritable`] where the file can't be written. These events are kept as well, but no more should happen until
    /// [`EventLog::check`] finds nothing wrong.
    pub fn append(&self, events: Vec<Event>) -> Result<(), Unwritable> {
        let mut state = self.shared.state();
        if events.is_empty() {
            return state.check();
        }
        while state.events_waiting >= EVENTS_WAITING_MAX && state.check().is_ok() {
            state = self.shared.wait(state);
        }
        state.events_waiting += events.len();
        state.waiting.push(events);
        self.shared.changed.notify_all();
        state.check()
    }

    /// Whether the file can be written, as far as is known.
    ///
    /// # Errors
    /// [`Unwritable`]
    pub fn check(&self) -> Result<(), Unwritable> {
        self.shared.state().check()
    }

    /// Opens the path again: a log that was moved away is followed by a new one.
    pub fn reopen(&self) {
        self.shared.state().reopening = true;
        self.shared.changed.notify_all();
    }

    /// Waits until all that was appended is on disk, and ends the log; or gives up at once where it can't be written.
    ///
    /// # Errors
    /// [`Unwritable`]: what was appended last is lost.
    pub fn finish(&self) -> Result<(), Unwritable> {
        let mut state = self.shared.state();
        state.finishing = true;
        self.shared.changed.notify_all();
        while !state.ended {
            state = self.shared.wait(state);
        }
        state.problem.clone().map_or(Ok(()), |problem| Err(Unwritable { problem }))
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::error!("{error}; its last events are lost");
        }
    }
}

impl State {
    fn check(&self) -> Result<(), Unwritable> {
        match &self.problem {
            Some(problem) => Err(Unwritable { problem: problem.clone() }),
            None if self.ended => Err(Unwritable { problem: "it has ended".to_owned() }),
            None => Ok(()),
        }
    }
}

impl Shared {
    /// No holder leaves it half changed, so a panic elsewhere leaves it usable.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to do.
    fn next(&self) -> Work {
        let mut state = self.state();
        loop {
            if std::mem::take(&mut state.reopening) {
                return Work::Reopen;
            }
            if !state.waiting.is_empty() {
                return Work::Write(std::mem::take(&mut state.waiting));
            }
            if state.finishing {
                return Work::End;
            }
            state = self.wait(state);
        }
    }

    /// These events are written.
    fn written(&self, events: usize) {
        self.state().events_waiting -= events;
        self.changed.notify_all();
    }

    fn fail(&self, problem: String) {
        self.state().problem = Some(problem);
        self.changed.notify_all();
    }

    /// Whether there was something wrong until now.
    fn mend(&self) -> bool {
        let was_wrong = self.state().problem.take().is_some();
        self.changed.notify_all();
        was_wrong
    }

    /// Waits before another try, or until the path is to be opened again; whether there is to be another.
    fn pause(&self, pause: Duration) -> bool {
        let calm = |state: &mut State| !state.finishing && !state.reopening;
        let waited = self.changed.wait_timeout_while(self.state(), pause, calm);
        !waited.unwrap_or_else(PoisonError::into_inner).0.finishing
    }
}

/// What the thread owns.
struct Writer {
    file: LogFile,
    /// The path, for people.
    name: String,
    shared: Arc<Shared>,
    lines: Vec<u8>,
}

impl Writer {
    fn serve(mut self) {
        loop {
            let done = match self.shared.next() {
                Work::Write(batches) => self.write(&batches),
                Work::Reopen => self.persist(LogFile::reopen),
                Work::End => {
                    self.persist(|file| file.sync());
                    return;
                }
            };
            if !done {
                return;
            }
        }
    }

    fn write(&mut self, batches: &[Vec<Event>]) -> bool {
        let mut lines = std::mem::take(&mut self.lines);
        lines.clear();
        batches.iter().flatten().for_each(|event| Line::of(event).append_to(&mut lines));
        let done = self.persist(|file| file.append(&lines));
        self.shared.written(batches.iter().map(Vec::len).sum());
        self.lines = lines;
        done
    }

    /// Does it, as often as it takes; whether it is done, and not given up because the log is to end.
    fn persist(&mut self, mut attempt: impl FnMut(&mut LogFile) -> io::Result<()>) -> bool {
        let mut pause = RETRY_AFTER_MIN;
        let mut outcome = attempt(&mut self.file);
        while let Err(error) = outcome {
            tracing::error!("the event log {} can't be written: {error}; nothing is served until it can", self.name);
            self.shared.fail(format!("{}: {error}", self.name));
            if !self.shared.pause(pause) {
                return false;
            }
            pause = (pause * 2).min(RETRY_AFTER_MAX);
            let reopens = std::mem::take(&mut self.shared.state().reopening);
            outcome = if reopens { self.file.reopen() } else { Ok(()) }.and_then(|()| attempt(&mut self.file));
        }
        if self.shared.mend() {
            tracing::info!("the event log {} is written again", self.name);
        }
        true
    }
}

/// Says that the thread is gone, however it went.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;
    use crate::scheduler::event::Happened;
    use crate::scheduler::units::Timestamp;

    /// Longer than anything here takes.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn stops(instants: impl IntoIterator<Item = i64>) -> Vec<Event> {
        instants.into_iter().map(|at| Event { at: Timestamp(at), what: Happened::Stopped }).collect()
    }

    fn lines(instants: impl IntoIterator<Item = i64>) -> String {
        instants.into_iter().map(|at| format!("{{\"at\":{at},\"event\":\"stop\"}}\n")).collect()
    }

    fn wait_until(log: &EventLog, holds: impl Fn(&State) -> bool) {
        let waited = log.shared.changed.wait_timeout_while(log.shared.state(), PATIENCE, |state| !holds(state));
        assert!(!waited.unwrap().1.timed_out());
    }

    #[test]
    fn what_is_appended_is_there_in_order_once_the_log_has_ended() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("log");
        for first in [0, 300] {
            let log = EventLog::open(&path).unwrap();
            for at in (first..first + 300).step_by(3) {
                log.append(stops(at..at + 3)).unwrap();
            }
            log.finish().unwrap();
            assert!(log.append(stops([9])).is_err(), "a log that has ended takes nothing");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), lines(0..600));
    }

    #[test]
    fn a_line_that_was_cut_is_ended_before_the_next() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("log");
        fs::write(&path, "{\"at\":1}\n{\"at\":2,\"ev").unwrap();
        let log = EventLog::open(&path).unwrap();
        log.append(stops([3])).unwrap();
        log.append(stops([4])).unwrap();
        drop(log);
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{{\"at\":1}}\n{{\"at\":2,\"ev\n{}", lines(3..5)));
    }

    #[test]
    fn one_server_at_a_time_appends() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("log");
        let log = EventLog::open(&path).unwrap();
        let refused = EventLog::open(&path).unwrap_err().to_string();
        assert!(refused.contains("another server"), "{refused}");
        log.reopen();
        log.append(stops([1])).unwrap();
        log.finish().unwrap();
        drop(log);
        EventLog::open(&path).unwrap();
    }

    #[test]
    fn a_log_that_was_moved_away_goes_on_in_a_new_file() {
        let dir = TempDir::new().unwrap();
        let (path, old) = (dir.path().join("log"), dir.path().join("log.1"));
        let log = EventLog::open(&path).unwrap();
        log.append(stops([1])).unwrap();
        wait_until(&log, |state| state.events_waiting == 0);
        fs::rename(&path, &old).unwrap();
        log.reopen();
        wait_until(&log, |state| !state.reopening);
        log.append(stops([2])).unwrap();
        log.finish().unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), lines([1]));
        assert_eq!(fs::read_to_string(&path).unwrap(), lines([2]));
    }

    #[test]
    fn a_full_disk_loses_nothing_and_stops_whoever_appends() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("log");
        symlink("/dev/full", &path).unwrap();
        let log = EventLog::open(&path).unwrap();
        log.append(stops([1])).unwrap();
        wait_until(&log, |state| state.problem.is_some());
        let count = EVENTS_WAITING_MAX as i64;
        let error = log.append(stops(2..count)).unwrap_err();
        assert_eq!(log.check(), Err(error.clone()));
        assert!(error.to_string().contains("can't be written"), "{error}");
        assert!(log.append(stops(count..count + 5)).is_err(), "nobody waits for what can't be written");

        fs::remove_file(&path).unwrap();
        log.reopen();
        wait_until(&log, |state| state.problem.is_none() && state.events_waiting == 0);
        log.check().unwrap();
        log.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), lines(1..count + 5));
    }

    #[test]
    fn a_log_that_cannot_be_written_ends_all_the_same() {
        let log = EventLog::open(Path::new("/dev/full")).unwrap();
        log.append(stops([1])).unwrap();
        assert!(log.finish().is_err());
    }
}
