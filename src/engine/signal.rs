//! What workers tell the conductor: seconds, hand-overs, final counts, faults.

use super::meter::Load;
use crate::stats::{Flow, Tally};
use crate::stimulus::Issued;
use crate::stimulus::addresses::Io;
use crate::stimulus::arrivals::ArrivalCounts;
use crate::units::Nanos;

/// A message from a worker.
#[derive(Debug)]
pub(super) enum Signal {
    /// A second of a cell's clock has ended for this worker.
    Second {
        /// Number of the stage.
        stage: u64,
        /// Number of the worker.
        worker: u32,
        /// The second with counts; those between it and `passed` had none.
        second: Second,
        /// Every second with an index below this one has ended for this worker.
        passed: u64,
    },
    /// The hand-over into a cell has ended for this worker.
    HandOver {
        /// Number of the stage.
        stage: u64,
        /// What completed in it.
        count: HandOverCount,
    },
    /// This worker counts nothing any more for a cell.
    Counted(Box<Counted>),
    /// The run cannot go on.
    Failed(Fault),
    /// A worker of this crew has ended.
    Exited {
        /// Number of the crew.
        crew: u64,
    },
}

/// Counts of one second of a cell's clock.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Second {
    /// From 0.
    pub(super) index: u64,
    /// Reads completed in it.
    pub(super) read: Tally,
    /// Writes completed in it.
    pub(super) write: Tally,
}

/// I/Os that completed in a hand-over.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HandOverCount {
    /// Reads.
    pub(super) read: Tally,
    /// Writes.
    pub(super) write: Tally,
}

/// All that a worker counted in a cell.
#[derive(Debug)]
pub(super) struct Counted {
    /// Number of the stage.
    pub(super) stage: u64,
    /// Number of the worker.
    pub(super) worker: u32,
    /// Whether the cell used this worker.
    pub(super) took_part: bool,
    /// Reads.
    pub(super) read: Flow,
    /// Writes.
    pub(super) write: Flow,
    /// The last second, which is contained in the flows.
    pub(super) second: Second,
    /// When its first I/O was submitted.
    pub(super) submission_first: Option<Nanos>,
    /// I/Os issued.
    pub(super) issued: Issued,
    /// What became of the arrivals, in open loop.
    pub(super) arrivals: ArrivalCounts,
    /// What its thread used and missed on the cell's clock.
    pub(super) load: Load,
}

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An I/O ended with an error or short.
    #[error("{direction} of {length} bytes at byte {offset} failed: {cause}")]
    Io {
        /// `read` or `write`.
        direction: &'static str,
        /// First byte.
        offset: u64,
        /// Bytes asked for.
        length: u64,
        /// First logical block.
        lba: u64,
        /// The system's error number; `None` for a short transfer, which is no error to it.
        errno: Option<i32>,
        /// When it was seen.
        at: Nanos,
        /// The system's words.
        cause: String,
    },
    /// A read returned other data than was written.
    #[error("LBA {lba} holds other data than was written: expected {expected}, found {found}")]
    WrongData {
        /// The logical block.
        lba: u64,
        /// What was written there last.
        expected: String,
        /// What was read.
        found: String,
        /// When it was seen.
        at: Nanos,
    },
    /// The drive stopped answering.
    #[error("no I/O completed for {waited_s} s with {outstanding} outstanding")]
    Silent {
        /// Seconds without a completion.
        waited_s: u64,
        /// I/Os in flight.
        outstanding: u32,
    },
    /// The engine could not be set up.
    #[error("{cause}")]
    Setup {
        /// Why, and what to do.
        cause: String,
    },
}

impl Fault {
    /// For an I/O that returned `result`: a negative error number, or too few bytes.
    pub(super) fn of_io(io: &Io, result: i32, logical_block: u32, at: Nanos) -> Self {
        let cause = if result < 0 {
            std::io::Error::from_raw_os_error(-result).to_string()
        } else {
            format!("short transfer, only {result} bytes were done")
        };
        Self::Io {
            direction: if io.is_read { "read" } else { "write" },
            offset: io.offset,
            length: u64::from(io.length),
            lba: io.offset / u64::from(logical_block.max(1)),
            errno: (result < 0).then_some(-result),
            at,
            cause,
        }
    }
}
