//! Who a story speaks of: its jobs and their dispatches, and its workers with their streams and what they hold.
//!
//! Plays the far side of every stream; knows of the scheduler only what a worker is told.

use std::collections::BTreeMap;

use sluicegate::scheduler::command::{OpenSession, SessionMode, Window};
use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::units::{JobId, LeaseId, Nanos, SessionId};

use super::story::{LeaseRef, WorkerWords};

/// Bytes of unsettled bodies a worker takes; more than any story's.
const WINDOW_BYTES: u64 = 64 << 20;
/// The largest body a worker takes, in bytes.
const BODY_BYTES_MAX: u32 = 4 << 20;

/// The jobs of a story.
#[derive(Debug, Default)]
pub struct Jobs {
    ids: BTreeMap<String, JobId>,
    names: BTreeMap<JobId, String>,
    /// The leases of each job's dispatches, in order.
    leases: BTreeMap<JobId, Vec<LeaseId>>,
}

impl Jobs {
    /// From now on `name` means this job.
    pub fn add(&mut self, name: &str, id: JobId) {
        self.ids.insert(name.to_owned(), id);
        self.names.entry(id).or_insert_with(|| name.to_owned());
    }

    pub fn id(&self, name: &str) -> Result<JobId, String> {
        let id = self.ids.get(name).copied();
        id.ok_or_else(|| format!("the story has no job `{name}`"))
    }

    /// The first name a job had.
    pub fn name(&self, id: JobId) -> String {
        let name = self.names.get(&id).cloned();
        name.unwrap_or_else(|| format!("(job {id}, which the story doesn't name)"))
    }

    /// The names of jobs as a check writes them; `-` for none.
    pub fn show(&self, ids: &[JobId]) -> String {
        if ids.is_empty() {
            return "-".to_owned();
        }
        let names: Vec<_> = ids.iter().map(|id| self.name(*id)).collect();
        names.join(" ")
    }

    pub fn dispatched(&mut self, job: JobId, lease: LeaseId) {
        self.leases.entry(job).or_default().push(lease);
    }

    /// The lease meant: the N-th, else the last one, which is the live one if any is.
    pub fn lease(&self, lease: &LeaseRef) -> Result<LeaseId, String> {
        let job = self.id(&lease.job)?;
        let leases = self.leases.get(&job).map_or(&[][..], Vec::as_slice);
        let found = match lease.dispatch {
            None => leases.last(),
            Some(dispatch) => usize::try_from(dispatch - 1).ok().and_then(|index| leases.get(index)),
        };
        found.copied().ok_or_else(|| format!("`{}` was dispatched {} times", lease.job, leases.len()))
    }
}

/// A worker of a story.
#[derive(Clone, Debug)]
pub struct Worker {
    queues: Vec<Name>,
    pub window: u32,
    lease: Nanos,
    pub silent: bool,
    /// Its stream, while it is connected.
    pub session: Option<SessionId>,
    /// What was pushed to it and isn't over as far as it knows.
    held: Vec<LeaseId>,
    /// Of `held`, what counts in the window of its stream.
    pub in_window: Vec<LeaseId>,
}

impl Worker {
    /// A worker by the language's defaults.
    fn new() -> Self {
        Self {
            queues: vec!["default".into()],
            window: 1,
            lease: Nanos::from_secs(30),
            silent: false,
            session: None,
            held: Vec::new(),
            in_window: Vec::new(),
        }
    }

    /// The same worker with what `words` names.
    pub fn with(mut self, words: &WorkerWords) -> Self {
        if let Some(queues) = &words.queues {
            self.queues.clone_from(queues);
        }
        self.window = words.window.unwrap_or(self.window);
        self.lease = words.lease.unwrap_or(self.lease);
        self.silent |= words.silent;
        self
    }

    /// The same worker with defaults, but for what it holds.
    pub fn with_defaults(self) -> Self {
        Self { held: self.held, session: self.session, ..Self::new() }
    }

    /// Whether what differs between the two can't be said on an open stream.
    pub fn needs_new_stream(&self, other: &Self) -> bool {
        (&self.queues, self.lease, self.silent) != (&other.queues, other.lease, other.silent)
    }

    /// Its window as a command says it.
    pub fn window(&self) -> Window {
        Window { jobs: self.window, bytes: WINDOW_BYTES }
    }
}

/// The leases a new stream names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Carries no `held_leases`.
    Nothing,
    /// Carries an empty list.
    None,
    /// Carries all that the worker holds.
    All,
}

/// The workers of a story.
#[derive(Debug, Default)]
pub struct Workers {
    all: BTreeMap<String, Worker>,
    sessions: BTreeMap<SessionId, String>,
    last_session: u64,
}

impl Workers {
    /// The worker as it is, or as one that was never connected.
    pub fn get(&self, name: &str) -> Worker {
        self.all.get(name).cloned().unwrap_or_else(Worker::new)
    }

    pub fn set(&mut self, name: &str, worker: Worker) {
        self.all.insert(name.to_owned(), worker);
    }

    /// The stream of a worker, which must be connected.
    pub fn session(&self, name: &str) -> Result<SessionId, String> {
        let session = self.all.get(name).and_then(|worker| worker.session);
        session.ok_or_else(|| format!("worker `{name}` isn't connected"))
    }

    /// The worker at the other end of a stream.
    pub fn at(&mut self, session: SessionId) -> Result<(&str, &mut Worker), String> {
        let name = self.sessions.get(&session);
        let found = name.and_then(|name| Some((name.as_str(), self.all.get_mut(name)?)));
        found.ok_or_else(|| format!("stream {session} isn't open, and was sent something"))
    }

    /// The request that opens a new stream for `worker`.
    pub fn hello(&mut self, name: &str, worker: &Worker, naming: Naming) -> OpenSession {
        self.last_session += 1;
        OpenSession {
            session: SessionId(self.last_session),
            worker: name.into(),
            queues: worker.queues.clone(),
            window: worker.window(),
            lease: worker.lease,
            body_bytes_max: BODY_BYTES_MAX,
            mode: SessionMode::Stream {
                confirms_receipt: true,
                held: match naming {
                    Naming::Nothing => None,
                    Naming::None => Some(Vec::new()),
                    Naming::All => Some(worker.held.clone()),
                },
            },
        }
    }

    /// The stream is open; `resumed` are the leases it took over.
    pub fn opened(
        &mut self,
        name: &str,
        mut worker: Worker,
        session: SessionId,
        naming: Naming,
        resumed: Vec<LeaseId>,
    ) {
        if naming != Naming::Nothing {
            worker.held.clone_from(&resumed);
        }
        worker.in_window = resumed;
        worker.session = Some(session);
        self.sessions.insert(session, name.to_owned());
        self.set(name, worker);
    }

    /// A stream has ended.
    pub fn closed(&mut self, session: SessionId) {
        let Some(name) = self.sessions.remove(&session) else {
            return;
        };
        if let Some(worker) = self.all.get_mut(&name)
            && worker.session == Some(session)
        {
            worker.session = None;
            worker.in_window.clear();
        }
    }

    /// The server is gone, and all streams with it.
    pub fn disconnect_all(&mut self) {
        self.sessions.clear();
        for worker in self.all.values_mut() {
            worker.session = None;
            worker.in_window.clear();
        }
    }

    /// A lease was pushed.
    pub fn pushed(&mut self, session: SessionId, lease: LeaseId) -> Result<(), String> {
        let (_, worker) = self.at(session)?;
        worker.held.push(lease);
        worker.in_window.push(lease);
        Ok(())
    }

    /// A lease is over, and whoever held it knows.
    pub fn ended(&mut self, lease: LeaseId) {
        for worker in self.all.values_mut() {
            worker.held.retain(|held| *held != lease);
            worker.in_window.retain(|held| *held != lease);
        }
    }
}
