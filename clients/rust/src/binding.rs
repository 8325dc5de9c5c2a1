//! Bindings of jobs to budgets, and changes of them (semantics 3, 8).

use crate::budget::Policy;
use crate::wire::{self, binding_operation::Operation};

/// What one dispatch of a job debits from one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The budget's key.
    pub budget: String,
    /// Tokens. 1..=10^12.
    pub cost: u64,
    /// Creates the budget with this policy if it doesn't exist (semantics 3.4). Never set in answers.
    pub create_with: Option<Policy>,
}

impl Binding {
    /// A binding that costs one token.
    pub fn new(budget: impl Into<String>) -> Self {
        Self { budget: budget.into(), cost: 1, create_with: None }
    }

    /// Sets the cost, in tokens.
    pub fn cost(mut self, cost: u64) -> Self {
        self.cost = cost;
        self
    }

    /// Creates the budget with this policy if it doesn't exist.
    pub fn create_with(mut self, policy: Policy) -> Self {
        self.create_with = Some(policy);
        self
    }

    pub(crate) fn into_wire(self) -> wire::Binding {
        wire::Binding { budget: self.budget, cost: Some(self.cost), create_with: self.create_with.map(Policy::to_wire) }
    }

    pub(crate) fn from_wire(binding: wire::Binding) -> Self {
        Self { budget: binding.budget, cost: binding.cost.unwrap_or(1), create_with: None }
    }
}

pub(crate) fn bindings_into_wire(bindings: Vec<Binding>) -> Vec<wire::Binding> {
    bindings.into_iter().map(Binding::into_wire).collect()
}

/// A change of a job's bindings (semantics 8.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingOperation {
    /// Adds a binding. One job: [`Error::AlreadyBound`](crate::Error::AlreadyBound) if it is bound to the budget.
    Bind(Binding),
    /// Replaces the binding to this budget whole, or adds it.
    Rebind(Binding),
    /// Changes what a binding costs. One job: [`Error::NotBound`](crate::Error::NotBound) if it isn't bound.
    SetCost {
        /// The budget's key.
        budget: String,
        /// Tokens. 1..=10^12.
        cost: u64,
    },
    /// Takes a binding away. One job: [`Error::NotBound`](crate::Error::NotBound) if it isn't bound.
    Unbind {
        /// The budget's key.
        budget: String,
    },
    /// Takes all bindings away.
    UnbindAll,
    /// Puts these bindings in place of all there are.
    ReplaceAll(Vec<Binding>),
}

impl BindingOperation {
    pub(crate) fn into_wire(self) -> wire::BindingOperation {
        let operation = match self {
            BindingOperation::Bind(binding) => Operation::Bind(binding.into_wire()),
            BindingOperation::Rebind(binding) => Operation::Rebind(binding.into_wire()),
            BindingOperation::SetCost { budget, cost } => Operation::SetCost(wire::SetBindingCost { budget, cost }),
            BindingOperation::Unbind { budget } => Operation::Unbind(wire::Unbind { budget }),
            BindingOperation::UnbindAll => Operation::UnbindAll(wire::UnbindAll {}),
            BindingOperation::ReplaceAll(bindings) => {
                Operation::ReplaceAll(wire::ReplaceBindings { bindings: bindings_into_wire(bindings) })
            }
        };
        wire::BindingOperation { operation: Some(operation) }
    }
}

/// What a call over a selection of jobs changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// How many jobs are others now.
    pub changed: u64,
    /// Jobs that the call would have changed and couldn't, mostly since they are in flight: the first 1000 by id.
    pub blocked: Vec<String>,
    /// How many these are, those not listed included.
    pub blocked_count: u64,
}

/// Whether a call over a selection of jobs changes anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Apply {
    /// It does.
    #[default]
    Commit,
    /// It answers, or refuses, as if it did.
    ValidateOnly,
}

impl Apply {
    pub(crate) fn is_validate_only(self) -> bool {
        self == Apply::ValidateOnly
    }
}
