//! What the engine reports upwards. The drive passes it on in its own words.

use super::signal::Fault;
use crate::stats::{Flow, Tally};
use crate::stimulus::arrivals::ArrivalCounts;
use crate::stimulus::{CellKey, Issued};
use crate::units::Nanos;

/// A report of the engine. Every `at` is on its clock.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A part of a cell's time has passed.
    Tick(Box<Tick>),
    /// A cell has run its time or its amount.
    Cell(Box<Outcome>),
    /// All cells of the running programme are done.
    ProgrammeDone {
        /// When.
        at: Nanos,
    },
    /// Nothing runs, nothing is queued, nothing is outstanding.
    Stopped {
        /// When.
        at: Nanos,
    },
    /// The run cannot go on.
    Failed(Fault),
}

/// A second of a cell's clock, the shorter last part of it, or a hand-over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    /// The cell; in a hand-over the one that follows it.
    pub key: CellKey,
    /// Whether these I/Os count for no cell.
    pub is_hand_over: bool,
    /// End of the part.
    pub at: Nanos,
    /// Its length.
    pub span: Nanos,
    /// Reads completed in it.
    pub read: Tally,
    /// Writes completed in it.
    pub write: Tally,
}

/// What a cell returned.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The cell.
    pub key: CellKey,
    /// Start of its clock.
    pub started: Nanos,
    /// Time on its clock.
    pub elapsed: Nanos,
    /// Reads that count for it.
    pub read: Flow,
    /// Writes that count for it.
    pub write: Flow,
    /// Time without any outstanding I/O before it; `None` where no cell before it is known.
    pub idle_gap: Option<Nanos>,
    /// Time in which I/Os of the cell before were outstanding beside its own.
    pub overlap: Nanos,
    /// I/Os that completed in the hand-over and count for no cell.
    pub ios_uncounted: u64,
    /// I/Os issued for it.
    pub issued: Issued,
    /// What became of the arrivals; `None` in a closed loop and where an amount ends the cell.
    pub arrivals: Option<ArrivalCounts>,
    /// How busy its workers were, in the order of their numbers.
    pub workers: Vec<WorkerLoad>,
    /// Why the host may have been the limit.
    pub host_limited: Option<String>,
}

/// How busy a worker's thread was on a cell's clock, in thousandths of that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerLoad {
    /// Time on a CPU.
    pub cpu_permille: u32,
    /// Time in which it could have run and got no CPU; `None` where the kernel does not tell.
    pub waiting_permille: Option<u32>,
    /// Times that its CPU was taken away.
    pub preempted: u64,
}
