//! The usual pattern, prepared: random addresses in one zone, one size for each direction.
//!
//! It draws the same I/Os as the general way, with fewer steps for each.

use crate::stimulus::{Access, BlockShares};

/// The pattern of an access, where it is this one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain {
    pub(super) start: u64,
    pub(super) read: Places,
    pub(super) write: Places,
}

/// Blocks of one size side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) size: u32,
    pub(super) count: u64,
}

impl Plain {
    pub(super) fn of(access: &Access) -> Option<Self> {
        let [zone] = access.zones.as_slice() else {
            return None;
        };
        let places = |blocks: &BlockShares| {
            let size = u32::try_from(blocks.single()?.0).ok()?;
            let count = zone.len() / u64::from(size);
            Some(Places { size, count })
        };
        Some(Self {
            start: zone.start.0,
            read: places(&access.read_blocks)?,
            write: places(&access.write_blocks)?,
        })
        .filter(|_| access.random_percent == 100)
    }
}
