//! How a driver ends, and what stops it on the way.

use crate::drive::Failure;
use crate::run::machine::Outcome;

/// How a driver ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The run is closed.
    Closed(Outcome),
    /// It was stopped and can be resumed.
    Interrupted {
        /// By what.
        cause: String,
    },
    /// The drive failed; the run can be resumed once it is back.
    Failed {
        /// One sentence that says what, where and what to do.
        cause: String,
    },
}

/// Why a driver cannot go on at all.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The drive's threads ended by themselves.
    #[error("the drive's thread ended without a reason; the journal is sound, resume the run")]
    DriveGone,
    /// A replayed simulated drive gave something else than the journal holds.
    #[error(
        "the simulated drive does not repeat record {record} ({kind}): this is another version \
         of the profile or of ptse, resume with the one that began the run"
    )]
    Replay {
        /// Line number.
        record: u64,
        /// Kind of the record.
        kind: &'static str,
    },
}

/// What ends the loop before the plan is done.
#[derive(Debug)]
pub(super) enum Halt {
    /// Somebody asked for it.
    Stop(String),
    /// The drive cannot go on.
    Failure(Failure),
    /// A record could not be written.
    DiskFull(std::io::Error),
    /// Nothing can be recorded any more.
    Error(DriverError),
}
