//! One copy of each distinct value that many rows share, under a number that takes less room than a pointer.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::slots::Slots;

/// A table of shared values that forgets a value with its last user.
#[derive(Debug)]
pub struct Interner<T: Ord> {
    values: Slots<Shared<T>>,
    numbers: BTreeMap<Arc<T>, u32>,
}

#[derive(Debug)]
struct Shared<T> {
    value: Arc<T>,
    users: u32,
}

impl<T: Ord> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Slots::default(), numbers: BTreeMap::new() }
    }
}

impl<T: Ord> Interner<T> {
    /// The number of `value`, for one user more.
    pub fn share(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            self.values.get_mut(*number).users += 1;
            return *number;
        }
        let value = Arc::new(value);
        let number = self.values.insert(Shared { value: Arc::clone(&value), users: 1 });
        self.numbers.insert(value, number);
        number
    }

    /// Gives back a number that [`Interner::share`] returned.
    pub fn release(&mut self, number: u32) {
        let shared = self.values.get_mut(number);
        shared.users -= 1;
        if shared.users == 0 {
            let Shared { value, .. } = self.values.remove(number);
            self.numbers.remove(&value);
        }
    }

    /// The value of a number in use.
    pub fn get(&self, number: u32) -> &T {
        &self.values.get(number).value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shared_and_forgotten_with_its_last_user() {
        let mut types = Interner::default();
        let (first, other, second) = (types.share("mail"), types.share("print"), types.share("mail"));
        assert_eq!(first, second);
        assert_eq!((*types.get(first), *types.get(other)), ("mail", "print"));
        types.release(first);
        assert_eq!(*types.get(second), "mail");
        types.release(second);
        types.release(other);
        assert_eq!((types.values.len(), types.numbers.len()), (0, 0));
    }
}
