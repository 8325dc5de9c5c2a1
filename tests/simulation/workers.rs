//! Simulated workers: they confirm, extend, settle with what was used, drop their streams, come back with what they hold,
//! forget all of it, or fall silent. They know what they were told and nothing else.

use rand::RngExt;
use rand::rngs::SmallRng;
use sluicegate::scheduler::command::{Ended, OpenSession, Outcome, SessionMode, Unsettled, Verdict, Window};
use sluicegate::scheduler::effect::RevokeReason;
use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::units::{LeaseId, Nanos, SessionId, Timestamp, Tokens};
use sluicegate::scheduler::{Command, Reply};

use super::clients::span;
use super::counts::Counts;
use super::draws::queue;
use super::ledger::Ledger;
use super::sim::Agreed;

/// Ended leases that a worker may still speak of.
const PAST_MAX: usize = 10;

/// One worker.
#[derive(Debug)]
pub struct Worker {
    name: Name,
    /// Its stream or waiting call, while it has one.
    pub session: Option<SessionId>,
    is_once: bool,
    /// What it was pushed and works on, as far as it knows.
    pub held: Vec<LeaseId>,
    past: Vec<LeaseId>,
    is_silent: bool,
    /// It takes all that comes, and everything it does succeeds.
    is_well: bool,
}

impl Worker {
    pub fn new(name: Name, is_well: bool) -> Self {
        Self { name, session: None, is_once: false, held: Vec::new(), past: Vec::new(), is_silent: false, is_well }
    }

    /// What it does next, if anything; `session` is a number that was never used.
    pub fn act(&mut self, rng: &mut SmallRng, now: Timestamp, ledger: &Ledger, session: SessionId) -> Option<Command> {
        if self.is_well {
            return self.act_well(session);
        }
        if rng.random_bool(0.03) {
            self.is_silent = !self.is_silent;
        }
        if self.is_silent {
            return None;
        }
        let Some(open) = self.session else { return Some(self.hello(rng, now, session)) };
        Some(match rng.random_range(0..100) {
            0..60 => self.settle(rng, ledger)?,
            60..70 => Command::Received { leases: self.some_held(rng) },
            70..80 => Command::Extend { leases: self.some_held(rng) },
            80..85 => Command::SetWindow { session: open, window: window(rng) },
            85..88 => Command::Leave { session: open },
            88..91 => {
                // Its process dies.
                self.past.append(&mut self.held);
                Command::CloseSession { session: open }
            }
            91..95 => self.hello(rng, now, session),
            _ => Command::CloseSession { session: open },
        })
    }

    fn act_well(&mut self, session: SessionId) -> Option<Command> {
        if self.session.is_none() {
            let mode = SessionMode::Stream { confirms_receipt: true, held: Some(self.held.clone()) };
            let queues = (0..3).map(|number| format!("q{number}").into()).collect();
            return Some(self.open(session, queues, Window { jobs: 100, bytes: 1 << 30 }, mode));
        }
        let success = |lease: &LeaseId| Outcome {
            lease: *lease,
            verdict: Verdict::Success { result: None },
            usage: Vec::new(),
            throttled: Vec::new(),
        };
        let outcomes: Vec<Outcome> = self.held.iter().map(success).collect();
        (!outcomes.is_empty()).then_some(Command::Settle { from: self.session, outcomes })
    }

    fn hello(&mut self, rng: &mut SmallRng, now: Timestamp, session: SessionId) -> Command {
        let mut queues: Vec<Name> = (0..3).map(|_| queue(rng)).collect();
        queues.sort();
        queues.dedup();
        let mode = if rng.random_bool(0.85) {
            let held = rng.random_bool(0.7).then(|| self.held.clone());
            SessionMode::Stream { confirms_receipt: rng.random_bool(0.6), held }
        } else {
            SessionMode::Once { until: now + span(rng), request: rng.random_bool(0.3).then(|| Name::clone(&self.name)) }
        };
        let window = window(rng);
        self.open(session, queues, window, mode)
    }

    fn open(&mut self, session: SessionId, queues: Vec<Name>, window: Window, mode: SessionMode) -> Command {
        self.is_once = matches!(mode, SessionMode::Once { .. });
        Command::OpenSession(OpenSession {
            session,
            worker: Name::clone(&self.name),
            queues,
            window,
            lease: Nanos::from_secs(1 + session.0 % 6),
            body_bytes_max: 4 << 20,
            mode,
        })
    }

    fn some_held(&self, rng: &mut SmallRng) -> Vec<LeaseId> {
        self.held.iter().copied().filter(|_| rng.random_bool(0.7)).collect()
    }

    fn settle(&mut self, rng: &mut SmallRng, ledger: &Ledger) -> Option<Command> {
        let mut leases = self.some_held(rng);
        leases.truncate(3);
        if rng.random_bool(0.1) {
            leases.extend(self.past.last());
        }
        let from = self.session.filter(|_| rng.random_bool(0.8));
        let outcomes: Vec<Outcome> = leases.into_iter().map(|lease| outcome(rng, ledger, lease)).collect();
        (!outcomes.is_empty()).then_some(Command::Settle { from, outcomes })
    }

    /// It was pushed these.
    pub fn pushed(&mut self, leases: &[LeaseId]) {
        self.held.extend(leases.iter().filter(|lease| !self.held.contains(lease)).copied().collect::<Vec<_>>());
        if self.is_once {
            self.session = None;
        }
    }

    /// It was told that these have ended, or should.
    pub fn revoked(&mut self, leases: &[LeaseId], reason: RevokeReason) {
        if reason != RevokeReason::Cancelled {
            leases.iter().for_each(|lease| self.is_over(*lease));
        }
    }

    fn is_over(&mut self, lease: LeaseId) {
        self.held.retain(|held| *held != lease);
        self.past.push(lease);
        let excess = self.past.len().saturating_sub(PAST_MAX);
        self.past.drain(..excess);
    }

    /// Its command was done.
    ///
    /// # Errors
    /// It hears that a lease is over of which nobody has told that it ended.
    pub fn answered(&mut self, command: &Command, reply: &Reply, ledger: &Ledger, counts: &mut Counts) -> Agreed<()> {
        match (command, reply) {
            (Command::OpenSession(open), Reply::Opened { resumed, lost }) => {
                self.session = Some(open.session);
                counts.note("streams opened");
                counts.add("leases taken over", resumed.len() as u64);
                if let Some(lease) = lost.iter().find(|lease| ledger.live.contains_key(lease)) {
                    return Err(format!("{} still has lease {lease}, and is told that it isn't live", self.name));
                }
                lost.iter().for_each(|lease| self.is_over(*lease));
            }
            (_, Reply::Settled(settled)) => {
                for one in settled {
                    match &one.status {
                        Ok(_) => counts.note("settled"),
                        Err(Unsettled::NotLive(ended)) => {
                            counts.note("settled too late");
                            if *ended != Ended::AlreadySettled && ledger.live.contains_key(&one.lease) {
                                return Err(format!("lease {} is live and can't be settled: {ended:?}", one.lease));
                            }
                        }
                        Err(Unsettled::NotBound { .. } | Unsettled::Invalid { .. }) => continue,
                    }
                    self.is_over(one.lease);
                }
            }
            (_, Reply::Extended(extended)) => {
                counts.add("leases extended", extended.iter().filter(|one| one.status.is_ok()).count() as u64);
            }
            (Command::Leave { .. }, _) => {
                counts.note("workers that said goodbye");
                self.session = None;
                self.past.append(&mut self.held);
            }
            (Command::CloseSession { .. }, _) => {
                counts.note(if self.held.is_empty() { "workers that forgot all" } else { "streams dropped" });
                self.session = None;
            }
            _ => {}
        }
        Ok(())
    }
}

fn window(rng: &mut SmallRng) -> Window {
    Window { jobs: [0, 1, 2, 3, 5, 10][rng.random_range(0..6)], bytes: [5000, 1 << 20][rng.random_range(0..2)] }
}

/// With reports of uses around what was debited.
fn outcome(rng: &mut SmallRng, ledger: &Ledger, lease: LeaseId) -> Outcome {
    let debits = ledger.live.get(&lease).map(|granted| granted.debits.clone()).unwrap_or_default();
    let (mut usage, mut throttled) = (Vec::new(), Vec::new());
    for (budget, cost) in debits {
        if rng.random_bool(0.4) {
            usage.push((Name::clone(&budget), Tokens(rng.random_range(0..=cost.0 + 2))));
        }
        if rng.random_bool(0.08) {
            throttled.push((budget, span(rng)));
        }
    }
    let verdict = match rng.random_range(0..10) {
        0..5 => Verdict::Success { result: rng.random_bool(0.5).then(|| vec![7; rng.random_range(0..200)].into()) },
        5..7 => Verdict::Failure {
            error: "it failed".into(),
            retry_after: rng.random_bool(0.3).then(|| span(rng)),
            discard: rng.random_bool(0.15),
        },
        _ => Verdict::Release { delay: if rng.random() { Nanos::ZERO } else { span(rng) } },
    };
    Outcome { lease, verdict, usage, throttled }
}
