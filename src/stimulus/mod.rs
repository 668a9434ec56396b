//! What is asked of a drive: accesses, cells and programmes, free of any drive or clock.
//!
//! A *stimulus* is an access pattern at a demand intensity. An [`Access`] is a stimulus resolved
//! against a drive: every range is in bytes of that drive. A [`Cell`] applies an access for a
//! stated time or amount, and a [`Programme`] is a row of cells handed to the drive at once, so
//! that nothing rests between them.

pub mod addresses;
pub mod arrivals;
pub mod coverage;

use crate::units::{Bytes, Nanos};

/// Capacity and logical block size of a drive, as its kernel or its profile reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// User capacity: all addressable bytes.
    pub capacity: Bytes,
    /// Smallest addressable unit.
    pub logical_block: Bytes,
}

/// Names a cell within a run: which step, which round, which place in the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellKey {
    /// Index of the step in the plan, from 0.
    pub step_index: u32,
    /// Round number from 1; 0 in a step without rounds.
    pub round: u32,
    /// Index of the cell within the loop, from 0.
    pub cell_index: u32,
}

/// Cells that follow each other without a rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Programme {
    /// The cells in the order of execution; never empty.
    pub cells: Vec<Cell>,
}

/// An access applied until a time or an amount is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its name in the journal.
    pub key: CellKey,
    /// What is done.
    pub access: Access,
    /// When it ends.
    pub until: Until,
    /// Seed of its random streams; workers derive their own from it.
    pub seed: u64,
    /// Whether its reads must return what the cell before it in the programme wrote last.
    pub reads_back: bool,
}

/// The end of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// This much time on the cell's clock.
    Time(Nanos),
    /// This many bytes transferred, exactly.
    Transferred(Bytes),
}

/// An access pattern with its demand intensity, resolved against one drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// Workers (TC).
    pub threads: u32,
    /// Outstanding I/Os for each worker (QD).
    pub queue_depth: u32,
    /// How they reach the kernel.
    pub engine: EngineKind,
    /// Share of reads among the I/Os, 0 to 100.
    pub read_percent: u8,
    /// Share of I/Os at random addresses, 0 to 100; the rest goes on sequentially.
    pub random_percent: u8,
    /// Block sizes of reads.
    pub read_blocks: BlockShares,
    /// Block sizes of writes.
    pub write_blocks: BlockShares,
    /// Where addresses lie; at least one, each within the drive and on its logical blocks.
    pub zones: Vec<Zone>,
    /// What writes carry.
    pub content: Content,
    /// Smallest unit a length and an offset must be a multiple of.
    pub logical_block: Bytes,
    /// Open loop: I/Os a second of the whole stimulus, dealt to the workers in turn, with at most
    /// `threads` x `queue_depth` outstanding; `None` is the closed loop.
    pub rate_iops: Option<u64>,
}

/// Block sizes with integer weights; never empty, every weight above 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockShares(pub Vec<(Bytes, u32)>);

/// A share of the I/Os confined to a byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// Weight among the zones.
    pub weight: u32,
    /// First byte.
    pub start: Bytes,
    /// First byte after the zone.
    pub end: Bytes,
}

/// How I/Os reach the kernel of a real machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineKind {
    /// Through `io_uring`; where the kernel refuses it, as [`EngineKind::Sync`] and said so.
    #[default]
    Ring,
    /// By one system call for each, with one I/O outstanding for each worker.
    Sync,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Random data from a large pool, every logical block stamped; no two blocks alike. What the
    /// standard requires.
    Random,
    /// Random data made anew for every I/O, and stamped.
    Fresh,
    /// One random buffer for each slot, stamped anew for each write.
    Stamped,
    /// Zeros, not stamped.
    Zero,
    /// Random data that a drive can reduce by stated shares.
    Reducible(Reduction),
}

/// How far written data can be reduced. Both hold together: of the units that are no duplicates,
/// each logical block compresses by its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// Share of each logical block that is zeros behind the random rest, 0 to 100.
    pub compressible_percent: u8,
    /// Share of the 4 KiB units (of the I/Os, where these are shorter) that repeat one of a few
    /// earlier ones, 0 to 100.
    pub duplicate_percent: u8,
}

impl Content {
    /// Whether all of it is random data in which a drive finds nothing to save.
    pub fn is_random(self) -> bool {
        match self {
            Self::Random | Self::Fresh => true,
            Self::Stamped | Self::Zero | Self::Reducible(_) => false,
        }
    }

    /// What it is, in words.
    pub fn words(self) -> String {
        match self {
            Self::Random => "random".to_owned(),
            Self::Fresh => "random, made anew for each I/O".to_owned(),
            Self::Stamped => "one random buffer stamped anew".to_owned(),
            Self::Zero => "zeros".to_owned(),
            Self::Reducible(reduction) => format!(
                "{} % compressible, {} % duplicates",
                reduction.compressible_percent, reduction.duplicate_percent
            ),
        }
    }
}

/// I/Os issued for a cell, whether or not they completed on its clock. They have the mix that was
/// asked for; what completes has a little less of the slower direction, since more of it is still
/// outstanding when the cell ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Issued {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

impl Issued {
    /// One more.
    #[inline]
    pub fn note(&mut self, is_read: bool) {
        self.reads += u64::from(is_read);
        self.writes += u64::from(!is_read);
    }

    /// Those of another worker, too.
    pub fn merge(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
    }
}

impl BlockShares {
    /// One size only.
    pub fn one(size: Bytes) -> Self {
        Self(vec![(size, 1)])
    }

    /// The largest size.
    pub fn largest(&self) -> Bytes {
        self.0
            .iter()
            .map(|(size, _)| *size)
            .max()
            .unwrap_or_default()
    }

    /// The single size, if there is only one.
    pub fn single(&self) -> Option<Bytes> {
        match self.0.as_slice() {
            [(size, _)] => Some(*size),
            _ => None,
        }
    }
}

impl Zone {
    /// Bytes in the zone.
    pub fn len(&self) -> u64 {
        self.end.0 - self.start.0
    }

    /// Whether the zone holds nothing.
    pub fn is_empty(&self) -> bool {
        self.end <= self.start
    }
}

impl Access {
    /// The largest I/O of either direction.
    pub fn block_largest(&self) -> Bytes {
        match self.read_percent {
            0 => self.write_blocks.largest(),
            100 => self.read_blocks.largest(),
            _ => self.read_blocks.largest().max(self.write_blocks.largest()),
        }
    }

    /// Whether any I/O of it writes.
    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }

    /// All I/Os outstanding at the drive (TOIO).
    pub fn outstanding(&self) -> u32 {
        self.threads * self.queue_depth
    }
}
