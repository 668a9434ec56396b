//! The one seam: everything above [`Drive`] cannot tell a real drive from the simulated one.
//!
//! A drive runs on threads of its own. Commands go in by a channel, events come out by another,
//! and the drive's own clock is the only clock: it starts at 0 when the drive is opened, and runs
//! in real time on a real drive and as fast as the machine allows on a simulated one.
//!
//! Conversation: [`Command::Run`] hands over a programme; while one runs, the next is queued
//! behind it. Each cell gives [`Event::Tick`]s and one [`Event::CellDone`]; the last cell of a
//! programme is followed by [`Event::ProgrammeDone`], which must be answered with
//! [`Command::Proceed`] or [`Command::Cancel`]. A real drive goes on with the queued programme
//! without waiting for the answer, so that the stimulus does not stop; a simulated one holds its
//! virtual clock still until the answer is there, so that a run is the same on every machine.
//! When nothing is queued, or after a cancel, outstanding I/Os complete and [`Event::Stopped`]
//! follows.

mod ata;
pub mod block;
pub mod cache;
mod capabilities;
pub mod facts;
pub mod file;
pub mod guard;
pub mod health;
pub mod host;
pub mod identity;
pub mod local;
mod method;
mod nvme;
mod purge;
mod scsi;
pub mod survey;
pub mod sysfs;
pub mod target;

use std::fmt;
use std::sync::mpsc;

use chrono::{DateTime, FixedOffset};
use tokio::sync::mpsc as events;

pub use crate::engine::WorkerLoad;
use crate::stats::{Flow, Tally};
use crate::stimulus::arrivals::ArrivalCounts;
use crate::stimulus::{CellKey, Geometry, Issued, Programme};
use crate::units::Nanos;
pub use cache::{CacheDemand, CacheLook};
pub use health::Health;
pub use identity::{DriveKind, Host, Identity, TransferLimits, WriteCache};
pub use method::PurgeMethod;

/// Events that may wait for the reader before the drive's threads wait for it.
pub const EVENT_QUEUE: usize = 4096;

/// A drive under test, real or simulated.
pub trait Drive: Send + fmt::Debug {
    /// Who it is.
    fn identity(&self) -> &Identity;
    /// Its size and its smallest block.
    fn geometry(&self) -> Geometry {
        let identity = self.identity();
        Geometry {
            capacity: identity.capacity,
            logical_block: identity.logical_block,
        }
    }
    /// What it is connected to.
    fn host(&self) -> &Host;
    /// Whose time goes into the journal.
    fn calendar(&self) -> Calendar;
    /// The two channels of the conversation.
    fn link(&mut self) -> &mut Link;
}

/// Where dates come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calendar {
    /// The wall clock of this machine.
    Wall,
    /// The simulated date at which the drive's clock was 0.
    Virtual {
        /// That date.
        start: DateTime<FixedOffset>,
    },
}

/// The ends of the two channels that the driver holds.
#[derive(Debug)]
pub struct Link {
    commands: mpsc::Sender<Command>,
    events: events::Receiver<Event>,
}

/// The ends of the two channels that a drive's thread holds.
#[derive(Debug)]
pub struct LinkEnd {
    /// What the driver asks for.
    pub commands: mpsc::Receiver<Command>,
    /// What the drive reports.
    pub events: events::Sender<Event>,
}

impl Link {
    /// A connected pair.
    pub fn new() -> (Self, LinkEnd) {
        let (commands, command_end) = mpsc::channel();
        let (event_end, events) = events::channel(EVENT_QUEUE);
        (
            Self { commands, events },
            LinkEnd {
                commands: command_end,
                events: event_end,
            },
        )
    }

    /// Sends a command. A drive whose thread has ended reports that as the end of its events.
    pub fn send(&self, command: Command) {
        // The receiver only goes away with the drive's thread, and then `next_event` gives `None`.
        drop(self.commands.send(command));
    }

    /// Takes no more events: a drive that waits for room in their queue goes on.
    pub fn close(&mut self) {
        self.events.close();
    }

    /// The next event; `None` when the drive's threads have ended.
    pub async fn next_event(&mut self) -> Option<Event> {
        self.events.recv().await
    }
}

/// What the driver asks of a drive.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Erase everything by this method. Only while nothing runs.
    Purge(PurgeMethod),
    /// Read the volatile write cache, and set it where the demand says so. Only while nothing
    /// runs; answered with [`Event::Cache`].
    Cache(CacheDemand),
    /// Read the health of the drive. Only while nothing runs; answered with [`Event::Health`].
    Health,
    /// Run these cells, after those that run or wait already.
    Run(Programme),
    /// Answer to [`Event::ProgrammeDone`]: go on with what is queued.
    Proceed,
    /// Drop what runs and what is queued; answer with [`Event::Stopped`].
    Cancel,
    /// End the drive's threads. The drive is not touched again.
    Close,
}

/// What a drive reports. Every `at` is on the drive's clock.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A purge has ended well.
    Purged(Purged),
    /// The write cache was read, and set where that was asked for.
    Cache(CacheLook),
    /// What the drive told of its health.
    Health(Box<Health>),
    /// A second of a cell's clock, or the shorter last part of it, or a hand-over, has passed.
    Tick(Box<Tick>),
    /// A cell has run its time or its amount.
    CellDone(Box<Measurement>),
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
    /// The drive cannot go on; [`Event::Stopped`] follows.
    Failed(Failure),
}

/// A purge that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purged {
    /// In the words of the report: "NVMe Format NVM (simulated)", "discard of the whole device".
    pub method: String,
    /// Whether the standard names the method.
    pub is_named_by_standard: bool,
    /// How it was checked, or why it could not be.
    pub verification: String,
    /// When it began.
    pub started: Nanos,
    /// When it ended.
    pub ended: Nanos,
}

/// A part of a cell's time, at most a second, for samples and progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The cell that ran.
    pub key: CellKey,
    /// Whether these are the I/Os of a hand-over, which count for no cell.
    pub is_hand_over: bool,
    /// End of the part.
    pub at: Nanos,
    /// Length of the part.
    pub span: Nanos,
    /// Reads completed in it.
    pub read: Tally,
    /// Writes completed in it.
    pub write: Tally,
    /// Temperature of the drive in degrees Celsius, where it was read.
    pub temperature_celsius: Option<i32>,
}

/// What a cell returned.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The cell.
    pub key: CellKey,
    /// Start of the cell's clock: the end of the hand-over into it.
    pub started: Nanos,
    /// Time on the cell's clock: exactly the time asked for, where a time was asked for.
    pub elapsed: Nanos,
    /// Reads completed on the cell's clock.
    pub read: Flow,
    /// Writes completed on the cell's clock.
    pub write: Flow,
    /// How the cell before gave way to this one.
    pub hand_over: HandOver,
    /// I/Os issued for it.
    pub issued: Issued,
    /// What became of the arrivals of an open loop; `None` in a closed loop and where an amount
    /// ended the cell.
    pub arrivals: Option<ArrivalCounts>,
    /// How busy each worker's thread was; empty for a simulated drive, which has none.
    pub workers: Vec<WorkerLoad>,
    /// Whether the host may have been the limit, with the reason.
    pub host_limited: Option<String>,
    /// Flash operations in this cell; only a simulated drive knows.
    pub flash: Option<FlashCounts>,
}

/// The change from one cell to the next, over all workers: with d = first submission of the new
/// cell minus last completion of the old one, `d > 0` is an idle gap and `d <= 0` an overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HandOver {
    /// Time without any outstanding I/O; `None` where it was not measured: no cell went before,
    /// or the programme came too late and does not continue the step before.
    pub idle_gap: Option<Nanos>,
    /// Time in which I/Os of both cells were outstanding.
    pub overlap: Nanos,
    /// I/Os that completed in the hand-over, old and new; they count for neither cell.
    pub ios_uncounted: u64,
}

/// Pages programmed, from inside a simulated drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlashCounts {
    /// Pages programmed for the host.
    pub host_pages: u64,
    /// Pages moved by garbage collection.
    pub moved_pages: u64,
    /// All pages programmed, counted at the dies.
    pub programmed_pages: u64,
}

/// Why a drive cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// An I/O ended with an error.
    #[error(
        "{direction} of {length} bytes at byte {offset} (LBA {lba}) failed: {cause}; check the \
         drive's log and cabling, the run cannot be judged with failed I/O"
    )]
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
    #[error(
        "LBA {lba} holds other data than was written: expected {expected}, found {found}; the \
         drive lost or misplaced a write, the run cannot be judged"
    )]
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
    #[error(
        "no I/O completed for {waited_s} s with {outstanding} outstanding; the drive stopped \
         answering"
    )]
    Silent {
        /// Seconds without a completion.
        waited_s: u64,
        /// I/Os in flight.
        outstanding: u32,
    },
    /// The purge failed.
    #[error("purge by {method} failed: {cause}")]
    Purge {
        /// The method.
        method: String,
        /// Why, and what to do.
        cause: String,
    },
    /// The engine could not be set up.
    #[error("the load engine cannot start: {cause}")]
    Engine {
        /// Why, and what to do.
        cause: String,
    },
}
