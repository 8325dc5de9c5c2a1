//! One copy of what many jobs have in common: names of queues and types, and sets of bindings.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::scheduler::job::{Binding, Name};

/// Shares equal values while a store is loaded, so that a million jobs of one queue keep one name.
#[derive(Debug, Default)]
pub(super) struct Interner {
    names: Shared<str>,
    bindings: Shared<[Binding]>,
}

impl Interner {
    pub(super) fn name(&mut self, name: &str) -> Name {
        self.names.share(name)
    }

    pub(super) fn bindings(&mut self, bindings: &[Binding]) -> Arc<[Binding]> {
        self.bindings.share(bindings)
    }
}

#[derive(Debug)]
struct Shared<T: ?Sized>(BTreeSet<Arc<T>>);

impl<T: ?Sized> Default for Shared<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: ?Sized + Ord> Shared<T> {
    fn share<'a>(&mut self, value: &'a T) -> Arc<T>
    where
        Arc<T>: Borrow<T> + From<&'a T>,
    {
        if let Some(shared) = self.0.get(value) {
            return Arc::clone(shared);
        }
        let shared = Arc::from(value);
        self.0.insert(Arc::clone(&shared));
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::{BudgetId, Tokens};

    #[test]
    fn equal_values_are_one() {
        let mut interner = Interner::default();
        let mail = interner.name("mail");
        assert!(Arc::ptr_eq(&mail, &interner.name(&String::from("mail"))));
        assert_eq!(&*interner.name("mails"), "mails");

        let one = [Binding { budget: BudgetId(1), cost: Tokens(1) }];
        let two = [Binding { budget: BudgetId(1), cost: Tokens(2) }];
        let shared = interner.bindings(&one);
        assert!(Arc::ptr_eq(&shared, &interner.bindings(&one.clone())));
        assert_eq!(*interner.bindings(&two), two);
        assert!(interner.bindings(&[]).is_empty());
    }
}
