//! Both schedulers side by side: the same commands at the same instants, and everything compared.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use sluicegate::scheduler::job::Payload;
use sluicegate::scheduler::units::{Nanos, SessionId, Timestamp};
use sluicegate::scheduler::{Command, Config, Scheduler};

use super::compare;
use super::counts::Counts;
use super::flaws::{self, Flaw};
use super::generate::{self, Temper};
use super::naive::Naive;
use super::promises::Witness;
use super::rows::Rows;
use super::selection;

/// A divergence, in words.
pub type Agreed<T> = Result<T, String>;

const START: Timestamp = Timestamp(1_700_000_000_000_000_000);
/// How far a wrong clock is ahead: longer than a retry or a release may delay a job.
const FAR_AHEAD: Nanos = Nanos::from_days(30);
/// How often both meet something on the way of one step of the clock; such a step ends early.
const INSTANTS_MAX: u32 = 30;
/// More steps than this at one instant have no end.
const ADVANCES_MAX: u32 = 1000;

/// The scheduler under test with its rows, the naive one, and the clock of both.
pub struct Duel {
    pub real: Scheduler,
    pub naive: Naive,
    pub rows: Rows,
    witness: Witness,
    now: Timestamp,
    sessions: u64,
    /// Whether this start's clock is wrong.
    is_ahead: bool,
    temper: Temper,
    /// Whether commands were applied since the last advance.
    pending: bool,
    pub counts: Counts,
    /// What was done, where somebody is to read it.
    pub told: Option<Vec<String>>,
}

impl Duel {
    /// Two empty schedulers with tight bounds.
    pub fn new(rng: &mut SmallRng, telling: bool) -> Self {
        let temper = Temper { releases: rng.random_bool(0.12), silent: rng.random_bool(0.12) };
        let config = Config {
            budgets_max: rng.random_range(3..=6),
            jobs_max: if temper.is_patient() { 2 } else { rng.random_range(8..=25) },
            requests_max: rng.random_range(1..=4),
            sessions_max: rng.random_range(2..=4),
            payload_bytes_max: 80 * 1024,
            ..Config::default()
        };
        let mut real = Scheduler::new(config.clone());
        real.keep_events();
        Self {
            real,
            naive: Naive::new(config, START),
            rows: Rows::default(),
            witness: Witness::default(),
            now: START,
            sessions: 0,
            is_ahead: false,
            temper,
            pending: false,
            counts: Counts::default(),
            told: telling.then(Vec::new),
        }
    }

    /// One random command, maybe after some time or a restart; all that happens is decided by `seed` and the state.
    pub fn step(&mut self, seed: u64) -> Agreed<()> {
        let mut rng = SmallRng::seed_from_u64(seed);
        let target = generate::clock(&mut rng, self.now, self.naive.next_instant());
        let target = if self.temper.is_patient() && rng.random_bool(0.7) { self.now } else { target };
        if rng.random_bool(0.9) {
            self.wait_until(target)?;
        } else {
            // A driver that comes late: what is due meanwhile is met after the command.
            self.now = target;
        }
        if rng.random_bool(if self.naive.draining || self.is_ahead { 0.1 } else { 0.01 }) {
            self.restart(&mut rng)?;
        }
        self.sessions += 1;
        self.naive.now = self.now;
        let mut command = generate::command(&mut rng, &self.naive, self.temper, SessionId(self.sessions));
        let is_flawed = rng.random_bool(0.04);
        let bytes_max = self.naive.config.payload_bytes_max;
        let flaw = if is_flawed { flaws::plant(&mut rng, &mut command, self.now, bytes_max) } else { None };
        self.apply(command, flaw.as_ref())?;
        // Several commands may meet in one commit.
        if rng.random_bool(0.9) {
            self.advance()?;
            compare::state(self, rng.random_bool(0.15))?;
            if rng.random_bool(0.1) {
                let filter = selection::filter(&mut rng, &self.naive);
                compare::pages(self, &filter, rng.random_range(1..=4))?;
            }
        }
        Ok(())
    }

    /// Both at rest and equal, to the last job.
    pub fn finish(&mut self) -> Agreed<()> {
        self.advance()?;
        compare::state(self, true)?;
        std::mem::take(&mut self.witness).judge()
    }

    fn tell(&mut self, line: impl FnOnce() -> String) {
        if let Some(told) = &mut self.told {
            told.push(format!("{:>12} ns: {}", self.now.since(START).0, line()));
        }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    fn apply(&mut self, command: Command, flaw: Option<&Flaw>) -> Agreed<()> {
        self.tell(|| shown(&command));
        self.pending = true;
        let expected = self.naive.apply(self.now, &command, flaw);
        let answer = self.real.apply(self.now, command.clone());
        self.counts.command(&command, &expected);
        compare::answers(self, answer, expected)
    }

    /// Meets what is due now, dispatches, commits and sends.
    fn advance(&mut self) -> Agreed<bool> {
        let happened = self.naive.advance(self.now);
        let mut advances = 0;
        while advances == 0 || self.real.next_deadline().is_some_and(|next| next <= self.now) {
            self.real.advance(self.now);
            advances += 1;
            if advances > ADVANCES_MAX {
                return Err(format!("after {advances} advances {:?} is due still", self.real.next_deadline()));
            }
        }
        self.pending = false;
        let effects = self.real.take_effects();
        let expected = self.naive.take_effects();
        self.counts.effects(&expected);
        std::mem::take(&mut self.naive.met).into_iter().for_each(|met| self.counts.note(met));
        compare::effects(self, &effects, &expected)?;
        if !effects.is_empty() {
            self.tell(|| format!("  sent: {effects:?}"));
        }
        self.rows.commit(self.real.take_changes());
        self.witness.hear(self.real.take_events());
        self.real.check_invariants(self.now);
        Ok(happened)
    }

    /// Lets time pass: both are looked at whenever one of them says that something may happen.
    fn wait_until(&mut self, target: Timestamp) -> Agreed<()> {
        if self.pending && target > self.now {
            self.advance()?;
        }
        for _ in 0..INSTANTS_MAX {
            let alarm = self.real.next_deadline();
            let next = [alarm, self.naive.next_instant()].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= target && *next > self.now) else {
                self.now = target;
                return Ok(());
            };
            self.now = next;
            self.tell(|| "the clock comes here".into());
            if self.advance()? && alarm.is_none_or(|alarm| alarm > next) {
                return Err(format!("something happens at {next:?}, and it sleeps until {alarm:?} (semantics 2.4)"));
            }
        }
        Ok(())
    }

    /// A start from the rows, mostly a little later, sometimes with a clock that was set back, or is far ahead until the
    /// start after it.
    fn restart(&mut self, rng: &mut SmallRng) -> Agreed<()> {
        self.advance()?;
        self.witness.hear_all_is_told(self.now);
        let span = generate::span(rng);
        self.now = if rng.random_bool(0.2) { self.now - span } else { self.now + Nanos(span.0 / 2) };
        if std::mem::take(&mut self.is_ahead) {
            self.now = self.now - FAR_AHEAD;
            self.counts.note("clocks set right");
        } else if rng.random_bool(0.15) {
            self.now = self.now + FAR_AHEAD;
            self.is_ahead = true;
        }
        self.tell(|| "a restart".into());
        self.counts.note("restarts");
        self.real = Scheduler::restore(self.naive.config.clone(), self.now, self.rows.snapshot())?;
        self.real.keep_events();
        self.naive.restart(self.now, self.rows.next_id.max(1));
        self.advance()?;
        compare::state(self, true)
    }
}

/// A command in few words: of bodies the size alone.
fn shown(command: &Command) -> String {
    let mut command = command.clone();
    if let Command::Enqueue { jobs, .. } = &mut command {
        for job in jobs {
            let bytes = job.body.bytes();
            job.body.payload = Payload::Json(format!("{bytes} bytes").into());
        }
    }
    format!("{command:?}")
}
