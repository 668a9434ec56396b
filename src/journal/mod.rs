//! The append-only record of a run, and its fold into a state.
//!
//! `journal.jsonl` holds one committed record a line, chained by SHA-256. The types on disk
//! ([`record`]) are separate from the folded ones ([`state`]) and versioned. Everything a report
//! says comes from this file and from `samples.csv` beside it.

pub mod record;
pub mod state;

pub use record::Record;
pub use state::RunState;

/// File name of the journal in a run folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";
/// File name of the per-second samples in a run folder.
pub const SAMPLES_FILE: &str = "samples.csv";
