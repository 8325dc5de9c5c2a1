//! The wire's values as the scheduler's, and back.
//!
//! Checks what only the wire can get wrong: what is missing, unset or unknown, and counts. Bounds of values are the
//! scheduler's business. Nothing here keeps a reference to a decode buffer.

pub mod budget;
pub mod explain;
pub mod filter;
pub mod job;
pub mod job_patch;
pub mod job_wire;
pub mod lease;
pub mod patch;
pub mod session;
pub mod time;

use std::fmt;

use crate::scheduler::Rejection;
use crate::scheduler::job::Name;

/// Where a value stands in its request, as its caller wrote it: `jobs[3].bindings[0].cost`. Costs nothing until it is
/// shown.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// The request itself.
    Root,
    /// A field of a message.
    Field(&'a At<'a>, &'static str),
    /// An entry of a repeated field.
    Item(&'a At<'a>, &'static str, usize),
}

impl At<'_> {
    /// A field of this message.
    pub fn field(&self, name: &'static str) -> At<'_> {
        At::Field(self, name)
    }

    /// An entry of a repeated field of this message.
    pub fn item(&self, name: &'static str, index: usize) -> At<'_> {
        At::Item(self, name, index)
    }

    /// What is wrong with the value here.
    pub fn invalid(&self, problem: impl Into<String>) -> Invalid {
        Invalid { field: self.to_string(), problem: problem.into() }
    }

    /// Nothing is here, and something must be.
    pub fn required(&self) -> Invalid {
        self.invalid("is required")
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parent, name) = match self {
            At::Root => return Ok(()),
            At::Field(parent, name) | At::Item(parent, name, _) => (parent, name),
        };
        parent.fmt(f)?;
        if !matches!(parent, At::Root) {
            f.write_str(".")?;
        }
        f.write_str(name)?;
        match self {
            At::Item(_, _, index) => write!(f, "[{index}]"),
            At::Root | At::Field(..) => Ok(()),
        }
    }
}

/// A value that can't be taken: which, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Its path, as the caller wrote it.
    pub field: String,
    /// What is wrong with which value, and what would be right.
    pub problem: String,
}

impl From<Invalid> for Rejection {
    fn from(invalid: Invalid) -> Self {
        Self::invalid(invalid.field, invalid.problem)
    }
}

/// A required name; what it may be made of is for the scheduler to say.
pub fn name(at: &At<'_>, text: String) -> Result<Name, Invalid> {
    if text.is_empty() {
        return Err(at.required());
    }
    Ok(Name::from(text))
}

/// Names, as they were written.
pub fn names(texts: Vec<String>) -> Vec<Name> {
    texts.into_iter().map(Name::from).collect()
}

/// A required message.
pub fn required<T>(at: &At<'_>, value: Option<T>) -> Result<T, Invalid> {
    value.ok_or_else(|| at.required())
}

/// How many entries a list has: at least one, at most `max`.
pub fn count(at: &At<'_>, len: usize, max: usize) -> Result<(), Invalid> {
    if len == 0 {
        return Err(at.invalid("is empty; at least one is required"));
    }
    at_most(at, len, max)
}

/// How many entries a list has: at most `max`.
pub fn at_most(at: &At<'_>, len: usize, max: usize) -> Result<(), Invalid> {
    if len > max {
        return Err(at.invalid(format!("has {len} entries; at most {max} are taken")));
    }
    Ok(())
}

/// How many items a page may have. 0 means 100.
pub fn page_size(at: &At<'_>, asked: u32) -> Result<usize, Invalid> {
    const DEFAULT: usize = 100;
    const MAX: usize = 1000;
    match asked as usize {
        0 => Ok(DEFAULT),
        size if size <= MAX => Ok(size),
        size => Err(at.invalid(format!("is {size}; 0..={MAX} is taken, 0 means {DEFAULT}"))),
    }
}

/// A `request_id`; empty means none.
pub fn request_id(at: &At<'_>, text: String) -> Result<Option<Name>, Invalid> {
    const BYTES_MAX: usize = 128;
    match text.len() {
        0 => Ok(None),
        len if len <= BYTES_MAX => Ok(Some(Name::from(text))),
        len => Err(at.invalid(format!("has {len} bytes; 1..={BYTES_MAX} are taken"))),
    }
}

/// An etag that must match; empty means any.
pub fn etag(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// At most `bytes_max` bytes of `text`, cut at a character: for echoes of what a caller wrote without bounds.
pub fn cut(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let end = (0..=bytes_max).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_the_caller_wrote_them() {
        let job = At::Root.item("jobs", 3);
        let binding = job.item("bindings", 0);
        assert_eq!(binding.field("cost").to_string(), "jobs[3].bindings[0].cost");
        assert_eq!(At::Root.field("policy").to_string(), "policy");
        assert_eq!(At::Root.to_string(), "");
    }

    #[test]
    fn pages_are_bounded() {
        let at = At::Root.field("page_size");
        assert_eq!(page_size(&at, 0), Ok(100));
        assert_eq!(page_size(&at, 1), Ok(1));
        assert_eq!(page_size(&at, 1000), Ok(1000));
        assert_eq!(page_size(&at, 1001).unwrap_err().field, "page_size");
        assert!(page_size(&at, u32::MAX).is_err());
    }

    #[test]
    fn request_ids_are_bounded() {
        let at = At::Root.field("request_id");
        assert_eq!(request_id(&at, String::new()), Ok(None));
        assert_eq!(request_id(&at, "x".repeat(128)), Ok(Some(Name::from("x".repeat(128)))));
        assert!(request_id(&at, "x".repeat(129)).is_err());
    }

    #[test]
    fn counts_name_the_list() {
        let at = At::Root.field("outcomes");
        assert_eq!(count(&at, 0, 3).unwrap_err().field, "outcomes");
        assert_eq!(count(&at, 1, 3), Ok(()));
        assert_eq!(count(&at, 3, 3), Ok(()));
        assert!(count(&at, 4, 3).is_err());
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("é", 1), "");
        assert_eq!(cut("", 0), "");
    }
}
