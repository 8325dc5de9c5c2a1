//! Turns what a story does into commands, and their replies into answers that can be judged.

use sluicegate::scheduler::command::{
    BindingOperation, Changed, JobsChange, OpenSession, Outcome, Part, Settled, SettledAs, Unsettled,
};
use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::units::{JobId, LeaseId, SessionId};
use sluicegate::scheduler::view::JobFilter;
use sluicegate::scheduler::{Command, Rejection, Reply};

use super::cast::{Naming, Worker};
use super::run::Stage;
use super::story::{BudgetDeed, Bulk, LeaseRef, Settlement, StoryJob, WorkerDeed};
use super::{Trouble, reasons};

/// What a command was answered.
pub enum Answer {
    Done,
    Refused { reason: &'static str, facts: String },
}

impl Stage {
    /// A command whose reply says nothing the story needs.
    pub(super) fn command(&mut self, command: Command) -> Result<Answer, Trouble> {
        Ok(match self.world.apply(command)? {
            Ok(_) => Answer::Done,
            Err(rejection) => refused(&rejection),
        })
    }

    pub(super) fn budget(&mut self, key: &Name, deed: &BudgetDeed) -> Result<Answer, Trouble> {
        let key = key.clone();
        self.command(match *deed {
            BudgetDeed::Create(policy) => Command::CreateBudget { key, policy },
            BudgetDeed::Replace(policy) => Command::ReplaceBudget { key, policy, allow_missing: false, etag: None },
            BudgetDeed::Update(patch) => Command::UpdateBudget { key, patch, etag: None },
            BudgetDeed::Delete => Command::DeleteBudget { key, allow_missing: false, etag: None },
            BudgetDeed::Block(span) => Command::BlockBudget { key, span: Some(span) },
            BudgetDeed::Unblock => Command::UnblockBudget { key },
            BudgetDeed::Adjust(level) => Command::AdjustBudget { key, level },
        })
    }

    pub(super) fn enqueue(&mut self, jobs: &[StoryJob]) -> Result<Answer, Trouble> {
        let now = self.world.now();
        let timed = jobs.iter().map(|story| {
            let mut job = story.job.clone();
            job.run_time = story.at.map(|at| now + at);
            job
        });
        let command = Command::Enqueue { request: None, jobs: timed.collect() };
        match self.world.apply(command)? {
            Ok(Reply::Enqueued(enqueued)) if enqueued.len() == jobs.len() => {
                for (story, enqueued) in jobs.iter().zip(enqueued) {
                    self.jobs.add(&story.id, enqueued.id);
                }
                Ok(Answer::Done)
            }
            Ok(reply) => Err(unfitting(&reply)),
            Err(rejection) => Ok(refused(&rejection)),
        }
    }

    pub(super) fn worker(&mut self, name: &str, deed: &WorkerDeed) -> Result<Answer, Trouble> {
        let worker = self.workers.get(name);
        match deed {
            WorkerDeed::Connect(words) if worker.session.is_some() => {
                let changed = worker.clone().with(words);
                if changed.needs_new_stream(&worker) {
                    self.open(name, changed, Naming::All)
                } else {
                    self.set_window(name, changed)
                }
            }
            WorkerDeed::Connect(words) => self.open(name, worker.with_defaults().with(words), Naming::Nothing),
            WorkerDeed::Resume(words) => self.open(name, worker.with(words), Naming::All),
            WorkerDeed::Restart(words) => self.open(name, worker.with(words), Naming::None),
            WorkerDeed::Leave => {
                let session = self.workers.session(name)?;
                let answer = self.command(Command::Leave { session })?;
                self.close(session)?;
                Ok(answer)
            }
            WorkerDeed::Drop => {
                let session = self.workers.session(name)?;
                self.close(session)?;
                Ok(Answer::Done)
            }
        }
    }

    fn set_window(&mut self, name: &str, worker: Worker) -> Result<Answer, Trouble> {
        let command = Command::SetWindow { session: self.workers.session(name)?, window: worker.window() };
        let answer = self.command(command)?;
        if matches!(answer, Answer::Done) {
            self.workers.set(name, worker);
        }
        Ok(answer)
    }

    fn open(&mut self, name: &str, worker: Worker, naming: Naming) -> Result<Answer, Trouble> {
        let hello: OpenSession = self.workers.hello(name, &worker, naming);
        let session = hello.session;
        match self.world.apply(Command::OpenSession(hello))? {
            Ok(Reply::Opened { resumed, .. }) => {
                self.workers.opened(name, worker, session, naming, resumed);
                Ok(Answer::Done)
            }
            Ok(reply) => Err(unfitting(&reply)),
            Err(rejection) => Ok(refused(&rejection)),
        }
    }

    fn close(&mut self, session: SessionId) -> Result<(), Trouble> {
        self.workers.closed(session);
        match self.command(Command::CloseSession { session })? {
            Answer::Done => Ok(()),
            Answer::Refused { reason, facts } => {
                Err(Trouble::Broken(format!("closing a stream is refused with {reason}: {facts}")))
            }
        }
    }

    pub(super) fn settle(&mut self, lease: &LeaseRef, settlement: &Settlement) -> Result<Answer, Trouble> {
        let lease = self.jobs.lease(lease)?;
        let outcome = Outcome {
            lease,
            verdict: settlement.verdict.clone(),
            usage: settlement.used.clone(),
            throttled: settlement.throttled.clone(),
        };
        let command = Command::Settle { from: None, outcomes: vec![outcome] };
        match self.world.apply(command)? {
            Ok(Reply::Settled(answers)) => match &answers[..] {
                [Settled { lease: of, status }] if *of == lease => Ok(self.settled(lease, status)),
                _ => Err(unfitting(&Reply::Settled(answers))),
            },
            Ok(reply) => Err(unfitting(&reply)),
            Err(rejection) => Ok(refused(&rejection)),
        }
    }

    fn settled(&mut self, lease: LeaseId, status: &Result<SettledAs, Unsettled>) -> Answer {
        match status {
            Err(Unsettled::Invalid { .. } | Unsettled::NotBound { .. }) => {}
            Ok(_) | Err(Unsettled::NotLive(_)) => self.workers.ended(lease),
        }
        status.as_ref().map_or_else(
            |unsettled| Answer::Refused { reason: reasons::of_unsettled(unsettled), facts: format!("{unsettled:?}") },
            |_| Answer::Done,
        )
    }

    pub(super) fn extend(&mut self, lease: &LeaseRef) -> Result<Answer, Trouble> {
        let lease = self.jobs.lease(lease)?;
        let command = Command::Extend { leases: vec![lease] };
        match self.world.apply(command)? {
            Ok(Reply::Extended(answers)) if answers.len() == 1 && answers[0].lease == lease => {
                Ok(match answers[0].status {
                    Ok(_) => Answer::Done,
                    Err(ended) => Answer::Refused { reason: reasons::of_ended(ended), facts: format!("{ended:?}") },
                })
            }
            Ok(reply) => Err(unfitting(&reply)),
            Err(rejection) => Ok(refused(&rejection)),
        }
    }

    pub(super) fn modify(&mut self, job: &str, operation: &BindingOperation) -> Result<Answer, Trouble> {
        let job = self.jobs.id(job)?;
        let operation = operation.clone();
        match self.world.apply(Command::ModifyBindings { job, operation })? {
            Ok(Reply::Job(view)) if view.record.id == job => Ok(Answer::Done),
            Ok(reply) => Err(unfitting(&reply)),
            Err(rejection) => Ok(refused(&rejection)),
        }
    }

    pub(super) fn cancel(&mut self, job: &str, force: bool) -> Result<Answer, Trouble> {
        let filter = named(self.jobs.id(job)?);
        self.change(filter, JobsChange::Cancel { force }).map(|(answer, _)| answer)
    }

    pub(super) fn retry(&mut self, job: &str) -> Result<Answer, Trouble> {
        let filter = named(self.jobs.id(job)?);
        self.change(filter, JobsChange::Retry).map(|(answer, _)| answer)
    }

    pub(super) fn bulk(&mut self, bulk: &Bulk) -> Result<Answer, Trouble> {
        let filter = JobFilter {
            queues: bulk.queue.clone().map(|queue| vec![queue]),
            kinds: bulk.kind.clone().map(|kind| vec![kind]),
            budgets: bulk.budget.clone().map(|budget| vec![budget]),
            states: bulk.state.map(|state| vec![state]),
            ..JobFilter::default()
        };
        let (answer, changed) = self.change(filter, JobsChange::Bindings(bulk.operation.clone()))?;
        let (Some((count, blocked)), Some(changed)) = (&bulk.outcome, changed) else { return Ok(answer) };
        let blocked = blocked.iter().map(|job| self.jobs.id(job)).collect::<Result<Vec<_>, _>>()?;
        if changed.changed != *count || changed.blocked != blocked || changed.blocked_count != blocked.len() as u64 {
            let show = |count: u64, blocked: &[JobId]| format!("changed={count} blocked={}", self.jobs.show(blocked));
            return Err(Trouble::mismatch(show(*count, &blocked), show(changed.changed, &changed.blocked)));
        }
        Ok(answer)
    }

    fn change(&mut self, filter: JobFilter, change: JobsChange) -> Result<(Answer, Option<Changed>), Trouble> {
        match self.world.apply(Command::ChangeJobs { filter, change, part: Part::Whole { apply: true } })? {
            Ok(Reply::Changed(changed)) => Ok((Answer::Done, Some(changed))),
            Ok(reply) => Err(unfitting(&reply)),
            Err(rejection) => Ok((refused(&rejection), None)),
        }
    }
}

fn named(job: JobId) -> JobFilter {
    JobFilter { ids: Some(vec![job]), ..JobFilter::default() }
}

fn refused(rejection: &Rejection) -> Answer {
    Answer::Refused { reason: reasons::of_rejection(rejection), facts: format!("{rejection:?}") }
}

fn unfitting(reply: &Reply) -> Trouble {
    Trouble::Broken(format!("the reply doesn't fit the command: {reply:?}"))
}
