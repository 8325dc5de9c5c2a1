//! What both tests that play random commands draw alike: names out of a few, so that all collide.

use rand::RngExt;
use rand::rngs::SmallRng;
use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::policy::ReserveAfter;
use sluicegate::scheduler::units::Nanos;

pub fn named(prefix: &str, number: u32) -> Name {
    format!("{prefix}{number}").into()
}

pub fn queue(rng: &mut SmallRng) -> Name {
    named("q", rng.random_range(0..3))
}

pub fn reserve_after(rng: &mut SmallRng, span: impl FnOnce(&mut SmallRng) -> Nanos) -> ReserveAfter {
    match rng.random_range(0..4) {
        0 => ReserveAfter::After(Nanos::ZERO),
        1 => ReserveAfter::After(span(rng)),
        2 => ReserveAfter::Never,
        _ => ReserveAfter::Default,
    }
}
