//! Does the steps of a story, each whole: its commands, then whatever is due, then the commit, then the pushes. At its end
//! the promises of semantics 13 must be proved by what has happened.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sluicegate::scheduler::Command;
use sluicegate::scheduler::effect::{Effect, RevokeReason};
use sluicegate::scheduler::units::{JobId, LeaseId, Nanos, SessionId};

use super::cast::{Jobs, Workers};
use super::deeds::Answer;
use super::parse::{BadLine, parse};
use super::story::{Action, Step};
use super::world::{Stop, World};
use super::{Failure, Trouble};

/// Plays a whole scenario. Its bad lines, else its first failure; empty where all is so.
pub fn play(text: &str) -> Vec<Failure> {
    let steps = match parse(text) {
        Ok(steps) => steps,
        Err(bad) => {
            let unreadable =
                |bad: BadLine| Failure { line: bad.line, text: bad.text, trouble: Trouble::Unreadable(bad.problem) };
            return bad.into_iter().map(unreadable).collect();
        }
    };
    play_steps(&steps).err().into_iter().collect()
}

fn play_steps(steps: &[Step]) -> Result<(), Failure> {
    let failure = |line, text: &str, trouble| Failure { line, text: text.to_owned(), trouble };
    let mut stage = guarded(Stage::new).map_err(|trouble| failure(0, "", trouble))?;
    for step in steps {
        guarded(|| stage.step(step)).map_err(|trouble| failure(step.line, &step.text, trouble))?;
    }
    stage.world.judge().map_err(|problem| failure(0, "", problem.into()))
}

/// A panic of the scheduler is the failure of the step that met it.
fn guarded<T>(act: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Trouble::Broken(format!("panicked: {}", said.unwrap_or("without words"))))
    })
}

/// A story in progress.
pub struct Stage {
    pub(super) world: World,
    pub(super) jobs: Jobs,
    pub(super) workers: Workers,
    /// Pushes since the last `dispatched`.
    pub(super) pushed: Vec<JobId>,
}

impl Stage {
    fn new() -> Result<Self, Trouble> {
        Ok(Self { world: World::new()?, jobs: Jobs::default(), workers: Workers::default(), pushed: Vec::new() })
    }

    fn step(&mut self, step: &Step) -> Result<(), Trouble> {
        let answers = self.act(&step.action)?;
        for answer in answers {
            self.judge(answer, step.refusal)?;
        }
        self.settle_down()
    }

    /// Does or checks what the step says; the answers of its commands, none for other steps.
    fn act(&mut self, action: &Action) -> Result<Vec<Answer>, Trouble> {
        let answer = match action {
            Action::Budget(key, deed) => self.budget(key, deed)?,
            Action::Enqueue(jobs) => {
                let alone = jobs.iter().map(std::slice::from_ref);
                return alone.map(|job| self.enqueue(job)).collect();
            }
            Action::Batch(jobs) => self.enqueue(jobs)?,
            Action::Worker(name, deed) => self.worker(name, deed)?,
            Action::Settle(lease, settlement) => self.settle(lease, settlement)?,
            Action::Extend(lease) => self.extend(lease)?,
            Action::Cancel { job, force } => self.cancel(job, *force)?,
            Action::Retry(job) => self.retry(job)?,
            Action::PauseQueue(queue) => {
                let queue = queue.clone();
                self.command(Command::PauseQueue { queue })?
            }
            Action::ResumeQueue(queue) => {
                let queue = queue.clone();
                self.command(Command::ResumeQueue { queue })?
            }
            Action::Modify(job, operation) => self.modify(job, operation)?,
            Action::Bulk(bulk) => self.bulk(bulk)?,
            Action::Advance(span) => {
                self.advance(*span)?;
                return Ok(Vec::new());
            }
            Action::Restart => {
                self.reopen(Stop::Clean)?;
                return Ok(Vec::new());
            }
            Action::Crash => {
                self.reopen(Stop::PowerLoss)?;
                return Ok(Vec::new());
            }
            Action::Check(check) => {
                self.check(check)?;
                return Ok(Vec::new());
            }
        };
        Ok(vec![answer])
    }

    fn judge(&mut self, answer: Answer, refusal: Option<&'static str>) -> Result<(), Trouble> {
        match (answer, refusal) {
            (Answer::Done, None) => Ok(()),
            (Answer::Done, Some(reason)) => {
                Err(Trouble::mismatch(format!("it is refused with {reason}"), "it is done"))
            }
            (Answer::Refused { reason, .. }, Some(expected)) if reason == expected => Ok(self.world.untouched()?),
            (Answer::Refused { reason, facts }, expected) => Err(Trouble::mismatch(
                expected.map_or_else(|| "it is done".to_owned(), |expected| format!("it is refused with {expected}")),
                format!("it is refused with {reason}: {facts}"),
            )),
        }
    }

    /// Goes from deadline to deadline, each at its own instant.
    fn advance(&mut self, span: Nanos) -> Result<(), Trouble> {
        let target = self.world.now() + span;
        while let Some(due) = self.world.due(target) {
            self.world.set_now(due);
            self.settle_down()?;
        }
        self.world.set_now(target);
        Ok(())
    }

    fn reopen(&mut self, stop: Stop) -> Result<(), Trouble> {
        self.world.reopen(stop)?;
        self.workers.disconnect_all();
        Ok(())
    }

    /// Until nothing is due and nothing is left to send: meets, commits, and delivers.
    fn settle_down(&mut self) -> Result<(), Trouble> {
        loop {
            let effects = self.world.rest()?;
            let replies = self.deliver(effects)?;
            if replies.is_empty() {
                break;
            }
            for command in replies {
                if let Answer::Refused { reason, facts } = self.command(command)? {
                    return Err(Trouble::Broken(format!(
                        "what a worker says by itself is refused with {reason}: {facts}"
                    )));
                }
            }
        }
        self.world.check_invariants();
        Ok(())
    }

    /// Plays the workers' side of what is sent; what they say in return.
    fn deliver(&mut self, effects: Vec<Effect>) -> Result<Vec<Command>, Trouble> {
        let mut replies = Vec::new();
        let mut pushed: Vec<(LeaseId, JobId)> = Vec::new();
        for effect in effects {
            match effect {
                Effect::Push(session, leases) => {
                    for lease in &leases {
                        pushed.push((*lease, self.receive(session, *lease)?));
                    }
                    if !self.workers.at(session)?.1.silent {
                        replies.push(Command::Received { leases });
                    }
                }
                // A stream may have ended in the same step: then nobody hears it.
                Effect::Revoke(session, leases, reason) => {
                    if self.workers.at(session).is_ok() && reason != RevokeReason::Cancelled {
                        leases.iter().for_each(|lease| self.workers.ended(*lease));
                    }
                }
                Effect::Supersede(session) => {
                    self.workers.closed(session);
                    replies.push(Command::CloseSession { session });
                }
            }
        }
        pushed.sort_unstable();
        for (lease, job) in pushed {
            self.jobs.dispatched(job, lease);
            self.pushed.push(job);
        }
        Ok(replies)
    }

    /// One push: of a live lease, to the worker that holds it, within its window.
    fn receive(&mut self, session: SessionId, lease: LeaseId) -> Result<JobId, Trouble> {
        let (record, job) = self
            .world
            .scheduler()
            .leased(lease)
            .ok_or_else(|| Trouble::Broken(format!("lease {lease} was pushed, and isn't live")))?;
        let (name, worker) = self.workers.at(session)?;
        if *record.worker != *name {
            return Err(Trouble::Broken(format!("lease {lease} of worker `{}` was pushed to `{name}`", record.worker)));
        }
        let scheduler = self.world.scheduler();
        let unsettled = worker.in_window.iter();
        let unsettled = unsettled.filter(|held| scheduler.leased(**held).is_some());
        if unsettled.count() >= worker.window as usize {
            return Err(Trouble::Broken(format!(
                "lease {lease} was pushed to `{name}`, whose window of {} is full",
                worker.window
            )));
        }
        self.workers.pushed(session, lease)?;
        Ok(job.record.id)
    }
}
