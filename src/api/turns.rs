//! Turns: calls that name themselves alike are answered one after the other.
//!
//! A call that is repeated while the first still waits would otherwise be a second one. Refuses to know what a call does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use crate::scheduler::job::Name;

type Turnstile = Arc<tokio::sync::Mutex<()>>;

/// Who has the turn of each name, and who waits for it, in the order in which they came. A name nobody has or waits for
/// isn't kept.
#[derive(Debug, Default)]
pub struct Turns(Mutex<HashMap<Name, Turnstile>>);

/// The place of one call: first in the line, then its turn.
pub struct Place<'a> {
    turns: &'a Turns,
    name: Name,
    turnstile: Option<Turnstile>,
    /// Holds the turnstile too.
    turn: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    /// The last place in the line for `name`.
    pub fn line_up(&self, name: Name) -> Place<'_> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let turnstile = Arc::clone(names.entry(Name::clone(&name)).or_default());
        Place { turns: self, name, turnstile: Some(turnstile), turn: None }
    }
}

impl Place<'_> {
    /// Waits for the turn, which lasts as long as the place.
    pub async fn turn(&mut self) {
        if let Some(turnstile) = &self.turnstile {
            self.turn = Some(Arc::clone(turnstile).lock_owned().await);
            self.turnstile = None;
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut names = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.turn = None;
        self.turnstile = None;
        // Places are made and dropped under this mutex, so a turnstile that only the map has is nobody's.
        if names.get(&self.name).is_some_and(|turnstile| Arc::strong_count(turnstile) == 1) {
            names.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn name() -> Name {
        Name::from("r")
    }

    #[tokio::test]
    async fn one_after_the_other() {
        let turns = Turns::default();
        let mut first = turns.line_up(name());
        let mut second = turns.line_up(name());
        let mut other = turns.line_up(Name::from("s"));
        first.turn().await;
        other.turn().await;
        let mut waiting = Box::pin(second.turn());
        assert!((&mut waiting).now_or_never().is_none(), "the first has it");
        drop(first);
        waiting.await;
    }

    #[tokio::test]
    async fn a_name_that_nobody_has_is_forgotten() {
        let turns = Turns::default();
        let mut first = turns.line_up(name());
        first.turn().await;
        let mut second = turns.line_up(name());
        assert!(second.turn().now_or_never().is_none());
        drop(first);
        assert_eq!(turns.0.lock().unwrap().len(), 1, "the second is in the line");
        drop(second);
        assert!(turns.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn whoever_gives_up_holds_nobody_up() {
        let turns = Turns::default();
        let mut first = turns.line_up(name());
        first.turn().await;
        let mut second = turns.line_up(name());
        assert!(second.turn().now_or_never().is_none());
        let mut third = turns.line_up(name());
        drop(second);
        drop(first);
        assert!(third.turn().now_or_never().is_some());
    }
}
