//! Handlers at work: one task a job, at most the window of them at once. Knows nothing of streams and leases' lives: it is told
//! what to start and what to stop, and says what has ended.

use std::collections::{HashMap, VecDeque};
use std::future::{Future, pending};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::JoinSet;

use super::context::{CancelReason, JobContext, StopSignal};
use super::lease_id::LeaseId;
use super::outcome::{HandlerError, HandlerOutcome, JobResult, Reports, panicked};
use crate::lease::LeasedJob;

type Handler = Arc<dyn Fn(JobContext) -> BoxFuture<'static, HandlerOutcome> + Send + Sync>;

/// Which handler does which type of job.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    by_type: HashMap<String, Handler>,
    for_all: Option<Handler>,
}

impl Handlers {
    /// Sets the handler of one type.
    pub fn set<F, Fut, T>(&mut self, job_type: String, handler: F)
    where
        F: Fn(JobContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, HandlerError>> + Send + 'static,
        T: Into<JobResult>,
    {
        self.by_type.insert(job_type, erased(handler));
    }

    /// Sets the handler of all types that have none of their own.
    pub fn set_for_all<F, Fut, T>(&mut self, handler: F)
    where
        F: Fn(JobContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, HandlerError>> + Send + 'static,
        T: Into<JobResult>,
    {
        self.for_all = Some(erased(handler));
    }

    pub fn is_empty(&self) -> bool {
        self.by_type.is_empty() && self.for_all.is_none()
    }

    /// What the job's handler answers; a panic is an answer too, wherever in the handler it happens.
    async fn handle(self: Arc<Self>, context: JobContext) -> HandlerOutcome {
        let Some(handler) = self.by_type.get(context.job_type()).or(self.for_all.as_ref()) else {
            let message = format!("this worker has no handler for jobs of type `{}`", context.job_type());
            return Err(HandlerError::failure(message));
        };
        let handled = async { handler(context).await };
        match AssertUnwindSafe(handled).catch_unwind().await {
            Ok(outcome) => outcome,
            Err(panic) => panicked(panic.as_ref()),
        }
    }
}

fn erased<F, Fut, T>(handler: F) -> Handler
where
    F: Fn(JobContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, HandlerError>> + Send + 'static,
    T: Into<JobResult>,
{
    Arc::new(move |context| {
        let handled = handler(context);
        async move { handled.await.map(Into::into) }.boxed()
    })
}

/// A handler that has ended.
pub(crate) struct Finished {
    pub id: LeaseId,
    pub outcome: HandlerOutcome,
    pub reports: Reports,
    /// Why it had been told to stop, if it had.
    pub stopped: Option<CancelReason>,
}

/// The handlers at work and the jobs that wait for a place.
pub(crate) struct Runner {
    handlers: Arc<Handlers>,
    places: usize,
    waiting: VecDeque<(LeaseId, LeasedJob)>,
    started: HashMap<LeaseId, StopSignal>,
    tasks: JoinSet<Finished>,
}

impl Runner {
    /// Runs at most `places` handlers at once.
    pub fn new(handlers: Handlers, places: usize) -> Self {
        Self {
            handlers: Arc::new(handlers),
            places,
            waiting: VecDeque::new(),
            started: HashMap::new(),
            tasks: JoinSet::new(),
        }
    }

    /// Handlers that haven't ended, those of lost leases included.
    pub fn busy(&self) -> usize {
        self.tasks.len()
    }

    /// Puts a job in line.
    pub fn enqueue(&mut self, id: LeaseId, job: LeasedJob) {
        self.waiting.push_back((id, job));
    }

    /// Forgets the jobs in line.
    pub fn clear_waiting(&mut self) {
        self.waiting.clear();
    }

    /// Starts jobs in line while there are places. `may_start` is asked once for each, and those it denies are forgotten.
    pub fn start_waiting(&mut self, mut may_start: impl FnMut(&LeaseId) -> bool) {
        while self.tasks.len() < self.places {
            let Some((id, job)) = self.waiting.pop_front() else { break };
            if may_start(&id) {
                self.start(id, job);
            }
        }
    }

    fn start(&mut self, id: LeaseId, job: LeasedJob) {
        let stop = StopSignal::default();
        self.started.insert(id.clone(), stop.clone());
        let handlers = Arc::clone(&self.handlers);
        self.tasks.spawn(async move {
            let context = JobContext::new(job, stop.clone());
            let outcome = handlers.handle(context.clone()).await;
            Finished { id, outcome, reports: context.take_reports(), stopped: stop.reason() }
        });
    }

    /// Tells a handler to stop. False if the job has none.
    pub fn stop(&mut self, id: &LeaseId, reason: CancelReason) -> bool {
        match self.started.get(id) {
            Some(signal) => {
                signal.stop(reason);
                true
            }
            None => false,
        }
    }

    /// Tells all handlers to stop.
    pub fn stop_all(&mut self, reason: CancelReason) {
        self.started.values().for_each(|signal| signal.stop(reason));
    }

    /// Drops all handlers wherever they are.
    pub fn abort_all(&mut self) {
        self.tasks.abort_all();
    }

    /// The next handler to end; never, while there is none. Safe to drop at any point.
    pub async fn next_finished(&mut self) -> Finished {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(finished)) => {
                    self.started.remove(&finished.id);
                    return finished;
                }
                // An aborted task has nothing to tell.
                Some(Err(_)) => {}
                None => pending().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;
    use tokio::sync::Semaphore;

    fn job(lease_id: &str, job_type: &str) -> (LeaseId, LeasedJob) {
        let spec = wire::JobSpec { r#type: job_type.into(), ..Default::default() };
        let wire = wire::LeasedJob {
            lease: Some(wire::Lease { id: lease_id.into(), ..Default::default() }),
            job: Some(wire::Job { spec: Some(spec), ..Default::default() }),
        };
        (lease_id.into(), LeasedJob::from_wire(wire).expect("it has a lease and a job"))
    }

    fn start(runner: &mut Runner, lease_id: &str, job_type: &str) {
        let (id, job) = job(lease_id, job_type);
        runner.enqueue(id, job);
        runner.start_waiting(|_| true);
    }

    #[tokio::test]
    async fn each_type_has_its_handler_and_the_others_share_one() {
        let mut handlers = Handlers::default();
        assert!(handlers.is_empty());
        handlers.set("a".into(), |_| async { Ok("own".to_owned()) });
        let mut runner = Runner::new(handlers.clone(), 1);
        start(&mut runner, "l", "b");
        let finished = runner.next_finished().await;
        let Err(HandlerError::Failure { message, .. }) = finished.outcome else { panic!("no handler") };
        assert!(message.contains("`b`"), "{message}");

        handlers.set_for_all(|context: JobContext| async move { Ok(context.job_type().to_owned()) });
        let mut runner = Runner::new(handlers, 1);
        for (job_type, expected) in [("a", "own"), ("b", "b"), ("", "")] {
            start(&mut runner, "l", job_type);
            assert_eq!(runner.next_finished().await.outcome, Ok(expected.to_owned().into()));
        }
    }

    #[tokio::test]
    async fn no_more_handlers_than_places_run_at_once() {
        let gate = Arc::new(Semaphore::new(0));
        let mut handlers = Handlers::default();
        let held = Arc::clone(&gate);
        handlers.set_for_all(move |_| {
            let gate = Arc::clone(&held);
            async move {
                gate.acquire().await?.forget();
                Ok(())
            }
        });
        let mut runner = Runner::new(handlers, 2);
        for lease_id in ["a", "b", "c", "denied", "d"] {
            let (id, job) = job(lease_id, "");
            runner.enqueue(id, job);
        }
        let may_start = |id: &LeaseId| id.as_str() != "denied";
        runner.start_waiting(may_start);
        assert_eq!(runner.busy(), 2);
        let mut ended = Vec::new();
        for _ in 0..4 {
            gate.add_permits(1);
            ended.push(runner.next_finished().await.id.to_string());
            runner.start_waiting(may_start);
            assert!(runner.busy() <= 2);
        }
        ended.sort();
        assert_eq!(ended, ["a", "b", "c", "d"]);
        assert_eq!(runner.busy(), 0);
    }

    #[tokio::test]
    async fn a_panic_is_a_failure_before_and_after_the_first_await() {
        let mut handlers = Handlers::default();
        fn at_once(_: JobContext) -> std::future::Ready<Result<(), HandlerError>> {
            panic!("at once")
        }
        handlers.set("at once".into(), at_once);
        handlers.set("later".into(), |_| async {
            tokio::task::yield_now().await;
            if true {
                panic!("later")
            }
            Ok(())
        });
        let mut runner = Runner::new(handlers, 1);
        for job_type in ["at once", "later"] {
            start(&mut runner, "l", job_type);
            let expected = HandlerError::failure(format!("handler panicked: {job_type}"));
            assert_eq!(runner.next_finished().await.outcome, Err(expected));
        }
    }

    #[tokio::test]
    async fn a_stopped_handler_learns_why_and_its_reports_come_along() {
        let mut handlers = Handlers::default();
        handlers.set_for_all(|context: JobContext| async move {
            context.report_usage("api", 9);
            context.report_usage("api", 2);
            context.cancelled().await;
            Err::<(), _>(HandlerError::failure(format!("{:?}", context.cancel_reason())))
        });
        let mut runner = Runner::new(handlers, 2);
        start(&mut runner, "a", "");
        start(&mut runner, "b", "");
        assert!(!runner.stop(&"nobody".into(), CancelReason::LeaseLost));
        assert!(runner.stop(&"a".into(), CancelReason::CancelRequested));
        let finished = runner.next_finished().await;
        assert_eq!(finished.id.as_str(), "a");
        assert_eq!(finished.stopped, Some(CancelReason::CancelRequested));
        assert_eq!(finished.outcome, Err(HandlerError::failure("Some(CancelRequested)")));
        assert_eq!(finished.reports.usage, [("api".to_owned(), 2)].into());

        runner.stop_all(CancelReason::WorkerStopping);
        assert_eq!(runner.next_finished().await.stopped, Some(CancelReason::WorkerStopping));
    }
}
