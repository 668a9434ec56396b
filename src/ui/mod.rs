//! What a person sees while a run goes on.
//!
//! A watcher is told the very entries that go to disk, and folds them like any other reader; it
//! never sees a drive and cannot disturb one.

pub mod pace;
pub mod phrases;
pub mod terminal;
