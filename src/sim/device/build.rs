//! What a device is built from: counts, times and faults, after scaling.

use super::die::Suspension;
use super::pipe::Rate;
use crate::sim::flash::layout::Shape;

/// How long things take, in nanoseconds, after scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    /// From submission until the command is at work.
    pub(crate) command: u64,
    /// From the last byte until the host sees the completion.
    pub(crate) acknowledge: u64,
    /// Least time between two commands.
    pub(crate) interval: u64,
    /// Sensing of a read unit.
    pub(crate) sense: u64,
    /// Programming of a unit.
    pub(crate) program: u64,
    /// Erase of a block of the model.
    pub(crate) erase: u64,
    /// How reads and jobs share a die.
    pub(crate) suspension: Suspension,
    /// Transfer on a channel.
    pub(crate) channel: Rate,
    /// Transfer on the link.
    pub(crate) link: Rate,
    /// Time of the link that a transfer takes.
    pub(crate) link_share: Rate,
}

/// Misbehaviour inside the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Trouble {
    /// From when, and until when, nothing completes; equal when never. In nanoseconds.
    pub(crate) stall: (u64, u64),
    /// Whether reads of pages never written are as slow as others.
    pub(crate) unmapped_reads_slow: bool,
}

/// What a device is built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Build {
    /// User capacity in bytes.
    pub(crate) capacity: u64,
    /// The flash.
    pub(crate) shape: Shape,
    /// Channels; dies are dealt to them in turn.
    pub(crate) channels: u32,
    /// Pages that the write buffer holds.
    pub(crate) buffer_pages: u64,
    /// Times.
    pub(crate) timing: Timing,
    /// Faults.
    pub(crate) trouble: Trouble,
}
