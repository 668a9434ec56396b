//! The I/O that ended a run.

use serde::{Deserialize, Serialize};

/// An I/O that failed. It has no response time and stands in no count of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedIo {
    /// What happened to it.
    pub kind: FailedKind,
    /// `read` or `write`.
    pub direction: String,
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes asked for.
    pub length_bytes: u64,
    /// First logical block, or the one that failed where that is known.
    pub lba: u64,
    /// The system's error number; `null` for a short transfer.
    pub errno: Option<i32>,
    /// When it was seen, on the drive's clock.
    pub at_ns: u64,
}

/// Ways in which an I/O fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailedKind {
    /// It ended with an error.
    Error,
    /// It ended well and transferred too little.
    ShortTransfer,
    /// The system gave it up.
    TimeOut,
    /// A read returned other data than was written.
    WrongData,
}
