//! What the kernel passes on to a drive in one request.

use serde::{Deserialize, Serialize};

/// The longest request that goes to the drive whole; the kernel splits what is longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsRecord {
    /// Bytes of it.
    pub transfer_bytes_max: u64,
    /// Pieces of memory that it may lie in; `null` where the system does not tell.
    pub segments_max: Option<u64>,
}
