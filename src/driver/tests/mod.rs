//! The driver over a store in memory that stops, fails and resumes on a word.

mod commits;
mod lifecycle;
mod recovery;
mod sessions;
mod support;
mod telling;
