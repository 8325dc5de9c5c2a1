//! A crash test's parts: what was acknowledged and dispatched ([`ledger`]), who asks for it ([`load`]), when the server dies
//! ([`trigger`]), whether it still knows it all afterwards ([`audit`]), and what a rate's level must be ([`level`]).

pub mod audit;
pub mod ledger;
pub mod level;
pub mod load;
pub mod trigger;
