//! The owner thread: gather → apply → commit → release, for ever, and back from a failed store.
//!
//! Owns the scheduler and the store while they live, and everybody who waits for them. Refuses to let anything out
//! before its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::watch;

use super::handle::Refusal;
use super::live::Live;
use super::mailbox::{Answer, Letter, Look, Mailbox};
use super::porter::Porter;
use super::sessions::Sessions;
use super::{EndError, Options, StartError, Status, events, trace};
use crate::clock::Clock;
use crate::scheduler::event::{Event, Happened};
use crate::scheduler::units::{Nanos, Timestamp};
use crate::scheduler::{Change, Command, Effect, Rejection, Reply};
use crate::store::OpenStore;

/// The most letters one commit is to make true.
const BATCH_LETTERS_MAX: usize = 4096;
/// The most bytes of letters in one commit, but for the last of them: a huge commit grows the store's file for good.
const BATCH_BYTES_MAX: usize = 32 << 20;
/// How often one commit lets the scheduler go on that isn't through with what is due.
const BATCH_STEPS_MAX: usize = 4;
/// The longest sleep while a deadline is pending: a clock may step forward under a sleeper (semantics 11.1).
const NAP_MAX: Duration = Duration::from_secs(1);
/// The longest that a commit is held back for calls that are likely to come.
const LINGER_MAX: Nanos = Nanos::from_millis(1);
/// The pause before the first attempt to open a failed store again. It doubles from one to the next.
const REOPEN_AFTER_MIN: Nanos = Nanos::from_millis(100);
/// The longest pause between two attempts.
const REOPEN_AFTER_MAX: Nanos = Nanos::from_secs(5);

/// What lives as long as the thread. Who waits for the next commit is kept here, so that nobody is forgotten however
/// it ends.
pub(super) struct Owner {
    source: Box<dyn OpenStore>,
    clock: Arc<dyn Clock>,
    options: Options,
    mailbox: Mailbox,
    porter: Porter,
    status: watch::Sender<Status>,
    sessions: Sessions,
    answers: Vec<(Answer, Result<Reply, Rejection>)>,
    looks: Vec<Look>,
    draining: bool,
    stopping: bool,
    last: Committed,
    /// How long to wait before the store is opened again; back at its least once a commit has worked.
    reopen_after: Nanos,
}

/// What the last commit tells of the next one.
#[derive(Clone, Copy, Default)]
struct Committed {
    took: Nanos,
    /// How many calls waited for it: most of them come back with another one.
    answered: usize,
}

impl Owner {
    pub(super) fn new(
        source: Box<dyn OpenStore>,
        clock: Arc<dyn Clock>,
        options: Options,
        mailbox: Mailbox,
        porter: Porter,
        status: watch::Sender<Status>,
    ) -> Self {
        Self {
            source,
            clock,
            options,
            mailbox,
            porter,
            status,
            sessions: Sessions::default(),
            answers: Vec::new(),
            looks: Vec::new(),
            draining: false,
            stopping: false,
            last: Committed::default(),
            reopen_after: REOPEN_AFTER_MIN,
        }
    }

    /// Opens the store, and says so.
    pub(super) fn open(&mut self) -> Result<Live, StartError> {
        self.status.send_replace(Status::Recovering);
        if let Some(log) = &self.options.event_log {
            log.check()?;
        }
        let config = self.options.config.clone();
        let mut live = Live::open(&*self.source, &self.clock, config, self.options.durability)?;
        if self.options.event_log.is_some() {
            live.scheduler.keep_events();
        }
        if self.draining {
            live.scheduler.apply(self.clock.now(), Command::Drain).expect("draining is never refused");
        }
        self.status.send_replace(Status::Serving);
        Ok(live)
    }

    /// Serves until it is told to stop. Whoever still waits then, or after a panic, hears that it is over.
    pub(super) fn run(mut self, live: Live) -> Result<(), EndError> {
        self.options.measure.started();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.serve(live)))
            .unwrap_or_else(|panic| Err(EndError::of_panic(&*panic)))
            .and_then(|()| self.options.event_log.as_ref().map_or(Ok(()), |log| Ok(log.finish()?)));
        if let Err(error) = &outcome {
            let problem = error.to_string();
            tracing::error!("{problem}");
            self.fail(&problem);
        }
        outcome
    }

    /// Serves as long as the store works, and waits for it when it doesn't (semantics 10.3).
    fn serve(&mut self, mut live: Live) -> Result<(), EndError> {
        while let Err(problem) = self.serve_live(&mut live) {
            tracing::error!("{problem}; dropping what is in memory, to load it again");
            self.fail(&problem);
            drop(live);
            live = self.recover(problem)?;
        }
        Ok(())
    }

    /// Serves until it is told to stop, or the store fails.
    fn serve_live(&mut self, live: &mut Live) -> Result<(), String> {
        loop {
            self.turn(live)?;
            if self.stopping {
                live.sync().map_err(|error| error.to_string())?;
                self.options.measure.finish();
                return self.tell(vec![Event { at: self.clock.now(), what: Happened::Stopped }]);
            }
            live.sync_if_due().map_err(|error| error.to_string())?;
            self.sleep_until(live.next_deadline());
        }
    }

    /// Does what there is to do, makes it durable, and lets it out.
    fn turn(&mut self, live: &mut Live) -> Result<(), String> {
        self.linger();
        self.options.measure.turn_began();
        self.gather(live);
        let changes = live.scheduler.take_changes();
        let effects = live.scheduler.take_effects();
        self.options.measure.committing();
        let began = self.clock.now();
        live.commit(&changes).map_err(|error| error.to_string())?;
        self.last = Committed { took: self.clock.now().since(began), answered: self.answers.len() };
        self.options.measure.committed(&changes, &effects, &self.answers);
        self.tell(live.scheduler.take_events())?;
        if !changes.is_empty() {
            self.reopen_after = REOPEN_AFTER_MIN;
        }
        self.release(live, changes, effects)?;
        self.options.measure.released();
        Ok(())
    }

    /// Tells the event log, if there is one, what the commit made true.
    fn tell(&self, events: Vec<Event>) -> Result<(), String> {
        let Some(log) = &self.options.event_log else { return Ok(()) };
        log.append(events).map_err(|error| error.to_string())
    }

    /// Holds the next commit back while less than half as many calls wait for it as for the last one: they are on their way,
    /// and a commit costs the same for all. For no longer than the last one took, so that nobody waits for more than one
    /// commit that isn't his.
    fn linger(&self) {
        const NAPS: u32 = 4;
        let nap = Duration::from_nanos(self.last.took.min(LINGER_MAX).0) / NAPS;
        for _ in 0..NAPS {
            let waiting = self.mailbox.len();
            if nap.is_zero() || waiting == 0 || waiting >= self.last.answered / 2 {
                return;
            }
            thread::sleep(nap);
        }
    }

    /// Applies what has arrived and does what is due, as much as one commit should hold. What arrives while the
    /// scheduler isn't through gets its turn in between.
    fn gather(&mut self, live: &mut Live) {
        let (mut letters, mut bytes) = (0, 0);
        for _ in 0..BATCH_STEPS_MAX {
            let now = self.clock.now();
            while letters < BATCH_LETTERS_MAX && bytes < BATCH_BYTES_MAX && !self.stopping {
                let Some((letter, weight)) = self.mailbox.take() else {
                    break;
                };
                letters += 1;
                bytes += weight;
                self.apply(live, now, letter);
            }
            self.options.measure.deciding();
            live.scheduler.advance(now);
            self.options.measure.decided();
            let is_through = live.scheduler.next_deadline().is_none_or(|at| at > now);
            if is_through || self.stopping {
                return;
            }
        }
    }

    fn apply(&mut self, live: &mut Live, now: Timestamp, letter: Letter) {
        let scheduler = &mut live.scheduler;
        match letter {
            Letter::Apply(command, answer) => {
                let outcome = scheduler.apply(now, command);
                self.answers.push((answer, outcome));
            }
            Letter::Open(open, listener, answer) => {
                let (session, mode) = (open.session, open.mode.clone());
                let outcome = scheduler.apply(now, Command::OpenSession(open));
                if outcome.is_ok() {
                    self.sessions.insert(session, &mode, listener);
                }
                self.answers.push((answer, outcome));
            }
            Letter::Read(look) => self.looks.push(look),
            Letter::Close(session) => {
                if self.sessions.remove(session) {
                    // A session that the scheduler has ended by itself is closed already.
                    let _ = scheduler.apply(now, Command::CloseSession { session });
                }
            }
            Letter::Drain(answer) => {
                self.draining = true;
                let outcome = scheduler.apply(now, Command::Drain);
                self.answers.push((answer, outcome));
            }
            Letter::Stop => self.stopping = true,
        }
    }

    /// Lets out what the commit made true: answers, then pushes, then looks.
    fn release(&mut self, live: &Live, changes: Vec<Change>, effects: Vec<Effect>) -> Result<(), String> {
        trace::changes(&changes);
        self.answers.iter().for_each(|(_, outcome)| trace::reply(outcome));
        let answers = self.answers.drain(..).map(|(answer, outcome)| (answer, outcome.map_err(Refusal::Rejected)));
        self.porter.carry(answers.collect());
        let sent = events::of(live, changes, effects, &self.sessions)
            .map_err(|error| format!("jobs to be pushed can't be read: {error}"))?;
        for (session, event) in sent {
            self.sessions.send(session, event);
        }
        if !self.looks.is_empty() {
            let view = live.view();
            for look in self.looks.drain(..) {
                look(Ok(&view));
            }
        }
        Ok(())
    }

    fn sleep_until(&mut self, deadline: Option<Timestamp>) {
        let now = self.clock.now();
        let timeout = deadline.map(|at| Duration::from_nanos(at.since(now).0).min(NAP_MAX));
        self.mailbox.wait(timeout);
    }

    /// Tells everybody who waits that they won't hear, and that the outcome is unknown.
    fn fail(&mut self, problem: &str) {
        // First the status: who is refused may look at it.
        self.status.send_replace(Status::Failed(problem.to_owned()));
        for (answer, _) in self.answers.drain(..) {
            drop(answer.send(Err(unavailable(problem))));
        }
        for look in self.looks.drain(..) {
            look(Err(unavailable(problem)));
        }
        self.sessions.fail();
    }

    /// Opens the store again, for as long as it takes, or until it is told to stop.
    fn recover(&mut self, mut problem: String) -> Result<Live, EndError> {
        loop {
            let pause = self.reopen_after;
            self.reopen_after = Nanos(pause.0 * 2).min(REOPEN_AFTER_MAX);
            self.pause(pause, &problem);
            if self.stopping {
                return Err(EndError::StoreUnavailable { problem });
            }
            match self.open() {
                Ok(live) => return Ok(live),
                Err(error) => problem = error.to_string(),
            }
            tracing::error!("still unavailable: {problem}");
            self.status.send_replace(Status::Failed(problem.clone()));
        }
    }

    /// Refuses all that comes for this long, or until it is told to stop.
    fn pause(&mut self, pause: Nanos, problem: &str) {
        let until = self.clock.now() + pause;
        while !self.stopping && self.clock.now() < until {
            match self.mailbox.take() {
                Some((letter, _)) => self.refuse(letter, problem),
                None => self.sleep_until(Some(until)),
            }
        }
    }

    fn refuse(&mut self, letter: Letter, problem: &str) {
        match letter {
            // Who gave up waiting doesn't hear the answer.
            Letter::Apply(_, answer) | Letter::Open(_, _, answer) => {
                drop(answer.send(Err(unavailable(problem))));
            }
            Letter::Read(look) => look(Err(unavailable(problem))),
            Letter::Close(session) => drop(self.sessions.remove(session)),
            Letter::Drain(answer) => {
                self.draining = true;
                drop(answer.send(Ok(Reply::Done)));
            }
            Letter::Stop => self.stopping = true,
        }
    }
}

fn unavailable(problem: &str) -> Refusal {
    Refusal::StoreUnavailable { problem: problem.to_owned() }
}
