//! What the record of a cell says beside its counts: its demand, and how busy the host was.

use serde::{Deserialize, Serialize};

/// What became of the I/Os that an open loop asked for in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivalsRecord {
    /// I/Os whose intended start lies on the cell's clock.
    pub asked: u64,
    /// I/Os that were due before the cell ended and that no slot was free for. They have no
    /// response time, so no latency figure of the cell holds them.
    pub not_issued: u64,
}

/// How busy a worker's thread was in a cell, in thousandths of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerRecord {
    /// Time on a CPU.
    pub cpu_permille: u32,
    /// Time in which it could have run and got no CPU; `null` where the kernel does not tell.
    pub waiting_permille: Option<u32>,
    /// Times that its CPU was taken away.
    pub preempted: u64,
}

/// Pages programmed inside a simulated drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlashRecord {
    /// For the host.
    pub host_pages: u64,
    /// By garbage collection.
    pub moved_pages: u64,
    /// All.
    pub programmed_pages: u64,
}
