//! One simulated life of a server: its callers, its workers, its clock, its disk, and all that is looked at meanwhile.
//!
//! Owns the order of things, which is the driver's: apply, advance, commit, and only then events, answers and pushes.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use sluicegate::scheduler::event::{Event, Happened};
use sluicegate::scheduler::units::{JobId, Nanos, SessionId, Timestamp};
use sluicegate::scheduler::{Change, Command, Config, Effect, Scheduler};
use sluicegate::store::{Durability, SegmentLimits};

use super::agree::{self, Clock};
use super::books::History;
use super::clients;
use super::counts::Counts;
use super::disk::Disk;
use super::flushes::Flushes;
use super::ledger::Ledger;
use super::live::{self, Answer, Live, Sizes};
use super::promises::Witness;
use super::troubles::{self, Moment};
use super::workers::Worker;

/// What isn't as promised, in words.
pub type Agreed<T> = Result<T, String>;

pub const START: Timestamp = Timestamp(1_700_000_000_000_000_000);
/// How often one step of the clock meets something on its way; such a step ends early.
const INSTANTS_MAX: u32 = 12;

/// A command, and the worker that sent it, if one did.
pub struct Letter {
    pub command: Command,
    pub from: Option<usize>,
}

/// The whole simulated world.
pub struct Sim {
    pub config: Config,
    pub durability: Durability,
    pub sizes: Sizes,
    pub flushes: Flushes,
    pub disk: Disk,
    pub history: History,
    pub ledger: Ledger,
    pub witness: Witness,
    pub workers: Vec<Worker>,
    pub clock: Clock,
    /// `None` only while the store is being opened.
    pub live: Option<Live>,
    /// Where the machine is to end, and how, if that is decided.
    pub ambush: Option<(Moment, super::disk::End)>,
    /// Whether its clock may be set back between two runs of the server.
    pub has_bad_clock: bool,
    /// Decides all of this step.
    pub rng: SmallRng,
    sessions: u64,
    pub counts: Counts,
    /// What was done, where somebody is to read it.
    pub told: Option<Vec<String>>,
}

impl Sim {
    /// A new store on a new disk, and a server on it.
    pub fn new(seed: u64, telling: bool) -> Agreed<Self> {
        let mut rng = SmallRng::seed_from_u64(seed);
        let disk = Disk::new(seed);
        let cache_bytes = [16 << 10, 64 << 10, 1 << 20][rng.random_range(0..3)];
        let full_bytes = [0, 1 << 10, 4 << 10, 16 << 10][rng.random_range(0..4)];
        let most_bytes = full_bytes * rng.random_range(1..4);
        let growth_bytes = [1, 512, 4096][rng.random_range(0..3)];
        let sizes = Sizes { cache_bytes, segments: SegmentLimits { full_bytes, most_bytes, growth_bytes } };
        let durability = if rng.random_bool(0.35) { Durability::Relaxed } else { Durability::Immediate };
        let workers = (0..rng.random_range(1..=4)).map(|number| Worker::new(format!("w{number}").into(), false));
        let mut sim = Self {
            config: Config { jobs_max: 60, requests_max: 4, budgets_max: 6, ..Config::default() },
            durability,
            sizes,
            flushes: Flushes::default(),
            history: History::default(),
            ledger: Ledger::default(),
            witness: Witness::default(),
            workers: workers.collect(),
            clock: Clock { now: START, was_set_back: false },
            live: None,
            ambush: None,
            has_bad_clock: rng.random_bool(0.15),
            rng,
            sessions: 0,
            counts: Counts::default(),
            told: telling.then(Vec::new),
            disk,
        };
        sim.tell(|| format!("a new store, {durability:?}, {sizes:?}"));
        live::set_up(&sim.disk, sizes)?;
        sim.recover(Vec::new(), None)?;
        Ok(sim)
    }

    /// Some time, maybe a trouble, and one batch of commands; all that happens is decided by `seed` and the state.
    pub fn step(&mut self, seed: u64) -> Agreed<()> {
        self.rng = SmallRng::seed_from_u64(seed);
        self.disk.reseed(seed);
        if self.rng.random_bool(0.5) {
            let target = self.clock.now + clients::span(&mut self.rng);
            self.wait_until(target)?;
        }
        if self.rng.random_bool(0.12) {
            troubles::expect_one(self);
        }
        if self.rng.random_bool(0.02) {
            self.restart()?;
        }
        let count = [1, 1, 2, 4][self.rng.random_range(0..4)];
        let letters = (0..count).filter_map(|_| self.letter()).collect();
        self.turn(letters)?;
        self.note_met();
        Ok(())
    }

    pub fn tell(&mut self, line: impl FnOnce() -> String) {
        if let Some(told) = &mut self.told {
            told.push(format!("{:>14} ns: {}", self.clock.now.since(START).0, line()));
        }
    }

    pub fn note_met(&mut self) {
        for (name, count) in self.disk.take_met() {
            self.counts.add(name, count);
            if count > 0 {
                self.tell(|| format!("  the disk: {count} {name}"));
            }
        }
    }

    fn letter(&mut self) -> Option<Letter> {
        if self.rng.random_bool(0.35) {
            let command = clients::command(&mut self.rng, self.clock.now, &self.ledger);
            return Some(Letter { command, from: None });
        }
        let worker = self.rng.random_range(0..self.workers.len());
        self.letter_of(worker)
    }

    pub fn letter_of(&mut self, worker: usize) -> Option<Letter> {
        self.sessions += 1;
        let session = SessionId(self.sessions);
        let command = self.workers[worker].act(&mut self.rng, self.clock.now, &self.ledger, session)?;
        Some(Letter { command, from: Some(worker) })
    }

    /// Lets time pass: the server wakes whenever it wants to.
    pub fn wait_until(&mut self, target: Timestamp) -> Agreed<()> {
        for _ in 0..INSTANTS_MAX {
            let next = self.live().next_deadline().filter(|next| *next <= target);
            let Some(next) = next else {
                self.clock.now = self.clock.now.max(target);
                return Ok(());
            };
            self.clock.now = self.clock.now.max(next);
            self.turn(Vec::new())?;
        }
        Ok(())
    }

    pub fn live(&mut self) -> &mut Live {
        self.live.as_mut().expect("the store is open between two steps")
    }

    /// One round of the driver: what comes, what is due, the commit, and what follows from it.
    pub fn turn(&mut self, letters: Vec<Letter>) -> Agreed<()> {
        let now = self.clock.now;
        for letter in &letters {
            self.tell(|| shown(letter));
        }
        let commands = letters.iter().map(|letter| letter.command.clone()).collect();
        let live = self.live();
        let answers = live.gather(now, commands)?;
        live.scheduler.check_invariants(now);
        let (changes, effects) = (live.scheduler.take_changes(), live.scheduler.take_effects());
        let events = live.scheduler.take_events();
        if !changes.is_empty() {
            self.history.attempt(&changes);
        }
        self.flush_maybe();
        if self.disk.has_ended() || self.is_ambushed(Moment::Commit) {
            return self.end(events);
        }
        let outcome = self.commit(&changes);
        if self.disk.has_ended() {
            return self.end(events);
        }
        if let Err(problem) = outcome {
            return self.fail(events, &problem);
        }
        agree::check(&self.live.as_ref().expect("it is open").scheduler, &self.history.newest().1, self.clock)?;
        if self.is_ambushed(Moment::Events) {
            return self.end(events);
        }
        self.hear(events);
        if self.is_ambushed(Moment::Answers) {
            return self.end(Vec::new());
        }
        self.answer(&letters, answers)?;
        if self.is_ambushed(Moment::Pushes) {
            return self.end(Vec::new());
        }
        if let Err(problem) = self.check_bodies(&changes, &effects)? {
            return if self.disk.has_ended() { self.end(Vec::new()) } else { self.fail(Vec::new(), &problem) };
        }
        self.send(&effects);
        self.sync_if_due()
    }

    /// A flush that has begun beside it may happen now.
    fn flush_maybe(&mut self) {
        if self.rng.random_bool(0.2)
            && let Some(flush) = self.flushes.take()
        {
            flush();
            self.counts.note("flushes between two commits");
        }
    }

    fn commit(&mut self, changes: &[Change]) -> Result<(), String> {
        if changes.is_empty() {
            return Ok(());
        }
        let (durability, now) = (self.durability, self.clock.now);
        let live = self.live.as_mut().expect("it is open");
        live.records.commit(changes, durability).map_err(|error| error.to_string())?;
        if self.disk.has_ended() {
            return Ok(());
        }
        live.committed(now);
        self.history.confirm();
        if !live.records.is_unsynced() {
            self.history.synced();
        }
        self.counts.note("commits");
        Ok(())
    }

    /// What the commit made true is told to the log.
    fn hear(&mut self, events: Vec<Event>) {
        self.ledger.told = self.history.newest().0;
        self.ledger.hear(&events);
        for event in &events {
            match event.what {
                Happened::Dispatched { .. } => self.counts.note("dispatches"),
                Happened::Used { .. } => self.counts.note("usage reported"),
                Happened::Ended { how: sluicegate::scheduler::event::How::Throttled, .. } => {
                    self.counts.note("throttles reported");
                }
                _ => {}
            }
        }
        self.witness.hear(events);
    }

    fn answer(&mut self, letters: &[Letter], answers: Vec<Answer>) -> Agreed<()> {
        for (letter, answer) in letters.iter().zip(answers) {
            let reply = match answer {
                Ok(reply) => reply,
                Err(rejection) => {
                    self.counts.note("refusals");
                    self.tell(|| format!("  refused: {rejection:?}"));
                    continue;
                }
            };
            self.ledger.answered(&reply);
            if let Some(worker) = letter.from {
                self.workers[worker].answered(&letter.command, &reply, &self.ledger, &mut self.counts)?;
            }
        }
        Ok(())
    }

    /// Whether the bodies of all that is pushed can be read: those that aren't of this commit, from the store.
    fn check_bodies(&self, changes: &[Change], effects: &[Effect]) -> Agreed<Result<(), String>> {
        let live = self.live.as_ref().expect("it is open");
        let is_new = |job: &JobId| changes.iter().any(|change| matches!(change, Change::PutBody(id, _) if id == job));
        let pushed = effects.iter().filter_map(|effect| match effect {
            Effect::Push(_, leases) => Some(leases),
            _ => None,
        });
        let leased = pushed.flatten().filter_map(|lease| live.scheduler.leased(*lease));
        let stored: Vec<JobId> = leased.map(|(lease, _)| lease.job).filter(|job| !is_new(job)).collect();
        match live.read_bodies(&stored) {
            Err(problem) => Ok(Err(problem)),
            Ok(bodies) if bodies.iter().all(Option::is_some) => Ok(Ok(())),
            Ok(_) => Err(format!("of the jobs {stored:?}, which are pushed, not all have their bodies")),
        }
    }

    fn send(&mut self, effects: &[Effect]) {
        for effect in effects {
            self.tell(|| format!("  sent: {effect:?}"));
            let (Effect::Push(session, _) | Effect::Revoke(session, ..) | Effect::Supersede(session)) = effect;
            let Some(worker) = self.workers.iter_mut().find(|worker| worker.session == Some(*session)) else {
                continue;
            };
            match effect {
                Effect::Push(_, leases) => worker.pushed(leases),
                Effect::Revoke(_, leases, reason) => worker.revoked(leases, *reason),
                Effect::Supersede(_) => worker.session = None,
            }
        }
    }

    fn sync_if_due(&mut self) -> Agreed<()> {
        let now = self.clock.now;
        if !self.live().must_sync(now) {
            return Ok(());
        }
        let outcome = self.sync();
        match outcome {
            _ if self.disk.has_ended() => self.end(Vec::new()),
            Err(problem) => self.fail(Vec::new(), &problem),
            Ok(()) => Ok(()),
        }
    }

    pub fn sync(&mut self) -> Result<(), String> {
        let live = self.live.as_mut().expect("it is open");
        live.records.sync().map_err(|error| error.to_string())?;
        if !self.disk.has_ended() {
            live.synced();
            self.history.synced();
        }
        Ok(())
    }

    /// The store has failed: what memory holds is dropped, and loaded again from the same disk (semantics 10.3).
    fn fail(&mut self, untold: Vec<Event>, problem: &str) -> Agreed<()> {
        self.counts.note("commits that failed");
        self.tell(|| format!("THE STORE FAILS: {problem}"));
        let survivor = self.drop_live();
        self.clock.now = self.clock.now + Nanos::from_millis(100);
        self.recover(untold, survivor)
    }

    /// What was in memory is gone, but for what a later look compares with. All streams end.
    pub fn drop_live(&mut self) -> Option<Scheduler> {
        self.workers.iter_mut().for_each(|worker| worker.session = None);
        drop(self.flushes.take());
        self.live.take().map(|live| live.scheduler)
    }
}

fn shown(letter: &Letter) -> String {
    let mut command = letter.command.clone();
    if let Command::Enqueue { jobs, .. } = &mut command {
        jobs.iter_mut().for_each(|job| job.body = Default::default());
    }
    match letter.from {
        Some(worker) => format!("w{worker}: {command:?}"),
        None => format!("{command:?}"),
    }
}
