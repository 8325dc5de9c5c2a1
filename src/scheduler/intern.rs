//! One copy of each distinct value that many jobs share.

use std::collections::BTreeSet;
use std::sync::Arc;

/// A set of shared values that forgets a value with its last user.
#[derive(Debug)]
pub struct Interner<T: ?Sized + Ord>(BTreeSet<Arc<T>>);

impl<T: ?Sized + Ord> Default for Interner<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: ?Sized + Ord> Interner<T> {
    /// The shared copy of `value`.
    pub fn share(&mut self, value: Arc<T>) -> Arc<T> {
        if let Some(shared) = self.0.get(&*value) {
            return Arc::clone(shared);
        }
        self.0.insert(Arc::clone(&value));
        value
    }

    /// Gives back a copy that [`Interner::share`] returned.
    pub fn release(&mut self, shared: Arc<T>) {
        const SET_AND_CALLER: usize = 2;
        if Arc::strong_count(&shared) == SET_AND_CALLER {
            self.0.remove(&*shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shared_and_forgotten_with_its_last_user() {
        let mut types = Interner::<str>::default();
        let first = types.share(Arc::from("mail"));
        let second = types.share(Arc::from("mail"));
        assert!(Arc::ptr_eq(&first, &second));
        drop(first);
        types.release(second);
        assert!(types.0.is_empty());
    }
}
