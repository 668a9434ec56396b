//! The append-only record of a run, and its fold into a state.
//!
//! `journal.jsonl` holds one committed record a line, chained by SHA-256. The types on disk
//! ([`record`]) are separate from the folded ones ([`state`]) and versioned. Everything a report
//! says comes from this file and from `samples.csv` beside it. [`Entry`] is what a run produces:
//! the recorder writes entries to disk, and a terminal or a web page is told the very same ones.

pub mod chain;
pub mod fold;
pub mod histograms;
pub mod judge;
pub mod read;
pub mod record;
pub mod recorder;
pub mod samples;
mod samples_file;
pub mod state;

pub use record::{Line, Record};
pub use samples::SampleRow;
pub use state::RunState;

/// File name of the journal in a run folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";
/// File name of the per-second samples in a run folder.
pub const SAMPLES_FILE: &str = "samples.csv";
/// File name of the space held back for the last record on a full disk.
pub const RESERVE_FILE: &str = ".reserve";

/// One thing a run produced, in the form in which it goes to disk.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A record with its number (line of the journal, from 1).
    Record {
        /// Line number.
        number: u64,
        /// The line.
        line: Box<Line>,
    },
    /// A row of the samples.
    Sample(SampleRow),
}
