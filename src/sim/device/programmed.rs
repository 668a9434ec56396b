//! Which program units are on flash already; all others are still in the buffer.
//!
//! Almost every read hits a superblock that is programmed in full, so a count for each superblock
//! answers it, and the bit of the unit is only looked at in the few others.

use super::super::flash::layout::{Layout, Shape};

/// A bit for each program unit, and the units missing in each superblock.
#[derive(Debug)]
pub(super) struct Programmed {
    bits: Vec<u64>,
    missing: Vec<u32>,
}

impl Programmed {
    /// Nothing is programmed.
    pub(super) fn new(shape: &Shape) -> Self {
        let units = shape.dies * shape.block_units;
        let all = units as usize * shape.superblocks as usize;
        Self {
            bits: vec![0; all.div_ceil(64)],
            missing: vec![units; shape.superblocks as usize],
        }
    }

    /// Whether the unit of a place is programmed.
    #[inline]
    pub(super) fn is_programmed(&self, layout: &Layout, place: u32) -> bool {
        self.missing[layout.superblock_of(place)] == 0
            || self.is_unit_programmed(layout.unit_of(place))
    }

    /// Whether a unit is programmed.
    pub(super) fn is_unit_programmed(&self, unit: u32) -> bool {
        self.bits[(unit / 64) as usize] & (1 << (unit % 64)) != 0
    }

    /// A unit has been programmed.
    pub(super) fn set(&mut self, layout: &Layout, unit: u32) {
        self.bits[(unit / 64) as usize] |= 1 << (unit % 64);
        let missing = &mut self.missing[layout.superblock_of_unit(unit)];
        *missing = missing
            .checked_sub(1)
            .expect("a unit is programmed once between erases");
    }

    /// A superblock of so many units is given up.
    pub(super) fn erase(&mut self, superblock: u32, units: u32) {
        for unit in superblock * units..(superblock + 1) * units {
            self.bits[(unit / 64) as usize] &= !(1 << (unit % 64));
        }
        self.missing[superblock as usize] = units;
    }
}
