//! What goes wrong, and how a server comes back from it: ends of the machine, failed opens, restarts, wrong clocks.

use rand::RngExt;
use sluicegate::scheduler::Scheduler;
use sluicegate::scheduler::effect::Snapshot;
use sluicegate::scheduler::event::{Event, Happened};
use sluicegate::scheduler::units::Nanos;
use sluicegate::store::{Durability, Records};

use super::agree;
use super::books::sorted;
use super::clients;
use super::disk::{End, Harm, Target, Trouble};
use super::live::{self, Live};
use super::sim::{Agreed, Sim};

/// More openings than this have no end.
const OPENINGS_MAX: usize = 100;

/// Before what the machine may end, between two operations of its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Commit,
    Events,
    Answers,
    Pushes,
}

impl Moment {
    const EACH: [Self; 4] = [Self::Commit, Self::Events, Self::Answers, Self::Pushes];

    fn counted_as(self) -> &'static str {
        match self {
            Self::Commit => "ends between two commits",
            Self::Events => "ends after a commit, before anything is told",
            Self::Answers => "ends after the events, before the answers",
            Self::Pushes => "ends after the answers, before the pushes",
        }
    }
}

/// Decides on something that is to go wrong soon.
pub fn expect_one(sim: &mut Sim) {
    let rng = &mut sim.rng;
    let end = if rng.random() { End::Kill } else { End::PowerLoss };
    let errors = Harm::Errors(rng.random_range(1..=3));
    let (at, after, what) = match rng.random_range(0..100) {
        0..24 => (Target::Syncs, rng.random_range(0..5), Harm::End(end)),
        24..40 => (Target::Writes, rng.random_range(0..40), Harm::End(end)),
        40..46 => (Target::SetLens, 0, Harm::End(end)),
        46..62 => {
            let moment = Moment::EACH[rng.random_range(0..4)];
            sim.ambush = Some((moment, end));
            return sim.tell(|| format!("to come: a {end:?} right before {moment:?}"));
        }
        62..69 => (Target::Writes, rng.random_range(0..30), errors),
        69..76 => (Target::Syncs, rng.random_range(0..4), errors),
        76..80 => (Target::SetLens, 0, errors),
        80..85 => (Target::Reads, rng.random_range(0..20), errors),
        85..88 => (Target::Lengths, 0, errors),
        _ => {
            let (blocks, patience) = (rng.random_range(0..20), rng.random_range(1..=4));
            sim.disk.fill(blocks, patience);
            return sim.tell(|| format!("the disk has {blocks} blocks left"));
        }
    };
    let trouble = Trouble { at, after, what };
    sim.disk.expect(trouble);
    sim.tell(|| format!("to come: {trouble:?}"));
}

impl Sim {
    /// Whether the machine ends right here.
    pub fn is_ambushed(&mut self, moment: Moment) -> bool {
        let Some((_, end)) = self.ambush.take_if(|(expected, _)| *expected == moment) else { return false };
        self.counts.note(moment.counted_as());
        self.disk.end(end);
        true
    }

    /// The process, or its machine, has ended. It starts again a little later, sometimes with a clock that was set back.
    pub fn end(&mut self, untold: Vec<Event>) -> Agreed<()> {
        let survivor = self.drop_live();
        self.tell(|| "THE END".into());
        self.pass_time();
        self.recover(untold, survivor)
    }

    /// A stop in peace, and a start.
    pub fn restart(&mut self) -> Agreed<()> {
        self.turn(Vec::new())?;
        let outcome = self.sync();
        if self.disk.has_ended() {
            return self.end(Vec::new());
        }
        if outcome.is_err() {
            // It stops all the same, and has told nothing that isn't stored.
            let survivor = self.drop_live();
            return self.recover(Vec::new(), survivor);
        }
        self.tell(|| "a restart".into());
        self.counts.note("clean restarts");
        self.witness.hear_all_is_told(self.clock.now);
        let survivor = self.drop_live();
        self.pass_time();
        self.recover(Vec::new(), survivor)
    }

    fn pass_time(&mut self) {
        let span = clients::span(&mut self.rng);
        if self.has_bad_clock && self.rng.random_bool(0.3) {
            self.clock.now = self.clock.now - span;
            if span > Nanos::ZERO {
                self.clock.was_set_back = true;
                self.counts.note("clocks set back");
            }
        } else {
            self.clock.now = self.clock.now + span;
        }
    }

    /// Opens the store, as often as it takes. `survivor` is the scheduler that was lost, for comparison: it holds the last
    /// commit that was tried.
    pub fn recover(&mut self, untold: Vec<Event>, survivor: Option<Scheduler>) -> Agreed<()> {
        let survivor = survivor.map(|scheduler| (self.history.newest().0, scheduler));
        let mut lost_power = false;
        for _ in 0..OPENINGS_MAX {
            if let Some(end) = self.disk.start_again() {
                self.counts.note(if end == End::Kill { "kills" } else { "power losses" });
                if self.durability == Durability::Relaxed {
                    self.counts.note("ends under relaxed durability");
                }
                lost_power |= end == End::PowerLoss;
                self.tell(|| format!("a start after a {end:?}"));
            }
            self.note_met();
            let refusals = self.disk.refusals();
            let opened = live::open(&self.disk, self.sizes, &self.flushes);
            if self.disk.has_ended() {
                self.counts.note("ends while the store is opened");
                continue;
            }
            match opened {
                Ok((records, snapshot)) => {
                    match self.go_on(records, snapshot, lost_power, &untold, survivor.as_ref())? {
                        Resumed::Yes => return Ok(()),
                        Resumed::DiskFailed => {}
                    }
                }
                Err(problem) if self.disk.refusals() > refusals => {
                    self.tell(|| format!("it can't be opened yet: {problem}"));
                }
                Err(problem) => return Err(format!("a healthy disk, and the store can't be opened: {problem}")),
            }
            self.clock.now = self.clock.now + Nanos::from_millis(100);
        }
        Err(format!("after {OPENINGS_MAX} attempts the store isn't open"))
    }

    /// A server goes on from what was found; all of it is looked at.
    fn go_on(
        &mut self,
        records: Records,
        snapshot: Snapshot,
        lost_power: bool,
        untold: &[Event],
        survivor: Option<&(u64, Scheduler)>,
    ) -> Agreed<Resumed> {
        let (tried, confirmed, now) = (self.history.newest().0, self.history.confirmed(), self.clock.now);
        let may_lose = lost_power && self.durability == Durability::Relaxed;
        let found = self.history.found(&sorted(snapshot.clone()), may_lose)?;
        let names = [
            (found > self.ledger.told, "commits found that nobody was told of"),
            (tried > confirmed && found == confirmed, "commits lost that nobody was told of"),
            (found < confirmed, "relaxed commits lost with the power"),
        ];
        names.iter().filter(|(is_met, _)| *is_met).for_each(|(_, name)| self.counts.note(name));
        self.tell(|| format!("a start with commit {found}; {confirmed} was confirmed, {tried} tried"));

        let refusals = self.disk.refusals();
        if let Err(problem) = self.history.newest().1.check_details(&records) {
            return if self.disk.refusals() > refusals { Ok(Resumed::DiskFailed) } else { Err(problem) };
        }
        self.history.take_pools_as_of(now);
        let mut scheduler = Scheduler::restore(self.config.clone(), now, snapshot.clone())?;
        scheduler.keep_events();
        scheduler.check_invariants(now);
        let books = &self.history.newest().1;
        agree::check(&scheduler, books, self.clock)?;
        let events = scheduler.take_events();
        let Some(Happened::Started(standing)) = events.first().map(|event| &event.what) else {
            return Err(format!("a start begins with {events:?}"));
        };
        agree::check_standing(standing, books, self.clock)?;
        let survivor = survivor.filter(|(held, _)| *held == found && !self.clock.was_set_back);
        if let Some((_, survivor)) = survivor {
            agree::check_survivor(&scheduler, survivor, now)?;
        }
        if found < self.ledger.told && may_lose {
            std::mem::take(&mut self.witness).judge()?;
            self.ledger.forget();
        } else {
            self.ledger.check(&scheduler, found, books, self.clock)?;
            // Which level an operator has set in the moment of a crash can't be told from what follows.
            let is_adjusted = untold.iter().any(|event| matches!(event.what, Happened::BudgetAdjusted(_)));
            if found > self.ledger.told && is_adjusted {
                self.witness.hear(untold.to_vec());
            }
        }
        if self.clock.was_set_back && self.witness.has_heard() {
            // A log doesn't tell how far a clock had gone before, nor that a level is taken as of a later start once more.
            std::mem::take(&mut self.witness).judge()?;
        }
        self.ledger.stands(found, books);
        self.witness.hear(events);
        agree::check_twin(snapshot, books, &self.config, now)?;
        self.live = Some(Live::new(scheduler, records));
        Ok(Resumed::Yes)
    }
}

/// Whether a server goes on.
enum Resumed {
    Yes,
    /// The disk has failed meanwhile.
    DiskFailed,
}
